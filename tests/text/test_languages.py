"""Language contract: what the words of each language must do. A new language adds its examples to EXAMPLES."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime

import pytest

from recollect.domain.message import Role
from recollect.domain.policy import TriagePolicy
from recollect.domain.reason import ReasonCode
from recollect.ingestion.triage.keep_phrases import find_keep_phrase
from recollect.retrieval.query_features import extract_query_features
from recollect.text.analyzer import fold_text
from recollect.text.dates import find_dates, find_time_ranges
from recollect.text.language import detect_language
from recollect.text.languages import LANGUAGES, find_language
from recollect.text.languages.language import Language
from recollect.text.triviality import triviality_reason

SATURDAY = datetime(2026, 3, 14, 10, tzinfo=UTC)
POLICY = TriagePolicy()


@dataclass(frozen=True, slots=True, kw_only=True)
class LanguageExamples:
    """Texts in one language with the same meaning in all of them."""

    trivial: Mapping[str, str]  #: by reason
    general_question: str
    personal_question: str
    translation_request: str
    statement: str  #: not trivial, without a keep phrase
    keep_phrases: Mapping[str, str]  #: texts by the phrase that keeps them
    day_names: tuple[str, str]  #: today, yesterday
    weeks_ago: str  #: two weeks ago
    years_ago: str  #: three years ago
    last_month: str
    next_year: str
    this_week: str
    last_friday: str
    in_month: str  #: in May
    since_year: str  #: since 2019
    exact_date: str  #: 21 August 2022
    questions: tuple[str, str]  #: about a time, about a number
    first_person: str


EXAMPLES = {
    "en": LanguageExamples(
        trivial={
            "greeting": "Good morning, everyone!",
            "thanks": "Thank you so much for your help",
            "farewell": "Goodbye, see you tomorrow!",
            "acknowledgement": "Sounds good, makes sense",
        },
        general_question="What is the capital of Peru?",
        personal_question="What is my order number?",
        translation_request="Translate the word bridge",
        statement="The blue bicycle needs a new chain",
        keep_phrases={"my name is": "My name is Ana", "i decided": "I decided to use Rust"},
        day_names=("today", "yesterday"),
        weeks_ago="two weeks ago",
        years_ago="three years ago",
        last_month="last month",
        next_year="next year",
        this_week="this week",
        last_friday="last friday",
        in_month="in may",
        since_year="since 2019",
        exact_date="21 August 2022",
        questions=("when did we meet?", "how many cats are there?"),
        first_person="I live near the sea",
    ),
    "pt": LanguageExamples(
        trivial={
            "greeting": "Bom dia, pessoal!",
            "thanks": "Muito obrigada pela ajuda!",
            "farewell": "Tchau, até amanhã!",
            "acknowledgement": "Tá bom, faz sentido",
        },
        general_question="Qual é a capital do Peru?",
        personal_question="Qual é o número do meu pedido?",
        translation_request="Traduza a palavra ponte",
        statement="A bicicleta azul precisa de uma corrente nova",
        keep_phrases={"meu nome é": "Meu nome é Ana", "decidi": "Decidi usar Rust"},
        day_names=("hoje", "ontem"),
        weeks_ago="duas semanas atrás",
        years_ago="há três anos",
        last_month="mês passado",
        next_year="ano que vem",
        this_week="esta semana",
        last_friday="sexta passada",
        in_month="em maio",
        since_year="desde 2019",
        exact_date="21 de agosto de 2022",
        questions=("quando nos conhecemos?", "quantos gatos há?"),
        first_person="Eu moro perto do mar",
    ),
    "es": LanguageExamples(
        trivial={
            "greeting": "¡Hola, buenos días!",
            "thanks": "Muchas gracias por tu ayuda",
            "farewell": "¡Adiós, hasta mañana!",
            "acknowledgement": "Vale, tiene sentido",
        },
        general_question="¿Cuál es la capital del Perú?",
        personal_question="¿Cuál es el número de mi pedido?",
        translation_request="Traduce la palabra puente",
        statement="La bicicleta azul necesita una cadena nueva",
        keep_phrases={"mi nombre es": "Mi nombre es Ana", "acordamos": "Acordamos usar Rust"},
        day_names=("hoy", "ayer"),
        weeks_ago="hace dos semanas",
        years_ago="hace tres años",
        last_month="mes pasado",
        next_year="año que viene",
        this_week="esta semana",
        last_friday="viernes pasado",
        in_month="en mayo",
        since_year="desde 2019",
        exact_date="21 de agosto de 2022",
        questions=("¿cuándo nos conocimos?", "¿cuántos gatos hay?"),
        first_person="Yo vivo cerca del mar",
    ),
}


@pytest.fixture(params=sorted(LANGUAGES))
def language(request: pytest.FixtureRequest) -> Language:
    return LANGUAGES[request.param]


@pytest.fixture
def examples(language: Language) -> LanguageExamples:
    return EXAMPLES[language.code]


def labels_of(text: str, language: Language, *, is_future: bool = False) -> list[str]:
    words = fold_text(text).split()
    return [each.label for each in find_dates(words, SATURDAY, language.calendar, is_future=is_future)]


def ranges_of(text: str) -> set[tuple[date, date, float]]:
    ranges = find_time_ranges(text, SATURDAY)
    return {(each.starts_at.date(), each.ends_at.date(), each.precision) for each in ranges}


def test_every_language_has_examples_and_is_found_by_its_code() -> None:
    assert set(EXAMPLES) == set(LANGUAGES)
    assert all(find_language(code) is LANGUAGES[code] for code in LANGUAGES)
    assert find_language("und") is None


def test_its_language_is_detected(language: Language, examples: LanguageExamples) -> None:
    assert detect_language(f"{examples.statement}. {examples.general_question}") == language.code


def test_trivial_messages_have_a_reason(examples: LanguageExamples) -> None:
    reasons = {text: triviality_reason(text, Role.USER, POLICY) for text in examples.trivial.values()}

    assert reasons == {text: reason for reason, text in examples.trivial.items()}


def test_general_questions_are_trivial_unless_they_are_about_the_user(examples: LanguageExamples) -> None:
    assert triviality_reason(examples.general_question, Role.USER, POLICY) == ReasonCode.GENERAL_QUESTION
    assert (
        triviality_reason(examples.translation_request, Role.USER, POLICY) == ReasonCode.TRANSLATION_REQUEST
    )
    assert triviality_reason(examples.personal_question, Role.USER, POLICY) is None


def test_a_statement_is_not_trivial_even_without_a_keep_phrase(examples: LanguageExamples) -> None:
    assert triviality_reason(examples.statement, Role.USER, POLICY) is None
    assert find_keep_phrase(examples.statement, POLICY) is None


def test_keep_phrases_are_found(examples: LanguageExamples) -> None:
    assert {find_keep_phrase(text, POLICY): text for text in examples.keep_phrases.values()} == dict(
        examples.keep_phrases
    )


def test_relative_dates_are_resolved_against_the_day_of_the_message(
    language: Language, examples: LanguageExamples
) -> None:
    texts = {
        examples.day_names[0]: ["2026-03-14"],
        examples.day_names[1]: ["2026-03-13"],
        examples.weeks_ago: ["2026-02-28"],
        examples.years_ago: ["2023"],
        examples.last_month: ["2026-02"],
        examples.next_year: ["2027"],
        examples.this_week: ["2026-03-14"],
        examples.last_friday: ["2026-03-13"],
        examples.in_month: ["2025-05"],
        examples.since_year: [""],
        examples.exact_date: [],
        examples.statement: [],
    }

    assert {text: labels_of(text, language) for text in texts} == texts
    assert labels_of(examples.in_month, language, is_future=True) == ["2026-05"]


def test_all_months_and_weekdays_have_a_name(language: Language) -> None:
    assert set(language.calendar.months.values()) == set(range(1, 13))
    assert set(language.calendar.weekdays.values()) == set(range(7))


def test_words_are_folded(language: Language) -> None:
    calendar = language.calendar
    words = {
        *calendar.months,
        *calendar.weekdays,
        *calendar.units,
        *calendar.numbers,
        *(word for name in calendar.days for word in name),
        *language.time_words,
        *language.number_words,
        *language.first_person_words,
        *language.stop_words,
        *language.negations,
    }

    assert [word for word in words if fold_text(word) != word] == []


@pytest.mark.parametrize(
    ("attribute", "expected"),
    [
        ("weeks_ago", (date(2026, 2, 25), date(2026, 3, 4), 0.5)),
        ("last_month", (date(2026, 1, 27), date(2026, 3, 1), 0.5)),
        ("last_friday", (date(2026, 3, 12), date(2026, 3, 15), 1.0)),
        ("in_month", (date(2025, 5, 1), date(2025, 6, 1), 0.5)),
        ("exact_date", (date(2022, 8, 20), date(2022, 8, 23), 1.0)),
    ],
)
def test_a_query_names_a_past_time(
    examples: LanguageExamples, attribute: str, expected: tuple[date, date, float]
) -> None:
    assert expected in ranges_of(f"{getattr(examples, attribute)}?")


@pytest.mark.parametrize("attribute", ["next_year", "this_week", "since_year", "statement"])
def test_a_query_about_the_present_or_future_names_no_past_time(
    examples: LanguageExamples, attribute: str
) -> None:
    assert ranges_of(getattr(examples, attribute)) == set()


def test_questions_for_a_time_or_a_number_and_about_the_user_are_recognized(
    examples: LanguageExamples,
) -> None:
    time_question, number_question = (
        extract_query_features(question, SATURDAY) for question in examples.questions
    )

    assert (time_question.asks_for_time, time_question.asks_for_number) == (True, False)
    assert (number_question.asks_for_time, number_question.asks_for_number) == (False, True)
    assert extract_query_features(examples.first_person, SATURDAY).is_personal
    assert not extract_query_features(examples.statement, SATURDAY).is_personal
