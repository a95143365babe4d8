"""The `chat` command: an interactive chat with recall and extraction on every turn."""

import sys
from collections.abc import Iterator
from contextlib import suppress
from importlib import import_module
from typing import Annotated

import typer

from recollect.cli.chat_session import CHAT_COMMANDS, ChatSession
from recollect.cli.command import DEGRADED_EXIT_CODE, CommandContext, command, format_examples, make_typer
from recollect.cli.session import CliSession
from recollect.domain.scope import DEFAULT_CHAT, TEMPORARY_CHAT_PREFIX
from recollect.errors import InvalidInput, RecollectError

app = make_typer()

INPUT_PROMPT = "> "
QUIT_COMMANDS = {"quit", "exit"}
COMMANDS_HELP = "/why, /undo, /forget ID, /summary, /mode MODE, /quit"
# Line editing and input history, where the platform has readline.
with suppress(ImportError):
    import_module("readline")


@app.command(
    epilog=format_examples(
        "recollect chat",
        "recollect chat trip --model llama3.2 --model-url http://localhost:11434/v1",
        "recollect chat --temporary",
        "echo 'where do I live?' | recollect chat",
    )
)
@command
def chat(
    ctx: CommandContext,
    name: Annotated[
        str, typer.Argument(metavar="CHAT", help="Chat to continue, or the name of a new one.")
    ] = DEFAULT_CHAT,
    temporary: Annotated[
        bool, typer.Option("--temporary", help="Use a temporary chat: nothing is stored or recalled.")
    ] = False,
    mode: Annotated[
        str | None,
        typer.Option(metavar="M", help="Memory mode for this session: on, collect_only, recall_only or off."),
    ] = None,
    model: Annotated[str | None, typer.Option(metavar="M", help="Language model to use.")] = None,
    model_url: Annotated[
        str | None, typer.Option(metavar="U", help="Base URL of its API, including /v1.")
    ] = None,
) -> None:
    """
    Chat in the terminal, with memory.

    Each message is stored, answered with the relevant memories in the prompt, and searched for new facts. The answer
    comes from the configured language model, or from --model and --model-url. Without a model, the best matching
    memories are quoted instead, and the answer says so. The memories used and the facts learned are listed below each
    answer. Commands during a chat: /why explains the last answer, /undo reverts the last change, /forget ID, /summary,
    /mode MODE, /quit. Messages can also be piped in, one per line; the exit code is 5 if one of them fails.
    """
    model_settings = {"model": model, "model_url": model_url}
    ctx.options.settings = {key: value for key, value in model_settings.items() if value is not None}
    with ctx.open_session(creates=True) as session:
        chat_session = ChatSession(
            ctx=ctx, session=session, chat=_chat_id(session, name, temporary=temporary), mode=mode
        )
        chat_session.load_history()
        _print_greeting(chat_session)
        failed_lines = [text for text in _read_messages() if not _handle_line(chat_session, text)]
    ctx.print_result({"chat_id": chat_session.chat, "turns": list(chat_session.turns)})
    if failed_lines and not sys.stdin.isatty():
        raise typer.Exit(DEGRADED_EXIT_CODE)


def _chat_id(session: CliSession, name: str, *, temporary: bool) -> str:
    return TEMPORARY_CHAT_PREFIX + session.application.ids.new() if temporary else name


def _print_greeting(chat_session: ChatSession) -> None:
    if not sys.stdin.isatty():
        return
    answerer = (
        chat_session.session.model.model_id
        if chat_session.session.model
        else "no language model (--model and --model-url name one): it learns what you tell it and quotes it when asked"
    )
    chat_session.ctx.info(
        f"Chat {chat_session.chat}, memory {chat_session.policy.memory.mode}, {answerer}. {COMMANDS_HELP}"
    )


def _read_messages() -> Iterator[str]:
    """Yield non-empty lines from the terminal or the pipe until the input ends or the user quits."""
    source = _read_terminal() if sys.stdin.isatty() else _read_pipe()
    for line in source:
        text = line.strip()
        if text.removeprefix("/") in QUIT_COMMANDS and text.startswith("/"):
            return
        if text:
            yield text


def _read_terminal() -> Iterator[str]:
    try:
        while True:
            yield input(INPUT_PROMPT)
    except (EOFError, KeyboardInterrupt):
        # Ctrl-D and Ctrl-C leave the cursor on the prompt's line.
        typer.echo()


def _read_pipe() -> Iterator[str]:
    for line in sys.stdin.buffer:
        yield line.decode("utf-8", "replace")


def _handle_line(chat_session: ChatSession, text: str) -> bool:
    """Run one line; return False if it failed. Errors and Ctrl-C end the turn, not the chat."""
    try:
        _run_chat_command(chat_session, text) if _is_command(text) else chat_session.send(text)
    except RecollectError as error:
        chat_session.ctx.warn(str(error))
        return False
    except KeyboardInterrupt:
        chat_session.session.cancellation.is_cancelled = False
        chat_session.ctx.info("Interrupted.")
    return True


def _is_command(text: str) -> bool:
    # A path such as /etc/hosts is a message.
    return text.startswith("/") and text[1:].partition(" ")[0].isalpha()


def _run_chat_command(chat_session: ChatSession, text: str) -> None:
    name, _, argument = text[1:].partition(" ")
    if name not in CHAT_COMMANDS:
        raise InvalidInput(f"Unknown command /{name}. Available commands: {COMMANDS_HELP}.")
    CHAT_COMMANDS[name](chat_session, argument.strip())
