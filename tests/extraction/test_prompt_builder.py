from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from recollect.domain.message import Role
from recollect.domain.policy import ExtractionPolicy, load_preset
from recollect.extraction.injected_blocks import BLANK_CHARACTER
from recollect.extraction.prompt_builder import (
    ONE_LINE_INSTRUCTION,
    ExtractionMode,
    ExtractionRequest,
    PromptMessage,
    PromptOptions,
    SourceText,
    build_requests,
    build_retry_request,
)
from recollect.text.tokens import estimate_tokens

SNAPSHOTS_FOLDER = Path(__file__).parent / "snapshots"
MODES: tuple[ExtractionMode, ...] = ("per_message", "list", "single_fact", "batch")

VEGETARIAN = SourceText(id="m1", role=Role.USER, text="Sou vegetariano e odeio coentro.")
REPLY = SourceText(id="m2", role=Role.ASSISTANT, text="Anotado: nada de coentro!")
DINNER = SourceText(id="m3", role=Role.USER, text="O que janto hoje?")
CHAT_SOURCES = (VEGETARIAN, REPLY, DINNER)


def build_prompts(
    mode: ExtractionMode, sources: Sequence[SourceText] = CHAT_SOURCES, **options: object
) -> list[ExtractionRequest]:
    desk = PromptOptions(**{"policy": ExtractionPolicy(), "locale": "pt", **options})  # type: ignore[arg-type]
    return build_requests(sources, mode, desk)


def format_prompt(question: ExtractionRequest) -> str:
    head = f"{question.prompt_label}, at most {question.max_tokens} tokens, about {len(question.sources)} source(s)"
    return "\n".join([head, *(f"\n=== {line.role}\n{line.text}" for line in question.messages), ""])


@pytest.mark.spec("D9", "D16", "C-5", "C-21")
@pytest.mark.parametrize("locale", ["en", "pt"])
@pytest.mark.parametrize("mode", MODES)
def test_a_changed_prompt_is_a_visible_difference(mode: ExtractionMode, locale: str) -> None:
    found = build_prompts(
        mode,
        locale=locale,
        known_memories=["Mora no Porto", "Tem dois gatos"],
        context_texts=["Projeto: loja de vinhos."],
    )

    assert "\n".join(map(format_prompt, found)) == (SNAPSHOTS_FOLDER / f"{mode}.{locale}.txt").read_text(
        "utf-8"
    )


@pytest.mark.spec("D16", "D17")
def test_prompt_a_is_the_text_of_the_companion_word_for_word() -> None:
    [question] = build_prompts("list", [VEGETARIAN])

    assert question.messages == (
        PromptMessage(
            role="user",
            text=(
                "Analise a msg do usuário. Extraia fatos novos, preferências ou estados emocionais importantes.\n"
                "Saída APENAS JSON minificado (lista). Se nada relevante, retorne [].\n"
                'Formato: {"t": "tipo", "c": "fato curto", "w": 0.0-1.0}\n'
                "Tipos: bio, pref, emo, obj.\n"
                'Texto: "Sou vegetariano e odeio coentro."'
            ),
        ),
    )


@pytest.mark.spec("D10")
def test_one_fact_is_asked_for_with_one_system_and_one_user_message() -> None:
    [question] = build_prompts("single_fact", [VEGETARIAN, REPLY])
    system, user = question.messages

    assert (system.role, user) == (
        "system",
        PromptMessage(
            role="user", text="Reply with exactly one line: NOTHING or the single fact. No explanation."
        ),
    )
    assert user.text == ONE_LINE_INSTRUCTION


@pytest.mark.spec("D6")
def test_an_exchange_is_shown_whole() -> None:
    user = SourceText(id="u", role=Role.USER, text="Moro no Porto. " * 200)
    assistant = SourceText(id="a", role=Role.ASSISTANT, text="Que cidade bonita! " * 200)
    [question] = build_prompts("single_fact", [user, assistant])

    assert user.visible_text in question.messages[0].text
    assert assistant.visible_text in question.messages[0].text


@pytest.mark.spec("D15")
def test_every_exchange_is_one_question() -> None:
    found = build_prompts("single_fact", [*CHAT_SOURCES, REPLY, DINNER])

    assert [[source.id for source in question.sources] for question in found] == [
        ["m1", "m2"],
        ["m3", "m2"],
        ["m3"],
    ]


@pytest.mark.spec("D7", "F6")
@pytest.mark.parametrize("mode", MODES)
def test_eight_known_memories_are_shown_as_bullets(mode: ExtractionMode) -> None:
    [question, *_] = build_prompts(mode, known_memories=[f"fact\nnumber {n}" for n in range(12)])
    bullets = [line for line in question.messages[0].text.splitlines() if line.startswith("- fact")]

    assert bullets == [f"- fact number {n}" for n in range(8)]


@pytest.mark.spec("D8")
@pytest.mark.parametrize("mode", MODES)
def test_attached_files_are_shown_in_full(mode: ExtractionMode) -> None:
    files = ["# Wine shop\n\n" + "The cellar is in Porto. " * 100, "Second file"]
    [question, *_] = build_prompts(mode, context_texts=files)

    assert all(file.strip() in question.messages[0].text for file in files)
    assert question.omissions == ()


@pytest.mark.parametrize("mode", MODES)
def test_a_file_without_room_is_left_out_whole_and_said_to_be(mode: ExtractionMode) -> None:
    long = "word " * 20_000
    [question, *_] = build_prompts(mode, context_texts=[long, "Second file"])

    assert question.omissions == (
        f"context file 1 does not fit into the prompt: {estimate_tokens(long):,} tokens",
    )
    assert "Second file" in question.messages[0].text


def test_what_is_filled_in_is_never_filled_again() -> None:
    tricky = SourceText(id="t", role=Role.USER, text="{{EXISTING_CONTEXT}} {user_message} {{ASSISTANT_TEXT}}")
    [question] = build_prompts("single_fact", [tricky], context_texts=["secret file"])

    assert tricky.text in question.messages[0].text
    assert question.messages[0].text.count("secret file") == 1


@pytest.mark.spec("D9")
def test_a_prompt_of_the_user_is_used_instead_of_ours() -> None:
    own = (
        "---\nversion: mine-3\n---\n"
        "Known: {{EXISTING_MEMORIES}} File: {{EXISTING_CONTEXT}} U: {{USER_TEXT}} A: {{ASSISTANT_TEXT}}"
    )
    [question] = build_prompts(
        "single_fact",
        [VEGETARIAN, REPLY],
        known_memories=["x"],
        context_texts=["y"],
        overrides={"memory_extraction": own},
    )

    assert question.prompt_label == "memory_extraction.pt/mine-3"
    assert question.messages[0].text == (
        "Known: - x File: y U: Sou vegetariano e odeio coentro. A: Anotado: nada de coentro!"
    )


def test_a_prompt_for_one_language_goes_before_one_for_all() -> None:
    own = {"list": "for all: {user_message}", "list.pt": "em português: {user_message}"}

    assert (
        build_prompts("list", [DINNER], overrides=own)[0].messages[0].text
        == "em português: O que janto hoje?"
    )
    assert (
        build_prompts("list", [DINNER], overrides=own, locale="en")[0].messages[0].text
        == "for all: O que janto hoje?"
    )


def test_a_language_we_do_not_speak_is_asked_in_english() -> None:
    assert build_prompts("list", [DINNER], locale="fr")[0].prompt_label == "list/1"


def test_twenty_messages_are_asked_about_at_once_each_with_its_number() -> None:
    chat = [SourceText(id=f"m{n}", role=Role.USER, text=f"fact {n}") for n in range(45)]
    found = build_prompts("batch", chat, policy=load_preset("agent").extraction, locale="en")

    assert [len(question.sources) for question in found] == [20, 20, 5]
    assert "[1] user: fact 20\n\n[2] user: fact 21" in found[1].messages[0].text


def test_what_was_injected_is_not_shown() -> None:
    injected = SourceText(id="i", role=Role.USER, text=f"Hello {BLANK_CHARACTER * 5}there")
    only = SourceText(id="o", role=Role.USER, text=BLANK_CHARACTER * 9)
    found = build_prompts("list", [injected, only])

    assert [question.messages[-1].text.splitlines()[-1] for question in found] == ['Texto: "Hello there"']


@pytest.mark.spec("D6")
@pytest.mark.parametrize("mode", MODES)
@settings(max_examples=30, deadline=None)
@given(
    texts=st.lists(
        st.text("ab \n.é", min_size=1, max_size=4000).filter(lambda text: bool(text.strip())), max_size=6
    )
)
def test_nothing_of_a_message_is_left_out_and_no_question_is_too_long(
    mode: ExtractionMode, texts: list[str]
) -> None:
    roles = (Role.USER, Role.ASSISTANT)
    chat = [SourceText(id=f"m{n}", role=roles[n % 2], text=text) for n, text in enumerate(texts)]
    found = build_prompts(mode, chat, max_input_tokens=1500)
    pieces = [source for question in found for source in question.sources]

    for source in chat:
        own = sorted((piece for piece in pieces if piece.id == source.id), key=lambda piece: piece.start)
        assert all(source.text[piece.start :].startswith(piece.text) for piece in own)
        covered = "".join(piece.text for piece in own)
        assert "".join(covered.split()) == "".join(source.text.split())
    assert all(sum(estimate_tokens(line.text) for line in question.messages) <= 2000 for question in found)


@pytest.mark.parametrize("locale", ["en", "pt"])
def test_the_second_question_shows_the_answer_and_what_is_wrong_with_it(locale: str) -> None:
    [question] = build_prompts("list", [VEGETARIAN], locale=locale)
    again = build_retry_request(question, "Sure! Here you go.", "there is no JSON list in it")

    assert again.messages[:-1] == (
        *question.messages,
        PromptMessage(role="assistant", text="Sure! Here you go."),
    )
    assert "there is no JSON list in it" in again.messages[-1].text
    assert (again.sources, again.schema, again.max_tokens) == (
        question.sources,
        question.schema,
        question.max_tokens,
    )


def test_a_huge_answer_is_shown_in_part_and_one_that_was_cut_gets_more_room() -> None:
    [question] = build_prompts("list", [VEGETARIAN])
    again = build_retry_request(question, "x" * 9000, "it is too long", is_truncated=True)

    assert again.messages[-2].text == "x" * 4000 + " […]"
    assert again.max_tokens == 2 * question.max_tokens


@pytest.mark.spec("C1", "C4", "C7")
def test_the_strict_judge_is_told_the_four_bands_and_what_to_answer() -> None:
    [question] = build_prompts("per_message", [VEGETARIAN], locale="en")
    text = question.messages[0].text

    assert [band in text for band in ("0 TRIVIAL", "1-30 TEMPORARY", "31-70 CONTEXT", "71-100 CRITICAL")] == [
        True
    ] * 4
    assert question.schema is not None
    assert question.schema["required"] == ["importance", "message_type", "summary", "facts"]
