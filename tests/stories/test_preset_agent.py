"""TuskBot: batches of twenty, three facts and two messages by one vector, and tool output that is cut."""

import json
import time
from collections.abc import Iterator, Sequence
from datetime import timedelta
from pathlib import Path

import pytest
from tests.contract.stores import OpenStore
from tests.stories.presets import context_receipt, context_text, exchange_messages, open_memory, user_messages
from tests.stories.results import texts

from recollect import Memory
from recollect.adapters.embedders.hashing import HashingEmbedder
from recollect.domain.memory import Kind
from recollect.domain.outcomes import New, Reinforced
from recollect.domain.scope import Scope
from recollect.integrations.designs import build_system_message
from recollect.integrations.repository import Repository
from recollect.ports.chat_model import ModelMessage
from recollect.ports.embedder import Vector
from recollect.testing.chat_models import ScriptedChatModel
from recollect.testing.clock import FrozenClock
from recollect.testing.embedders import LetterEmbedder
from recollect.testing.inspection import store_of

SYSTEM_PROMPT = "You are TuskBot."
STATEMENTS = (
    "Backups of the server run at night.",
    "The server is called tusk.",
    "The server stands in Porto.",
    "The server was bought in 2019.",
    "We drink tea at four.",
)
FACTS = (
    "Backups of the server run at night",
    "Server is called tusk",
    "Server stands in Porto",
    "Server was bought in 2019",
)


def extract_server_facts(turns: Sequence[ModelMessage]) -> str:
    """Of what it is shown the model takes four sentences about the server."""
    shown = turns[-1].content
    found = [
        {"m": number, "t": "dec", "c": fact, "w": 0.8}
        for number, (text, fact) in enumerate(zip(STATEMENTS, FACTS, strict=False), start=1)
        if text in shown
    ]
    return json.dumps(found)


@pytest.fixture
def model() -> ScriptedChatModel:
    return ScriptedChatModel(extract_server_facts)


class CountingEmbedder(HashingEmbedder):
    def __init__(self) -> None:
        super().__init__()
        self.asked: list[str] = []

    def embed_query(self, text: str) -> Vector:
        self.asked.append(text)
        return super().embed_query(text)


@pytest.fixture
def embedder() -> CountingEmbedder:
    return CountingEmbedder()


@pytest.fixture
def memory(open_store: OpenStore, model: ScriptedChatModel, embedder: CountingEmbedder) -> Iterator[Memory]:
    with open_memory(open_store(), "agent", model=model, embedder=embedder) as memory:
        yield memory


@pytest.mark.spec("M11", "K13", "C-25", "C-8", "A6", "L4", "Z5")
def test_the_prompt_has_the_three_headings_of_its_document(
    memory: Memory, embedder: CountingEmbedder
) -> None:
    """All six parts of its plan at once: tables, union query, truncation, one vector, the builder, the extractor."""
    memory.add({"role": "system", "content": SYSTEM_PROMPT}, chat_id="monday")
    memory.add(user_messages(*STATEMENTS), chat_id="monday")
    memory.add(
        {"role": "assistant", "content": "So the server tusk has its backups at night."}, chat_id="monday"
    )
    memory.add({"role": "tool", "content": "x" * 5000, "tool_call_id": "1"}, chat_id="monday")
    memory.add(exchange_messages("Are you there?", "I am."), chat_id="today")
    memory.flush()
    embedder.asked.clear()
    shown = build_system_message(
        app=memory, system=SYSTEM_PROMPT, rag_query="When do the backups of the server run?", chat_id="today"
    )

    assert shown == (
        "You are TuskBot.\n\n"
        "Relevant Facts (Global Context):\n"
        "• Backups of the server run at night\n"
        "• Server is called tusk\n"
        "• Server was bought in 2019\n\n"
        "Related Conversation History (Semantic Context):\n"
        "• Assistant: So the server tusk has its backups at night.\n"
        "• User: The server is called tusk.\n\n"
        "Current Conversation (Recent History):\n"
        "• User: Are you there?\n"
        "• Assistant: I am."
    )
    assert embedder.asked == ["When do the backups of the server run?"]


@pytest.mark.spec("D19", "T6", "W4", "E16", "C-5")
def test_unread_messages_are_extracted_twenty_at_a_time_and_marked(
    memory: Memory, model: ScriptedChatModel
) -> None:
    memory.add({"role": "system", "content": SYSTEM_PROMPT}, chat_id="monday")
    memory.add(user_messages(*(f"Line {number} of the log." for number in range(45))), chat_id="monday")
    before = len(store_of(memory.application).messages.list_unextracted(Scope("default"), limit=100))
    memory.flush()

    assert before == 45
    assert [call.messages[-1].content.count("of the log.") for call in model.calls] == [20, 20, 5]
    assert model.calls[0].messages[-1].content.startswith("Extract atomic facts from this conversation")
    assert not any(SYSTEM_PROMPT in turn.content for call in model.calls for turn in call.messages)
    assert all(each.extracted for each in memory.chats.messages("monday"))


@pytest.mark.spec("D19", "D21", "E18")
def test_the_facts_of_a_batch_cite_the_message_they_came_from(memory: Memory) -> None:
    memory.add(user_messages(*STATEMENTS), chat_id="monday", sync=True)
    said = {each.id: each.content for each in memory.chats.messages("monday")}
    cited = {each.text: said[each.spans[0].message_id] for each in memory.get_all()}

    assert cited == dict(zip(FACTS, STATEMENTS, strict=False))
    assert all(each.origin == "model" for each in memory.get_all())


@pytest.mark.spec("D20", "T6", "C-20")
def test_a_routine_in_the_background_extracts_what_another_process_left(open_store: OpenStore) -> None:
    with open_memory(open_store(), "agent", model=ScriptedChatModel(extract_server_facts)) as memory:
        memory.add(user_messages(*STATEMENTS), chat_id="monday")
    model = ScriptedChatModel(extract_server_facts)
    settings = {"preset": "agent", "worker": True}
    with Memory(
        store=open_store(), embedder=HashingEmbedder(), chat_model=model, settings=settings
    ) as memory:
        store_of(memory.application).jobs.run_now(now=memory.application.clock.now())
        memory.application.worker.start()
        for _ in range(600):
            if len(memory.get_all()) == len(FACTS):
                break
            time.sleep(0.05)
        learned = texts(memory.get_all())

    assert learned == sorted(FACTS)
    assert len(model.calls) == 1


@pytest.mark.spec("O1", "O2", "O3", "X7", "TR-15", "Q15")
@pytest.mark.parametrize("open_store", ["sqlite"], indirect=True)
def test_massive_tool_output_is_cut_and_says_so(memory: Memory) -> None:
    log = "é" * 1999 + "ü" + "line of a large file\n" * 50_000
    memory.add({"role": "tool", "content": log, "tool_call_id": "cat large_file.log"}, chat_id="today")
    memory.add(user_messages("What is in the log?"), chat_id="today")
    memory.flush()
    [tool, _] = memory.chats.messages("today")
    receipt = context_receipt(memory, "large file", chat="today")

    assert tool.content == (
        "é" * 1999 + "ü\n... [Output truncated. Original size: "
        f"{len(log.encode())} bytes. Hint: Use standard unix tools like grep/head to read specific parts]"
    )
    assert receipt.tokens <= receipt.budget == 1000
    assert Path(store_of(memory.application).location()).stat().st_size < len(log.encode())


@pytest.mark.spec("F4", "C-17")
def test_a_fact_that_is_known_by_its_hash_is_not_stored_twice(memory: Memory) -> None:
    memory.add(user_messages(*STATEMENTS), chat_id="monday", sync=True)
    again = memory.add("BACKUPS of the  server run at night")

    assert again.results == (Reinforced(memory=again.memories[0]),)
    assert len(memory.get_all()) == len(FACTS)


@pytest.mark.spec("H13", "C-12")
def test_recent_history_is_the_last_ten_messages(memory: Memory) -> None:
    memory.add(
        user_messages(*(f"Line {number} of the chat." for number in range(14))), chat_id="today", sync=True
    )
    _, _, recent = context_text(memory, "?", chat="today").partition(
        "Current Conversation (Recent History):\n"
    )

    assert recent.splitlines() == [f"• User: Line {number} of the chat." for number in range(4, 14)]


@pytest.mark.spec("E19", "K13", "E18")
def test_the_repository_of_its_document_works_on_the_same_memory(
    memory: Memory, embedder: CountingEmbedder
) -> None:
    repository = Repository(memory)
    memory.add({"role": "system", "content": SYSTEM_PROMPT}, chat_id="monday")
    memory.add(user_messages(*STATEMENTS), chat_id="monday")
    unread = repository.get_unextracted_messages(limit=20)
    memories = [repository.save_fact(fact, category="decision", source="monday") for fact in FACTS]
    repository.mark_messages_extracted([message.id for message in unread])
    memory.flush()
    items = repository.search_context(embedder.embed_query("Backups of the server at night"), 3, 2)

    assert [message.content for message in unread] == list(STATEMENTS)
    assert repository.get_unextracted_messages() == []
    added = [fact.memory for fact in memories if isinstance(fact, New)]
    assert [(each.kind, each.tags) for each in added] == [(Kind.DECISION, ("monday",))] * 4
    assert [item.type for item in items] == ["knowledge"] * 3 + ["history"] * 2
    assert (items[0].content, items[0].role) == (FACTS[0], None)
    assert items[3].role == "user"


@pytest.mark.spec("D20", "T6", "C-20")
def test_a_batch_waits_for_company_and_a_full_one_does_not(open_store: OpenStore) -> None:
    clock, model = FrozenClock(), ScriptedChatModel("[]")
    with Memory(
        store=open_store(),
        chat_model=model,
        embedder=LetterEmbedder(),
        clock=clock,
        settings={"worker": False, "preset": "agent"},
    ) as memory:
        worker = memory.application.worker

        def said(first: int, last: int) -> None:
            for number in range(first, last):
                memory.add({"role": "user", "content": f"Note {number}: the gate is green."}, chat_id="c")
            worker.drain(seconds=10)

        said(0, 19)
        early = len(model.calls)
        said(19, 20)
        full = len(model.calls)
        said(20, 23)
        waiting = len(model.calls)
        clock.advance(timedelta(seconds=31))
        worker.drain(seconds=10)

        assert (early, full, waiting, len(model.calls)) == (0, 1, 1, 2)


@pytest.mark.spec("K13", "C-8")
def test_three_facts_and_two_messages_come_however_many_messages_compete(
    memory: Memory, embedder: CountingEmbedder
) -> None:
    memory.add(user_messages(*STATEMENTS), chat_id="monday")
    memory.flush()
    for number in range(40):
        memory.add(user_messages(f"Backups of the server run at night, log {number}."), chat_id="logs")
    memory.flush()
    shown = context_receipt(memory, "When do the backups of the server run?")

    injected = [item.source for item in shown.items if item.disposition == "injected"]
    assert sorted(injected) == ["memory"] * 3 + ["message"] * 2


def test_an_assistant_turn_of_tool_calls_alone_is_no_result(memory: Memory) -> None:
    call = {"id": "1", "type": "function", "function": {"name": "list_backups", "arguments": "{}"}}
    memory.add({"role": "assistant", "content": "", "tool_calls": [call]}, chat_id="monday")
    memory.add(user_messages("The backups are on tusk."), chat_id="monday")
    memory.flush()

    assert texts(memory.search("backups", chat_id="monday")) == ["The backups are on tusk."]
