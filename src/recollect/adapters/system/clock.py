"""System clock and random ids."""

import secrets
import time
from datetime import UTC, datetime

ID_ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz"


class SystemClock:
    def now(self) -> datetime:
        return datetime.now(UTC)

    def monotonic(self) -> float:
        return time.monotonic()


class RandomIds:
    """Sortable ids of 22 characters: the time in milliseconds, then 60 random bits."""

    def new(self) -> str:
        number = time.time_ns() // 1_000_000 << 60 | secrets.randbits(60)
        return "".join(ID_ALPHABET[number >> shift & 31] for shift in range(105, -5, -5))
