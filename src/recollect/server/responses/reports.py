"""More answers, for their description: work, settings, measures, and what other programs expect."""

from typing import Annotated, Literal

from pydantic import Field

from recollect.server.responses.resources import (
    BandName,
    KindName,
    Memory,
    OriginName,
    RecallFlags,
    RoleName,
    Shown,
    StandingName,
)


class PutAway(Shown):
    id: str
    memory: str
    reason: str
    weeks: int | None


class MergedAway(Shown):
    id: str
    memory: str
    others: list[str]


class Tended(Shown):
    at: str
    put_away: list[PutAway]
    merged: list[MergedAway]


class SortCount(Shown):
    standing: StandingName
    kind: KindName
    origin: OriginName
    importance: BandName
    count: int


class Census(Shown):
    results: list[SortCount]


class FoundMemory(Memory):
    score: float
    parts: Annotated[dict[str, float], Field(description="What the score is made of.")]


class FoundMemories(Shown):
    results: list[FoundMemory]
    degraded: list[str]


class Quote(Shown):
    message_id: str
    chat_id: str
    role: RoleName
    created_at: str
    before: Annotated[str, Field(description="What was said just before these words.")]
    quote: str
    after: str


class MemoryUse(Shown):
    receipt: str
    at: str
    chat_id: str | None
    query: str | None
    fate: Literal["injected", "returned", "left_out"]
    score: float


class Weight(Shown):
    at: str
    weight: float


class Account(Shown):
    sources: list[Quote]
    uses: Annotated[list[MemoryUse], Field(description="The newest first.")]
    fading: Annotated[list[Weight], Field(description="From when it was last said.")]
    archive_below: float
    leaves_at: Annotated[str | None, Field(description="When it is put away if it is not said again.")]
    reason: str | None


class Job(Shown):
    id: int
    kind: str
    key: str
    state: Literal["ready", "leased", "parked"]
    attempts: int
    run_at: str
    reason: str | None


class Jobs(Shown):
    results: list[Job]


class Retried(Shown):
    retried: int


class Setting(Shown):
    name: str
    value: bool | int | float | str | list[str] | None
    source: Annotated[str, Field(description="call, preference, environment, file, preset or default.")]
    origin: str
    doc: str
    takes: str
    personal: Annotated[bool, Field(description="Whether a user may set it.")]
    kind: Annotated[str, Field(description="What it takes, in a word or two.", examples=["whole number"])]
    choices: list[str]
    low: Annotated[float | None, Field(description="The least a number may be.")]
    high: Annotated[
        float | None, Field(description="The most a number may be; null if nothing sensible is too much.")
    ]
    default: bool | int | float | str | list[str] | None
    environment: Annotated[list[str], Field(description="Variables that set it, strongest first.")]
    secret: bool


class SettingsList(Shown):
    results: list[Setting]
    warnings: list[str]


class Preset(Shown):
    name: str
    values: dict[str, bool | int | float | str | list[str]]


class Presets(Shown):
    results: list[Preset]


class RetrievalSources(Shown):
    conversationDense: int  # noqa: N815 - keys of the specification from here on
    globalDense: int  # noqa: N815
    summaries: int
    profile: int
    ftsLexical: int  # noqa: N815


class RetrievalLatency(Shown):
    totalMs: float  # noqa: N815
    denseMs: float  # noqa: N815
    ftsMs: float  # noqa: N815
    rerankMs: float  # noqa: N815


class RetrievalLine(Shown):
    query: str | None
    timestamp: str
    conversationId: str | None  # noqa: N815
    sources: RetrievalSources
    latency: RetrievalLatency
    topSimilarities: list[float]  # noqa: N815
    flags: RecallFlags


class Percentiles(Shown):
    p50: float
    p95: float
    p99: float | None = None


class WholeSpan(Shown):
    recalls: int
    hitRate: float  # noqa: N815
    topSimilarity: float | None  # noqa: N815
    contentTypes: dict[str, int]  # noqa: N815
    sources: dict[str, int]
    latency: dict[str, Percentiles]
    flags: dict[str, float]
    budgetUsed: float | None  # noqa: N815
    tokens: Percentiles | None
    overflows: int
    degraded: int


class MetricsReport(WholeSpan):
    advisedBudget: int | None  # noqa: N815
    summaries: int
    results: list[RetrievalLine]


class DebugResult(Shown):
    content: str
    score: float
    source: str
    type: str


class DebugRetrieval(Shown):
    query: str
    results: list[DebugResult]
    metrics: RetrievalLatency
    flags: RecallFlags


class IndexSizes(Shown):
    messages: Annotated[str, Field(examples=["5.2 MB"])]
    embeddings: str
    fts: str


class DebugStats(Shown):
    totalMessages: int  # noqa: N815
    totalConversations: int  # noqa: N815
    totalChunks: int  # noqa: N815
    totalSummaries: int  # noqa: N815
    profileConsent: bool  # noqa: N815
    indexSizes: IndexSizes  # noqa: N815


class Stats(Shown):
    messages: int
    chats: int
    chunks: int
    memories: int
    summaries: int
    vectors: int
    pending_vectors: int
    jobs: dict[str, int]
    sizes: dict[str, int]


class Imported(Shown):
    dry_run: bool
    imported: Annotated[dict[str, int], Field(description="What was new, by part.")]
    known: Annotated[dict[str, int], Field(description="What was here already.")]
    left_out: Annotated[list[dict[str, str]], Field(description="What was not taken in, and why.")]


class Backup(Shown):
    file: Annotated[str, Field(description="On the server.")]
    made_at: str
    bytes: int
    sha256: str
    schema_: Annotated[int, Field(alias="schema")]
    users: int
    messages: int
    memories: Annotated[int, Field(description="Those in use.")]
    newest: Annotated[str | None, Field(description="When something was said last.")]
    rows: Annotated[dict[str, int], Field(description="By table.")]


class Mem0Done(Shown):
    message: str


class Mem0Results(Shown):
    results: list[dict[str, object]]


class LlmAnswer(Shown):
    role: Literal["assistant"]
    content: str
    conversationId: str  # noqa: N815 - the key of this route
    receipt: str
    model: str | None
