"""What any search must know of a message's place: who spoke before and after, and what was said at a time."""

from dataclasses import replace
from datetime import timedelta

from recollect.model.candidate import Neighbour, Reach
from recollect.model.message import Message, Role
from recollect.model.scope import Scope
from recollect.ports.store import Store
from recollect.testing.builders import ANA, a_memory, a_message, chunks_of
from recollect.testing.clock import MONDAY

EVERYWHERE = Scope(ANA)
FIRST, SECOND, THIRD = (a_message(text) for text in ("salmon one", "salmon two", "salmon three"))
ELSEWHERE = a_message("salmon in the garden", chat="garden")


def said(store: Store, *messages: Message) -> None:
    for message in messages:
        store.messages.add(message, ())


def found(store: Store, query: str, scope: Scope = EVERYWHERE) -> dict[str, int]:
    """The numbers of the passages that hold a word, by their text."""
    hits = store.search.lexical(scope, query, limit=20, reach=Reach())
    loaded = store.search.load(scope, [hit.passage for hit in hits], reach=Reach())
    return {candidate.text: passage for passage, candidate in loaded.items()}


def names(pair: tuple[Neighbour | None, Neighbour | None]) -> tuple[str | None, str | None]:
    before, after = pair
    return before.message if before else None, after.message if after else None


def test_a_message_has_the_ones_before_and_after_it_in_its_chat(store: Store) -> None:
    said(store, FIRST, ELSEWHERE, SECOND, THIRD)
    numbers = found(store, "salmon")
    beside = store.search.neighbours(EVERYWHERE, list(numbers.values()))

    assert {text: names(beside[number]) for text, number in numbers.items()} == {
        FIRST.content: (None, SECOND.id),
        SECOND.content: (FIRST.id, THIRD.id),
        THIRD.content: (SECOND.id, None),
        ELSEWHERE.content: (None, None),
    }


def test_a_neighbour_can_be_loaded_by_its_number(store: Store) -> None:
    said(store, FIRST, SECOND)
    [number] = found(store, "two").values()
    before, _ = store.search.neighbours(EVERYWHERE, [number])[number]

    assert before is not None
    assert (
        store.search.load(EVERYWHERE, [before.passage], reach=Reach())[before.passage].text == FIRST.content
    )


def test_system_and_tool_messages_are_passed_over(store: Store) -> None:
    said(store, FIRST, a_message("be brief", role=Role.SYSTEM), a_message("42", role=Role.TOOL), SECOND)
    [number] = found(store, "two").values()

    assert names(store.search.neighbours(EVERYWHERE, [number])[number]) == (FIRST.id, None)


def test_a_chunk_has_the_neighbours_of_its_message(store: Store) -> None:
    said(store, FIRST)
    long = a_message("trout here and perch there")
    store.messages.add(long, chunks_of("trout here", "and perch there"))
    said(store, SECOND)
    numbers = found(store, "trout perch")
    beside = store.search.neighbours(EVERYWHERE, list(numbers.values()))

    assert {names(pair) for pair in beside.values()} == {(FIRST.id, SECOND.id)}


def test_memories_have_no_neighbours(store: Store) -> None:
    store.memories.add(a_memory("likes salmon"))
    numbers = found(store, "salmon")

    assert store.search.neighbours(EVERYWHERE, list(numbers.values())) == {}


def test_nobody_sees_the_neighbours_of_another_user(store: Store) -> None:
    said(store, FIRST, SECOND)
    numbers = found(store, "salmon")

    assert store.search.neighbours(Scope("bruno"), list(numbers.values())) == {}
    assert store.search.neighbours(EVERYWHERE, []) == {}


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
    numbers = found(store, "salmon")

    def then(scope: Scope, limit: int = 9) -> list[int]:
        return store.search.said(scope, MONDAY, MONDAY + 2 * hour, limit=limit)

    assert then(Scope(ANA, FIRST.chat)) == [numbers[SECOND.content], numbers[FIRST.content]]
    assert then(EVERYWHERE, limit=1) == [numbers[SECOND.content]]
    assert set(then(EVERYWHERE)) == {
        numbers[text] for text in (FIRST.content, SECOND.content, ELSEWHERE.content)
    }
    assert then(Scope("bruno")) == []
