"""Access tokens: list, create, revoke. Admins only."""

from typing import Annotated

from fastapi import Path, Response

from recollect.domain.access import Principal
from recollect.errors import Refused
from recollect.serialization.serializers import JsonObject, wrap_results
from recollect.server import requests
from recollect.server.dependencies import MemoryDep
from recollect.server.json_response import json_response
from recollect.server.responses import operations
from recollect.server.rest.routing import AdminPrincipal, create_router

router = create_router("tokens", "/api/tokens")


@router.get("", response_model=operations.TokenListResponse)
def list_tokens(memory: MemoryDep, _: AdminPrincipal) -> Response:
    """List tokens by name, without their values. Admins only."""
    return json_response(wrap_results(map(_serialize_token, memory.application.services.access.principals())))


@router.post("", response_model=operations.CreateTokenResponse, status_code=201)
def add_token(memory: MemoryDep, admin: AdminPrincipal, body: requests.CreateTokenRequest) -> Response:
    """Create a token. Only this response contains its value. Admins only."""
    principal = Principal(name=body.name, user=body.user_id or admin.user, is_admin=body.admin)
    access = memory.application.services.access
    token = access.add_token(principal.name, user=principal.user, admin=principal.is_admin)
    return json_response({**_serialize_token(principal), "token": token}, 201)


@router.delete("/{name}", response_model=operations.TokenResponse)
def revoke_token(
    memory: MemoryDep, admin: AdminPrincipal, name: Annotated[str, Path(min_length=1)]
) -> Response:
    """Revoke a token immediately. The owner's token cannot be revoked here. Admins only."""
    access = memory.application.services.access
    if name == access.owner.name:
        raise Refused(
            "The owner's token cannot be revoked through the API. Run `recollect tokens revoke owner`; the next"
            " `recollect tokens own` prints a new one."
        )
    principal = next((each for each in access.principals() if each.name == name), admin)
    access.revoke_token(name)
    return json_response(_serialize_token(principal))


def _serialize_token(principal: Principal) -> JsonObject:
    return {"name": principal.name, "user_id": principal.user, "admin": principal.is_admin}
