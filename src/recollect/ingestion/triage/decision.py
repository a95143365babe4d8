"""Decide, at no cost, whether a message is worth the judge's time."""

from dataclasses import dataclass
from typing import TypeAlias

from recollect.domain.message import Role
from recollect.domain.policy import Funnel
from recollect.ingestion.triage.keep_phrases import gold
from recollect.ingestion.triage.triviality import trivial


@dataclass(frozen=True, slots=True, kw_only=True)
class Discard:
    """Nothing is learned from the message."""

    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Consider:
    """The judge decides."""

    reason: str


Verdict: TypeAlias = Discard | Consider


def verdict(text: str, role: Role, policy: Funnel) -> Verdict:
    """Reasons are few and stable, so that they can be counted."""
    if role is Role.SYSTEM:
        return Discard(reason="system text is never learned from")
    if not policy.enabled:
        return Consider(reason="funnel off")
    if role is Role.TOOL:
        return Discard(reason="tool output is never learned from")
    return _sifted(text, role, policy)


def _sifted(text: str, role: Role, policy: Funnel) -> Verdict:
    phrase = gold(text, policy)
    saved = phrase is not None and policy.gold_overrides == "all"
    if not saved and (reason := trivial(text, role, policy)):
        return Discard(reason=reason)
    return Consider(reason=f"gold: {phrase}" if phrase else "not trivial")
