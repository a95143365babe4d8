"""The same verbs for asyncio."""

import asyncio
from collections.abc import Callable, Coroutine, Mapping
from pathlib import Path
from types import TracebackType
from typing import Concatenate, ParamSpec, Self, TypeVar

from recollect.library.memory import Memory
from recollect.ports.chat_model import ChatModel
from recollect.ports.clock import Clock, Ids
from recollect.ports.embedder import Embedder

Arguments = ParamSpec("Arguments")
Result = TypeVar("Result")


def _in_thread(
    verb: Callable[Concatenate[Memory, Arguments], Result],
) -> Callable[Concatenate["AsyncMemory", Arguments], Coroutine[None, None, Result]]:
    async def call(self: "AsyncMemory", /, *args: Arguments.args, **kwargs: Arguments.kwargs) -> Result:
        return await asyncio.to_thread(verb, self.memory, *args, **kwargs)

    call.__doc__ = verb.__doc__
    return call


class AsyncMemory:
    """The same verbs for asyncio: each runs in a thread."""

    def __init__(
        self,
        db: str | Path | None = None,
        *,
        user_id: str | None = None,
        embedder: Embedder | None = None,
        chat_model: ChatModel | None = None,
        clock: Clock | None = None,
        ids: Ids | None = None,
        settings: Mapping[str, object] | None = None,
    ) -> None:
        self.memory = Memory(
            db,
            user_id=user_id,
            embedder=embedder,
            chat_model=chat_model,
            clock=clock,
            ids=ids,
            settings=settings,
        )

    add = _in_thread(Memory.add)
    extract_and_store = _in_thread(Memory.extract_and_store)
    messages = _in_thread(Memory.messages)
    edit_message = _in_thread(Memory.edit_message)
    regenerate = _in_thread(Memory.regenerate)
    delete_message = _in_thread(Memory.delete_message)
    delete_chat = _in_thread(Memory.delete_chat)
    branch = _in_thread(Memory.branch)
    set_mode = _in_thread(Memory.set_mode)
    search = _in_thread(Memory.search)
    context = _in_thread(Memory.context)
    build_system_message = _in_thread(Memory.build_system_message)
    why = _in_thread(Memory.why)
    why_not = _in_thread(Memory.why_not)
    feedback = _in_thread(Memory.feedback)
    opinions = _in_thread(Memory.opinions)
    labels = _in_thread(Memory.labels)
    tune = _in_thread(Memory.tune)
    undo_tuning = _in_thread(Memory.undo_tuning)
    tunings = _in_thread(Memory.tunings)
    keep_tuning = _in_thread(Memory.keep_tuning)
    get = _in_thread(Memory.get)
    get_all = _in_thread(Memory.get_all)
    update = _in_thread(Memory.update)
    delete = _in_thread(Memory.delete)
    delete_all = _in_thread(Memory.delete_all)
    history = _in_thread(Memory.history)
    inbox = _in_thread(Memory.inbox)
    archive = _in_thread(Memory.archive)
    restore = _in_thread(Memory.restore)
    pin = _in_thread(Memory.pin)
    merge = _in_thread(Memory.merge)
    undo = _in_thread(Memory.undo)
    events = _in_thread(Memory.events)
    profile = _in_thread(Memory.profile)
    set_profile = _in_thread(Memory.set_profile)
    consents = _in_thread(Memory.consents)
    consent = _in_thread(Memory.consent)
    consent_covers = _in_thread(Memory.consent_covers)
    ledger = _in_thread(Memory.ledger)
    add_context = _in_thread(Memory.add_context)
    contexts = _in_thread(Memory.contexts)
    attach_context = _in_thread(Memory.attach_context)
    detach_context = _in_thread(Memory.detach_context)
    delete_context = _in_thread(Memory.delete_context)
    summarise = _in_thread(Memory.summarise)
    summaries = _in_thread(Memory.summaries)
    metrics = _in_thread(Memory.metrics)
    insights = _in_thread(Memory.insights)
    garden = _in_thread(Memory.garden)
    forecast = _in_thread(Memory.forecast)
    erase = _in_thread(Memory.erase)
    flush = _in_thread(Memory.flush)
    examine = _in_thread(Memory.examine)
    stats = _in_thread(Memory.stats)
    backup = _in_thread(Memory.backup)
    close = _in_thread(Memory.close)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()
