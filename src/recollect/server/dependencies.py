"""Who asks, and for whose memory: what every endpoint begins with."""

from collections.abc import AsyncIterator
from typing import Annotated, TypeAlias

from fastapi import Depends, Header, Query, Request
from starlette.exceptions import HTTPException

from recollect.domain.scope import valid_name
from recollect.library.memory import Memory
from recollect.server.tokens import Person


# These wait for nothing: as coroutines they are asked at once, and not by way of a thread.
async def _memory(request: Request) -> Memory:
    memory: Memory = request.app.state.memory
    return memory


async def _person(request: Request) -> Person:
    person: Person = request.state.person
    return person


async def _user(
    request: Request,
    user_id: Annotated[
        str | None, Query(description="Whose memory; others than yours only for admins.")
    ] = None,
    x_memory_user: Annotated[str | None, Header(description="The same as a header.")] = None,
) -> str:
    return whose(request, user_id if user_id is not None else x_memory_user)


async def _in_turn(request: Request) -> AsyncIterator[None]:
    """Recalls at once only take the interpreter from each other: wait until there is a place."""
    async with request.app.state.places:
        yield


def whose(request: Request, wanted: str | None) -> str:
    """The user who is asked for, if whoever asks may; without one it is themselves."""
    person: Person = request.state.person
    if wanted is None or wanted == person.user:
        return person.user
    if not person.admin or not request.state.trusted:
        raise HTTPException(
            403, "This token is for another user's memory. Ask for your own, or use an admin's token."
        )
    return valid_name("user id", wanted)


MemoryDoor: TypeAlias = Annotated[Memory, Depends(_memory)]
Asker: TypeAlias = Annotated[Person, Depends(_person)]
UserId: TypeAlias = Annotated[str, Depends(_user)]
InTurn = Depends(_in_turn)
