"""Logging as text lines or JSON objects. Messages, queries and credentials are never logged."""

import hashlib
import json
import logging
import sys
import traceback
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import Literal

from recollect.domain.job import Job
from recollect.domain.reason import Reason
from recollect.serialization.reasons import render_reason
from recollect.workers.worker import JobResult

log = logging.getLogger("recollect.workers")
#: The job list has the full reason.
MAX_REASON_CHARS = 300


def log_fields(**values: object) -> dict[str, dict[str, object]]:
    """Return the `extra` argument of a log call with these fields; None values are omitted."""
    return {"fields": {name: value for name, value in values.items() if value is not None}}


def hash_user(user: str) -> str:
    """Return a stable pseudonym of the user."""
    return hashlib.sha256(user.encode("utf-8", "surrogatepass")).hexdigest()[:12]


class LineFormatter(logging.Formatter):
    """One line per record. Of an exception only type and stack are logged: the message may quote user text."""

    def __init__(self, render: Callable[[Mapping[str, object]], str]) -> None:
        super().__init__()
        self._render = render

    def format(self, record: logging.LogRecord) -> str:
        values: dict[str, object] = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "event": record.getMessage(),
            "logger": record.name,
            **getattr(record, "fields", {}),
        }
        if record.exc_info and (error := record.exc_info[1]):
            frames = traceback.extract_tb(error.__traceback__)
            values["error"] = type(error).__name__
            values["trace"] = [f"{frame.filename}:{frame.lineno} {frame.name}" for frame in frames]
        return self._render(values)


def format_json(values: Mapping[str, object]) -> str:
    return json.dumps(values, ensure_ascii=False, default=str)


def format_text(values: Mapping[str, object]) -> str:
    time, level, event, _, *rest = values.values()
    names = list(values)[4:]
    fields = " ".join(f"{name}={value}" for name, value in zip(names, rest, strict=True))
    return f"{time} {str(level).upper():7} {event} {fields}".rstrip()


@contextmanager
def log_to_stderr(log_format: Literal["text", "json"], level: str) -> Iterator[None]:
    """Log recollect and uvicorn to stderr while the context is open."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(LineFormatter(format_json if log_format == "json" else format_text))
    loggers = [logging.getLogger(name) for name in ("recollect", "uvicorn.error")]
    previous_levels = [each.level for each in loggers]
    for each in loggers:
        each.addHandler(handler)
    loggers[0].setLevel(level.upper())
    # The command prints uvicorn's startup messages itself.
    loggers[1].setLevel("WARNING")
    try:
        yield
    finally:
        for each, previous_level in zip(loggers, previous_levels, strict=True):
            each.removeHandler(handler)
            each.setLevel(previous_level)


def log_job(result: JobResult) -> None:
    """Log a failed job as a warning, a finished one at debug level."""
    fields = _job_fields(result.job)
    if result.error is None:
        log.debug("job done", extra=log_fields(**fields))
    else:
        event = "job failed for good" if result.is_dead else "job failed"
        log.warning(event, extra=log_fields(**fields, reason=_redact_reason(result.error)))


def _job_fields(job: Job) -> dict[str, object]:
    return {"job": job.id, "kind": str(job.kind), "attempts": job.attempts, "user": hash_user(job.user)}


def _redact_reason(reason: Reason) -> str:
    """Return our own errors in full; of others only the type, since their message may quote user text."""
    error = reason.params.get("error")
    text = render_reason(reason)
    return text[:MAX_REASON_CHARS] if error is None or error in LOGGABLE_ERRORS else str(error)


#: Errors whose text is our own or a provider's about itself.
LOGGABLE_ERRORS = frozenset(
    (
        *(
            "StoreError",
            "StoreBusy",
            "StoreFull",
            "StoreReadOnly",
            "StoreMoved",
            "CorruptStore",
            "ConfigError",
        ),
        *(
            "ProviderError",
            "ProviderBusy",
            "ModelMissing",
            "CapReached",
            "lease lost",
        ),
    )
)
