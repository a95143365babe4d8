"""Answers without a language model: quotes what was recalled, and says that it does."""

from collections.abc import Sequence

from recollect.context.plain_text import folded
from recollect.domain.receipt import Item
from recollect.text.language import detect

LABELS = {
    "en": "(no language model: quoting memory)",
    "pt": "(sem modelo de linguagem: citando a memória)",
}
NOTHING = {
    "en": "I remember nothing about that yet.",
    "pt": "Ainda não me lembro de nada sobre isso.",
}
MOST = 5
LONGEST = 400


def quoting(question: str, items: Sequence[Item]) -> str:
    """The recollections behind an answer, best first, in the language of the question."""
    locale = "pt" if detect(question) == "pt" else "en"
    quotes = [f"- {_line(item)}" for item in items[:MOST]]
    return "\n".join([LABELS[locale], *(quotes or [NOTHING[locale]])])


def _line(item: Item) -> str:
    text = folded(item.text)
    shown = text if len(text) <= LONGEST else text[: LONGEST - 1] + "…"
    return f"{shown} ({item.created_at:%Y-%m-%d})"
