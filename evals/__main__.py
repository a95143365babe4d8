"""`python -m evals NAME`: how good recall is on public data and on our own, as percentages."""

import argparse
import json
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TypeAlias

from evals import curve, faquad, identifiers, locomo, longmemeval, paraphrase, presets, sets, truncation
from evals.embeddings import CachedEmbedder, default_cache
from evals.extraction.__main__ import LINES, measure, own_lines, public_lines
from evals.measures import Figures
from evals.plot import drawing
from recollect.bootstrap import make_embedder
from recollect.settings import load

Run: TypeAlias = Callable[[Path, CachedEmbedder, Mapping[str, object]], Figures]


def extraction(data: Path, _embedder: CachedEmbedder, _settings: Mapping[str, object]) -> Figures:
    """The judge that works by rules, on our own lines or on public ones with labels beside them."""
    public = data.with_suffix(".labels.jsonl").exists()
    lines = public_lines(data) if public else own_lines(data)
    return {**measure(lines, kinds=not public).figures()}


#: Each with the data it runs on when none is named; public sets are never shipped.
EVALS: Mapping[str, tuple[Run, Path | None]] = {
    "longmemeval": (longmemeval.run, None),
    "locomo": (locomo.run, None),
    "faquad": (faquad.run, None),
    "identifiers": (identifiers.run, sets.IDENTIFIERS),
    "paraphrase": (paraphrase.run, sets.PARAPHRASE),
    "truncation": (truncation.run, sets.IDENTIFIERS),
    "extraction": (extraction, LINES),
    "presets": (presets.run, None),
    "curve": (curve.run, None),
}


def main(arguments: Sequence[str] | None = None) -> None:
    options = _options(arguments)
    run, own = EVALS[options.name]
    data = options.data or own
    if data is None:
        sys.exit(f"{options.name} needs its data: --data PATH")
    embedder = make_embedder(load(arguments={"embedder": options.embedder}).resolve().connection)
    if embedder is None:
        sys.exit("Evals compare by meaning as well: choose an embedder.")
    with CachedEmbedder(embedder, options.cache) as cached:
        figures = run(data, cached, dict(options.set))
    if options.plot:
        options.plot.write_text(drawing(figures), "utf-8")
    print(json.dumps(figures, ensure_ascii=False, indent=2) if options.json else "\n".join(_lines(figures)))


def _options(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m evals", description=__doc__)
    parser.add_argument("name", choices=EVALS)
    parser.add_argument("--data", type=Path, help="the file with the set; our own sets need none")
    parser.add_argument("--json", action="store_true", help="print the figures for machines")
    parser.add_argument(
        "--cache", type=Path, default=default_cache(), help="where vectors are kept; a stopped run goes on"
    )
    parser.add_argument("--embedder", default="onnx", help="as in the settings")
    parser.add_argument(
        "--set", type=_setting, action="append", default=[], metavar="NAME=VALUE", help="as recall.ranker=sum"
    )
    parser.add_argument("--plot", type=Path, metavar="SVG", help="draw it; for curve")
    return parser.parse_args(arguments)


def _setting(text: str) -> tuple[str, str]:
    name, equals, value = text.partition("=")
    if not equals:
        raise argparse.ArgumentTypeError("write NAME=VALUE")
    return name, value


def _lines(figures: Figures, indent: str = "") -> list[str]:
    lines = []
    for name, value in figures.items():
        if isinstance(value, dict):
            lines += [f"{indent}{name}", *_lines(value, indent + "  ")]
        else:
            lines.append(f"{indent}{name:28} {value}")
    return lines


if __name__ == "__main__":
    main()
