"""The server's description of itself, for machines and for the reference page."""

from typing import Any

from fastapi import FastAPI

from recollect.server.problems import PROBLEM_MEDIA_TYPE
from recollect.server.responses.resources import Problem

PROBLEM_RESPONSE = {
    "description": "What happened, why, and what to do next.",
    "content": {PROBLEM_MEDIA_TYPE: {"schema": {"$ref": "#/components/schemas/Problem"}}},
}
BEARER_SCHEME = {
    "type": "http",
    "scheme": "bearer",
    "description": "`recollect tokens own` prints the owner's; `recollect tokens add` makes one for somebody else.",
}
#: Paths that need no token.
UNAUTHENTICATED_PATHS = frozenset({"/health", "/version"})


class RecollectAPI(FastAPI):
    """Every operation may fail, and every failure is a problem."""

    def openapi(self) -> dict[str, Any]:
        if self.openapi_schema is None:
            self.openapi_schema = _add_problem_responses(super().openapi())
        return self.openapi_schema


def _add_problem_responses(schema: dict[str, Any]) -> dict[str, Any]:
    parts = schema.setdefault("components", {})
    parts.setdefault("schemas", {})["Problem"] = Problem.model_json_schema()
    for unused in ("HTTPValidationError", "ValidationError"):
        parts["schemas"].pop(unused, None)
    parts["securitySchemes"] = {"bearer": BEARER_SCHEME}
    for path, operations in schema["paths"].items():
        for operation in operations.values():
            operation["responses"].pop("422", None)
            operation["responses"] |= {"4XX": PROBLEM_RESPONSE, "5XX": PROBLEM_RESPONSE}
            if path not in UNAUTHENTICATED_PATHS:
                operation["security"] = [{"bearer": []}]
    return schema
