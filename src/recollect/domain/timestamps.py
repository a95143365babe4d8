"""Limits of stored times."""

from datetime import UTC, datetime

#: One year inside datetime's limits, so that a time can be converted to any zone.
MIN_TIMESTAMP = datetime(2, 1, 1, tzinfo=UTC)
MAX_TIMESTAMP = datetime(9998, 12, 31, tzinfo=UTC)
