"""Relevance feedback by users, and labelled queries for evaluation."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class RelevanceFeedback:
    """Whether one passage of a receipt was relevant to the query."""

    user: str
    receipt_id: str
    item_id: str
    relevant: bool
    created_at: datetime
    query: str | None = None  #: as stored in the receipt
    chat: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class RelevanceLabel:
    """A query and the gain of each relevant passage, by passage id or text."""

    query: str
    gains: Mapping[str, float]
    chat: str | None = None
