"""`python -m benchmarks.run`: latency, size and recall of Recollect on this machine."""

import argparse
import json
import tempfile
from collections.abc import Sequence
from pathlib import Path

from benchmarks.embedding import measure_embedding
from benchmarks.figures import Figure, format_table
from benchmarks.isolated_run import BenchmarkRun, make_real_embedder
from benchmarks.startup import measure_startup


def main(arguments: Sequence[str] | None = None) -> None:
    options = _parse_options(arguments)
    columns: dict[str, Sequence[Figure]] = {}
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(options.keep or scratch)
        for size in options.sizes:
            benchmark = BenchmarkRun(
                size=size,
                folder=folder,
                embedder=options.embedder,
                query_count=options.questions,
                server=options.db,
            )
            columns[f"{size:,} messages"] = benchmark.run()
    columns["any size"] = [*measure_embedding(make_real_embedder()), *measure_startup()]
    print(_to_json(columns) if options.json else format_table(columns))


def _parse_options(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.run", description=__doc__)
    parser.add_argument(
        "--sizes",
        type=int,
        nargs="+",
        default=[1_000, 10_000, 100_000],
        help="number of messages of each store",
    )
    parser.add_argument("--json", action="store_true", help="print the figures as JSON")
    parser.add_argument("--keep", metavar="DIR", help="keep the filled stores in this folder and reuse them")
    parser.add_argument(
        "--embedder",
        choices=("synthetic", "onnx"),
        default="synthetic",
        help="embedder of the messages; questions always have the real model's latency",
    )
    parser.add_argument(
        "--db",
        metavar="URL",
        help="measure PostgreSQL: a database for each size is created on this server, and one of that name is deleted",
    )
    parser.add_argument("--questions", type=int, default=200, help="questions per round")
    return parser.parse_args(arguments)


def _to_json(columns: dict[str, Sequence[Figure]]) -> str:
    figures = {column: [figure.to_json() for figure in figures] for column, figures in columns.items()}
    return json.dumps(figures, ensure_ascii=False, indent=2)


if __name__ == "__main__":
    main()
