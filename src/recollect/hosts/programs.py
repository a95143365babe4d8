"""The programs that `recollect connect` sets up: where their configuration is, and what is added to it."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from recollect.hosts.config_edits import ConfigEdit, JsonEdit, NewFile, TomlEdit
from recollect.hosts.jsonc import JsonData
from recollect.hosts.opencode_plugin import PLUGIN_TEXT

#: Seconds after which an agent stops waiting for a hook.
HOOK_TIMEOUT_SECONDS = 10
SERVER_NAME = "recollect"
_XDG_CONFIG = {"linux": "~/.config", "darwin": "~/.config", "win32": "~/.config"}
#: Where applications keep their settings, by platform.
_APPLICATION_DATA = {
    "linux": "~/.config",
    "darwin": "~/Library/Application Support",
    "win32": "~/AppData/Roaming",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class ConnectCommands:
    """How a program starts what it is connected to."""

    hook: tuple[str, ...]  #: the command and arguments of `recollect-hook`, without the host
    mcp: tuple[str, ...] | None = None  #: of the MCP server; None leaves it out


@dataclass(frozen=True, slots=True, kw_only=True)
class ConfigFolder:
    """A folder: below the home directory, by platform, unless a variable names it."""

    by_platform: Mapping[str, str]
    variable: str | None = None

    @classmethod
    def at(cls, path: str, variable: str | None = None) -> "ConfigFolder":
        return cls(by_platform=dict.fromkeys(("linux", "darwin", "win32"), path), variable=variable)

    @classmethod
    def below(cls, base: Mapping[str, str], name: str, variable: str | None = None) -> "ConfigFolder":
        return cls(by_platform={key: f"{path}/{name}" for key, path in base.items()}, variable=variable)

    def path(self, environ: Mapping[str, str], platform: str) -> str:
        """Return the path, which may begin with `~`."""
        named = environ.get(self.variable, "") if self.variable else ""
        return named or self.by_platform[platform if platform in self.by_platform else "linux"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ConfigChange:
    """What is added to one configuration file."""

    folder: ConfigFolder
    name: str  #: of the file, with folders below `folder`
    edits: tuple[ConfigEdit, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Program:
    """A coding agent or chat client."""

    name: str
    title: str
    executables: tuple[str, ...] = ()  #: it is installed if one of them is found
    folder: ConfigFolder | None = None  #: or if its folder exists
    changes: Callable[[ConnectCommands], tuple[ConfigChange, ...]] = lambda _: ()
    notes: tuple[str, ...] = ()  #: what remains to be done by hand
    has_hooks: bool = False


def _quote(words: tuple[str, ...]) -> str:
    """Return a command line that both POSIX shells and Windows read alike."""
    return " ".join(f'"{word}"' if any(c in word for c in " \t'&()") or not word else word for word in words)


def _hook(commands: ConnectCommands, host: str, **options: JsonData) -> dict[str, JsonData]:
    return {"type": "command", "command": _quote((*commands.hook, host)), **options}


def _hook_groups(
    commands: ConnectCommands, host: str, timeouts: Mapping[str, int], **options: JsonData
) -> tuple[ConfigEdit, ...]:
    """Return hooks in the form of Claude Code, which Codex and Gemini CLI share."""
    return tuple(
        JsonEdit(path=("hooks", event), value={"hooks": [_hook(commands, host, timeout=timeout, **options)]})
        for event, timeout in timeouts.items()
    )


def _json_server(
    commands: ConnectCommands, path: tuple[str, ...], extra: Mapping[str, JsonData] | None = None
) -> tuple[ConfigEdit, ...]:
    if commands.mcp is None:
        return ()
    command, *arguments = commands.mcp
    value: dict[str, JsonData] = {**(extra or {}), "command": command, "args": [*arguments]}
    return (JsonEdit(path=path, key=SERVER_NAME, value=value),)


def _with_edits(*changes: ConfigChange) -> tuple[ConfigChange, ...]:
    return tuple(change for change in changes if change.edits)


_CLAUDE_FOLDER = ConfigFolder.at("~/.claude", "CLAUDE_CONFIG_DIR")
_CODEX_FOLDER = ConfigFolder.at("~/.codex", "CODEX_HOME")
_GEMINI_FOLDER = ConfigFolder.at("~/.gemini")
_CURSOR_FOLDER = ConfigFolder.at("~/.cursor")
_OPENCODE_FOLDER = ConfigFolder.below(_XDG_CONFIG, "opencode", "OPENCODE_CONFIG_DIR")
_CLAUDE_DESKTOP_FOLDER = ConfigFolder.below(_APPLICATION_DATA, "Claude")
_VSCODE_FOLDER = ConfigFolder.below(_APPLICATION_DATA, "Code/User")


def _claude_code(commands: ConnectCommands) -> tuple[ConfigChange, ...]:
    waited = {"SessionStart": HOOK_TIMEOUT_SECONDS, "UserPromptSubmit": HOOK_TIMEOUT_SECONDS}
    edits = (
        *_hook_groups(commands, "claude-code", waited),
        # Nobody waits for the end of a turn.
        *_hook_groups(commands, "claude-code", {"Stop": HOOK_TIMEOUT_SECONDS}, **{"async": True}),
    )
    return _with_edits(
        ConfigChange(folder=_CLAUDE_FOLDER, name="settings.json", edits=edits),
        ConfigChange(
            folder=ConfigFolder.at("~", "CLAUDE_CONFIG_DIR"),
            name=".claude.json",
            edits=_json_server(commands, ("mcpServers",), {"type": "stdio"}),
        ),
    )


def _codex(commands: ConnectCommands) -> tuple[ConfigChange, ...]:
    events = dict.fromkeys(("SessionStart", "UserPromptSubmit", "Stop"), HOOK_TIMEOUT_SECONDS)
    command, *arguments = commands.mcp or ("",)
    server = TomlEdit(
        table=("mcp_servers", SERVER_NAME), values=(("command", command), ("args", tuple(arguments)))
    )
    return _with_edits(
        ConfigChange(folder=_CODEX_FOLDER, name="hooks.json", edits=_hook_groups(commands, "codex", events)),
        ConfigChange(folder=_CODEX_FOLDER, name="config.toml", edits=(server,) if commands.mcp else ()),
    )


def _gemini(commands: ConnectCommands) -> tuple[ConfigChange, ...]:
    events = dict.fromkeys(("SessionStart", "BeforeAgent", "AfterAgent"), HOOK_TIMEOUT_SECONDS * 1000)
    edits = _hook_groups(commands, "gemini", events, name=SERVER_NAME)
    servers = _json_server(commands, ("mcpServers",))
    return (ConfigChange(folder=_GEMINI_FOLDER, name="settings.json", edits=(*edits, *servers)),)


def _cursor(commands: ConnectCommands) -> tuple[ConfigChange, ...]:
    hook: dict[str, JsonData] = {"command": _quote((*commands.hook, "cursor"))}
    edits = (
        JsonEdit(path=(), key="version", value=1, keep_existing=True),
        *(
            JsonEdit(path=("hooks", event), value=hook)
            for event in ("sessionStart", "beforeSubmitPrompt", "afterAgentResponse")
        ),
    )
    return _with_edits(
        ConfigChange(folder=_CURSOR_FOLDER, name="hooks.json", edits=edits),
        ConfigChange(folder=_CURSOR_FOLDER, name="mcp.json", edits=_json_server(commands, ("mcpServers",))),
    )


def _opencode(commands: ConnectCommands) -> tuple[ConfigChange, ...]:
    plugin = NewFile(text=PLUGIN_TEXT.replace("COMMAND", _json_list((*commands.hook, "opencode"))))
    server: dict[str, JsonData] = {"type": "local", "command": [*(commands.mcp or ())], "enabled": True}
    return _with_edits(
        ConfigChange(folder=_OPENCODE_FOLDER, name="plugins/recollect.js", edits=(plugin,)),
        ConfigChange(
            folder=_OPENCODE_FOLDER,
            name="opencode.json",
            edits=(JsonEdit(path=("mcp",), key=SERVER_NAME, value=server),) if commands.mcp else (),
        ),
    )


def _json_list(words: tuple[str, ...]) -> str:
    escaped = (word.replace("\\", "\\\\").replace('"', '\\"') for word in words)
    return "[" + ", ".join(f'"{word}"' for word in escaped) + "]"


def _claude_desktop(commands: ConnectCommands) -> tuple[ConfigChange, ...]:
    edits = _json_server(commands, ("mcpServers",))
    return _with_edits(
        ConfigChange(folder=_CLAUDE_DESKTOP_FOLDER, name="claude_desktop_config.json", edits=edits)
    )


def _vscode(commands: ConnectCommands) -> tuple[ConfigChange, ...]:
    edits = _json_server(commands, ("servers",), {"type": "stdio"})
    return _with_edits(ConfigChange(folder=_VSCODE_FOLDER, name="mcp.json", edits=edits))


PROGRAMS: Mapping[str, Program] = {
    program.name: program
    for program in (
        Program(
            name="claude-code",
            title="Claude Code",
            executables=("claude",),
            folder=_CLAUDE_FOLDER,
            changes=_claude_code,
            has_hooks=True,
        ),
        Program(
            name="codex",
            title="Codex CLI",
            executables=("codex",),
            folder=_CODEX_FOLDER,
            changes=_codex,
            notes=("Codex asks you to review new hooks: run /hooks in it and trust those of recollect.",),
            has_hooks=True,
        ),
        Program(
            name="gemini",
            title="Gemini CLI",
            executables=("gemini",),
            folder=_GEMINI_FOLDER,
            changes=_gemini,
            has_hooks=True,
        ),
        Program(
            name="cursor",
            title="Cursor",
            executables=("cursor", "cursor-agent"),
            folder=_CURSOR_FOLDER,
            changes=_cursor,
            notes=("Restart Cursor, so that it reads its hooks.",),
            has_hooks=True,
        ),
        Program(
            name="opencode",
            title="OpenCode",
            executables=("opencode",),
            folder=_OPENCODE_FOLDER,
            changes=_opencode,
            has_hooks=True,
        ),
        Program(
            name="claude-desktop",
            title="Claude Desktop",
            folder=_CLAUDE_DESKTOP_FOLDER,
            changes=_claude_desktop,
            notes=("Restart Claude Desktop, so that it starts the MCP server.",),
        ),
        Program(
            name="vscode",
            title="Visual Studio Code",
            executables=("code",),
            folder=_VSCODE_FOLDER,
            changes=_vscode,
        ),
        Program(
            name="open-webui",
            title="Open WebUI",
            executables=("open-webui",),
            notes=(
                "Open WebUI is set up in its own pages: under Admin Settings, Connections, add an OpenAI connection",
                "with the URL of `recollect up` followed by /v1, and the token that `recollect tokens own` prints.",
            ),
        ),
    )
}
