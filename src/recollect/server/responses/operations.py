"""Answers about the house itself, for their description: checks, tokens, providers, tuning, and how recall went."""

from typing import Annotated, Literal

from pydantic import Field

from recollect.server.responses.reports import PercentilesResponse, PeriodMetricsResponse
from recollect.server.responses.resources import ResponseModel


class CheckResultResponse(ResponseModel):
    name: Annotated[str, Field(examples=["integrity"])]
    ok: bool
    level: Literal["ok", "warn", "fail"]
    detail: str
    fix: Annotated[str | None, Field(description="What to do about it, often a command.")]


class DoctorResponse(ResponseModel):
    ok: bool
    findings: list[CheckResultResponse]


class TokenResponse(ResponseModel):
    name: str
    user_id: Annotated[str, Field(description="Whose memory it opens.")]
    admin: Annotated[bool, Field(description="Whether it opens everybody's.")]


class TokenListResponse(ResponseModel):
    results: list[TokenResponse]


class CreateTokenResponse(TokenResponse):
    token: Annotated[str, Field(description="ResponseModel this once; only its hash is kept.")]


class ProviderResponse(ResponseModel):
    name: Literal["model", "embedder"]
    id: Annotated[str | None, Field(description="The model; null if there is none.")]
    address: Annotated[str | None, Field(description="Where texts are sent; null if they stay here.")]


class ProviderListResponse(ResponseModel):
    results: list[ProviderResponse]


class ProviderTestResponse(ResponseModel):
    name: Literal["model", "embedder"]
    ok: bool
    milliseconds: float
    detail: Annotated[str, Field(description="What it answered, or why not and what to do.")]


class ModelVectorCountResponse(ResponseModel):
    model: str
    vectors: int


class EmbeddingStatusResponse(ResponseModel):
    model: Annotated[
        str | None, Field(description="The model of the settings; null searches by words alone.")
    ]
    answering: Annotated[str | None, Field(description="The model whose vectors answer now.")]
    moving_to: Annotated[str | None, Field(description="The model that vectors are being made of.")]
    passages: Annotated[int, Field(description="How many there are to embed.")]
    lacking: Annotated[int, Field(description="How many have no vector of the settings' model yet.")]
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
    unfound: Annotated[int, Field(description="Questions for which nothing relevant was found at all.")]
    tried: int
    chosen_by: Annotated[
        RankingQualityResponse, Field(description="On the questions the numbers were chosen by.")
    ]
    held_out: Annotated[
        RankingQualityResponse, Field(description="On questions with numbers chosen without them.")
    ]
    better: int
    worse: int
    values: dict[str, float]
    before: dict[str, float]
    is_real: Annotated[bool, Field(description="Whether questions gain that the numbers were not chosen by.")]
    kept: bool


class UndoTuningResponse(ResponseModel):
    values: Annotated[dict[str, str | None], Field(description="What holds again; null is not set.")]


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
    receipt: Annotated[str | None, Field(description="The recall that took longest.")]


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
    degraded: list[str]


class ModelUsageResponse(ResponseModel):
    calls: int
    tokens: int


class AnalyticsResponse(ResponseModel):
    since: str
    until: str
    complete: Annotated[bool, Field(description="false if there were more recalls than are counted.")]
    whole: PeriodMetricsResponse
    steps: list[MetricsIntervalResponse]
    recalls: Annotated[list[RecallRecordResponse], Field(description="The newest first, 200 at most.")]
    left_out: Annotated[dict[str, int], Field(description="Why passages were left out.")]
    verdicts: Annotated[dict[str, int], Field(description="Why messages were judged or not, ever.")]
    model_today: ModelUsageResponse
