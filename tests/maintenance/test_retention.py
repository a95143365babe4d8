from datetime import UTC, datetime

import pytest

from recollect.domain.policy import ReceiptPolicy
from recollect.maintenance.retention import retention_cutoff

NOW = datetime(2024, 3, 31, 12, tzinfo=UTC)


def test_receipts_are_kept_for_thirty_days_by_default() -> None:
    assert retention_cutoff(NOW, ReceiptPolicy().keep_days) == datetime(2024, 3, 1, 12, tzinfo=UTC)


@pytest.mark.parametrize(
    ("days", "expected"), [(0, NOW), (-5, NOW), (1, datetime(2024, 3, 30, 12, tzinfo=UTC))]
)
def test_fewer_days_keep_fewer_receipts(days: int, expected: datetime) -> None:
    assert retention_cutoff(NOW, days) == expected


def test_a_period_beyond_the_datetime_range_keeps_everything() -> None:
    assert retention_cutoff(NOW, 1_000_000_000) == datetime.min.replace(tzinfo=UTC)
