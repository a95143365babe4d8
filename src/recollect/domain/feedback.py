"""What the user said of what was recalled, and what a question should have brought."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class RelevanceFeedback:
    """Whether one passage of a receipt bore on the question."""

    user: str
    receipt_id: str
    item_id: str
    relevant: bool
    created_at: datetime
    query: str | None = None  #: as the receipt has it
    chat: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class RelevanceLabel:
    """A question and what bears on it, each by its id or by its words, with how much it does."""

    query: str
    gains: Mapping[str, float]
    chat: str | None = None
