"""Turn a message draft into a storable message: normalize, redact, truncate, chunk."""

from dataclasses import dataclass
from datetime import datetime

from recollect.domain.message import CHAT_ROLES, Chunk, Message, MessageDraft, Role
from recollect.domain.policy import Policy
from recollect.domain.scope import DEFAULT_CHAT, Scope
from recollect.ingestion.chunking import chunk_text
from recollect.ingestion.normalization import normalize_content
from recollect.ingestion.redaction import Redaction, redact
from recollect.ingestion.truncation import truncate
from recollect.text.tokens import estimate_tokens


@dataclass(frozen=True, slots=True, kw_only=True)
class PreparedMessage:
    """A message ready to be stored, its chunks, and the kinds of secrets that were redacted."""

    message: Message
    chunks: tuple[Chunk, ...]
    redacted_kinds: tuple[str, ...]


def prepare_message(
    draft: MessageDraft, policy: Policy, *, scope: Scope, message_id: str, now: datetime
) -> PreparedMessage:
    # An assistant message that only calls tools may be empty.
    is_tool_call_only = draft.tool_calls is not None and not draft.content.strip()
    text = (
        ""
        if is_tool_call_only
        else normalize_content(draft.content, max_bytes=policy.collect.max_message_bytes)
    )
    redaction = redact(text) if policy.collect.mask_secrets else Redaction(text=text, matches=())
    limit = policy.truncation.max_tool_chars if draft.role is Role.TOOL else 0
    truncation = truncate(redaction.text, limit)
    message = Message(
        id=message_id,
        user=scope.user,
        chat=scope.chat or DEFAULT_CHAT,
        role=draft.role,
        content=truncation.text,
        created_at=draft.created_at or now,
        tokens=estimate_tokens(truncation.text),
        tool_calls=draft.tool_calls,
        tool_call_id=draft.tool_call_id,
        client_id=draft.client_id,
        metadata=draft.metadata,
        original_bytes=truncation.original_bytes,
    )
    kinds = tuple(dict.fromkeys(match.kind for match in redaction.matches))
    return PreparedMessage(message=message, chunks=chunk_message(message, policy), redacted_kinds=kinds)


def chunk_message(message: Message, policy: Policy) -> tuple[Chunk, ...]:
    """Return the chunks of a user or assistant message; tool output and system text are not indexed."""
    return chunk_text(message.content, policy.chunking) if message.role in CHAT_ROLES else ()
