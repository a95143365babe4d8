"""What the server answers with, for its description. The answers themselves are made by `shapes`."""

from typing import Annotated, Literal, TypeAlias

from pydantic import BaseModel, Field

WHEN = "2026-03-02T09:00:00.000+00:00"
MEMORY_ID = "01k9x2v7q3m5"
KindName: TypeAlias = Literal["bio", "pref", "emo", "obj", "evt", "dec", "note"]
StandingName: TypeAlias = Literal["active", "quarantined", "contested", "superseded", "archived", "forgotten"]
OriginName: TypeAlias = Literal["manual", "rules", "model", "import"]
BandName: TypeAlias = Literal["trivial", "temporary", "context", "critical"]
ModeName: TypeAlias = Literal["on", "collect_only", "recall_only", "off"]
ActionName: TypeAlias = Literal[
    "forget", "edit", "merge", "archive", "learn", "supersede", "pin", "restore", "accept", "undo"
]
RoleName: TypeAlias = Literal["user", "assistant", "system", "tool"]


class Shown(BaseModel):
    """What the server answers with."""


class Problem(Shown):
    """Every failure."""

    type: Annotated[str, Field(examples=["about:blank#not_found"])]
    title: Annotated[str, Field(examples=["Not found"])]
    status: Annotated[int, Field(examples=[404])]
    code: Annotated[str, Field(description="For machines; it never changes.", examples=["not_found"])]
    detail: Annotated[str, Field(description="What happened, why, and what to do next.")]


class SourceSpan(Shown):
    message_id: str
    start: int
    end: int


class Memory(Shown):
    id: Annotated[str, Field(examples=[MEMORY_ID])]
    memory: Annotated[str, Field(examples=["is vegetarian"])]
    user_id: str
    created_at: Annotated[str, Field(examples=[WHEN])]
    updated_at: str
    seen_at: Annotated[str, Field(description="When it was last said again.")]
    chat_id: str | None
    kind: KindName
    importance: int
    weight: float
    standing: StandingName
    origin: str
    speaker: RoleName
    tags: list[str]
    sightings: int
    version: Annotated[int, Field(description="Also in the header ETag; send it back in If-Match.")]
    pinned: bool
    valid_from: str | None
    valid_to: str | None
    sources: list[SourceSpan]


class Kept(Shown):
    """The memory with what happened to it; one that was not kept has no id and a reason."""

    id: str | None
    memory: str
    event: Annotated[str, Field(description="ADD, REINFORCE, SUPERSEDE, CONTEST or NONE.", examples=["ADD"])]
    reason: str | None = None


class Memories(Shown):
    results: list[Memory]


class MemoryPage(Memories):
    limit: int
    offset: int


class Version(Shown):
    id: str
    version: int
    event: str
    old_memory: str | None
    new_memory: str
    kind: str
    weight: float
    standing: str
    changed_at: str
    reason: str | None


class Versions(Shown):
    results: list[Version]


class Item(Shown):
    id: str
    memory: str
    score: float
    parts: Annotated[dict[str, float], Field(description="What the score is made of.")]
    cosine: Annotated[float | None, Field(description="How near it is to the question by meaning, up to 1.")]
    source: str
    kind: str | None
    role: str | None
    chat_id: str | None
    created_at: str
    tokens: int
    fate: Literal["injected", "returned", "left_out"]
    reason: str | None


class Found(Shown):
    results: list[Item]
    receipt: Annotated[str | None, Field(description="Ask why with this.")]
    degraded: list[str]


class RecallFlags(Shown):
    hybrid: bool
    chunking: bool
    tokenBudget: int  # noqa: N815 - a key of the specification


class Receipt(Shown):
    id: str
    user_id: str
    chat_id: str | None
    query: str | None
    created_at: str
    preset: str
    ranker: str
    flags: RecallFlags
    budget: int
    tokens: int
    text: str
    items: list[Item]
    degraded: list[str]
    skipped: list[str]
    sources: dict[str, int]
    timings: dict[str, float]


class Receipts(Shown):
    results: list[Receipt]


class Context(Shown):
    text: Annotated[
        str, Field(description="The block for the prompt; empty if nothing bears on the question.")
    ]
    tokens: int
    receipt: Receipt


class Absence(Shown):
    id: str
    memory: str
    reason: str
    rank: int | None
    score: float | None = None
    parts: dict[str, float] | None = None


class Opinion(Shown):
    receipt: str
    id: str
    relevant: bool
    query: str | None
    chat_id: str | None
    created_at: str


class Event(Shown):
    id: str
    at: str
    action: str
    memories: list[str]
    undone: bool


class Events(Shown):
    results: list[Event]


class WaitingMemory(Memory):
    reason: Annotated[str | None, Field(description="Why it waits.")]
    against: Annotated[list[Memory], Field(description="What it contradicts, and would take the place of.")]


class Waiting(Shown):
    results: list[WaitingMemory]


class Pair(Shown):
    memory: Annotated[Memory, Field(description="The one that says more.")]
    other: Memory
    similarity: float


class Pairs(Shown):
    results: list[Pair]


class Altered(Shown):
    id: str
    memory: Annotated[str | None, Field(description="What it said afterwards; null if it is erased.")]
    old_memory: Annotated[str | None, Field(description="What it said before, if that was something else.")]
    kind: KindName | None
    standing: Annotated[StandingName | None, Field(description="Afterwards.")]
    standing_now: StandingName | None
    chat_id: str | None
    pinned: bool


class ToldEvent(Shown):
    id: str
    at: str
    action: ActionName
    undone: bool
    can_be_undone: bool
    memories: list[Altered]


class Timeline(Shown):
    results: list[ToldEvent]


class Count(Shown):
    deleted: int


class Chat(Shown):
    id: str
    title: Annotated[str | None, Field(description="Given, or the first words of the first message.")]
    messages: int
    created_at: str
    updated_at: str
    mode: ModeName | None


class Chats(Shown):
    results: list[Chat]


class Message(Shown):
    id: str
    chat_id: str
    role: RoleName
    content: str
    created_at: str
    tokens: int
    tool_calls: str | None
    tool_call_id: str | None
    summary: str | None
    importance: int | None
    message_type: str | None
    extracted: bool


class Recalled(Shown):
    memories: Annotated[int, Field(description="How many passages were put before the model.")]
    tokens: int
    budget: int
    ms: float


class ChatMessage(Message):
    receipt: Annotated[str | None, Field(description="The recall that was made for it.")]
    recalled: Annotated[Recalled | None, Field(description="That recall in short.")]


class Messages(Shown):
    results: list[ChatMessage]


class Observed(Shown):
    id: str
    chat_id: str
    role: RoleName
    new: bool
    considered: bool
    reason: str
    tokens: int
    clipped_from: int | None
    masked: list[str]
    stored: bool


class Listened(Shown):
    results: list[Kept]
    messages: list[Observed]


class Turn(Shown):
    """A whole turn, for clients that do not stream."""

    asked: Observed
    receipt: Receipt
    answer: Observed | None
    text: str
    model: str | None


class Stopped(Shown):
    stopped: int


class Profile(Shown):
    id: str | None
    preferences: dict[str, str | list[str]]
    context: dict[str, str]
    freeformNotes: str  # noqa: N815 - a key of the profile
    extra: dict[str, str]
    updatedAt: str | None  # noqa: N815


class Consents(Shown):
    consents: Annotated[dict[str, bool], Field(examples=[{"profile": False, "emo": True}])]
    profileConsent: bool  # noqa: N815 - a key of the specification


class ConsentChanged(Shown):
    category: str
    granted: bool
    erased: dict[str, int]


class Covered(Shown):
    category: str
    granted: bool
    covers: Annotated[dict[str, int], Field(description="What would be erased if it were taken back now.")]


class LedgerLine(Shown):
    at: str
    action: str
    detail: str


class Ledger(Shown):
    results: list[LedgerLine]
    intact: Annotated[bool, Field(description="Whether nobody changed the book.")]


class ErasePreview(Shown):
    what: str
    rows: dict[str, int]
    memories: Annotated[list[Memory], Field(description="The memories that would go, or some of them.")]


class Certificate(Shown):
    what: str
    rows: dict[str, int]
    physical: Annotated[bool, Field(description="Whether the file's bytes were looked at and found clean.")]
    detail: str
    bytes_scanned: int


class ContextFile(Shown):
    id: str
    name: str
    chats: list[str]
    characters: int
    created_at: str


class WholeContextFile(ContextFile):
    content: str


class ContextFiles(Shown):
    results: list[ContextFile]


class Summary(Shown):
    id: str
    chat_id: str
    kind: Literal["conversation", "working"]
    text: str
    created_at: str
    last_message_id: str | None


class Summaries(Shown):
    results: list[Summary]
