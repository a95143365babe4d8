"""All commands in the order of the help page. A command's module is imported only when it runs."""

from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from importlib import import_module
from typing import Any, Protocol

from typer.core import TyperCommand, TyperGroup
from typer.main import get_group

#: Sections of the help page, with name, module and summary of each command.
COMMAND_SECTIONS: Mapping[str, Sequence[tuple[str, str, str]]] = {
    "Getting started": (
        ("demo", "demo", "Try recollect on sample data, offline."),
        ("chat", "chat", "Chat in the terminal, with memory."),
        ("version", "version", "Show the versions of recollect and its components."),
    ),
    "Store": (
        ("add", "add", "Store a text, a message, or a file of messages."),
        ("edit", "memories", "Edit the text of a memory."),
        ("forget", "memories", "Forget memories: take them out of use."),
        ("context-files", "context_files", "List, add, attach or delete context files."),
        ("summarise", "summaries", "Summarise a chat now."),
    ),
    "Recall": (
        ("search", "recall", "Search memories and messages."),
        ("context", "recall", "Print the memory block for the next prompt."),
        ("why", "recall", "Explain a recall: what was used, what was left out, and why."),
        ("why-not", "recall", "Explain why a memory is not recalled for a query."),
        ("explain", "explain", "Show what is learned from a text without a language model, and why."),
        ("feedback", "feedback", "Rate recalled passages as relevant or not."),
        ("tune", "tune", "Tune the ranking weights with labelled queries."),
    ),
    "Inspect": (
        ("list", "memories", "List memories, most recently seen first."),
        ("show", "memories", "Show a memory or a message in full."),
        ("history", "memories", "Show all versions of a memory."),
        ("chats", "chats", "List, show, edit, branch or delete chats."),
        ("summaries", "summaries", "Show chat summaries, newest first."),
        ("stats", "storage", "Show counts and sizes of the stored data."),
    ),
    "Review and organise": (
        ("inbox", "review", "Show memories awaiting your decision."),
        ("undo", "review", "Undo the last change to memories, or a given one."),
        ("archive", "review", "Archive memories."),
        ("restore", "review", "Restore memories, accept those in the inbox, or restore a backup."),
        ("pin", "review", "Protect memories from decay."),
        ("merge", "review", "Merge several memories into one."),
        ("garden", "maintenance", "Archive decayed memories and merge duplicates."),
    ),
    "Your data": (
        ("profile", "profile", "Show or edit your profile."),
        ("consent", "consent", "Show, give or revoke consent."),
        ("export", "interchange", "Export memories to a file."),
        ("import", "interchange", "Import memories from a compact export."),
        ("erase", "erase", "Permanently erase a memory, a chat or all data of a user."),
    ),
    "Server": (
        ("up", "up", "Start the server: HTTP API, web app, and a proxy with memory."),
        ("connect", "connect", "Add memory to coding agents and chat clients."),
        ("disconnect", "connect", "Remove what `connect` added to other programs."),
        ("mcp", "mcp", "Run the MCP server on standard input and output."),
        ("tokens", "tokens", "List, create or revoke access tokens of the server."),
    ),
    "Administration": (
        ("doctor", "doctor", "Check the memory file, the embedder and the job queue."),
        ("backup", "backup", "Back up the memory file, even while the server is running."),
        ("repair", "storage", "Rebuild search indexes from the stored text."),
        ("models", "models", "List, add or switch embedding models."),
        ("reembed", "storage", "Re-embed everything with the configured embedding model."),
        ("backfill", "storage", "Split older long messages into chunks."),
        ("jobs", "jobs", "List queued jobs, or retry failed ones."),
        ("worker", "jobs", "Run queued jobs until stopped."),
        ("settings", "settings", "Show settings and their sources, or change your preferences."),
        ("presets", "settings", "Show the presets and the settings they change."),
        ("trust", "settings", "Trust the settings file of a project folder."),
    ),
}
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
