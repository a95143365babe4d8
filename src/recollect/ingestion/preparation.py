"""Intake: from what a client handed over to a message that can be stored."""

from dataclasses import dataclass

from recollect.domain.message import SPEAKERS, Chunk, Draft, Message, Role
from recollect.domain.policy import Policy
from recollect.domain.scope import DEFAULT_CHAT, Scope
from recollect.ingestion.chunking import chunks
from recollect.ingestion.normalization import clean
from recollect.ingestion.redaction import Masked, masked
from recollect.ingestion.truncation import clip
from recollect.ports.clock import Clock, Ids
from recollect.text.tokens import estimate


@dataclass(frozen=True, slots=True, kw_only=True)
class Intake:
    """A message fit to be stored, its pieces, and the kinds of secrets that were masked in it."""

    message: Message
    chunks: tuple[Chunk, ...]
    masked: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class IntakeStep:
    clock: Clock
    ids: Ids

    def __call__(self, scope: Scope, draft: Draft, policy: Policy) -> Intake:
        # An assistant that only calls a tool says nothing, and that is no mistake.
        speechless = draft.tool_calls is not None and not draft.content.strip()
        text = "" if speechless else clean(draft.content, largest=policy.collect.largest_message)
        secrets = masked(text) if policy.collect.mask_secrets else Masked(text=text, found=())
        limit = policy.clip.tool_chars if draft.role is Role.TOOL else 0
        clipped = clip(secrets.text, limit)
        message = Message(
            id=self.ids.new(),
            user=scope.user,
            chat=scope.chat or DEFAULT_CHAT,
            role=draft.role,
            content=clipped.text,
            created_at=draft.created_at or self.clock.now(),
            tokens=estimate(clipped.text),
            tool_calls=draft.tool_calls,
            tool_call_id=draft.tool_call_id,
            client_id=draft.client_id,
            original_bytes=clipped.original_bytes,
        )
        kinds = tuple(dict.fromkeys(finding.kind for finding in secrets.found))
        return Intake(message=message, chunks=self.cut(message, policy), masked=kinds)

    def cut(self, message: Message, policy: Policy) -> tuple[Chunk, ...]:
        """The chunks of a message that somebody said; tool output and system text are not searched."""
        return chunks(message.content, policy.chunking) if message.role in SPEAKERS else ()
