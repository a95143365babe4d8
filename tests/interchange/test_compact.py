import json
from dataclasses import replace
from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recollect.domain.memory import Kind, Memory, MemoryStatus, Origin, SourceSpan
from recollect.domain.message import Role
from recollect.domain.reason import Reason, ReasonCode
from recollect.errors import InvalidInput
from recollect.interchange.compact import from_compact, parse_slot, to_compact

NEW_YEAR = datetime(2024, 1, 1, tzinfo=UTC)
NOW = datetime(2024, 3, 1, 9, 30, tzinfo=UTC)


def memory(text: str, kind: Kind, weight: float) -> Memory:
    return Memory(
        id="a1b2",
        user="ana",
        text=text,
        kind=kind,
        weight=weight,
        created_at=NEW_YEAR,
        updated_at=NEW_YEAR,
        last_stated_at=NEW_YEAR,
    )


@pytest.mark.spec("E4", "E5", "TR-16")
@pytest.mark.parametrize(
    ("text", "kind", "weight", "written"),
    [
        (
            "odeia coentro",
            Kind.PREFERENCE,
            0.8,
            '{"i":"a1b2","t":"pref","c":"odeia coentro","w":0.8,"d":"240101"}',
        ),
        (
            "ansioso com finanças",
            Kind.EMOTION,
            0.9,
            '{"i":"a1b2","t":"emo","c":"ansioso com finanças","w":0.9,"d":"240101"}',
        ),
        (
            "evita lugares lotados",
            Kind.PREFERENCE,
            0.7,
            '{"i":"a1b2","t":"pref","c":"evita lugares lotados","w":0.7,"d":"240101"}',
        ),
        (
            "aprender a programar",
            Kind.GOAL,
            1,
            '{"i":"a1b2","t":"obj","c":"aprender a programar","w":1.0,"d":"240101"}',
        ),
    ],
)
def test_an_ordinary_memory_is_written_as_the_document_shows(
    text: str, kind: Kind, weight: float, written: str
) -> None:
    assert to_compact([memory(text, kind, weight)]) == f"[{written}]"


@pytest.mark.spec("E4", "E6")
def test_a_fact_in_the_form_of_key_and_value_needs_no_further_keys() -> None:
    named = replace(memory("nome: Pedro", Kind.BIOGRAPHY, 0.9), attribute="name")

    written = to_compact([named])

    assert written == '[{"i":"a1b2","t":"bio","c":"nome: Pedro","w":0.9,"d":"240101"}]'
    assert from_compact(written, user="ana", now=NOW) == [named]


@pytest.mark.spec("E5", "E6")
def test_the_entries_of_the_document_are_read_without_id_and_date() -> None:
    text = """[{"t":"pref", "c":"odeia coentro", "w":0.8},
               {"t":"emo", "c":"ansioso com finanças", "w":0.9},
               {"t":"bio", "c":"trabalha: dev frontend", "w":1.0}]"""

    found = from_compact(text, user="ana", now=NOW)

    assert [(m.user, m.kind, m.text, m.weight, m.attribute, m.created_at) for m in found] == [
        ("ana", Kind.PREFERENCE, "odeia coentro", 0.8, None, NOW),
        ("ana", Kind.EMOTION, "ansioso com finanças", 0.9, None, NOW),
        ("ana", Kind.BIOGRAPHY, "trabalha: dev frontend", 1.0, "job", NOW),
    ]
    assert len({m.id for m in found}) == 3


def test_an_entry_without_an_id_gets_the_same_one_each_time_it_is_read() -> None:
    text = '[{"t":"pref","c":"Odeia coentro."}]'

    first, again = (from_compact(text, user="ana", now=NOW)[0].id for _ in range(2))
    other = from_compact(text, user="rui", now=NOW)[0].id

    assert first == again != other


def test_a_missing_weight_is_one() -> None:
    assert from_compact('[{"t":"obj","c":"correr"}]', user="ana", now=NOW)[0].weight == 1.0


@pytest.mark.spec("E4")
@pytest.mark.parametrize(
    ("kind", "written"),
    [(Kind.EVENT, "bio"), (Kind.DECISION, "pref"), (Kind.NOTE, "bio")],
    ids=lambda value: value,
)
def test_a_kind_the_document_has_no_word_for_travels_beside_the_nearest_type(
    kind: Kind, written: str
) -> None:
    fact = memory("foi demitido", kind, 0.7)

    [entry] = json.loads(to_compact([fact]))

    assert (entry["t"], entry["k"]) == (written, kind.short_name)
    assert from_compact(json.dumps([entry]), user="ana", now=NOW) == [fact]


@pytest.mark.spec("TR-16")
@pytest.mark.parametrize(
    ("moment", "day", "hour"),
    [
        (datetime(2024, 1, 1, tzinfo=UTC), "240101", None),
        (datetime(2024, 1, 1, 9, 5, 7, tzinfo=UTC), "240101", "090507"),
        (datetime(2024, 1, 1, 9, 5, 7, 250, tzinfo=UTC), "240101", "090507000250"),
        (datetime(2024, 1, 1, 1, tzinfo=timezone(timedelta(hours=3))), "231231", "220000"),
        (datetime(2068, 12, 31, tzinfo=UTC), "681231", None),
        (datetime(2069, 1, 1, tzinfo=UTC), "20690101", None),
        (datetime(1969, 1, 1, tzinfo=UTC), "690101", None),
        (datetime(1968, 12, 31, tzinfo=UTC), "19681231", None),
    ],
)
def test_two_digits_of_the_year_are_enough_around_the_present(
    moment: datetime, day: str, hour: str | None
) -> None:
    fact = replace(
        memory("odeia coentro", Kind.PREFERENCE, 0.8),
        created_at=moment,
        last_stated_at=moment,
        updated_at=moment,
    )

    [entry] = json.loads(to_compact([fact]))

    assert (entry["d"], entry.get("h")) == (day, hour)
    assert from_compact(json.dumps([entry]), user="ana", now=NOW) == [fact]


_CENTURY_MICROSECONDS = 100 * 365 * 86_400 * 10**6
_timestamps = st.integers(-_CENTURY_MICROSECONDS, _CENTURY_MICROSECONDS).map(
    lambda passed: NOW + timedelta(microseconds=passed)
) | st.just(NEW_YEAR)
_words = st.text(min_size=1, max_size=30).filter(lambda text: bool(text.strip()))
_memories = st.builds(
    Memory,
    id=_words,
    user=st.just("ana"),
    text=_words | st.builds("{}: {}".format, st.sampled_from(["nome", "mora em", "Idade", "cor"]), _words),
    created_at=_timestamps,
    updated_at=_timestamps,
    last_stated_at=_timestamps,
    chat=st.none() | _words,
    kind=st.sampled_from(Kind),
    weight=st.floats(min_value=0, max_value=1),
    status=st.sampled_from(MemoryStatus),
    origin=st.sampled_from(Origin),
    speaker=st.sampled_from(Role),
    tags=st.lists(st.text(max_size=8), max_size=3).map(tuple),
    times_stated=st.integers(1, 10**6),
    version=st.integers(1, 10**6),
    pinned=st.booleans(),
    attribute=st.none() | _words,
    valid_from=st.none() | _timestamps,
    valid_to=st.none() | _timestamps,
    expires_at=st.none() | _timestamps,
    reason=st.none()
    | st.builds(Reason, st.just(ReasonCode.SUPERSEDED_BY), st.fixed_dictionaries({"text": _words})),
    spans=st.lists(
        st.builds(SourceSpan, message_id=_words, start=st.just(2), end=st.integers(2, 99)), max_size=3
    ).map(tuple),
)


@pytest.mark.spec("E4")
@given(st.lists(_memories, max_size=4))
def test_everything_about_a_memory_comes_back_but_its_owner(memories: list[Memory]) -> None:
    written = to_compact(memories)

    assert from_compact(written, user="ana", now=NOW) == memories
    assert [m.user for m in from_compact(written, user="rui", now=NOW)] == ["rui"] * len(memories)


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("", "This is not JSON"),
        ("[" * 100_000, "This is not JSON"),
        ('{"t":"bio","c":"x"}', "This is not a list of memories"),
        ("[1]", "Entry 1 is not an object"),
        ('[{"t":"bio","c":"x"},{"c":"x"}]', "Entry 2 has no type"),
        ('[{"t":"bio"}]', "Entry 1 has no content"),
        ('[{"t":"bio","c":" "}]', "'c' is \" \", but must be text that is not empty"),
        ('[{"t":"bio","c":3}]', "'c' is 3, but must be text"),
        ('[{"t":"mood","c":"x"}]', "'t' is \"mood\", but must be one of bio, pref, emo, obj"),
        ('[{"t":["bio"],"c":"x"}]', "'t' is [\"bio\"]"),
        ('[{"t":"bio","c":"x","w":"1"}]', "'w' is \"1\", but must be a number from 0 to 1"),
        ('[{"t":"bio","c":"x","w":true}]', "'w' is true"),
        ('[{"t":"bio","c":"x","w":1.5}]', "'w' is 1.5"),
        ('[{"t":"bio","c":"x","w":NaN}]', "'w' is NaN"),
        ('[{"t":"bio","c":"x","w":1e999}]', "'w' is Infinity"),
        ('[{"t":"bio","c":"x","d":"240230"}]', "'d' is \"240230\", but must be a day such as"),
        ('[{"t":"bio","c":"x","d":240101}]', "'d' is 240101"),
        ('[{"t":"bio","c":"x","d":"240101","h":"9"}]', "'d' is"),
        ('[{"t":"bio","c":"x","i":7}]', "'i' is 7"),
        ('[{"t":"bio","c":"x","n":0}]', "'n' is 0, but must be a whole number from 1"),
        ('[{"t":"bio","c":"x","p":1}]', "'p' is 1, but must be true or false"),
        ('[{"t":"bio","c":"x","g":"a"}]', "'g' is \"a\", but must be a list of words"),
        ('[{"t":"bio","c":"x","m":[["a",3,1]]}]', "must be a list of [message, start, end]"),
        ('[{"t":"bio","c":"x","m":3}]', "must be a list of [message, start, end]"),
        ('[{"t":"bio","c":"x","s":"gone"}]', "must be one of active"),
        ('[{"t":"bio","c":"x","y":"old"}]', "must be a reason such as"),
        ('[{"t":"bio","c":"x","y":["old"]}]', "must be a reason such as"),
        ('[{"t":"bio","c":"x","content":"y"}]', "unknown key 'content'"),
    ],
)
def test_a_wrong_entry_is_refused_with_its_place_and_what_it_should_be(text: str, complaint: str) -> None:
    with pytest.raises(InvalidInput) as refused:
        from_compact(text, user="ana", now=NOW)

    assert complaint in str(refused.value)


@given(st.recursive(st.none() | st.booleans() | st.floats() | st.text(max_size=5), st.lists, max_leaves=5))
def test_no_json_is_read_as_something_it_is_not(value: object) -> None:
    try:
        found = from_compact(
            json.dumps([{"t": "bio", "c": value, "w": value, "d": value}]), user="ana", now=NOW
        )
    except InvalidInput:
        found = []

    assert found == []


@pytest.mark.spec("E6")
@pytest.mark.parametrize(
    ("text", "kind", "expected"),
    [
        ("nome: Pedro", Kind.BIOGRAPHY, ("name", "Pedro")),
        ("trabalha: dev frontend", Kind.BIOGRAPHY, ("job", "dev frontend")),
        ("Profissão: médica", Kind.BIOGRAPHY, ("job", "médica")),
        ("lives in: Porto", Kind.BIOGRAPHY, ("lives_in", "Porto")),
        ("dieta: vegetariana", Kind.PREFERENCE, ("diet", "vegetariana")),
        ("time: Benfica", Kind.BIOGRAPHY, ("time", "Benfica")),
        ("lembrar: comprar pão", Kind.GOAL, None),
        ("odeia coentro", Kind.PREFERENCE, None),
        ("https://example.com", Kind.NOTE, None),
        ("reunião às 10:30", Kind.EVENT, None),
    ],
)
def test_key_and_value_are_separated(text: str, kind: Kind, expected: tuple[str, str] | None) -> None:
    assert parse_slot(text, kind) == expected
