"""Conversion between datetimes and stored timestamps: integer milliseconds since 1970, UTC."""

from datetime import UTC, datetime, timedelta

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def to_ms(timestamp: datetime) -> int:
    return (timestamp - EPOCH) // timedelta(milliseconds=1)


def from_ms(milliseconds: int) -> datetime:
    return datetime.fromtimestamp(milliseconds / 1000, UTC)


def to_ms_or_none(timestamp: datetime | None) -> int | None:
    return None if timestamp is None else to_ms(timestamp)


def from_ms_or_none(milliseconds: int | None) -> datetime | None:
    return None if milliseconds is None else from_ms(milliseconds)
