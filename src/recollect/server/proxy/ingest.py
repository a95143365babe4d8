"""Learns from an exchange once it is over: each message once, however often a client sends it again."""

import logging
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, replace

from recollect.bootstrap import Runtime
from recollect.domain.message import Draft
from recollect.domain.outcomes import Observed
from recollect.domain.policy import Policy
from recollect.errors import InvalidInput, NotFound, RecollectError
from recollect.server.proxy.conversation_cache import Injected
from recollect.server.proxy.request_view import Said
from recollect.server.proxy.turn import Turn

log = logging.getLogger("recollect.proxy")


@dataclass(frozen=True, slots=True, kw_only=True)
class Learner:
    """One thread, so that the turns of a conversation are learned in their order."""

    runtime: Runtime
    pool: ThreadPoolExecutor

    def later(self, turn: Turn, answer: tuple[Said, ...], shown: frozenset[str]) -> Future[None]:
        """`shown` are the memory blocks that the model saw: a model that says them again says nothing new."""
        return self.pool.submit(self._safely, turn, answer, shown)

    def _safely(self, turn: Turn, answer: tuple[Said, ...], shown: frozenset[str]) -> None:
        try:
            self._learn(turn, answer, shown)
        except RecollectError as error:
            # Nothing is lost for good: the client sends the whole conversation again with its next turn.
            log.warning("an exchange was not learned: %s", type(error).__name__)
        except Exception:
            log.exception("an exchange was not learned")

    def _learn(self, turn: Turn, answer: tuple[Said, ...], shown: frozenset[str]) -> None:
        policy = turn.wish.use.narrowed(self.runtime.policy(turn.scope.user, chat=turn.scope.chat))
        if not policy.listens:
            return
        thread, names = turn.thread, turn.named(answer)
        thread.ids.update(thread.same_answer(turn.names, turn.answers))
        if turn.firm:
            self._take_back(turn, thread.abandoned(names, len(turn.names)), policy)
        spoken = [_own_words(said, shown) for said in (*turn.asked.said, *answer)]
        drafts = [
            said.draft(name)
            for said, name in zip(spoken, names, strict=True)
            if said.is_worth_keeping and name not in thread.ids
        ]
        for observed in self._observed(turn, drafts, policy):
            if observed.message.client_id:
                thread.ids[observed.message.client_id] = observed.message.id
        thread.last, thread.answered = names, frozenset(names[len(turn.names) :])
        self._keep_injected(turn)
        self.runtime.worker.wake()

    def _observed(self, turn: Turn, drafts: list[Draft], policy: Policy) -> list[Observed]:
        engine = self.runtime.engine
        try:
            return engine.observe(turn.scope, drafts, policy) if drafts else []
        except InvalidInput:
            if len(drafts) == 1:
                return []
            # One that cannot be stored must not keep the others out.
            return [each for draft in drafts for each in self._observed(turn, [draft], policy)]

    def _keep_injected(self, turn: Turn) -> None:
        thread, store = turn.thread, self.runtime.store.injections
        for name in turn.names:
            injected = thread.injected.get(name)
            stored = thread.ids.get(name)
            if injected is None or stored is None:
                continue
            try:
                store.put(
                    turn.scope, stored, injected.text, shown=injected.shown, receipt_id=injected.receipt_id
                )
            except NotFound:
                log.info("a message was deleted before what was put behind it was kept")
            thread.injected.pop(name, None)

    def _take_back(self, turn: Turn, message_ids: list[str], policy: Policy) -> None:
        for message_id in message_ids:
            try:
                self.runtime.engine.delete_message(turn.scope, message_id, policy)
            except NotFound:
                log.info("a message that was taken back was deleted already")
            for name in [name for name, stored in dict(turn.thread.ids).items() if stored == message_id]:
                del turn.thread.ids[name]


def _own_words(said: Said, shown: frozenset[str]) -> Said:
    text = said.text
    for block in shown:
        text = text.replace(block, "")
    return said if text == said.text else replace(said, text=text.strip())


def noted(turn: Turn, injected: Injected | None) -> None:
    """Remember what is being sent, before it is stored."""
    thread, place = turn.thread, turn.asked.turn
    if place is not None and injected is not None:
        thread.injected[turn.names[place]] = injected
    shown = injected.shown if injected else frozenset()
    thread.chain = thread.chain | shown if turn.asked.is_continued else shown
