"""The reference page of the server's API, from its own description."""

from collections.abc import Iterable, Iterator
from typing import Any, TypeAlias

from recollect.server.app import build_openapi
from recollect.server.problems import STATUS_BY_ERROR

Schema: TypeAlias = dict[str, Any]

HTTP_INTRO = """\
# HTTP

`recollect up` serves this on your machine; [how to run it](../how-to/run-the-server.md) has the rest. The server
describes itself at `/openapi.json` and, for people and without network, at `/docs`.

Every request but `/health` and `/version` needs a token: `Authorization: Bearer …`. `recollect tokens own` prints it.
Tokens begin with `rk-`. One that is sent has to be valid: a revoked or mistyped token gets 401 on every path, also in
`x-api-key` and also beside the cookie of a session.
A token opens one user's memory; an admin's opens any, named with `user_id` in the query or the header `X-Memory-User`.
What belongs to somebody else looks like what does not exist: 404.

## Failures

Every failure is `application/problem+json`: `type`, `title`, `status`, `code`, which is for programs and does not
change, and `detail`, which says what happened, why, and what to do next. Every answer has an `X-Request-Id`, which
stands in the log.

{failures}
Besides these: `unreadable_request` (400, what is no HTTP; it has no id, and the connection is closed),
`unreadable_body` (400), `no_token` and `invalid_token` (401), `not_yours`, `wrong_origin` and `no_csrf_token` (403),
`method_not_allowed` (405), `too_slow` (408), `key_used` (409), `changed_meanwhile` (412), `body_too_large` (413),
`wrong_content_type` (415), `wrong_host` (421), `invalid_request` (422, with the places in `errors`) and
`too_many_requests` (429).

## Lost updates

A memory has a version, which is its `ETag`. Send it back in `If-Match` with `PATCH` or `DELETE`: if somebody changed
the memory meanwhile, nothing happens and the answer is 412 with the newer `ETag`.

## Doing things once

A `POST` with an `Idempotency-Key` is done once: the same key with the same body gets the same answer again, with
`Idempotency-Replayed: true`; with another body it is refused with 409. The server remembers the last 1,000 answers
until it stops. A message of a chat is safe for longer: its `id`, or the key, is kept with it, and the same one is
neither stored nor asked twice.

## Streams

`POST /chats/{chat_id}/messages` and `…/regenerate` answer with server-sent events. Each has a name and a JSON object
on one line; a line that begins with `:` says that somebody is still there.

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

`error` stands in the place of what could not be done, with a problem; what was said before it is kept. A client that
leaves, or `POST /chats/{chat_id}/stop`, ends the answer, and what came of it is kept. A memory that cannot be read
never ends an answer: the receipt says what did not work.

"""


def render_http() -> str:
    """The page of the API, subject by subject."""
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
    # These three are told of above.
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
