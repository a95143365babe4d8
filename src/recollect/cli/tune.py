"""tune: the numbers of recall, chosen by questions whose answers are known."""

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Annotated

import typer
from rich.table import Table
from rich.text import Text

from recollect.cli import render
from recollect.cli.command import Call, command, commands, examples, file_text
from recollect.cli.drain import bar
from recollect.cli.session import Session
from recollect.domain.feedback import Label
from recollect.domain.tuning import Tuned
from recollect.errors import InvalidInput
from recollect.serialization import parsers, serializers

app = commands()

#: Numbers that are tried, as a rule; for the length of the bar.
USUAL = 500


@app.command(
    epilog=examples(
        "recollect tune --labels labels.jsonl --dry-run",
        "recollect tune --from-feedback",
        "recollect tune --labels labels.jsonl --file >> recollect.toml",
        "recollect tune --undo",
    )
)
@command
def tune(
    call: Call,
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
    call.asked.resume = "Nothing was changed."
    chosen = sum([labels is not None, from_feedback, undo])
    if chosen > 1 or not (chosen or preset_name):
        raise typer.BadParameter(
            "give one of --labels FILE, --from-feedback and --undo", param_hint="--labels"
        )
    with call.open() as session:
        if undo:
            _undo(call, session)
        elif not chosen:
            _take(call, session, preset_name)
        else:
            given = _labels(labels) if labels else session.engine.labels(session.scope())
            found = _tuned(call, session, given)
            trusted = found.is_real or force
            kept = trusted and bool(found.changed) and not (dry_run or file)
            if kept:
                session.engine.keep_tuning(session.scope(), found.changed, name=preset_name or "tuned")
            _answer(call, found, kept=kept, file=file and trusted, dry_run=dry_run)


def _labels(path: Path) -> list[Label]:
    given = []
    for number, line in enumerate(file_text(path).splitlines(), start=1):
        if not line.strip():
            continue
        try:
            given.append(json.loads(line))
        except ValueError as error:
            raise InvalidInput(
                f"Line {number} of {path} is not JSON: {error}. Give one object a line."
            ) from error
    return parsers.labels(given)


def _tuned(call: Call, session: Session, labels: list[Label]) -> Tuned:
    with bar(call.aside, "Trying numbers", total=USUAL) as shown:

        def look(tried: int) -> None:
            if shown.is_due:
                shown.move(done=tried, total=max(tried, USUAL))

        return session.engine.tune(session.scope(), labels, session.policy(), watch=look)


def _answer(call: Call, found: Tuned, *, kept: bool, file: bool, dry_run: bool) -> None:
    if file and call.for_people:
        call.block(_fragment(found))
    else:
        shape = {**serializers.tuned(found, kept=kept), **({"file": _fragment(found)} if file else {})}
        call.answer(shape, _measures(found), *_changes(found))
    for note in _notes(found, kept=kept, dry_run=dry_run):
        call.note(note)
    if found.changed and not found.is_real:
        before, after = found.unseen
        ending = "they were kept all the same." if kept else "nothing was changed; --force keeps them."
        call.warn(
            f"Questions that the numbers were not chosen by do not gain ({before:.3f} before,"
            f" {after:.3f} after): {ending}"
        )


def _measures(found: Tuned) -> Table:
    rows = [
        (f"{found.questions} questions", f"{found.seen.before:.3f}", f"{found.seen.after:.3f}", ""),
        (
            "the same, held out",
            f"{found.unseen.before:.3f}",
            f"{found.unseen.after:.3f}",
            f"{found.better} better, {found.worse} worse",
        ),
    ]
    return render.table("!NDCG@5", "#before", "#after", "", rows=rows)


def _changes(found: Tuned) -> Iterator[Text | Table]:
    if found.changed:
        yield Text()
        rows = [(name, f"{found.before[name]:g}", f"{value:g}") for name, value in found.changed.items()]
        yield render.table("!setting", "#before", "#after", rows=rows)


def _notes(found: Tuned, *, kept: bool, dry_run: bool) -> Iterator[str]:
    if found.unfound:
        yield f"For {render.count(found.unfound, 'question')} nothing of what is relevant was found at all."
    if not found.changed:
        yield "No numbers are better than those that hold."
    elif kept:
        yield "Kept as preferences; `recollect tune --undo` brings the former ones back."
    elif dry_run:
        yield "Nothing was changed: this was a dry run."


def _fragment(found: Tuned) -> str:
    lines = [f"{name.removeprefix('recall.')} = {value:g}" for name, value in found.changed.items()]
    return "\n".join(["[recall]", *lines]) + "\n" if lines else ""


def _take(call: Call, session: Session, name: str) -> None:
    values = session.engine.kept_tuning(session.scope(), name)
    session.engine.keep_tuning(session.scope(), values, name=name)
    call.answer({"values": dict(values), "kept": True}, _values(values), f"These are {session.user}'s now.")


def _undo(call: Call, session: Session) -> None:
    back = session.engine.undo_tuning(session.scope())
    now = session.policy().values()
    held = {name: float(str(now[name])) for name in back}
    call.answer({"values": dict(held)}, *([_values(held)] if held else []))
    call.note(
        "The values from before the last tuning hold again." if back else "All were chosen anew since then."
    )


def _values(values: Mapping[str, float]) -> Table:
    return render.table("!setting", "#value", rows=[(name, f"{value:g}") for name, value in values.items()])
