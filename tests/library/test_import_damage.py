"""Damaged files: whatever is wrong with a file, nothing is half stored, and all of an import can be undone."""

from collections.abc import Iterator
from io import BytesIO

import pytest
from tests.interchange.samples import SAMPLES, Sample

from recollect import Memory
from recollect.adapters.embedders.hashing import HashingEmbedder
from recollect.domain.import_report import ImportReport
from recollect.errors import InvalidInput
from recollect.testing.import_sources import damage_file
from recollect.testing.in_memory.store import InMemoryStore

VARIANTS_PER_FORMAT = 30
FILE_SAMPLES = [sample for sample in SAMPLES if not sample.database]


@pytest.fixture
def memory() -> Iterator[Memory]:
    with Memory(store=InMemoryStore(), embedder=HashingEmbedder(), settings={"worker": False}) as opened:
        yield opened


def stored(memory: Memory) -> tuple[int, int, int]:
    stats = memory.maintenance.stats()
    return (stats.messages, stats.memories, len(memory.profile.context_files()))


def import_or_refuse(memory: Memory, content: bytes) -> ImportReport | str:
    """Return the report, or the error's text."""
    try:
        return memory.import_from(BytesIO(content))
    except InvalidInput as error:
        return str(error)


@pytest.mark.parametrize("sample", FILE_SAMPLES, ids=lambda sample: sample.label)
def test_nothing_of_a_damaged_file_is_half_stored(memory: Memory, sample: Sample) -> None:
    content = sample.content().encode("utf-8", "surrogatepass")
    for seed in range(VARIANTS_PER_FORMAT):
        variant = damage_file(content, seed)
        report = import_or_refuse(memory, variant)
        if isinstance(report, str):
            assert report.endswith("."), seed
            assert stored(memory) == (0, 0, 0), seed
            continue
        counts = report.counts
        assert stored(memory) == (counts.messages, counts.memories, counts.context_files), seed
        assert memory.import_from(BytesIO(variant)).import_id is None, seed
        if report.import_id:
            memory.imports.undo(report.import_id)
        assert stored(memory) == (0, 0, 0), seed
