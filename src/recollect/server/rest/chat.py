"""Chat turns: recall context, stream the model's answer, and ingest both messages."""

import asyncio
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from contextlib import aclosing
from typing import Annotated, Any, TypeAlias

from fastapi import Depends, Request, Response
from starlette.concurrency import run_in_threadpool
from starlette.responses import StreamingResponse

from recollect.bootstrap import MODE_SETTING
from recollect.context.prompt_templates import load_system_prompt
from recollect.domain.chat_turn import AnswerDelta, AnswerFinished, ContextReady, TurnEvent
from recollect.domain.policy import Policy
from recollect.domain.scope import Scope
from recollect.errors import InvalidInput, RecollectError
from recollect.library.memory import Memory
from recollect.ports.chat_model import ChatModel, ModelMessage
from recollect.serialization import serializers
from recollect.serialization.serializers import JsonObject, JsonValue
from recollect.server import requests
from recollect.server.dependencies import MemoryDep, UserId
from recollect.server.json_response import json_response
from recollect.server.problems import serialize_problem
from recollect.server.responses import reports, resources
from recollect.server.rest.routing import IdempotencyKey, create_router
from recollect.server.streams import (
    HEARTBEAT,
    ActiveAnswers,
    CancellableModel,
    CancelToken,
    ThreadStream,
    format_event,
)
from recollect.services.turns import ChatHistory

router = create_router("chat")
#: Waits between checks whether extraction has finished; after the last one the `learned` event says `pending`.
LEARNING_POLL_SECONDS = (0.05, 0.1, 0.2, 0.4, 0.8, 1.6, 3.2, 3.2)
STREAM_HEADERS = {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}
EVENTS_DESCRIPTION = """\
With `stream` (the default) the response is a stream of server-sent events, each with a JSON object:

- `recalled`: `asked` (your message as stored), `receipt` (what was recalled and why), `model`
- `delta`: `text`, a piece of the answer
- `done`: `answer` (as stored), the whole `text`, and whether it was `stopped`
- `learned`: `results` (memories extracted from or confirmed by this turn), and `pending` if extraction has not finished
- `error`: a problem; the part of the answer sent before it is stored
"""
STREAM_RESPONSES: dict[int | str, dict[str, Any]] = {
    200: {
        "description": "A stream of events, or one object with `stream: false`.",
        "content": {
            "text/event-stream": {
                "schema": {
                    "type": "object",
                    "properties": {
                        "event": {"enum": ["recalled", "delta", "done", "learned", "error"]},
                        "data": {"type": "string", "description": "A JSON object."},
                    },
                },
                "example": 'event: delta\ndata: {"text":"Try a risotto."}\n\n',
            }
        },
    }
}


async def _get_active_answers(request: Request) -> ActiveAnswers:
    conversations: ActiveAnswers = request.app.state.conversations
    return conversations


ActiveAnswersDep: TypeAlias = Annotated[ActiveAnswers, Depends(_get_active_answers)]
AnswerSource: TypeAlias = Callable[[ChatModel | None], Iterator[TurnEvent]]


@router.post(
    "/chats/{chat_id}/messages",
    response_model=resources.ChatTurnResponse,
    responses=STREAM_RESPONSES,
    description=f"Send a message to a chat and get the model's answer.\n\n{EVENTS_DESCRIPTION}",
    dependencies=[IdempotencyKey],
)
async def send_message(
    request: Request,
    memory: MemoryDep,
    user: UserId,
    active_answers: ActiveAnswersDep,
    chat_id: str,
    body: requests.SendMessageRequest,
) -> Response:
    scope, runtime = Scope(user, chat_id), memory.application
    overrides = {**(body.settings or {}), **({MODE_SETTING: body.mode} if body.mode else {})}
    policy = await run_in_threadpool(runtime.policy, user, overrides, chat=chat_id)
    client_id = body.id or request.headers.get("idempotency-key")
    client_history = [ModelMessage(role=turn.role, content=turn.content) for turn in body.past or ()]

    def start_answer(model: ChatModel | None) -> Iterator[TurnEvent]:
        history = (
            runtime.services.turns.history(scope)
            if policy.collects
            else ChatHistory(messages=tuple(client_history))
        )
        system = _system_prompt_for(memory, policy, body.system)
        return runtime.services.turns.stream_turn(
            scope, body.content, policy, model=model, history=history, system=system, client_id=client_id
        )

    return await _respond(memory, scope, active_answers, start_answer, stream=body.stream)


@router.post(
    "/chats/{chat_id}/messages/regenerate",
    response_model=resources.ChatTurnResponse,
    responses=STREAM_RESPONSES,
    description=(
        "Generate a new answer to the last message. The old answer and what was learned from it are deleted."
        f"\n\n{EVENTS_DESCRIPTION}"
    ),
)
async def regenerate_answer(
    memory: MemoryDep,
    user: UserId,
    active_answers: ActiveAnswersDep,
    chat_id: str,
    body: requests.RegenerateRequest | None = None,
) -> Response:
    options = body or requests.RegenerateRequest()
    scope, runtime = Scope(user, chat_id), memory.application
    overrides = {**(options.settings or {}), **({MODE_SETTING: options.mode} if options.mode else {})}
    await run_in_threadpool(runtime.services.chats.get, scope)
    policy = await run_in_threadpool(runtime.policy, user, overrides, chat=chat_id)

    def start_answer(model: ChatModel | None) -> Iterator[TurnEvent]:
        system = _system_prompt_for(memory, policy, options.system)
        return runtime.services.turns.regenerate_answer(scope, policy, model=model, system=system)

    return await _respond(memory, scope, active_answers, start_answer, stream=options.stream)


@router.post("/chats/{chat_id}/stop", response_model=resources.StopAnswerResponse)
async def stop_answer(user: UserId, active_answers: ActiveAnswersDep, chat_id: str) -> Response:
    """Stop the running answer of a chat; the part generated so far is stored."""
    return json_response({"stopped": active_answers.stop(user, Scope(user, chat_id).chat or "")})


@router.post("/api/llm", response_model=reports.LlmResponse, dependencies=[IdempotencyKey])
async def complete_llm_call(
    memory: MemoryDep, user: UserId, active_answers: ActiveAnswersDep, body: requests.LlmRequest
) -> Response:
    """Answer the last message of a conversation. The conversation is stored under its id."""
    runtime = memory.application
    *earlier, last = body.messages
    if last.role != "user":
        raise InvalidInput("The last message must have the role `user`: it is the one to answer.")
    scope = Scope(user, body.conversationId or runtime.ids.new())
    policy = await run_in_threadpool(runtime.policy, user, chat=scope.chat)
    client_history = ChatHistory(
        messages=tuple(ModelMessage(role=turn.role, content=turn.content) for turn in earlier)
    )

    def start_answer(model: ChatModel | None) -> Iterator[TurnEvent]:
        stored_history = runtime.services.turns.history(scope) if policy.collects else ChatHistory()
        history = stored_history if stored_history.messages else client_history
        system = _system_prompt_for(memory, policy, body.system)
        return runtime.services.turns.stream_turn(
            scope, last.content, policy, model=model, history=history, system=system
        )

    turn = await _collect_turn(memory, scope, active_answers, start_answer)
    receipt = turn["receipt"]
    content: JsonObject = {
        "role": "assistant",
        "content": turn["text"],
        "conversationId": scope.chat,
        "receipt": receipt["id"] if isinstance(receipt, dict) else None,
        "model": turn["model"],
    }
    return json_response(content)


def _system_prompt_for(memory: Memory, policy: Policy, client_system: str | None) -> str:
    return (
        load_system_prompt(policy.context.locale, memory.application.prompts)
        if client_system is None
        else client_system
    )


async def _respond(
    memory: Memory, scope: Scope, active_answers: ActiveAnswers, start_answer: AnswerSource, *, stream: bool
) -> Response:
    if not stream:
        return json_response(await _collect_turn(memory, scope, active_answers, start_answer))
    model = memory.application.chat_model
    cancel_token = active_answers.start(scope.user, scope.chat or "")
    stream_events = ThreadStream.of_iterator(
        lambda: start_answer(CancellableModel(model, cancel_token) if model else None), cancel_token
    )
    stream_events.start()
    try:
        # Errors of the request are known before the first event, and still get their own status.
        first = await stream_events.next()
    except BaseException:
        active_answers.finish(scope.user, scope.chat or "", cancel_token)
        raise
    assert isinstance(first, ContextReady)
    body = _stream_body(memory, scope, first, stream_events, cancel_token, active_answers)
    return StreamingResponse(body, media_type="text/event-stream", headers=STREAM_HEADERS)


async def _stream_body(
    memory: Memory,
    scope: Scope,
    first: ContextReady,
    events: ThreadStream[TurnEvent],
    cancel_token: CancelToken,
    active_answers: ActiveAnswers,
) -> AsyncIterator[bytes]:
    finished: AnswerFinished | None = None
    try:
        yield format_event("recalled", _serialize_context_ready(memory, first))
        async with aclosing(events.pieces()) as pieces:
            async for piece in pieces:
                match piece:
                    case None:
                        yield HEARTBEAT
                    case AnswerDelta(text=text):
                        yield format_event("delta", {"text": text})
                    case AnswerFinished():
                        finished = piece
                        yield format_event(
                            "done", {**_serialize_answer(piece), "stopped": cancel_token.is_cancelled}
                        )
                    case ContextReady():
                        pass
    except RecollectError as error:
        yield format_event("error", serialize_problem(error))
        return
    finally:
        cancel_token.cancel()
        active_answers.finish(scope.user, scope.chat or "", cancel_token)
        memory.application.worker.wake()
    poll_seconds = LEARNING_POLL_SECONDS if active_answers.runs_worker else LEARNING_POLL_SECONDS[:1]
    yield format_event("learned", await _wait_for_learning(memory, scope, first, finished, poll_seconds))


async def _collect_turn(
    memory: Memory, scope: Scope, active_answers: ActiveAnswers, start_answer: AnswerSource
) -> JsonObject:
    model = memory.application.chat_model
    cancel_token = active_answers.start(scope.user, scope.chat or "")
    events = ThreadStream.of_iterator(
        lambda: start_answer(CancellableModel(model, cancel_token) if model else None), cancel_token
    )
    events.start()
    try:
        turn_events = [piece async for piece in events.pieces() if piece is not None]
    finally:
        active_answers.finish(scope.user, scope.chat or "", cancel_token)
        memory.application.worker.wake()
    ready, finished = turn_events[0], turn_events[-1]
    assert isinstance(ready, ContextReady)
    assert isinstance(finished, AnswerFinished)
    return {**_serialize_context_ready(memory, ready), **_serialize_answer(finished)}


def _serialize_context_ready(memory: Memory, ready: ContextReady) -> JsonObject:
    model = memory.application.chat_model
    return {
        "asked": serializers.serialize_ingest_result(ready.ingest_result),
        "receipt": serializers.serialize_receipt(ready.receipt),
        "model": model.model_id if model else None,
    }


def _serialize_answer(finished: AnswerFinished) -> JsonObject:
    return {
        "answer": serializers.serialize_ingest_result(finished.ingest_result)
        if finished.ingest_result
        else None,
        "text": finished.text,
    }


async def _wait_for_learning(
    memory: Memory,
    scope: Scope,
    ready: ContextReady,
    finished: AnswerFinished | None,
    poll_seconds: Sequence[float],
) -> JsonObject:
    stored_results = [
        ready.ingest_result,
        *([finished.ingest_result] if finished and finished.ingest_result else []),
    ]
    message_ids = [each.message.id for each in stored_results if each.is_stored]
    try:
        pending = True
        for wait in poll_seconds:
            pending = await run_in_threadpool(_is_pending, memory, scope, message_ids)
            if not pending:
                break
            await asyncio.sleep(wait)
        results: list[JsonValue] = list(await run_in_threadpool(_memories_from, memory, scope, message_ids))
    except RecollectError:
        return {"results": [], "pending": True}
    return {"results": results, "pending": pending}


def _is_pending(memory: Memory, scope: Scope, message_ids: list[str]) -> bool:
    messages = memory.application.services.chats.find_messages(scope, message_ids)
    return any(not message.extracted for message in messages)


def _memories_from(memory: Memory, scope: Scope, message_ids: list[str]) -> list[JsonObject]:
    memories = memory.application.services.memories.learned_from(scope, message_ids)
    return [
        {
            **serializers.serialize_memory(each),
            "event": "ADD" if each.spans and each.spans[0].message_id in message_ids else "REINFORCE",
        }
        for each in memories
    ]
