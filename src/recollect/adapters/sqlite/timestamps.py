"""Times on disk: whole milliseconds since 1970, in UTC."""

from datetime import UTC, datetime, timedelta

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def to_ms(moment: datetime) -> int:
    return (moment - EPOCH) // timedelta(milliseconds=1)


def from_ms(milliseconds: int) -> datetime:
    return datetime.fromtimestamp(milliseconds / 1000, UTC)


def maybe_ms(moment: datetime | None) -> int | None:
    return None if moment is None else to_ms(moment)


def maybe_time(milliseconds: int | None) -> datetime | None:
    return None if milliseconds is None else from_ms(milliseconds)
