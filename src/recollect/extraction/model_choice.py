"""Choose the extraction model: the preferred one, or the smallest chat model available."""

import re
from collections.abc import Sequence

from recollect.errors import ModelMissing

#: Small, cheap and good enough to extract single facts.
FALLBACK_MODELS = ("openai/gpt-5-nano-2025-08-07",)

_NAME_PART_PATTERN = re.compile(r"[a-z]+|\d+(?:\.\d+)?b(?![a-z])")
_SIZE_CLASSES = (
    {"nano", "tiny", "micro"},
    {"mini", "flash", "small", "haiku", "lite", "fast", "instant", "turbo"},
    {"medium", "sonnet", "plus"},
    {"large", "pro", "opus", "ultra", "max", "heavy", "thinking", "reasoner", "reasoning", "deep"},
)
_DEFAULT_SIZE_CLASS = 2
_NON_CHAT_WORDS = frozenset(
    "embed embedding embeddings embedder bge minilm rerank reranker moderation guard whisper tts stt "
    "transcribe audio "
    "realtime speech image imagen dall sora veo video ocr".split()
)


def choose_model(
    models: Sequence[str], preferred: str | None = None, fallbacks: Sequence[str] = FALLBACK_MODELS
) -> str:
    """
    Return the preferred model if available, else the first available fallback, else the smallest by its name.

    Raises ModelMissing when no model can chat.
    """
    for name in (preferred, *fallbacks):
        if name and (match := next((model for model in models if _is_same_model(model, name)), None)):
            return match
    chat_models = [model for model in models if not _NON_CHAT_WORDS & set(_name_parts(model))]
    if not chat_models:
        raise ModelMissing("No language model is available. Configure one, or extract with the rules.")
    return min(chat_models, key=_size_rank)


def _is_same_model(model: str, name: str) -> bool:
    """Compare two names, of which one may lack the provider prefix."""
    one, other = model.casefold(), name.casefold()
    return one == other or one.endswith(f"/{other}") or other.endswith(f"/{one}")


def _size_rank(model: str) -> tuple[float, float]:
    """Return size class and billions of parameters, both taken from the name, as a sort key."""
    parts = _name_parts(model)
    billions = next((float(part[:-1]) for part in parts if part[0].isdecimal()), None)
    size_classes = [size for size, words in enumerate(_SIZE_CLASSES) if words & set(parts)]
    if size_classes:
        return min(size_classes), billions or 0.0
    if billions is not None:
        return sum(billions > limit for limit in (4, 15, 40)), billions
    return _DEFAULT_SIZE_CLASS, 0.0


def _name_parts(model: str) -> list[str]:
    return _NAME_PART_PATTERN.findall(model.casefold())
