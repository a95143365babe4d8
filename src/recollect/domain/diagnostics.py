"""Results of health checks, and counts of what is stored."""

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckResult:
    """The result of one check, with a fix if it failed."""

    name: str
    ok: bool
    detail: str
    fix: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class StoreStats:
    messages: int
    chats: int
    chunks: int
    memories: int
    summaries: int
    vectors: int
    pending_vectors: int
    jobs: Mapping[str, int] = field(default_factory=dict)
    sizes: Mapping[str, int] = field(default_factory=dict)  #: bytes by part
