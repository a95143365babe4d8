"""Render the HTTP reference page from the server's OpenAPI document."""

from collections.abc import Iterable, Iterator
from typing import Any, TypeAlias

from recollect.server.app import build_openapi
from recollect.server.problems import STATUS_BY_ERROR

Schema: TypeAlias = dict[str, Any]

HTTP_INTRO = """\
# HTTP

`recollect up` serves this API on your machine; see [how to run the server](../how-to/run-the-server.md). The OpenAPI
document is at `/openapi.json`, and browsable documentation, which needs no network, at `/docs`.

Every request except `/health`, `/ready` and `/version` needs a token: `Authorization: Bearer …`. `recollect tokens own`
prints it. Tokens begin with `rk-`. An invalid token is always refused: a revoked or mistyped token gets 401 on every
path, also in `x-api-key` and also together with a session cookie.
A token gives access to one user's memory; an admin token to any user's, selected with `user_id` in the query or the
header `X-Memory-User`. Another user's data is reported as not found: 404.

## Errors

Every error is `application/problem+json`: `type`, `title`, `status`, `code`, a stable identifier for programs, and
`detail`, which says what happened, why, and what to do next. Every response has an `X-Request-Id`, which is also in
the log.

{failures}
Other codes: `unreadable_request` (400, malformed HTTP; it has no id, and the connection is closed),
`unreadable_body` (400), `no_token` and `invalid_token` (401), `not_yours`, `wrong_origin` and `no_csrf_token` (403),
`method_not_allowed` (405), `too_slow` (408), `key_used` (409), `changed_meanwhile` (412), `body_too_large` (413),
`wrong_content_type` (415), `wrong_host` (421), `invalid_request` (422, with the locations in `errors`) and
`too_many_requests` (429).

## Lost updates

A memory's `ETag` is its version. Send it in `If-Match` with `PATCH` or `DELETE`: if the memory was changed in the
meantime, nothing happens and the response is 412 with the newer `ETag`.

## Idempotency

A `POST` with an `Idempotency-Key` is executed once: the same key with the same body gets the same response again, with
`Idempotency-Replayed: true`; with another body it is refused with 409. The key is stored for a day, so that no
server on the same database executes the request again. The response is only in the memory of the server that gave it,
among its last 1,000: another server, or the same one after a restart, refuses the repetition with 409 (`request_done`,
or `request_running` while the first is being executed). For chat messages the `id` or the key is stored with the
message, and the same message is neither stored nor answered twice.

## Streams

`POST /chats/{chat_id}/messages` and `…/regenerate` respond with server-sent events. Each has a name and a JSON object
on one line; a line that begins with `:` is a keep-alive comment.

```text
event: recalled
data: {"asked": {...}, "receipt": {...}, "model": "gpt-5-mini"}

event: delta
data: {"text": "Try "}

event: delta
data: {"text": "a risotto."}

event: done
data: {"answer": {...}, "text": "Try a risotto.", "stopped": false}

event: learned
data: {"results": [...], "pending": false}
```

`error` has a problem object and ends the stream; the text sent before it is stored. If the client disconnects, or after
`POST /chats/{chat_id}/stop`, the answer ends and its text so far is stored. A failed recall never ends an answer: the
receipt says what did not work.

"""


def render_http() -> str:
    """Return the page, grouped by tag."""
    openapi = build_openapi()
    cells = [["error", "status"]]
    cells += [[f"`{_error_code(kind.__name__)}`", str(status)] for kind, status in STATUS_BY_ERROR.items()]
    parts = [HTTP_INTRO.replace("{failures}", _render_table(cells))]
    for tag, operations in _group_by_tag(openapi).items():
        parts.append(f"## {tag.capitalize() if tag != 'mem0' else tag}\n")
        parts += [_render_operation(openapi, method, path, each) for method, path, each in operations]
    return "\n".join(parts)


def _group_by_tag(openapi: Schema) -> dict[str, list[tuple[str, str, Schema]]]:
    operations_by_tag: dict[str, list[tuple[str, str, Schema]]] = {}
    for path, methods in openapi["paths"].items():
        for method, operation in methods.items():
            operations_by_tag.setdefault(operation["tags"][0], []).append((method.upper(), path, operation))
    return operations_by_tag


def _render_operation(openapi: Schema, method: str, path: str, operation: Schema) -> str:
    description = str(operation.get("description", operation["summary"])).strip()
    rows = [*_parameter_rows(openapi, operation), *_body_rows(openapi, operation)]
    table = _render_table([["what is sent", "where", "type", ""], *rows]) if rows else ""
    responses = _render_responses(openapi, operation)
    return "\n".join(filter(None, [f"### {method} {path}\n", f"{description}\n", table, responses]))


def _parameter_rows(openapi: Schema, operation: Schema) -> Iterator[list[str]]:
    # These three are described in the introduction.
    documented_names = {"user_id", "x-memory-user", "idempotency-key"}
    for each in operation.get("parameters", ()):
        if each["name"].lower() not in documented_names:
            kind = _format_type(openapi, each["schema"])
            yield [
                _format_name(each["name"], each.get("required", False)),
                each["in"],
                kind,
                each.get("description", ""),
            ]


def _body_rows(openapi: Schema, operation: Schema) -> Iterator[list[str]]:
    for kind, content in operation.get("requestBody", {}).get("content", {}).items():
        schema = _resolve(openapi, content["schema"])
        if "properties" not in schema:
            yield ["the pack", "body", f"`{kind}`", "As it was exported."]
        required = schema.get("required", ())
        for name, each in schema.get("properties", {}).items():
            yield [
                _format_name(name, name in required),
                "body",
                _format_type(openapi, each),
                each.get("description", ""),
            ]


def _render_responses(openapi: Schema, operation: Schema) -> str:
    lines = []
    for status, response in operation["responses"].items():
        if not status.startswith("2"):
            continue
        content = response.get("content", {})
        kinds = [f"`{kind}`" for kind in content if kind != "application/json"]
        schema = content.get("application/json", {}).get("schema")
        if schema and "$ref" in schema:
            kinds.insert(0, _format_type(openapi, schema, outer=True))
        lines.append(f"Answers {status}: {', or '.join(kinds)}." if kinds else f"Answers {status}.")
    return "\n".join(lines) + "\n"


def _format_type(openapi: Schema, schema: Schema, *, outer: bool = False) -> str:
    if "$ref" in schema:
        inner = _resolve(openapi, schema)
        names = ", ".join(f"`{name}`" for name in inner.get("properties", ()))
        return names if outer else f"object ({names})"
    if "anyOf" in schema:
        kinds = [_format_type(openapi, each) for each in schema["anyOf"] if each.get("type") != "null"]
        return " or ".join(dict.fromkeys(kinds))
    if "enum" in schema:
        return ", ".join(f"`{each}`" for each in schema["enum"])
    if schema.get("type") == "array":
        return f"list of {_format_type(openapi, schema['items'])}"
    return str(schema.get("type", "object")) + _format_range(schema)


def _format_range(schema: Schema) -> str:
    low, high = schema.get("minimum"), schema.get("maximum")
    return f", {low:,.0f} to {high:,.0f}" if low is not None and high is not None else ""


def _resolve(openapi: Schema, schema: Schema) -> Schema:
    if "anyOf" in schema:
        schema = next(each for each in schema["anyOf"] if each.get("type") != "null")
    if "$ref" not in schema:
        return schema
    resolved: Schema = openapi["components"]["schemas"][schema["$ref"].rpartition("/")[2]]
    return resolved


def _format_name(name: str, required: bool) -> str:
    return f"`{name}`" if required else f"`{name}` (optional)"


def _error_code(name: str) -> str:
    return "".join(f"_{c.lower()}" if c.isupper() else c for c in name).lstrip("_")


def _render_table(rows: Iterable[list[str]]) -> str:
    head, *body = ([cell.replace("|", r"\|").replace("\n", " ") for cell in row] for row in rows)
    lines = [head, ["---"] * len(head), *body]
    return "".join(f"| {' | '.join(cells)} |\n" for cells in lines)
