"""A year of talk, and the memories that are left of it."""

import sys
from collections.abc import Callable, Iterator, Sequence

import pytest
from tests.contract.stores import OpenStore
from tests.stories.conversation import EXPECTED_MEMORIES, ExpectedMemory, ScriptTurn, load_turns
from tests.stories.environment import isolate_settings

from recollect import Memory
from recollect.adapters.onnx.embedder import OnnxEmbedder
from recollect.domain.memory import Memory as Kept
from recollect.domain.scope import Scope
from recollect.testing.clock import FrozenClock
from recollect.testing.inspection import store_of


@pytest.fixture(scope="module")
def script_turns() -> list[ScriptTurn]:
    return load_turns()


@pytest.fixture(scope="module")
def remaining_memories(
    script_turns: list[ScriptTurn], open_shared_store: OpenStore, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[list[Kept]]:
    """What is left at the end, whatever its status."""
    clock = FrozenClock(script_turns[0].sent_at)
    with pytest.MonkeyPatch.context() as environment:
        isolate_settings(environment, tmp_path_factory.mktemp("home"))
        memory = Memory(
            store=open_shared_store(), embedder=OnnxEmbedder(), clock=clock, settings={"worker": False}
        )
    for turn in script_turns:
        clock.advance(turn.sent_at - clock.now())
        message = {"role": turn.role, "content": turn.text, "created_at": turn.sent_at.isoformat()}
        memory.add([message], chat_id=turn.chat, sync=True)
    yield list(store_of(memory.application).memories.list(Scope("default"), limit=1000, status=None))
    memory.close()


def find_match(expected: ExpectedMemory, remaining_memories: Sequence[Kept]) -> Kept | None:
    return next((memory for memory in remaining_memories if expected.matches(memory)), None)


def find_junk(remaining_memories: Sequence[Kept]) -> list[str]:
    """What nobody would have written down."""
    return [
        f"{memory.status} {memory.kind} {memory.text!r}"
        for memory in remaining_memories
        if not any(wanted.matches(memory) for wanted in EXPECTED_MEMORIES)
    ]


def test_the_conversation_is_long_and_in_two_languages(script_turns: list[ScriptTurn]) -> None:
    assert len(script_turns) >= 300
    assert len({turn.chat for turn in script_turns}) > 10
    assert (script_turns[-1].sent_at - script_turns[0].sent_at).days > 340


@pytest.mark.spec("B7", "B8", "B9", "B10")
def test_all_that_a_thoughtful_person_would_have_written_down_is_known(
    remaining_memories: list[Kept],
) -> None:
    missing = [wanted for wanted in EXPECTED_MEMORIES if find_match(wanted, remaining_memories) is None]

    assert missing == []


@pytest.mark.spec("B11", "B12")
def test_and_nothing_else(
    remaining_memories: list[Kept], record_property: Callable[[str, object], None]
) -> None:
    kept_for_nothing = find_junk(remaining_memories)
    rate = len(kept_for_nothing) / len(remaining_memories)
    record_property("junk_rate", round(rate, 3))
    sys.stdout.write(
        f"junk rate: {rate:.1%} ({len(kept_for_nothing)} of {len(remaining_memories)} memories)\n"
    )

    assert kept_for_nothing == []
