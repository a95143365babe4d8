"""
The failures of agent hooks, in a file beside the memory file.

A hook must never disturb its agent, so it cannot print an error: `recollect doctor` reports what is logged here. Only
the standard library is imported, since `recollect-hook` starts before each prompt.
"""

import json
import os
import time

#: Above this size the older half of the file is dropped.
MAX_LOG_BYTES = 100_000
MAX_ERROR_CHARS = 500


def failures_path(db: str) -> str:
    return f"{db}.hook-failures.jsonl"


def log_failure(db: str, *, host: str, error: str) -> None:
    line = json.dumps({"at": int(time.time()), "host": host, "error": error[:MAX_ERROR_CHARS]}) + "\n"
    path = failures_path(db)
    with open(os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o600), "a+", encoding="utf-8") as file:
        if file.tell() > MAX_LOG_BYTES:
            file.seek(0)
            lines = file.readlines()
            file.truncate(0)
            file.writelines(lines[len(lines) // 2 :])
        file.write(line)


def read_failures(db: str) -> list[dict[str, object]]:
    """Return the logged failures, oldest first."""
    try:
        with open(failures_path(db), encoding="utf-8", errors="replace") as file:
            return [entry for line in file if isinstance(entry := _parse(line), dict)]
    except FileNotFoundError:
        return []


def _parse(line: str) -> object:
    try:
        return json.loads(line)
    except ValueError:
        # Two hooks that failed at once may have mixed their lines.
        return None
