"""consent: what the user agreed to, and the ledger that proves it."""

import json
from collections.abc import Mapping, Sequence
from typing import Annotated, TypeAlias

import typer
from rich.console import RenderableType

from recollect.cli import render
from recollect.cli.command import Call, Yes, command, commands, examples
from recollect.cli.session import Session
from recollect.domain.memory import Kind
from recollect.serialization import serializers
from recollect.serialization.serializers import Json, Shape
from recollect.services.privacy import CATEGORIES

app = commands()
group = commands()
app.add_typer(group, name="consent")

Category: TypeAlias = Annotated[
    str, typer.Argument(metavar="CATEGORY", help=f"One of {', '.join(CATEGORIES)}.")
]
#: What each category covers, in plain words.
ABOUT: Mapping[str, str] = {
    "profile": "What you write about yourself in `recollect profile`; shown to the model in every prompt.",
    Kind.BIO: "Who you are: name, age, home, family, work, health.",
    Kind.PREF: "What you like and dislike.",
    Kind.EMO: "How you feel; fades unless it is said again.",
    Kind.OBJ: "What you want to reach.",
    Kind.EVT: "What happened to you.",
    Kind.DEC: "What you decided, and what has to be kept to.",
    Kind.NOTE: "What you asked to be remembered as it is.",
}
#: Memories that a question names one by one.
NAMED = 10
CHANGED = "The ledger was changed outside of recollect: at least one line is not as it was written"


@group.callback(
    invoke_without_command=True,
    epilog=examples(
        "recollect consent",
        "recollect consent give profile",
        "recollect consent revoke emo --dry-run",
        "recollect consent ledger",
    ),
)
@command
def consent(call: Call) -> None:
    """
    Show what you agreed to, agree, or take it back.

    The profile is kept only after you say yes. The kinds of memory are kept until you say no; taking consent back
    erases what was kept, and nothing of that kind is stored from then on.
    """
    with call.open() as session:
        answers = session.store.consents.all(session.scope())
        held = {each: sum(session.engine.covered(session.scope(), each).values()) for each in CATEGORIES}
    rows = [(each, _word(answers[each]), str(held[each]), ABOUT[each]) for each in CATEGORIES]
    call.answer(
        serializers.results(
            {"category": each, "granted": answers[each], "kept": held[each], "about": ABOUT[each]}
            for each in CATEGORIES
        ),
        render.table("category", "consent", "#kept", "what it covers", rows=rows),
    )


def _word(granted: bool) -> str:
    return "yes" if granted else "no"


@group.command(epilog=examples("recollect consent give profile"))
@command
def give(call: Call, category: Category) -> None:
    """Agree that something is kept and used."""
    with call.open() as session:
        session.engine.consent(session.scope(), category, granted=True)
    call.answer({"category": category, "granted": True}, f"Consent given for {category}: {ABOUT[category]}")
    call.note(f"`recollect consent revoke {category}` takes it back and erases what was kept.")


@group.command(
    epilog=examples("recollect consent revoke profile --dry-run", "recollect consent revoke emo --yes")
)
@command
def revoke(
    call: Call,
    category: Category,
    yes: Yes = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Say what would go; change nothing.")] = False,
) -> None:
    """
    Take consent back, and erase what it covered.

    Shows what would go and asks; where nobody can be asked it takes --yes (otherwise exit code 4). It goes at once,
    also out of search, and cannot be undone. Messages stay; `recollect erase` takes those out.
    """
    with call.open() as session:
        rows = dict(session.engine.covered(session.scope(), category))
        if call.for_people and (dry_run or not yes):
            _preview(call, session, category)
        if not dry_run:
            if any(rows.values()):
                call.confirm(f"Take consent for {category} back and erase {_counted(rows)}?", yes=yes)
            rows = dict(session.engine.consent(session.scope(), category, granted=False))
    shape: Shape = {"category": category, "granted": dry_run, "erased": _numbers(rows), "dry_run": dry_run}
    call.answer(shape, _revoked(category, rows, dry_run=dry_run))


def _preview(call: Call, session: Session, category: str) -> None:
    for line in _what_goes(session, category):
        call.aside.print(line)


def _what_goes(session: Session, category: str) -> Sequence[RenderableType]:
    if category == "profile":
        profile = session.store.profiles.get(session.scope())
        return [] if profile is None else [render.profile(profile)]
    kept = session.store.memories.list(session.scope(), kind=Kind(category), standing=None, limit=NAMED)
    return [render.memories(kept, wide=False)] if kept else []


def _revoked(category: str, rows: Mapping[str, int], *, dry_run: bool) -> str:
    if dry_run:
        return f"Would erase {_counted(rows)}; nothing was changed."
    return f"Consent for {category} taken back; erased {_counted(rows)}."


def _counted(rows: Mapping[str, int]) -> str:
    names = {"profile": ("profile", "profiles"), "memories": ("memory", "memories")}
    told = [render.count(number, *names[name]) for name, number in rows.items() if number]
    return " and ".join(told) or "nothing"


def _numbers(rows: Mapping[str, int]) -> dict[str, Json]:
    return dict(rows)


@group.command(epilog=examples("recollect consent ledger", "recollect consent ledger --json"))
@command
def ledger(
    call: Call, limit: Annotated[int, typer.Option(metavar="N", min=1, help="Lines at most.")] = 100
) -> None:
    """
    Show what was agreed to, taken back and erased, and whether the ledger is intact.

    Each line is chained to the one before, so that a change shows. It never holds what was said. Exit code 5 if the
    chain is broken.
    """
    with call.open() as session:
        entries = session.store.audit.list(session.scope(), limit=limit)
        intact = session.store.audit.intact(session.scope())
    rows = [(render.when(each.at), each.action, _plain(each.detail)) for each in entries]
    call.answer(
        {**serializers.results(map(serializers.entry, entries)), "intact": intact},
        *([render.table("!when", "!what", "detail", rows=rows)] if rows else []),
    )
    call.note("The chain is intact." if intact else "The chain is broken.")
    call.end_degraded([] if intact else [CHANGED])


def _plain(detail: str) -> str:
    """A detail that was written for machines, in words."""
    if not detail.startswith("{"):
        return detail
    told = json.loads(detail)
    erased = told.get("erased", {})
    return f"{told['category']}; erased {_counted(erased)}" if any(erased.values()) else str(told["category"])
