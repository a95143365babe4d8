"""Every command, in the order of the help page. Its module is loaded only when it is called."""

from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from importlib import import_module
from typing import Any, Protocol

from typer.core import TyperCommand, TyperGroup
from typer.main import get_group

#: Section of the help page, then name, module and summary of each command in it.
COMMAND_SECTIONS: Mapping[str, Sequence[tuple[str, str, str]]] = {
    "First steps": (
        ("demo", "demo", "See it work: a year of conversations, three questions, no network."),
        ("chat", "chat", "Chat in the terminal, with memory."),
        ("version", "version", "Show the versions of recollect and what it runs on."),
    ),
    "Remember": (
        ("add", "add", "Remember a text, a message, or a file of messages."),
        ("edit", "memories", "Correct what a memory says."),
        ("forget", "memories", "Take memories out of use."),
        ("context-files", "context_files", "List texts that are at hand in chats, or change them."),
        ("summarise", "summaries", "Summarise a chat now."),
    ),
    "Recall": (
        ("search", "recall", "Find what bears on a question."),
        ("context", "recall", "Print the memory block for the next prompt."),
        ("why", "recall", "Explain a recall: what was used, what was left out, and why."),
        ("why-not", "recall", "Explain why a memory does not come up for a question."),
        ("feedback", "feedback", "Say whether what was recalled bore on the question."),
        ("tune", "tune", "Choose the numbers of recall by labelled questions."),
    ),
    "Look": (
        ("list", "memories", "List memories, the most recently seen first."),
        ("show", "memories", "Show a memory or a message in full."),
        ("history", "memories", "Show every version of a memory."),
        ("chats", "chats", "List chats, read one, change one, or delete one."),
        ("summaries", "summaries", "Show summaries of conversations, the newest first."),
        ("stats", "storage", "Count what is stored and what it weighs."),
    ),
    "Decide": (
        ("inbox", "review", "Show what waits for your decision."),
        ("undo", "review", "Take back the last change to memories, or a certain one."),
        ("archive", "review", "Put memories away, to be brought back when wanted."),
        ("restore", "review", "Bring memories back, accept those in the inbox, or restore a backup."),
        ("pin", "review", "Keep memories from fading."),
        ("merge", "review", "Make one memory of several."),
        ("garden", "maintenance", "Put away what has faded, and merge what says the same."),
    ),
    "Yours": (
        ("profile", "profile", "Show what you told about yourself, or change it."),
        ("consent", "consent", "Show what you agreed to, agree, or take it back."),
        ("export", "interchange", "Write memories to a file."),
        ("import", "interchange", "Read memories from a compact export."),
        ("erase", "erase", "Take a memory, a chat or everything out of the file for good."),
    ),
    "Serve": (
        ("up", "up", "Start the server: an API, a chat, and a proxy with memory."),
        ("tokens", "tokens", "List who may use the server, let others in, or shut them out."),
    ),
    "Look after": (
        ("doctor", "doctor", "Check the file, the embedder and the queue."),
        ("backup", "backup", "Copy everything into one file, also while the server runs."),
        ("repair", "storage", "Rebuild search indexes from the stored text."),
        ("models", "models", "List embedding models, add one, or move to one."),
        ("reembed", "storage", "Move to the embedding model of the settings."),
        ("backfill", "storage", "Cut older long messages into chunks."),
        ("jobs", "jobs", "Show queued work, or retry what failed."),
        ("worker", "jobs", "Do queued work until stopped."),
        ("settings", "settings", "Show settings and where they came from; change your own."),
        ("presets", "settings", "Show the presets and what they change."),
        ("trust", "settings", "Let the settings file of a project's folder set everything."),
    ),
}
COMMAND_MODULES = {name: module for rows in COMMAND_SECTIONS.values() for name, module, _ in rows}


class HelpFormatter(Protocol):
    def section(self, name: str) -> AbstractContextManager[None]: ...

    def write_dl(self, rows: Sequence[tuple[str, str]]) -> None: ...


class LazyCommandGroup(TyperGroup):
    """Knows the names and summaries of all commands without loading any."""

    def __init__(self, **options: Any) -> None:  # noqa: ANN401 - handed on to Typer as they are
        super().__init__(**options)
        # Stand-ins, for "did you mean" and completion.
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
