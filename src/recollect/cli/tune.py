"""The command `settings tune`: ranking weights tuned on labelled queries."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer
from rich.table import Table
from rich.text import Text

from recollect.cli import render
from recollect.cli.command import CommandContext, command, format_examples, make_typer, read_text_file
from recollect.cli.drain import progress_bar
from recollect.cli.session import CliSession
from recollect.domain.feedback import RelevanceLabel
from recollect.domain.tuning import TuningResult
from recollect.errors import InvalidInput
from recollect.serialization import parsers, serializers

app = make_typer()

#: Typical number of trials, for the length of the progress bar.
EXPECTED_TRIALS = 500


@app.command(
    epilog=format_examples(
        "recollect settings tune --labels labels.jsonl --dry-run",
        "recollect settings tune --from-feedback",
        "recollect settings tune --labels labels.jsonl --file >> recollect.toml",
        "recollect settings tune --undo",
    )
)
@command
def tune(
    ctx: CommandContext,
    labels: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help='Lines like {"query": "...", "relevant": ["id or text"]}.'),
    ] = None,
    from_feedback: Annotated[
        bool,
        typer.Option("--from-feedback", help="Use the ratings given with `recollect feedback` as labels."),
    ] = False,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Show what would change; change nothing.")
    ] = False,
    force: Annotated[
        bool,
        typer.Option("--force", help="Save the weights even without an improvement on held-out queries."),
    ] = False,
    preset_name: Annotated[
        str,
        typer.Option(
            metavar="NAME", help="Save the weights under this name; without labels, apply the saved ones."
        ),
    ] = "",
    file: Annotated[
        bool, typer.Option("--file", help="Print lines for recollect.toml instead of saving preferences.")
    ] = False,
    undo: Annotated[
        bool, typer.Option("--undo", help="Restore the values from before the last tuning.")
    ] = False,
) -> None:
    """
    Tune the ranking weights with labelled queries.

    Needs at least 10 labelled queries; 20 to 30 work well. Each query is searched once; its candidates are then ranked
    in memory with different weights to maximize NDCG@5. Five-fold cross-validation guards against overfitting: without
    an improvement on the held-out queries nothing is changed. The weights are saved as preferences of the user, which
    `recollect settings` shows.
    """
    ctx.options.resume_hint = "Nothing was changed."
    source_count = sum([labels is not None, from_feedback, undo])
    if source_count > 1 or not (source_count or preset_name):
        raise typer.BadParameter(
            "give exactly one of --labels FILE, --from-feedback and --undo", param_hint="--labels"
        )
    with ctx.open_session() as session:
        if undo:
            _undo_tuning(ctx, session)
        elif not source_count:
            _apply_saved_tuning(ctx, session, preset_name)
        else:
            relevance_labels = (
                _read_labels(labels) if labels else session.services.tuning.labels(session.scope())
            )
            tuning_result = _run_tuning(ctx, session, relevance_labels)
            is_accepted = tuning_result.is_improvement or force
            is_saved = is_accepted and bool(tuning_result.changed_values) and not (dry_run or file)
            if is_saved:
                session.services.tuning.save_tuning(
                    session.scope(), tuning_result.changed_values, name=preset_name or "tuned"
                )
            _print_result(ctx, tuning_result, is_saved=is_saved, file=file and is_accepted, dry_run=dry_run)


def _read_labels(path: Path) -> list[RelevanceLabel]:
    values = []
    for number, line in enumerate(read_text_file(path).splitlines(), start=1):
        if not line.strip():
            continue
        try:
            values.append(json.loads(line))
        except ValueError as error:
            raise InvalidInput(
                f"Line {number} of {path} is not valid JSON: {error}. Write one object per line."
            ) from error
    return parsers.parse_labels(values)


def _run_tuning(ctx: CommandContext, session: CliSession, labels: list[RelevanceLabel]) -> TuningResult:
    with progress_bar(ctx.stderr, "Tuning", total=EXPECTED_TRIALS) as progress:

        def update_progress(trial_count: int) -> None:
            if progress.is_due:
                progress.update(done=trial_count, total=max(trial_count, EXPECTED_TRIALS))

        return session.services.tuning.tune(
            session.scope(), labels, session.policy(), progress=update_progress
        )


def _print_result(
    ctx: CommandContext, tuning_result: TuningResult, *, is_saved: bool, file: bool, dry_run: bool
) -> None:
    if file and ctx.is_text:
        ctx.print_raw(_format_toml(tuning_result))
    else:
        serialized = {
            **serializers.serialize_tuning(replace(tuning_result, is_saved=is_saved)),
            **({"file": _format_toml(tuning_result)} if file else {}),
        }
        ctx.print_result(serialized, _render_measures(tuning_result), *_render_changes(tuning_result))
    for note in _describe_result(tuning_result, is_saved=is_saved, dry_run=dry_run):
        ctx.info(note)
    if tuning_result.changed_values and not tuning_result.is_improvement:
        before, after = tuning_result.held_out_ndcg
        ending = "The weights were saved anyway." if is_saved else "Nothing was changed; --force saves them."
        ctx.warn(f"No improvement on held-out queries ({before:.3f} before, {after:.3f} after). {ending}")


def _render_measures(tuning_result: TuningResult) -> Table:
    rows = [
        (
            f"{tuning_result.query_count} queries",
            f"{tuning_result.training_ndcg.before:.3f}",
            f"{tuning_result.training_ndcg.after:.3f}",
            "",
        ),
        (
            "held out (5-fold)",
            f"{tuning_result.held_out_ndcg.before:.3f}",
            f"{tuning_result.held_out_ndcg.after:.3f}",
            f"{tuning_result.improved_count} better, {tuning_result.worsened_count} worse",
        ),
    ]
    return render.table("!NDCG@5", "#before", "#after", "", rows=rows)


def _render_changes(tuning_result: TuningResult) -> Iterator[Text | Table]:
    if tuning_result.changed_values:
        yield Text()
        rows = [
            (name, f"{tuning_result.before[name]:g}", f"{value:g}")
            for name, value in tuning_result.changed_values.items()
        ]
        yield render.table("!setting", "#before", "#after", rows=rows)


def _describe_result(tuning_result: TuningResult, *, is_saved: bool, dry_run: bool) -> Iterator[str]:
    if tuning_result.unanswerable_count:
        unanswerable = render.format_count(tuning_result.unanswerable_count, "query", "queries")
        yield f"No relevant passage was retrieved for {unanswerable}."
    if not tuning_result.changed_values:
        yield "No weights are better than the current ones."
    elif is_saved:
        yield "Saved as preferences. Restore the previous values with `recollect settings tune --undo`."
    elif dry_run:
        yield "Nothing was changed (dry run)."


def _format_toml(tuning_result: TuningResult) -> str:
    lines = [
        f"{name.removeprefix('recall.')} = {value:g}" for name, value in tuning_result.changed_values.items()
    ]
    return "\n".join(["[recall]", *lines]) + "\n" if lines else ""


def _apply_saved_tuning(ctx: CommandContext, session: CliSession, name: str) -> None:
    values = session.services.tuning.get_tuning(session.scope(), name)
    session.services.tuning.save_tuning(session.scope(), values, name=name)
    ctx.print_result(
        {"values": dict(values), "kept": True}, _render_values(values), f"Applied to user {session.user}."
    )


def _undo_tuning(ctx: CommandContext, session: CliSession) -> None:
    restored_names = session.services.tuning.undo_tuning(session.scope())
    current_values = session.policy().values()
    restored_values = {name: float(str(current_values[name])) for name in restored_names}
    ctx.print_result(
        {"values": dict(restored_values)}, *([_render_values(restored_values)] if restored_values else [])
    )
    ctx.info(
        "Restored the values from before the last tuning."
        if restored_names
        else "Nothing to restore: all values were changed since the last tuning."
    )


def _render_values(values: Mapping[str, float]) -> Table:
    return render.table("!setting", "#value", rows=[(name, f"{value:g}") for name, value in values.items()])
