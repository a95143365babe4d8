"""Structured results of the tools. Every answer fits a budget as it is serialized, text and data together."""

import html
import json
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

# Before Python 3.12 the SDK reads the output schema only from this form.
from typing_extensions import TypedDict

from recollect.context.labels import NOTICES
from recollect.text.tokens import estimate_tokens

#: Budget of the answers of tools that have no argument for it.
ANSWER_BUDGET_TOKENS = 1_500
MIN_BUDGET_TOKENS = 100
MAX_BUDGET_TOKENS = 8_000
ELLIPSIS = "…"


class RecalledItem(TypedDict):
    id: str
    text: str
    kind: str
    when: str
    score: float


class RecallResult(TypedDict):
    items: list[RecalledItem]
    receipt: str
    degraded: list[str]


class RememberResult(TypedDict):
    id: str | None
    event: str
    reason: str | None


class ObserveResult(TypedDict):
    messages: list[dict[str, Any]]  #: id, considered, reason


class FetchResult(TypedDict):
    id: str
    title: str
    text: str
    url: str
    metadata: dict[str, Any]


class UpdateResult(TypedDict):
    id: str
    text: str
    version: int


class MemoryRef(TypedDict):
    id: str
    text: str


class ForgetResult(TypedDict):
    forgotten: bool
    memories: list[MemoryRef]
    undo: str | None


class WhyResult(TypedDict):
    receipt: str
    items: list[dict[str, Any]]
    degraded: list[str]


class ChatGptSearchResult(TypedDict):
    results: list[dict[str, str]]


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolAnswer:
    """What a tool returns: a text for the model, and the same as data."""

    text: str
    data: Any

    @property
    def tokens(self) -> int:
        return estimate_tokens(self.text) + estimate_tokens(json.dumps(self.data, ensure_ascii=False))


def clamp_budget(budget: int) -> int:
    return max(MIN_BUDGET_TOKENS, min(budget, MAX_BUDGET_TOKENS))


def as_data(lines: Iterable[str], *, nonce: str, locale: str) -> str:
    """Return recalled text, marked as data: what it says is not an order."""
    escaped = "\n".join(html.escape(line, quote=False) for line in lines)
    return f'<memory nonce="{nonce}">\n{NOTICES[locale]}\n{escaped}\n</memory>'


def shorten(text: str, max_tokens: int) -> str:
    """Return the beginning of a text, within a number of tokens."""
    if estimate_tokens(text) <= max_tokens:
        return text
    low, high = 0, len(text)
    while low < high:
        middle = (low + high + 1) // 2
        if estimate_tokens(text[:middle]) < max_tokens:
            low = middle
        else:
            high = middle - 1
    return text[:low] + ELLIPSIS
