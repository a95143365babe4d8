"""Memories: listed, written down, corrected, put away and forgotten."""

from collections.abc import Sequence
from typing import Annotated

from fastapi import Path, Query, Response
from starlette.exceptions import HTTPException

from recollect.domain.event import Action
from recollect.domain.memory import Band, Kind, Origin, Standing
from recollect.domain.outcomes import New
from recollect.domain.scope import Scope
from recollect.errors import InvalidInput
from recollect.library.memory import Memory
from recollect.serialization import parsers, serializers
from recollect.server import requests
from recollect.server.dependencies import MemoryDoor, UserId
from recollect.server.json_response import answer
from recollect.server.responses import resources
from recollect.server.rest.routing import IfMatch, Limit, Offset, OnceOnly, matches, subject, tagged

router = subject("memories", "/api/memory")
Id = Annotated[
    str, Path(description="The memory, or a unique beginning of its id.", examples=[resources.MEMORY_ID])
]


@router.get("", response_model=resources.MemoryPage)
def list_memories(
    memory: MemoryDoor,
    user: UserId,
    tag: Annotated[str | None, Query(description="Only those with this tag.")] = None,
    kind: resources.KindName | None = None,
    standing: Annotated[
        resources.StandingName | None, Query(description="Those in use, unless something else is asked for.")
    ] = None,
    origin: Annotated[resources.OriginName | None, Query(description="Who wrote it down.")] = None,
    importance: resources.BandName | None = None,
    contains: Annotated[str | None, Query(description="Only those with these letters in them.")] = None,
    chat_id: Annotated[str | None, Query(description="Only those first said there.")] = None,
    as_of: Annotated[
        str | None, Query(description="What was known and true then, ISO 8601; `standing` is today's.")
    ] = None,
    limit: Limit = 100,
    offset: Offset = 0,
) -> Response:
    """What is remembered, the newest first."""
    listed = memory.runtime.store.memories.list(
        Scope(user, chat_id),
        limit=limit,
        offset=offset,
        tag=tag,
        kind=Kind(kind) if kind else None,
        standing=Standing(standing or "active"),
        origin=Origin(origin) if origin else None,
        band=Band(importance) if importance else None,
        contains=contains,
        as_of=parsers.moment(as_of),
    )
    return answer({**serializers.results(map(serializers.memory, listed)), "limit": limit, "offset": offset})


@router.post(
    "",
    response_model=resources.Kept,
    status_code=201,
    responses={200: {"model": resources.Kept, "description": "It was known, or is not wanted: see `event`."}},
    dependencies=[OnceOnly],
)
def remember(memory: MemoryDoor, user: UserId, body: requests.NewMemory) -> Response:
    """Remember a text as it is. It is stored and found like what is learned from conversations."""
    runtime, scope = memory.runtime, Scope(user, body.chat_id)
    policy = runtime.policy(user, chat=body.chat_id)
    kept = runtime.engine.remember(
        scope,
        body.content,
        policy,
        tags=parsers.tags(body.tags),
        kind=Kind(body.kind) if body.kind else None,
    )
    runtime.worker.wake()
    return answer(serializers.kept(kept), 201 if isinstance(kept, New) else 200)


@router.delete("", response_model=resources.Count)
def forget_all(
    memory: MemoryDoor,
    user: UserId,
    confirm: Annotated[bool, Query(description="Say `true`: this is about all of them.")] = False,
) -> Response:
    """Forget every memory of a user. Each can be brought back; `erase` is for good."""
    if not confirm:
        raise InvalidInput("This forgets every memory of the user. Repeat it with confirm=true.")
    return answer(memory.delete_all(user_id=user))


@router.get("/events", response_model=resources.Events)
def events(memory: MemoryDoor, user: UserId, limit: Limit = 50) -> Response:
    """What was learned, changed and forgotten, the newest first."""
    return answer(memory.events(user_id=user, limit=limit))


@router.post("/undo", response_model=resources.Event, dependencies=[OnceOnly])
def undo(memory: MemoryDoor, user: UserId, body: requests.Undo | None = None) -> Response:
    """Take back the last thing that was done to memories, or a certain one."""
    return answer(memory.undo(body.event_id if body else None, user_id=user))


@router.post("/merge", response_model=resources.Memory, dependencies=[OnceOnly])
def merge(memory: MemoryDoor, user: UserId, body: requests.Merge) -> Response:
    """Make one memory of several: the one that says most stays, with the sources of all."""
    return tagged(memory.merge(body.ids, user_id=user))


@router.post("/archive", response_model=resources.Memories, dependencies=[OnceOnly])
def archive_several(memory: MemoryDoor, user: UserId, body: requests.Several) -> Response:
    """Put several memories away at once. It is one event, which is undone as one."""
    return _taken_away(memory, user, body.ids, Action.ARCHIVE)


@router.post("/forget", response_model=resources.Memories, dependencies=[OnceOnly])
def forget_several(memory: MemoryDoor, user: UserId, body: requests.Several) -> Response:
    """Forget several memories at once. It is one event, which is undone as one."""
    return _taken_away(memory, user, body.ids, Action.FORGET)


@router.get("/{memory_id}", response_model=resources.Memory)
def get_memory(memory: MemoryDoor, user: UserId, memory_id: Id) -> Response:
    """One memory, with its version as its ETag."""
    return tagged(memory.get(memory_id, user_id=user))


@router.patch("/{memory_id}", response_model=resources.Memory)
def change_memory(
    memory: MemoryDoor, user: UserId, memory_id: Id, body: requests.MemoryChange, if_match: IfMatch = None
) -> Response:
    """Correct what a memory says, tag it, or pin it. Old words stay in its history; its vector is made anew."""
    if body.content is None and body.tags is None and body.pinned is None:
        raise InvalidInput("Say what to change: content, tags or pinned.")
    with memory.runtime.store.transaction():
        full_id = _checked(memory, user, memory_id, if_match)
        if body.content is not None:
            memory.update(full_id, body.content, user_id=user)
        if body.tags is not None:
            memory.runtime.engine.retag(Scope(user), full_id, parsers.tags(body.tags))
        if body.pinned is not None:
            memory.pin(full_id, pinned=body.pinned, user_id=user)
    return tagged(memory.get(full_id, user_id=user))


@router.delete("/{memory_id}", response_model=resources.Memory)
def forget(memory: MemoryDoor, user: UserId, memory_id: Id, if_match: IfMatch = None) -> Response:
    """Forget a memory. It can be brought back, and does not come back by itself."""
    with memory.runtime.store.transaction():
        full_id = _checked(memory, user, memory_id, if_match)
        return tagged(memory.delete(full_id, user_id=user))


@router.get("/{memory_id}/history", response_model=resources.Versions)
def history(memory: MemoryDoor, user: UserId, memory_id: Id) -> Response:
    """Every version of a memory, oldest first."""
    return answer(serializers.results(memory.history(memory_id, user_id=user)))


@router.post("/{memory_id}/archive", response_model=resources.Memory)
def archive(memory: MemoryDoor, user: UserId, memory_id: Id) -> Response:
    """Put a memory away: it is not recalled, and can be brought back."""
    return tagged(memory.archive(memory_id, user_id=user))


@router.post("/{memory_id}/restore", response_model=resources.Memory)
def restore(memory: MemoryDoor, user: UserId, memory_id: Id) -> Response:
    """Bring back what was archived or forgotten, or accept what waits in the inbox."""
    return tagged(memory.restore(memory_id, user_id=user))


@router.post("/{memory_id}/pin", response_model=resources.Memory)
def pin(memory: MemoryDoor, user: UserId, memory_id: Id) -> Response:
    """Keep a memory from fading."""
    return tagged(memory.pin(memory_id, user_id=user))


@router.post("/{memory_id}/unpin", response_model=resources.Memory)
def unpin(memory: MemoryDoor, user: UserId, memory_id: Id) -> Response:
    """Let a memory fade again."""
    return tagged(memory.pin(memory_id, pinned=False, user_id=user))


def _taken_away(memory: Memory, user: str, ids: Sequence[str], action: Action) -> Response:
    taken = memory.runtime.engine.take_away(Scope(user), ids, action)
    return answer(serializers.results(map(serializers.memory, taken)))


def _checked(memory: Memory, user: str, memory_id: str, if_match: str | None) -> str:
    """The whole id of a memory, if it is still what whoever changes it has seen. Called inside a transaction."""
    current = memory.runtime.store.memories.get(Scope(user), memory_id)
    if not matches(if_match, current.version):
        raise HTTPException(
            412,
            f"The memory was changed meanwhile: it is at version {current.version}. Read it again, then repeat.",
            {"ETag": f'"{current.version}"'},
        )
    return current.id
