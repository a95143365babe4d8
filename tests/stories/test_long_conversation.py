"""A year of talk, and the memories that are left of it."""

import os
import sys
from collections.abc import Callable, Iterator, Sequence

import pytest
from tests.stories.conversation import WANTED, Turn, Wanted, turns

from recollect import Memory
from recollect.adapters.onnx.embedder import OnnxEmbedder
from recollect.domain.memory import Memory as Kept
from recollect.domain.scope import Scope
from recollect.testing.clock import FrozenClock


@pytest.fixture(scope="module")
def said() -> list[Turn]:
    return turns()


@pytest.fixture(scope="module")
def left(said: list[Turn], tmp_path_factory: pytest.TempPathFactory) -> Iterator[list[Kept]]:
    """What is left at the end, whatever its standing."""
    folder = tmp_path_factory.mktemp("year")
    clock = FrozenClock(said[0].said_at)
    with pytest.MonkeyPatch.context() as environment:
        for name in [name for name in os.environ if name.startswith(("RECOLLECT_", "RAG_"))]:
            environment.delenv(name)
        for name in ("XDG_DATA_HOME", "XDG_CONFIG_HOME", "HOME"):
            environment.setenv(name, str(folder))
        memory = Memory(
            folder / "memory.db", embedder=OnnxEmbedder(), clock=clock, settings={"worker": False}
        )
    for turn in said:
        clock.advance(turn.said_at - clock.now())
        message = {"role": turn.role, "content": turn.text, "created_at": turn.said_at.isoformat()}
        memory.add([message], chat_id=turn.chat, sync=True)
    yield list(memory.runtime.store.memories.list(Scope("default"), limit=1000, standing=None))
    memory.close()


def met(wanted: Wanted, left: Sequence[Kept]) -> Kept | None:
    return next((memory for memory in left if wanted.is_met_by(memory)), None)


def junk(left: Sequence[Kept]) -> list[str]:
    """What nobody would have written down."""
    return [
        f"{memory.standing} {memory.kind} {memory.text!r}"
        for memory in left
        if not any(wanted.is_met_by(memory) for wanted in WANTED)
    ]


def test_the_conversation_is_long_and_in_two_languages(said: list[Turn]) -> None:
    assert len(said) >= 300
    assert len({turn.chat for turn in said}) > 10
    assert (said[-1].said_at - said[0].said_at).days > 340


@pytest.mark.spec("B7", "B8", "B9", "B10")
def test_all_that_a_thoughtful_person_would_have_written_down_is_known(left: list[Kept]) -> None:
    missing = [wanted for wanted in WANTED if met(wanted, left) is None]

    assert missing == []


@pytest.mark.spec("B11", "B12")
def test_and_nothing_else(left: list[Kept], record_property: Callable[[str, object], None]) -> None:
    kept_for_nothing = junk(left)
    rate = len(kept_for_nothing) / len(left)
    record_property("junk_rate", round(rate, 3))
    sys.stdout.write(f"junk rate: {rate:.1%} ({len(kept_for_nothing)} of {len(left)} memories)\n")

    assert kept_for_nothing == []
