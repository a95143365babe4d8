"""A clock that advances only on request, and sequential ids."""

from datetime import UTC, datetime, timedelta

MONDAY = datetime(2026, 3, 2, 9, 0, tzinfo=UTC)


class FrozenClock:
    def __init__(self, now: datetime = MONDAY) -> None:
        self._now = now
        self._started_at = now

    def now(self) -> datetime:
        return self._now

    def monotonic(self) -> float:
        return (self._now - self._started_at).total_seconds()

    def advance(self, by: timedelta) -> None:
        self._now += by


class CountingIds:
    def __init__(self) -> None:
        self._count = 0

    def new(self) -> str:
        self._count += 1
        return f"id{self._count:06}"
