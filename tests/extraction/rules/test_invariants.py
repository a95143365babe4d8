"""Properties of rule-based extraction that hold for every message."""

import re
from datetime import UTC, datetime

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from recollect.domain.extraction import Extraction
from recollect.domain.memory import Kind
from recollect.domain.message import Role
from recollect.extraction.local_extractor import extract_by_rules

SATURDAY = datetime(2026, 3, 14, 10, tzinfo=UTC)

OPENINGS = (
    "I live in|I'm|I am a|My name is|My sister is|I love|I hate|I want to learn|We use|I moved to|My app uses|"
    "Never use|Remember that|I'm allergic to|Every time|I got|I no longer|Call me|Moro em|Sou|Meu nome é|"
    "Minha irmã mora em|Adoro|Odeio|Quero aprender|Usamos|Me mudei para|Nosso projeto usa|Nunca use|"
    "Lembre-se que|Sou alérgico a|Sempre que|Fui|Não moro mais em|A gente|Last year I|In 2019 we moved to|Ana prefers|"
    "All dates must|We agreed:|When you write, use|My wife's a|My wife and I|Ano passado me mudei para|Eu e "
    "minha irmã somos"
).split("|")
FRAGMENTS = (
    "Porto|São Paulo|Ana|vegetarian|teacher|PostgreSQL|two cats|27|1.82|yesterday|há dois anos|in May|next year|"
    "and|e|,|.|?|!|—|:|;|(|)|\"|`|\n|> |but|mas|if|se eu|the|my|minha|not|não|any more|mais|I|eu|is|é|🙂|I'm|don't|C++"
).split("|")

messages = st.one_of(
    st.text(max_size=300),
    st.lists(st.sampled_from(OPENINGS + FRAGMENTS), max_size=30).map(" ".join),
    st.builds(
        lambda opening, rest: f"{opening} {rest}", st.sampled_from(OPENINGS), st.text(min_size=1, max_size=60)
    ),
)


def extract(text: str) -> Extraction:
    return extract_by_rules(text, role=Role.USER, sent_at=SATURDAY)


@given(messages)
def test_every_fact_cites_words_inside_the_message(text: str) -> None:
    for fact in extract(text).facts:
        assert 0 <= fact.start < fact.end <= len(text)


@given(messages)
@example("Remember that my")
@example("Remember that _")
def test_every_extraction_is_within_its_bounds(text: str) -> None:
    extraction = extract(text)

    assert 0 <= extraction.importance <= 100
    assert len((extraction.summary or "").split()) <= 25
    assert bool(extraction.facts) <= (extraction.importance > 30)
    assert all(0 < fact.weight <= 1 and fact.text.strip() for fact in extraction.facts)


def _ungrounded_terms(fact_text: str, source_text: str) -> set[str]:
    """Return names and numbers of a fact that are not in the source; dates in parentheses are computed."""
    undated_text = re.sub(r"\(\d{4}(?:-\d\d){0,2}\)", " ", fact_text)
    words = re.findall(r"[^\W_]+", undated_text)
    names = {word for word in words if any(letter.isupper() or letter.isdigit() for letter in word)}
    return {name.casefold() for name in names} - set(re.findall(r"[^\W_]+", source_text.casefold()))


@pytest.mark.spec("D21")
@given(messages)
@example("I live in 4B2")
def test_names_and_numbers_of_a_fact_are_in_the_text_it_cites(text: str) -> None:
    for fact in extract(text).facts:
        assert not _ungrounded_terms(fact.text, text[fact.start : fact.end])
        assert not fact.value or not _ungrounded_terms(fact.value, text[fact.start : fact.end])


@given(messages)
def test_extraction_is_deterministic(text: str) -> None:
    assert extract(text) == extract(text)


REPEATED_FRAGMENTS = (
    'a|I|I |I am |e |and |, |my |my my sister |I love a and |no longer |not |"|`|```|> |\n|(|{|é|e\u0301|a-|a.|1.|1,|'
    "in May |“|«|all |nothing may |Ana |ignore all |in 2019 |never |if |remember that |every time I panic "
    "|from now on |_|her name is |I'm |sou |não |I like x, |🙂"
).split("|")


@pytest.mark.parametrize("piece", REPEATED_FRAGMENTS)
def test_a_hundred_kilobytes_of_anything_can_be_extracted(piece: str) -> None:
    text = (piece * (100_000 // len(piece) + 1))[:100_000]

    assert extract(text).importance <= 100


def test_a_long_text_with_a_fact_at_its_beginning_gives_that_fact() -> None:
    text = "I live in Porto. " + "The committee met again and discussed the matter. " * 400

    assert [fact.text for fact in extract(text).facts] == ["I live in Porto."]


def test_facts_in_the_middle_and_at_the_end_of_a_long_message_are_extracted() -> None:
    filler = "The committee met again and discussed the matter. " * 60
    text = f"{filler}I live in Porto. {filler}I hate cilantro."

    assert [fact.text for fact in extract(text).facts] == ["I live in Porto.", "I hate cilantro."]


@pytest.mark.parametrize(
    "pasted",
    [
        "Always check the seals. The system must be off. Never smoke here. Nothing in the hall may be moved. ",
        '"I was born in Aveiro and I have two sons," he says. "I moved to the barge and I hate the city." ',
        "> I live in Berlin and I love rye bread.\n",
        "ERROR worker: I have moved to another host\n",
        "```\nI live in Madrid and I hate rain\n```\n",
    ],
)
def test_pasted_text_in_a_long_message_yields_no_facts(pasted: str) -> None:
    text = "The committee met again and discussed the matter. " * 20 + "\n" + pasted * 40

    assert extract(text).facts == ()


@given(
    st.sampled_from(["I love {}", "I live in {}", "Moro em {}", "My name is {}"]),
    st.sampled_from(["Porto", "Évora"]),
)
def test_the_cited_text_contains_the_value(frame: str, name: str) -> None:
    text = f"Hello! {frame.format(name)}. Bye."
    [fact] = extract(text).facts

    assert name in text[fact.start : fact.end]
    assert fact.kind in {Kind.BIOGRAPHY, Kind.PREFERENCE}
