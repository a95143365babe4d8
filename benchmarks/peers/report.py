"""What came out, a row for each system."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from statistics import median

import numpy as np
from evals.measures import figures

from benchmarks.peers.systems import System
from benchmarks.peers.trial import Trial

MB = 1e6

#: A column's heading, the figures in it, and how each is written.
COLUMNS: Sequence[tuple[str, tuple[str, ...], str]] = (
    ("turn recall @5 / @10 / @20", ("turn_recall@5", "turn_recall@10", "turn_recall@20"), ".1f"),
    ("session recall @10", ("session_recall@10",), ".1f"),
    ("a question, p50 / p95 / p99 (ms)", ("p50_ms", "p95_ms", "p99_ms"), ".0f"),
    ("messages/s", ("ingest_per_s",), ",.0f"),
    (
        "processor time besides embedding, a question p50 / a message (ms)",
        ("question_besides_embedding_p50_ms", "message_besides_embedding_ms"),
        ".1f",
    ),
    ("on disk, told / asked (MB)", ("disk_told_mb", "disk_asked_mb"), ".1f"),
    ("memory at most (MB)", ("peak_mb",), ",.0f"),
    ("installed (MB)", ("install_mb",), ",.0f"),
    ("start to first answer (s)", ("start_s",), ".1f"),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    name: str
    label: str
    configured: str
    versions: Mapping[str, str] = field(default_factory=dict)
    figures: Mapping[str, float] = field(default_factory=dict)
    error: str | None = None  #: why there are no figures

    def as_json(self) -> dict[str, object]:
        return asdict(self)


def measured(system: System, versions: Mapping[str, str], trials: Sequence[Trial], *, installed: int) -> Row:
    return Row(
        name=system.name,
        label=system.label,
        configured=system.configured,
        versions=versions,
        figures={
            **_quality(trials),
            **_questions(trials),
            **_ingest(trials),
            "disk_told_mb": sum(trial.told.on_disk for trial in trials) / MB,
            "disk_asked_mb": sum(trial.asked.on_disk for trial in trials) / MB,
            "peak_mb": max(max(trial.told.peak, trial.asked.peak) for trial in trials) / MB,
            "install_mb": installed / MB,
            "start_s": median(trial.asked.started_in for trial in trials),
        },
    )


def _quality(trials: Sequence[Trial]) -> dict[str, float]:
    shares = figures([each for trial in trials for each in trial.asked.marks])
    return {name: float(value) for name, value in shares.items() if not isinstance(value, str | dict)}


def _questions(trials: Sequence[Trial]) -> dict[str, float]:
    whole = [ms for trial in trials for ms in trial.asked.milliseconds]
    besides = [ms for trial in trials for ms in trial.asked.besides_embedding]
    p50, p95, p99 = (float(ms) for ms in np.percentile(whole, (50, 95, 99)))
    return {
        "p50_ms": p50,
        "p95_ms": p95,
        "p99_ms": p99,
        "question_besides_embedding_p50_ms": median(besides),
    }


def _ingest(trials: Sequence[Trial]) -> dict[str, float]:
    told = [trial.told for trial in trials]
    messages, seconds = sum(each.messages for each in told), sum(each.seconds for each in told)
    embedding = sum(each.embedding for each in told)
    processor = sum(each.processor for each in told)
    return {
        "ingest_per_s": messages / seconds,
        "message_besides_embedding_ms": (processor - embedding) / messages * 1000,
        "message_embedding_ms": embedding / messages * 1000,
    }


def failed(system: System, versions: Mapping[str, str], error: Exception) -> Row:
    return Row(
        name=system.name,
        label=system.label,
        configured=system.configured,
        versions=versions,
        error=str(error),
    )


def table(rows: Sequence[Row]) -> str:
    """A Markdown table, and below it how each was configured."""
    lines = [["", *(heading for heading, _, _ in COLUMNS)], ["---", *("--:" for _ in COLUMNS)]]
    lines += [_cells(row) for row in rows]
    return "\n".join([*(f"| {' | '.join(cells)} |" for cells in lines), "", *map(_about, rows)])


def _cells(row: Row) -> list[str]:
    if row.error is not None:
        return [row.label, f"did not run: {row.error.replace('|', '/')}", *("" for _ in COLUMNS[1:])]
    return [row.label, *(_cell(row.figures, names, how) for _, names, how in COLUMNS)]


def _cell(values: Mapping[str, float], names: Sequence[str], how: str) -> str:
    return " / ".join(format(values[name], how) for name in names)


def _about(row: Row) -> str:
    versions = ", ".join(f"{name} {version}" for name, version in row.versions.items())
    taken = row.figures.get("message_embedding_ms")
    model = f" The model took {taken:.1f} ms of processor time a message." if taken else ""
    return f"- {row.label}{f' ({versions})' if versions else ''}: {row.configured}.{model}"
