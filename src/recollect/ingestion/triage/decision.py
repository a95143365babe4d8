"""Decide with phrase lists, without a model call, whether facts are extracted from a message."""

from dataclasses import dataclass
from typing import TypeAlias

from recollect.domain.message import Role
from recollect.domain.policy import TriagePolicy
from recollect.domain.reason import Reason, ReasonCode
from recollect.ingestion.triage.keep_phrases import find_keep_phrase
from recollect.text.triviality import triviality_reason


@dataclass(frozen=True, slots=True, kw_only=True)
class SkipMessage:
    """The message is stored, but no facts are extracted from it."""

    reason: Reason


@dataclass(frozen=True, slots=True, kw_only=True)
class ExtractMessage:
    """The message goes on to extraction."""

    reason: Reason


TriageDecision: TypeAlias = SkipMessage | ExtractMessage


def triage(text: str, role: Role, policy: TriagePolicy) -> TriageDecision:
    """Return the decision with its reason. Reasons come from a small fixed set, so that they can be counted."""
    if role is Role.SYSTEM:
        return SkipMessage(reason=Reason(ReasonCode.SYSTEM_MESSAGE))
    if not policy.enabled:
        return ExtractMessage(reason=Reason(ReasonCode.TRIAGE_OFF))
    if role is Role.TOOL:
        return SkipMessage(reason=Reason(ReasonCode.TOOL_OUTPUT))
    return _triage_by_phrases(text, role, policy)


def _triage_by_phrases(text: str, role: Role, policy: TriagePolicy) -> TriageDecision:
    phrase = find_keep_phrase(text, policy)
    is_kept_by_phrase = phrase is not None and policy.keep_phrases_override == "all"
    if not is_kept_by_phrase and (code := triviality_reason(text, role, policy)):
        return SkipMessage(reason=Reason(code))
    if phrase:
        return ExtractMessage(reason=Reason(ReasonCode.KEEP_PHRASE, {"phrase": phrase}))
    return ExtractMessage(reason=Reason(ReasonCode.NOT_TRIVIAL))
