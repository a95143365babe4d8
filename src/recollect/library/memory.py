"""Memory: everything a program does with what is remembered."""

from recollect.library.diagnostics import Examining
from recollect.library.ingest import Listening
from recollect.library.memories import Steering
from recollect.library.recall import Recalling
from recollect.library.records import Keeping
from recollect.library.tuning import Tuning


class Memory(Listening, Recalling, Steering, Keeping, Tuning, Examining):
    """
    A memory in one file. Safe to share between threads; several processes may open the same file.

    Settings can be given by name, as in ``Memory("me.db", settings={"preset": "companion", "recall.limit": 5})``;
    those of a call win over those given here.
    """
