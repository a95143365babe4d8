from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recollect.domain.message import Role
from recollect.domain.policy import TriagePolicy
from recollect.domain.reason import ReasonCode
from recollect.text.triviality import triviality_reason

TRIVIAL_CASES = [
    ("Hi", ReasonCode.TOO_SHORT),
    ("ok", ReasonCode.TOO_SHORT),
    ("Obrigado!", ReasonCode.TOO_SHORT),
    ("   thanks    ", ReasonCode.TOO_SHORT),
    ("Good morning", ReasonCode.GREETING),
    ("Good morning, everyone!", ReasonCode.GREETING),
    ("Hello there, how are you today?", ReasonCode.GREETING),
    ("Heyyyyyy, long time no see", ReasonCode.GREETING),
    ("Hi! I have a quick question.", ReasonCode.GREETING),
    ("Bom dia, pessoal!", ReasonCode.GREETING),
    ("Olá, tudo bem com você?", ReasonCode.GREETING),
    ("Oi Katherine, boa noite", ReasonCode.GREETING),
    ("BOA TARDE!!!", ReasonCode.GREETING),
    ("How's it going?", ReasonCode.SMALL_TALK),
    ("What's up, dude?", ReasonCode.SMALL_TALK),
    ("Not bad, and you?", ReasonCode.SMALL_TALK),
    ("Tudo certo por aqui, e você?", ReasonCode.SMALL_TALK),
    ("Como vai você?", ReasonCode.SMALL_TALK),
    ("Thank you so much!", ReasonCode.THANKS),
    ("Thanks a lot for your help 🙏", ReasonCode.THANKS),
    ("Muito obrigada pela ajuda!", ReasonCode.THANKS),
    ("Valeu mesmo, cara!", ReasonCode.THANKS),
    ("Sorry, my bad", ReasonCode.COURTESY),
    ("You're welcome! Is there anything else I can help you with?", ReasonCode.COURTESY),
    ("De nada, disponha!", ReasonCode.COURTESY),
    ("Desculpa, foi mal", ReasonCode.COURTESY),
    ("Sounds good, thanks", ReasonCode.ACKNOWLEDGEMENT),
    ("Ok, got it, makes sense", ReasonCode.ACKNOWLEDGEMENT),
    ("That's a really great idea!", ReasonCode.ACKNOWLEDGEMENT),
    ("please continue", ReasonCode.ACKNOWLEDGEMENT),
    ("Okkkkkk, perfect", ReasonCode.ACKNOWLEDGEMENT),
    ("Beleza, entendi.", ReasonCode.ACKNOWLEDGEMENT),
    ("Tá bom, faz sentido", ReasonCode.ACKNOWLEDGEMENT),
    ("Combinado então!", ReasonCode.ACKNOWLEDGEMENT),
    ("Que ideia maravilhosa", ReasonCode.ACKNOWLEDGEMENT),
    ("Never mind, I figured it out", ReasonCode.RESOLVED_DOUBT),
    ("It works now, thank you", ReasonCode.RESOLVED_DOUBT),
    ("Deixa pra lá, já resolvi", ReasonCode.RESOLVED_DOUBT),
    ("Funcionou, obrigado!", ReasonCode.RESOLVED_DOUBT),
    ("Goodbye, see you tomorrow!", ReasonCode.FAREWELL),
    ("Have a nice weekend, take care", ReasonCode.FAREWELL),
    ("Tchau, até amanhã!", ReasonCode.FAREWELL),
    ("Abraços e bom fim de semana", ReasonCode.FAREWELL),
    ("Yes, please!", ReasonCode.YES_OR_NO),
    ("Yeah, of course", ReasonCode.YES_OR_NO),
    ("No, not really", ReasonCode.YES_OR_NO),
    ("Acho que sim", ReasonCode.YES_OR_NO),
    ("Não, ainda não", ReasonCode.YES_OR_NO),
    ("hahahahahaha", ReasonCode.LAUGHTER),
    ("kkkkkkkkkkkkk", ReasonCode.LAUGHTER),
    ("rsrsrsrsrs muito engraçado", ReasonCode.LAUGHTER),
    ("LOL that's hilarious", ReasonCode.LAUGHTER),
    ("👍👍👍👍👍👍👍👍👍👍👍", ReasonCode.NO_WORDS),
    ("!!!!!!!!!!!!!!", ReasonCode.NO_WORDS),
    ("O tempo está bom", ReasonCode.WEATHER),
    ("Que calor hoje, né?", ReasonCode.WEATHER),
    ("Está chovendo muito aqui", ReasonCode.WEATHER),
    ("Nice weather today, isn't it?", ReasonCode.WEATHER),
    ("It's so cold outside", ReasonCode.WEATHER),
    ("What is photosynthesis?", ReasonCode.GENERAL_QUESTION),
    ("what is a monad", ReasonCode.GENERAL_QUESTION),
    ("What's the capital of France?", ReasonCode.GENERAL_QUESTION),
    ("Hi, what are prime numbers?", ReasonCode.GENERAL_QUESTION),
    ("Who was Marie Curie?", ReasonCode.GENERAL_QUESTION),
    ("When did the Berlin Wall fall?", ReasonCode.GENERAL_QUESTION),
    ("Define entropy, please", ReasonCode.GENERAL_QUESTION),
    ("Can you tell me what recursion is?", ReasonCode.GENERAL_QUESTION),
    ("What is Rust? Thanks!", ReasonCode.GENERAL_QUESTION),
    ("O que é fotossíntese?", ReasonCode.GENERAL_QUESTION),
    ("Quem foi Dom Pedro II?", ReasonCode.GENERAL_QUESTION),
    ("Oi, qual é a capital da Austrália?", ReasonCode.GENERAL_QUESTION),
    ("Defina entropia", ReasonCode.GENERAL_QUESTION),
    ("O que significa procrastinar?", ReasonCode.GENERAL_QUESTION),
    ("Translate this sentence to French", ReasonCode.TRANSLATION_REQUEST),
    ('How do you say "thank you" in Japanese?', ReasonCode.TRANSLATION_REQUEST),
    ("Please translate: I love the sea", ReasonCode.TRANSLATION_REQUEST),
    ("Traduza bom dia para o inglês", ReasonCode.TRANSLATION_REQUEST),
    ("Como se diz saudade em alemão?", ReasonCode.TRANSLATION_REQUEST),
    ("Convert 10 miles to kilometres", ReasonCode.CONVERSION_REQUEST),
    ("How many ounces are in a pound?", ReasonCode.CONVERSION_REQUEST),
    ("Converta 30 libras em quilos", ReasonCode.CONVERSION_REQUEST),
    ("Quanto é 12 vezes 8?", ReasonCode.CONVERSION_REQUEST),
]

SUBSTANTIAL_TEXTS = [
    "hi, I'm Ana and I moved to Porto",
    "Good morning! The release slipped to Friday.",
    "thanks, the deploy key is in the vault",
    "Bom dia, mudei de emprego ontem",
    "ok, but Pedro will be late",
    "yes, with PostgreSQL",
    "haha, Rex ate the sofa again",
    "Obrigado, vou avisar a Marta",
    "What's my name?",
    "What is my dog's name?",
    "Qual é o nome da minha irmã?",
    "What did we agree on yesterday?",
    "What is wrong with this function?",
    "What is the deadline for the Acme proposal?",
    "What is Kafka? The billing team adopted it in March.",
    "What is needed is a queue between the two services",
    "What is more, the client pays in pounds",
    "Who is coming to our wedding?",
    "Convert the codebase to TypeScript",
    "How many people are on the night shift?",
    "Define the interfaces before any implementation, always",
    "Translate my CV into German",
    "Traduza a nossa página inicial para o espanhol",
    "The weather station in the garden broke",
    "Não temos tempo para testes",
    "O clima na empresa está péssimo",
    "Say hello to Maria from me",
    "Good Morning Vietnam is playing at the Odeon",
    "Thank You for Smoking was shot in Los Angeles",
    "hahaha nunca mais compro peixe em Lisboa",
    "私は東京に住んでいて、猫が二匹います",
    "Mein Hund heißt Bello",
]


@pytest.mark.spec("B2", "B3", "B11")
@pytest.mark.parametrize(("text", "reason"), TRIVIAL_CASES)
def test_a_message_without_content_is_trivial(text: str, reason: str) -> None:
    assert triviality_reason(text, Role.USER, TriagePolicy()) == reason


def test_the_tables_have_enough_cases() -> None:
    assert len(TRIVIAL_CASES) > 80


@pytest.mark.spec("B12")
@pytest.mark.parametrize("text", SUBSTANTIAL_TEXTS)
def test_a_message_with_substance_is_not_trivial(text: str) -> None:
    assert triviality_reason(text, Role.USER, TriagePolicy()) is None


@pytest.mark.spec("B2")
@pytest.mark.parametrize(("letters", "reason"), [(9, ReasonCode.TOO_SHORT), (10, None)])
def test_ten_characters_are_long_enough(letters: int, reason: str | None) -> None:
    text = "abcdefghij"[:letters]

    assert triviality_reason(f"  {text}\n", Role.USER, TriagePolicy()) == reason


@pytest.mark.spec("B2")
def test_the_minimum_length_is_configurable() -> None:
    companion = TriagePolicy(min_chars=3)

    assert triviality_reason("Sim", Role.USER, companion) == ReasonCode.YES_OR_NO
    assert triviality_reason("Eva", Role.USER, companion) is None


def test_a_general_question_is_trivial_only_if_the_user_asks_it() -> None:
    text = "What is the name of the restaurant?"

    assert triviality_reason(text, Role.USER, TriagePolicy()) == ReasonCode.GENERAL_QUESTION
    assert triviality_reason(text, Role.ASSISTANT, TriagePolicy()) is None


@pytest.mark.parametrize(
    "text",
    [
        "Hello! How can I help you today?",
        "You're welcome! Have a great day!",
        "Olá! Em que posso ajudar?",
    ],
)
def test_courtesies_of_the_assistant_are_trivial(text: str) -> None:
    assert triviality_reason(text, Role.ASSISTANT, TriagePolicy()) is not None


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("Daily stand-up reminder", ReasonCode.LISTED_PHRASE),
        ("Hello! DAILY STANDUP reminder!!!", None),
        ("hello, daily stand up reminder. Thanks!", ReasonCode.GREETING),
        ("The daily stand-up reminder moved to nine", None),
    ],
)
def test_a_message_of_the_users_drop_phrases_is_trivial(text: str, reason: str | None) -> None:
    policy = TriagePolicy(drop_phrases=("daily stand-up reminder",))

    assert triviality_reason(text, Role.USER, policy) == reason


def test_a_drop_phrase_with_a_star_matches_every_message_that_starts_with_it() -> None:
    policy = TriagePolicy(drop_phrases=("[bot] *",))

    assert (
        triviality_reason("[Bot]: the build of billing is green. All tests pass.", Role.USER, policy)
        == ReasonCode.LISTED_PHRASE
    )
    assert triviality_reason("the bot says that the build is green", Role.USER, policy) is None


@given(st.text(min_size=1).filter(lambda text: any(map(str.isalnum, text))))
def test_any_drop_phrase_of_the_user_is_trivial(phrase: str) -> None:
    policy = TriagePolicy(min_chars=0, drop_phrases=(phrase,))

    assert triviality_reason(phrase, Role.USER, policy) is not None


@given(st.text(), st.sampled_from(Role), st.integers(0, 20))
def test_any_text_can_be_checked(text: str, role: Role, min_chars: int) -> None:
    reason = triviality_reason(text, role, TriagePolicy(min_chars=min_chars))

    assert reason is None or reason


@given(st.lists(st.sampled_from([text for text, _ in TRIVIAL_CASES]), min_size=1, max_size=5))
def test_trivial_sentences_make_a_trivial_message(sentences: list[str]) -> None:
    assert triviality_reason(".\n".join(sentences), Role.USER, TriagePolicy()) is not None


@given(st.sampled_from(SUBSTANTIAL_TEXTS), st.sampled_from(["Hi!", "Thanks.", "Bom dia.", "Ok,", "kkkk"]))
def test_a_greeting_does_not_make_a_message_with_content_trivial(text: str, opening: str) -> None:
    assert triviality_reason(f"{opening} {text}", Role.USER, TriagePolicy()) is None


@pytest.mark.parametrize(
    "text",
    [
        "a" * 100_000,
        "." * 100_000,
        " " * 100_000 + "x" * 10,
        "what is " * 12_500,
        "ok " * 33_000,
        "? " * 50_000,
        "a" + "\u0315\u0300" * 50_000,
        "a" + "\u05b0\u0591" * 50_000,
        "\ufdfa" * 100_000,
        "aab" * 33_000,
        "ha" * 50_000,
        "i want to " * 10_000,
        "\r\n \t" * 25_000,
    ],
    ids=range(13),
)
@pytest.mark.timeout(20)
def test_the_check_takes_linear_time(text: str) -> None:
    policy = replace(TriagePolicy(), drop_phrases=("a a a a b", "ok ok ok no", "what *"))

    triviality_reason(text, Role.USER, policy)
