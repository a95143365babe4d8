"""People, their messages and what is remembered of them, for the tests of this room."""

from datetime import UTC, datetime, timedelta
from typing import Literal

from recollect.context.block import assemble
from recollect.domain.candidate import Candidate, ScoredCandidate, Source
from recollect.domain.context import ContextBlock, Tiers
from recollect.domain.memory import Kind
from recollect.domain.message import ChunkKind, Message, Role
from recollect.domain.policy import ContextPolicy
from recollect.domain.reason import Reason
from recollect.domain.receipt import Disposition
from recollect.domain.summary import ContextFile

FormatName = Literal["notes", "facts", "smart", "companion", "dev", "agent", "xml", "messages"]
Locale = Literal["en", "pt"]

MONDAY = datetime(2024, 1, 1, 12, tzinfo=UTC)


def scored_candidate(
    text: str,
    *,
    id: str | None = None,  # noqa: A002
    source: Source = Source.MEMORY,
    kind: Kind | None = None,
    role: Role | None = None,
    parent: str | None = None,
    chunk_kind: ChunkKind | None = None,
    importance: int | None = None,
    summary: str | None = None,
    weight: float = 1.0,
    is_standing: bool = False,
) -> ScoredCandidate:
    return ScoredCandidate(
        candidate=Candidate(
            source=source,
            id=id or text,
            text=text,
            created_at=MONDAY,
            last_stated_at=MONDAY,
            tokens=0,
            chat="another chat",
            parent_id=parent,
            role=role,
            kind=kind,
            chunk_kind=chunk_kind,
            weight=weight,
            importance=importance,
            summary=summary,
            is_standing=is_standing,
        ),
        score=0.5,
        parts={"dense": 0.5},
    )


def recalled_message(text: str, *, id: str, role: Role = Role.USER) -> ScoredCandidate:  # noqa: A002
    return scored_candidate(text, id=id, source=Source.MESSAGE, role=role)


def recalled_chunk(text: str, *, id: str, parent: str, kind: ChunkKind = ChunkKind.PROSE) -> ScoredCandidate:  # noqa: A002
    return scored_candidate(
        text, id=id, source=Source.CHUNK, role=Role.ASSISTANT, parent=parent, chunk_kind=kind
    )


def message(
    content: str,
    *,
    id: str | None = None,  # noqa: A002
    role: Role = Role.USER,
    importance: int | None = None,
    summary: str | None = None,
    minute: int = 0,
) -> Message:
    return Message(
        id=id or content,
        user="pedro",
        chat="this chat",
        role=role,
        content=content,
        created_at=MONDAY + timedelta(minutes=minute),
        tokens=0,
        importance=importance,
        summary=summary,
    )


def context_file(name: str, content: str) -> ContextFile:
    return ContextFile(id=name, user="pedro", name=name, content=content, created_at=MONDAY)


def assemble_block(
    tiers: Tiers,
    policy: ContextPolicy,
    *,
    question: str = "What should I cook tonight?",
    code_first: bool = True,
    shown_keys: frozenset[tuple[Source, str]] = frozenset(),
) -> ContextBlock:
    return assemble(
        tiers, query=question, policy=policy, code_first=code_first, nonce="7f3a", recent_keys=shown_keys
    )


def injected_ids(context_block: ContextBlock) -> list[str]:
    return [item.id for item in context_block.items if item.disposition is Disposition.INJECTED]


def reasons_left_out(context_block: ContextBlock) -> dict[str, Reason | None]:
    return {item.id: item.reason for item in context_block.items if item.disposition is Disposition.LEFT_OUT}
