"""Who asks, and for whose memory: what every endpoint begins with."""

from collections.abc import AsyncIterator
from typing import Annotated, TypeAlias

from fastapi import Depends, Header, Query, Request
from starlette.exceptions import HTTPException

from recollect.domain.scope import validate_name
from recollect.library.memory import Memory
from recollect.server.tokens import Principal


# These wait for nothing: as coroutines they are asked at once, and not by way of a thread.
async def _get_memory(request: Request) -> Memory:
    memory: Memory = request.app.state.memory
    return memory


async def _get_principal(request: Request) -> Principal:
    person: Principal = request.state.principal
    return person


async def _get_user_id(
    request: Request,
    user_id: Annotated[
        str | None, Query(description="Whose memory; others than yours only for admins.")
    ] = None,
    x_memory_user: Annotated[str | None, Header(description="The same as a header.")] = None,
) -> str:
    return resolve_user(request, user_id if user_id is not None else x_memory_user)


async def _wait_for_recall_slot(request: Request) -> AsyncIterator[None]:
    """Recalls at once only take the interpreter from each other: wait until there is a place."""
    async with request.app.state.recall_slots:
        yield


def resolve_user(request: Request, user_id: str | None) -> str:
    """The user who is asked for, if whoever asks may; without one it is themselves."""
    principal: Principal = request.state.principal
    if user_id is None or user_id == principal.user:
        return principal.user
    if not principal.is_admin or not request.state.is_authenticated:
        raise HTTPException(
            403, "This token is for another user's memory. Ask for your own, or use an admin's token."
        )
    return validate_name("user id", user_id)


MemoryDep: TypeAlias = Annotated[Memory, Depends(_get_memory)]
CurrentPrincipal: TypeAlias = Annotated[Principal, Depends(_get_principal)]
UserId: TypeAlias = Annotated[str, Depends(_get_user_id)]
RecallSlot = Depends(_wait_for_recall_slot)
