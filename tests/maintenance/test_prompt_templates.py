import pytest

from recollect.maintenance.prompt_templates import (
    build_conversation_summary_prompt,
    build_working_memory_prompt,
)


@pytest.mark.spec("H4", "C-21")
def test_prompt_b_is_the_text_of_the_companion_word_for_word() -> None:
    assert build_working_memory_prompt("Fala de jantar.", "user: e agora?", locale="pt") == (
        "Resuma a conversa atual em 1 frase densa. Foque no objetivo atual e estado emocional.\n"
        'Atual: "Fala de jantar."\n'
        'Novas msgs: "user: e agora?"\n'
        "Saída (max 30 palavras):"
    )


@pytest.mark.spec("H4", "C-21")
def test_prompt_b_has_an_english_version() -> None:
    assert build_working_memory_prompt("Talks about dinner.", "user: and now?", max_words=20) == (
        "Summarise the current conversation in 1 dense sentence. Focus on the current goal and the emotional state.\n"
        'Current: "Talks about dinner."\n'
        'New messages: "user: and now?"\n'
        "Output (max 20 words):"
    )


@pytest.mark.spec("H7")
def test_the_summary_prompt_is_the_text_of_the_design_word_for_word() -> None:
    assert build_conversation_summary_prompt(10) == (
        "Summarize the last 10 messages in this conversation. Focus on:\n"
        "- Key technical decisions made\n"
        "- User preferences or constraints mentioned\n"
        "- Important context for future messages\n"
        "- Avoid repeating code verbatim\n"
        "\n"
        "Format as concise bullet points (max 200 tokens)."
    )


def test_the_summary_prompt_has_a_portuguese_version() -> None:
    prompt = build_conversation_summary_prompt(10, locale="pt", max_tokens=120)

    assert prompt.startswith("Resuma as últimas 10 mensagens desta conversa.")
    assert prompt.endswith("(max 120 tokens).")


def test_a_user_prompt_overrides_the_built_in_one() -> None:
    overrides = {"working_memory": "Shorten {previous_summary} and {buffer_recente}"}

    assert build_working_memory_prompt("a", "b", locale="pt", overrides=overrides) == "Shorten a and b"
