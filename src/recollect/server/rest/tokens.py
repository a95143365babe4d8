"""Who may use the server. A token is shown once, when it is made."""

from typing import Annotated

from fastapi import Path, Request, Response

from recollect.errors import Refused
from recollect.serialization.serializers import Shape, results
from recollect.server import requests
from recollect.server.json_response import answer
from recollect.server.responses import operations
from recollect.server.rest.routing import Admin, subject
from recollect.server.tokens import Keys, Person

router = subject("tokens", "/api/tokens")


@router.get("", response_model=operations.Tokens)
def list_tokens(request: Request, _: Admin) -> Response:
    """The tokens by name, never themselves; for admins."""
    return answer(results(map(_shown, _keys(request).people())))


@router.post("", response_model=operations.NewToken, status_code=201)
def add_token(request: Request, admin: Admin, body: requests.NewToken) -> Response:
    """Make a token for somebody, for admins. The answer is the only place where it is ever seen."""
    person = Person(name=body.name, user=body.user_id or admin.user, admin=body.admin)
    token = _keys(request).add(person.name, user=person.user, admin=person.admin)
    return answer({**_shown(person), "token": token}, 201)


@router.delete("/{name}", response_model=operations.Token)
def revoke_token(request: Request, admin: Admin, name: Annotated[str, Path(min_length=1)]) -> Response:
    """Shut somebody out, at once; for admins. The owner's stays: it lies beside the memory itself."""
    keys = _keys(request)
    if name == keys.owner.name:
        raise Refused(
            "The owner's token lies beside the memory file and cannot be revoked from afar. Delete that file"
            " and start the server again for a new one."
        )
    known = next((each for each in keys.people() if each.name == name), admin)
    keys.revoke(name)
    return answer(_shown(known))


def _keys(request: Request) -> Keys:
    keys: Keys = request.app.state.house.keys
    return keys


def _shown(person: Person) -> Shape:
    return {"name": person.name, "user_id": person.user, "admin": person.admin}
