"""What belongs to which tier, and what need not be said because it is said already."""

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass

from recollect.context.plain_text import folded
from recollect.context.sections import SPOKEN
from recollect.domain.candidate import Candidate, Recollection, Source
from recollect.domain.context import Tiers
from recollect.domain.memory import normalised
from recollect.domain.message import ChunkKind, Message, Role
from recollect.domain.policy import Assemble

Key = tuple[Source, str]

VISIBLE = "already in the conversation"
REPEATED = "injected a moment ago"
COVERED = "covered by its chunk"
WHOLE_PROFILE = "the profile is shown whole"
WHOLE_FILE = "its file is shown whole"


def conversation(
    messages: Sequence[Message], policy: Assemble
) -> tuple[tuple[Message, ...], tuple[Message, ...]]:
    """Divide a chat, oldest first, into its last few messages and the earlier ones whose summaries matter."""
    spoken = [message for message in messages if message.role is not Role.SYSTEM]
    cut = max(len(spoken) - policy.buffer, 0)
    earlier = (
        message
        for message in spoken[:cut]
        if message.summary and message.importance is not None and message.importance > policy.local_floor
    )
    return tuple(spoken[cut:]), tuple(earlier)


def code_chunks_first(recalled: Sequence[Recollection]) -> list[int]:
    """The places of the recollections with code chunks before the rest, each in its old order."""
    return sorted(
        range(len(recalled)), key=lambda place: recalled[place].candidate.chunk_kind is not ChunkKind.CODE
    )


def needless(
    recalled: Sequence[Recollection],
    *,
    shown: Tiers,
    already: Collection[Key] = frozenset(),
    says: Callable[[Candidate], str],
) -> dict[int, str]:
    """Why some recollections need not be shown, by their place; `says` gives the words that would be."""
    known = _Known.of(recalled, shown, already)
    told: dict[str, Candidate] = {}
    reasons: dict[int, str] = {}
    for place, recollection in enumerate(recalled):
        candidate = recollection.candidate
        text = _comparable(says(candidate))
        twin = told.get(text)
        reason = known.reason_against(candidate, text) or (twin and f"same text as {twin.source} {twin.id}")
        if reason:
            reasons[place] = reason
        if text and (not reason or reason == REPEATED):
            told.setdefault(text, candidate)
    return reasons


@dataclass(frozen=True, slots=True, kw_only=True)
class _Known:
    """What the model has before it without any recollection."""

    messages: frozenset[str]
    texts: frozenset[str]
    files: frozenset[str]
    profile: bool
    already: Collection[Key]
    chunked: frozenset[str]  #: messages of which a chunk was recalled

    @classmethod
    def of(cls, recalled: Sequence[Recollection], shown: Tiers, already: Collection[Key]) -> "_Known":
        parents = (r.candidate.parent for r in recalled if r.candidate.source is Source.CHUNK)
        return cls(
            messages=frozenset(message.id for message in shown.buffer),
            texts=frozenset(_comparable(message.content) for message in shown.buffer),
            files=frozenset(file.id for file in shown.contexts),
            profile=bool(shown.profile),
            already=already,
            chunked=frozenset(parent for parent in parents if parent),
        )

    def reason_against(self, candidate: Candidate, text: str) -> str | None:
        origin = candidate.parent or candidate.id
        reasons = (
            (candidate.source in SPOKEN and origin in self.messages, VISIBLE),
            (bool(text) and text in self.texts, VISIBLE),
            (candidate.source is Source.PROFILE and self.profile, WHOLE_PROFILE),
            (candidate.source is Source.CONTEXT and origin in self.files, WHOLE_FILE),
            (candidate.key in self.already, REPEATED),
            (candidate.source is Source.MESSAGE and candidate.id in self.chunked, COVERED),
        )
        return next((reason for applies, reason in reasons if applies), None)


def _comparable(text: str) -> str:
    return normalised(folded(text))
