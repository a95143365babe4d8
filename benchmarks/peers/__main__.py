"""`python -m benchmarks.peers`: Recollect beside other memories, on the conversations of LoCoMo."""

import argparse
import json
import os
import platform
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from evals.locomo import Conversation, read

from benchmarks.peers.environments import CannotInstall, Environment, default_folder, prepare, size
from benchmarks.peers.process import SystemFailed
from benchmarks.peers.report import Row, failed, measured, table
from benchmarks.peers.systems import SYSTEMS, System
from benchmarks.peers.trial import Bench, spoken
from recollect.adapters.onnx.model_files import BGE_SMALL, ModelFiles, in_wheel


def main(arguments: Sequence[str] | None = None) -> None:
    options = _options(arguments)
    conversations = read(options.data)[: options.conversations]
    if not conversations:
        sys.exit("There is no conversation to tell.")
    with tempfile.TemporaryDirectory() as scratch:
        folder = _empty(Path(options.keep or scratch))
        rows = [
            _row(system, conversations, folder / system.name, fresh=options.fresh)
            for system in options.systems
        ]
    about = _about(conversations)
    if options.json:
        print(json.dumps({**about, "rows": [row.as_json() for row in rows]}, ensure_ascii=False, indent=2))
    else:
        print("\n".join([table(rows), "", *(f"{name}: {value}" for name, value in about.items())]))


def _empty(folder: Path) -> Path:
    if folder.exists() and any(folder.iterdir()):
        sys.exit(
            f"{folder} is not empty, and every run begins with nothing. Name another folder with --keep."
        )
    return folder


def _row(system: System, conversations: Sequence[Conversation], folder: Path, *, fresh: bool) -> Row:
    model, environment = in_wheel(BGE_SMALL), None
    try:
        environment = prepare(system.needs, default_folder(), fresh=fresh)
        trials = [
            Bench(
                system=system, environment=environment, model=model, folder=folder / f"conversation-{place}"
            ).run(conversation)
            for place, conversation in enumerate(conversations, start=1)
        ]
    except (CannotInstall, SystemFailed) as error:
        return failed(system, environment.versions if environment else {}, error)
    installed = _installed(system, environment, model)
    return measured(system, environment.versions, trials, installed=installed)


def _installed(system: System, environment: Environment, model: ModelFiles) -> int:
    return environment.size + (size(model.folder) if system.weights_apart else 0)


def _about(conversations: Sequence[Conversation]) -> dict[str, object]:
    return {
        "conversations": len(conversations),
        "questions": sum(len(each.questions) for each in conversations),
        "messages": sum(len(spoken(each)) for each in conversations),
        "embedder": BGE_SMALL.model_id,
        "python": platform.python_version(),
        "machine": f"{os.cpu_count()} cores, {platform.platform()}",
    }


def _options(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.peers", description=__doc__)
    parser.add_argument("--data", type=Path, required=True, help="LoCoMo, as published")
    parser.add_argument("--conversations", type=int, metavar="N", help="only the first N conversations")
    parser.add_argument(
        "--systems",
        type=_systems,
        default=SYSTEMS,
        metavar="A,B",
        help=f"only these, of {', '.join(system.name for system in SYSTEMS)}",
    )
    parser.add_argument("--json", action="store_true", help="print the figures for machines")
    parser.add_argument("--keep", metavar="FOLDER", help="keep there what each system stored and said")
    parser.add_argument(
        "--fresh", action="store_true", help="install everything again, in the newest releases of today"
    )
    return parser.parse_args(arguments)


def _systems(text: str) -> tuple[System, ...]:
    named = {system.name: system for system in SYSTEMS}
    if unknown := set(text.split(",")) - set(named):
        raise argparse.ArgumentTypeError(f"{', '.join(sorted(unknown))} is none of {', '.join(named)}")
    return tuple(named[name] for name in text.split(","))


if __name__ == "__main__":
    main()
