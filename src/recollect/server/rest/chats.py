"""Chats and their messages. Edits and deletions also update the memories learned from them."""

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
from recollect.serialization.serializers import JsonObject
from recollect.server import requests
from recollect.server.dependencies import MemoryDep, UserId
from recollect.server.json_response import json_response
from recollect.server.responses import resources
from recollect.server.rest.routing import IdempotencyKey, Limit, create_router

router = create_router("chats", "/chats")
#: Limit for titles derived from the first message.
MAX_TITLE_CHARS = 60


@router.get("", response_model=resources.ChatListResponse)
def list_chats(memory: MemoryDep, user: UserId, limit: Limit = 100) -> Response:
    """List the user's chats, most recently used first."""
    chats = memory.application.store.chats.list(Scope(user), limit=limit)
    return json_response(serializers.wrap_results(_serialize_chats(memory, user, chats)))


@router.get("/{chat_id}", response_model=resources.ChatResponse)
def get_chat(memory: MemoryDep, user: UserId, chat_id: str) -> Response:
    """Get a chat: its title, number of messages and memory mode."""
    return json_response(_serialize_chat(memory, Scope(user, chat_id)))


@router.patch("/{chat_id}", response_model=resources.ChatResponse)
def update_chat(memory: MemoryDep, user: UserId, chat_id: str, body: requests.UpdateChatRequest) -> Response:
    """
    Set the title or the memory mode of a chat.

    The mode can be set before the first message; null resets it to the user's setting.
    """
    if not body.model_fields_set:
        raise InvalidInput("Nothing to change. Send title, mode, or both.")
    scope = Scope(user, chat_id)
    with memory.application.store.transaction(user):
        if "mode" in body.model_fields_set:
            memory.set_mode(chat_id, body.mode, user_id=user)
        if body.title is not None:
            memory.application.store.chats.rename(scope, body.title)
    return json_response(_serialize_chat(memory, scope))


@router.delete("/{chat_id}", response_model=resources.MemoryListResponse)
def delete_chat(memory: MemoryDep, user: UserId, chat_id: str) -> Response:
    """Delete a chat and return the memories that had no other source; they are deleted too."""
    return json_response(memory.delete_chat(chat_id, user_id=user))


@router.get("/{chat_id}/messages", response_model=resources.MessageListResponse)
def list_messages(
    memory: MemoryDep,
    user: UserId,
    chat_id: str,
    limit: Limit = 100,
    before: Annotated[str | None, Query(description="Only messages before this message id.")] = None,
) -> Response:
    """List the last messages of a chat, or those before a message, oldest first."""
    scope, store = Scope(user, chat_id), memory.application.store
    store.chats.get(scope)
    if before is not None:
        store.messages.get(scope, before)
    messages = store.messages.list(scope, limit=limit, before=before)
    receipts = _receipts_by_message(store, scope, messages)
    return json_response(
        serializers.wrap_results(
            {**serializers.serialize_message(each), **_serialize_recall(receipts.get(each.id))}
            for each in messages
        )
    )


@router.patch("/{chat_id}/messages/{message_id}", response_model=resources.IngestResultResponse)
def edit_message(
    memory: MemoryDep, user: UserId, chat_id: str, message_id: str, body: requests.EditMessageRequest
) -> Response:
    """Replace the text of a message; what was learned from the old text is deleted."""
    memory.application.store.messages.get(Scope(user, chat_id), message_id)
    return json_response(memory.edit_message(message_id, body.content, user_id=user))


@router.delete("/{chat_id}/messages/{message_id}", response_model=resources.MemoryListResponse)
def delete_message(memory: MemoryDep, user: UserId, chat_id: str, message_id: str) -> Response:
    """Delete a message and return the memories that had no other source; they are deleted too."""
    memory.application.store.messages.get(Scope(user, chat_id), message_id)
    return json_response(memory.delete_message(message_id, user_id=user))


@router.post(
    "/{chat_id}/branch", response_model=resources.ChatResponse, status_code=201, dependencies=[IdempotencyKey]
)
def branch_chat(memory: MemoryDep, user: UserId, chat_id: str, body: requests.BranchChatRequest) -> Response:
    """Create a new chat with all messages up to and including a message."""
    memory.application.store.messages.get(Scope(user, chat_id), body.message_id)
    memory.branch(body.message_id, body.chat_id, user_id=user)
    return json_response(_serialize_chat(memory, Scope(user, body.chat_id)), 201)


@router.post("/{chat_id}/listen", response_model=resources.AddMessagesResponse, dependencies=[IdempotencyKey])
def add_messages(
    memory: MemoryDep, user: UserId, chat_id: str, body: requests.AddMessagesRequest
) -> Response:
    """Ingest messages of a conversation held elsewhere; no answer is generated."""
    results = memory.add(
        body.messages, user_id=user, chat_id=chat_id, sync=body.sync, mode=body.mode, settings=body.settings
    )
    return json_response(results)


def _receipts_by_message(store: Store, scope: Scope, messages: Sequence[Message]) -> dict[str, Receipt]:
    """Return the receipt of each user message: of the injected block, else the last with the same query."""
    questions = [message for message in messages if message.role is Role.USER]
    recent = store.receipts.list(scope, limit=2 * len(questions))
    receipt_by_id = {receipt.id: receipt for receipt in recent}
    receipt_by_query = {receipt.query: receipt for receipt in reversed(recent)}
    injected_receipt_ids = store.injections.receipt_ids(scope)
    receipts: dict[str, Receipt] = {}
    for question in questions:
        receipt_id = injected_receipt_ids.get(question.id)
        receipt = (
            receipt_by_query.get(question.content)
            if receipt_id is None
            else receipt_by_id.get(receipt_id) or _find_receipt(store, scope, receipt_id)
        )
        if receipt is not None:
            receipts[question.id] = receipt
    return receipts


def _find_receipt(store: Store, scope: Scope, receipt_id: str) -> Receipt | None:
    try:
        return store.receipts.get(scope, receipt_id)
    except NotFound:
        # Receipts are deleted after `receipts.keep_days`.
        return None


def _serialize_recall(receipt: Receipt | None) -> JsonObject:
    if receipt is None:
        return {"receipt": None, "recalled": None}
    summary: JsonObject = {
        "memories": len(receipt.injected_items),
        "tokens": receipt.tokens,
        "budget": receipt.budget,
        "ms": round(receipt.timings.get("total_ms", 0.0), 2),
    }
    return {"receipt": receipt.id, "recalled": summary}


def _serialize_chat(memory: Memory, scope: Scope) -> JsonObject:
    [serialized] = _serialize_chats(memory, scope.user, [memory.application.store.chats.get(scope)])
    return serialized


def _serialize_chats(memory: Memory, user: str, chats: Sequence[Chat]) -> list[JsonObject]:
    store = memory.application.store
    openings = store.chats.first_lines(Scope(user), [chat.id for chat in chats if chat.title is None])
    return [
        {
            **serializers.serialize_chat(chat),
            "title": chat.title or _derive_title(openings.get(chat.id)),
            "mode": store.chats.mode(Scope(user, chat.id)),
        }
        for chat in chats
    ]


def _derive_title(opening: str | None) -> str | None:
    """Return the first whole words of a text, up to the limit."""
    words = " ".join((opening or "").split())
    if len(words) <= MAX_TITLE_CHARS:
        return words or None
    return (words[:MAX_TITLE_CHARS].rpartition(" ")[0] or words[: MAX_TITLE_CHARS - 1]) + "…"
