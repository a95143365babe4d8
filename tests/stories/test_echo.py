"""Three hundred turns in which everybody repeats what is remembered, and nothing is remembered twice."""

import json
import os
from collections.abc import Callable, Iterator, Sequence
from datetime import timedelta
from pathlib import Path

import pytest

from recollect import Memory
from recollect.adapters.embedders.hashing import HashingEmbedder
from recollect.domain.memory import Memory as Kept
from recollect.domain.scope import Scope
from recollect.ports.chat_model import ChatModel, Turn
from recollect.testing.chat_models import ScriptedChatModel
from recollect.testing.clock import FrozenClock

TURNS = 300
TOLD = (
    "Hi, I'm Marisa and I live in Porto with my sister.",
    "I'm vegetarian and I hate cilantro.",
    "Trabalho como enfermeira e sou alérgica a amendoim.",
    "Quero aprender japonês este ano.",
    "We decided to use PostgreSQL for the clinic's app.",
    "Remember that the spare key is with Dona Célia.",
    "Tenho pavor de avião.",
)
ASKED = (
    "What could I cook tonight?",
    "O que você sabe sobre mim?",
    "Where do I live and what do I do?",
    "Which database did we decide on?",
    "Quem tem a chave reserva?",
    "Can you repeat what you remember of me?",
)
FORMATS = ("facts", "smart", "companion", "dev", "agent", "xml")
#: The dev format has no frame: it is meant for the system prompt, and nothing tells it from what a user writes.
FRAMED = tuple(style for style in FORMATS if style != "dev")
Open = Callable[..., Memory]


@pytest.fixture
def clock() -> FrozenClock:
    return FrozenClock()


@pytest.fixture
def opened(tmp_path: Path, clock: FrozenClock, monkeypatch: pytest.MonkeyPatch) -> Iterator[Open]:
    """Opens the memory of the story, with no setting of whoever runs the tests."""
    for name in [name for name in os.environ if name.startswith(("RECOLLECT_", "RAG_"))]:
        monkeypatch.delenv(name)
    for name in ("XDG_DATA_HOME", "XDG_CONFIG_HOME", "HOME"):
        monkeypatch.setenv(name, str(tmp_path / "home"))
    memories: list[Memory] = []

    def open_it(chat_model: ChatModel | None = None, **settings: object) -> Memory:
        memories.append(
            Memory(
                tmp_path / "memory.db",
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


def said(memory: Memory, role: str, text: str, chat: str) -> None:
    memory.add([{"role": role, "content": text}], chat_id=chat, sync=True)


def known(memory: Memory) -> list[tuple[object, ...]]:
    """All that is remembered, with how often it was heard and when."""
    kept: Sequence[Kept] = memory.runtime.store.memories.list(Scope("default"), limit=1000, standing=None)
    return sorted((m.text, m.standing, m.sightings, m.weight, m.seen_at, m.version) for m in kept)


def block(memory: Memory, question: str, style: str) -> str:
    settings = {"assemble.format": style, "assemble.budget": 4000, "recall.small_set": 4000}
    return str(memory.context(question, chat_id="another", settings=settings)["text"])


def repeated(recalled: str, turn: int) -> str:
    """What an assistant makes of a block: the block, its lines, or its lines in a sentence."""
    lines = [line.lstrip("-• ") for line in recalled.splitlines() if line.strip()]
    return (
        recalled,
        "\n".join(lines),
        "You told me this: " + "; ".join(lines) + ".",
        f"Of course! {lines[turn % len(lines)]}",
    )[turn % 4]


@pytest.mark.spec("D17")
def test_an_assistant_that_repeats_what_is_recalled_teaches_nothing(opened: Open, clock: FrozenClock) -> None:
    memory = opened()
    for text in TOLD:
        said(memory, "user", text, "first")
    before = known(memory)
    for turn in range(TURNS // 2):
        clock.advance(timedelta(minutes=7))
        question = ASKED[turn % len(ASKED)]
        recalled = block(memory, question, FORMATS[turn % len(FORMATS)])
        assert recalled
        said(memory, "user", question, "second")
        said(memory, "assistant", repeated(recalled, turn), "second")

    assert len(before) >= 9
    assert known(memory) == before


@pytest.mark.parametrize("style", FRAMED)
def test_a_question_that_carries_the_block_teaches_nothing(
    opened: Open, clock: FrozenClock, style: str
) -> None:
    memory = opened()
    for text in TOLD:
        said(memory, "user", text, "first")
    before = known(memory)
    for turn in range(24):
        clock.advance(timedelta(minutes=7))
        question = ASKED[turn % len(ASKED)]
        recalled = block(memory, question, style)
        said(memory, "user", f"{recalled}\n\n{question}", "second")
        said(memory, "assistant", repeated(recalled, turn), "second")

    assert known(memory) == before


def claims(turns: Sequence[Turn]) -> str:
    """A model that takes every line it is shown for a fact."""
    shown = "\n".join(turn.content for turn in turns)
    lines = {line.lstrip("-• ").strip() for line in shown.splitlines()}
    facts = [line for line in sorted(lines) if 10 <= len(line) <= 80 and not line.endswith((":", "?"))]
    return json.dumps([{"t": "bio", "c": fact, "w": 0.9} for fact in facts])


def test_a_model_that_believes_the_assistant_is_told_nothing_new_by_its_own_words(
    opened: Open, clock: FrozenClock
) -> None:
    memory = opened()
    for text in TOLD:
        said(memory, "user", text, "first")
    before = known(memory)
    believing = opened(ScriptedChatModel(claims), extract__roles="user+assistant", extract__mode="list")
    for turn in range(24):
        clock.advance(timedelta(minutes=7))
        question = ASKED[turn % len(ASKED)]
        recalled = block(believing, question, "xml")
        said(believing, "assistant", f"{recalled}\nAs I said.", "second")

    assert [row for row in known(believing) if row[1] == "active"] == before
