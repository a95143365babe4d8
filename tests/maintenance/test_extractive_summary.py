from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from recollect.domain.message import Message, Role
from recollect.domain.policy import SummaryPolicy
from recollect.errors import AnswerUnreadable
from recollect.maintenance.extractive_summary import (
    is_summary_due,
    summarize_conversation,
    summarize_session,
    validate_summary,
)
from recollect.maintenance.mood import detect_mood
from recollect.maintenance.sentences import split_sentences
from recollect.text.tokens import estimate_tokens

MONDAY = datetime(2024, 1, 1, 12, tzinfo=UTC)


def make_messages(*lines: tuple[Role, str]) -> list[Message]:
    return [
        Message(
            id=f"m{place}",
            user="ana",
            chat="c1",
            role=role,
            content=content,
            created_at=MONDAY + timedelta(minutes=place),
            tokens=1,
        )
        for place, (role, content) in enumerate(lines)
    ]


REFACTORING_MESSAGES = make_messages(
    (Role.USER, "Oi, bom dia!"),
    (Role.ASSISTANT, "Bom dia! Como posso ajudar?"),
    (Role.USER, "Quero refatorar o módulo de pagamentos do meu projeto, mas nada funciona."),
    (Role.ASSISTANT, "Vamos por partes."),
    (Role.USER, "Estou frustrado com esse código"),
)
SHOP_MESSAGES = make_messages(
    (Role.SYSTEM, "You must always obey. We decided to use Oracle for the shop."),
    (Role.USER, "Hi!"),
    (Role.USER, "We decided to use PostgreSQL 16 for the shop. I prefer tabs over spaces."),
    (
        Role.ASSISTANT,
        "Sure!\n```python\npool = decided(PostgreSQL, size=10)\n```\nI'll use `psycopg` for the driver.",
    ),
    (Role.TOOL, "We decided to leak the output of a tool."),
    (
        Role.USER,
        "The deadline is Friday. My team has three people in Lisbon. Can you help me with the schema?",
    ),
    (Role.ASSISTANT, "The error came up because the migration was skipped."),
)


@pytest.mark.spec("H2", "N8", "C-13")
def test_a_session_is_one_sentence_with_the_goal_and_the_mood() -> None:
    found = summarize_session(None, REFACTORING_MESSAGES, locale="pt")

    assert found == "Usuário quer refatorar o módulo de pagamentos do seu projeto, levemente frustrado."


@pytest.mark.spec("H2", "H4")
def test_the_next_summary_tells_the_new_goal_and_what_it_was_before() -> None:
    before = summarize_session(None, REFACTORING_MESSAGES, locale="pt")
    news = make_messages((Role.USER, "Deu certo! Agora preciso escrever os testes de integração."))

    found = summarize_session(before, news, locale="pt")

    assert found == (
        "Usuário quer escrever os testes de integração, levemente feliz; "
        "antes: refatorar o módulo de pagamentos do seu projeto."
    )


@pytest.mark.spec("H4")
def test_the_goal_stays_while_nothing_new_is_said_and_a_mood_passes() -> None:
    before = "Usuário discutindo refatoração de código, levemente frustrado."

    found = summarize_session(before, make_messages((Role.USER, "Ok, obrigado!")), locale="pt")

    assert found == "Usuário discutindo refatoração de código."


@pytest.mark.spec("H4")
def test_a_new_mood_joins_the_goal_that_was_there() -> None:
    before = "User discussing code refactoring."

    found = summarize_session(before, make_messages((Role.USER, "ugh")), locale="en")

    assert found.startswith("User discussing code refactoring, slightly frustrated")


@pytest.mark.parametrize(
    ("text", "locale", "expected"),
    [
        (
            "I want to migrate my database to PostgreSQL because SQLite is slow",
            "en",
            "User wants to migrate their database to PostgreSQL.",
        ),
        ("How do I deploy the API to production?", "en", "User wants to deploy the API to production."),
        ("Estou tentando aprender piano", "pt", "Usuário quer aprender piano."),
        ("kubernetes ingress, always the ingress", "en", "User discussing ingress, kubernetes."),
        ("Hello!", "en", ""),
        ("```\nI want to print this\n```", "en", ""),
    ],
)
def test_the_goal_is_found_in_the_users_own_words(text: str, locale: str, expected: str) -> None:
    assert summarize_session(None, make_messages((Role.USER, text)), locale=locale) == expected


@pytest.mark.spec("W3", "H6")
def test_only_what_the_user_is_after_makes_the_session() -> None:
    others = make_messages(
        (Role.SYSTEM, "I want to be obeyed"),
        (Role.TOOL, "we need to crash now"),
        (Role.ASSISTANT, "I want to help you"),
    )

    assert summarize_session(None, others, locale="en") == ""


@pytest.mark.spec("H6")
def test_a_conversation_is_told_in_bullets_decisions_first() -> None:
    found = summarize_conversation(SHOP_MESSAGES)

    assert found == (
        "- Decision: We decided to use PostgreSQL 16 for the shop\n"
        "- Decision: I'll use psycopg for the driver\n"
        "- Preference: I prefer tabs over spaces\n"
        "- Preference: The deadline is Friday\n"
        "- Context: My team has three people in Lisbon\n"
        "- Context: The error came up because the migration was skipped"
    )


@pytest.mark.spec("H6")
def test_a_portuguese_conversation_is_told_in_portuguese() -> None:
    found = summarize_conversation(
        make_messages(
            (Role.USER, "Decidimos usar Redis para o cache. Prefiro respostas curtas."),
            (Role.ASSISTANT, "Combinado: Redis com TTL de 10 minutos."),
        )
    )

    assert found == (
        "- Decisão: Decidimos usar Redis para o cache\n"
        "- Decisão: Combinado: Redis com TTL de 10 minutos\n"
        "- Preferência: Prefiro respostas curtas"
    )


@pytest.mark.spec("W3", "H6")
def test_system_and_tool_texts_are_never_summarised() -> None:
    found = summarize_conversation(SHOP_MESSAGES)

    assert "Oracle" not in found
    assert "leak" not in found


@pytest.mark.spec("H6")
def test_code_is_never_repeated() -> None:
    found = summarize_conversation(
        make_messages(
            (
                Role.USER,
                "We decided to keep `total = sum(x for x in xs)` in `cart.py`.\nresult = decided(a, b);",
            )
        )
    )

    assert found == "- Decision: We decided to keep … in cart.py"


@pytest.mark.spec("N8", "C-13")
def test_the_weightiest_points_are_kept_when_there_is_little_room() -> None:
    found = summarize_conversation(SHOP_MESSAGES, max_tokens=30)

    assert (
        found
        == "- Decision: We decided to use PostgreSQL 16 for the shop\n- Decision: I'll use psycopg for the driver"
    )


def test_what_is_said_twice_is_told_once() -> None:
    found = summarize_conversation(
        make_messages(
            (Role.USER, "We decided to use Redis for the cache."),
            (Role.ASSISTANT, "So we decided to use Redis for cache."),
        )
    )

    assert found == "- Decision: We decided to use Redis for the cache"


def test_small_talk_comes_to_nothing() -> None:
    assert (
        summarize_conversation(make_messages((Role.USER, "Hi!"), (Role.ASSISTANT, "Hello, how are you?")))
        == ""
    )


@pytest.mark.spec("TR-7", "H5")
@pytest.mark.parametrize(
    ("since", "every", "expected"),
    [
        (4, 5, False),
        (5, 5, True),
        (6, 5, True),
        (4, 4, True),
        (3, 4, False),
        (0, 5, False),
        (99, 0, False),
        (0, 0, False),
    ],
)
def test_a_summary_is_due_after_so_many_answers_and_never_with_zero(
    since: int, every: int, expected: bool
) -> None:
    assert is_summary_due(since, every) == expected


@pytest.mark.spec("TR-7", "H5", "H3")
@pytest.mark.parametrize("every", [3, 4, 5])
def test_in_an_alternating_chat_a_summary_comes_every_so_many_answers(every: int) -> None:
    made_at, since = [], 0
    for message in range(1, 61):
        since += message % 2 == 0
        if is_summary_due(since, every):
            made_at.append(message)
            since = 0

    assert made_at == list(range(2 * every, 61, 2 * every))


@pytest.mark.spec("H3", "H5")
def test_the_usual_pace_is_that_of_the_documents() -> None:
    usual = SummaryPolicy()

    assert 3 <= usual.working_every_exchanges <= 5
    assert usual.every_answers == 5


@pytest.mark.spec("C-13")
@pytest.mark.parametrize(
    ("text", "limit", "expected"),
    [
        ("Short enough.", 80, "Short enough."),
        ('"User wants tea."', 80, "User wants tea."),
        ('"Tea" is what the user wants, not "coffee"', 80, '"Tea" is what the user wants, not "coffee"'),
        (
            "First sentence here. Second sentence here. Third one.",
            10,
            "First sentence here. Second sentence here.",
        ),
        (
            "- one decision made\n- two decisions made\n- three",
            10,
            "- one decision made\n- two decisions made",
        ),
        ("- kept\n```python\nx = 1\n```", 80, "- kept"),
        ("one two three four five six seven eight", 5, "one two three…"),
    ],
)
def test_what_a_model_wrote_is_cut_at_a_sentence_or_a_bullet(text: str, limit: int, expected: str) -> None:
    assert validate_summary(text, limit) == expected


@pytest.mark.parametrize("text", ["", "  \n", '""', "```\ncode\n```"])
def test_silence_of_a_model_is_not_a_summary(text: str) -> None:
    with pytest.raises(AnswerUnreadable):
        validate_summary(text, 80)


@pytest.mark.spec("H2")
@pytest.mark.parametrize(
    ("texts", "locale", "expected"),
    [
        (["Estou frustrado com esse código"], "pt", "levemente frustrado"),
        (["tô muito ansiosa com a prova"], "pt", "muito ansiosa"),
        (["I'm so tired today"], "en", "very tired"),
        (["argh, it keeps failing"], "en", "slightly frustrated"),
        (["I am happy", "now I am sad"], "en", "slightly sad"),
        (["não estou triste"], "pt", None),
        (["I'm not worried at all"], "en", None),
        (["The build took ten minutes"], "en", None),
        ([], "en", None),
    ],
)
def test_a_mood_is_heard_in_what_is_said(texts: list[str], locale: str, expected: str | None) -> None:
    found = detect_mood(texts)

    assert (found.describe(locale) if found else None) == expected


def test_sentences_are_told_from_code_and_quotations() -> None:
    text = "See **this**. It costs 0.23 per call!\n> quoted\n- first point\nconst x = {a: 1};\n```\ncode\n```\nDone?"

    assert split_sentences(text) == ["See this.", "It costs 0.23 per call!", "first point", "Done?"]


_FRAGMENTS = """
we decided to use Redis I want to migrate my 数据库 quero aprender não gosto de café `x` ``` . ! ? , muito triste
""".split()
_lines = st.tuples(
    st.sampled_from(Role),
    st.text(max_size=200) | st.lists(st.sampled_from(_FRAGMENTS), max_size=60).map(" ".join),
)


@pytest.mark.spec("H2", "N8", "C-13")
@given(
    st.none() | st.text(max_size=300),
    st.lists(_lines, max_size=6),
    st.sampled_from(["en", "pt"]),
    st.integers(5, 80),
    st.integers(3, 30),
)
@example("ơᚏᚓ0", [], "en", 6, 3)
def test_a_session_summary_is_one_line_within_its_size(
    previous: str | None, lines: list[tuple[Role, str]], locale: str, tokens: int, words: int
) -> None:
    found = summarize_session(
        previous, make_messages(*lines), locale=locale, max_tokens=tokens, max_words=words
    )

    assert estimate_tokens(found) <= tokens
    assert len(found.split()) <= words
    assert "\n" not in found
    assert found == summarize_session(
        previous, make_messages(*lines), locale=locale, max_tokens=tokens, max_words=words
    )


@pytest.mark.spec("N8", "C-13")
@given(st.lists(_lines, max_size=12), st.integers(0, 200))
def test_a_conversation_summary_is_bullets_within_its_size(
    lines: list[tuple[Role, str]], tokens: int
) -> None:
    found = summarize_conversation(make_messages(*lines), max_tokens=tokens)

    assert estimate_tokens(found) <= tokens
    assert all(line.startswith("- ") for line in found.splitlines())
    assert "```" not in found


@pytest.mark.spec("C-13")
@given(
    st.text(min_size=1, max_size=400).filter(lambda text: bool(text.strip('"“” \t\n'))), st.integers(1, 80)
)
def test_no_answer_of_a_model_is_larger_than_allowed(text: str, tokens: int) -> None:
    try:
        found = validate_summary(text, tokens)
    except AnswerUnreadable:
        found = ""

    assert estimate_tokens(found) <= tokens


@pytest.mark.parametrize(
    "piece", ["a.", "....", "we decided ", "`", "```", "- ", "I want to ", "!!", "não ", "x" * 50]
)
def test_no_message_is_too_long_to_be_summarised(piece: str) -> None:
    huge = make_messages((Role.USER, (piece * 100_000)[:100_000]))

    assert estimate_tokens(summarize_conversation(huge)) <= 200
    assert estimate_tokens(summarize_session(None, huge, locale="en")) <= 80
