"""Report of the comparison, one row per system."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from statistics import median

import numpy as np
from evals.measures import average_metrics

from benchmarks.peers.systems import System
from benchmarks.peers.trial import TrialResult

BYTES_PER_MB = 1e6

#: Heading of each column, its figures, and their format.
REPORT_COLUMNS: Sequence[tuple[str, tuple[str, ...], str]] = (
    ("turn recall @5 / @10 / @20", ("turn_recall@5", "turn_recall@10", "turn_recall@20"), ".1f"),
    ("session recall @10", ("session_recall@10",), ".1f"),
    ("latency of a question, p50 / p95 / p99 (ms)", ("p50_ms", "p95_ms", "p99_ms"), ".0f"),
    ("messages/s", ("ingest_per_s",), ",.0f"),
    (
        "CPU time without embedding, per question p50 / per message (ms)",
        ("question_besides_embedding_p50_ms", "message_besides_embedding_ms"),
        ".1f",
    ),
    ("on disk, after ingest / after questions (MB)", ("disk_told_mb", "disk_asked_mb"), ".1f"),
    ("peak memory (MB)", ("peak_mb",), ",.0f"),
    ("installed (MB)", ("install_mb",), ",.0f"),
    ("start to first answer (s)", ("start_s",), ".1f"),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportRow:
    name: str
    label: str
    configured: str
    versions: Mapping[str, str] = field(default_factory=dict)
    figures: Mapping[str, float] = field(default_factory=dict)
    error: str | None = None  #: reason for missing figures

    def to_json(self) -> dict[str, object]:
        return asdict(self)


def make_row(
    system: System, versions: Mapping[str, str], results: Sequence[TrialResult], *, installed_bytes: int
) -> ReportRow:
    return ReportRow(
        name=system.name,
        label=system.label,
        configured=system.configuration,
        versions=versions,
        figures={
            **_quality_figures(results),
            **_query_figures(results),
            **_ingest_figures(results),
            "disk_told_mb": sum(trial.ingest.disk_bytes for trial in results) / BYTES_PER_MB,
            "disk_asked_mb": sum(trial.search.disk_bytes for trial in results) / BYTES_PER_MB,
            "peak_mb": max(max(trial.ingest.peak_bytes, trial.search.peak_bytes) for trial in results)
            / BYTES_PER_MB,
            "install_mb": installed_bytes / BYTES_PER_MB,
            "start_s": median(trial.search.startup_seconds for trial in results),
        },
    )


def _quality_figures(results: Sequence[TrialResult]) -> dict[str, float]:
    metrics = average_metrics([each for trial in results for each in trial.search.recall_metrics])
    return {name: float(value) for name, value in metrics.items() if not isinstance(value, str | dict)}


def _query_figures(results: Sequence[TrialResult]) -> dict[str, float]:
    wall_ms = [ms for trial in results for ms in trial.search.wall_ms]
    cpu_ms_besides_embedding = [ms for trial in results for ms in trial.search.cpu_ms_besides_embedding]
    p50, p95, p99 = (float(ms) for ms in np.percentile(wall_ms, (50, 95, 99)))
    return {
        "p50_ms": p50,
        "p95_ms": p95,
        "p99_ms": p99,
        "question_besides_embedding_p50_ms": median(cpu_ms_besides_embedding),
    }


def _ingest_figures(results: Sequence[TrialResult]) -> dict[str, float]:
    measurements = [trial.ingest for trial in results]
    messages, seconds = (
        sum(each.message_count for each in measurements),
        sum(each.seconds for each in measurements),
    )
    embedding_seconds = sum(each.embedding_seconds for each in measurements)
    cpu_seconds = sum(each.cpu_seconds for each in measurements)
    return {
        "ingest_per_s": messages / seconds,
        "message_besides_embedding_ms": (cpu_seconds - embedding_seconds) / messages * 1000,
        "message_embedding_ms": embedding_seconds / messages * 1000,
    }


def make_failure_row(system: System, versions: Mapping[str, str], error: Exception) -> ReportRow:
    return ReportRow(
        name=system.name,
        label=system.label,
        configured=system.configuration,
        versions=versions,
        error=str(error),
    )


def format_table(rows: Sequence[ReportRow]) -> str:
    """Return a Markdown table, followed by the configuration of each system."""
    lines = [["", *(heading for heading, _, _ in REPORT_COLUMNS)], ["---", *("--:" for _ in REPORT_COLUMNS)]]
    lines += [_format_cells(row) for row in rows]
    return "\n".join([*(f"| {' | '.join(cells)} |" for cells in lines), "", *map(_describe_row, rows)])


def _format_cells(row: ReportRow) -> list[str]:
    if row.error is not None:
        return [row.label, f"did not run: {row.error.replace('|', '/')}", *("" for _ in REPORT_COLUMNS[1:])]
    return [row.label, *(_format_cell(row.figures, names, how) for _, names, how in REPORT_COLUMNS)]


def _format_cell(values: Mapping[str, float], names: Sequence[str], format_spec: str) -> str:
    return " / ".join(format(values[name], format_spec) for name in names)


def _describe_row(row: ReportRow) -> str:
    versions = ", ".join(f"{name} {version}" for name, version in row.versions.items())
    embedding_ms = row.figures.get("message_embedding_ms")
    model_note = f" The model took {embedding_ms:.1f} ms of CPU time per message." if embedding_ms else ""
    return f"- {row.label}{f' ({versions})' if versions else ''}: {row.configured}.{model_note}"
