import pytest
from tests.context.examples import (
    assemble_block,
    context_file,
    injected_ids,
    message,
    reasons_left_out,
    recalled_chunk,
    recalled_message,
    scored_candidate,
)

from recollect.context.tiers import order_code_first, split_conversation
from recollect.domain.candidate import Source
from recollect.domain.context import Tiers
from recollect.domain.message import ChunkKind, Role
from recollect.domain.policy import ContextPolicy, load_preset
from recollect.domain.reason import Reason, ReasonCode

CONVERSATION = [
    message("You are a cook.", role=Role.SYSTEM),
    *(message(f"message {n}", importance=n * 10, summary=f"summary {n}", minute=n) for n in range(10)),
]


@pytest.mark.spec("M1", "H11", "H12", "H13", "C-12")
@pytest.mark.parametrize(("name", "last"), [("smart", 4), ("companion", 6), ("default", 6), ("agent", 10)])
def test_the_buffer_is_the_last_few_messages_in_order(name: str, last: int) -> None:
    buffer, _ = split_conversation(CONVERSATION, load_preset(name).context)

    assert [m.content for m in buffer] == [f"message {n}" for n in range(10 - last, 10)]


@pytest.mark.spec("H12")
def test_the_buffer_slides() -> None:
    before, _ = split_conversation(CONVERSATION[:-1], ContextPolicy(recent_messages=3))
    after, _ = split_conversation(CONVERSATION, ContextPolicy(recent_messages=3))

    assert after == (*before[1:], CONVERSATION[-1])


@pytest.mark.spec("M2")
def test_earlier_messages_count_when_they_are_important_and_summarised() -> None:
    silent = [message("important, but never summarised", importance=90), message("not judged", summary="?")]

    _, local = split_conversation([*silent, *CONVERSATION], load_preset("smart").context)

    assert [m.content for m in local] == ["message 2", "message 3", "message 4", "message 5"]


@pytest.mark.spec("M1")
def test_a_buffer_of_nothing_leaves_the_conversation_to_the_host() -> None:
    buffer, _ = split_conversation(CONVERSATION, load_preset("dev").context)

    assert buffer == ()


@pytest.mark.spec("J5", "TR-8")
def test_code_chunks_go_first_and_nothing_else_moves() -> None:
    kinds = [ChunkKind.PROSE, ChunkKind.CODE, None, ChunkKind.CODE, ChunkKind.PROSE]
    recalled = [scored_candidate(str(n), chunk_kind=kind) for n, kind in enumerate(kinds)]

    assert order_code_first(recalled) == [1, 3, 0, 2, 4]


def test_what_the_buffer_shows_is_not_shown_again() -> None:
    tiers = Tiers(
        recent_messages=(message("I am vegetarian.", id="m1"),),
        candidates=(
            recalled_message("I am vegetarian.", id="m1"),
            recalled_chunk("vegetarian", id="c1", parent="m1"),
            scored_candidate("I am  VEGETARIAN", id="f1"),
            scored_candidate("Pedro likes soup", id="f2"),
        ),
    )

    made = assemble_block(tiers, ContextPolicy())

    assert injected_ids(made) == ["f2"]
    assert reasons_left_out(made) == dict.fromkeys(["m1", "c1", "f1"], Reason(ReasonCode.IN_CONVERSATION))


def test_a_chunk_of_a_message_too_large_to_show_is_still_shown() -> None:
    tiers = Tiers(
        recent_messages=(message("word " * 5000, id="m1"),),
        candidates=(recalled_chunk("the part that matters", id="c1", parent="m1"),),
    )

    made = assemble_block(tiers, ContextPolicy())

    assert injected_ids(made) == ["c1"]
    assert made.notes == (Reason(ReasonCode.RECENT_MESSAGES_OVER_BUDGET, {"count": 1}),)


@pytest.mark.spec("F5")
def test_a_chunk_beats_its_whole_message() -> None:
    tiers = Tiers(
        candidates=(
            recalled_message("all of it: one, two, three", id="m1"),
            recalled_chunk("two", id="c2", parent="m1"),
            recalled_message("something else", id="m2"),
        )
    )

    made = assemble_block(tiers, ContextPolicy())

    assert injected_ids(made) == ["c2", "m2"]
    assert reasons_left_out(made) == {"m1": Reason(ReasonCode.COVERED_BY_CHUNK)}


@pytest.mark.spec("F5")
def test_the_same_words_are_said_once_by_the_better_one() -> None:
    tiers = Tiers(
        candidates=(
            scored_candidate("Pedro hates coriander.", id="f1"),
            recalled_message("pedro hates\ncoriander", id="m1"),
            scored_candidate("Pedro hates coriander.", id="f1"),
        )
    )

    made = assemble_block(tiers, ContextPolicy(notice=False))

    assert made.text == "## Relevant memory\n- Pedro hates coriander (2024-01-01)"
    assert [item.reason for item in made.items] == [
        None,
        Reason(ReasonCode.SAME_TEXT, {"source": "memory", "id": "f1"}),
        Reason(ReasonCode.SAME_TEXT, {"source": "memory", "id": "f1"}),
    ]


def test_two_messages_with_one_summary_are_one_line_in_smart() -> None:
    recalled = tuple(
        scored_candidate(
            f"text {n}", source=Source.MESSAGE, role=Role.USER, importance=90, summary="Uses Rust."
        )
        for n in range(2)
    )

    assert injected_ids(assemble_block(Tiers(candidates=recalled), ContextPolicy(format="smart"))) == [
        "text 0"
    ]


@pytest.mark.spec("M14")
def test_what_was_injected_a_moment_ago_is_not_repeated() -> None:
    tiers = Tiers(
        candidates=(
            scored_candidate("vegetarian", id="f1"),
            scored_candidate("vegetarian", id="f2"),
            recalled_message("soup", id="f1"),
        )
    )

    made = assemble_block(tiers, ContextPolicy(), shown_keys=frozenset({(Source.MEMORY, "f1")}))

    assert [item.reason for item in made.items] == [
        Reason(ReasonCode.INJECTED_RECENTLY),
        Reason(ReasonCode.SAME_TEXT, {"source": "memory", "id": "f1"}),
        None,
    ]


@pytest.mark.spec("M13")
def test_parts_of_what_is_shown_whole_are_left_out() -> None:
    tiers = Tiers(
        profile="Lives in Recife",
        context_files=(context_file("recipes.md", "leek soup"),),
        candidates=(
            scored_candidate("Recife", id="p", source=Source.PROFILE),
            scored_candidate("leek", id="leek", source=Source.CONTEXT, parent="recipes.md"),
            scored_candidate("rice", id="rice", source=Source.CONTEXT, parent="grains.md"),
        ),
    )

    made = assemble_block(tiers, ContextPolicy())

    assert injected_ids(made) == ["rice"]
    assert reasons_left_out(made) == {
        "p": Reason(ReasonCode.PROFILE_INCLUDED),
        "leek": Reason(ReasonCode.FILE_INCLUDED),
    }


def test_an_earlier_message_that_was_recalled_is_not_summarised_as_well() -> None:
    earlier = (
        message("long talk on soup", id="m1", importance=50, summary="Soup."),
        message("long talk on rice", id="m2", importance=50, summary="Rice."),
    )
    tiers = Tiers(earlier_messages=earlier, candidates=(recalled_message("long talk on soup", id="m1"),))

    assert assemble_block(tiers, ContextPolicy()).tiers.earlier_messages == earlier[1:]


def test_a_text_of_hidden_characters_is_left_out() -> None:
    made = assemble_block(Tiers(candidates=(scored_candidate("\u200b\u2060", id="f1"),)), ContextPolicy())

    assert (made.text, reasons_left_out(made)) == ("", {"f1": Reason(ReasonCode.NO_VISIBLE_TEXT)})
