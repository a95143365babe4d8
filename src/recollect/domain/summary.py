"""Summaries of chats, the user's profile, and attached context files."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum


class SummaryKind(StrEnum):
    CONVERSATION = "conversation"  #: bullet points, created every few answers
    WORKING = "working"  #: one dense sentence with the mood, replaced at each update


@dataclass(frozen=True, slots=True, kw_only=True)
class Summary:
    id: str
    user: str
    chat: str
    kind: SummaryKind
    text: str
    created_at: datetime
    last_message_id: str | None = None  #: the newest message it covers


@dataclass(frozen=True, slots=True, kw_only=True)
class Profile:
    """The user's description of themselves. Stored and used only with consent."""

    user: str
    updated_at: datetime
    preferences: Mapping[str, str | tuple[str, ...]] = field(default_factory=dict)
    context: Mapping[str, str] = field(default_factory=dict)
    notes: str = ""
    extra: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class ContextFile:
    """A text that the user attaches to chats, where it is always included."""

    id: str
    user: str
    name: str
    content: str
    created_at: datetime
    chats: tuple[str, ...] = ()
