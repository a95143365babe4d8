import pytest
from tests.context.examples import assemble_block, message, recalled_message, scored_candidate

from recollect.context.companion_format import build_companion_prompt
from recollect.context.tone_hints import find_tone_hint
from recollect.domain.context import Tiers
from recollect.domain.memory import Kind
from recollect.domain.message import Role
from recollect.domain.policy import ContextPolicy

KATHERINE_TIERS = Tiers(
    candidates=(
        scored_candidate("vegetariano", kind=Kind.BIOGRAPHY),
        scored_candidate("Gosta de Sci-Fi.", kind=Kind.PREFERENCE),
    ),
    working_summary="Usuário discutindo refatoração de código, levemente frustrado.",
    recent_messages=(message("Oi"), message("Olá!", role=Role.ASSISTANT)),
)


@pytest.mark.spec("M5")
def test_the_prompt_is_what_its_document_prints() -> None:
    assert build_companion_prompt(KATHERINE_TIERS, persona="Katherine") == (
        "Você é Katherine.\n"
        "[MEMÓRIA DE LONGO PRAZO]\n"
        "- Vegetariano; Gosta de Sci-Fi.\n\n"
        "[CONTEXTO ATUAL]\n"
        "Usuário discutindo refatoração de código, levemente frustrado.\n\n"
        "[HISTÓRICO RECENTE]\n"
        "- Usuário: Oi\n"
        "- Assistente: Olá!\n\n"
        "Responda de forma natural, usando a memória para personalizar, mas sem ser repetitiva."
    )


@pytest.mark.spec("M5")
def test_the_prompt_speaks_english_for_another_persona() -> None:
    assert build_companion_prompt(Tiers(working_summary="Cooking."), persona="Ada", locale="en") == (
        "You are Ada.\n"
        "[CURRENT CONTEXT]\n"
        "Cooking.\n\n"
        "Answer naturally, using the memory to personalise, but without repeating yourself."
    )


@pytest.mark.spec("M5", "M8")
def test_the_prompt_of_somebody_unknown_has_no_empty_sections() -> None:
    assert build_companion_prompt(Tiers(), persona="Katherine") == (
        "Você é Katherine.\n\n"
        "Responda de forma natural, usando a memória para personalizar, mas sem ser repetitiva."
    )


@pytest.mark.spec("M5", "C-25")
@pytest.mark.parametrize("tiers", [KATHERINE_TIERS, Tiers()])
def test_the_prompt_is_a_format_like_any_other(tiers: Tiers) -> None:
    made = assemble_block(tiers, ContextPolicy(format="companion_prompt", locale="pt", persona="Ada"))

    assert made.text == build_companion_prompt(tiers, persona="Ada")


@pytest.mark.spec("M4")
def test_events_notes_and_messages_have_lines_of_their_own() -> None:
    recalled = (
        scored_candidate("fui demitido!", kind=Kind.EVENT),
        scored_candidate("the key is\nunder the mat", kind=Kind.NOTE),
        recalled_message("I like tea", id="m1"),
        scored_candidate("frustrada com o chefe", kind=Kind.EMOTION),
        scored_candidate("pensativo", kind=Kind.EMOTION),
    )

    assert assemble_block(
        Tiers(candidates=recalled), ContextPolicy(format="companion", notice=False)
    ).text == (
        "[MEMORY]\n"
        "- Fui demitido!\n"
        "- The key is under the mat.\n"
        "- User: I like tea\n"
        "- Frustrada com o chefe (be patient).\n"
        "- Pensativo."
    )


@pytest.mark.spec("M4")
@pytest.mark.parametrize(
    ("mood", "locale", "advice"),
    [
        ("ansioso hoje", "pt", "trate com calma"),
        ("Ansiosa com finanças", "pt", "trate com calma"),
        ("anxious about money", "pt", "trate com calma"),
        ("anxious about money", "en", "keep calm and be gentle"),
        ("solitário no Natal", "pt", "faça companhia"),
        ("happy with the new job", "en", "share the joy"),
        ("não está mais ansioso", "pt", None),
        ("isn’t sad any more", "en", None),
        ("wistful", "en", None),
        ("", "en", None),
    ],
)
def test_a_mood_comes_with_advice_on_tone(mood: str, locale: str, advice: str | None) -> None:
    assert find_tone_hint(mood, locale) == advice
