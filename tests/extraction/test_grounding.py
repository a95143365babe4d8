import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from recollect.domain.reason import Reason, ReasonCode
from recollect.extraction.grounding import GroundedSpan, GroundingFailure, ground_fact

ENGLISH_SOURCE = (
    "Nice to meet you! I'm Ana, a software dev. I moved to Berlin in 2019 with my wife and three cats."
)
PORTUGUESE_SOURCE = (
    "Oi! Meu nome é Pedro e tenho 30 anos. Sou desenvolvedor e moro em São Paulo. Odeio coentro."
)


def find_grounding(fact: str, source: str, language: str) -> str | None:
    match ground_fact(fact, source, language=language):
        case GroundedSpan(start=start, end=end):
            return source[start:end]
        case _:
            return None


@pytest.mark.parametrize(
    ("fact", "source", "sentence"),
    [
        ("User's name is Ana.", ENGLISH_SOURCE, "I'm Ana, a software dev."),
        ("The user is a software developer.", ENGLISH_SOURCE, "I'm Ana, a software dev."),
        ("Ana works as a software engineer.", ENGLISH_SOURCE, "I'm Ana, a software dev."),
        (
            "She lives in Berlin since 2019.",
            ENGLISH_SOURCE,
            "I moved to Berlin in 2019 with my wife and three cats.",
        ),
        (
            "User relocated to Berlin",
            ENGLISH_SOURCE,
            "I moved to Berlin in 2019 with my wife and three cats.",
        ),
        (
            "User is married and has 3 cats",
            ENGLISH_SOURCE,
            "I moved to Berlin in 2019 with my wife and three cats.",
        ),
        ("User is allergic to peanuts", "I have a peanut allergy", "I have a peanut allergy"),
        ("User is vegetarian", "im VEGETARIAN btw", "im VEGETARIAN btw"),
        ("User does not eat meat", "I don't eat meat.", "I don't eat meat."),
        (
            "User dislikes coriander",
            "I can't stand it: I hate coriander",
            "I can't stand it: I hate coriander",
        ),
        (
            "The project uses PostgreSQL",
            "For my project we chose Postgres",
            "For my project we chose Postgres",
        ),
        ("User is Brazilian", "I'm from Brazil.", "I'm from Brazil."),
        ("User has 1200 euros", "I've got 1,200 euros", "I've got 1,200 euros"),
        ("User runs 10.5 km every week", "I run 10,50 km a week", "I run 10,50 km a week"),
        ("User's code is 007", "my code is 7", "my code is 7"),
        ("喜欢咖啡", "我喜欢喝咖啡", "我喜欢喝咖啡"),
    ],
)
def test_a_fact_is_grounded_in_the_sentence_that_states_it(fact: str, source: str, sentence: str) -> None:
    assert find_grounding(fact, source, "en") == sentence


@pytest.mark.parametrize(
    ("fact", "source", "sentence"),
    [
        ("O usuário se chama Pedro.", PORTUGUESE_SOURCE, "Meu nome é Pedro e tenho 30 anos."),
        ("nome: Pedro", PORTUGUESE_SOURCE, "Meu nome é Pedro e tenho 30 anos."),
        ("tem trinta anos", PORTUGUESE_SOURCE, "Meu nome é Pedro e tenho 30 anos."),
        ("trabalha: dev", PORTUGUESE_SOURCE, "Sou desenvolvedor e moro em São Paulo."),
        ("Mora em Sao Paulo", PORTUGUESE_SOURCE, "Sou desenvolvedor e moro em São Paulo."),
        ("odeia coentro", PORTUGUESE_SOURCE, "Odeio coentro."),
        ("quer aprender a programar", "Quero aprender programação", "Quero aprender programação"),
        ("tem duas irmãs", "Tenho 2 irmãs", "Tenho 2 irmãs"),
        ("tem 1.82 m", "Tenho 1,82 m", "Tenho 1,82 m"),
        ("não come carne", "Eu não como carne", "Eu não como carne"),
        (
            "evita lugares lotados",
            "Na semana passada fui ao parque e não gostei porque estava cheio",
            "Na semana passada fui ao parque e não gostei porque estava cheio",
        ),
    ],
)
def test_a_portuguese_fact_is_grounded_in_the_sentence_that_states_it(
    fact: str, source: str, sentence: str
) -> None:
    assert find_grounding(fact, source, "pt") == sentence


@pytest.mark.parametrize(
    ("fact", "source", "language", "failure"),
    [
        ("User lives in Hamburg", ENGLISH_SOURCE, "en", GroundingFailure(missing_names=("Hamburg",))),
        ("User moved to Berlin in 2018", ENGLISH_SOURCE, "en", GroundingFailure(missing_names=("2018",))),
        ("User has four cats", ENGLISH_SOURCE, "en", GroundingFailure(missing_names=("four",))),
        ("User's wife is called Will", ENGLISH_SOURCE, "en", GroundingFailure(missing_names=("Will",))),
        (
            "User has a dog and Rex is 7",
            ENGLISH_SOURCE,
            "en",
            GroundingFailure(missing_names=("Rex", "7")),
        ),
        ("User has 10 cats", "I have 100 cats", "en", GroundingFailure(missing_names=("10",))),
        ("User owns 1.2 cars", "I own 12 cars", "en", GroundingFailure(missing_names=("1.2",))),
        (
            "O usuário se chama Paulo",
            "Moro na Rua São João",
            "pt",
            GroundingFailure(missing_names=("Paulo",)),
        ),
        ("tem 31 anos", PORTUGUESE_SOURCE, "pt", GroundingFailure(missing_names=("31",))),
        ("mora em Lisboa", PORTUGUESE_SOURCE, "pt", GroundingFailure(missing_names=("Lisboa",))),
        ("User earns 38,000", "I earn 38 an hour", "en", GroundingFailure(missing_names=("38,000",))),
        ("Budget of $4,000", "four of us have $ left", "en", GroundingFailure(missing_names=("4,000",))),
        ("Casamento em 17/08", "o casamento é 17 de setembro", "pt", GroundingFailure(missing_names=("08",))),
        ("User earns 1200 dollars", "I make 1,200 euros", "en", GroundingFailure(missing_names=("dollars",))),
        ("User is a gay nurse", "I am a nurse", "en", GroundingFailure(missing_names=("gay",))),
    ],
)
def test_a_failure_lists_the_words_missing_in_the_source(
    fact: str, source: str, language: str, failure: GroundingFailure
) -> None:
    assert ground_fact(fact, source, language=language) == failure


@pytest.mark.parametrize(
    ("fact", "source", "language"),
    [
        ("User likes coriander", "I don't like coriander", "en"),
        ("User likes coriander", "I hate coriander", "en"),
        ("User hates coriander", "I love coriander", "en"),
        ("User does not eat meat", "I eat meat every day", "en"),
        ("gosta de coentro", "Eu odeio coentro", "pt"),
        ("come carne", "Não como carne", "pt"),
        ("não come carne", "Como carne todo dia", "pt"),
    ],
)
def test_a_fact_that_contradicts_the_source_is_rejected(fact: str, source: str, language: str) -> None:
    result = ground_fact(fact, source, language=language)

    assert result == GroundingFailure(is_contradicted=True)
    assert result.reason == Reason(ReasonCode.CONTRADICTED_BY_MESSAGE)


@pytest.mark.parametrize(
    ("fact", "source", "language"),
    [
        ("User loves fish", "I do not eat meat, but I love fish", "en"),
        ("User has a dog called Rex", "I don't know if I told you: my dog is called Rex", "en"),
        ("mora no Porto", "Moro no Porto", "pt"),
        ("adora peixe", "Não como carne, mas adoro peixe", "pt"),
    ],
)
def test_a_negation_elsewhere_does_not_contradict_a_fact(fact: str, source: str, language: str) -> None:
    assert isinstance(ground_fact(fact, source, language=language), GroundedSpan)


def test_a_fact_without_content_cannot_be_checked() -> None:
    result = ground_fact("The user likes it very much", "I like it", language="en")

    assert result == GroundingFailure()
    assert result.reason == Reason(ReasonCode.NOT_VERIFIABLE)


def test_known_names_are_allowed_and_others_are_not() -> None:
    known_name_result = ground_fact(
        "Pedro's wife is vegetarian", "my wife is vegetarian", language="en", known_names=["Pedro"]
    )
    other_name_result = ground_fact(
        "Paulo's wife is vegetarian", "my wife is vegetarian", language="en", known_names=["Pedro"]
    )

    assert isinstance(known_name_result, GroundedSpan)
    assert other_name_result == GroundingFailure(missing_names=("Paulo's",))


@given(source=st.text(max_size=120), fact=st.text(max_size=60), language=st.sampled_from(["en", "pt", "zh"]))
def test_any_two_texts_can_be_compared(source: str, fact: str, language: str) -> None:
    result = ground_fact(fact, source, language=language)

    if isinstance(result, GroundedSpan):
        assert 0 <= result.start < result.end <= len(source)
    else:
        assert isinstance(result.reason, Reason)


@example(source="²2", language="en")
@given(source=st.text(max_size=120), language=st.sampled_from(["en", "pt"]))
def test_a_text_is_grounded_in_itself(source: str, language: str) -> None:
    result = ground_fact(source, source, language=language)

    assert isinstance(result, GroundedSpan) or result.missing_names == ()


@pytest.mark.parametrize(
    ("fact", "source", "language"),
    [
        ("Must avoid jumping and barbell exercises", "so no jumping, no barbell stuff", "en"),
        ("Budget of 4,000", "budget maybe four grand", "en"),
        ("Chose PostgreSQL over DynamoDB", "we settled on postgres, dynamo was a nightmare", "en"),
        ("Moved from Denver to Santa Fe", "I don't live in Denver any more, we moved to Santa Fe", "en"),
        ("Plans to walk the Camino de Santiago", "we want to walk the Camino next spring", "en"),
        ("Cirurgia em 17/08 no Hospital Albert Einstein", "é dia 17 de agosto, no Einstein", "pt"),
        ("Dá aula para o 9º ano", "dou aula pro nono ano", "pt"),
        ("Tem um orçamento de R$ 3.000", "a gente tem uns três mil reais pra gastar", "pt"),
        ("É vegetariana", "não como carne nem peixe", "pt"),
        ("Is vegetarian", "I eat neither meat nor fish", "en"),
        ("Is teetotal", "I don't drink, never have", "en"),
    ],
)
def test_a_reworded_fact_is_grounded(fact: str, source: str, language: str) -> None:
    result = ground_fact(fact, source, language=language)

    assert isinstance(result, GroundedSpan)
    assert result.matched_words > 0


def test_a_fact_without_a_word_of_the_source_is_grounded_in_nothing() -> None:
    result = ground_fact("É muito prestativa", "não como carne nem peixe", language="pt")

    assert result == GroundedSpan(start=0, end=24, matched_words=0)


def test_a_word_is_not_implied_by_what_the_user_does_eat() -> None:
    result = ground_fact("É vegetariana", "como carne todo dia", language="pt")

    assert result == GroundedSpan(start=0, end=19, matched_words=0)
