"""Recall for a turn ends at its deadline: what comes later is not used, and its receipt says so."""

import os
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from contextvars import ContextVar, copy_context
from dataclasses import dataclass, fields, replace
from threading import Lock

from recollect.bootstrap import Runtime
from recollect.domain.candidate import Key
from recollect.domain.context import Block
from recollect.domain.policy import Policy
from recollect.domain.receipt import Fate, Receipt
from recollect.domain.scope import Scope
from recollect.retrieval.search_state import Recalled
from recollect.services import Engine

#: Milliseconds that recall may take in a chat where the settings do not say: a model takes longer anyway.
DEADLINE_MS = 2_000
#: Recalls at once: one for each processor, and one that takes the interpreter while the others are in the model or the
#: file. More would only take it from each other.
RECALLERS = 1 + (os.cpu_count() or 1)
TOO_LATE = "it came too late and was not injected"


class Errand:
    """A recall that somebody waits for. It comes in time, or nobody waits any more; never both."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._over = False
        self._in_time = False

    def arrive(self) -> bool:
        """Whether somebody still waits; then they get it."""
        return self._settle(in_time=True)

    def give_up(self) -> bool:
        """Whether it has not come; then it is not waited for."""
        return not self._settle(in_time=False)

    def _settle(self, *, in_time: bool) -> bool:
        with self._lock:
            if not self._over:
                self._over, self._in_time = True, in_time
            return self._in_time


_errand: ContextVar[Errand | None] = ContextVar("errand", default=None)


@contextmanager
def waited_for(errand: Errand) -> Iterator[None]:
    """What is recalled inside is for this errand, and whoever made it minds the time."""
    token = _errand.set(errand)
    try:
        yield
    finally:
        _errand.reset(token)


@dataclass(frozen=True, kw_only=True)
class HastyEngine(Engine):
    """An engine for those who cannot wait."""

    pool: ThreadPoolExecutor

    def inject(
        self,
        scope: Scope,
        question: str,
        policy: Policy,
        *,
        visible: frozenset[str] = frozenset(),
        already: frozenset[Key] = frozenset(),
    ) -> tuple[Receipt, frozenset[Key]]:
        if _errand.get() is not None or not policy.recalls:
            return super().inject(scope, question, policy, visible=visible, already=already)
        errand, begun, milliseconds = (
            Errand(),
            self.clock.monotonic(),
            policy.recall.deadline_ms or DEADLINE_MS,
        )
        with waited_for(errand):
            recalling = self.pool.submit(
                copy_context().run, self.inject, scope, question, policy, visible=visible, already=already
            )
        try:
            return recalling.result(milliseconds / 1000)
        except TimeoutError:
            if not errand.give_up():
                return recalling.result()
        why = f"recall took longer than {milliseconds} ms, so nothing was recalled"
        nothing = Block(text="", tokens=0, items=())
        receipt = self._receipt(scope, question, policy, Recalled(degraded=(why,)), nothing, begun)
        return super()._filed(receipt, policy), frozenset()

    def _filed(self, receipt: Receipt, policy: Policy) -> Receipt:
        errand = _errand.get()
        in_time = errand is None or errand.arrive()
        return super()._filed(receipt if in_time else _too_late(receipt), policy)


def _too_late(receipt: Receipt) -> Receipt:
    items = (
        replace(item, fate=Fate.LEFT_OUT, reason=TOO_LATE) if item.fate is Fate.INJECTED else item
        for item in receipt.items
    )
    return replace(
        receipt, text="", tokens=0, items=tuple(items), degraded=(*receipt.degraded, f"recall: {TOO_LATE}")
    )


def hurried(runtime: Runtime) -> tuple[Runtime, ThreadPoolExecutor]:
    """The same memory with an engine that minds the time, and the threads it recalls in."""
    pool = ThreadPoolExecutor(RECALLERS, "recollect-recall")
    parts = {field.name: getattr(runtime.engine, field.name) for field in fields(runtime.engine)}
    return replace(runtime, engine=HastyEngine(**parts, pool=pool)), pool
