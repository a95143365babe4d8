"""The `Memory` class: the library's public interface."""

from recollect.library.diagnostics import DiagnosticsMixin
from recollect.library.ingest import MemoryIngestMixin
from recollect.library.memories import MemoriesMixin
from recollect.library.recall import MemoryRecallMixin
from recollect.library.records import RecordsMixin
from recollect.library.tuning import MemoryTuningMixin


class Memory(
    MemoryIngestMixin, MemoryRecallMixin, MemoriesMixin, RecordsMixin, MemoryTuningMixin, DiagnosticsMixin
):
    """
    A memory in one file. Safe to share between threads; several processes may open the same file.

    Settings can be given by name, as in ``Memory("me.db", settings={"preset": "companion", "recall.limit": 5})``;
    settings of a call take precedence over these.
    """
