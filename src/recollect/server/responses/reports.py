"""Response models of maintenance, jobs, settings, metrics, backups and compatibility routes."""

from typing import Annotated, Literal

from pydantic import Field

from recollect.server.responses.resources import (
    BandName,
    KindName,
    MemoryResponse,
    OriginName,
    ReasonResponse,
    RecallFlagsResponse,
    ResponseModel,
    RoleName,
    StatusName,
)


class ArchivedMemoryResponse(ResponseModel):
    id: str
    memory: str
    reason: ReasonResponse
    weeks: int | None


class MergedMemoryResponse(ResponseModel):
    id: str
    memory: str
    others: list[str]


class MaintenanceReportResponse(ResponseModel):
    at: str
    put_away: list[ArchivedMemoryResponse]
    merged: list[MergedMemoryResponse]


class FacetCountResponse(ResponseModel):
    status: StatusName
    kind: KindName
    origin: OriginName
    importance: BandName
    count: int


class FacetCountListResponse(ResponseModel):
    results: list[FacetCountResponse]


class ScoredMemoryResponse(MemoryResponse):
    score: float
    parts: Annotated[dict[str, float], Field(description="The weighted parts of the score.")]


class FindMemoriesResponse(ResponseModel):
    results: list[ScoredMemoryResponse]
    degraded: list[ReasonResponse]


class SourceQuoteResponse(ResponseModel):
    message_id: str
    chat_id: str
    role: RoleName
    created_at: str
    before: Annotated[str, Field(description="The text before the quote.")]
    quote: str
    after: str


class MemoryUseResponse(ResponseModel):
    receipt: str
    at: str
    chat_id: str | None
    query: str | None
    disposition: Literal["injected", "returned", "left_out"]
    score: float


class WeightPointResponse(ResponseModel):
    at: str
    weight: float


class MemoryDetailsResponse(ResponseModel):
    sources: list[SourceQuoteResponse]
    uses: Annotated[list[MemoryUseResponse], Field(description="Newest first.")]
    fading: Annotated[
        list[WeightPointResponse], Field(description="Forecast of the weight since it was last mentioned.")
    ]
    archive_below: float
    leaves_at: Annotated[
        str | None, Field(description="When it will be archived unless it is mentioned again.")
    ]
    reason: ReasonResponse | None


class JobResponse(ResponseModel):
    id: int
    kind: str
    key: str
    state: Literal["ready", "leased", "dead"]
    attempts: int
    run_at: str
    reason: ReasonResponse | None


class JobListResponse(ResponseModel):
    results: list[JobResponse]


class RetryJobsResponse(ResponseModel):
    retried: int


class SettingResponse(ResponseModel):
    name: str
    value: bool | int | float | str | list[str] | None
    source: Annotated[str, Field(description="call, preference, environment, file, preset or default.")]
    origin: str
    doc: str
    takes: str
    personal: Annotated[bool, Field(description="Whether a user may set it.")]
    kind: Annotated[str, Field(description="Type of the value.", examples=["whole number"])]
    choices: list[str]
    low: Annotated[float | None, Field(description="Minimum of a number.")]
    high: Annotated[float | None, Field(description="Maximum of a number; null if there is none.")]
    default: bool | int | float | str | list[str] | None
    environment: Annotated[list[str], Field(description="Environment variables, in order of precedence.")]
    secret: bool


class SettingListResponse(ResponseModel):
    results: list[SettingResponse]
    warnings: list[str]


class PresetResponse(ResponseModel):
    name: str
    values: dict[str, bool | int | float | str | list[str]]


class PresetListResponse(ResponseModel):
    results: list[PresetResponse]


class RetrievalSourcesResponse(ResponseModel):
    conversationDense: int  # noqa: N815 - keys of the specification from here on
    globalDense: int  # noqa: N815
    summaries: int
    profile: int
    ftsLexical: int  # noqa: N815


class RetrievalLatencyResponse(ResponseModel):
    totalMs: float  # noqa: N815
    denseMs: float  # noqa: N815
    ftsMs: float  # noqa: N815
    rerankMs: float  # noqa: N815


class RetrievalRecordResponse(ResponseModel):
    query: str | None
    timestamp: str
    conversationId: str | None  # noqa: N815
    sources: RetrievalSourcesResponse
    latency: RetrievalLatencyResponse
    topSimilarities: list[float]  # noqa: N815
    flags: RecallFlagsResponse


class PercentilesResponse(ResponseModel):
    p50: float
    p95: float
    p99: float | None = None


class PeriodMetricsResponse(ResponseModel):
    recalls: int
    hitRate: float  # noqa: N815
    topSimilarity: float | None  # noqa: N815
    contentTypes: dict[str, int]  # noqa: N815
    sources: dict[str, int]
    latency: dict[str, PercentilesResponse]
    flags: dict[str, float]
    budgetUsed: float | None  # noqa: N815
    tokens: PercentilesResponse | None
    overflows: int
    degraded: int


class MetricsResponse(PeriodMetricsResponse):
    advisedBudget: int | None  # noqa: N815
    summaries: int
    results: list[RetrievalRecordResponse]


class DebugRetrievalItemResponse(ResponseModel):
    content: str
    score: float
    source: str
    type: str


class DebugRetrievalResponse(ResponseModel):
    query: str
    results: list[DebugRetrievalItemResponse]
    metrics: RetrievalLatencyResponse
    flags: RecallFlagsResponse


class IndexSizesResponse(ResponseModel):
    messages: Annotated[str, Field(examples=["5.2 MB"])]
    embeddings: str
    fts: str


class DebugStatsResponse(ResponseModel):
    totalMessages: int  # noqa: N815
    totalConversations: int  # noqa: N815
    totalChunks: int  # noqa: N815
    totalSummaries: int  # noqa: N815
    profileConsent: bool  # noqa: N815
    indexSizes: IndexSizesResponse  # noqa: N815


class StatsResponse(ResponseModel):
    messages: int
    chats: int
    chunks: int
    memories: int
    summaries: int
    vectors: int
    pending_vectors: int
    jobs: dict[str, int]
    sizes: dict[str, int]


class OmittedPartResponse(ResponseModel):
    file: str
    position: Annotated[str, Field(examples=["message 17"])]
    reason: Annotated[str, Field(examples=["malformed_json"])]
    detail: str


class ImportResponse(ResponseModel):
    """What an import added, or with `dry_run` would add."""

    dry_run: bool
    import_id: Annotated[str | None, Field(description="For the undo; null if nothing was added.")]
    files: Annotated[dict[str, int], Field(description="Files by format.", examples=[{"chatgpt": 1}])]
    conversations: Annotated[int, Field(description="Conversations with new messages.")]
    branches: Annotated[int, Field(description="Branches that the user left.")]
    messages: Annotated[int, Field(description="New messages.")]
    memories: Annotated[int, Field(description="New memories.")]
    context_files: int
    duplicates: Annotated[int, Field(description="Items that are stored already.")]
    secrets: Annotated[dict[str, int], Field(description="Redacted secrets by kind.")]
    left_out: Annotated[dict[str, int], Field(description="What was left out, by reason.")]
    damaged: Annotated[
        list[OmittedPartResponse], Field(description="Parts that could not be imported, at most 100.")
    ]
    oldest: str | None
    newest: str | None
    tokens: Annotated[
        int | None, Field(description="Of the dry run: what a model would read to extract facts.")
    ] = None
    model: Annotated[
        str | None, Field(description="Of the dry run: the model that reads them; null if rules do.")
    ] = None
    passages: Annotated[int | None, Field(description="Of the dry run: texts to embed.")] = None
    embedding_seconds: Annotated[float | None, Field(description="Of the dry run: the time for that.")] = None
    queued_passages: Annotated[
        int | None, Field(description="Of an import: texts that wait for their embedding.")
    ] = None
    seconds: Annotated[float | None, Field(description="Of an import: its duration.")] = None


class ImportRecordResponse(ResponseModel):
    id: str
    source: str
    started_at: str
    finished_at: Annotated[str | None, Field(description="Null while it runs, or if it was interrupted.")]


class ImportListResponse(ResponseModel):
    results: list[ImportRecordResponse]


class TranscriptsResponse(ResponseModel):
    agent: Annotated[str, Field(examples=["claude-code"])]
    title: Annotated[str, Field(examples=["Claude Code"])]
    files: int
    bytes: int


class TranscriptListResponse(ResponseModel):
    results: list[TranscriptsResponse]


class ImportUndoResponse(ResponseModel):
    messages: Annotated[int, Field(description="Deleted messages.")]
    memories: Annotated[int, Field(description="Deleted memories.")]
    context_files: int
    kept: Annotated[list[ReasonResponse], Field(description="What was kept, and why.")]


class BackupResponse(ResponseModel):
    file: Annotated[str, Field(description="Path on the server.")]
    made_at: str
    bytes: int
    sha256: str
    schema_: Annotated[int, Field(alias="schema")]
    users: int
    messages: int
    memories: Annotated[int, Field(description="Active memories.")]
    newest: Annotated[str | None, Field(description="Time of the last message.")]
    rows: Annotated[dict[str, int], Field(description="Row counts by table.")]


class Mem0StatusResponse(ResponseModel):
    message: str


class Mem0ResultListResponse(ResponseModel):
    results: list[dict[str, object]]


class LlmResponse(ResponseModel):
    role: Literal["assistant"]
    content: str
    conversationId: str  # noqa: N815 - the key of this route
    receipt: str
    model: str | None
