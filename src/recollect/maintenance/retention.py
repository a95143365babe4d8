"""Retention period of receipts and metrics."""

from datetime import UTC, datetime, timedelta


def retention_cutoff(now: datetime, keep_days: int) -> datetime:
    """Return the time before which rows are deleted. With 0 days everything older than now is deleted."""
    try:
        return now - timedelta(days=max(keep_days, 0))
    except OverflowError:
        # The period exceeds the range of datetime: nothing is deleted.
        return datetime.min.replace(tzinfo=UTC)
