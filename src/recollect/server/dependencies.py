"""FastAPI dependencies: the open memory, the principal, the user of the request, and a recall slot."""

from collections.abc import AsyncIterator
from typing import Annotated, TypeAlias

from fastapi import Depends, Header, Query, Request
from starlette.exceptions import HTTPException

from recollect.domain.access import Principal
from recollect.domain.scope import validate_name
from recollect.library.memory import Memory


# These do not block: as coroutines they run in the event loop instead of the thread pool.
async def _get_memory(request: Request) -> Memory:
    memory: Memory = request.app.state.memory
    return memory


async def _get_principal(request: Request) -> Principal:
    principal: Principal = request.state.principal
    return principal


async def _get_user_id(
    request: Request,
    user_id: Annotated[
        str | None, Query(description="The user; defaults to the token's. Only admins may name another user.")
    ] = None,
    x_memory_user: Annotated[
        str | None, Header(description="The user, as a header; `user_id` takes precedence.")
    ] = None,
) -> str:
    return resolve_user(request, user_id if user_id is not None else x_memory_user)


async def _wait_for_recall_slot(request: Request) -> AsyncIterator[None]:
    """Limit concurrent recalls: more of them would only compete for the interpreter lock."""
    async with request.app.state.recall_slots:
        yield


def resolve_user(request: Request, user_id: str | None) -> str:
    """Return the requested user if the principal may access it; by default the principal's own."""
    principal: Principal = request.state.principal
    if user_id is None or user_id == principal.user:
        return principal.user
    if not principal.is_admin or not request.state.is_authenticated:
        raise HTTPException(
            403,
            "This token may not access another user's memory. Leave user_id out, or use an admin's token.",
        )
    return validate_name("user id", user_id)


MemoryDep: TypeAlias = Annotated[Memory, Depends(_get_memory)]
CurrentPrincipal: TypeAlias = Annotated[Principal, Depends(_get_principal)]
UserId: TypeAlias = Annotated[str, Depends(_get_user_id)]
RecallSlot = Depends(_wait_for_recall_slot)
