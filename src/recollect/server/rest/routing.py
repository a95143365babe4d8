"""Routers, parameters and helpers that the REST routes share."""

import re
from functools import cached_property
from typing import Annotated, TypeAlias

from fastapi import APIRouter, Depends, Header, Query, Request, Response
from fastapi.routing import APIRoute
from starlette.exceptions import HTTPException
from starlette.routing import Match
from starlette.types import Scope

from recollect.domain.access import Principal
from recollect.domain.memory import Memory
from recollect.errors import InvalidInput
from recollect.serialization.serializers import serialize_memory
from recollect.server.dependencies import CurrentPrincipal
from recollect.server.idempotency import IDEMPOTENCY_HEADER, MAX_IDEMPOTENCY_KEY_CHARS, IdempotentRoute
from recollect.server.json_response import json_response

Limit: TypeAlias = Annotated[int, Query(ge=1, le=1000, description="Maximum number of results.")]
Offset: TypeAlias = Annotated[int, Query(ge=0, le=2**31, description="Number of results to skip.")]
IfMatch: TypeAlias = Annotated[
    str | None,
    Header(description='The ETag of the version to change, like "3"; a newer version gives a 412.'),
]
#: Named groups of route patterns; a joined pattern may not repeat a name.
_NAMED_GROUP_PATTERN = re.compile(r"\(\?P<\w+>")


async def _document_idempotency_key(
    idempotency_key: Annotated[
        str | None,
        Header(
            alias=IDEMPOTENCY_HEADER,
            max_length=MAX_IDEMPOTENCY_KEY_CHARS,
            description="A repeated POST with the same key and body returns the first response.",
        ),
    ] = None,
) -> None:
    """Document the header; `IdempotentRoute` applies it."""
    del idempotency_key


IdempotencyKey = Depends(_document_idempotency_key)


async def _require_admin(principal: CurrentPrincipal) -> Principal:
    if not principal.is_admin:
        raise HTTPException(403, "This operation affects the whole server. Use an admin's token.")
    return principal


#: The principal, who must be an admin; otherwise 403.
AdminPrincipal: TypeAlias = Annotated[Principal, Depends(_require_admin)]


async def _require_local_server(request: Request) -> None:
    if not request.app.state.auth_config.is_local:
        raise HTTPException(
            403,
            "This server is not only for its own machine. Run `recollect connect` or `recollect import` on the"
            " machine of the program.",
        )


#: Refuses the request with a 403 unless the server listens on loopback only: it uses files in the user's home folder.
LocalServer = Depends(_require_local_server)


class ResourceRouter(APIRouter):
    """Skips all of its routes with one regex match, since a request passes some twenty routers."""

    def matches(self, scope: Scope) -> tuple[Match, Scope]:
        if scope["type"] == "http" and self._path_pattern.match(scope["path"]) is None:
            return Match.NONE, {}
        return super().matches(scope)

    @cached_property
    def _path_pattern(self) -> re.Pattern[str]:
        patterns = (route.path_regex.pattern for route in self.routes if isinstance(route, APIRoute))
        return re.compile("|".join(_NAMED_GROUP_PATTERN.sub("(?:", pattern) for pattern in patterns))


def create_router(tag: str, prefix: str = "") -> APIRouter:
    return ResourceRouter(prefix=prefix, tags=[tag], route_class=IdempotentRoute)


def respond_with_etag(memory: Memory) -> Response:
    """Return a memory with its version as ETag."""
    return json_response(serialize_memory(memory), headers={"ETag": f'"{memory.version}"'})


def matches_version(if_match: str | None, version: int) -> bool:
    """Return whether `If-Match` is absent, `*`, or contains this version."""
    if if_match is None or if_match.strip() == "*":
        return True
    etags = [each.strip().removeprefix("W/").strip('"') for each in if_match.split(",")]
    if not all(each.isdecimal() and each.isascii() for each in etags):
        raise InvalidInput('If-Match must be the ETag of a memory, like "3".')
    return str(version) in etags
