"""Extractive answers without a language model: quote the recalled passages, labelled as quotes."""

from collections.abc import Sequence

from recollect.context.plain_text import to_single_line
from recollect.domain.receipt import ReceiptItem
from recollect.text.language import detect_language

NO_MODEL_LABELS = {
    "en": "(no language model: quoting memory)",
    "pt": "(sem modelo de linguagem: citando a memória)",
}
NO_MEMORY_ANSWERS = {
    "en": "I remember nothing about that yet.",
    "pt": "Ainda não me lembro de nada sobre isso.",
}
MAX_QUOTES = 5
MAX_QUOTE_CHARS = 400


def quote_memories(query: str, items: Sequence[ReceiptItem]) -> str:
    """Return the best recalled passages as a list, labelled in the language of the query."""
    locale = "pt" if detect_language(query) == "pt" else "en"
    quotes = [f"- {_format_quote(item)}" for item in items[:MAX_QUOTES]]
    return "\n".join([NO_MODEL_LABELS[locale], *(quotes or [NO_MEMORY_ANSWERS[locale]])])


def _format_quote(item: ReceiptItem) -> str:
    text = to_single_line(item.text)
    quote = text if len(text) <= MAX_QUOTE_CHARS else text[: MAX_QUOTE_CHARS - 1] + "…"
    return f"{quote} ({item.created_at:%Y-%m-%d})"
