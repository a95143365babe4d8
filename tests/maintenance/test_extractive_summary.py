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
            id=f"m{index}",
            user="ana",
            chat="c1",
            role=role,
            content=content,
            created_at=MONDAY + timedelta(minutes=index),
            tokens=1,
        )
        for index, (role, content) in enumerate(lines)
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
    summary = summarize_session(None, REFACTORING_MESSAGES, locale="pt")

    assert summary == "Usuário quer refatorar o módulo de pagamentos do seu projeto, levemente frustrado."


@pytest.mark.spec("H2", "H4")
def test_the_next_summary_has_the_new_and_the_previous_goal() -> None:
    previous = summarize_session(None, REFACTORING_MESSAGES, locale="pt")
    new_messages = make_messages((Role.USER, "Deu certo! Agora preciso escrever os testes de integração."))

    summary = summarize_session(previous, new_messages, locale="pt")

    assert summary == (
        "Usuário quer escrever os testes de integração, levemente feliz; "
        "antes: refatorar o módulo de pagamentos do seu projeto."
    )


@pytest.mark.spec("H4")
def test_without_a_new_goal_the_previous_one_stays_and_the_mood_does_not() -> None:
    previous = "Usuário discutindo refatoração de código, levemente frustrado."

    summary = summarize_session(previous, make_messages((Role.USER, "Ok, obrigado!")), locale="pt")

    assert summary == "Usuário discutindo refatoração de código."


@pytest.mark.spec("H4")
def test_a_new_mood_is_added_to_the_previous_goal() -> None:
    previous = "User discussing code refactoring."

    summary = summarize_session(previous, make_messages((Role.USER, "ugh")), locale="en")

    assert summary.startswith("User discussing code refactoring, slightly frustrated")


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
        (
            "kubernetes ingress, always the ingress",
            "en",
            "User said “kubernetes ingress, always the ingress”.",
        ),
        ("Hello!", "en", ""),
        ("```\nI want to print this\n```", "en", ""),
    ],
)
def test_the_goal_is_found_in_the_users_own_words(text: str, locale: str, expected: str) -> None:
    assert summarize_session(None, make_messages((Role.USER, text)), locale=locale) == expected


@pytest.mark.spec("W3", "H6")
def test_only_user_messages_make_the_session_summary() -> None:
    other_messages = make_messages(
        (Role.SYSTEM, "I want to be obeyed"),
        (Role.TOOL, "we need to crash now"),
        (Role.ASSISTANT, "I want to help you"),
    )

    assert summarize_session(None, other_messages, locale="en") == ""


@pytest.mark.spec("H6")
def test_a_conversation_summary_has_bullets_with_decisions_first() -> None:
    summary = summarize_conversation(SHOP_MESSAGES)

    assert summary == (
        "- Decision: We decided to use PostgreSQL 16 for the shop\n"
        "- Decision: I'll use psycopg for the driver\n"
        "- Preference: I prefer tabs over spaces\n"
        "- Preference: The deadline is Friday\n"
        "- Context: My team has three people in Lisbon\n"
        "- Context: The error came up because the migration was skipped"
    )


@pytest.mark.spec("H6")
def test_a_portuguese_conversation_is_summarized_in_portuguese() -> None:
    summary = summarize_conversation(
        make_messages(
            (Role.USER, "Decidimos usar Redis para o cache. Prefiro respostas curtas."),
            (Role.ASSISTANT, "Combinado: Redis com TTL de 10 minutos."),
        )
    )

    assert summary == (
        "- Decisão: Decidimos usar Redis para o cache\n"
        "- Decisão: Combinado: Redis com TTL de 10 minutos\n"
        "- Preferência: Prefiro respostas curtas"
    )


@pytest.mark.spec("W3", "H6")
def test_system_and_tool_messages_are_never_summarized() -> None:
    summary = summarize_conversation(SHOP_MESSAGES)

    assert "Oracle" not in summary
    assert "leak" not in summary


@pytest.mark.spec("H6")
def test_code_is_never_repeated() -> None:
    summary = summarize_conversation(
        make_messages(
            (
                Role.USER,
                "We decided to keep `total = sum(x for x in xs)` in `cart.py`.\nresult = decided(a, b);",
            )
        )
    )

    assert summary == "- Decision: We decided to keep … in cart.py"


@pytest.mark.spec("N8", "C-13")
def test_the_highest_scored_points_are_kept_within_a_small_limit() -> None:
    summary = summarize_conversation(SHOP_MESSAGES, max_tokens=30)

    assert (
        summary
        == "- Decision: We decided to use PostgreSQL 16 for the shop\n- Decision: I'll use psycopg for the driver"
    )


def test_a_repeated_statement_is_summarized_once() -> None:
    summary = summarize_conversation(
        make_messages(
            (Role.USER, "We decided to use Redis for the cache."),
            (Role.ASSISTANT, "So we decided to use Redis for cache."),
        )
    )

    assert summary == "- Decision: We decided to use Redis for the cache"


def test_small_talk_has_an_empty_summary() -> None:
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
    summary_positions, since = [], 0
    for message in range(1, 61):
        since += message % 2 == 0
        if is_summary_due(since, every):
            summary_positions.append(message)
            since = 0

    assert summary_positions == list(range(2 * every, 61, 2 * every))


@pytest.mark.spec("H3", "H5")
def test_the_default_intervals_are_those_of_the_designs() -> None:
    defaults = SummaryPolicy()

    assert 3 <= defaults.working_every_exchanges <= 5
    assert defaults.every_answers == 5


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
def test_a_model_summary_is_truncated_at_a_sentence_or_a_bullet(text: str, limit: int, expected: str) -> None:
    assert validate_summary(text, limit) == expected


@pytest.mark.parametrize("text", ["", "  \n", '""', "```\ncode\n```"])
def test_an_empty_reply_is_not_a_summary(text: str) -> None:
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
def test_a_mood_is_detected_in_texts(texts: list[str], locale: str, expected: str | None) -> None:
    mood = detect_mood(texts)

    assert (mood.describe(locale) if mood else None) == expected


def test_code_and_quotations_are_no_sentences() -> None:
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
def test_a_session_summary_is_one_line_within_its_limits(
    previous: str | None, lines: list[tuple[Role, str]], locale: str, tokens: int, words: int
) -> None:
    summary = summarize_session(
        previous, make_messages(*lines), locale=locale, max_tokens=tokens, max_words=words
    )

    assert estimate_tokens(summary) <= tokens
    assert len(summary.split()) <= words
    assert "\n" not in summary
    assert summary == summarize_session(
        previous, make_messages(*lines), locale=locale, max_tokens=tokens, max_words=words
    )


@pytest.mark.spec("N8", "C-13")
@given(st.lists(_lines, max_size=12), st.integers(0, 200))
def test_a_conversation_summary_has_bullets_within_its_limit(
    lines: list[tuple[Role, str]], tokens: int
) -> None:
    summary = summarize_conversation(make_messages(*lines), max_tokens=tokens)

    assert estimate_tokens(summary) <= tokens
    assert all(line.startswith("- ") for line in summary.splitlines())
    assert "```" not in summary


@pytest.mark.spec("C-13")
@given(
    st.text(min_size=1, max_size=400).filter(lambda text: bool(text.strip('"“” \t\n'))), st.integers(1, 80)
)
def test_a_model_summary_never_exceeds_the_limit(text: str, tokens: int) -> None:
    try:
        summary = validate_summary(text, tokens)
    except AnswerUnreadable:
        summary = ""

    assert estimate_tokens(summary) <= tokens


@pytest.mark.parametrize(
    "piece", ["a.", "....", "we decided ", "`", "```", "- ", "I want to ", "!!", "não ", "x" * 50]
)
def test_very_long_messages_are_summarized_within_the_limits(piece: str) -> None:
    huge = make_messages((Role.USER, (piece * 100_000)[:100_000]))

    assert estimate_tokens(summarize_conversation(huge)) <= 200
    assert estimate_tokens(summarize_session(None, huge, locale="en")) <= 80
