"""The server's description of itself, for machines and for the reference page."""

from typing import Any

from fastapi import FastAPI

from recollect.server.problems import TYPE
from recollect.server.responses.resources import Problem

PROBLEM = {
    "description": "What happened, why, and what to do next.",
    "content": {TYPE: {"schema": {"$ref": "#/components/schemas/Problem"}}},
}
BEARER = {
    "type": "http",
    "scheme": "bearer",
    "description": "`recollect tokens own` prints the owner's; `recollect tokens add` makes one for somebody else.",
}
#: Paths that need no token.
OPEN = frozenset({"/health", "/version"})


class Described(FastAPI):
    """Every operation may fail, and every failure is a problem."""

    def openapi(self) -> dict[str, Any]:
        if self.openapi_schema is None:
            self.openapi_schema = _completed(super().openapi())
        return self.openapi_schema


def _completed(schema: dict[str, Any]) -> dict[str, Any]:
    parts = schema.setdefault("components", {})
    parts.setdefault("schemas", {})["Problem"] = Problem.model_json_schema()
    for unused in ("HTTPValidationError", "ValidationError"):
        parts["schemas"].pop(unused, None)
    parts["securitySchemes"] = {"bearer": BEARER}
    for path, operations in schema["paths"].items():
        for operation in operations.values():
            operation["responses"].pop("422", None)
            operation["responses"] |= {"4XX": PROBLEM, "5XX": PROBLEM}
            if path not in OPEN:
                operation["security"] = [{"bearer": []}]
    return schema
