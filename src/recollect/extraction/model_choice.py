"""Choose the model that judges: the one that was asked for, or the smallest that can do it."""

import re
from collections.abc import Sequence

from recollect.errors import ModelMissing

#: Small, cheap and good enough for one fact.
FALLBACKS = ("openai/gpt-5-nano-2025-08-07",)

_PART = re.compile(r"[a-z]+|\d+(?:\.\d+)?b(?![a-z])")
_SIZES = (
    {"nano", "tiny", "micro"},
    {"mini", "flash", "small", "haiku", "lite", "fast", "instant", "turbo"},
    {"medium", "sonnet", "plus"},
    {"large", "pro", "opus", "ultra", "max", "heavy", "thinking", "reasoner", "reasoning", "deep"},
)
_ORDINARY = 2
_NO_CHAT = frozenset(
    "embed embedding embeddings embedder bge minilm rerank reranker moderation guard whisper tts stt transcribe audio "
    "realtime speech image imagen dall sora veo video ocr".split()
)


def choose(models: Sequence[str], preferred: str | None = None, fallbacks: Sequence[str] = FALLBACKS) -> str:
    """
    The preferred model if it is there, else the first fallback that is, else the smallest by its name.

    Raises ModelMissing when no model can chat.
    """
    for wanted in (preferred, *fallbacks):
        if wanted and (found := next((model for model in models if _same(model, wanted)), None)):
            return found
    able = [model for model in models if not _NO_CHAT & set(_parts(model))]
    if not able:
        raise ModelMissing("No language model is available. Set one, or let the rules judge.")
    return min(able, key=_size)


def _same(model: str, wanted: str) -> bool:
    """A model may be listed with its provider or without."""
    one, other = model.casefold(), wanted.casefold()
    return one == other or one.endswith(f"/{other}") or other.endswith(f"/{one}")


def _size(model: str) -> tuple[float, float]:
    """Its class, then its billions; sizes that are counted fall between those that are named."""
    parts = _parts(model)
    billions = next((float(part[:-1]) for part in parts if part[0].isdecimal()), None)
    named = [size for size, words in enumerate(_SIZES) if words & set(parts)]
    if named:
        return min(named), billions or 0.0
    if billions is not None:
        return sum(billions > limit for limit in (4, 15, 40)), billions
    return _ORDINARY, 0.0


def _parts(model: str) -> list[str]:
    return _PART.findall(model.casefold())
