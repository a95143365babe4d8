"""Every failure as problem+json: what happened, why, and what to do next."""

from collections.abc import Mapping

from recollect.errors import (
    AnswerUnreadable,
    CapReached,
    ConfigError,
    ConsentRequired,
    InvalidInput,
    ModelMissing,
    NotFound,
    ProviderBusy,
    ProviderError,
    RecollectError,
    Refused,
    StoreBusy,
    StoreError,
    StoreFull,
    TextTooLong,
)
from recollect.server.json_response import Answer, answer

TYPE = "application/problem+json"
#: Looked up along the exception's ancestry.
STATUS: Mapping[type[BaseException], int] = {
    TextTooLong: 413,
    InvalidInput: 422,
    NotFound: 404,
    ConsentRequired: 403,
    Refused: 409,
    ConfigError: 422,
    StoreBusy: 503,
    StoreFull: 507,
    StoreError: 500,
    CapReached: 429,
    ProviderBusy: 503,
    ModelMissing: 503,
    AnswerUnreadable: 502,
    ProviderError: 502,
    RecollectError: 500,
}
#: Seconds after which the same request may work.
AGAIN = {503: "1", 429: "60"}


def problem(
    status: int, code: str, detail: str, *, headers: Mapping[str, str] | None = None, **more: object
) -> Answer:
    """`code` is for machines and never changes; `detail` is for people."""
    body = _body(status, code, detail)
    wait = {"Retry-After": AGAIN[status]} if status in AGAIN else {}
    return answer({**body, **more}, status, media_type=TYPE, headers={**wait, **(headers or {})})


def from_error(error: RecollectError) -> Answer:
    return problem(_status(error), _code(type(error).__name__), str(error))


def as_problem(error: RecollectError) -> dict[str, object]:
    """The same without a status line, for an answer that has begun."""
    return _body(_status(error), _code(type(error).__name__), str(error))


def _status(error: RecollectError) -> int:
    return next(STATUS[each] for each in type(error).__mro__ if each in STATUS)


def _body(status: int, code: str, detail: str) -> dict[str, object]:
    return {
        "type": f"about:blank#{code}",
        "title": _title(code),
        "status": status,
        "code": code,
        "detail": detail,
    }


def _code(name: str) -> str:
    """`NotFound` is `not_found`."""
    return "".join(f"_{c.lower()}" if c.isupper() else c for c in name).lstrip("_")


def _title(code: str) -> str:
    return code.replace("_", " ").capitalize()
