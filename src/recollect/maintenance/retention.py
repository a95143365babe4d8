"""How long receipts and metrics are kept."""

from datetime import UTC, datetime, timedelta


def retention_cutoff(now: datetime, keep_days: int) -> datetime:
    """What was made before this moment goes. With 0 days nothing older than now stays."""
    try:
        return now - timedelta(days=max(keep_days, 0))
    except OverflowError:
        # Longer than there are dates: everything stays.
        return datetime.min.replace(tzinfo=UTC)
