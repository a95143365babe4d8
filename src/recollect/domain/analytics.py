"""Recall metrics over time, by interval, and counts of the reasons why passages were left out."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from recollect.domain.metrics import RecallMetrics, compute_metrics
from recollect.domain.reason import Reason, ReasonCode
from recollect.domain.receipt import Disposition, Receipt


@dataclass(frozen=True, slots=True, kw_only=True)
class MetricsInterval:
    """The metrics of one interval of time."""

    starts_at: datetime
    metrics: RecallMetrics
    slowest_receipt_id: str | None  #: the receipt that took longest
    summary_count: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class RecallAnalytics:
    """Recalls of a period in total and by interval, and what triage decided about messages."""

    since: datetime
    until: datetime
    is_complete: bool  #: False if there were more recalls than were read
    metrics: RecallMetrics
    intervals: tuple[MetricsInterval, ...]
    receipts: tuple[Receipt, ...]  #: newest first
    exclusion_reasons: Mapping[ReasonCode, int]
    triage_counts: Mapping[Reason, int]
    calls_today: int  #: of the language model
    tokens_today: int


def split_into_intervals(
    receipts: Sequence[Receipt],
    summary_times: Sequence[datetime],
    *,
    since: datetime,
    until: datetime,
    interval_count: int,
) -> list[MetricsInterval]:
    """Return the metrics of equal intervals from `since` to `until`, empty intervals included."""
    length = (until - since) / interval_count
    receipts_by_interval: list[list[Receipt]] = [[] for _ in range(interval_count)]
    summary_counts = Counter(
        _interval_index(at, since, length, interval_count) for at in summary_times if since <= at <= until
    )
    for receipt in receipts:
        receipts_by_interval[_interval_index(receipt.created_at, since, length, interval_count)].append(
            receipt
        )
    return [
        MetricsInterval(
            starts_at=since + index * length,
            metrics=compute_metrics(each),
            slowest_receipt_id=_slowest_receipt_id(each),
            summary_count=summary_counts[index],
        )
        for index, each in enumerate(receipts_by_interval)
    ]


def count_exclusion_reasons(receipts: Sequence[Receipt]) -> Mapping[ReasonCode, int]:
    """Count the reasons why passages were left out, most frequent first."""
    counts = Counter(
        item.reason.code
        for receipt in receipts
        for item in receipt.items
        if item.disposition is Disposition.LEFT_OUT and item.reason is not None
    )
    return dict(counts.most_common())


def _interval_index(at: datetime, since: datetime, length: timedelta, interval_count: int) -> int:
    return min(int((at - since) / length), interval_count - 1)


def _slowest_receipt_id(receipts: Sequence[Receipt]) -> str | None:
    slowest = max(receipts, key=lambda each: each.timings.get("total_ms", 0.0), default=None)
    return None if slowest is None else slowest.id
