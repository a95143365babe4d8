"""settings, presets and trust: every value with where it came from, and who may change it."""

from pathlib import Path
from typing import Annotated, TypeAlias

import typer

from recollect.cli import render
from recollect.cli.command import CommandContext, YesOption, command, format_examples, make_typer
from recollect.cli.session import CliSession
from recollect.domain.policy import PRESETS, OptionValue
from recollect.domain.setting import PROJECT_SETTINGS, Setting, SettingSpec, closest_name
from recollect.errors import ConfigError, InvalidInput
from recollect.serialization.serializers import JsonObject, JsonValue
from recollect.settings import FILE_NAME, list_specs, read_project_file, trusted_files

app = make_typer()
group = make_typer()
app.add_typer(group, name="settings")

SettingNameArgument: TypeAlias = Annotated[str, typer.Argument(metavar="NAME", help="Like recall.limit.")]
#: What each preset is for.
PRESET_DESCRIPTIONS = {
    "default": "All of it, balanced: the values of the reference page.",
    "smart": "A strict funnel and judge, three tiers; other chats only when recall is turned on.",
    "companion": "A companion: few tokens, moods that fade, biography that stays.",
    "dev": "For developers: messages, chunks and summaries; nothing is extracted.",
    "facts": "One fact per exchange, found by cosine with a floor; recent ones as fallback.",
    "agent": "For agents: batches, three facts and two messages, clipped tool output.",
}


@group.callback(
    invoke_without_command=True,
    epilog=format_examples(
        "recollect settings",
        "recollect settings get recall.limit",
        "recollect settings set recall.hybrid off",
        "recollect settings unset recall.hybrid",
    ),
)
@command
def settings(ctx: CommandContext) -> None:
    """
    Show settings and where they came from; change your own.

    Without a command: every setting with its value and its source. An argument wins over a user's preference, that over
    the environment, that over recollect.toml, that over the preset, that over the default. A change holds from the next
    call on, also in processes that are running.
    """
    _print_settings(ctx)


@group.command("list", epilog=format_examples("recollect settings list --json"))
@command
def list_(ctx: CommandContext) -> None:
    """List every setting with its value and where it came from."""
    _print_settings(ctx)


def _print_settings(ctx: CommandContext) -> None:
    with ctx.open_session() as session:
        resolved_settings = session.application.resolve(session.user)
        printed_warnings = session.application.settings.warnings
    all_settings = list(resolved_settings.settings.values())
    rows = [(each.name, _format_value(each.value), _format_source(each), each.doc) for each in all_settings]
    ctx.print_result(
        {
            "results": [_serialize_setting(each) for each in all_settings],
            "warnings": list(resolved_settings.warnings),
        },
        render.table("!name", "value", "from", "what it does", rows=rows),
    )
    ctx.warn_all([each for each in resolved_settings.warnings if each not in printed_warnings])


@group.command(
    epilog=format_examples("recollect settings get db", "recollect settings get RAG_HYBRID --json")
)
@command
def get(ctx: CommandContext, name: SettingNameArgument) -> None:
    """Show one setting: its value, where it came from, and what it takes."""
    spec = _find_setting(name)
    with ctx.open_session() as session:
        setting = session.application.resolve(session.user).settings[spec.name]
    ctx.print_result(
        {**_serialize_setting(setting), "takes": spec.accepted_values, "environment": list(spec.environment)},
        render.fields(
            {
                spec.name: _format_value(setting.value),
                "from": _format_source(setting),
                "what it does": setting.doc,
                "takes": spec.accepted_values,
                "variable": " or ".join(spec.environment),
            }
        ),
    )


@group.command(
    "set",
    epilog=format_examples(
        "recollect settings set recall.limit 5", "recollect --user ana settings set preset companion"
    ),
)
@command
def set_(
    ctx: CommandContext,
    name: SettingNameArgument,
    value: Annotated[str, typer.Argument(metavar="VALUE", help="The new value.")],
) -> None:
    """
    Set a preference of the user.

    It is kept in the memory file and wins over the environment. What belongs to the machine, like `db` or `embedder`,
    is set with a variable or in recollect.toml instead.
    """
    with ctx.open_session() as session:
        # Raises if the name or the value makes no sense; the name may be another program's.
        sources = session.application.settings.resolve(preferences={name: value}).settings
        [setting_name] = [each.name for each in sources.values() if each.layer == "preference"]
        session.store.preferences.set(session.user, setting_name, value, now=session.engine.clock.now())
        setting = session.application.resolve(session.user).settings[setting_name]
    ctx.print_result(
        _serialize_setting(setting),
        f"{setting.name} is now {_format_value(setting.value)} for {session.user}.",
    )


@group.command(epilog=format_examples("recollect settings unset recall.limit"))
@command
def unset(ctx: CommandContext, name: SettingNameArgument) -> None:
    """Take a preference of the user back; the environment, file, preset or default holds again."""
    with ctx.open_session() as session:
        preferences = session.application.preferences(session.user)
        setting_name = name if name in preferences else _find_setting(name).name
        session.store.preferences.set(session.user, setting_name, None, now=session.engine.clock.now())
        result, message = _describe_current(session, setting_name)
    prefix = "" if setting_name in preferences else "It was not set. "
    ctx.print_result({**result, "unset": setting_name in preferences}, prefix + message)


def _describe_current(session: CliSession, name: str) -> tuple[JsonObject, str]:
    setting = session.application.resolve(session.user).settings.get(name)
    if setting is None:
        return {"name": name}, f"{name} is gone."
    return _serialize_setting(
        setting
    ), f"{name} is {_format_value(setting.value)} ({_format_source(setting)})."


def _find_setting(name: str) -> SettingSpec:
    specs = {spec.name: spec for spec in list_specs()}
    by_variable = {variable: spec for spec in specs.values() for variable in spec.environment}
    spec = specs.get(name) or by_variable.get(name)
    if spec is None:
        suggestion = closest_name(name, list(specs))
        hint = f" Did you mean {suggestion}?" if suggestion else ""
        raise ConfigError(f"There is no setting {name}.{hint} `recollect settings` lists them all.")
    return spec


def _format_source(setting: Setting) -> str:
    match setting.layer:
        case "call":
            return "argument"
        case "environment" | "file" | "preset":
            return f"{setting.layer} {setting.origin}"
        case _:
            return setting.layer


def _format_value(value: OptionValue) -> str:
    match value:
        case bool():
            return "yes" if value else "no"
        case tuple():
            return ", ".join(value) or "(none)"
        case "" | None:
            return "(none)"
        case _:
            return str(value)


def _serialize_setting(setting: Setting) -> JsonObject:
    return {
        "name": setting.name,
        "value": _as_json(setting.value),
        "source": setting.layer,
        "origin": setting.origin,
        "doc": setting.doc,
    }


def _as_json(value: OptionValue) -> JsonValue:
    return list(value) if isinstance(value, tuple) else value


@app.command(
    epilog=format_examples("recollect presets", "recollect presets dev", "recollect settings set preset dev")
)
@command
def presets(
    ctx: CommandContext,
    name: Annotated[str | None, typer.Argument(metavar="NAME", help="Show what it changes.")] = None,
) -> None:
    """
    Show the presets and what they change.

    A preset is a set of values to start from; everything else you set wins over it.
    """
    selected_presets = PRESETS if name is None else {name: PRESETS[_require_preset(name)]}
    serialized_presets: list[JsonValue] = [
        {
            "name": each,
            "about": PRESET_DESCRIPTIONS[each],
            "values": {key: _as_json(value) for key, value in values.items()},
        }
        for each, values in selected_presets.items()
    ]
    if name is None:
        rows = [(each, str(len(values)), PRESET_DESCRIPTIONS[each]) for each, values in PRESETS.items()]
        ctx.print_result(
            {"results": serialized_presets}, render.table("preset", "#changes", "for", rows=rows)
        )
    else:
        rows = [(key, _format_value(value), "") for key, value in PRESETS[name].items()]
        ctx.print_result(
            {"results": serialized_presets},
            PRESET_DESCRIPTIONS[name],
            render.table("!setting", "value", rows=[r[:2] for r in rows]),
        )


def _require_preset(name: str) -> str:
    if name not in PRESETS:
        raise ConfigError(f"There is no preset {name}. Choose one of {', '.join(PRESETS)}.")
    return name


@app.command(
    epilog=format_examples(
        "recollect trust",
        "recollect trust ~/project --yes",
        "recollect trust --list",
        "recollect trust --revoke",
    )
)
@command
def trust(
    ctx: CommandContext,
    folder: Annotated[
        Path,
        typer.Argument(metavar="FOLDER", help="The folder that has the file; this one if none is named."),
    ] = Path(),
    list_files: Annotated[bool, typer.Option("--list", help="List the files that are trusted.")] = False,
    revoke: Annotated[bool, typer.Option("--revoke", help="Trust the file no longer.")] = False,
    yes: YesOption = False,
) -> None:
    """
    Let the settings file of a project's folder set everything.

    A recollect.toml in the current folder may have come with somebody else's project. It may choose how memories are
    ranked and laid out; what else it sets is ignored with a warning until you trust it. Shows what it sets and asks. A
    file that changes has to be trusted again. `--config FILE` uses a file without trusting it.
    """
    if list_files and revoke:
        raise InvalidInput("--list and --revoke cannot stand together. Choose one.")
    if list_files:
        _print_trusted_files(ctx)
    elif revoke:
        path = folder.resolve() / FILE_NAME
        trusted_files().remove(path)
        ctx.print_result({"file": str(path), "trusted": False}, f"{path} is no longer trusted.")
    else:
        _trust_file(ctx, folder, yes=yes)


def _trust_file(ctx: CommandContext, folder: Path, *, yes: bool) -> None:
    file = read_project_file(folder)
    rows = [
        (each.name, _format_value(each.value), "no" if each.name in PROJECT_SETTINGS else "yes")
        for each in file.settings
    ]
    if ctx.is_text:
        ctx.stderr.print(render.table("!setting", "value", "needs trust", rows=rows))
    ctx.confirm(f"Let {file.path} set this?", yes=yes)
    trusted_files().add(file.path, file.sha256)
    serialized_settings: list[JsonValue] = [
        {"name": each.name, "value": _as_json(each.value), "needs_trust": each.name not in PROJECT_SETTINGS}
        for each in file.settings
    ]
    ctx.print_result(
        {"file": str(file.path), "trusted": True, "settings": serialized_settings},
        f"{file.path} is trusted as long as it stays as it is. `recollect trust --revoke` takes that back.",
    )


def _print_trusted_files(ctx: CommandContext) -> None:
    states = trusted_files().states()
    ctx.print_result(
        {"results": [{"file": path, "state": state} for path, state in states.items()]},
        render.table("!file", "state", rows=list(states.items())),
    )
