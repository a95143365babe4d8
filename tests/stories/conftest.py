from collections.abc import Iterator
from pathlib import Path

import pytest

from recollect import Memory
from recollect.testing.clock import FrozenClock
from recollect.testing.embedders import LetterEmbedder


@pytest.fixture
def clock() -> FrozenClock:
    return FrozenClock()


@pytest.fixture
def memory(tmp_path: Path, clock: FrozenClock) -> Iterator[Memory]:
    """A new memory whose clock stands still and which does its work when it is told to."""
    with Memory(
        tmp_path / "m.db", embedder=LetterEmbedder(), clock=clock, settings={"worker": False}
    ) as opened:
        yield opened
