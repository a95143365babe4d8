"""Three hundred turns in which everybody repeats what is remembered, and nothing is remembered twice."""

import json
from collections.abc import Callable, Iterator, Sequence
from datetime import timedelta
from pathlib import Path

import pytest
from tests.contract.stores import OpenStore
from tests.stories.environment import isolate_settings

from recollect import Memory
from recollect.adapters.embedders.hashing import HashingEmbedder
from recollect.domain.memory import Memory as Kept
from recollect.domain.scope import Scope
from recollect.ports.chat_model import ChatModel, ModelMessage
from recollect.testing.chat_models import ScriptedChatModel
from recollect.testing.clock import FrozenClock
from recollect.testing.inspection import store_of

TURN_COUNT = 300
STATEMENTS = (
    "Hi, I'm Marisa and I live in Porto with my sister.",
    "I'm vegetarian and I hate cilantro.",
    "Trabalho como enfermeira e sou alérgica a amendoim.",
    "Quero aprender japonês este ano.",
    "We decided to use PostgreSQL for the clinic's app.",
    "Remember that the spare key is with Dona Célia.",
    "Tenho pavor de avião.",
)
QUESTIONS = (
    "What could I cook tonight?",
    "O que você sabe sobre mim?",
    "Where do I live and what do I do?",
    "Which database did we decide on?",
    "Quem tem a chave reserva?",
    "Can you repeat what you remember of me?",
)
FORMATS = ("facts", "smart", "companion", "dev", "agent", "xml")
#: The dev format has no frame: it is meant for the system prompt, and nothing tells it from what a user writes.
FRAMED_FORMATS = tuple(style for style in FORMATS if style != "dev")
OpenMemory = Callable[..., Memory]


@pytest.fixture
def clock() -> FrozenClock:
    return FrozenClock()


@pytest.fixture
def open_memory(
    tmp_path: Path, open_store: OpenStore, clock: FrozenClock, monkeypatch: pytest.MonkeyPatch
) -> Iterator[OpenMemory]:
    """Opens the memory of the story, with no setting of whoever runs the tests."""
    isolate_settings(monkeypatch, tmp_path / "home")
    memories: list[Memory] = []

    def open_it(chat_model: ChatModel | None = None, **settings: object) -> Memory:
        memories.append(
            Memory(
                store=open_store(),
                embedder=HashingEmbedder(),
                chat_model=chat_model,
                clock=clock,
                settings={
                    "worker": False,
                    **{name.replace("__", "."): each for name, each in settings.items()},
                },
            )
        )
        return memories[-1]

    yield open_it
    for memory in memories:
        memory.close()


def add_message(memory: Memory, role: str, text: str, chat: str) -> None:
    memory.add([{"role": role, "content": text}], chat_id=chat, sync=True)


def memory_rows(memory: Memory) -> list[tuple[object, ...]]:
    """All that is remembered, with how often it was heard and when."""
    memories: Sequence[Kept] = store_of(memory.application).memories.list(
        Scope("default"), limit=1000, status=None
    )
    return sorted((m.text, m.status, m.times_stated, m.weight, m.last_stated_at, m.version) for m in memories)


def context_text(memory: Memory, query: str, style: str) -> str:
    settings = {"context.format": style, "context.budget": 4000, "recall.small_store_size": 4000}
    return str(memory.context(query, chat_id="another", settings=settings).text)


def make_echo(context: str, turn: int) -> str:
    """What an assistant makes of a block: the block, its lines, or its lines in a sentence."""
    lines = [line.lstrip("-• ") for line in context.splitlines() if line.strip()]
    return (
        context,
        "\n".join(lines),
        "You told me this: " + "; ".join(lines) + ".",
        f"Of course! {lines[turn % len(lines)]}",
    )[turn % 4]


@pytest.mark.spec("D17")
def test_an_assistant_that_repeats_what_is_recalled_teaches_nothing(
    open_memory: OpenMemory, clock: FrozenClock
) -> None:
    memory = open_memory()
    for text in STATEMENTS:
        add_message(memory, "user", text, "first")
    before = memory_rows(memory)
    for turn in range(TURN_COUNT // 2):
        clock.advance(timedelta(minutes=7))
        question = QUESTIONS[turn % len(QUESTIONS)]
        recalled = context_text(memory, question, FORMATS[turn % len(FORMATS)])
        assert recalled
        add_message(memory, "user", question, "second")
        add_message(memory, "assistant", make_echo(recalled, turn), "second")

    assert len(before) >= 9
    assert memory_rows(memory) == before


@pytest.mark.parametrize("style", FRAMED_FORMATS)
def test_a_question_that_carries_the_block_teaches_nothing(
    open_memory: OpenMemory, clock: FrozenClock, style: str
) -> None:
    memory = open_memory()
    for text in STATEMENTS:
        add_message(memory, "user", text, "first")
    before = memory_rows(memory)
    for turn in range(24):
        clock.advance(timedelta(minutes=7))
        question = QUESTIONS[turn % len(QUESTIONS)]
        recalled = context_text(memory, question, style)
        add_message(memory, "user", f"{recalled}\n\n{question}", "second")
        add_message(memory, "assistant", make_echo(recalled, turn), "second")

    assert memory_rows(memory) == before


def extract_every_line(turns: Sequence[ModelMessage]) -> str:
    """A model that takes every line it is shown for a fact."""
    shown = "\n".join(turn.content for turn in turns)
    lines = {line.lstrip("-• ").strip() for line in shown.splitlines()}
    facts = [line for line in sorted(lines) if 10 <= len(line) <= 80 and not line.endswith((":", "?"))]
    return json.dumps([{"t": "bio", "c": fact, "w": 0.9} for fact in facts])


def test_a_model_that_believes_the_assistant_is_told_nothing_new_by_its_own_words(
    open_memory: OpenMemory, clock: FrozenClock
) -> None:
    memory = open_memory()
    for text in STATEMENTS:
        add_message(memory, "user", text, "first")
    before = memory_rows(memory)
    believing = open_memory(
        ScriptedChatModel(extract_every_line), extraction__roles="user+assistant", extraction__mode="list"
    )
    for turn in range(24):
        clock.advance(timedelta(minutes=7))
        question = QUESTIONS[turn % len(QUESTIONS)]
        recalled = context_text(believing, question, "xml")
        add_message(believing, "assistant", f"{recalled}\nAs I said.", "second")

    assert [row for row in memory_rows(believing) if row[1] == "active"] == before
