"""settings, presets and trust: every value with where it came from, and who may change it."""

from pathlib import Path
from typing import Annotated, TypeAlias

import typer

from recollect.cli import render
from recollect.cli.command import Call, Yes, command, commands, examples
from recollect.cli.session import Session
from recollect.domain.policy import PRESETS, Value
from recollect.domain.setting import PROJECT_SETTINGS, Described, Setting, nearest
from recollect.errors import ConfigError, InvalidInput
from recollect.serialization.serializers import Json, Shape
from recollect.settings import FILE_NAME, describe, read_project_file, trusted_files

app = commands()
group = commands()
app.add_typer(group, name="settings")

Name: TypeAlias = Annotated[str, typer.Argument(metavar="NAME", help="Like recall.limit.")]
#: What each preset is for.
ABOUT = {
    "default": "All of it, balanced: the values of the reference page.",
    "smart": "A strict funnel and judge, three tiers; other chats only when recall is turned on.",
    "companion": "A companion: few tokens, moods that fade, biography that stays.",
    "dev": "For developers: messages, chunks and summaries; nothing is extracted.",
    "facts": "One fact per exchange, found by cosine with a floor; recent ones as fallback.",
    "agent": "For agents: batches, three facts and two messages, clipped tool output.",
}


@group.callback(
    invoke_without_command=True,
    epilog=examples(
        "recollect settings",
        "recollect settings get recall.limit",
        "recollect settings set recall.hybrid off",
        "recollect settings unset recall.hybrid",
    ),
)
@command
def settings(call: Call) -> None:
    """
    Show settings and where they came from; change your own.

    Without a command: every setting with its value and its source. An argument wins over a user's preference, that over
    the environment, that over recollect.toml, that over the preset, that over the default. A change holds from the next
    call on, also in processes that are running.
    """
    _list(call)


@group.command("list", epilog=examples("recollect settings list --json"))
@command
def list_(call: Call) -> None:
    """List every setting with its value and where it came from."""
    _list(call)


def _list(call: Call) -> None:
    with call.open() as session:
        resolved = session.runtime.resolve(session.user)
        mentioned = session.runtime.settings.warnings
    listed = list(resolved.sources.values())
    rows = [(each.name, _value(each.value), _source(each), each.doc) for each in listed]
    call.answer(
        {"results": [_shape(each) for each in listed], "warnings": list(resolved.warnings)},
        render.table("!name", "value", "from", "what it does", rows=rows),
    )
    call.mention([each for each in resolved.warnings if each not in mentioned])


@group.command(epilog=examples("recollect settings get db", "recollect settings get RAG_HYBRID --json"))
@command
def get(call: Call, name: Name) -> None:
    """Show one setting: its value, where it came from, and what it takes."""
    row = _known(name)
    with call.open() as session:
        found = session.runtime.resolve(session.user).sources[row.name]
    call.answer(
        {**_shape(found), "takes": row.takes, "environment": list(row.environment)},
        render.fields(
            {
                row.name: _value(found.value),
                "from": _source(found),
                "what it does": found.doc,
                "takes": row.takes,
                "variable": " or ".join(row.environment),
            }
        ),
    )


@group.command(
    "set",
    epilog=examples(
        "recollect settings set recall.limit 5", "recollect --user ana settings set preset companion"
    ),
)
@command
def set_(
    call: Call, name: Name, value: Annotated[str, typer.Argument(metavar="VALUE", help="The new value.")]
) -> None:
    """
    Set a preference of the user.

    It is kept in the memory file and wins over the environment. What belongs to the machine, like `db` or `embedder`,
    is set with a variable or in recollect.toml instead.
    """
    with call.open() as session:
        # Raises if the name or the value makes no sense; the name may be another program's.
        alone = session.runtime.settings.resolve(preferences={name: value}).sources
        [chosen] = [each.name for each in alone.values() if each.source == "preference"]
        session.store.preferences.set(session.user, chosen, value, now=session.engine.clock.now())
        found = session.runtime.resolve(session.user).sources[chosen]
    call.answer(_shape(found), f"{found.name} is now {_value(found.value)} for {session.user}.")


@group.command(epilog=examples("recollect settings unset recall.limit"))
@command
def unset(call: Call, name: Name) -> None:
    """Take a preference of the user back; the environment, file, preset or default holds again."""
    with call.open() as session:
        kept = session.runtime.preferences(session.user)
        chosen = name if name in kept else _known(name).name
        session.store.preferences.set(session.user, chosen, None, now=session.engine.clock.now())
        shape, told = _now(session, chosen)
    was = "" if chosen in kept else "It was not set. "
    call.answer({**shape, "unset": chosen in kept}, was + told)


def _now(session: Session, name: str) -> tuple[Shape, str]:
    found = session.runtime.resolve(session.user).sources.get(name)
    if found is None:
        return {"name": name}, f"{name} is gone."
    return _shape(found), f"{name} is {_value(found.value)} ({_source(found)})."


def _known(name: str) -> Described:
    rows = {row.name: row for row in describe()}
    by_variable = {variable: row for row in rows.values() for variable in row.environment}
    row = rows.get(name) or by_variable.get(name)
    if row is None:
        meant = nearest(name, list(rows))
        hint = f" Did you mean {meant}?" if meant else ""
        raise ConfigError(f"There is no setting {name}.{hint} `recollect settings` lists them all.")
    return row


def _source(found: Setting) -> str:
    match found.source:
        case "call":
            return "argument"
        case "environment" | "file" | "preset":
            return f"{found.source} {found.origin}"
        case _:
            return found.source


def _value(value: Value) -> str:
    match value:
        case bool():
            return "yes" if value else "no"
        case tuple():
            return ", ".join(value) or "(none)"
        case "" | None:
            return "(none)"
        case _:
            return str(value)


def _shape(found: Setting) -> Shape:
    return {
        "name": found.name,
        "value": _json(found.value),
        "source": found.source,
        "origin": found.origin,
        "doc": found.doc,
    }


def _json(value: Value) -> Json:
    return list(value) if isinstance(value, tuple) else value


@app.command(
    epilog=examples("recollect presets", "recollect presets dev", "recollect settings set preset dev")
)
@command
def presets(
    call: Call,
    name: Annotated[str | None, typer.Argument(metavar="NAME", help="Show what it changes.")] = None,
) -> None:
    """
    Show the presets and what they change.

    A preset is a set of values to start from; everything else you set wins over it.
    """
    chosen = PRESETS if name is None else {name: PRESETS[_preset(name)]}
    shape: list[Json] = [
        {"name": each, "about": ABOUT[each], "values": {key: _json(value) for key, value in values.items()}}
        for each, values in chosen.items()
    ]
    if name is None:
        rows = [(each, str(len(values)), ABOUT[each]) for each, values in PRESETS.items()]
        call.answer({"results": shape}, render.table("preset", "#changes", "for", rows=rows))
    else:
        rows = [(key, _value(value), "") for key, value in PRESETS[name].items()]
        call.answer(
            {"results": shape}, ABOUT[name], render.table("!setting", "value", rows=[r[:2] for r in rows])
        )


def _preset(name: str) -> str:
    if name not in PRESETS:
        raise ConfigError(f"There is no preset {name}. Choose one of {', '.join(PRESETS)}.")
    return name


@app.command(
    epilog=examples(
        "recollect trust",
        "recollect trust ~/project --yes",
        "recollect trust --list",
        "recollect trust --revoke",
    )
)
@command
def trust(
    call: Call,
    folder: Annotated[
        Path,
        typer.Argument(metavar="FOLDER", help="The folder that has the file; this one if none is named."),
    ] = Path(),
    listed: Annotated[bool, typer.Option("--list", help="List the files that are trusted.")] = False,
    revoke: Annotated[bool, typer.Option("--revoke", help="Trust the file no longer.")] = False,
    yes: Yes = False,
) -> None:
    """
    Let the settings file of a project's folder set everything.

    A recollect.toml in the current folder may have come with somebody else's project. It may choose how memories are
    ranked and laid out; what else it sets is ignored with a warning until you trust it. Shows what it sets and asks. A
    file that changes has to be trusted again. `--config FILE` uses a file without trusting it.
    """
    if listed and revoke:
        raise InvalidInput("--list and --revoke cannot stand together. Choose one.")
    if listed:
        _list_trusted(call)
    elif revoke:
        path = folder.resolve() / FILE_NAME
        trusted_files().remove(path)
        call.answer({"file": str(path), "trusted": False}, f"{path} is no longer trusted.")
    else:
        _trust(call, folder, yes=yes)


def _trust(call: Call, folder: Path, *, yes: bool) -> None:
    file = read_project_file(folder)
    rows = [
        (each.name, _value(each.value), "no" if each.name in PROJECT_SETTINGS else "yes")
        for each in file.settings
    ]
    if call.for_people:
        call.aside.print(render.table("!setting", "value", "needs trust", rows=rows))
    call.confirm(f"Let {file.path} set this?", yes=yes)
    trusted_files().add(file.path, file.sha256)
    shape: list[Json] = [
        {"name": each.name, "value": _json(each.value), "needs_trust": each.name not in PROJECT_SETTINGS}
        for each in file.settings
    ]
    call.answer(
        {"file": str(file.path), "trusted": True, "settings": shape},
        f"{file.path} is trusted as long as it stays as it is. `recollect trust --revoke` takes that back.",
    )


def _list_trusted(call: Call) -> None:
    states = trusted_files().states()
    call.answer(
        {"results": [{"file": path, "state": state} for path, state in states.items()]},
        render.table("!file", "state", rows=list(states.items())),
    )
