"""With a language model that fails in every way: nothing lost, nothing twice, and never more than it may cost."""

from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta

import pytest
from tests.contract.stores import OpenStore
from tests.stories.results import texts

from recollect import Memory
from recollect.adapters.llms.openai_compatible import OpenAIChatModel
from recollect.domain.reason import Reason, ReasonCode
from recollect.domain.scope import Scope
from recollect.errors import ProviderBusy
from recollect.ports.chat_model import ModelMessage
from recollect.testing import faults
from recollect.testing.chat_models import ScriptedChatModel
from recollect.testing.clock import FrozenClock
from recollect.testing.embedders import LetterEmbedder
from recollect.testing.inspection import store_of
from recollect.testing.model_server import ModelServer

USER_SCOPE = Scope("ana")
TOWNS = ("Lisbon", "Porto", "Faro", "Braga", "Coimbra", "Aveiro", "Sintra", "Tavira")
FAULT_KINDS = (
    faults.RATE_LIMITED,
    faults.SERVER_ERROR,
    faults.UNAVAILABLE,
    faults.CONNECTION_RESET,
    faults.MALFORMED_JSON,
    faults.HTML_PAGE,
    faults.EMPTY_BODY,
    faults.EMPTY_CHOICES,
    faults.NULL_CONTENT,
    faults.REFUSAL,
    faults.TRUNCATED,
    faults.PROSE_AROUND,
    faults.FENCED,
    faults.WRONG_CONTENT_TYPE,
    faults.TIMEOUT,
)


def extract_town(turns: Sequence[ModelMessage]) -> str:
    """What a good extractor says about the message at the end of a prompt."""
    prompt = "\n".join(turn.content for turn in turns)
    named = max(TOWNS, key=lambda name: prompt.rfind(f"I have a cousin in {name}"))
    return f'[{{"t":"bio","c":"has a cousin in {named}","w":0.9}}]'


@pytest.fixture
def server() -> Iterator[ModelServer]:
    with ModelServer() as opened:
        opened.answer(extract_town)
        yield opened


@pytest.mark.spec("D22", "TR-13", "C-19")
@pytest.mark.parametrize("seed", range(3))
def test_after_any_faults_every_message_was_learned_from_exactly_once(
    open_store: OpenStore, server: ModelServer, seed: int
) -> None:
    clock = FrozenClock()
    model = OpenAIChatModel(server.base_url, "echo", timeout=0.5)
    memory = Memory(
        store=open_store(),
        user_id="ana",
        chat_model=model,
        embedder=LetterEmbedder(),
        clock=clock,
        settings={"worker": False, "summaries.every_answers": 0, "summaries.working_every_exchanges": 0},
    )
    server.fail_next(*(FAULT_KINDS[(seed * 5 + place) % len(FAULT_KINDS)] for place in range(12)))
    for name in TOWNS:
        clock.advance(timedelta(minutes=1))
        memory.add({"role": "user", "content": f"I have a cousin in {name}."}, chat_id="c")
    for _ in range(12):
        memory.flush()
        clock.advance(timedelta(minutes=10))
        store_of(memory.application).jobs.retry(USER_SCOPE, now=clock.now())
    known = memory.get_all()
    left = store_of(memory.application).messages.list_unextracted(USER_SCOPE, limit=100)
    calls = server.counts["/v1/chat/completions"]
    memory.close()
    model.close()

    assert sorted(each.text for each in known) == sorted(f"has a cousin in {t}" for t in TOWNS)
    assert [each.times_stated for each in known] == [1] * len(TOWNS)
    assert list(left) == []
    # One good answer for each message, and at most one more for each fault: unreadable ones are asked about twice.
    assert len(TOWNS) <= calls <= len(TOWNS) + 2 * 12


@pytest.mark.spec("B4", "Y17")
def test_a_message_the_funnel_rejects_costs_no_call(open_store: OpenStore) -> None:
    model = ScriptedChatModel("[]")
    with Memory(
        store=open_store(), chat_model=model, embedder=LetterEmbedder(), settings={"worker": False}
    ) as memory:
        for text in ("ok", "Good morning!", "What is photosynthesis?", "Translate hello", "bom dia!", "kkkk"):
            memory.add({"role": "user", "content": text}, chat_id="c", sync=True)

        assert model.calls == []
        assert store_of(memory.application).token_usage.usage(Scope("default"), now=_clock_time(memory)) == (
            0,
            0,
        )
        assert sum(store_of(memory.application).triage_counts.all("default").values()) == 6


@pytest.mark.spec("B1", "D1", "T1", "T5")
def test_adding_never_waits_for_the_model(open_store: OpenStore) -> None:
    model = ScriptedChatModel("[]")
    model.fail_next(ProviderBusy("not now"))
    with Memory(
        store=open_store(), chat_model=model, embedder=LetterEmbedder(), settings={"worker": False}
    ) as memory:
        memory.add({"role": "user", "content": "I live in Lisbon."}, chat_id="c")

        assert model.calls == []
        assert memory.maintenance.stats().messages == 1


@pytest.mark.spec("C9", "D5")
def test_turning_the_model_off_in_the_middle_loses_nothing(open_store: OpenStore) -> None:
    model, clock = ScriptedChatModel("[]"), FrozenClock()
    model.fail_next(*[ProviderBusy("not now")] * 20)
    off = {"worker": False}
    with Memory(
        store=open_store(), chat_model=model, embedder=LetterEmbedder(), clock=clock, settings=off
    ) as memory:
        memory.add({"role": "user", "content": "I live in Lisbon."}, chat_id="c", sync=True)
        before = texts(memory.get_all())
    clock.advance(timedelta(hours=1))
    with Memory(store=open_store(), embedder=LetterEmbedder(), clock=clock, settings=off) as memory:
        memory.flush()

        assert before == []
        assert texts(memory.get_all()) == ["lives in Lisbon"]


@pytest.mark.parametrize(("cap", "scope"), [("max_tokens_per_day", "day"), ("max_tokens_per_chat", "chat")])
def test_a_cap_is_never_passed_and_the_rules_go_on(open_store: OpenStore, cap: str, scope: str) -> None:
    clock, model = FrozenClock(), ScriptedChatModel("[]")
    most = 3600
    with Memory(
        store=open_store(),
        chat_model=model,
        embedder=LetterEmbedder(),
        clock=clock,
        settings={"worker": False, f"spending.{cap}": most},
    ) as memory:
        for number in range(20):
            text = f"I live in Lisbon, and this is what I say in message number {number}."
            memory.add({"role": "user", "content": text}, chat_id="c", sync=True)
        spent = store_of(memory.application).token_usage.usage(
            Scope("default", "c" if scope == "chat" else None), now=_clock_time(memory)
        )
        call_count = len(model.calls)
        counted = store_of(memory.application).triage_counts.all("default")
        clock.advance(timedelta(days=1))
        memory.add({"role": "user", "content": "I love jazz."}, chat_id="c", sync=True)
        elsewhere = len(model.calls)

        assert 0 < call_count < 20
        assert (spent[0], spent[1] <= most) == (call_count, True)
        assert counted[Reason(ReasonCode.EXTRACTION_CAPPED)] == 20 - call_count
        assert texts(memory.get_all())[0] == "lives in Lisbon"
        assert elsewhere == call_count + (scope == "day")


def _clock_time(memory: Memory) -> datetime:
    return memory.application.clock.now()
