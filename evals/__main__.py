"""`python -m evals NAME`: retrieval quality on public and own data sets, in percent."""

import argparse
import json
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TypeAlias

from evals import (
    curve,
    faquad,
    identifiers,
    locomo,
    longmemeval,
    paraphrase,
    presets,
    relevance,
    sets,
    truncation,
)
from evals.embeddings import CachedEmbedder, default_cache_folder
from evals.extraction import replies
from evals.extraction.__main__ import OWN_LINES_FILE, measure, read_own_lines, read_public_lines
from evals.extraction.messages import (
    DEV_MESSAGE_FILES,
    is_message_file,
    measure_messages,
    read_long_messages,
)
from evals.measures import Figures
from evals.plot import draw_svg
from recollect.bootstrap import make_embedder
from recollect.settings import load_settings

EvalRun: TypeAlias = Callable[[Path, CachedEmbedder, Mapping[str, object]], Figures]


def run_extraction(data: Path, _embedder: CachedEmbedder, _settings: Mapping[str, object]) -> Figures:
    """Evaluate extraction without a model: short lines, and long messages with the facts worth keeping."""
    if data == OWN_LINES_FILE:
        long_messages = {path.stem: measure_messages(read_long_messages(path)) for path in DEV_MESSAGE_FILES}
        return {**_measure_lines(data), **long_messages}
    return measure_messages(read_long_messages(data)) if is_message_file(data) else _measure_lines(data)


def _measure_lines(data: Path) -> Figures:
    has_labels_file = data.with_suffix(".labels.jsonl").exists()
    lines = read_public_lines(data) if has_labels_file else read_own_lines(data)
    return {**measure(lines, kinds=not has_labels_file).figures()}


#: Each evaluation with its default data; public sets are not shipped.
EVALS_BY_NAME: Mapping[str, tuple[EvalRun, Path | None]] = {
    "longmemeval": (longmemeval.run, None),
    "locomo": (locomo.run, None),
    "faquad": (faquad.run, None),
    "identifiers": (identifiers.run, sets.IDENTIFIERS_FILE),
    "paraphrase": (paraphrase.run, sets.PARAPHRASE_FILE),
    "truncation": (truncation.run, sets.IDENTIFIERS_FILE),
    "extraction": (run_extraction, OWN_LINES_FILE),
    "replies": (replies.run, None),
    "presets": (presets.run, None),
    "curve": (curve.run, None),
}


def run_relevance(options: argparse.Namespace, embedder: CachedEmbedder) -> Figures:
    return relevance.run(
        embedder,
        dict(options.set),
        split=options.split,
        distractor_counts=options.distractors,
        people=options.people,
        data=options.data,
    )


def main(arguments: Sequence[str] | None = None) -> None:
    options = _parse_options(arguments)
    run, default_data = EVALS_BY_NAME.get(options.name, (None, None))
    if options.bursts or options.context:
        if options.name != "locomo":
            sys.exit("--bursts and --context are options of locomo only.")
        run = locomo.run_bursts if options.bursts else locomo.run_context
    data = options.data or default_data
    if run is not None and data is None:
        sys.exit(f"{options.name} needs its data: --data PATH")
    embedder = make_embedder(load_settings(arguments={"embedder": options.embedder}).resolve().machine)
    if embedder is None:
        sys.exit("Evals need dense search: choose an embedder with --embedder.")
    with CachedEmbedder(embedder, options.cache) as cached:
        if run is None or data is None:
            figures = run_relevance(options, cached)
        else:
            figures = run(data, cached, dict(options.set))
    if options.plot:
        options.plot.write_text(draw_svg(figures), "utf-8")
    print(
        json.dumps(figures, ensure_ascii=False, indent=2)
        if options.json
        else "\n".join(_format_lines(figures))
    )


def _parse_options(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m evals", description=__doc__)
    parser.add_argument("name", choices=[*EVALS_BY_NAME, "relevance"])
    parser.add_argument("--data", type=Path, help="data file; not needed for our own sets")
    parser.add_argument("--json", action="store_true", help="print the figures as JSON")
    parser.add_argument(
        "--cache",
        type=Path,
        default=default_cache_folder(),
        help="folder of cached embeddings; an interrupted run resumes from it",
    )
    parser.add_argument("--embedder", default="onnx", help="embedder, as in the settings")
    parser.add_argument(
        "--set",
        type=_parse_setting,
        action="append",
        default=[],
        metavar="NAME=VALUE",
        help="as recall.ranker=sum",
    )
    parser.add_argument(
        "--bursts",
        action="store_true",
        help="send each turn as two to four short messages, some with a typo; only for locomo",
    )
    parser.add_argument(
        "--context",
        action="store_true",
        help="measure what reaches the prompt instead of what a search returns; only for locomo",
    )
    parser.add_argument("--split", choices=("dev", "train", "held"), default="dev", help="only for relevance")
    parser.add_argument(
        "--distractors",
        type=int,
        nargs="+",
        default=[0],
        metavar="COUNT",
        help="other people's messages in the store; only for relevance, where --data adds those of LoCoMo",
    )
    parser.add_argument("--people", nargs="+", default=[], metavar="NAME", help="only for relevance")
    parser.add_argument("--plot", type=Path, metavar="SVG", help="write a chart; only for curve")
    return parser.parse_args(arguments)


def _parse_setting(text: str) -> tuple[str, str]:
    name, equals, value = text.partition("=")
    if not equals:
        raise argparse.ArgumentTypeError("write NAME=VALUE")
    return name, value


def _format_lines(figures: Figures, indent: str = "") -> list[str]:
    lines = []
    for name, value in figures.items():
        if isinstance(value, dict):
            lines += [f"{indent}{name}", *_format_lines(value, indent + "  ")]
        else:
            lines.append(f"{indent}{name:28} {value}")
    return lines


if __name__ == "__main__":
    main()
