"""Decide, at no cost, whether a message is worth the judge's time."""

from dataclasses import dataclass
from typing import TypeAlias

from recollect.domain.message import Role
from recollect.domain.policy import TriagePolicy
from recollect.ingestion.triage.keep_phrases import find_keep_phrase
from recollect.ingestion.triage.triviality import triviality_reason


@dataclass(frozen=True, slots=True, kw_only=True)
class SkipMessage:
    """Nothing is learned from the message."""

    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ExtractMessage:
    """The judge decides."""

    reason: str


TriageDecision: TypeAlias = SkipMessage | ExtractMessage


def triage(text: str, role: Role, policy: TriagePolicy) -> TriageDecision:
    """Reasons are few and stable, so that they can be counted."""
    if role is Role.SYSTEM:
        return SkipMessage(reason="system text is never learned from")
    if not policy.enabled:
        return ExtractMessage(reason="funnel off")
    if role is Role.TOOL:
        return SkipMessage(reason="tool output is never learned from")
    return _triage_by_phrases(text, role, policy)


def _triage_by_phrases(text: str, role: Role, policy: TriagePolicy) -> TriageDecision:
    phrase = find_keep_phrase(text, policy)
    is_kept_by_phrase = phrase is not None and policy.keep_phrases_override == "all"
    if not is_kept_by_phrase and (reason := triviality_reason(text, role, policy)):
        return SkipMessage(reason=reason)
    return ExtractMessage(reason=f"gold: {phrase}" if phrase else "not trivial")
