"""Statistics of the stored data, and metrics of recalls over time."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import timedelta

from recollect.domain.analytics import RecallAnalytics, count_exclusion_reasons, split_into_intervals
from recollect.domain.diagnostics import StoreStats
from recollect.domain.metrics import MetricsReport, RecallMetrics, compute_metrics, recommend_budget
from recollect.domain.reason import Reason
from recollect.domain.scope import Scope
from recollect.ports.clock import Clock
from recollect.ports.store import Store

#: Recalls and summaries that are aggregated, and recalls that are listed.
MAX_ANALYZED_ROWS = 5000
MAX_RECALLS_LISTED = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class AnalyticsService:
    store: Store
    clock: Clock

    def stats(self, scope: Scope) -> StoreStats:
        """Count what is stored for a user, and the bytes of the whole store."""
        return self.store.maintenance.stats(scope)

    def triage_counts(self, user: str) -> Mapping[Reason, int]:
        """Return the number of messages by triage decision, most frequent first."""
        return self.store.triage_counts.all(user)

    def model_usage(self, scope: Scope) -> tuple[int, int]:
        """Return calls and tokens of the language model: of a user today, or of a chat in total."""
        return self.store.token_usage.usage(scope, now=self.clock.now())

    def recall_metrics(self, scope: Scope, *, limit: int) -> RecallMetrics:
        """Return metrics of the last recalls."""
        return compute_metrics(self.store.receipts.list(scope, limit=limit))

    def report_metrics(self, scope: Scope, *, limit: int, budget: int) -> MetricsReport:
        """Return metrics of the last recalls with their receipts, and a budget that fits them."""
        receipts = self.store.receipts.list(scope, limit=limit)
        metrics = compute_metrics(receipts)
        return MetricsReport(
            metrics=metrics,
            recommended_budget=recommend_budget(metrics, budget),
            summary_count=self.stats(scope).summaries,
            receipts=receipts,
        )

    def analyze(self, scope: Scope, *, hours: int, interval_count: int) -> RecallAnalytics:
        """Return the recalls of the last hours, in total and by interval."""
        now = self.clock.now()
        since = now - timedelta(hours=hours)
        all_receipts = self.store.receipts.list(scope, limit=MAX_ANALYZED_ROWS)
        receipts = [each for each in all_receipts if since <= each.created_at <= now]
        summaries = self.store.summaries.list(scope, limit=MAX_ANALYZED_ROWS)
        calls, tokens = self.model_usage(scope)
        return RecallAnalytics(
            since=since,
            until=now,
            is_complete=len(all_receipts) < MAX_ANALYZED_ROWS or all_receipts[-1].created_at < since,
            metrics=compute_metrics(receipts),
            intervals=tuple(
                split_into_intervals(
                    receipts,
                    [summary.created_at for summary in summaries],
                    since=since,
                    until=now,
                    interval_count=interval_count,
                )
            ),
            receipts=tuple(receipts[:MAX_RECALLS_LISTED]),
            exclusion_reasons=count_exclusion_reasons(receipts),
            triage_counts=self.triage_counts(scope.user),
            calls_today=calls,
            tokens_today=tokens,
        )
