"""The asyncio version of `Memory`: a thin wrapper with the same methods."""

import asyncio
from collections.abc import Callable, Coroutine, Mapping
from pathlib import Path
from types import TracebackType
from typing import Concatenate, ParamSpec, Self, TypeVar

from recollect.library.memory import Memory
from recollect.ports.chat_model import ChatModel
from recollect.ports.clock import Clock, Ids
from recollect.ports.embedder import Embedder
from recollect.ports.store import Store

Arguments = ParamSpec("Arguments")
Result = TypeVar("Result")


def _run_in_thread(
    method: Callable[Concatenate[Memory, Arguments], Result],
) -> Callable[Concatenate["AsyncMemory", Arguments], Coroutine[None, None, Result]]:
    async def call(self: "AsyncMemory", /, *args: Arguments.args, **kwargs: Arguments.kwargs) -> Result:
        return await asyncio.to_thread(method, self.memory, *args, **kwargs)

    call.__doc__ = method.__doc__
    return call


class AsyncMemory:
    """`Memory` for asyncio: each method runs in a thread."""

    def __init__(
        self,
        db: str | Path | None = None,
        *,
        user_id: str | None = None,
        store: Store | None = None,
        embedder: Embedder | None = None,
        chat_model: ChatModel | None = None,
        clock: Clock | None = None,
        ids: Ids | None = None,
        settings: Mapping[str, object] | None = None,
    ) -> None:
        self.memory = Memory(
            db,
            user_id=user_id,
            store=store,
            embedder=embedder,
            chat_model=chat_model,
            clock=clock,
            ids=ids,
            settings=settings,
        )

    add = _run_in_thread(Memory.add)
    extract_and_store = _run_in_thread(Memory.extract_and_store)
    messages = _run_in_thread(Memory.messages)
    edit_message = _run_in_thread(Memory.edit_message)
    regenerate = _run_in_thread(Memory.regenerate)
    delete_message = _run_in_thread(Memory.delete_message)
    delete_chat = _run_in_thread(Memory.delete_chat)
    branch = _run_in_thread(Memory.branch)
    set_mode = _run_in_thread(Memory.set_mode)
    search = _run_in_thread(Memory.search)
    context = _run_in_thread(Memory.context)
    build_system_message = _run_in_thread(Memory.build_system_message)
    why = _run_in_thread(Memory.why)
    why_not = _run_in_thread(Memory.why_not)
    feedback = _run_in_thread(Memory.feedback)
    feedback_list = _run_in_thread(Memory.feedback_list)
    labels = _run_in_thread(Memory.labels)
    tune = _run_in_thread(Memory.tune)
    undo_tuning = _run_in_thread(Memory.undo_tuning)
    tunings = _run_in_thread(Memory.tunings)
    save_tuning = _run_in_thread(Memory.save_tuning)
    get = _run_in_thread(Memory.get)
    get_all = _run_in_thread(Memory.get_all)
    update = _run_in_thread(Memory.update)
    delete = _run_in_thread(Memory.delete)
    delete_all = _run_in_thread(Memory.delete_all)
    history = _run_in_thread(Memory.history)
    review_queue = _run_in_thread(Memory.review_queue)
    archive = _run_in_thread(Memory.archive)
    restore = _run_in_thread(Memory.restore)
    pin = _run_in_thread(Memory.pin)
    merge = _run_in_thread(Memory.merge)
    undo = _run_in_thread(Memory.undo)
    events = _run_in_thread(Memory.events)
    profile = _run_in_thread(Memory.profile)
    set_profile = _run_in_thread(Memory.set_profile)
    consents = _run_in_thread(Memory.consents)
    consent = _run_in_thread(Memory.consent)
    preview_withdrawal = _run_in_thread(Memory.preview_withdrawal)
    audit_log = _run_in_thread(Memory.audit_log)
    add_context = _run_in_thread(Memory.add_context)
    contexts = _run_in_thread(Memory.contexts)
    attach_context = _run_in_thread(Memory.attach_context)
    detach_context = _run_in_thread(Memory.detach_context)
    delete_context = _run_in_thread(Memory.delete_context)
    summarize = _run_in_thread(Memory.summarize)
    summaries = _run_in_thread(Memory.summaries)
    metrics = _run_in_thread(Memory.metrics)
    analytics = _run_in_thread(Memory.analytics)
    run_maintenance = _run_in_thread(Memory.run_maintenance)
    forecast_decay = _run_in_thread(Memory.forecast_decay)
    erase = _run_in_thread(Memory.erase)
    flush = _run_in_thread(Memory.flush)
    check = _run_in_thread(Memory.check)
    stats = _run_in_thread(Memory.stats)
    backup = _run_in_thread(Memory.backup)
    close = _run_in_thread(Memory.close)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()
