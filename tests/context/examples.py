"""People, their messages and what is remembered of them, for the tests of this room."""

from datetime import UTC, datetime, timedelta
from typing import Literal

from recollect.context.block import assemble
from recollect.domain.candidate import Candidate, Recollection, Source
from recollect.domain.context import Block, Tiers
from recollect.domain.memory import Kind
from recollect.domain.message import ChunkKind, Message, Role
from recollect.domain.policy import Assemble
from recollect.domain.receipt import Fate
from recollect.domain.summary import ContextFile

Name = Literal["facts", "smart", "companion", "dev", "agent", "xml", "messages"]
Locale = Literal["en", "pt"]

MONDAY = datetime(2024, 1, 1, 12, tzinfo=UTC)


def recollection(
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
) -> Recollection:
    return Recollection(
        candidate=Candidate(
            source=source,
            id=id or text,
            text=text,
            created_at=MONDAY,
            seen_at=MONDAY,
            tokens=0,
            chat="another chat",
            parent=parent,
            role=role,
            kind=kind,
            chunk_kind=chunk_kind,
            weight=weight,
            importance=importance,
            summary=summary,
        ),
        score=0.5,
        parts={"dense": 0.5},
    )


def recalled_message(text: str, *, id: str, role: Role = Role.USER) -> Recollection:  # noqa: A002
    return recollection(text, id=id, source=Source.MESSAGE, role=role)


def recalled_chunk(text: str, *, id: str, parent: str, kind: ChunkKind = ChunkKind.PROSE) -> Recollection:  # noqa: A002
    return recollection(text, id=id, source=Source.CHUNK, role=Role.ASSISTANT, parent=parent, chunk_kind=kind)


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


def file(name: str, content: str) -> ContextFile:
    return ContextFile(id=name, user="pedro", name=name, content=content, created_at=MONDAY)


def block(
    tiers: Tiers,
    policy: Assemble,
    *,
    question: str = "What should I cook tonight?",
    code_first: bool = True,
    already: frozenset[tuple[Source, str]] = frozenset(),
) -> Block:
    return assemble(
        tiers, question=question, policy=policy, code_first=code_first, nonce="7f3a", already=already
    )


def injected(made: Block) -> list[str]:
    return [item.id for item in made.items if item.fate is Fate.INJECTED]


def reasons(made: Block) -> dict[str, str | None]:
    return {item.id: item.reason for item in made.items if item.fate is Fate.LEFT_OUT}
