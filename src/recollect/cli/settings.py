"""The `settings` commands: settings, presets, models and tuning."""

from collections.abc import Sequence
from typing import Annotated, TypeAlias

import typer
from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.text import Text

from recollect.cli import models, render, tune
from recollect.cli.command import CommandContext, command, format_examples, make_typer
from recollect.cli.session import CliSession, missing_file, open_session
from recollect.domain.policy import PRESETS, OptionValue
from recollect.domain.setting import Setting, SettingSpec, closest_name
from recollect.errors import ConfigError
from recollect.serialization.serializers import JsonObject, JsonValue
from recollect.settings import ResolvedSettings, Settings, list_specs

app = make_typer()
group = make_typer()
app.add_typer(group, name="settings")
group.add_typer(models.group, name="models")
group.add_typer(tune.app)

SettingNameArgument: TypeAlias = Annotated[
    str, typer.Argument(metavar="NAME", help="Name of the setting, e.g. recall.limit.")
]
PRESET_DESCRIPTIONS = {
    "default": "All features, with the default values of the settings reference.",
    "smart": "Strict triage and extraction, three context tiers; other chats only if recall is turned on.",
    "companion": "Companion apps: few tokens, moods decay, biography does not.",
    "dev": "Developer tools: messages, chunks and summaries; no fact extraction.",
    "facts": "One fact per exchange, recalled by cosine with a minimum; recent facts as fallback.",
    "agent": "Agents: batched extraction, three facts and two messages, truncated tool output.",
}


@group.callback(
    epilog=format_examples(
        "recollect settings",
        "recollect settings set recall.hybrid off",
        "recollect settings presets",
        "recollect settings models",
        "recollect settings tune --from-feedback",
    )
)
@command
def settings(_ctx: CommandContext) -> None:
    """
    Show or change settings, presets, models and ranking weights.

    Without a subcommand, all settings are listed with value and source. Precedence, highest first: argument, user
    preference, environment variable, recollect.toml, preset, default. Changes apply from the next call on, also in
    running processes.
    """


@group.command("list", epilog=format_examples("recollect settings list", "recollect settings list --json"))
@command
def list_(ctx: CommandContext) -> None:
    """List all settings with their values and sources."""
    settings = ctx.load_settings()
    resolved_settings, printed_warnings = _resolve(settings), settings.warnings
    all_settings = list(resolved_settings.settings.values())
    ctx.print_result(
        {
            "results": [_serialize_setting(each) for each in all_settings],
            "warnings": list(resolved_settings.warnings),
        },
        *(_setting_table(all_settings) if ctx.is_wide else map(_setting_lines, all_settings)),
    )
    ctx.warn_all([each for each in resolved_settings.warnings if each not in printed_warnings])


def _setting_table(settings: Sequence[Setting]) -> Sequence[RenderableType]:
    rows = [(each.name, format_value(each.value), _format_source(each), each.doc) for each in settings]
    return [render.table("!name", "value", "source", "description", rows=rows)]


def _setting_lines(setting: Setting) -> RenderableType:
    """Return a setting for a terminal, which is too narrow for the table."""
    heading = Text.assemble(
        (setting.name, "bold"), f" = {format_value(setting.value)}", (f"  ({_format_source(setting)})", "dim")
    )
    return Group(heading, Padding(setting.doc, (0, 0, 0, 4)))


@group.command(
    epilog=format_examples("recollect settings get db", "recollect settings get RAG_HYBRID --json")
)
@command
def get(ctx: CommandContext, name: SettingNameArgument) -> None:
    """Show one setting: its value, source and accepted values."""
    spec = _find_setting(name)
    setting = _resolve(ctx.load_settings()).settings[spec.name]
    ctx.print_result(
        {**_serialize_setting(setting), "takes": spec.accepted_values, "environment": list(spec.environment)},
        render.fields(
            {
                spec.name: format_value(setting.value),
                "source": _format_source(setting),
                "description": setting.doc,
                "accepts": spec.accepted_values,
                "variable": " or ".join(spec.environment),
            }
        ),
    )


@group.command(
    "set",
    # A negative number is a value, not an option.
    context_settings={"ignore_unknown_options": True},
    epilog=format_examples(
        "recollect settings set recall.limit 5", "recollect --user ana settings set preset companion"
    ),
)
@command
def set_(
    ctx: CommandContext,
    name: SettingNameArgument,
    value: Annotated[str, typer.Argument(metavar="VALUE", help="New value.")],
) -> None:
    """
    Set a preference of the user.

    Preferences are stored in the memory file and override the environment. Machine settings such as `db` or `embedder`
    are set with an environment variable or in recollect.toml instead.
    """
    with ctx.open_session(creates=True) as session:
        # Raises if the name or value is invalid; the name may be an alias such as RAG_HYBRID.
        sources = session.application.settings.resolve(preferences={name: value}).settings
        [setting_name] = [each.name for each in sources.values() if each.layer == "preference"]
        session.services.preferences.set(session.user, setting_name, value)
        setting = session.application.resolve(session.user).settings[setting_name]
    ctx.print_result(
        _serialize_setting(setting),
        f"{setting.name} is now {format_value(setting.value)} for {session.user}.",
    )


@group.command(epilog=format_examples("recollect settings unset recall.limit"))
@command
def unset(ctx: CommandContext, name: SettingNameArgument) -> None:
    """
    Remove a preference of the user.

    The environment, the settings file, the preset or the default apply again.
    """
    with ctx.open_session() as session:
        preferences = session.services.preferences.all(session.user)
        setting_name = name if name in preferences else _find_setting(name).name
        session.services.preferences.set(session.user, setting_name, None)
        result, message = _describe_current(session, setting_name)
    prefix = "" if setting_name in preferences else "No preference was set. "
    ctx.print_result({**result, "unset": setting_name in preferences}, prefix + message)


def _resolve(settings: Settings) -> ResolvedSettings:
    """Return the settings of the user; without a memory file there are no preferences."""
    if missing_file(settings) is not None:
        return settings.resolve()
    with open_session(settings, creates=False) as session:
        return session.application.resolve(session.user)


def _describe_current(session: CliSession, name: str) -> tuple[JsonObject, str]:
    setting = session.application.resolve(session.user).settings.get(name)
    if setting is None:
        return {"name": name}, f"Removed {name}."
    return _serialize_setting(
        setting
    ), f"{name} is {format_value(setting.value)} ({_format_source(setting)})."


def _find_setting(name: str) -> SettingSpec:
    specs = {spec.name: spec for spec in list_specs()}
    by_variable = {variable: spec for spec in specs.values() for variable in spec.environment}
    spec = specs.get(name) or by_variable.get(name)
    if spec is None:
        suggestion = closest_name(name, list(specs))
        hint = f" Did you mean {suggestion}?" if suggestion else ""
        raise ConfigError(f"Unknown setting {name}.{hint} `recollect settings` lists all settings.")
    return spec


def _format_source(setting: Setting) -> str:
    match setting.layer:
        case "call":
            return "argument"
        case "environment" | "file" | "preset":
            return f"{setting.layer} {setting.origin}"
        case _:
            return setting.layer


def format_value(value: OptionValue) -> str:
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
        "value": serialize_value(setting.value),
        "source": setting.layer,
        "origin": setting.origin,
        "doc": setting.doc,
    }


def serialize_value(value: OptionValue) -> JsonValue:
    return list(value) if isinstance(value, tuple) else value


@group.command(
    epilog=format_examples(
        "recollect settings presets", "recollect settings presets dev", "recollect settings set preset dev"
    )
)
@command
def presets(
    ctx: CommandContext,
    name: Annotated[
        str | None, typer.Argument(metavar="NAME", help="Show the settings this preset changes.")
    ] = None,
) -> None:
    """
    Show the presets and the settings they change.

    A preset replaces the default values of some settings; settings from every other source override it.
    """
    selected_presets = PRESETS if name is None else {name: PRESETS[_require_preset(name)]}
    serialized_presets: list[JsonValue] = [
        {
            "name": each,
            "about": PRESET_DESCRIPTIONS[each],
            "values": {key: serialize_value(value) for key, value in values.items()},
        }
        for each, values in selected_presets.items()
    ]
    if name is None:
        rows = [(each, str(len(values)), PRESET_DESCRIPTIONS[each]) for each, values in PRESETS.items()]
        ctx.print_result(
            {"results": serialized_presets}, render.table("preset", "#settings", "description", rows=rows)
        )
    else:
        rows = [(key, format_value(value), "") for key, value in PRESETS[name].items()]
        ctx.print_result(
            {"results": serialized_presets},
            PRESET_DESCRIPTIONS[name],
            render.table("!setting", "value", rows=[r[:2] for r in rows]),
        )


def _require_preset(name: str) -> str:
    if name not in PRESETS:
        raise ConfigError(f"Unknown preset {name}. Choose one of {', '.join(PRESETS)}.")
    return name
