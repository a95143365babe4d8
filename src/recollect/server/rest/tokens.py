"""Access tokens: list, create, revoke. Admins only."""

from typing import Annotated

from fastapi import Path, Request, Response

from recollect.errors import Refused
from recollect.serialization.serializers import JsonObject, wrap_results
from recollect.server import requests
from recollect.server.json_response import json_response
from recollect.server.responses import operations
from recollect.server.rest.routing import AdminPrincipal, create_router
from recollect.server.tokens import Principal, TokenStore

router = create_router("tokens", "/api/tokens")


@router.get("", response_model=operations.TokenListResponse)
def list_tokens(request: Request, _: AdminPrincipal) -> Response:
    """List tokens by name, without their values. Admins only."""
    return json_response(wrap_results(map(_serialize_token, _token_store(request).principals())))


@router.post("", response_model=operations.CreateTokenResponse, status_code=201)
def add_token(request: Request, admin: AdminPrincipal, body: requests.CreateTokenRequest) -> Response:
    """Create a token. Only this response contains its value. Admins only."""
    principal = Principal(name=body.name, user=body.user_id or admin.user, is_admin=body.admin)
    token = _token_store(request).add(principal.name, user=principal.user, admin=principal.is_admin)
    return json_response({**_serialize_token(principal), "token": token}, 201)


@router.delete("/{name}", response_model=operations.TokenResponse)
def revoke_token(
    request: Request, admin: AdminPrincipal, name: Annotated[str, Path(min_length=1)]
) -> Response:
    """Revoke a token immediately. The owner's token cannot be revoked here. Admins only."""
    token_store = _token_store(request)
    if name == token_store.owner.name:
        raise Refused(
            "The owner's token cannot be revoked through the API. Delete the token file next to the memory file and"
            " restart the server to get a new one."
        )
    principal = next((each for each in token_store.principals() if each.name == name), admin)
    token_store.revoke(name)
    return json_response(_serialize_token(principal))


def _token_store(request: Request) -> TokenStore:
    token_store: TokenStore = request.app.state.auth_config.token_store
    return token_store


def _serialize_token(principal: Principal) -> JsonObject:
    return {"name": principal.name, "user_id": principal.user, "admin": principal.is_admin}
