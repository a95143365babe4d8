"""How recall went over time: the same measures, step by step, and why passages were left out."""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from recollect.domain.metrics import Metrics, measured
from recollect.domain.receipt import Fate, Receipt

#: Reasons tell numbers, which are as many as there are passages; counted are the reasons without them.
_NUMBERS = re.compile(r" ?\(.*\)$|(?<=same text as ).+|-?\b\d+(?:\.\d+)?%?")


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """What happened from one moment on, for as long as a step is."""

    at: datetime
    metrics: Metrics
    slowest: str | None  #: the receipt that took longest
    summaries: int = 0


def steps(
    receipts: Sequence[Receipt],
    summarised: Sequence[datetime],
    *,
    since: datetime,
    until: datetime,
    number: int,
) -> list[Step]:
    """A span of time cut into equal steps, those in which nothing happened included."""
    length = (until - since) / number
    heard: list[list[Receipt]] = [[] for _ in range(number)]
    made = Counter(_place(at, since, length, number) for at in summarised if since <= at <= until)
    for receipt in receipts:
        heard[_place(receipt.created_at, since, length, number)].append(receipt)
    return [
        Step(at=since + place * length, metrics=measured(each), slowest=_slowest(each), summaries=made[place])
        for place, each in enumerate(heard)
    ]


def reasons(receipts: Sequence[Receipt]) -> Mapping[str, int]:
    """Why passages were left out, the most frequent reason first."""
    found = Counter(
        _NUMBERS.sub("…", item.reason or "").strip()
        for receipt in receipts
        for item in receipt.items
        if item.fate is Fate.LEFT_OUT
    )
    return dict(found.most_common())


def _place(at: datetime, since: datetime, length: timedelta, number: int) -> int:
    return min(int((at - since) / length), number - 1)


def _slowest(receipts: Sequence[Receipt]) -> str | None:
    slowest = max(receipts, key=lambda each: each.timings.get("total_ms", 0.0), default=None)
    return None if slowest is None else slowest.id
