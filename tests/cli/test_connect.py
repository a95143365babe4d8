import json
import tomllib
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
from tests.cli.runner import InProcessCli

from recollect.hosts.config_edits import apply_edits
from recollect.hosts.programs import PROGRAMS, ConnectCommands
from recollect.library.connections import BACKUP_SUFFIX

COMMANDS = ConnectCommands(hook=("recollect-hook",), mcp=("recollect", "mcp"))
#: What is written depends on whether the extra `mcp` is installed here.
EXPECTED_COMMANDS = COMMANDS if find_spec("mcp") else ConnectCommands(hook=COMMANDS.hook)
#: Files as users keep them: with comments, other hooks, other servers, odd spaces and line ends.
FILES = {
    ".claude/settings.json": (
        '{\n  // my settings\n  "model": "opus",\n  "hooks": {\n    "Stop": [\n      {"hooks": [{"type": "command",'
        ' "command": "say done"}]}, // other\n    ]\n  }\n}\n'
    ),
    ".claude.json": '{"numStartups":7,"mcpServers":{"docs":{"command":"docs"}}}',
    ".codex/hooks.json": '{\r\n\t"hooks": {}\r\n}\r\n',
    ".codex/config.toml": "model = 'gpt-5.4' # mine\n\n[mcp_servers.docs]\ncommand = 'docs'",
    ".gemini/settings.json": "",
    ".cursor/hooks.json": '{ "version": 1, "hooks": { "stop": [ { "command": "x" } ] } }',
    ".config/opencode/opencode.json": '{\n    "theme": "dark", /* ! */\n}\n',
    ".config/Code/User/mcp.json": '{"servers": {}, "inputs": []}',
}


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "home"
    monkeypatch.setenv("HOME", str(folder))
    for name in ("CLAUDE_CONFIG_DIR", "CODEX_HOME", "OPENCODE_CONFIG_DIR"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    monkeypatch.setattr("sys.platform", "linux")
    folder.mkdir(exist_ok=True)
    return folder


def write_files(home: Path) -> None:
    for name, text in FILES.items():
        (home / name).parent.mkdir(parents=True, exist_ok=True)
        (home / name).write_bytes(text.encode())


def tree(home: Path) -> dict[str, bytes | None]:
    """All files and folders, except for Recollect's own."""
    return {
        str(path.relative_to(home)): path.read_bytes() if path.is_file() else None
        for path in sorted(home.rglob("*"))
        if "recollect" not in path.relative_to(home).parts
    }


def read_json(path: Path) -> Any:  # noqa: ANN401
    return json.loads(path.read_text("utf-8"))


@pytest.mark.parametrize("name", PROGRAMS)
@pytest.mark.parametrize("has_files", [True, False], ids=["with files", "without files"])
def test_disconnect_leaves_every_file_as_it_was(
    cli: InProcessCli, home: Path, name: str, has_files: bool
) -> None:
    if has_files:
        write_files(home)
    before = tree(home)

    connected = cli("connect", name, "--yes")
    during = tree(home)
    cli("connect", name, "--yes")
    disconnected = cli("disconnect", name, "--yes")

    assert (connected.exit_code, disconnected.exit_code) == (0, 0), connected.stderr + disconnected.stderr
    assert (during == before) == (not PROGRAMS[name].changes(EXPECTED_COMMANDS))
    assert tree(home) == before


def test_connect_adds_hooks_beside_those_of_others(cli: InProcessCli, home: Path) -> None:
    write_files(home)

    cli("connect", "cursor", "codex", "--yes")

    cursor, codex = read_json(home / ".cursor/hooks.json"), read_json(home / ".codex/hooks.json")
    assert cursor["hooks"]["stop"] == [{"command": "x"}]
    assert set(cursor["hooks"]) == {"stop", "sessionStart", "beforeSubmitPrompt", "afterAgentResponse"}
    assert cursor["hooks"]["sessionStart"][0]["command"].endswith("memory.db cursor")
    assert set(codex["hooks"]) == {"SessionStart", "UserPromptSubmit", "Stop"}


def test_the_hook_is_run_as_the_agent_runs_it(cli: InProcessCli, home: Path) -> None:
    [result] = cli("connect", "gemini", "--yes", "--json").payload["results"]

    assert result["problem"] is None
    assert read_json(home / ".gemini/settings.json")["hooks"]["BeforeAgent"]
    assert cli("memories", "list", "--json").payload["results"] == []


def test_only_our_entries_are_removed_from_a_file_that_changed(cli: InProcessCli, home: Path) -> None:
    write_files(home)
    cli("connect", "claude-code", "--yes")
    path = home / ".claude.json"
    state = {**read_json(path), "numStartups": 8}
    path.write_text(json.dumps(state, indent=1), "utf-8")

    result = cli("disconnect", "claude-code", "--yes")

    assert result.exit_code == 0
    assert read_json(path) == {"numStartups": 8, "mcpServers": {"docs": {"command": "docs"}}}


def test_a_dry_run_shows_the_diff_and_writes_nothing(cli: InProcessCli, home: Path) -> None:
    write_files(home)
    before = tree(home)

    result = cli("connect", "claude-code", "--dry-run")

    assert '+    "UserPromptSubmit": [' in result.stdout
    assert "recollect" in result.stdout
    assert tree(home) == before


def test_without_a_terminal_nothing_is_written_unless_confirmed(cli: InProcessCli, home: Path) -> None:
    write_files(home)
    before = tree(home)

    result = cli("connect", "codex")

    assert result.exit_code == 4
    assert tree(home) == before


def test_the_list_shows_what_is_installed_and_connected(cli: InProcessCli, home: Path) -> None:
    (home / ".codex").mkdir(parents=True)
    (home / ".gemini").mkdir()
    cli("connect", "gemini", "--yes")

    states = {row["program"]: row["state"] for row in cli("connect", "--list", "--json").payload["results"]}
    (home / ".gemini/settings.json").write_text("{}", "utf-8")
    changed = {row["program"]: row["state"] for row in cli("connect", "--list", "--json").payload["results"]}

    assert (states["codex"], states["gemini"], states["cursor"]) == (
        "installed",
        "connected",
        "not installed",
    )
    assert changed["gemini"] == "changed"


def test_connect_without_a_name_takes_what_is_installed(cli: InProcessCli, home: Path) -> None:
    (home / ".codex").mkdir(parents=True)

    payload = cli("connect", "--yes", "--json").payload

    assert [row["program"] for row in payload["results"]] == ["codex"]


def test_a_symbolic_link_is_kept(cli: InProcessCli, home: Path, tmp_path: Path) -> None:
    target = tmp_path / "dotfiles.json"
    target.write_text("{}\n", "utf-8")
    (home / ".gemini").mkdir(parents=True)
    (home / ".gemini/settings.json").symlink_to(target)

    cli("connect", "gemini", "--yes")

    assert (home / ".gemini/settings.json").is_symlink()
    assert "recollect" in target.read_text("utf-8")
    assert target.with_name(target.name + BACKUP_SUFFIX).read_text("utf-8") == "{}\n"


def test_a_damaged_file_is_left_alone(cli: InProcessCli, home: Path) -> None:
    (home / ".gemini").mkdir(parents=True)
    (home / ".gemini/settings.json").write_text("{\n  broken", "utf-8")

    result = cli("connect", "gemini", "--yes")

    assert result.exit_code == 2
    assert "settings.json: Line 2 is not valid JSON" in result.stderr


def test_the_folder_that_a_variable_names_is_used(
    cli: InProcessCli, home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CODEX_HOME", str(tmp_path / "codex"))

    cli("connect", "codex", "--yes")

    assert (tmp_path / "codex/hooks.json").exists()


def test_the_mcp_server_is_added_if_the_extra_is_installed(home: Path) -> None:
    for name, path, keys in (
        ("claude-code", ".claude.json", ("mcpServers",)),
        ("opencode", "opencode.json", ("mcp",)),
        ("vscode", "mcp.json", ("servers",)),
    ):
        [change] = [each for each in PROGRAMS[name].changes(COMMANDS) if each.name == path]

        text, _ = apply_edits("", change.edits)

        entry = json.loads(text)
        for key in keys:
            entry = entry[key]
        assert "mcp" in json.dumps(entry["recollect"])
    [_, config] = PROGRAMS["codex"].changes(COMMANDS)
    text, _ = apply_edits("", config.edits)
    assert tomllib.loads(text)["mcp_servers"]["recollect"] == {"command": "recollect", "args": ["mcp"]}


def test_an_unknown_program_is_refused(cli: InProcessCli, home: Path) -> None:
    assert cli("connect", "notepad").exit_code == 2


def test_the_list_says_how_each_program_gets_memory(cli: InProcessCli, home: Path) -> None:
    write_files(home)
    rows = [line.split() for line in cli("connect", "--list").stdout.splitlines()]

    assert {row[0]: row[-1] for row in rows if row[0] in {"claude-code", "vscode", "open-webui"}} == {
        "claude-code": "hooks",
        "vscode": "tools",
        "open-webui": "proxy",
    }
