"""The chat: a question comes in, what is remembered is recalled, the answer streams, and both are learned from."""

import asyncio
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from contextlib import aclosing
from typing import Annotated, Any, TypeAlias

from fastapi import Depends, Request, Response
from starlette.concurrency import run_in_threadpool
from starlette.responses import StreamingResponse

from recollect.bootstrap import MODE
from recollect.context.prompt_templates import system_prompt
from recollect.domain.chat_turn import Answered, Delta, Happening, Recalled
from recollect.domain.policy import Policy
from recollect.domain.scope import Scope
from recollect.errors import InvalidInput, RecollectError
from recollect.library.memory import Memory
from recollect.ports.chat_model import ChatModel, Turn
from recollect.serialization import serializers
from recollect.serialization.serializers import Json, Shape
from recollect.server import requests
from recollect.server.dependencies import MemoryDoor, UserId
from recollect.server.json_response import answer
from recollect.server.problems import as_problem
from recollect.server.responses import reports, resources
from recollect.server.rest.routing import OnceOnly, subject
from recollect.server.streams import STILL_HERE, Brake, Braked, Conversations, Flow, event
from recollect.services.chat import Past

router = subject("chat")
#: Seconds between looks at whether what was said is learned from; after the last one the client asks for itself.
LOOKS = (0.05, 0.1, 0.2, 0.4, 0.8, 1.6, 3.2, 3.2)
STREAM_HEADERS = {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}
EVENTS = """\
With `stream` (the default) the answer is a stream of server-sent events, each with a JSON object:

- `recalled`: `asked` (your message as it was stored), `receipt` (what was recalled and why), `model`
- `delta`: `text`, a piece of the answer
- `done`: `answer` (as it was stored), the whole `text`, and whether it was `stopped`
- `learned`: `results`, memories that rest on this turn, and `pending` if not all of it is learned from yet
- `error`: a problem; what came before it is kept
"""
STREAMED: dict[int | str, dict[str, Any]] = {
    200: {
        "description": "A stream of events, or with `stream: false` one object.",
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


async def _conversations(request: Request) -> Conversations:
    conversations: Conversations = request.app.state.conversations
    return conversations


Running: TypeAlias = Annotated[Conversations, Depends(_conversations)]
Asking: TypeAlias = Callable[[ChatModel | None], Iterator[Happening]]


@router.post(
    "/chats/{chat_id}/messages",
    response_model=resources.Turn,
    responses=STREAMED,
    description=f"Say something in a chat, and be answered.\n\n{EVENTS}",
    dependencies=[OnceOnly],
)
async def say(
    request: Request, memory: MemoryDoor, user: UserId, running: Running, chat_id: str, body: requests.Said
) -> Response:
    scope, runtime = Scope(user, chat_id), memory.runtime
    wishes = {**(body.settings or {}), **({MODE: body.mode} if body.mode else {})}
    policy = await run_in_threadpool(runtime.policy, user, wishes, chat=chat_id)
    name = body.id or request.headers.get("idempotency-key")
    told = [Turn(role=turn.role, content=turn.content) for turn in body.past or ()]

    def ask(model: ChatModel | None) -> Iterator[Happening]:
        past = runtime.engine.past(scope) if policy.listens else Past(turns=tuple(told))
        system = _system(memory, policy, body.system)
        return runtime.engine.converse(
            scope, body.content, policy, model=model, past=past, system=system, client_id=name
        )

    return await _answered(memory, scope, running, ask, stream=body.stream)


@router.post(
    "/chats/{chat_id}/messages/regenerate",
    response_model=resources.Turn,
    responses=STREAMED,
    description=f"Answer the last question anew; the answer it had goes, and what was learned from it.\n\n{EVENTS}",
)
async def regenerate(
    memory: MemoryDoor, user: UserId, running: Running, chat_id: str, body: requests.Again | None = None
) -> Response:
    wanted = body or requests.Again()
    scope, runtime = Scope(user, chat_id), memory.runtime
    wishes = {**(wanted.settings or {}), **({MODE: wanted.mode} if wanted.mode else {})}
    await run_in_threadpool(runtime.store.chats.get, scope)
    policy = await run_in_threadpool(runtime.policy, user, wishes, chat=chat_id)

    def ask(model: ChatModel | None) -> Iterator[Happening]:
        system = _system(memory, policy, wanted.system)
        return runtime.engine.answer_again(scope, policy, model=model, system=system)

    return await _answered(memory, scope, running, ask, stream=wanted.stream)


@router.post("/chats/{chat_id}/stop", response_model=resources.Stopped)
async def stop(user: UserId, running: Running, chat_id: str) -> Response:
    """Stop the answer that is being given in a chat; what came of it is kept."""
    return answer({"stopped": running.stop(user, Scope(user, chat_id).chat or "")})


@router.post("/api/llm", response_model=reports.LlmAnswer, dependencies=[OnceOnly])
async def llm(memory: MemoryDoor, user: UserId, running: Running, body: requests.LlmCall) -> Response:
    """One question with its conversation, one answer. The conversation is remembered under its id."""
    runtime = memory.runtime
    *earlier, last = body.messages
    if last.role != "user":
        raise InvalidInput("The last message is the question, so it is the user's.")
    scope = Scope(user, body.conversationId or runtime.engine.ids.new())
    policy = await run_in_threadpool(runtime.policy, user, chat=scope.chat)
    told = Past(turns=tuple(Turn(role=turn.role, content=turn.content) for turn in earlier))

    def ask(model: ChatModel | None) -> Iterator[Happening]:
        kept = runtime.engine.past(scope) if policy.listens else Past()
        past = kept if kept.turns else told
        system = _system(memory, policy, body.system)
        return runtime.engine.converse(scope, last.content, policy, model=model, past=past, system=system)

    turn = await _whole(memory, scope, running, ask)
    receipt = turn["receipt"]
    shown: Shape = {
        "role": "assistant",
        "content": turn["text"],
        "conversationId": scope.chat,
        "receipt": receipt["id"] if isinstance(receipt, dict) else None,
        "model": turn["model"],
    }
    return answer(shown)


def _system(memory: Memory, policy: Policy, given_system: str | None) -> str:
    return (
        system_prompt(policy.assemble.locale, memory.runtime.prompts)
        if given_system is None
        else given_system
    )


async def _answered(
    memory: Memory, scope: Scope, running: Conversations, ask: Asking, *, stream: bool
) -> Response:
    if not stream:
        return answer(await _whole(memory, scope, running, ask))
    model = memory.runtime.chat_model
    brake = running.begin(scope.user, scope.chat or "")
    flow = Flow(lambda: ask(Braked(model, brake) if model else None), brake)
    flow.start()
    try:
        # What is wrong with the question is known before the first byte.
        first = await flow.next()
    except BaseException:
        running.end(scope.user, scope.chat or "", brake)
        raise
    assert isinstance(first, Recalled)
    told = _told(memory, scope, first, flow, brake, running)
    return StreamingResponse(told, media_type="text/event-stream", headers=STREAM_HEADERS)


async def _told(
    memory: Memory, scope: Scope, first: Recalled, flow: Flow[Happening], brake: Brake, running: Conversations
) -> AsyncIterator[bytes]:
    answered: Answered | None = None
    try:
        yield event("recalled", _recalled(memory, first))
        async with aclosing(flow.pieces()) as pieces:
            async for piece in pieces:
                match piece:
                    case None:
                        yield STILL_HERE
                    case Delta(text=text):
                        yield event("delta", {"text": text})
                    case Answered():
                        answered = piece
                        yield event("done", {**_done(piece), "stopped": brake.pulled})
                    case Recalled():
                        pass
    except RecollectError as error:
        yield event("error", as_problem(error))
        return
    finally:
        brake.pull()
        running.end(scope.user, scope.chat or "", brake)
        memory.runtime.worker.wake()
    looks = LOOKS if running.works else LOOKS[:1]
    yield event("learned", await _learned(memory, scope, first, answered, looks))


async def _whole(memory: Memory, scope: Scope, running: Conversations, ask: Asking) -> Shape:
    model = memory.runtime.chat_model
    brake = running.begin(scope.user, scope.chat or "")
    flow = Flow(lambda: ask(Braked(model, brake) if model else None), brake)
    flow.start()
    try:
        happened = [piece async for piece in flow.pieces() if piece is not None]
    finally:
        running.end(scope.user, scope.chat or "", brake)
        memory.runtime.worker.wake()
    recalled, answered = happened[0], happened[-1]
    assert isinstance(recalled, Recalled)
    assert isinstance(answered, Answered)
    return {**_recalled(memory, recalled), **_done(answered)}


def _recalled(memory: Memory, recalled: Recalled) -> Shape:
    model = memory.runtime.chat_model
    return {
        "asked": serializers.observed(recalled.asked),
        "receipt": serializers.receipt(recalled.receipt),
        "model": model.model_id if model else None,
    }


def _done(answered: Answered) -> Shape:
    return {
        "answer": serializers.observed(answered.answer) if answered.answer else None,
        "text": answered.text,
    }


async def _learned(
    memory: Memory, scope: Scope, recalled: Recalled, answered: Answered | None, looks: Sequence[float]
) -> Shape:
    heard = [recalled.asked, *([answered.answer] if answered and answered.answer else [])]
    fresh = [each.message.id for each in heard if each.stored]
    try:
        pending = True
        for wait in looks:
            pending = await run_in_threadpool(_is_pending, memory, scope, fresh)
            if not pending:
                break
            await asyncio.sleep(wait)
        results: list[Json] = list(await run_in_threadpool(_resting_on, memory, scope, fresh))
    except RecollectError:
        return {"results": [], "pending": True}
    return {"results": results, "pending": pending}


def _is_pending(memory: Memory, scope: Scope, message_ids: list[str]) -> bool:
    said = memory.runtime.store.messages.in_order(scope, message_ids)
    return any(not message.extracted for message in said)


def _resting_on(memory: Memory, scope: Scope, message_ids: list[str]) -> list[Shape]:
    known = memory.runtime.store.memories.of_messages(scope.everything, message_ids)
    return [
        {
            **serializers.memory(each),
            "event": "ADD" if each.spans and each.spans[0].message_id in message_ids else "REINFORCE",
        }
        for each in known
    ]
