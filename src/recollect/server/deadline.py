"""Deadline of recall in chat turns: a result that is late is not used, and its receipt says so."""

import os
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from contextvars import ContextVar, copy_context
from dataclasses import dataclass, fields, replace
from threading import Lock

from recollect.bootstrap import Application
from recollect.domain.candidate import PassageKey
from recollect.domain.context import ContextBlock
from recollect.domain.policy import Policy
from recollect.domain.receipt import Disposition, Receipt
from recollect.domain.scope import Scope
from recollect.retrieval.search_state import RetrievalResult
from recollect.services.recall import RecallService

#: Deadline in chats if the settings have none: the model takes longer anyway.
DEFAULT_CHAT_DEADLINE_MS = 2_000
#: One recall per processor, and one that holds the interpreter lock while the others are in the embedder or the
#: database. More would only compete for the lock.
MAX_CONCURRENT_RECALLS = 1 + (os.cpu_count() or 1)
TOO_LATE_REASON = "ready only after the deadline, not injected"


class RecallDeadline:
    """Decides once, under a lock, whether a recall met its deadline: the first of `meet` and `expire` wins."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._is_settled = False
        self._is_met = False

    def meet(self) -> bool:
        """Report that the result is ready; return whether it will be used."""
        return self._settle(is_met=True)

    def expire(self) -> bool:
        """Report that the time is up; return whether the result was not ready."""
        return not self._settle(is_met=False)

    def _settle(self, *, is_met: bool) -> bool:
        with self._lock:
            if not self._is_settled:
                self._is_settled, self._is_met = True, is_met
            return self._is_met


_current_deadline: ContextVar[RecallDeadline | None] = ContextVar("current_deadline", default=None)


@contextmanager
def use_deadline(deadline: RecallDeadline) -> Iterator[None]:
    """Apply a deadline to recalls inside; the caller enforces the time."""
    token = _current_deadline.set(deadline)
    try:
        yield
    finally:
        _current_deadline.reset(token)


@dataclass(frozen=True, kw_only=True)
class DeadlineRecall(RecallService):
    """A recall service whose recall for chat turns returns at the deadline."""

    executor: ThreadPoolExecutor

    def build_turn_context(
        self,
        scope: Scope,
        query: str,
        policy: Policy,
        *,
        visible_ids: frozenset[str] = frozenset(),
        already_shown: frozenset[PassageKey] = frozenset(),
    ) -> tuple[Receipt, frozenset[PassageKey]]:
        if _current_deadline.get() is not None or not policy.recalls:
            return super().build_turn_context(
                scope, query, policy, visible_ids=visible_ids, already_shown=already_shown
            )
        deadline, started, milliseconds = (
            RecallDeadline(),
            self.clock.monotonic(),
            policy.recall.deadline_ms or DEFAULT_CHAT_DEADLINE_MS,
        )
        with use_deadline(deadline):
            pending = self.executor.submit(
                copy_context().run,
                self.build_turn_context,
                scope,
                query,
                policy,
                visible_ids=visible_ids,
                already_shown=already_shown,
            )
        try:
            return pending.result(milliseconds / 1000)
        except TimeoutError:
            if not deadline.expire():
                return pending.result()
        reason = f"recall took longer than {milliseconds} ms, so nothing was recalled"
        empty_block = ContextBlock(text="", tokens=0, items=())
        receipt = self._build_receipt(
            scope, query, policy, RetrievalResult(degraded=(reason,)), empty_block, started
        )
        return super()._save_receipt(receipt, policy), frozenset()

    def _save_receipt(self, receipt: Receipt, policy: Policy) -> Receipt:
        deadline = _current_deadline.get()
        is_in_time = deadline is None or deadline.meet()
        return super()._save_receipt(receipt if is_in_time else _mark_too_late(receipt), policy)


def _mark_too_late(receipt: Receipt) -> Receipt:
    items = (
        replace(item, disposition=Disposition.LEFT_OUT, reason=TOO_LATE_REASON)
        if item.disposition is Disposition.INJECTED
        else item
        for item in receipt.items
    )
    return replace(
        receipt,
        text="",
        tokens=0,
        items=tuple(items),
        degradations=(*receipt.degradations, f"recall: {TOO_LATE_REASON}"),
    )


def with_deadlines(application: Application) -> tuple[Application, ThreadPoolExecutor]:
    """Return the application with a `DeadlineRecall`, and its executor."""
    executor = ThreadPoolExecutor(MAX_CONCURRENT_RECALLS, "recollect-recall")
    services = application.services
    values = {field.name: getattr(services.recall, field.name) for field in fields(services.recall)}
    recall = DeadlineRecall(**values, executor=executor)
    services = replace(
        services,
        recall=recall,
        turns=replace(services.turns, recall=recall),
        agent_sessions=replace(services.agent_sessions, recall=recall),
    )
    return replace(application, services=services), executor
