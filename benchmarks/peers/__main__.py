"""`python -m benchmarks.peers`: compare Recollect with other memory systems on LoCoMo."""

import argparse
import json
import os
import platform
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from evals.locomo import Conversation, read_conversations

from benchmarks.peers.environments import (
    Environment,
    InstallError,
    default_folder,
    folder_size,
    prepare_environment,
)
from benchmarks.peers.process import SystemFailure
from benchmarks.peers.report import ReportRow, format_table, make_failure_row, make_row
from benchmarks.peers.systems import COMPARED_SYSTEMS, System
from benchmarks.peers.trial import SystemTrial, to_messages
from recollect.adapters.onnx.model_files import BGE_SMALL, ModelFiles, find_in_wheel


def main(arguments: Sequence[str] | None = None) -> None:
    options = _parse_options(arguments)
    conversations = read_conversations(options.data)[: options.conversations]
    if not conversations:
        sys.exit("The data contains no conversation.")
    with tempfile.TemporaryDirectory() as scratch:
        folder = _require_empty(Path(options.keep or scratch))
        rows = [
            _measure_system(system, conversations, folder / system.name, fresh=options.fresh)
            for system in options.systems
        ]
    details = _describe_run(conversations)
    if options.json:
        print(json.dumps({**details, "rows": [row.to_json() for row in rows]}, ensure_ascii=False, indent=2))
    else:
        print("\n".join([format_table(rows), "", *(f"{name}: {value}" for name, value in details.items())]))


def _require_empty(folder: Path) -> Path:
    if folder.exists() and any(folder.iterdir()):
        sys.exit(
            f"{folder} is not empty, but every run starts with an empty folder. Choose another one with --keep."
        )
    return folder


def _measure_system(
    system: System, conversations: Sequence[Conversation], folder: Path, *, fresh: bool
) -> ReportRow:
    model, environment = find_in_wheel(BGE_SMALL), None
    try:
        environment = prepare_environment(system.requirements, default_folder(), fresh=fresh)
        results = [
            SystemTrial(
                system=system, environment=environment, model=model, folder=folder / f"conversation-{number}"
            ).run(conversation)
            for number, conversation in enumerate(conversations, start=1)
        ]
    except (InstallError, SystemFailure) as error:
        return make_failure_row(system, environment.versions if environment else {}, error)
    installed_bytes = _installed_bytes(system, environment, model)
    return make_row(system, environment.versions, results, installed_bytes=installed_bytes)


def _installed_bytes(system: System, environment: Environment, model: ModelFiles) -> int:
    return environment.size + (folder_size(model.folder) if system.has_separate_weights else 0)


def _describe_run(conversations: Sequence[Conversation]) -> dict[str, object]:
    return {
        "conversations": len(conversations),
        "questions": sum(len(each.questions) for each in conversations),
        "messages": sum(len(to_messages(each)) for each in conversations),
        "embedder": BGE_SMALL.model_id,
        "python": platform.python_version(),
        "machine": f"{os.cpu_count()} cores, {platform.platform()}",
    }


def _parse_options(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.peers", description=__doc__)
    parser.add_argument("--data", type=Path, required=True, help="LoCoMo, as published")
    parser.add_argument("--conversations", type=int, metavar="N", help="only the first N conversations")
    parser.add_argument(
        "--systems",
        type=_parse_systems,
        default=COMPARED_SYSTEMS,
        metavar="A,B",
        help=f"only these, of {', '.join(system.name for system in COMPARED_SYSTEMS)}",
    )
    parser.add_argument("--json", action="store_true", help="print the figures as JSON")
    parser.add_argument(
        "--keep", metavar="FOLDER", help="keep the stores and logs of each system in this folder"
    )
    parser.add_argument("--fresh", action="store_true", help="reinstall all systems at their newest releases")
    return parser.parse_args(arguments)


def _parse_systems(text: str) -> tuple[System, ...]:
    systems_by_name = {system.name: system for system in COMPARED_SYSTEMS}
    if unknown := set(text.split(",")) - set(systems_by_name):
        raise argparse.ArgumentTypeError(
            f"{', '.join(sorted(unknown))} is not one of {', '.join(systems_by_name)}"
        )
    return tuple(systems_by_name[name] for name in text.split(","))


if __name__ == "__main__":
    main()
