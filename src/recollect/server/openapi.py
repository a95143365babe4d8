"""The OpenAPI document, which is also the source of the reference page."""

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
    "description": "`recollect tokens own` prints the owner's; `recollect tokens add` creates one for another user.",
}
#: Paths that need no token.
UNAUTHENTICATED_PATHS = frozenset({"/health", "/ready", "/version"})


class RecollectAPI(FastAPI):
    """Documents the problem+json response and the bearer token of every operation."""

    def openapi(self) -> dict[str, Any]:
        if self.openapi_schema is None:
            self.openapi_schema = _add_problem_responses(super().openapi())
        return self.openapi_schema


def _add_problem_responses(schema: dict[str, Any]) -> dict[str, Any]:
    components = schema.setdefault("components", {})
    components.setdefault("schemas", {})["Problem"] = Problem.model_json_schema()
    for unused in ("HTTPValidationError", "ValidationError"):
        components["schemas"].pop(unused, None)
    components["securitySchemes"] = {"bearer": BEARER_SCHEME}
    for path, operations in schema["paths"].items():
        for operation in operations.values():
            operation["responses"].pop("422", None)
            operation["responses"] |= {"4XX": PROBLEM_RESPONSE, "5XX": PROBLEM_RESPONSE}
            if path not in UNAUTHENTICATED_PATHS:
                operation["security"] = [{"bearer": []}]
    return schema
