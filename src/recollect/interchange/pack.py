"""All data of a user as values; `pack_format` writes and reads them."""

from dataclasses import dataclass
from datetime import datetime

from recollect.domain.extraction import Extraction
from recollect.domain.memory import ChangeKind, Memory
from recollect.domain.message import Message
from recollect.domain.reason import Reason
from recollect.domain.summary import ContextFile, Profile, Summary


@dataclass(frozen=True, slots=True, kw_only=True)
class PackedChat:
    id: str
    created_at: datetime
    title: str | None = None
    mode: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class PackedExtraction:
    message_id: str
    extraction: Extraction


@dataclass(frozen=True, slots=True, kw_only=True)
class PackedVersion:
    change: ChangeKind
    memory: Memory
    reason: Reason | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class PackedMemory:
    """A memory with all its versions, oldest first; the last is the current one."""

    id: str
    versions: tuple[PackedVersion, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class PackedConsent:
    category: str
    granted: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class PackedPreference:
    name: str
    value: str


@dataclass(frozen=True, slots=True, kw_only=True)
class PackedTombstone:
    fact_hash: str
    forgotten_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Pack:
    """The contents of a pack, by part."""

    chats: tuple[PackedChat, ...] = ()
    messages: tuple[Message, ...] = ()
    extractions: tuple[PackedExtraction, ...] = ()
    memories: tuple[PackedMemory, ...] = ()
    summaries: tuple[Summary, ...] = ()
    context_files: tuple[ContextFile, ...] = ()
    consents: tuple[PackedConsent, ...] = ()
    profile: tuple[Profile, ...] = ()  #: at most one, and only with consent
    preferences: tuple[PackedPreference, ...] = ()
    tombstones: tuple[PackedTombstone, ...] = ()
