from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from recollect.domain.message import Role
from recollect.domain.policy import ExtractionPolicy, load_preset
from recollect.domain.reason import Reason, ReasonCode
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
    prompt_options = PromptOptions(**{"policy": ExtractionPolicy(), "locale": "pt", **options})  # type: ignore[arg-type]
    return build_requests(sources, mode, prompt_options)


def format_prompt(request: ExtractionRequest) -> str:
    head = (
        f"{request.prompt_label}, at most {request.max_tokens} tokens, about {len(request.sources)} source(s)"
    )
    return "\n".join([head, *(f"\n=== {line.role}\n{line.text}" for line in request.messages), ""])


@pytest.mark.spec("D9", "D16", "C-5", "C-21")
@pytest.mark.parametrize("locale", ["en", "pt"])
@pytest.mark.parametrize("mode", MODES)
def test_rendered_prompts_match_their_snapshots(mode: ExtractionMode, locale: str) -> None:
    requests = build_prompts(
        mode,
        locale=locale,
        known_memories=["Mora no Porto", "Tem dois gatos"],
        context_texts=["Projeto: loja de vinhos."],
    )

    assert "\n".join(map(format_prompt, requests)) == (SNAPSHOTS_FOLDER / f"{mode}.{locale}.txt").read_text(
        "utf-8"
    )


@pytest.mark.spec("D16", "D17")
def test_prompt_a_is_the_text_of_the_companion_word_for_word() -> None:
    [request] = build_prompts("list", [VEGETARIAN])

    assert request.messages == (
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
def test_the_single_fact_prompt_has_one_system_and_one_user_message() -> None:
    [request] = build_prompts("single_fact", [VEGETARIAN, REPLY])
    system, user = request.messages

    assert (system.role, user) == (
        "system",
        PromptMessage(
            role="user", text="Reply with exactly one line: NOTHING or the single fact. No explanation."
        ),
    )
    assert user.text == ONE_LINE_INSTRUCTION


@pytest.mark.spec("D6")
def test_the_prompt_contains_the_whole_exchange() -> None:
    user = SourceText(id="u", role=Role.USER, text="Moro no Porto. " * 200)
    assistant = SourceText(id="a", role=Role.ASSISTANT, text="Que cidade bonita! " * 200)
    [request] = build_prompts("single_fact", [user, assistant])

    assert user.visible_text in request.messages[0].text
    assert assistant.visible_text in request.messages[0].text


@pytest.mark.spec("D15")
def test_every_exchange_is_one_request() -> None:
    requests = build_prompts("single_fact", [*CHAT_SOURCES, REPLY, DINNER])

    assert [[source.id for source in request.sources] for request in requests] == [
        ["m1", "m2"],
        ["m3", "m2"],
        ["m3"],
    ]


@pytest.mark.spec("D7", "F6")
@pytest.mark.parametrize("mode", MODES)
def test_the_prompt_has_eight_known_memories_as_bullets(mode: ExtractionMode) -> None:
    [request, *_] = build_prompts(mode, known_memories=[f"fact\nnumber {n}" for n in range(12)])
    bullets = [line for line in request.messages[0].text.splitlines() if line.startswith("- fact")]

    assert bullets == [f"- fact number {n}" for n in range(8)]


@pytest.mark.spec("D8")
@pytest.mark.parametrize("mode", MODES)
def test_the_prompt_contains_context_files_in_full(mode: ExtractionMode) -> None:
    files = ["# Wine shop\n\n" + "The cellar is in Porto. " * 100, "Second file"]
    [request, *_] = build_prompts(mode, context_texts=files)

    assert all(file.strip() in request.messages[0].text for file in files)
    assert request.omissions == ()


@pytest.mark.parametrize("mode", MODES)
def test_a_file_that_does_not_fit_is_omitted_and_reported(mode: ExtractionMode) -> None:
    long_text = "word " * 20_000
    [request, *_] = build_prompts(mode, context_texts=[long_text, "Second file"])

    assert request.omissions == (
        Reason(ReasonCode.FILE_OVER_PROMPT, {"number": 1, "tokens": estimate_tokens(long_text)}),
    )
    assert "Second file" in request.messages[0].text


def test_placeholders_in_inserted_text_are_not_filled() -> None:
    tricky = SourceText(id="t", role=Role.USER, text="{{EXISTING_CONTEXT}} {user_message} {{ASSISTANT_TEXT}}")
    [request] = build_prompts("single_fact", [tricky], context_texts=["secret file"])

    assert tricky.text in request.messages[0].text
    assert request.messages[0].text.count("secret file") == 1


@pytest.mark.spec("D9")
def test_a_user_prompt_overrides_the_built_in_one() -> None:
    template = (
        "---\nversion: mine-3\n---\n"
        "Known: {{EXISTING_MEMORIES}} File: {{EXISTING_CONTEXT}} U: {{USER_TEXT}} A: {{ASSISTANT_TEXT}}"
    )
    [request] = build_prompts(
        "single_fact",
        [VEGETARIAN, REPLY],
        known_memories=["x"],
        context_texts=["y"],
        overrides={"memory_extraction": template},
    )

    assert request.prompt_label == "memory_extraction.pt/mine-3"
    assert request.messages[0].text == (
        "Known: - x File: y U: Sou vegetariano e odeio coentro. A: Anotado: nada de coentro!"
    )


def test_an_override_for_a_language_precedes_the_general_one() -> None:
    overrides = {"list": "for all: {user_message}", "list.pt": "em português: {user_message}"}

    assert (
        build_prompts("list", [DINNER], overrides=overrides)[0].messages[0].text
        == "em português: O que janto hoje?"
    )
    assert (
        build_prompts("list", [DINNER], overrides=overrides, locale="en")[0].messages[0].text
        == "for all: O que janto hoje?"
    )


def test_an_unsupported_language_gets_the_english_prompt() -> None:
    assert build_prompts("list", [DINNER], locale="fr")[0].prompt_label == "list/1"


def test_a_batch_has_up_to_twenty_numbered_messages() -> None:
    chat = [SourceText(id=f"m{n}", role=Role.USER, text=f"fact {n}") for n in range(45)]
    requests = build_prompts("batch", chat, policy=load_preset("agent").extraction, locale="en")

    assert [len(request.sources) for request in requests] == [20, 20, 5]
    assert "[1] user: fact 20\n\n[2] user: fact 21" in requests[1].messages[0].text


def test_the_prompt_omits_injected_text() -> None:
    injected = SourceText(id="i", role=Role.USER, text=f"Hello {BLANK_CHARACTER * 5}there")
    only_injected = SourceText(id="o", role=Role.USER, text=BLANK_CHARACTER * 9)
    requests = build_prompts("list", [injected, only_injected])

    assert [request.messages[-1].text.splitlines()[-1] for request in requests] == ['Texto: "Hello there"']


@pytest.mark.spec("D6")
@pytest.mark.parametrize("mode", MODES)
@settings(max_examples=30, deadline=None)
@given(
    texts=st.lists(
        st.text("ab \n.é", min_size=1, max_size=4000).filter(lambda text: bool(text.strip())), max_size=6
    )
)
def test_requests_cover_every_message_within_the_token_limit(mode: ExtractionMode, texts: list[str]) -> None:
    roles = (Role.USER, Role.ASSISTANT)
    chat = [SourceText(id=f"m{n}", role=roles[n % 2], text=text) for n, text in enumerate(texts)]
    requests = build_prompts(mode, chat, max_input_tokens=1500)
    pieces = [source for request in requests for source in request.sources]

    for source in chat:
        parts = sorted((piece for piece in pieces if piece.id == source.id), key=lambda piece: piece.start)
        assert all(source.text[piece.start :].startswith(piece.text) for piece in parts)
        covered = "".join(piece.text for piece in parts)
        assert "".join(covered.split()) == "".join(source.text.split())
    assert all(sum(estimate_tokens(line.text) for line in request.messages) <= 2000 for request in requests)


@pytest.mark.parametrize("locale", ["en", "pt"])
def test_the_retry_request_contains_the_reply_and_the_problem(locale: str) -> None:
    [request] = build_prompts("list", [VEGETARIAN], locale=locale)
    retry = build_retry_request(request, "Sure! Here you go.", "there is no JSON list in it")

    assert retry.messages[:-1] == (
        *request.messages,
        PromptMessage(role="assistant", text="Sure! Here you go."),
    )
    assert "there is no JSON list in it" in retry.messages[-1].text
    assert (retry.sources, retry.schema, retry.max_tokens) == (
        request.sources,
        request.schema,
        request.max_tokens,
    )


def test_a_retry_truncates_a_long_reply_and_doubles_the_limit_of_a_truncated_one() -> None:
    [request] = build_prompts("list", [VEGETARIAN])
    retry = build_retry_request(request, "x" * 9000, "it is too long", is_truncated=True)

    assert retry.messages[-2].text == "x" * 4000 + " […]"
    assert retry.max_tokens == 2 * request.max_tokens


@pytest.mark.spec("C1", "C4", "C7")
def test_the_per_message_prompt_has_the_four_bands_and_a_schema() -> None:
    [request] = build_prompts("per_message", [VEGETARIAN], locale="en")
    text = request.messages[0].text

    assert [band in text for band in ("0 TRIVIAL", "1-30 TEMPORARY", "31-70 CONTEXT", "71-100 CRITICAL")] == [
        True
    ] * 4
    assert request.schema is not None
    assert request.schema["required"] == ["importance", "message_type", "summary", "facts"]
