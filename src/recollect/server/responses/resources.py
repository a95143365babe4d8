"""Response models of resources, for the OpenAPI document. `serialization.serializers` builds the responses."""

from typing import Annotated, Literal, TypeAlias

from pydantic import BaseModel, Field

from recollect.domain.reason import ReasonCode

EXAMPLE_TIMESTAMP = "2026-03-02T09:00:00.000+00:00"
EXAMPLE_MEMORY_ID = "01k9x2v7q3m5"
KindName: TypeAlias = Literal["biography", "preference", "emotion", "goal", "event", "decision", "note"]
StatusName: TypeAlias = Literal["active", "quarantined", "contested", "superseded", "archived", "forgotten"]
OriginName: TypeAlias = Literal["manual", "rules", "model", "import"]
BandName: TypeAlias = Literal["trivial", "temporary", "context", "critical"]
ModeName: TypeAlias = Literal["on", "collect_only", "recall_only", "off"]
ActionName: TypeAlias = Literal[
    "forget", "edit", "merge", "archive", "learn", "supersede", "pin", "restore", "accept", "undo"
]
RoleName: TypeAlias = Literal["user", "assistant", "system", "tool"]


MetadataObject: TypeAlias = Annotated[
    dict[str, object], Field(description="What the client stored with it.", examples=[{"project": "webshop"}])
]


class ResponseModel(BaseModel):
    """Base of all response models."""


class Problem(ResponseModel):
    """An error response."""

    type: Annotated[str, Field(examples=["about:blank#not_found"])]
    title: Annotated[str, Field(examples=["Not found"])]
    status: Annotated[int, Field(examples=[404])]
    code: Annotated[str, Field(description="Stable error code for programs.", examples=["not_found"])]
    detail: Annotated[str, Field(description="What happened, why, and what to do next.")]


class ReasonResponse(ResponseModel):
    """Why something was left out, kept, degraded, refused or failed."""

    code: Annotated[ReasonCode, Field(examples=["over_limit"])]
    params: Annotated[dict[str, str | int | float], Field(examples=[{"rank": 9, "limit": 8}])]
    text: Annotated[str, Field(examples=["rank 9 is beyond the limit of 8"])]


class SourceSpanResponse(ResponseModel):
    message_id: str
    start: int
    end: int


class MemoryResponse(ResponseModel):
    id: Annotated[str, Field(examples=[EXAMPLE_MEMORY_ID])]
    memory: Annotated[str, Field(examples=["is vegetarian"])]
    user_id: str
    created_at: Annotated[str, Field(examples=[EXAMPLE_TIMESTAMP])]
    updated_at: str
    last_stated_at: Annotated[str, Field(description="When it was last mentioned.")]
    chat_id: str | None
    kind: KindName
    importance: int
    weight: float
    status: StatusName
    origin: str
    speaker: RoleName
    tags: list[str]
    times_stated: int
    version: Annotated[int, Field(description="Also the ETag; send it in If-Match.")]
    pinned: bool
    valid_from: str | None
    valid_to: str | None
    sources: list[SourceSpanResponse]
    metadata: MetadataObject


class FactOutcomeResponse(ResponseModel):
    """The outcome of a fact. A declined fact has a reason instead of an id."""

    id: str | None
    memory: str
    event: Annotated[str, Field(description="ADD, REINFORCE, SUPERSEDE, CONTEST or NONE.", examples=["ADD"])]
    reason: ReasonResponse | None = None


class MemoryListResponse(ResponseModel):
    results: list[MemoryResponse]


class MemoryPageResponse(MemoryListResponse):
    limit: int
    offset: int


class MemoryVersionResponse(ResponseModel):
    id: str
    version: int
    event: str
    old_memory: str | None
    new_memory: str
    kind: str
    weight: float
    status: str
    changed_at: str
    reason: ReasonResponse | None


class MemoryHistoryResponse(ResponseModel):
    results: list[MemoryVersionResponse]


class ReceiptItemResponse(ResponseModel):
    id: str
    memory: str
    score: float
    parts: Annotated[dict[str, float], Field(description="The weighted parts of the score.")]
    cosine: Annotated[float | None, Field(description="Cosine similarity to the query, at most 1.")]
    source: str
    kind: str | None
    role: str | None
    chat_id: str | None
    created_at: str | None
    tokens: int
    disposition: Literal["injected", "returned", "left_out"]
    reason: ReasonResponse | None
    version: Annotated[int | None, Field(description="Version of a memory.")]
    erased: Annotated[
        bool, Field(description="Whether the passage was erased since; its text is then empty.")
    ]
    metadata: Annotated[
        dict[str, object], Field(description="Of a message or memory; empty in a stored receipt.")
    ]


class SearchResponse(ResponseModel):
    results: list[ReceiptItemResponse]
    receipt: Annotated[str | None, Field(description="Id of the receipt that explains the results.")]
    degraded: list[ReasonResponse]


class RecallFlagsResponse(ResponseModel):
    hybrid: bool
    chunking: bool
    tokenBudget: int  # noqa: N815 - a key of the specification


class ReceiptResponse(ResponseModel):
    id: str
    user_id: str
    chat_id: str | None
    query: str | None
    created_at: str
    preset: str
    ranker: str
    flags: RecallFlagsResponse
    budget: int
    tokens: int
    text: str
    items: list[ReceiptItemResponse]
    degraded: list[ReasonResponse]
    skipped: list[ReasonResponse]
    pending_embeddings: Annotated[
        int, Field(description="New passages without an embedding, which only lexical search could return.")
    ]
    sources: dict[str, int]
    timings: dict[str, float]


class ReceiptListResponse(ResponseModel):
    results: list[ReceiptResponse]


class ContextResponse(ResponseModel):
    text: Annotated[
        str, Field(description="The context block for the prompt; empty if nothing is relevant to the query.")
    ]
    tokens: int
    receipt: ReceiptResponse


class WhyNotResponse(ResponseModel):
    id: str
    memory: str
    reason: ReasonResponse
    cause: Annotated[
        ReasonResponse | None, Field(description="Why the memory is not active, if that is the reason.")
    ]
    rank: int | None
    score: float | None = None
    parts: dict[str, float] | None = None


class FeedbackResponse(ResponseModel):
    receipt: str
    id: str
    relevant: bool
    query: str | None
    chat_id: str | None
    created_at: str


class EventResponse(ResponseModel):
    id: str
    at: str
    action: str
    memories: list[str]
    undone: bool


class EventListResponse(ResponseModel):
    results: list[EventResponse]


class ReviewItemResponse(MemoryResponse):
    reason: Annotated[ReasonResponse | None, Field(description="Why it needs review.")]
    against: Annotated[list[MemoryResponse], Field(description="Memories it contradicts and would replace.")]


class ReviewQueueResponse(ResponseModel):
    results: list[ReviewItemResponse]


class DuplicatePairResponse(ResponseModel):
    memory: Annotated[MemoryResponse, Field(description="The more detailed one.")]
    other: MemoryResponse
    similarity: float


class DuplicateListResponse(ResponseModel):
    results: list[DuplicatePairResponse]


class MemoryChangeResponse(ResponseModel):
    id: str
    memory: Annotated[str | None, Field(description="Text after the event; null if erased.")]
    old_memory: Annotated[str | None, Field(description="Text before the event, if it differed.")]
    kind: KindName | None
    status: Annotated[StatusName | None, Field(description="Status after the event.")]
    status_now: StatusName | None
    chat_id: str | None
    pinned: bool


class TimelineEventResponse(ResponseModel):
    id: str
    at: str
    action: ActionName
    undone: bool
    can_be_undone: bool
    memories: list[MemoryChangeResponse]


class TimelineResponse(ResponseModel):
    results: list[TimelineEventResponse]


class DeletedCountResponse(ResponseModel):
    deleted: int


class ChatResponse(ResponseModel):
    id: str
    title: Annotated[str | None, Field(description="The title, or the first words of the first message.")]
    messages: int
    created_at: str
    updated_at: str
    mode: ModeName | None


class ChatListResponse(ResponseModel):
    results: list[ChatResponse]


class MessageResponse(ResponseModel):
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
    metadata: MetadataObject


class RecallSummaryResponse(ResponseModel):
    memories: Annotated[int, Field(description="Number of memories and summaries injected into the prompt.")]
    messages: Annotated[int, Field(description="Number of messages injected into the prompt.")]
    tokens: int
    budget: int
    ms: float


class ChatMessageResponse(MessageResponse):
    receipt: Annotated[str | None, Field(description="Receipt of its recall.")]
    recalled: Annotated[RecallSummaryResponse | None, Field(description="Summary of its recall.")]


class MessageListResponse(ResponseModel):
    results: list[ChatMessageResponse]


class IngestResultResponse(ResponseModel):
    id: str
    chat_id: str
    role: RoleName
    new: bool
    considered: bool
    reason: ReasonResponse
    tokens: int
    clipped_from: int | None
    masked: list[str]
    stored: bool


class AddMessagesResponse(ResponseModel):
    results: list[FactOutcomeResponse]
    messages: list[IngestResultResponse]


class ChatTurnResponse(ResponseModel):
    """A complete turn, for clients that do not stream."""

    asked: IngestResultResponse
    receipt: ReceiptResponse
    answer: IngestResultResponse | None
    text: str
    model: str | None


class StopAnswerResponse(ResponseModel):
    stopped: int


class ProfileResponse(ResponseModel):
    id: str | None
    preferences: dict[str, str | list[str]]
    context: dict[str, str]
    freeformNotes: str  # noqa: N815 - a key of the profile
    extra: dict[str, str]
    updatedAt: str | None  # noqa: N815


class ConsentListResponse(ResponseModel):
    consents: Annotated[dict[str, bool], Field(examples=[{"profile": False, "emotion": True}])]
    profileConsent: bool  # noqa: N815 - a key of the specification


class ConsentChangeResponse(ResponseModel):
    category: str
    granted: bool
    erased: dict[str, int]


class ConsentCoverageResponse(ResponseModel):
    category: str
    granted: bool
    covers: Annotated[dict[str, int], Field(description="Number of rows that revoking it would erase.")]


class AuditEntryResponse(ResponseModel):
    at: str
    action: str
    detail: str


class AuditLogResponse(ResponseModel):
    results: list[AuditEntryResponse]
    intact: Annotated[bool, Field(description="Whether the hash chain of the log is unbroken.")]


class ErasurePreviewResponse(ResponseModel):
    what: str
    rows: dict[str, int]
    memories: Annotated[list[MemoryResponse], Field(description="Memories to be erased, at most 100.")]


class ErasureCertificateResponse(ResponseModel):
    what: str
    rows: dict[str, int]
    physical: Annotated[bool, Field(description="Whether a scan of the file's bytes found no trace.")]
    detail: str
    bytes_scanned: int


class ContextFileResponse(ResponseModel):
    id: str
    name: str
    chats: list[str]
    characters: int
    created_at: str


class ContextFileContentResponse(ContextFileResponse):
    content: str


class ContextFileListResponse(ResponseModel):
    results: list[ContextFileResponse]


class SummaryResponse(ResponseModel):
    id: str
    chat_id: str
    kind: Literal["conversation", "working"]
    text: str
    created_at: str
    last_message_id: str | None


class SummaryListResponse(ResponseModel):
    results: list[SummaryResponse]
