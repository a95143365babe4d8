"""Search contract: neighbours of a message, and messages of a time range."""

from dataclasses import replace
from datetime import timedelta

from recollect.domain.candidate import Candidate, ChatPosition, SearchFilter, Source
from recollect.domain.memory import SourceSpan
from recollect.domain.message import Message, Role
from recollect.domain.scope import Scope
from recollect.ports.store import Store
from recollect.testing.builders import ANA, a_memory, a_message, chunks_of
from recollect.testing.clock import MONDAY

USER_SCOPE = Scope(ANA)
FIRST_MESSAGE, SECOND_MESSAGE, THIRD_MESSAGE = (
    a_message(text) for text in ("salmon one", "salmon two", "salmon three")
)
OTHER_CHAT_MESSAGE = a_message("salmon in the garden", chat="garden")


def add_messages(store: Store, *messages: Message) -> None:
    for message in messages:
        store.messages.add(message, ())


def search_candidates(store: Store, query: str, scope: Scope = USER_SCOPE) -> dict[int, Candidate]:
    """Return the candidates of a lexical search by passage number, with their positions."""
    hits = store.search.lexical(scope, query, limit=20, search_filter=SearchFilter())
    return store.search.load(
        scope, [hit.passage_id for hit in hits], search_filter=SearchFilter(), include_neighbours=True
    )


def neighbour_texts(store: Store, candidate: Candidate) -> tuple[str | None, str | None]:
    """Return the texts of the previous and next message."""
    assert candidate.position
    numbers = candidate.position.previous_id, candidate.position.next_id
    loaded = store.search.load(USER_SCOPE, [each for each in numbers if each], search_filter=SearchFilter())
    before, after = (loaded[each].text if each else None for each in numbers)
    return before, after


def test_a_message_has_the_previous_and_next_of_its_chat(store: Store) -> None:
    add_messages(store, FIRST_MESSAGE, OTHER_CHAT_MESSAGE, SECOND_MESSAGE, THIRD_MESSAGE)

    assert {
        each.text: neighbour_texts(store, each) for each in search_candidates(store, "salmon").values()
    } == {
        FIRST_MESSAGE.content: (None, SECOND_MESSAGE.content),
        SECOND_MESSAGE.content: (FIRST_MESSAGE.content, THIRD_MESSAGE.content),
        THIRD_MESSAGE.content: (SECOND_MESSAGE.content, None),
        OTHER_CHAT_MESSAGE.content: (None, None),
    }


def test_neighbours_are_omitted_unless_requested(store: Store) -> None:
    add_messages(store, FIRST_MESSAGE, SECOND_MESSAGE)
    [number] = search_candidates(store, "two")

    assert store.search.load(USER_SCOPE, [number], search_filter=SearchFilter())[
        number
    ].position == ChatPosition(number)


def test_system_and_tool_messages_are_not_neighbours(store: Store) -> None:
    add_messages(
        store,
        FIRST_MESSAGE,
        a_message("be brief", role=Role.SYSTEM),
        a_message("42", role=Role.TOOL),
        SECOND_MESSAGE,
    )
    [second] = search_candidates(store, "two").values()

    assert neighbour_texts(store, second) == (FIRST_MESSAGE.content, None)


def test_a_source_message_of_a_memory_has_neighbours_too(store: Store) -> None:
    add_messages(store, FIRST_MESSAGE, SECOND_MESSAGE)
    store.memories.add(
        a_memory("likes salmon", spans=(SourceSpan(message_id=SECOND_MESSAGE.id, start=0, end=6),))
    )
    [second] = search_candidates(store, "two").values()

    assert neighbour_texts(store, second) == (FIRST_MESSAGE.content, None)


def test_a_chunk_has_the_position_of_its_message(store: Store) -> None:
    add_messages(store, FIRST_MESSAGE)
    long = a_message("trout here and perch there")
    store.messages.add(long, chunks_of("trout here", "and perch there"))
    add_messages(store, SECOND_MESSAGE)
    passages = search_candidates(store, "trout perch")
    [whole] = [number for number, each in passages.items() if each.source is Source.MESSAGE]

    assert {each.position.passage_id for each in passages.values() if each.position} == {whole}
    assert {neighbour_texts(store, each) for each in passages.values()} == {
        (FIRST_MESSAGE.content, SECOND_MESSAGE.content)
    }


def test_memories_have_no_position(store: Store) -> None:
    store.memories.add(a_memory("likes salmon"))

    assert [each.position for each in search_candidates(store, "salmon").values()] == [None]


def test_messages_of_a_time_range_are_listed_newest_first_without_its_end(
    store: Store,
) -> None:
    hour = timedelta(hours=1)
    early, later, late = (
        replace(message, created_at=MONDAY + place * hour)
        for place, message in enumerate((FIRST_MESSAGE, SECOND_MESSAGE, THIRD_MESSAGE))
    )
    rule = replace(a_message("salmon rule", role=Role.SYSTEM), created_at=MONDAY)
    add_messages(store, late, early, later, rule, replace(OTHER_CHAT_MESSAGE, created_at=MONDAY))
    numbers = {each.text: number for number, each in search_candidates(store, "salmon").items()}

    def then(scope: Scope, limit: int = 9) -> list[int]:
        return store.search.messages_between(scope, MONDAY, MONDAY + 2 * hour, limit=limit)

    assert then(Scope(ANA, FIRST_MESSAGE.chat)) == [
        numbers[SECOND_MESSAGE.content],
        numbers[FIRST_MESSAGE.content],
    ]
    assert then(USER_SCOPE, limit=1) == [numbers[SECOND_MESSAGE.content]]
    assert set(then(USER_SCOPE)) == {
        numbers[text] for text in (FIRST_MESSAGE.content, SECOND_MESSAGE.content, OTHER_CHAT_MESSAGE.content)
    }
    assert then(Scope("bruno")) == []
