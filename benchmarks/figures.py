"""Measured figures with their targets, and their table."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import TypeAlias

import numpy as np

JsonObject: TypeAlias = dict[str, object]


@dataclass(frozen=True, slots=True, kw_only=True)
class Figure:
    """One measured number. `most` and `least` are optional targets."""

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
    def status(self) -> str:
        if self.most is not None:
            return "ok" if self.value <= self.most else "miss"
        if self.least is not None:
            return "ok" if self.value >= self.least else "miss"
        return ""

    def to_json(self) -> JsonObject:
        return {**asdict(self), "verdict": self.status}


def percentiles(
    name: str, milliseconds: Sequence[float], *, p50: float | None = None, p95: float | None = None
) -> list[Figure]:
    """Return the median, the 95th and the 99th percentile, with optional targets for the first two."""
    values = np.percentile(milliseconds, (50, 95, 99))
    return [
        Figure(name=f"{name}, {which}", value=float(value), unit="ms", most=most)
        for which, value, most in zip(("p50", "p95", "p99"), values, (p50, p95, None), strict=True)
    ]


def format_table(columns: Mapping[str, Sequence[Figure]]) -> str:
    """Return a Markdown table with one column per size; missing figures stay empty."""
    names_and_units = dict.fromkeys((f.name, f.unit) for figures in columns.values() for f in figures)
    rows = [["", *columns, "target", ""], ["---", *("---:" for _ in columns), "---:", "---"]]
    for name, unit in names_and_units:
        row_figures = [next((f for f in figures if f.name == name), None) for figures in columns.values()]
        targets = dict.fromkeys(f.target for f in row_figures if f and f.target)
        statuses = [f.status for f in row_figures if f]
        rows.append(
            [
                f"{name} ({unit})" if unit else name,
                *("" if f is None else _format_value(f.value) for f in row_figures),
                ", ".join(targets),
                "" if not any(statuses) else ("miss" if "miss" in statuses else "ok"),
            ]
        )
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
    return "\n".join("| " + " | ".join(map(_pad_cell, row, widths)) + " |" for row in rows)


def _format_value(value: float) -> str:
    if abs(value) >= 1000:
        return f"{value:,.0f}"
    return f"{value:.0f}" if abs(value) >= 100 else f"{value:.2f}"


def _pad_cell(cell: str, width: int) -> str:
    if set(cell) == {"-"}:
        return "-" * width
    if cell == "---:":
        return "-" * (width - 1) + ":"
    return cell.ljust(width)
