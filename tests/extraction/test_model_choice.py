import pytest

from recollect.errors import ModelMissing
from recollect.extraction.model_choice import choose_model

CLOUD_MODELS = [
    "anthropic/claude-opus-4-8",
    "google/gemini-3-flash-preview",
    "openai/gpt-5",
    "openai/gpt-5-mini",
    "openai/gpt-5-nano-2025-08-07",
    "openai/text-embedding-3-small",
]


@pytest.mark.spec("D4")
@pytest.mark.parametrize(
    ("models", "preferred", "chosen"),
    [
        (CLOUD_MODELS, "google/gemini-3-flash-preview", "google/gemini-3-flash-preview"),
        (CLOUD_MODELS, "gemini-3-flash-preview", "google/gemini-3-flash-preview"),
        (CLOUD_MODELS, "somebody/else", "openai/gpt-5-nano-2025-08-07"),
        (CLOUD_MODELS, None, "openai/gpt-5-nano-2025-08-07"),
        (["gpt-5", "gpt-5-nano-2025-08-07"], "openai/gpt-5", "gpt-5"),
        (["gpt-5", "gpt-5-nano-2025-08-07"], None, "gpt-5-nano-2025-08-07"),
        (CLOUD_MODELS[:4], None, "google/gemini-3-flash-preview"),
        (["claude-opus-5", "claude-haiku-5", "claude-sonnet-5"], None, "claude-haiku-5"),
        (["llama3.1:70b", "llama3.1:8b", "qwen3:1.7b", "gpt-oss:20b"], None, "qwen3:1.7b"),
        (["nomic-embed-text", "whisper-1", "llama3:70b"], None, "llama3:70b"),
        (["one", "two"], None, "one"),
    ],
)
def test_the_preferred_model_precedes_the_fallbacks_and_the_smallest(
    models: list[str], preferred: str | None, chosen: str
) -> None:
    assert choose_model(models, preferred) == chosen


def test_fallbacks_are_tried_in_their_order() -> None:
    assert choose_model(["a", "b", "c"], "x", ["y", "c", "b"]) == "c"


@pytest.mark.parametrize("models", [[], ["text-embedding-3-small"]])
def test_without_a_chat_model_an_error_is_raised(models: list[str]) -> None:
    with pytest.raises(ModelMissing, match="No language model is available"):
        choose_model(models, "gpt-5")
