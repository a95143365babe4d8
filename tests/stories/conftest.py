from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.contract.stores import STORE_FACTORIES, OpenStore, open_stores

from recollect import Memory
from recollect.testing.clock import FrozenClock
from recollect.testing.embedders import LetterEmbedder


@pytest.fixture
def clock() -> FrozenClock:
    return FrozenClock()


@pytest.fixture(params=STORE_FACTORIES)
def open_store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[OpenStore]:
    """Opens the database of the story: a story is the same on every store."""
    with open_stores(request.param, tmp_path) as open_database:
        yield open_database


@pytest.fixture(params=STORE_FACTORIES, scope="module")
def open_shared_store(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[OpenStore]:
    """The same for the stories of a module that share one memory."""
    with open_stores(request.param, tmp_path_factory.mktemp("shared")) as open_database:
        yield open_database


@pytest.fixture
def memory(open_store: OpenStore, clock: FrozenClock) -> Iterator[Memory]:
    """A new memory, whose clock stands still and which does its work when it is told to."""
    with Memory(
        store=open_store(), embedder=LetterEmbedder(), clock=clock, settings={"worker": False}
    ) as opened:
        yield opened


@pytest.fixture
def file_memory(tmp_path: Path, clock: FrozenClock) -> Iterator[Memory]:
    """The same in a file, for what holds only of a file."""
    with Memory(
        tmp_path / "m.db", embedder=LetterEmbedder(), clock=clock, settings={"worker": False}
    ) as opened:
        yield opened
