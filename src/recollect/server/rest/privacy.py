"""What the user tells about themselves, agrees to, and wants gone for good."""

from collections.abc import Sequence

from fastapi import Response

from recollect.domain.memory import Memory as Fact
from recollect.domain.scope import Scope
from recollect.errors import InvalidInput
from recollect.library.memory import Memory
from recollect.ports.store import ALL
from recollect.serialization import serializers
from recollect.serialization.serializers import Shape
from recollect.server import requests
from recollect.server.dependencies import MemoryDoor, UserId
from recollect.server.json_response import answer
from recollect.server.responses import resources
from recollect.server.rest.routing import Limit, OnceOnly, subject

router = subject("privacy", "/api/memory")
#: Memories that a preview shows in full.
SOME = 100


@router.get("/profile", response_model=resources.Profile)
def profile(memory: MemoryDoor, user: UserId) -> Response:
    """What the user wrote about themselves; empty without their consent."""
    return answer(memory.profile(user_id=user))


@router.put("/profile", response_model=resources.Profile)
def set_profile(memory: MemoryDoor, user: UserId, body: requests.ProfileForm) -> Response:
    """Fill in the profile, with the consent `profile` only; fields that are not sent stay."""
    return answer(memory.set_profile(body.model_dump(exclude_unset=True), user_id=user))


@router.get("/consent", response_model=resources.Consents)
def consents(memory: MemoryDoor, user: UserId) -> Response:
    """What the user agreed to, by category."""
    agreed = memory.consents(user_id=user)
    return answer({"consents": agreed, "profileConsent": agreed["profile"]})


@router.post("/consent", response_model=resources.ConsentChanged, dependencies=[OnceOnly])
def consent(memory: MemoryDoor, user: UserId, body: requests.ConsentAnswer) -> Response:
    """Write down the user's answer. Taking consent back erases what it covered."""
    return answer(memory.consent(body.category, granted=body.granted, user_id=user))


@router.get("/consent/{category}", response_model=resources.Covered)
def covered(memory: MemoryDoor, user: UserId, category: str) -> Response:
    """What would be erased if consent were taken back now."""
    covers = memory.consent_covers(category, user_id=user)
    granted = memory.consents(user_id=user)[category]
    return answer({"category": category, "granted": granted, "covers": covers})


@router.get("/ledger", response_model=resources.Ledger)
def ledger(memory: MemoryDoor, user: UserId, limit: Limit = 100) -> Response:
    """What was agreed to and erased, the newest first, and whether nobody changed the book."""
    return answer(memory.ledger(user_id=user, limit=limit))


@router.post("/erase/preview", response_model=resources.ErasePreview)
def preview(memory: MemoryDoor, user: UserId, body: requests.Erase) -> Response:
    """What an erasure would take; nothing is changed."""
    _one_of(body)
    if body.memory_id is not None:
        fact = memory.runtime.store.memories.get(Scope(user), body.memory_id)
        return answer(_preview(f"memory {fact.id}", {"memories": 1, "versions": fact.version}, [fact]))
    if body.chat_id is not None:
        return answer(_of_chat(memory, Scope(user, body.chat_id)))
    held = memory.runtime.store.upkeep.stats(Scope(user))
    rows = {
        "memories": held.memories,
        "messages": held.messages,
        "chats": held.chats,
        "summaries": held.summaries,
    }
    return answer(_preview(f"user {user}", rows, []))


@router.post("/erase", response_model=resources.Certificate, dependencies=[OnceOnly])
def erase(memory: MemoryDoor, user: UserId, body: requests.Erase) -> Response:
    """
    Take a memory, a chat, or everything about the user out of the file for good.

    The answer is a certificate: what went, and whether the file's bytes were looked at and found clean.
    """
    _one_of(body)
    return answer(memory.erase(body.memory_id, chat_id=body.chat_id, user_id=user))


def _one_of(body: requests.Erase) -> None:
    if (body.memory_id is not None) + (body.chat_id is not None) + body.everything != 1:
        raise InvalidInput("Say what to erase: a memory_id, a chat_id, or everything: true.")


def _of_chat(memory: Memory, scope: Scope) -> Shape:
    store = memory.runtime.store
    chat = store.chats.get(scope)
    said = {message.id for message in store.messages.list(scope, limit=ALL)}
    resting = store.memories.of_messages(scope.everything, sorted(said))
    alone = [fact for fact in resting if all(span.message_id in said for span in fact.spans)]
    rows = {"chats": 1, "messages": chat.messages, "memories": len(alone)}
    return _preview(f"chat {scope.chat}", rows, alone)


def _preview(what: str, rows: dict[str, int], memories: Sequence[Fact]) -> Shape:
    return {
        "what": what,
        "rows": dict(rows),
        "memories": [serializers.memory(each) for each in memories[:SOME]],
    }
