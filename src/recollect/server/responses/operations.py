"""Response models of operations: health checks, tokens, providers, re-embedding, tuning and analytics."""

from typing import Annotated, Literal

from pydantic import Field

from recollect.domain.reason import ReasonCode
from recollect.server.responses.reports import PercentilesResponse, PeriodMetricsResponse
from recollect.server.responses.resources import ReasonResponse, ResponseModel


class CheckResultResponse(ResponseModel):
    name: Annotated[str, Field(examples=["integrity"])]
    ok: bool
    level: Literal["ok", "warn", "fail"]
    detail: str
    fix: Annotated[str | None, Field(description="How to fix it, often a command.")]


class HookSpecificOutput(ResponseModel):
    hookEventName: str  # noqa: N815 - the agents' spelling
    additionalContext: Annotated[str, Field(description="Text to inject.")]  # noqa: N815


class HookResponse(ResponseModel):
    """The answer in the agent's own form; without anything to inject it has no members."""

    hookSpecificOutput: Annotated[  # noqa: N815
        HookSpecificOutput | None, Field(description="Of claude-code, codex and gemini.")
    ] = None
    additional_context: Annotated[str | None, Field(description="Of cursor.")] = None
    continue_: Annotated[bool | None, Field(alias="continue", description="Of cursor.")] = None
    context: Annotated[str | None, Field(description="Of opencode.")] = None


class ConnectableProgramResponse(ResponseModel):
    program: Annotated[str, Field(examples=["claude-code"])]
    title: Annotated[str, Field(examples=["Claude Code"])]
    state: Annotated[
        Literal["connected", "changed", "installed", "not installed"],
        Field(description="`changed`: connected, but its files have other entries than expected."),
    ]
    hooks: Annotated[bool, Field(description="Whether memory comes by hooks; otherwise by MCP tools.")]
    notes: Annotated[list[str], Field(description="What remains to be done by hand.")]


class ConnectionListResponse(ResponseModel):
    results: list[ConnectableProgramResponse]


class ConnectionPlanResponse(ConnectableProgramResponse):
    files: Annotated[list[str], Field(description="Paths of the changed files.")]
    diff: Annotated[str, Field(description="The changes as a unified diff.")]


class ConnectionResponse(ConnectionPlanResponse):
    problem: Annotated[str | None, Field(description="Why the test of the hook failed; null if it answered.")]


class DoctorResponse(ResponseModel):
    ok: bool
    findings: list[CheckResultResponse]


class TokenResponse(ResponseModel):
    name: str
    user_id: Annotated[str, Field(description="The user whose memory the token can access.")]
    admin: Annotated[bool, Field(description="Whether it can access all users.")]


class TokenListResponse(ResponseModel):
    results: list[TokenResponse]


class CreateTokenResponse(TokenResponse):
    token: Annotated[str, Field(description="Shown only once; the server stores its hash.")]


class ProviderResponse(ResponseModel):
    name: Literal["model", "embedder"]
    id: Annotated[str | None, Field(description="The model id; null if none is configured.")]
    address: Annotated[
        str | None, Field(description="Host that receives texts; null if they stay on this server.")
    ]


class ProviderListResponse(ResponseModel):
    results: list[ProviderResponse]


class ProviderTestResponse(ResponseModel):
    name: Literal["model", "embedder"]
    ok: bool
    milliseconds: float
    detail: Annotated[str, Field(description="The reply, or the error and what to do.")]


class ModelVectorCountResponse(ResponseModel):
    model: str
    vectors: int


class EmbeddingStatusResponse(ResponseModel):
    model: Annotated[str | None, Field(description="The configured model; null if search is lexical only.")]
    answering: Annotated[str | None, Field(description="The model whose vectors are searched now.")]
    moving_to: Annotated[str | None, Field(description="The target model of a running re-embedding.")]
    passages: Annotated[int, Field(description="Number of passages to embed.")]
    lacking: Annotated[int, Field(description="Passages without a vector of the configured model.")]
    vectors: list[ModelVectorCountResponse]


class TuningResponse(ResponseModel):
    name: str
    values: Annotated[dict[str, float], Field(examples=[{"recall.alpha": 0.5}])]


class TuningListResponse(ResponseModel):
    results: list[TuningResponse]


class LabelResponse(ResponseModel):
    query: str
    chat_id: str | None = None
    relevant: list[str] | dict[str, float]


class LabelListResponse(ResponseModel):
    results: list[LabelResponse]


class RankingQualityResponse(ResponseModel):
    """NDCG@5."""

    before: float
    after: float


class TuneResponse(ResponseModel):
    questions: int
    unfound: Annotated[int, Field(description="Queries for which no relevant passage was found.")]
    tried: int
    chosen_by: Annotated[RankingQualityResponse, Field(description="On the queries used for optimization.")]
    held_out: Annotated[RankingQualityResponse, Field(description="On held-out queries (cross-validation).")]
    better: int
    worse: int
    values: dict[str, float]
    before: dict[str, float]
    is_real: Annotated[bool, Field(description="Whether held-out queries improve.")]
    kept: bool


class UndoTuningResponse(ResponseModel):
    values: Annotated[dict[str, str | None], Field(description="The restored values; null if unset.")]


class MetricsIntervalResponse(ResponseModel):
    at: str
    recalls: int
    hitRate: float  # noqa: N815 - keys of the metrics from here on
    topSimilarity: float | None  # noqa: N815
    latency: dict[str, PercentilesResponse]
    budgetUsed: float | None  # noqa: N815
    degraded: int
    contentTypes: dict[str, int]  # noqa: N815
    summaries: int
    receipt: Annotated[str | None, Field(description="Receipt of the slowest recall.")]


class RecallRecordResponse(ResponseModel):
    receipt: str
    at: str
    query: str | None
    chat_id: str | None
    ms: float
    found: int
    left_out: int
    topSimilarities: list[float]  # noqa: N815
    tokens: int
    budget: int
    degraded: list[ReasonResponse]


class ModelUsageResponse(ResponseModel):
    calls: int
    tokens: int


class CodeCountResponse(ResponseModel):
    code: ReasonCode
    text: str
    count: int


class ReasonCountResponse(ReasonResponse):
    count: int


class AnalyticsResponse(ResponseModel):
    since: str
    until: str
    complete: Annotated[bool, Field(description="false if there were more recalls than the limit.")]
    whole: PeriodMetricsResponse
    steps: list[MetricsIntervalResponse]
    recalls: Annotated[list[RecallRecordResponse], Field(description="Newest first, at most 200.")]
    left_out: Annotated[list[CodeCountResponse], Field(description="Left-out passages by reason code.")]
    verdicts: Annotated[
        list[ReasonCountResponse], Field(description="Messages by triage decision, all time.")
    ]
    model_today: ModelUsageResponse
