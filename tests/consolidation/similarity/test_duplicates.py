from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recollect.consolidation.similarity.duplicates import (
    is_duplicate,
    merge_memories,
    more_specific,
)
from recollect.consolidation.similarity.implications import implies
from recollect.domain.memory import Kind, Memory, SourceSpan
from recollect.domain.message import Role
from recollect.domain.policy import ConsolidationPolicy

NEW_YEAR = datetime(2024, 1, 1, tzinfo=UTC)
MONTH_LATER = NEW_YEAR + timedelta(days=30)
DEFAULT_POLICY = ConsolidationPolicy()


def memory(text: str, *, name: str | None = None, attribute: str | None = None) -> Memory:
    return Memory(
        id=name or text,
        user="ana",
        text=text,
        kind=Kind.PREFERENCE,
        created_at=NEW_YEAR,
        updated_at=NEW_YEAR,
        last_stated_at=NEW_YEAR,
        attribute=attribute,
    )


@pytest.mark.spec("F1", "TR-22")
@pytest.mark.parametrize("cosine", [None, 0.3, 0.655, 0.95])
def test_not_liking_meat_is_nothing_new_about_a_vegetarian(cosine: float | None) -> None:
    vegetarian, no_meat = memory("Sou vegetariano"), memory("Não gosto de carne")

    assert is_duplicate(vegetarian, no_meat, cosine, DEFAULT_POLICY)
    assert more_specific(no_meat, vegetarian) == more_specific(vegetarian, no_meat) == vegetarian


@pytest.mark.spec("F1")
@pytest.mark.parametrize(
    ("more", "less"),
    [
        ("Sou vegetariano", "Não gosto de carne"),
        ("vegetariana", "não come carne vermelha"),
        ("User is vegetarian", "User doesn't eat meat"),
        ("I'm a vegetarian", "dislikes fish"),
        ("vegan", "vegetarian"),
        ("Sou vegana", "não como queijo nem ovos"),
        ("pescatarian", "never eats beef"),
        ("É intolerante à lactose", "não bebe leite"),
        ("is lactose intolerant", "avoids milk"),
        ("celíaco", "não come glúten"),
        ("teetotaller", "does not drink wine"),
        ("eats halal", "does not eat pork"),
        ("is allergic to peanuts", "avoids peanuts"),
        ("alérgica a amendoim", "não come amendoim"),
    ],
)
def test_what_goes_without_saying_is_implied_one_way_only(more: str, less: str) -> None:
    assert (implies(more, less), implies(less, more)) == (True, False)


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ("Minha esposa é vegetariana", "não gosto de carne"),
        ("não sou vegetariano", "não gosto de carne"),
        ("vegetariano", "gosta de carne"),
        ("vegetariano", "não gosta de coentro"),
        ("vegetariano", "não gosta de carne nem de coentro"),
        ("vegetarian", "does not eat meat on Mondays"),
        ("vegetarian on weekdays", "does not eat meat"),
        ("was vegetarian", "does not eat meat"),
        ("vegetarian", "does not eat cheese"),
        ("pescatarian", "does not eat fish"),
        ("likes lactose", "does not drink milk"),
        ("intolerant to gluten", "does not drink milk"),
        ("is allergic to peanuts", "does not eat shrimp"),
        ("is not allergic to peanuts", "does not eat peanuts"),
        ("", "does not eat meat"),
        ("vegetarian", ""),
    ],
)
def test_nothing_follows_from_what_is_said_of_others_or_of_other_things(a: str, b: str) -> None:
    assert not implies(a, b)


@pytest.mark.spec("F1")
@pytest.mark.parametrize(
    ("a", "b", "cosine"),
    [
        ("Odeia coentro", "odeia coentro.", None),
        ("gosta de café", "Gosto de café", None),
        ("odeia coentro", "não gosta de coentro", None),
        ("mora em Lisboa", "vive em Lisboa", None),
        ("likes coffee", "loves coffee very much", None),
        ("User likes coffee", "I like coffee", None),
        ("lives in Porto", "lives in Porto since 2019", 0.93),
        ("has a brother", "has a brother called Rui", 0.92),
        ("Vegetariano (reforçado em 240101)", "vegetariano", None),
    ],
)
def test_the_same_in_other_words_is_the_same(a: str, b: str, cosine: float | None) -> None:
    assert is_duplicate(memory(a), memory(b), cosine, DEFAULT_POLICY)
    assert is_duplicate(memory(b), memory(a), cosine, DEFAULT_POLICY)


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ("likes coffee", "does not like coffee"),
        ("likes coffee", "dislikes coffee"),
        ("gosta de café", "não gosta de café"),
        ("ama gatos", "odeia gatos"),
        ("é vegetariano", "não é mais vegetariano"),
        ("smokes", "stopped smoking"),
        ("prefere leite com lactose", "prefere leite sem lactose"),
        ("likes cats", "likes dogs"),
        ("has two cats", "has three cats"),
        ("tem 30 anos", "tem 31 anos"),
        ("is 182 cm tall", "is 181 cm tall"),
        ("sister is called Ana", "sister is called Eva"),
        ("uses PostgreSQL 15", "uses PostgreSQL 16"),
        ("uses PostgreSQL for the shop", "uses MySQL for the shop"),
        ("prefers tea over coffee", "prefers coffee over tea"),
        ("Ana is Rui's boss", "Rui is Ana's boss"),
        ("works with Ana", "works with Ana's sister"),
        ("trabalha com Ana", "trabalha com a irmã da Ana"),
        ("works with Ana", "works for Ana"),
        ("likes coffee", "likes coffee ice cream"),
        ("plays in Porto", "plays in Porto Alegre"),
        ("lives in Porto", "lived in Porto"),
        ("is a nurse", "was a nurse"),
        ("moves to Porto", "would move to Porto"),
    ],
)
def test_nearness_never_makes_one_of_what_differs_in_a_word_that_counts(a: str, b: str) -> None:
    assert not is_duplicate(memory(a), memory(b), 0.99, DEFAULT_POLICY)
    assert not is_duplicate(memory(b), memory(a), 0.99, DEFAULT_POLICY)


def test_what_only_adds_to_a_fact_is_the_same_only_if_the_vectors_are_near() -> None:
    a, b = memory("lives in Porto"), memory("lives in Porto since 2019")

    assert [is_duplicate(a, b, cosine, DEFAULT_POLICY) for cosine in (None, 0.89, 0.90)] == [
        False,
        False,
        True,
    ]


def test_two_values_of_one_slot_are_never_the_same() -> None:
    a = memory("lives in Porto", attribute="lives_in")
    b = memory("lives in Porto for now", attribute="lives_in")
    c = memory("works in Porto", attribute="works_in")

    assert not is_duplicate(a, b, 0.99, DEFAULT_POLICY)
    assert not is_duplicate(a, c, 0.99, DEFAULT_POLICY)
    assert is_duplicate(a, memory("Lives in: Porto", attribute="lives_in"), None, DEFAULT_POLICY)


def test_memories_of_two_people_or_two_speakers_are_never_the_same() -> None:
    fact = memory("likes coffee")

    assert not is_duplicate(fact, replace(fact, user="rui"), 1.0, DEFAULT_POLICY)
    assert not is_duplicate(
        fact, replace(memory("loves coffee", name="m2"), speaker=Role.ASSISTANT), 1.0, DEFAULT_POLICY
    )


@pytest.mark.spec("F1")
def test_the_broader_text_takes_over_all_that_is_known_about_both() -> None:
    vegetarian = replace(
        memory("Vegetariano"),
        weight=0.7,
        times_stated=2,
        tags=("food",),
        spans=(SourceSpan(message_id="1", start=0, end=15),),
        created_at=MONTH_LATER,
        last_stated_at=MONTH_LATER,
        chat="second",
    )
    no_meat = replace(
        memory("Não gosta de carne"),
        weight=0.9,
        tags=("food", "diet"),
        spans=(SourceSpan(message_id="2", start=3, end=9),),
        pinned=True,
        chat="first",
        valid_from=NEW_YEAR,
        expires_at=MONTH_LATER,
    )
    now = MONTH_LATER + timedelta(days=1)

    found = merge_memories(vegetarian, no_meat, now)

    assert found == replace(
        vegetarian,
        weight=0.9,
        times_stated=3,
        tags=("food", "diet"),
        spans=(SourceSpan(message_id="1", start=0, end=15), SourceSpan(message_id="2", start=3, end=9)),
        pinned=True,
        created_at=NEW_YEAR,
        last_stated_at=MONTH_LATER,
        updated_at=now,
        chat="first",
        valid_from=NEW_YEAR,
        expires_at=None,
    )


def test_of_two_that_say_the_same_the_one_that_says_more_is_broader() -> None:
    a, b = memory("has a brother"), memory("has a brother called Rui")

    assert more_specific(a, b) == more_specific(b, a) == b


def test_of_two_that_say_as_much_the_older_is_kept() -> None:
    older = memory("likes coffee")
    younger = replace(memory("loves coffee"), created_at=MONTH_LATER)

    assert more_specific(older, younger) == more_specific(younger, older) == older


_texts = st.text(max_size=60) | st.lists(
    st.sampled_from("likes not meat vegetarian não gosta de carne vegano Ana 2 coffee hates sem".split()),
    max_size=6,
).map(" ".join)


@given(_texts, _texts, st.none() | st.floats(-1, 1))
def test_sameness_does_not_depend_on_who_is_asked_first(a: str, b: str, cosine: float | None) -> None:
    left, right = memory(a, name="1"), memory(b, name="2")

    assert is_duplicate(left, right, cosine, DEFAULT_POLICY) == is_duplicate(
        right, left, cosine, DEFAULT_POLICY
    )
    assert more_specific(left, right) == more_specific(right, left)


@given(_texts)
def test_everything_is_the_same_as_itself(text: str) -> None:
    assert is_duplicate(memory(text, name="1"), memory(text, name="2"), None, DEFAULT_POLICY)
