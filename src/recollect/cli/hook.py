"""
`recollect-hook HOST`: called by a coding agent with one JSON object on standard input; prints the JSON to inject.

It starts before each prompt, so it imports the standard library only, and as little of it as possible. It asks the
running server; without one it opens the memory file itself, without the embedder, which takes longest to load: recall
is then lexical. Whatever fails, it prints nothing, exits with 0 and logs the failure for `recollect doctor`.
"""

import json
import os
import sys

from recollect.library.hook_failures import log_failure
from recollect.server.announcement import find_server

CONNECT_TIMEOUT_SECONDS = 0.5
ANSWER_TIMEOUT_SECONDS = 5.0
MAX_INPUT_BYTES = 10_000_000
#: `db` may be a URL with a path.
SQLITE_URL_PREFIX = "sqlite:///"
#: Without a server, the jobs of an answer are run this long; the rest waits for `recollect up` or `recollect worker`.
MAX_LEARNING_SECONDS = 2.0
#: Turns hooks off for one session: set it in the environment of the agent.
MODE_VARIABLE = "RECOLLECT_MEMORY_MODE"


class HookError(Exception):
    """The server did not answer the hook."""


def main() -> None:
    """Answer one hook. The exit code is always 0."""
    db, user, host = _parse_arguments(sys.argv[1:])
    try:
        text = sys.stdin.buffer.read(MAX_INPUT_BYTES)
        answer = "" if os.environ.get(MODE_VARIABLE) == "off" else answer_hook(db, user, host, text)
        sys.stdout.buffer.write(answer.encode() if answer != "{}" else b"")
        sys.stdout.flush()
    except BaseException as error:  # noqa: BLE001 - the agent must go on whatever happens
        _log_quietly(db, host, f"{type(error).__name__}: {error}")
    # The interpreter's own shutdown takes longer than the answer, and there is nothing left to flush.
    os._exit(0)


def answer_hook(db: str, user: str | None, host: str, text: bytes) -> str:
    """Return the JSON to print, from the server if one is running."""
    server = find_server(db)
    if server is None:
        return _answer_without_server(db, user, host, text)
    try:
        return _ask_server(server, host, text)
    except ConnectionRefusedError:
        return _answer_without_server(db, user, host, text)


def default_db() -> str:
    """Return the memory file in the user's data folder, where the settings look without a setting."""
    home = os.path.expanduser("~")
    folder = os.environ.get("XDG_DATA_HOME", "").strip()
    if sys.platform == "win32":
        folder = os.environ.get("LOCALAPPDATA") or os.path.join(home, "AppData", "Local")
    elif not folder:
        parts = ("Library", "Application Support") if sys.platform == "darwin" else (".local", "share")
        folder = os.path.join(home, *parts)
    return os.path.join(folder, "recollect", "memory.db")


def _parse_arguments(arguments: list[str]) -> tuple[str, str | None, str]:
    """Return memory file, user and host of `HOST [--db FILE] [--user U]`."""
    options = {"--db": "", "--user": ""}
    words = iter(arguments)
    host = ""
    for word in words:
        if word in options:
            options[word] = next(words, "")
        else:
            host = word
    db = options["--db"] or os.environ.get("RECOLLECT_DB") or default_db()
    return os.path.expanduser(db.removeprefix(SQLITE_URL_PREFIX)), options["--user"] or None, host


def _ask_server(server: tuple[str, int, str, str], host: str, text: bytes) -> str:
    """Post the input with a plain socket: `http.client` alone takes longer to import than the whole exchange."""
    import socket  # noqa: PLC0415 - only with a server

    address, port, name, token = server
    head = (
        f"POST /api/hooks/{host} HTTP/1.0\r\nHost: {name}\r\nAuthorization: Bearer {token}\r\n"
        f"Content-Type: application/json\r\nContent-Length: {len(text)}\r\n\r\n"
    )
    with socket.create_connection((address, port), CONNECT_TIMEOUT_SECONDS) as connection:
        connection.settimeout(ANSWER_TIMEOUT_SECONDS)
        connection.sendall(head.encode() + text)
        reply = b"".join(iter(lambda: connection.recv(65_536), b""))
    header, _, body = reply.partition(b"\r\n\r\n")
    status = header.split(b" ", 2)[1:2]
    if status != [b"200"]:
        raise HookError(
            f"the server answered {header[:40].decode('latin-1')!r}: {body[:300].decode('utf-8', 'replace')}"
        )
    return body.decode()


def _answer_without_server(db: str, user: str | None, host: str, text: bytes) -> str:
    import gc  # noqa: PLC0415

    # The process ends soon, and imported modules stay: garbage collection would take a tenth of its time.
    gc.disable()
    # Imported here, since they take longer than an exchange with a running server.
    from recollect.bootstrap import open_application  # noqa: PLC0415
    from recollect.hosts.answers import encode_answer  # noqa: PLC0415
    from recollect.library.agent_hooks import answer_hook as answer_from_store  # noqa: PLC0415
    from recollect.settings import load_settings  # noqa: PLC0415

    settings = load_settings(arguments={"db": db, "embedder": "none", **({"user": user} if user else {})})
    application = open_application(settings)
    try:
        result = answer_from_store(application, settings.resolve().machine.user, host, json.loads(text))
        if result.ends_turn and application.chat_model is None:
            # Nothing else would learn from the messages until a server or worker starts. Rules take milliseconds.
            application.worker.drain(seconds=MAX_LEARNING_SECONDS)
        return encode_answer(result.answer)
    finally:
        application.close()


def _log_quietly(db: str, host: str, error: str) -> None:
    try:
        log_failure(db, host=host, error=error)
    except OSError:
        # The folder is not writable either: `doctor` reports that by itself.
        return


if __name__ == "__main__":
    main()
