"""Recall metrics, computed from receipts."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from math import ceil

from recollect.domain.reason import ReasonCode
from recollect.domain.receipt import Disposition, Receipt, ReceiptItem

#: Top similarities that are returned.
MAX_SIMILARITIES = 3
#: Recommended budgets: a smaller block is useless, a larger one crowds the prompt. They are rounded to the step.
MIN_BUDGET_TOKENS, MAX_BUDGET_TOKENS, BUDGET_STEP_TOKENS = 200, 4000, 50


@dataclass(frozen=True, slots=True, kw_only=True)
class Percentiles:
    p50: float
    p95: float
    p99: float


@dataclass(frozen=True, slots=True, kw_only=True)
class RecallMetrics:
    """Shares are from 0 to 1; times are milliseconds."""

    recall_count: int = 0
    hit_rate: float = 0.0  #: share of recalls with a result
    top_similarity: float | None = None  #: mean cosine of the best passage
    content_types: Mapping[str, int] = field(default_factory=dict)  #: passages returned, by content type
    sources: Mapping[str, int] = field(default_factory=dict)  #: hits per channel before ranking
    latency: Mapping[str, Percentiles] = field(default_factory=dict)  #: by stage
    flags: Mapping[str, float] = field(default_factory=dict)  #: share of recalls with a feature enabled
    budget_used: float | None = None  #: mean share of the budget used by a block
    tokens: Percentiles | None = None  #: per block
    overflow_count: int = 0  #: blocks that left out a passage for lack of budget
    degraded_count: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class MetricsReport:
    """The metrics of the last recalls, with their receipts."""

    metrics: RecallMetrics
    recommended_budget: int | None  #: a budget that fits the use; None without blocks
    summary_count: int
    receipts: Sequence[Receipt]  #: newest first


def compute_metrics(receipts: Sequence[Receipt]) -> RecallMetrics:
    if not receipts:
        return RecallMetrics()
    used_items = [
        [item for item in receipt.items if item.disposition is not Disposition.LEFT_OUT]
        for receipt in receipts
    ]
    tops = [best for items in used_items for best in top_similarities(items)[:1]]
    blocks = [receipt for receipt in receipts if receipt.tokens]
    parts = sorted({part for receipt in receipts for part in receipt.timings})
    return RecallMetrics(
        recall_count=len(receipts),
        hit_rate=sum(map(bool, used_items)) / len(receipts),
        top_similarity=sum(tops) / len(tops) if tops else None,
        content_types=Counter(item.source.value for items in used_items for item in items),
        sources=sum((Counter(receipt.sources) for receipt in receipts), Counter()),
        latency={
            part: _percentiles([r.timings[part] for r in receipts if part in r.timings]) for part in parts
        },
        flags={
            "hybrid": sum(receipt.hybrid for receipt in receipts) / len(receipts),
            "chunking": sum(receipt.chunking for receipt in receipts) / len(receipts),
        },
        budget_used=sum(r.tokens / max(r.budget, 1) for r in blocks) / len(blocks) if blocks else None,
        tokens=_percentiles([receipt.tokens for receipt in blocks]) if blocks else None,
        overflow_count=sum(map(is_over_budget, receipts)),
        degraded_count=sum(bool(receipt.degradations) for receipt in receipts),
    )


def top_similarities(items: Sequence[ReceiptItem]) -> list[float]:
    """Return the highest cosines of the items, best first."""
    return sorted((item.cosine for item in items if item.cosine is not None), reverse=True)[:MAX_SIMILARITIES]


def is_over_budget(receipt: Receipt) -> bool:
    return any(
        item.reason is not None and item.reason.code is ReasonCode.OVER_BUDGET for item in receipt.items
    )


def recommend_budget(metrics: RecallMetrics, budget: int) -> int | None:
    """
    Return a budget that fits actual use: the 95th percentile of block sizes, more if blocks overflowed. None if there
    are no blocks yet.
    """
    if metrics.tokens is None:
        return None
    tokens_needed = max(metrics.tokens.p95, 2 * metrics.tokens.p50 if metrics.overflow_count else 0.0)
    if metrics.overflow_count and metrics.tokens.p95 > 0.9 * budget:
        tokens_needed = max(tokens_needed, 1.25 * budget)
    return min(
        max(ceil(tokens_needed / BUDGET_STEP_TOKENS) * BUDGET_STEP_TOKENS, MIN_BUDGET_TOKENS),
        MAX_BUDGET_TOKENS,
    )


def _percentiles(values: Sequence[float]) -> Percentiles:
    ordered = sorted(values)

    def quantile(share: float) -> float:
        return ordered[min(ceil(share * len(ordered)), len(ordered)) - 1]

    return Percentiles(p50=quantile(0.50), p95=quantile(0.95), p99=quantile(0.99))
