"""Results of health checks, and counts of what is stored."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

DiagnosticLevel: TypeAlias = Literal["OK", "WARN", "FAIL"]


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckResult:
    """The result of one check, with a fix if it failed."""

    name: str
    ok: bool
    detail: str
    fix: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Diagnostic:
    """A finding of `doctor`, with a fix unless all is well."""

    level: DiagnosticLevel
    name: str
    detail: str
    fix: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class DoctorReport:
    findings: tuple[Diagnostic, ...]

    @property
    def is_healthy(self) -> bool:
        return all(finding.level == "OK" for finding in self.findings)


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
