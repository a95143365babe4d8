"""chat: a conversation in the terminal, through the whole loop."""

import sys
from collections.abc import Iterator
from contextlib import suppress
from importlib import import_module
from typing import Annotated

import typer

from recollect.cli.chat_session import COMMANDS, Talk
from recollect.cli.command import DEGRADED, Call, command, commands, examples
from recollect.cli.session import Session
from recollect.domain.scope import DEFAULT_CHAT, TEMPORARY
from recollect.errors import InvalidInput, RecollectError

app = commands()

PROMPT = "> "
QUIT = {"quit", "exit"}
KNOWN = "/why, /undo, /forget ID, /summary, /mode MODE, /quit"
# Arrow keys and history while typing, where the system has them.
with suppress(ImportError):
    import_module("readline")


@app.command(
    epilog=examples(
        "recollect chat",
        "recollect chat trip --model llama3.2 --model-url http://localhost:11434/v1",
        "recollect chat --temporary",
        "echo 'where do I live?' | recollect chat",
    )
)
@command
def chat(
    call: Call,
    name: Annotated[
        str, typer.Argument(metavar="CHAT", help="The chat to go on with, or a new one.")
    ] = DEFAULT_CHAT,
    temporary: Annotated[
        bool, typer.Option("--temporary", help="A chat that leaves no trace: nothing stored or recalled.")
    ] = False,
    mode: Annotated[
        str | None,
        typer.Option(metavar="M", help="For this conversation: on, collect_only, recall_only or off."),
    ] = None,
    model: Annotated[str | None, typer.Option(metavar="M", help="The language model that answers.")] = None,
    model_url: Annotated[
        str | None, typer.Option(metavar="U", help="The address of its service, /v1 included.")
    ] = None,
) -> None:
    """
    Chat in the terminal, with memory.

    Every line is heard, answered with what bears on it, and learned from. The answer comes from the language model of
    the settings, or of --model and --model-url; without one memory itself is quoted, and the answer says so. Below it
    stands what was used and what was learned. Commands while chatting: /why explains the last answer, /undo takes back
    what was learned last, /forget ID, /summary, /mode MODE, /quit. Lines may also come from a pipe, one message a line;
    exit code 5 if one of them could not be answered.
    """
    wanted = {"model": model, "model_url": model_url}
    call.asked.settings = {key: value for key, value in wanted.items() if value is not None}
    with call.open() as session:
        talk = Talk(call=call, session=session, chat=_named(session, name, temporary=temporary), mode=mode)
        talk.resume()
        _greet(talk)
        failed = [text for text in _lines() if not _answered(talk, text)]
    call.answer({"chat_id": talk.chat, "turns": list(talk.turns)})
    if failed and not sys.stdin.isatty():
        raise typer.Exit(DEGRADED)


def _named(session: Session, name: str, *, temporary: bool) -> str:
    return TEMPORARY + session.engine.ids.new() if temporary else name


def _greet(talk: Talk) -> None:
    if not sys.stdin.isatty():
        return
    voice = talk.session.model.model_id if talk.session.model else "no language model: quoting memory"
    talk.call.note(f"Chat {talk.chat}, memory {talk.policy.memory.mode}, {voice}. {KNOWN}")


def _lines() -> Iterator[str]:
    """What is typed, or piped, line by line, until there is no more."""
    source = _typed() if sys.stdin.isatty() else _piped()
    for line in source:
        text = line.strip()
        if text.removeprefix("/") in QUIT and text.startswith("/"):
            return
        if text:
            yield text


def _typed() -> Iterator[str]:
    try:
        while True:
            yield input(PROMPT)
    except (EOFError, KeyboardInterrupt):
        # Whoever leaves like this has not ended the line.
        typer.echo()


def _piped() -> Iterator[str]:
    for line in sys.stdin.buffer:
        yield line.decode("utf-8", "replace")


def _answered(talk: Talk, text: str) -> bool:
    """One line; a failure or Ctrl-C ends it, not the conversation."""
    try:
        _obey(talk, text) if _is_command(text) else talk.say(text)
    except RecollectError as error:
        talk.call.warn(str(error))
        return False
    except KeyboardInterrupt:
        talk.session.brake.pulled = False
        talk.call.note("Stopped.")
    return True


def _is_command(text: str) -> bool:
    # A path is no command.
    return text.startswith("/") and text[1:].partition(" ")[0].isalpha()


def _obey(talk: Talk, text: str) -> None:
    name, _, rest = text[1:].partition(" ")
    if name not in COMMANDS:
        raise InvalidInput(f"There is no command /{name}. There are {KNOWN}.")
    COMMANDS[name](talk, rest.strip())
