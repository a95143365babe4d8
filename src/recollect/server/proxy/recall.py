"""Recalls for a turn within a deadline, and says again what was said before at the same place."""

import asyncio
import logging
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from dataclasses import dataclass, replace
from functools import partial

from recollect.bootstrap import Runtime
from recollect.domain.candidate import Key, Source
from recollect.domain.policy import Policy, Value
from recollect.errors import RecollectError
from recollect.serialization.parsers import question
from recollect.server.deadline import Errand, waited_for
from recollect.server.proxy.conversation_cache import Injected, Thread
from recollect.server.proxy.turn import Found, Turn

log = logging.getLogger("recollect.proxy")

#: Milliseconds that recall may take where the settings do not say.
DEADLINE_MS = 150
#: Messages of a conversation that are looked up when it is met for the first time.
LOOKED_UP = 1_000
#: The conversation is sent along, so the block need not repeat it.
ALONE: Mapping[str, Value] = {
    "assemble.format": "xml",
    "assemble.notice": True,
    "assemble.buffer": 0,
    "assemble.local_floor": 100,
    "summaries.working_every": 0,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Recaller:
    runtime: Runtime
    pool: ThreadPoolExecutor

    async def __call__(self, turn: Turn) -> Found:
        """Whatever happens to memory, the turn goes on: without it if need be."""
        found, errand = Found(), Errand()
        seconds = (self.runtime.settings.resolve().policy.recall.deadline_ms or DEADLINE_MS) / 1000
        try:
            looking: asyncio.Future[None] | None = None
            async with asyncio.timeout(seconds):
                await _learned(turn.thread, seconds / 3)
                looking = self._looking(turn, found, errand)
                await asyncio.shield(looking)
        except TimeoutError:
            if not errand.give_up() and looking is not None:
                # It came at the last moment, and its receipt says that it is used.
                await looking
                return found
            # The thread may go on, so what came in time is taken out of its hands.
            return Found(again=dict(found.again), skipped="timeout", use=found.use)
        except RecollectError as error:
            log.warning("nothing was recalled: %s", type(error).__name__)
            return Found(again=dict(found.again), skipped="error", use=found.use)
        except Exception:  # the wall: a chat never fails because of memory
            log.exception("nothing was recalled")
            return Found(again=dict(found.again), skipped="error", use=found.use)
        return found

    def _looking(self, turn: Turn, found: Found, errand: Errand) -> asyncio.Future[None]:
        look = partial(copy_context().run, self._look, turn, found, errand)
        looking = asyncio.get_running_loop().run_in_executor(self.pool, look)
        # One that is no longer waited for may fail: nobody minds.
        looking.add_done_callback(lambda done: done.cancelled() or done.exception())
        return looking

    def _look(self, turn: Turn, found: Found, errand: Errand) -> None:
        with waited_for(errand):
            self._fill(turn, found)

    def _fill(self, turn: Turn, found: Found) -> None:
        policy = self.runtime.policy(turn.scope.user, chat=turn.scope.chat)
        found.use = use = turn.wish.use.within(policy)
        if not use.reads:
            found.skipped = "off"
            return
        self._load(turn)
        before = self._sent_before(turn)
        # What is asked anew is looked for anew; what was put there before makes room.
        was = before.pop(turn.asked.turn, None) if turn.asked.turn is not None else None
        found.again = before
        if turn.asked.turn is None:
            found.skipped = "nothing asked"
            return
        self._recall(turn, found, _for_a_turn(use.narrowed(policy), turn.wish.budget))
        if found.new is None and was is not None:
            found.new = Injected(text="", shown=frozenset())

    def _load(self, turn: Turn) -> None:
        thread = turn.thread
        if thread.loaded:
            return
        for message in self.runtime.store.messages.list(turn.scope, limit=LOOKED_UP):
            if message.client_id:
                thread.ids.setdefault(message.client_id, message.id)
        thread.loaded = True

    def _sent_before(self, turn: Turn) -> dict[int, Injected]:
        """What stands behind earlier messages of the user; what is stored counts, since it may have been forgotten."""
        asked, thread, store = turn.asked, turn.thread, self.runtime.store.injections
        texts, shown = store.all(turn.scope), store.shown(turn.scope)
        found: dict[int, Injected] = {}
        for place, name in enumerate(turn.names):
            if asked.said[place].slot is None:
                continue
            stored = thread.ids.get(name, "")
            if name in thread.injected:
                found[place] = thread.injected[name]
            elif stored in texts:
                found[place] = Injected(text=texts[stored], shown=shown.get(stored, frozenset()))
        return found

    def _recall(self, turn: Turn, found: Found, policy: Policy) -> None:
        place = turn.asked.turn
        assert place is not None
        visible = self._visible(turn)
        receipt, shown = self.runtime.engine.inject(
            turn.scope,
            question(turn.asked.said[place].text),
            policy,
            visible=visible,
            already=self._already(turn, found, visible),
        )
        found.receipt = receipt
        if receipt.text:
            found.new = Injected(text=receipt.text, shown=shown, receipt_id=receipt.id)

    def _visible(self, turn: Turn) -> frozenset[str]:
        ids = dict(turn.thread.ids)
        if turn.asked.is_continued:
            return frozenset(ids.values())
        return frozenset(ids[name] for name in turn.names if name in ids)

    def _already(self, turn: Turn, found: Found, visible: frozenset[str]) -> frozenset[Key]:
        """What earlier blocks show, and what was learned from the messages that are sent along."""
        learned = self.runtime.store.memories.of_messages(turn.scope.everything, list(visible))
        sent = (key for injected in found.again.values() for key in injected.shown)
        kept = turn.thread.chain if turn.asked.is_continued else ()
        return frozenset((*kept, *sent, *((Source.MEMORY, memory.id) for memory in learned)))


async def _learned(thread: Thread, seconds: float) -> None:
    """Let what was just said be stored, so that it is known to be in view; not for long, though."""
    learning = thread.learning
    if learning is not None and not learning.done():
        await asyncio.wait({asyncio.wrap_future(learning)}, timeout=seconds)


def _for_a_turn(policy: Policy, budget: int | None) -> Policy:
    alone = policy.with_values(ALONE)
    return alone if budget is None else replace(alone, assemble=replace(alone.assemble, budget=budget))
