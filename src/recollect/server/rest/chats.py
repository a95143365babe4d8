"""Chats and what was said in them; what was learned from it follows every change."""

from collections.abc import Sequence
from typing import Annotated

from fastapi import Query, Response

from recollect.domain.message import Chat, Message, Role
from recollect.domain.receipt import Receipt
from recollect.domain.scope import Scope
from recollect.errors import InvalidInput, NotFound
from recollect.library.memory import Memory
from recollect.ports.store import Store
from recollect.serialization import serializers
from recollect.serialization.serializers import Shape
from recollect.server import requests
from recollect.server.dependencies import MemoryDoor, UserId
from recollect.server.json_response import answer
from recollect.server.responses import resources
from recollect.server.rest.routing import Limit, OnceOnly, subject

router = subject("chats", "/chats")
#: Letters of a title that nobody gave.
LONGEST_TITLE = 60


@router.get("", response_model=resources.Chats)
def list_chats(memory: MemoryDoor, user: UserId, limit: Limit = 100) -> Response:
    """The user's chats, the most recently used first."""
    listed = memory.runtime.store.chats.list(Scope(user), limit=limit)
    return answer(serializers.results(_shown(memory, user, listed)))


@router.get("/{chat_id}", response_model=resources.Chat)
def get_chat(memory: MemoryDoor, user: UserId, chat_id: str) -> Response:
    """One chat: its title, how many messages it has, and how memory is used in it."""
    return answer(_one(memory, Scope(user, chat_id)))


@router.patch("/{chat_id}", response_model=resources.Chat)
def change_chat(memory: MemoryDoor, user: UserId, chat_id: str, body: requests.ChatChange) -> Response:
    """
    Give a chat a title, or choose how memory is used in it.

    A mode can be chosen before anything is said; null takes the choice back.
    """
    if not body.model_fields_set:
        raise InvalidInput("Say what to change: title, mode, or both.")
    scope = Scope(user, chat_id)
    with memory.runtime.store.transaction():
        if "mode" in body.model_fields_set:
            memory.set_mode(chat_id, body.mode, user_id=user)
        if body.title is not None:
            memory.runtime.store.chats.rename(scope, body.title)
    return answer(_one(memory, scope))


@router.delete("/{chat_id}", response_model=resources.Memories)
def delete_chat(memory: MemoryDoor, user: UserId, chat_id: str) -> Response:
    """Delete a chat; memories that rested on it alone go with it and are in the answer."""
    return answer(memory.delete_chat(chat_id, user_id=user))


@router.get("/{chat_id}/messages", response_model=resources.Messages)
def list_messages(
    memory: MemoryDoor,
    user: UserId,
    chat_id: str,
    limit: Limit = 100,
    before: Annotated[str | None, Query(description="Only those before this message.")] = None,
) -> Response:
    """What was said, in order: the last messages, or those before another one."""
    scope, store = Scope(user, chat_id), memory.runtime.store
    store.chats.get(scope)
    if before is not None:
        store.messages.get(scope, before)
    listed = store.messages.list(scope, limit=limit, before=before)
    recalls = _recalls(store, scope, listed)
    return answer(
        serializers.results(
            {**serializers.message(each), **_recalled(recalls.get(each.id))} for each in listed
        )
    )


@router.patch("/{chat_id}/messages/{message_id}", response_model=resources.Observed)
def edit_message(
    memory: MemoryDoor, user: UserId, chat_id: str, message_id: str, body: requests.MessageEdit
) -> Response:
    """Put other words in the place of a message; what was learned from the old ones goes."""
    memory.runtime.store.messages.get(Scope(user, chat_id), message_id)
    return answer(memory.edit_message(message_id, body.content, user_id=user))


@router.delete("/{chat_id}/messages/{message_id}", response_model=resources.Memories)
def delete_message(memory: MemoryDoor, user: UserId, chat_id: str, message_id: str) -> Response:
    """Delete a message; memories that rested on it alone go with it and are in the answer."""
    memory.runtime.store.messages.get(Scope(user, chat_id), message_id)
    return answer(memory.delete_message(message_id, user_id=user))


@router.post("/{chat_id}/branch", response_model=resources.Chat, status_code=201, dependencies=[OnceOnly])
def branch(memory: MemoryDoor, user: UserId, chat_id: str, body: requests.Branch) -> Response:
    """Begin a new chat with everything up to a message."""
    memory.runtime.store.messages.get(Scope(user, chat_id), body.message_id)
    memory.branch(body.message_id, body.chat_id, user_id=user)
    return answer(_one(memory, Scope(user, body.chat_id)), 201)


@router.post("/{chat_id}/listen", response_model=resources.Listened, dependencies=[OnceOnly])
def listen(memory: MemoryDoor, user: UserId, chat_id: str, body: requests.Heard) -> Response:
    """Listen to messages that were said elsewhere, and learn from them; nobody answers."""
    heard = memory.add(
        body.messages, user_id=user, chat_id=chat_id, sync=body.sync, mode=body.mode, settings=body.settings
    )
    return answer(heard)


def _recalls(store: Store, scope: Scope, messages: Sequence[Message]) -> dict[str, Receipt]:
    """The recall behind each question: the one whose block was sent with it, else the last of the same words."""
    questions = [message for message in messages if message.role is Role.USER]
    recent = store.receipts.list(scope, limit=2 * len(questions))
    known = {receipt.id: receipt for receipt in recent}
    asked = {receipt.query: receipt for receipt in reversed(recent)}
    sent = store.injections.receipts(scope)
    found: dict[str, Receipt] = {}
    for question in questions:
        name = sent.get(question.id)
        receipt = (
            asked.get(question.content) if name is None else known.get(name) or _kept(store, scope, name)
        )
        if receipt is not None:
            found[question.id] = receipt
    return found


def _kept(store: Store, scope: Scope, receipt_id: str) -> Receipt | None:
    try:
        return store.receipts.get(scope, receipt_id)
    except NotFound:
        # Receipts go after some weeks.
        return None


def _recalled(receipt: Receipt | None) -> Shape:
    if receipt is None:
        return {"receipt": None, "recalled": None}
    short: Shape = {
        "memories": len(receipt.injected),
        "tokens": receipt.tokens,
        "budget": receipt.budget,
        "ms": round(receipt.timings.get("total_ms", 0.0), 2),
    }
    return {"receipt": receipt.id, "recalled": short}


def _one(memory: Memory, scope: Scope) -> Shape:
    [shown] = _shown(memory, scope.user, [memory.runtime.store.chats.get(scope)])
    return shown


def _shown(memory: Memory, user: str, chats: Sequence[Chat]) -> list[Shape]:
    store = memory.runtime.store
    openings = store.chats.openings(Scope(user), [chat.id for chat in chats if chat.title is None])
    return [
        {
            **serializers.chat(chat),
            "title": chat.title or _title(openings.get(chat.id)),
            "mode": store.chats.mode(Scope(user, chat.id)),
        }
        for chat in chats
    ]


def _title(opening: str | None) -> str | None:
    """The first words of a text, none of them cut."""
    words = " ".join((opening or "").split())
    if len(words) <= LONGEST_TITLE:
        return words or None
    return (words[:LONGEST_TITLE].rpartition(" ")[0] or words[: LONGEST_TITLE - 1]) + "…"
