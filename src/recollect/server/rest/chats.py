"""Chats and their messages. Edits and deletions also update the memories learned from them."""

from typing import Annotated

from fastapi import Query, Response

from recollect.domain.candidate import Source
from recollect.domain.message import ChatDetails
from recollect.domain.receipt import Receipt
from recollect.domain.scope import Scope
from recollect.errors import InvalidInput
from recollect.serialization import serializers
from recollect.serialization.serializers import JsonObject
from recollect.server import requests
from recollect.server.dependencies import MemoryDep, UserId
from recollect.server.json_response import json_response
from recollect.server.responses import resources
from recollect.server.rest.routing import IdempotencyKey, Limit, create_router

router = create_router("chats", "/chats")


@router.get("", response_model=resources.ChatListResponse)
def list_chats(memory: MemoryDep, user: UserId, limit: Limit = 100) -> Response:
    """List the user's chats, most recently used first."""
    chats = memory.application.services.chats.list(Scope(user), limit=limit)
    return json_response(serializers.wrap_results(map(_serialize_chat, chats)))


@router.get("/{chat_id}", response_model=resources.ChatResponse)
def get_chat(memory: MemoryDep, user: UserId, chat_id: str) -> Response:
    """Get a chat: its title, number of messages and memory mode."""
    return json_response(_serialize_chat(memory.application.services.chats.get(Scope(user, chat_id))))


@router.patch("/{chat_id}", response_model=resources.ChatResponse)
def update_chat(memory: MemoryDep, user: UserId, chat_id: str, body: requests.UpdateChatRequest) -> Response:
    """
    Set the title or the memory mode of a chat.

    The mode can be set before the first message; null resets it to the user's setting.
    """
    if not body.model_fields_set:
        raise InvalidInput("Nothing to change. Send title, mode, or both.")
    chats, scope = memory.application.services.chats, Scope(user, chat_id)
    if "mode" in body.model_fields_set:
        chats.set_mode(scope, body.mode)
    if body.title is not None:
        chats.rename(scope, body.title)
    return json_response(_serialize_chat(chats.get(scope)))


@router.delete("/{chat_id}", response_model=resources.MemoryListResponse)
def delete_chat(memory: MemoryDep, user: UserId, chat_id: str) -> Response:
    """Delete a chat and return the memories that had no other source; they are deleted too."""
    forgotten = memory.chats.delete(chat_id, user_id=user)
    return json_response(serializers.wrap_results(map(serializers.serialize_memory, forgotten)))


@router.get("/{chat_id}/messages", response_model=resources.MessageListResponse)
def list_messages(
    memory: MemoryDep,
    user: UserId,
    chat_id: str,
    limit: Limit = 100,
    before: Annotated[str | None, Query(description="Only messages before this message id.")] = None,
) -> Response:
    """List the last messages of a chat, or those before a message, oldest first."""
    scope, services = Scope(user, chat_id), memory.application.services
    services.chats.get(scope)
    messages = services.chats.messages(scope, limit=limit, before=before)
    receipts = services.receipts.of_messages(scope, messages)
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
    memory.application.services.chats.get_message(Scope(user, chat_id), message_id)
    edited = memory.chats.edit(message_id, body.content, user_id=user)
    return json_response(serializers.serialize_ingest_result(edited))


@router.delete("/{chat_id}/messages/{message_id}", response_model=resources.MemoryListResponse)
def delete_message(memory: MemoryDep, user: UserId, chat_id: str, message_id: str) -> Response:
    """Delete a message and return the memories that had no other source; they are deleted too."""
    memory.application.services.chats.get_message(Scope(user, chat_id), message_id)
    forgotten = memory.chats.delete_message(message_id, user_id=user)
    return json_response(serializers.wrap_results(map(serializers.serialize_memory, forgotten)))


@router.post(
    "/{chat_id}/branch", response_model=resources.ChatResponse, status_code=201, dependencies=[IdempotencyKey]
)
def branch_chat(memory: MemoryDep, user: UserId, chat_id: str, body: requests.BranchChatRequest) -> Response:
    """Create a new chat with all messages up to and including a message."""
    memory.application.services.chats.get_message(Scope(user, chat_id), body.message_id)
    memory.chats.branch(body.message_id, body.chat_id, user_id=user)
    created = memory.application.services.chats.get(Scope(user, body.chat_id))
    return json_response(_serialize_chat(created), 201)


@router.post("/{chat_id}/listen", response_model=resources.AddMessagesResponse, dependencies=[IdempotencyKey])
def add_messages(
    memory: MemoryDep, user: UserId, chat_id: str, body: requests.AddMessagesRequest
) -> Response:
    """Ingest messages of a conversation held elsewhere; no answer is generated."""
    results = memory.add(
        body.messages,
        user_id=user,
        chat_id=chat_id,
        metadata=body.metadata,
        sync=body.sync,
        mode=body.mode,
        settings=body.settings,
    )
    return json_response(serializers.serialize_add_result(results))


def _serialize_recall(receipt: Receipt | None) -> JsonObject:
    if receipt is None:
        return {"receipt": None, "recalled": None}
    message_count = sum(item.source in {Source.MESSAGE, Source.CHUNK} for item in receipt.injected_items)
    summary: JsonObject = {
        "memories": len(receipt.injected_items) - message_count,
        "messages": message_count,
        "tokens": receipt.tokens,
        "budget": receipt.budget,
        "ms": round(receipt.timings.get("total_ms", 0.0), 2),
    }
    return {"receipt": receipt.id, "recalled": summary}


def _serialize_chat(value: ChatDetails) -> JsonObject:
    return {**serializers.serialize_chat(value.chat), "title": value.title, "mode": value.mode}
