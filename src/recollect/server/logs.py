"""The log: a line for people or one JSON object for machines. What anybody said, asked or proved is never in it."""

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
from recollect.workers.worker import JobResult

log = logging.getLogger("recollect.workers")
#: Letters of a reason; the list of jobs has all of it.
MAX_REASON_CHARS = 300


def log_fields(**values: object) -> dict[str, dict[str, object]]:
    """What a line says besides its event; for `extra`."""
    return {"fields": {name: value for name, value in values.items() if value is not None}}


def hash_user(user: str) -> str:
    """The same for the same user, and no name or address."""
    return hashlib.sha256(user.encode("utf-8", "surrogatepass")).hexdigest()[:12]


class LineFormatter(logging.Formatter):
    """One line for each record. Of an exception the place is told, and not its message, which may quote somebody."""

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
    more = " ".join(f"{name}={value}" for name, value in zip(names, rest, strict=True))
    return f"{time} {str(level).upper():7} {event} {more}".rstrip()


@contextmanager
def log_to_stderr(log_format: Literal["text", "json"], level: str) -> Iterator[None]:
    """For as long as the server runs: what recollect and the server below it have to say."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(LineFormatter(format_json if log_format == "json" else format_text))
    loggers = [logging.getLogger(name) for name in ("recollect", "uvicorn.error")]
    before = [each.level for each in loggers]
    for each in loggers:
        each.addHandler(handler)
    loggers[0].setLevel(level.upper())
    # What it says of itself is said by the command.
    loggers[1].setLevel("WARNING")
    try:
        yield
    finally:
        for each, was in zip(loggers, before, strict=True):
            each.removeHandler(handler)
            each.setLevel(was)


def log_job(result: JobResult) -> None:
    """A job that failed, with what is known of it; one that went well is only counted by who wants to know all."""
    about = _job_fields(result.job)
    if result.error is None:
        log.debug("job done", extra=log_fields(**about))
    else:
        event = "job parked" if result.is_dead else "job failed"
        log.warning(event, extra=log_fields(**about, reason=_redact_reason(result.error)))


def _job_fields(job: Job) -> dict[str, object]:
    return {"job": job.id, "kind": str(job.kind), "attempts": job.attempts, "user": hash_user(job.user)}


def _redact_reason(reason: str) -> str:
    """Errors of ours say what happened in words of ours; of others, which may quote anything, the kind is enough."""
    kind, _, _ = reason.partition(":")
    return reason[:MAX_REASON_CHARS] if kind in LOGGABLE_ERRORS else kind


#: Errors whose words are ours, or a provider's about itself.
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
            "lease lost: another worker runs this job",
        ),
    )
)
