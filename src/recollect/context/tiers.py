"""Assign messages to tiers, and find candidates that the prompt already contains."""

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass

from recollect.context.plain_text import to_single_line
from recollect.context.sections import MESSAGE_SOURCES
from recollect.domain.candidate import Candidate, ScoredCandidate, Source
from recollect.domain.context import Tiers
from recollect.domain.memory import normalize_fact
from recollect.domain.message import ChunkKind, Message, Role
from recollect.domain.policy import ContextPolicy
from recollect.domain.reason import Reason, ReasonCode

CandidateKey = tuple[Source, str]

IN_CONVERSATION_REASON = Reason(ReasonCode.IN_CONVERSATION)
RECENTLY_INJECTED_REASON = Reason(ReasonCode.INJECTED_RECENTLY)
COVERED_BY_CHUNK_REASON = Reason(ReasonCode.COVERED_BY_CHUNK)
PROFILE_SHOWN_REASON = Reason(ReasonCode.PROFILE_INCLUDED)
FILE_SHOWN_REASON = Reason(ReasonCode.FILE_INCLUDED)


def split_conversation(
    messages: Sequence[Message], policy: ContextPolicy
) -> tuple[tuple[Message, ...], tuple[Message, ...]]:
    """Split a chat, oldest first, into recent messages and earlier ones important enough to show as summaries."""
    chat_messages = [message for message in messages if message.role is not Role.SYSTEM]
    cut = max(len(chat_messages) - policy.recent_messages, 0)
    earlier = (
        message
        for message in chat_messages[:cut]
        if message.summary
        and message.importance is not None
        and message.importance > policy.summary_min_importance
    )
    return tuple(chat_messages[cut:]), tuple(earlier)


def order_code_first(candidates: Sequence[ScoredCandidate]) -> list[int]:
    """Return the candidates' indexes with code chunks first; the order is otherwise unchanged."""
    return sorted(
        range(len(candidates)), key=lambda place: candidates[place].candidate.chunk_kind is not ChunkKind.CODE
    )


def find_redundant(
    candidates: Sequence[ScoredCandidate],
    *,
    tiers: Tiers,
    recent_keys: Collection[CandidateKey] = frozenset(),
    text_of: Callable[[Candidate], str],
) -> dict[int, Reason]:
    """Return the reasons of redundant candidates by index; `text_of` returns the text that would be shown."""
    visible_context = _VisibleContext.from_tiers(candidates, tiers, recent_keys)
    first_by_text: dict[str, Candidate] = {}
    reasons: dict[int, Reason] = {}
    for position, scored in enumerate(candidates):
        candidate = scored.candidate
        text = _comparable_text(text_of(candidate))
        twin = first_by_text.get(text)
        reason = visible_context.redundancy_reason(candidate, text) or (twin and _same_text(twin))
        if reason:
            reasons[position] = reason
        if text and (not reason or reason == RECENTLY_INJECTED_REASON):
            first_by_text.setdefault(text, candidate)
    return reasons


@dataclass(frozen=True, slots=True, kw_only=True)
class _VisibleContext:
    """What the prompt contains besides recalled passages."""

    message_ids: frozenset[str]
    texts: frozenset[str]
    file_ids: frozenset[str]
    has_profile: bool
    recent_keys: Collection[CandidateKey]
    chunked_message_ids: frozenset[str]  #: messages with a recalled chunk

    @classmethod
    def from_tiers(
        cls, candidates: Sequence[ScoredCandidate], tiers: Tiers, recent_keys: Collection[CandidateKey]
    ) -> "_VisibleContext":
        parents = (r.candidate.parent_id for r in candidates if r.candidate.source is Source.CHUNK)
        return cls(
            message_ids=frozenset(message.id for message in tiers.recent_messages),
            texts=frozenset(_comparable_text(message.content) for message in tiers.recent_messages),
            file_ids=frozenset(file.id for file in tiers.context_files),
            has_profile=bool(tiers.profile),
            recent_keys=recent_keys,
            chunked_message_ids=frozenset(parent for parent in parents if parent),
        )

    def redundancy_reason(self, candidate: Candidate, text: str) -> Reason | None:
        origin = candidate.parent_id or candidate.id
        reasons = (
            (candidate.source in MESSAGE_SOURCES and origin in self.message_ids, IN_CONVERSATION_REASON),
            (bool(text) and text in self.texts, IN_CONVERSATION_REASON),
            (candidate.source is Source.PROFILE and self.has_profile, PROFILE_SHOWN_REASON),
            (candidate.source is Source.CONTEXT and origin in self.file_ids, FILE_SHOWN_REASON),
            (candidate.key in self.recent_keys, RECENTLY_INJECTED_REASON),
            (
                candidate.source is Source.MESSAGE and candidate.id in self.chunked_message_ids,
                COVERED_BY_CHUNK_REASON,
            ),
        )
        return next((reason for applies, reason in reasons if applies), None)


def _same_text(twin: Candidate) -> Reason:
    return Reason(ReasonCode.SAME_TEXT, {"source": twin.source.value, "id": twin.id})


def _comparable_text(text: str) -> str:
    return normalize_fact(to_single_line(text))
