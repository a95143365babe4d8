"""Context-aware memory for developers: messages, chunks, summaries and a profile, found by meaning and by words."""

from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import apsw
import pytest
from tests.contract.stores import OpenStore
from tests.stories.presets import (
    context_receipt,
    context_text,
    exchange_messages,
    open_memory,
    scripted_model,
    user_messages,
)

from recollect import Memory
from recollect.adapters.onnx.embedder import OnnxEmbedder
from recollect.domain.reason import Reason, ReasonCode
from recollect.testing.clock import FrozenClock
from recollect.text.tokens import estimate_tokens

CODE_MESSAGE = "function calculateTotal() { ... }"
PROSE_MESSAGE = "The total is calculated by summing values"
CHAT_ID = "conv-1"
SUMMARY_TEXT = "- Decision: totals are summed on the server\n- Constraint: no dependencies"
PROFILE_FIELDS = {
    "codingStyle": "functional",
    "preferredLanguages": ["TypeScript"],
    "constraints": "no dependencies",
}


@pytest.fixture
def memory(open_store: OpenStore) -> Iterator[Memory]:
    """The design with its two flags on."""
    with open_memory(
        open_store(),
        "dev",
        model=scripted_model({}, SUMMARY_TEXT),
        recall__hybrid=True,
        chunking__enabled=True,
    ) as memory:
        yield memory


@pytest.mark.spec("Q1", "Q2", "J6", "K15")
def test_hybrid_search_and_chunks_are_off_until_their_flags_are_set(open_store: OpenStore) -> None:
    long_message = "\n\n".join(f"Paragraph {n} about the totals of the shop. " * 4 for n in range(20))
    with open_memory(open_store(), "dev") as memory:
        memory.add(user_messages(long_message), chat_id=CHAT_ID, sync=True)
        receipt = context_receipt(memory, "totals of the shop", chat=CHAT_ID)

        assert memory.maintenance.stats().chunks == 0
        assert receipt.hybrid is False
        assert receipt.sources["lexical"] == 0


@pytest.mark.spec("J6", "J4")
def test_chunks_made_before_chunking_was_turned_off_are_not_recalled(memory: Memory) -> None:
    long_message = "\n\n".join(f"Paragraph {n} about the totals of the shop. " * 4 for n in range(20))
    memory.add(user_messages(long_message), chat_id=CHAT_ID, sync=True)
    with_chunks = context_receipt(memory, "totals of the shop", chat=CHAT_ID)
    without = context_receipt(memory, "totals of the shop", chat=CHAT_ID, chunking__enabled=False)

    assert "message_chunk" in {item.source for item in with_chunks.items}
    assert {item.source for item in without.items} == {"message"}


@pytest.mark.spec("V5")
@pytest.mark.parametrize("open_store", ["sqlite"], indirect=True)
def test_without_its_full_text_table_messages_are_stored_and_found_by_their_vectors(
    memory: Memory, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    memory.add(user_messages(PROSE_MESSAGE), chat_id=CHAT_ID, sync=True)
    vandal = apsw.Connection(str(tmp_path / "memory.db"))
    vandal.execute("DROP TABLE passages_fts")
    vandal.close()
    memory.add(user_messages(CODE_MESSAGE), chat_id=CHAT_ID, sync=True)
    receipt = context_receipt(memory, "calculateTotal", chat=CHAT_ID)

    assert "full-text index is missing" in caplog.text
    assert CODE_MESSAGE in receipt.text


@pytest.mark.spec("M7", "C-25", "Y15", "K3")
def test_the_block_is_joined_as_its_document_joins_it_with_the_function_first(memory: Memory) -> None:
    memory.add(user_messages(PROSE_MESSAGE, CODE_MESSAGE), chat_id=CHAT_ID, sync=True)

    assert context_text(memory, "calculateTotal", chat=CHAT_ID) == f"{CODE_MESSAGE}\n\n---\n\n{PROSE_MESSAGE}"
    assert memory.get_all() == []


@pytest.mark.spec("M8", "X1")
def test_nothing_known_is_an_empty_string(memory: Memory) -> None:
    assert context_text(memory, "calculateTotal", chat=CHAT_ID) == ""


@pytest.mark.spec("Y15", "I4", "M6", "Y2")
def test_respects_consent_for_profile(memory: Memory) -> None:
    memory.add(user_messages(CODE_MESSAGE), chat_id=CHAT_ID, sync=True)
    before = context_receipt(memory, "calculateTotal", chat=CHAT_ID)
    memory.privacy.consent("profile", granted=True)
    memory.profile.set(PROFILE_FIELDS)
    receipt = context_receipt(memory, "calculateTotal", chat=CHAT_ID)
    memory.privacy.consent("profile", granted=False)
    after = context_receipt(memory, "calculateTotal", chat=CHAT_ID)

    assert receipt.text == (
        "## About the user\n"
        "- Coding style: functional\n"
        "- Preferred languages: TypeScript\n"
        "- Constraints: no dependencies"
        f"\n\n---\n\n{CODE_MESSAGE}"
    )
    assert before.text == after.text == CODE_MESSAGE
    assert Reason(ReasonCode.NO_CONSENT, {"category": "profile"}) in after.skipped_sources
    assert ("profile" in before.sources, receipt.sources["profile"]) == (False, 1)


@pytest.mark.spec("Y4", "K2", "K14", "K16", "Q1")
def test_where_results_came_from_is_counted(memory: Memory) -> None:
    memory.privacy.consent("profile", granted=True)
    memory.profile.set(PROFILE_FIELDS)
    memory.add(user_messages(CODE_MESSAGE), chat_id="another", sync=True)
    for number in range(5):
        memory.add(
            exchange_messages(f"Is total {number} summed?", f"Total {number} is."), chat_id=CHAT_ID, sync=True
        )
    receipt = context_receipt(
        memory, "calculateTotal on the server", chat=CHAT_ID, recall__other_chats="always"
    )
    fallback = context_receipt(memory, "calculateTotal", chat="a new one")
    dense = context_receipt(memory, "calculateTotal", chat=CHAT_ID, recall__hybrid=False)

    # Eleven messages anywhere, one summary here; both have the words as well.
    assert receipt.sources == {
        "global_dense": 11,
        "conversation_dense": 1,
        "lexical": 12,
        "summaries": 1,
        "profile": 1,
    }
    assert {"dense", "lexical"} <= set(receipt.items[0].parts)
    assert fallback.sources["conversation_dense"] == 0
    assert fallback.sources["global_dense"] > 0
    assert (dense.sources["lexical"], dense.hybrid) == (0, False)


@pytest.mark.spec("E8", "J3", "H8", "E3")
def test_every_kind_of_content_can_be_recalled_and_says_what_it_is(memory: Memory) -> None:
    long_message = "\n\n".join(
        [
            *(f"Paragraph {n} about the totals of the shop and their sums. " * 4 for n in range(20)),
            f"```js\n{CODE_MESSAGE}\n```",
        ]
    )
    memory.privacy.consent("profile", granted=True)
    memory.profile.set(PROFILE_FIELDS)
    memory.add(user_messages(long_message), chat_id=CHAT_ID, sync=True)
    for number in range(5):
        memory.add(
            exchange_messages(f"Totals of day {number}?", f"Summed, day {number}."),
            chat_id=CHAT_ID,
            sync=True,
        )
    receipt = context_receipt(memory, "calculateTotal: decision on totals summed", chat=CHAT_ID)
    stats = memory.maintenance.stats()

    assert {item.source for item in receipt.items} == {"message", "message_chunk", "summary"}
    assert receipt.sources["profile"] == 1
    # A vector for each message, each chunk, and each summary.
    assert stats.vectors == stats.messages + stats.chunks + stats.summaries


@pytest.mark.spec("E3", "H8")
def test_a_summary_is_found_by_what_it_means_and_not_by_its_words_alone(open_store: OpenStore) -> None:
    model = scripted_model({}, "- Decision: PostgreSQL keeps the orders")
    with open_memory(open_store(), "dev", model=model, embedder=OnnxEmbedder()) as memory:
        for number in range(5):
            memory.add(
                exchange_messages(f"Step {number}?", f"Done with {number}."), chat_id=CHAT_ID, sync=True
            )
        found = memory.search(
            "which database did we choose?", chat_id=CHAT_ID, settings={"recall.hybrid": False}
        ).results

    assert (found[0].source, found[0].parts["lexical"]) == ("summary", 0)


@pytest.mark.spec("H5", "H6", "H7", "H10", "Y3")
def test_a_summary_comes_with_the_fifth_answer_in_its_own_conversation_only(open_store: OpenStore) -> None:
    model = scripted_model({}, SUMMARY_TEXT)
    with open_memory(open_store(), "dev", model=model) as memory:
        memory.add({"role": "system", "content": "You are a pirate."}, chat_id=CHAT_ID)
        for number in range(4):
            memory.add(exchange_messages(f"Is total {number} summed?", "It is."), chat_id=CHAT_ID, sync=True)
        early = len(model.calls)
        memory.add(exchange_messages("Is the last total summed?", "It is."), chat_id=CHAT_ID, sync=True)
        here, elsewhere = (
            context_text(memory, "totals summed on the server", chat=CHAT_ID),
            context_text(memory, "totals summed"),
        )

    assert early == 0
    assert SUMMARY_TEXT in here
    assert SUMMARY_TEXT not in elsewhere
    [asked] = [call.messages[-1].content for call in model.calls]
    assert asked.startswith(
        "Summarize the last 10 messages in this conversation. Focus on:\n"
        "- Key technical decisions made\n"
        "- User preferences or constraints mentioned\n"
        "- Important context for future messages\n"
        "- Avoid repeating code verbatim\n\n"
        "Format as concise bullet points (max 200 tokens)."
    )
    assert "pirate" not in asked


@pytest.mark.spec("Y15", "J4", "J7", "X9", "Q2")
def test_chunking_prevents_context_truncation(memory: Memory) -> None:
    talk = "\n\n".join(
        f"Paragraph {n}: the weather, the garden, the boat and the neighbours. " * 3 for n in range(45)
    )
    target = "```js\nfunction targetFunction(order) {\n  return order.lines.length;\n}\n```"
    memory.add(user_messages(f"{talk}\n\n{target}\n\n{talk}"), chat_id=CHAT_ID, sync=True)
    [message] = memory.chats.messages(CHAT_ID)
    shown = context_text(memory, "find function targetFunction", chat=CHAT_ID)

    assert message.tokens > 2000
    assert target in shown
    assert estimate_tokens(shown) <= 1000


@pytest.mark.spec("N3", "N5", "N1", "Q3")
def test_the_budget_goes_to_the_most_relevant_and_among_equals_to_the_most_recent(
    open_store: OpenStore,
) -> None:
    clock = FrozenClock()
    with open_memory(open_store(), "dev", clock=clock, recall__ranker="blend") as memory:
        for number in range(12):
            clock.advance(timedelta(days=30))
            memory.add(user_messages(f"The cache of service {number:02} was slow."), chat_id=CHAT_ID)
        memory.add(
            user_messages("The cache of the billing service was slow because of a lock."), chat_id=CHAT_ID
        )
        memory.flush()
        receipt = context_receipt(memory, "Why was the billing cache slow?", chat=CHAT_ID, context__budget=60)
    first, *others = receipt.text.split("\n\n---\n\n")

    assert first == "The cache of the billing service was slow because of a lock."
    assert others == [f"The cache of service {number:02} was slow." for number in (11, 10, 9, 8)]
    assert estimate_tokens(receipt.text) <= 60
    assert ReasonCode.OVER_BUDGET in {item.reason.code for item in receipt.items if item.reason}


@pytest.mark.spec("K1", "K6", "C-10")
def test_this_conversation_comes_first_and_others_only_if_it_gave_too_little(memory: Memory) -> None:
    memory.add(
        user_messages(*(f"The build number {n} failed." for n in range(4))), chat_id=CHAT_ID, sync=True
    )
    memory.add(user_messages("The build number 9 failed elsewhere."), chat_id="another", sync=True)

    assert "elsewhere" not in context_text(memory, "Which build number failed?", chat=CHAT_ID)
    assert "elsewhere" in context_text(memory, "Which build number failed?", chat="a new one")


@pytest.mark.spec("V3")
def test_a_deleted_conversation_takes_everything_with_it(memory: Memory) -> None:
    for number in range(5):
        memory.add(
            exchange_messages(f"Is total {number} summed?", f"Total {number} is."), chat_id=CHAT_ID, sync=True
        )
    memory.chats.delete(CHAT_ID)
    stats = memory.maintenance.stats()

    assert (stats.messages, stats.chunks, stats.summaries, stats.vectors) == (0, 0, 0, 0)
    assert context_text(memory, "totals summed", chat=CHAT_ID) == ""
