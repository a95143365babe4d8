"""tune: the numbers of recall, chosen by questions whose answers are known."""

import json
from collections.abc import Iterator, Mapping
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

#: Numbers that are tried, as a rule; for the length of the bar.
EXPECTED_TRIALS = 500


@app.command(
    epilog=format_examples(
        "recollect tune --labels labels.jsonl --dry-run",
        "recollect tune --from-feedback",
        "recollect tune --labels labels.jsonl --file >> recollect.toml",
        "recollect tune --undo",
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
        bool, typer.Option("--from-feedback", help="Learn from what was said with `recollect feedback`.")
    ] = False,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Show what would change; change nothing.")
    ] = False,
    force: Annotated[
        bool, typer.Option("--force", help="Keep the numbers even if the gain does not hold elsewhere.")
    ] = False,
    preset_name: Annotated[
        str, typer.Option(metavar="NAME", help="Keep them under this name; alone, take those kept under it.")
    ] = "",
    file: Annotated[
        bool, typer.Option("--file", help="Print lines for recollect.toml instead of keeping them.")
    ] = False,
    undo: Annotated[
        bool, typer.Option("--undo", help="Bring back the values from before the last tuning.")
    ] = False,
) -> None:
    """
    Choose the numbers of recall by labelled questions.

    Ten questions are the least; 20 to 30 are good. Each is searched for once and then ranked in memory with other
    numbers, so that what is relevant comes first (NDCG@5). Every fifth of the questions is also ranked with numbers
    chosen by the others: if those do not gain, nothing is changed. What is kept are the user's preferences, which
    `recollect settings` shows.
    """
    ctx.options.resume_hint = "Nothing was changed."
    source_count = sum([labels is not None, from_feedback, undo])
    if source_count > 1 or not (source_count or preset_name):
        raise typer.BadParameter(
            "give one of --labels FILE, --from-feedback and --undo", param_hint="--labels"
        )
    with ctx.open_session() as session:
        if undo:
            _undo_tuning(ctx, session)
        elif not source_count:
            _apply_saved_tuning(ctx, session, preset_name)
        else:
            relevance_labels = _read_labels(labels) if labels else session.engine.labels(session.scope())
            tuning_result = _run_tuning(ctx, session, relevance_labels)
            is_accepted = tuning_result.is_improvement or force
            is_saved = is_accepted and bool(tuning_result.changed_values) and not (dry_run or file)
            if is_saved:
                session.engine.save_tuning(
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
                f"Line {number} of {path} is not JSON: {error}. Give one object a line."
            ) from error
    return parsers.parse_labels(values)


def _run_tuning(ctx: CommandContext, session: CliSession, labels: list[RelevanceLabel]) -> TuningResult:
    with progress_bar(ctx.stderr, "Trying numbers", total=EXPECTED_TRIALS) as progress:

        def update_progress(trial_count: int) -> None:
            if progress.is_due:
                progress.update(done=trial_count, total=max(trial_count, EXPECTED_TRIALS))

        return session.engine.tune(session.scope(), labels, session.policy(), progress=update_progress)


def _print_result(
    ctx: CommandContext, tuning_result: TuningResult, *, is_saved: bool, file: bool, dry_run: bool
) -> None:
    if file and ctx.is_text:
        ctx.print_raw(_format_toml(tuning_result))
    else:
        serialized = {
            **serializers.serialize_tuning(tuning_result, is_saved=is_saved),
            **({"file": _format_toml(tuning_result)} if file else {}),
        }
        ctx.print_result(serialized, _render_measures(tuning_result), *_render_changes(tuning_result))
    for note in _describe_result(tuning_result, is_saved=is_saved, dry_run=dry_run):
        ctx.info(note)
    if tuning_result.changed_values and not tuning_result.is_improvement:
        before, after = tuning_result.held_out_ndcg
        ending = "they were kept all the same." if is_saved else "nothing was changed; --force keeps them."
        ctx.warn(
            f"Questions that the numbers were not chosen by do not gain ({before:.3f} before,"
            f" {after:.3f} after): {ending}"
        )


def _render_measures(tuning_result: TuningResult) -> Table:
    rows = [
        (
            f"{tuning_result.query_count} questions",
            f"{tuning_result.training_ndcg.before:.3f}",
            f"{tuning_result.training_ndcg.after:.3f}",
            "",
        ),
        (
            "the same, held out",
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
        unanswerable = render.format_count(tuning_result.unanswerable_count, "question")
        yield f"No relevant passage was found at all for {unanswerable}."
    if not tuning_result.changed_values:
        yield "No numbers are better than those that hold."
    elif is_saved:
        yield "Kept as preferences; `recollect tune --undo` brings the former ones back."
    elif dry_run:
        yield "Nothing was changed: this was a dry run."


def _format_toml(tuning_result: TuningResult) -> str:
    lines = [
        f"{name.removeprefix('recall.')} = {value:g}" for name, value in tuning_result.changed_values.items()
    ]
    return "\n".join(["[recall]", *lines]) + "\n" if lines else ""


def _apply_saved_tuning(ctx: CommandContext, session: CliSession, name: str) -> None:
    values = session.engine.get_tuning(session.scope(), name)
    session.engine.save_tuning(session.scope(), values, name=name)
    ctx.print_result(
        {"values": dict(values), "kept": True}, _render_values(values), f"These are {session.user}'s now."
    )


def _undo_tuning(ctx: CommandContext, session: CliSession) -> None:
    restored_names = session.engine.undo_tuning(session.scope())
    current_values = session.policy().values()
    restored_values = {name: float(str(current_values[name])) for name in restored_names}
    ctx.print_result(
        {"values": dict(restored_values)}, *([_render_values(restored_values)] if restored_values else [])
    )
    ctx.info(
        "The values from before the last tuning hold again."
        if restored_names
        else "All were chosen anew since then."
    )


def _render_values(values: Mapping[str, float]) -> Table:
    return render.table("!setting", "#value", rows=[(name, f"{value:g}") for name, value in values.items()])
