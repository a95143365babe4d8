"""Figures, each beside what we want of it."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import TypeAlias

import numpy as np

Json: TypeAlias = dict[str, object]


@dataclass(frozen=True, slots=True, kw_only=True)
class Figure:
    """One measured number. `most` and `least` are the targets, where there are any."""

    name: str
    value: float
    unit: str
    most: float | None = None
    least: float | None = None

    @property
    def target(self) -> str:
        if self.most is not None:
            return f"≤ {self.most:g}"
        return "" if self.least is None else f"≥ {self.least:g}"

    @property
    def verdict(self) -> str:
        if self.most is not None:
            return "ok" if self.value <= self.most else "miss"
        if self.least is not None:
            return "ok" if self.value >= self.least else "miss"
        return ""

    def as_json(self) -> Json:
        return {**asdict(self), "verdict": self.verdict}


def percentiles(
    name: str, milliseconds: Sequence[float], *, p50: float | None = None, p95: float | None = None
) -> list[Figure]:
    """The middle, the slow and the slowest, with targets for the first two."""
    values = np.percentile(milliseconds, (50, 95, 99))
    return [
        Figure(name=f"{name}, {which}", value=float(value), unit="ms", most=most)
        for which, value, most in zip(("p50", "p95", "p99"), values, (p50, p95, None), strict=True)
    ]


def table(columns: dict[str, Sequence[Figure]]) -> str:
    """A Markdown table with a column for each size; what only some of them have is left empty elsewhere."""
    listed = dict.fromkeys((f.name, f.unit) for figures in columns.values() for f in figures)
    rows = [["", *columns, "target", ""], ["---", *("---:" for _ in columns), "---:", "---"]]
    for name, unit in listed:
        found = [next((f for f in figures if f.name == name), None) for figures in columns.values()]
        targets = dict.fromkeys(f.target for f in found if f and f.target)
        verdicts = [f.verdict for f in found if f]
        rows.append(
            [
                f"{name} ({unit})" if unit else name,
                *("" if f is None else _shown(f.value) for f in found),
                ", ".join(targets),
                "" if not any(verdicts) else ("miss" if "miss" in verdicts else "ok"),
            ]
        )
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
    return "\n".join("| " + " | ".join(map(_padded, row, widths)) + " |" for row in rows)


def _shown(value: float) -> str:
    if abs(value) >= 1000:
        return f"{value:,.0f}"
    return f"{value:.0f}" if abs(value) >= 100 else f"{value:.2f}"


def _padded(cell: str, width: int) -> str:
    if set(cell) == {"-"}:
        return "-" * width
    if cell == "---:":
        return "-" * (width - 1) + ":"
    return cell.ljust(width)
