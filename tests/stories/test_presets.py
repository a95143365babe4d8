"""Six presets hear the same conversation, and each keeps its promise."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

import pytest
from tests.contract.stores import OpenStore
from tests.stories.presets import PRESETS, context_receipt, exchange_messages, open_memory, user_messages

from recollect import Memory
from recollect.context.labels import NOTICES
from recollect.domain.candidate import Source
from recollect.domain.job import JobKind
from recollect.domain.outcomes import IngestResult
from recollect.domain.policy import load_preset
from recollect.domain.scope import Scope
from recollect.testing.clock import FrozenClock
from recollect.testing.embedders import LetterEmbedder
from recollect.testing.inspection import store_of
from recollect.text.tokens import estimate_tokens

SYSTEM_MESSAGE = {"role": "system", "content": "You are a quiet assistant who never mentions the xylophone."}
TOOL_MESSAGE = {"role": "tool", "content": "log line of the build\n" * 500, "tool_call_id": "1"}
EXCHANGES = (
    ("Hi", "Hello! How can I help?"),
    ("I decided that our project uses PostgreSQL.", "Good choice."),
    ("I'm vegetarian and I hate cilantro.", "Noted."),
    ("I live in Lisbon.", "A lovely city."),
    ("ok", "Anything else?"),
    ("I always get anxious when deadlines come up.", "Let us plan together."),
    ("I want to learn Rust this year.", "We decided to begin with ownership on Monday."),
)
QUERY = "lives in Lisbon"


@dataclass(frozen=True, slots=True, kw_only=True)
class PresetExpectation:
    """A column of the table of presets, as far as it shows from outside."""

    recalls: bool
    heading: str
    extracts_greeting: bool  #: whether layers 1 and 2 are off
    learns_from: frozenset[str]
    keeps_raw: bool
    log_chars: int
    buffer: int
    max_items: int  #: recollections handed on
    budget: int
    extraction_timing: Literal["each message", "each reply", "in batches", "never"]
    summarised: bool


BOTH_ROLES, USER_ROLE, NO_ROLES = frozenset({"user", "assistant"}), frozenset({"user"}), frozenset[str]()
FULL_LOG_CHARS = len(str(TOOL_MESSAGE["content"]))
TRUNCATED_LOG_CHARS = 2000 + len(
    f"\n... [Output truncated. Original size: {FULL_LOG_CHARS} bytes."
    " Hint: Use standard unix tools like grep/head to read specific parts]"
)
EXPECTATIONS = {
    "default": PresetExpectation(
        recalls=True, heading=f"{NOTICES['en']}\n\n## Relevant memory", extracts_greeting=False, learns_from=BOTH_ROLES,
        keeps_raw=True, log_chars=TRUNCATED_LOG_CHARS, buffer=6, max_items=8, budget=1000,
        extraction_timing="each message", summarised=True,
    ),
    "smart": PresetExpectation(
        recalls=False, heading="### CONTEXTO DE OUTROS CHATS RECENTES (MEMÓRIA):", extracts_greeting=False,
        learns_from=BOTH_ROLES, keeps_raw=False, log_chars=FULL_LOG_CHARS, buffer=4, max_items=6, budget=1000,
        extraction_timing="each message", summarised=False,
    ),
    "companion": PresetExpectation(
        recalls=True, heading="[MEMÓRIA]", extracts_greeting=False, learns_from=USER_ROLE, keeps_raw=False,
        log_chars=FULL_LOG_CHARS, buffer=6, max_items=5, budget=300,
        extraction_timing="each message", summarised=True,
    ),
    "dev": PresetExpectation(
        recalls=True, heading="", extracts_greeting=True, learns_from=NO_ROLES, keeps_raw=True,
        log_chars=FULL_LOG_CHARS, buffer=0, max_items=10, budget=1000,
        extraction_timing="never", summarised=True,
    ),
    "facts": PresetExpectation(
        recalls=True, heading="## Relevant memory", extracts_greeting=True, learns_from=BOTH_ROLES, keeps_raw=True,
        log_chars=FULL_LOG_CHARS, buffer=0, max_items=5, budget=1000,
        extraction_timing="each reply", summarised=False,
    ),
    "agent": PresetExpectation(
        recalls=True, heading="Relevant Facts (Global Context):", extracts_greeting=True, learns_from=BOTH_ROLES,
        keeps_raw=True, log_chars=TRUNCATED_LOG_CHARS, buffer=10, max_items=5, budget=1000,
        extraction_timing="in batches", summarised=False,
    ),
}  # fmt: skip


@pytest.fixture(params=PRESETS)
def name(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def memory(open_store: OpenStore, name: str) -> Iterator[Memory]:
    with open_memory(open_store(), name, embedder=LetterEmbedder(), clock=FrozenClock()) as memory:
        yield memory


def run_conversation(memory: Memory) -> list[IngestResult]:
    """The talk of monday; what became of each message."""
    observed = [*memory.add([SYSTEM_MESSAGE, TOOL_MESSAGE], chat_id="monday").messages]
    for question, reply in EXCHANGES:
        observed += memory.add(exchange_messages(question, reply), chat_id="monday").messages
    return observed


@pytest.mark.spec("C-7", "C-25")
def test_memory_is_used_in_other_chats_at_once_or_when_it_is_turned_on(memory: Memory, name: str) -> None:
    promise = EXPECTATIONS[name]
    run_conversation(memory)
    memory.flush()
    at_first = context_receipt(memory, QUERY).text
    turned_on = context_receipt(memory, QUERY, recall__enabled=True).text

    assert bool(at_first) is promise.recalls
    assert turned_on.startswith(promise.heading)
    assert "Lisbon" in turned_on
    assert "xylophone" not in turned_on


@pytest.mark.spec("C-8", "Y6", "N6")
def test_no_more_is_handed_on_than_promised_and_the_budget_is_the_hard_cap(memory: Memory, name: str) -> None:
    promise = EXPECTATIONS[name]
    for number in range(15):
        memory.add(
            user_messages(f"I decided that service number {number} of our project uses Rust."),
            chat_id=f"c{number}",
        )
        memory.add(f"service number {number} is written in Rust", kind="decision")
    memory.flush()
    receipt = context_receipt(memory, "Which service of our project uses Rust?", recall__enabled=True)
    tight = context_receipt(
        memory, "Which service of our project uses Rust?", recall__enabled=True, context__budget=40
    )
    kinds = [item.source for item in receipt.items if item.disposition == "injected"]

    assert len(kinds) == promise.max_items
    assert receipt.tokens <= receipt.budget == promise.budget
    assert estimate_tokens(tight.text) <= 40
    if name == "agent":
        assert (kinds.count(Source.MEMORY), kinds.count(Source.MESSAGE)) == (3, 2)


@pytest.mark.spec("C-20", "C-5", "C-14")
def test_every_trigger_is_a_row_of_the_same_job_table(memory: Memory, name: str) -> None:
    promise, observed = EXPECTATIONS[name], run_conversation(memory)
    waiting = store_of(memory.application).jobs.list(Scope("default"))
    counts = Counter(job.kind for job in waiting)
    considered = [each for each in observed if each.is_queued]
    hi = next(each for each in observed if each.message.role == "user")
    judged = {
        "each message": len(considered),
        "each reply": sum(each.message.role == "assistant" for each in considered),
        "in batches": 1,
        "never": 0,
    }

    assert counts[JobKind.EXTRACT] == judged[promise.extraction_timing]
    assert counts[JobKind.SUMMARIZE] == int(promise.summarised)
    assert counts[JobKind.EMBED] == 1
    assert hi.is_queued is (promise.extracts_greeting and promise.extraction_timing != "never")


@pytest.mark.spec("C-5", "D17")
def test_facts_come_from_whom_the_preset_listens_to(memory: Memory, name: str) -> None:
    run_conversation(memory)
    memory.flush()
    speakers = {each.speaker for each in memory.get_all()}

    assert speakers <= EXPECTATIONS[name].learns_from
    assert ("user" in speakers) is bool(EXPECTATIONS[name].learns_from)


@pytest.mark.spec("C-4", "O2")
def test_what_stays_on_disk_is_all_the_worthy_or_the_last_few(memory: Memory, name: str) -> None:
    promise = EXPECTATIONS[name]
    observed = run_conversation(memory)
    before = {each.content: len(each.content) for each in memory.chats.messages("monday")}
    memory.flush()
    left = [each.content for each in memory.chats.messages("monday")]

    assert ("Hi" in left) is promise.keeps_raw
    assert (len(left) == len(observed)) is promise.keeps_raw
    assert promise.log_chars in before.values() or not promise.keeps_raw


@pytest.mark.spec("C-12", "H11", "H12")
def test_the_last_few_messages_are_shown_as_they_are(memory: Memory, name: str) -> None:
    promise = EXPECTATIONS[name]
    memory.add(user_messages(*(f"Line {number} of today." for number in range(12))), chat_id="today")
    shown = context_receipt(memory, "zzz", recall__enabled=False).text

    assert shown.count("of today.") == promise.buffer
    assert ("Line 11" in shown) is bool(promise.buffer)


@pytest.mark.spec("C-2", "C8")
def test_importance_is_the_weight_in_percent_wherever_it_is_shown(memory: Memory, name: str) -> None:
    run_conversation(memory)
    memory.add("Tea at four", kind="preference")
    memory.flush()
    memories = memory.get_all()

    assert memories
    assert [each.importance for each in memories] == [round(100 * each.weight) for each in memories]
    assert all(0 <= each.weight <= 1 for each in memories)


#: The numbers of the table, row by row.
PRESET_VALUES: dict[str, tuple[object, ...]] = {
    "recall.enabled": (True, False, True, True, True, True),
    "triage.enabled": (True, True, True, False, False, False),
    "triage.min_chars": (10, 10, 3, 0, 0, 0),
    "extraction.mode": ("list", "per_message", "list", "off", "single_fact", "batch"),
    "collect.store_raw": ("full", "gated", "none", "full", "full", "full"),
    "context.recent_messages": (6, 4, 6, 0, 0, 10),
    "recall.recent_chats": (0, 50, 0, 0, 0, 0),
    "recall.limit": (8, 6, 5, 10, 5, 5),
    "recall.min_cosine": (-1.0, 0.0, 0.0, 0.0, 0.5, 0.0),
    "recall.small_store_size": (5, 0, 0, 0, 5, 0),
    "recall.fallback": ("none", "none", "none", "none", "recent", "none"),
    "recall.alpha": (0.6,) * 6,
    "recall.beta": (0.3,) * 6,
    "recall.gamma": (0.1,) * 6,
    "decay.emotion_per_week": (0.1, 0.0, 0.1, 0.0, 0.0, 0.0),
    "decay.archive_below": (0.3, 0.3, 0.3, 0.0, 0.0, 0.0),
    "summaries.every_answers": (5, 0, 0, 5, 0, 0),
    "summaries.max_tokens": (200,) * 6,
    "context.budget": (1000, 1000, 300, 1000, 1000, 1000),
    "truncation.max_tool_chars": (2000, 0, 0, 0, 0, 2000),
    "context.format": ("notes", "smart", "companion", "dev", "facts", "agent"),
    "context.locale": ("en", "pt", "pt", "en", "en", "en"),
}


@pytest.mark.spec("C-8", "Q5", "Q12", "Q13")
@pytest.mark.parametrize("knob", PRESET_VALUES)
def test_the_numbers_are_those_of_the_table(knob: str) -> None:
    assert tuple(load_preset(each).values()[knob] for each in PRESETS) == PRESET_VALUES[knob]
