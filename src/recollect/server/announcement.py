"""
Where a running server listens, and the owner's token, in a file beside the memory file with mode 0600, so that programs
of the same account find it.

The server holds a lock on the file while it runs. After a crash the file is left, but not the lock: its port may belong
to another program by then, which must not get the token. Only the standard library is imported, since
`recollect-hook` reads the file before each prompt of an agent.
"""

import json
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager

if sys.platform != "win32":
    import fcntl

_WILDCARD_HOSTS = {"0.0.0.0": "127.0.0.1", "::": "::1"}  # noqa: S104 - replaced by loopback


def announcement_path(db: str) -> str:
    return f"{db}.server.json"


@contextmanager
def announced(db: str, *, host: str, port: int, name: str, token: str) -> Iterator[None]:
    """
    Announce a server; `name` is one that it accepts in the Host header, `token` the owner's token.

    Of several servers of one memory file, the first is announced.
    """
    path = announcement_path(db)
    address = {"host": _WILDCARD_HOSTS.get(host, host), "port": port, "name": name, "token": token}
    # Mode "w" would empty the file of a server that runs already.
    with open(os.open(path, os.O_RDWR | os.O_CREAT, 0o600), "r+", encoding="utf-8") as file:
        if not _lock(file.fileno()):
            yield
            return
        file.truncate(0)
        json.dump(address, file)
        file.flush()
        try:
            yield
        finally:
            os.unlink(path)


def find_server(db: str) -> tuple[str, int, str, str] | None:
    """Return host, port, name and owner's token of the running server of a memory file, or None."""
    try:
        with open(announcement_path(db), encoding="utf-8") as file:
            if not _is_locked(file.fileno()):
                return None
            address = json.load(file)
            return str(address["host"]), int(address["port"]), str(address["name"]), str(address["token"])
    except (OSError, ValueError, KeyError, TypeError):
        return None


def _lock(descriptor: int) -> bool:
    """Lock the file until it is closed; return False if another process has done so."""
    if sys.platform == "win32":
        # Without locks: a server that crashed is noticed when it refuses the connection.
        return True
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True


def _is_locked(descriptor: int) -> bool:
    if sys.platform == "win32":
        return True
    try:
        fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except OSError:
        return True
    return False
