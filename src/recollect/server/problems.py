"""Errors as problem+json (RFC 9457): what happened, why, and what to do next."""

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
from recollect.server.json_response import Utf8JSONResponse, json_response

PROBLEM_MEDIA_TYPE = "application/problem+json"
#: The nearest base class of the exception counts.
STATUS_BY_ERROR: Mapping[type[BaseException], int] = {
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
#: Values of the header Retry-After by status.
RETRY_AFTER_SECONDS = {503: "1", 429: "60"}


def problem_response(
    status: int, code: str, detail: str, *, headers: Mapping[str, str] | None = None, **extensions: object
) -> Utf8JSONResponse:
    """Return a problem+json response. `code` is stable and for programs; `detail` is for people."""
    body = _body(status, code, detail)
    retry_headers = {"Retry-After": RETRY_AFTER_SECONDS[status]} if status in RETRY_AFTER_SECONDS else {}
    return json_response(
        {**body, **extensions},
        status,
        media_type=PROBLEM_MEDIA_TYPE,
        headers={**retry_headers, **(headers or {})},
    )


def error_response(error: RecollectError) -> Utf8JSONResponse:
    return problem_response(_error_status(error), _code(type(error).__name__), str(error))


def serialize_problem(error: RecollectError) -> dict[str, object]:
    """Return the problem as a dict, for a stream whose response has already started."""
    return _body(_error_status(error), _code(type(error).__name__), str(error))


def _error_status(error: RecollectError) -> int:
    return next(STATUS_BY_ERROR[each] for each in type(error).__mro__ if each in STATUS_BY_ERROR)


def _body(status: int, code: str, detail: str) -> dict[str, object]:
    return {
        "type": f"about:blank#{code}",
        "title": _title(code),
        "status": status,
        "code": code,
        "detail": detail,
    }


def _code(name: str) -> str:
    """Convert a class name: `NotFound` becomes `not_found`."""
    return "".join(f"_{c.lower()}" if c.isupper() else c for c in name).lstrip("_")


def _title(code: str) -> str:
    return code.replace("_", " ").capitalize()
