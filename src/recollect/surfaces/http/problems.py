"""Every failure as problem+json: what happened, why, and what to do next."""

from collections.abc import Mapping

from starlette.responses import JSONResponse

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
) -> JSONResponse:
    """`code` is for machines and never changes; `detail` is for people."""
    body = {
        "type": f"about:blank#{code}",
        "title": _title(code),
        "status": status,
        "code": code,
        "detail": detail,
    }
    wait = {"Retry-After": AGAIN[status]} if status in AGAIN else {}
    return JSONResponse({**body, **more}, status, media_type=TYPE, headers={**wait, **(headers or {})})


def from_error(error: RecollectError) -> JSONResponse:
    kind = type(error)
    status = next(STATUS[each] for each in kind.__mro__ if each in STATUS)
    return problem(status, _code(kind.__name__), str(error))


def _code(name: str) -> str:
    """`NotFound` is `not_found`."""
    return "".join(f"_{c.lower()}" if c.isupper() else c for c in name).lstrip("_")


def _title(code: str) -> str:
    return code.replace("_", " ").capitalize()
