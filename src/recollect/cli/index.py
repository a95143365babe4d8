"""All commands in the order of the help page. A command's module is imported only when it runs."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from importlib import import_module
from typing import Any, Protocol

import typer
from typer.core import TyperCommand, TyperGroup
from typer.main import get_group

#: Sections of the help page, with name, module and summary of each command.
COMMAND_SECTIONS: Mapping[str, Sequence[tuple[str, str, str]]] = {
    "Getting started": (
        ("demo", "demo", "Try recollect on sample data, offline."),
        ("chat", "chat", "Chat in the terminal, with memory."),
        ("up", "up", "Start the server: HTTP API, web app, and a proxy with memory."),
        ("connect", "connect", "Add memory to coding agents and chat clients."),
        ("disconnect", "connect", "Remove what `connect` added to other programs."),
    ),
    "Store and recall": (
        ("add", "add", "Store a text, a message, or a file of messages."),
        ("search", "recall", "Search memories and messages."),
        ("context", "recall", "Print the memory block for the next prompt."),
        ("why", "receipts", "Explain a recall: what was used, what was left out, and why."),
        ("why-not", "receipts", "Explain why a memory is not recalled for a query."),
        ("receipts", "receipts", "List the receipts of recalls."),
        ("feedback", "feedback", "Rate recalled passages as relevant or not."),
        ("explain", "explain", "Show what the local extractor learns from a text, and why."),
    ),
    "Your data": (
        ("memories", "memories", "List, show, edit, archive, restore, forget, pin or merge memories."),
        ("review", "review", "Accept or reject memories that need your decision."),
        ("chats", "chats", "List, show, edit, branch, summarize or delete chats."),
        ("profile", "profile", "Show or edit your profile and its context files."),
        ("privacy", "privacy", "Give or revoke consent, erase data, and show the audit log."),
        ("import", "interchange", "Import your history from other applications."),
        ("export", "interchange", "Export your data."),
    ),
    "Administration": (
        ("settings", "settings", "Show or change settings, presets, models and ranking weights."),
        ("maintenance", "maintenance", "Decay, merge, re-embed, repair; jobs and statistics."),
        ("doctor", "doctor", "Check the memory file, the embedder and the job queue."),
        ("backup", "backup", "Back up the memory file, even while the server is running."),
        ("restore", "backup", "Replace the memory file with a backup."),
        ("init", "database", "Create the schema in an empty database."),
        ("migrate", "database", "Apply pending schema migrations."),
        ("move", "database", "Copy all data of a database to another of any kind."),
        ("worker", "jobs", "Run queued jobs until stopped."),
        ("mcp", "mcp", "Run the MCP server on standard input and output."),
        ("tokens", "tokens", "List, create or revoke access tokens of the server."),
        ("trust", "trust", "Trust the settings file of a project folder."),
    ),
}
SUGGESTION = "Did you mean"
COMMAND_MODULES = {name: module for rows in COMMAND_SECTIONS.values() for name, module, _ in rows}


class HelpFormatter(Protocol):
    def section(self, name: str) -> AbstractContextManager[None]: ...

    def write_dl(self, rows: Sequence[tuple[str, str]]) -> None: ...


class LazyCommandGroup(TyperGroup):
    """Group that knows the names and summaries of all commands without importing their modules."""

    def __init__(self, **options: Any) -> None:  # noqa: ANN401 - passed to Typer unchanged
        super().__init__(**options)
        # Placeholders, for "did you mean" suggestions and completion.
        self.commands = {
            name: TyperCommand(name, short_help=summary)
            for rows in COMMAND_SECTIONS.values()
            for name, _, summary in rows
        }

    def get_command(self, ctx: object, cmd_name: str) -> TyperCommand | TyperGroup | None:  # noqa: ARG002
        if cmd_name not in COMMAND_MODULES:
            return None
        module = import_module(f"recollect.cli.{COMMAND_MODULES[cmd_name]}")
        command = get_group(module.app).commands[cmd_name]
        assert isinstance(command, TyperCommand | TyperGroup)
        return command

    def format_commands(self, ctx: object, formatter: HelpFormatter) -> None:  # noqa: ARG002
        for section, rows in COMMAND_SECTIONS.items():
            with formatter.section(section):
                formatter.write_dl([(name, summary) for name, _, summary in rows])

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:  # noqa: ANN401 - Typer's own types are private
        """Find a command; for an unknown one, suggest similar names or the groups that have it as a subcommand."""
        try:
            return super().resolve_command(ctx, args)
        except typer.TyperException as error:
            if SUGGESTION not in error.message and (paths := self._paths_to(args[0])):
                error.message += f" {SUGGESTION} {', '.join(map(repr, paths))}?"
            raise

    def _paths_to(self, name: str) -> list[str]:
        """Return the full names of the subcommands with this name; imports the modules of all commands."""
        return [
            path
            for top_level_name in COMMAND_MODULES
            for path in _paths_below(top_level_name, self.get_command(None, top_level_name))
            if path.rpartition(" ")[2] == name
        ]


def _paths_below(path: str, command: object) -> Iterator[str]:
    for name, each in command.commands.items() if isinstance(command, TyperGroup) else ():
        yield f"{path} {name}"
        yield from _paths_below(f"{path} {name}", each)
