import pytest
from hypothesis import given
from hypothesis import strategies as st

from recollect.domain.policy import TriagePolicy
from recollect.ingestion.triage.keep_phrases import find_keep_phrase

KEEP_PHRASE_CASES = [
    ("My project uses React", "my project"),
    ("I decided to rewrite it in Rust", "i decided"),
    ("We prefer tabs", "we prefer"),
    ("The architecture is hexagonal", "architecture"),
    ("Our stack is FastAPI and Postgres", "stack"),
    ("We use gRPC between services", "we use"),
    ("My name is Pedro", "my name is"),
    ("I am called Bia", "i am called"),
    ("Call me Zé", "call me"),
    ("I'm vegan", "i'm vegan"),
    ("I’m allergic to peanuts", "i'm allergic"),
    ("I work as a nurse", "i work as"),
    ("I’m a nurse", "i'm a"),
    ("my daughter is called Clara", "my daughter"),
    ("Remember that the office closes at six", "remember that"),
    ("From now on answer in French", "from now on"),
    ("Never use libraries", "never"),
    ("Always use type hints", "always use"),
    ("I want to learn Japanese", "i want to learn"),
    ("I got fired today", "i got fired"),
    ("I moved to Porto", "i moved to"),
    ("We just moved to a bigger flat", "we just moved"),
    ("I get anxious before deadlines", "i get anxious"),
    ("Meu projeto usa React", "meu projeto"),
    ("Decidi usar PostgreSQL", "decidi"),
    ("Decidimos adiar a entrega", "decidimos"),
    ("Preferimos reuniões curtas", "preferimos"),
    ("A arquitetura é hexagonal", "arquitetura"),
    ("Meu nome é Pedro", "meu nome é"),
    ("MEU NOME E PEDRO", "meu nome é"),
    ("Sou vegetariano", "sou vegetariano"),
    ("Sou Ana", "sou"),
    ("Tenho alergia a camarão", "tenho alergia"),
    ("Moro em Coimbra", "moro em"),
    ("Minha filha se chama Clara", "minha filha"),
    ("Lembre-se de que trabalho à noite", "lembre-se"),
    ("A partir de agora responda em inglês", "a partir de agora"),
    ("Nunca use bibliotecas", "nunca"),
    ("Sempre use ponto e vírgula", "sempre use"),
    ("Quero aprender a programar este ano", "quero aprender"),
    ("Fui demitido hoje", "fui demitido"),
    ("Nasceu meu filho", "nasceu meu"),
    ("Me mudei para Lisboa", "me mudei"),
    ("Fico ansioso com prazos", "fico ansioso"),
    ("Odeio coentro", "odeio"),
]

TEXTS_WITHOUT_KEEP_PHRASE = [
    "I found it on stackoverflow",
    "a needle in a haystack",
    "Stack Overflow is down",
    "The stack trace is below",
    "there was a stack of plates",
    "haystacks and stacked boxes",
    "architect wanted",
    "never mind",
    "I have never heard of it",
    "nevertheless it rains",
    "call me back in ten minutes",
    "do you remember that movie?",
    "I'm a bit late",
    "I love it!",
    "the company decides tomorrow",
    "indecision is fine",
    "he's my projectionist",
    "nunca ouvi falar",
    "um resolvido problema",
    "souvenir da feira",
    "as arquitetas chegaram",
    "",
]


@pytest.mark.spec("B5")
@pytest.mark.parametrize(("text", "phrase"), KEEP_PHRASE_CASES)
def test_phrases_with_lasting_information_are_keep_phrases(text: str, phrase: str) -> None:
    assert find_keep_phrase(text, TriagePolicy()) == phrase


@pytest.mark.spec("B5")
@pytest.mark.parametrize("text", TEXTS_WITHOUT_KEEP_PHRASE)
def test_phrases_that_only_resemble_a_keep_phrase_do_not_match(text: str) -> None:
    assert find_keep_phrase(text, TriagePolicy()) is None


def test_a_keep_phrase_after_an_exception_is_still_found() -> None:
    assert find_keep_phrase("Never mind the stack trace, my project is late", TriagePolicy()) == "my project"


@pytest.mark.spec("B5")
def test_the_users_own_keep_phrases_match() -> None:
    policy = TriagePolicy(keep_phrases=("Project Orion", "never mind"))

    assert find_keep_phrase("the review of PROJECT ORION is on Monday", policy) == "Project Orion"
    assert find_keep_phrase("never mind", policy) == "never mind"
    assert find_keep_phrase("the projects of Orion", policy) is None


@given(st.text(), st.text().filter(lambda text: any(map(str.isalnum, text))), st.text())
def test_any_keep_phrase_of_the_user_is_found_anywhere(before: str, phrase: str, after: str) -> None:
    assert find_keep_phrase(f"{before} {phrase} {after}", TriagePolicy(keep_phrases=(phrase,))) == phrase


@pytest.mark.parametrize(
    "text",
    ["i want to " * 10_000, "stack of " * 11_000, "never " * 16_000, "a" * 100_000, "e\u0301\u0327" * 33_000],
    ids=range(5),
)
@pytest.mark.timeout(20)
def test_the_search_takes_linear_time(text: str) -> None:
    find_keep_phrase(text, TriagePolicy(keep_phrases=("i want to i want to fly",)))
