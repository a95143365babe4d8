"""What any search must know of a message's place: who spoke before and after, and what was said at a time."""

from dataclasses import replace
from datetime import timedelta

from recollect.domain.candidate import Candidate, Place, Reach, Source
from recollect.domain.memory import Span
from recollect.domain.message import Message, Role
from recollect.domain.scope import Scope
from recollect.ports.store import Store
from recollect.testing.builders import ANA, a_memory, a_message, chunks_of
from recollect.testing.clock import MONDAY

EVERYWHERE = Scope(ANA)
FIRST, SECOND, THIRD = (a_message(text) for text in ("salmon one", "salmon two", "salmon three"))
ELSEWHERE = a_message("salmon in the garden", chat="garden")


def said(store: Store, *messages: Message) -> None:
    for message in messages:
        store.messages.add(message, ())


def found(store: Store, query: str, scope: Scope = EVERYWHERE) -> dict[int, Candidate]:
    """The passages that hold a word, by their numbers, each with its place."""
    hits = store.search.lexical(scope, query, limit=20, reach=Reach())
    return store.search.load(scope, [hit.passage for hit in hits], reach=Reach(), beside=True)


def beside(store: Store, candidate: Candidate) -> tuple[str | None, str | None]:
    """What was said before and after."""
    assert candidate.place
    numbers = candidate.place.before, candidate.place.after
    loaded = store.search.load(EVERYWHERE, [each for each in numbers if each], reach=Reach())
    before, after = (loaded[each].text if each else None for each in numbers)
    return before, after


def test_a_message_has_the_ones_before_and_after_it_in_its_chat(store: Store) -> None:
    said(store, FIRST, ELSEWHERE, SECOND, THIRD)

    assert {each.text: beside(store, each) for each in found(store, "salmon").values()} == {
        FIRST.content: (None, SECOND.content),
        SECOND.content: (FIRST.content, THIRD.content),
        THIRD.content: (SECOND.content, None),
        ELSEWHERE.content: (None, None),
    }


def test_who_does_not_ask_is_told_the_place_of_a_message_alone(store: Store) -> None:
    said(store, FIRST, SECOND)
    [number] = found(store, "two")

    assert store.search.load(EVERYWHERE, [number], reach=Reach())[number].place == Place(number)


def test_system_and_tool_messages_are_passed_over(store: Store) -> None:
    said(store, FIRST, a_message("be brief", role=Role.SYSTEM), a_message("42", role=Role.TOOL), SECOND)
    [second] = found(store, "two").values()

    assert beside(store, second) == (FIRST.content, None)


def test_what_a_memory_was_made_of_has_its_neighbours_too(store: Store) -> None:
    said(store, FIRST, SECOND)
    store.memories.add(a_memory("likes salmon", spans=(Span(message_id=SECOND.id, start=0, end=6),)))
    [second] = found(store, "two").values()

    assert beside(store, second) == (FIRST.content, None)


def test_a_chunk_has_the_place_of_its_message(store: Store) -> None:
    said(store, FIRST)
    long = a_message("trout here and perch there")
    store.messages.add(long, chunks_of("trout here", "and perch there"))
    said(store, SECOND)
    passages = found(store, "trout perch")
    [whole] = [number for number, each in passages.items() if each.source is Source.MESSAGE]

    assert {each.place.at for each in passages.values() if each.place} == {whole}
    assert {beside(store, each) for each in passages.values()} == {(FIRST.content, SECOND.content)}


def test_memories_have_no_place(store: Store) -> None:
    store.memories.add(a_memory("likes salmon"))

    assert [each.place for each in found(store, "salmon").values()] == [None]


def test_what_was_said_in_a_stretch_of_time_is_listed_the_newest_first_and_its_end_is_not(
    store: Store,
) -> None:
    hour = timedelta(hours=1)
    early, later, late = (
        replace(message, created_at=MONDAY + place * hour)
        for place, message in enumerate((FIRST, SECOND, THIRD))
    )
    rule = replace(a_message("salmon rule", role=Role.SYSTEM), created_at=MONDAY)
    said(store, late, early, later, rule, replace(ELSEWHERE, created_at=MONDAY))
    numbers = {each.text: number for number, each in found(store, "salmon").items()}

    def then(scope: Scope, limit: int = 9) -> list[int]:
        return store.search.said(scope, MONDAY, MONDAY + 2 * hour, limit=limit)

    assert then(Scope(ANA, FIRST.chat)) == [numbers[SECOND.content], numbers[FIRST.content]]
    assert then(EVERYWHERE, limit=1) == [numbers[SECOND.content]]
    assert set(then(EVERYWHERE)) == {
        numbers[text] for text in (FIRST.content, SECOND.content, ELSEWHERE.content)
    }
    assert then(Scope("bruno")) == []
