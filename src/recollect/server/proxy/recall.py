"""Recalls for a turn within a deadline, and says again what was said before at the same place."""

import asyncio
import logging
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from dataclasses import dataclass, replace
from functools import partial

from recollect.bootstrap import Application
from recollect.domain.candidate import PassageKey, Source
from recollect.domain.policy import OptionValue, Policy
from recollect.errors import RecollectError
from recollect.serialization.parsers import replace_surrogates
from recollect.server.deadline import RecallDeadline, use_deadline
from recollect.server.proxy.conversation_cache import CachedConversation, InjectedBlock
from recollect.server.proxy.turn import ProxyTurn, TurnMemory

log = logging.getLogger("recollect.proxy")

#: Milliseconds that recall may take where the settings do not say.
DEFAULT_PROXY_DEADLINE_MS = 150
#: Messages of a conversation that are looked up when it is met for the first time.
MAX_LOADED_MESSAGES = 1_000
#: The conversation is sent along, so the block need not repeat it.
PROXY_POLICY_OVERRIDES: Mapping[str, OptionValue] = {
    "context.format": "xml",
    "context.notice": True,
    "context.recent_messages": 0,
    "context.summary_min_importance": 100,
    "summaries.working_every_exchanges": 0,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class ProxyRecaller:
    application: Application
    executor: ThreadPoolExecutor

    async def __call__(self, turn: ProxyTurn) -> TurnMemory:
        """Whatever happens to memory, the turn goes on: without it if need be."""
        turn_memory, deadline = TurnMemory(), RecallDeadline()
        seconds = (
            self.application.settings.resolve().policy.recall.deadline_ms or DEFAULT_PROXY_DEADLINE_MS
        ) / 1000
        try:
            pending: asyncio.Future[None] | None = None
            async with asyncio.timeout(seconds):
                await _wait_for_ingest(turn.conversation, seconds / 3)
                pending = self._start_recall(turn, turn_memory, deadline)
                await asyncio.shield(pending)
        except TimeoutError:
            if not deadline.expire() and pending is not None:
                # It came at the last moment, and its receipt says that it is used.
                await pending
                return turn_memory
            # The thread may go on, so what came in time is taken out of its hands.
            return TurnMemory(
                earlier_blocks=dict(turn_memory.earlier_blocks),
                skip_reason="timeout",
                access=turn_memory.access,
            )
        except RecollectError as error:
            log.warning("nothing was recalled: %s", type(error).__name__)
            return TurnMemory(
                earlier_blocks=dict(turn_memory.earlier_blocks),
                skip_reason="error",
                access=turn_memory.access,
            )
        except Exception:  # the wall: a chat never fails because of memory
            log.exception("nothing was recalled")
            return TurnMemory(
                earlier_blocks=dict(turn_memory.earlier_blocks),
                skip_reason="error",
                access=turn_memory.access,
            )
        return turn_memory

    def _start_recall(
        self, turn: ProxyTurn, turn_memory: TurnMemory, deadline: RecallDeadline
    ) -> asyncio.Future[None]:
        call = partial(copy_context().run, self._recall_with_deadline, turn, turn_memory, deadline)
        pending = asyncio.get_running_loop().run_in_executor(self.executor, call)
        # One that is no longer waited for may fail: nobody minds.
        pending.add_done_callback(lambda done: done.cancelled() or done.exception())
        return pending

    def _recall_with_deadline(
        self, turn: ProxyTurn, turn_memory: TurnMemory, deadline: RecallDeadline
    ) -> None:
        with use_deadline(deadline):
            self._fill_turn_memory(turn, turn_memory)

    def _fill_turn_memory(self, turn: ProxyTurn, turn_memory: TurnMemory) -> None:
        policy = self.application.policy(turn.scope.user, chat=turn.scope.chat)
        turn_memory.access = access = turn.options.access.limit_to(policy)
        if not access.can_read:
            turn_memory.skip_reason = "off"
            return
        self._load_message_ids(turn)
        earlier_blocks = self._find_earlier_blocks(turn)
        # What is asked anew is looked for anew; what was put there before makes room.
        replaced_block = (
            earlier_blocks.pop(turn.view.query_index, None) if turn.view.query_index is not None else None
        )
        turn_memory.earlier_blocks = earlier_blocks
        if turn.view.query_index is None:
            turn_memory.skip_reason = "nothing asked"
            return
        self._recall_for_turn(
            turn, turn_memory, _turn_policy(access.restrict_policy(policy), turn.options.budget)
        )
        if turn_memory.new_block is None and replaced_block is not None:
            turn_memory.new_block = InjectedBlock(text="", shown_keys=frozenset())

    def _load_message_ids(self, turn: ProxyTurn) -> None:
        conversation = turn.conversation
        if conversation.is_loaded:
            return
        for message in self.application.store.messages.list(turn.scope, limit=MAX_LOADED_MESSAGES):
            if message.client_id:
                conversation.message_ids.setdefault(message.client_id, message.id)
        conversation.is_loaded = True

    def _find_earlier_blocks(self, turn: ProxyTurn) -> dict[int, InjectedBlock]:
        """What stands behind earlier messages of the user; what is stored counts, since it may have been forgotten."""
        view, conversation, store = turn.view, turn.conversation, self.application.store.injections
        texts, shown = store.texts(turn.scope), store.passage_keys(turn.scope)
        blocks: dict[int, InjectedBlock] = {}
        for place, name in enumerate(turn.client_ids):
            if view.messages[place].insertion_point is None:
                continue
            stored = conversation.message_ids.get(name, "")
            if name in conversation.pending_blocks:
                blocks[place] = conversation.pending_blocks[name]
            elif stored in texts:
                blocks[place] = InjectedBlock(text=texts[stored], shown_keys=shown.get(stored, frozenset()))
        return blocks

    def _recall_for_turn(self, turn: ProxyTurn, turn_memory: TurnMemory, policy: Policy) -> None:
        place = turn.view.query_index
        assert place is not None
        visible_ids = self._visible_message_ids(turn)
        receipt, shown_keys = self.application.engine.build_turn_context(
            turn.scope,
            replace_surrogates(turn.view.messages[place].text),
            policy,
            visible_ids=visible_ids,
            already_shown=self._already_shown(turn, turn_memory, visible_ids),
        )
        turn_memory.receipt = receipt
        if receipt.text:
            turn_memory.new_block = InjectedBlock(
                text=receipt.text, shown_keys=shown_keys, receipt_id=receipt.id
            )

    def _visible_message_ids(self, turn: ProxyTurn) -> frozenset[str]:
        ids = dict(turn.conversation.message_ids)
        if turn.view.is_continuation:
            return frozenset(ids.values())
        return frozenset(ids[name] for name in turn.client_ids if name in ids)

    def _already_shown(
        self, turn: ProxyTurn, turn_memory: TurnMemory, visible_ids: frozenset[str]
    ) -> frozenset[PassageKey]:
        """What earlier blocks show, and what was learned from the messages that are sent along."""
        learned = self.application.store.memories.of_messages(turn.scope.user_scope, list(visible_ids))
        earlier_keys = (
            key for injected in turn_memory.earlier_blocks.values() for key in injected.shown_keys
        )
        provider_keys = turn.conversation.provider_shown_keys if turn.view.is_continuation else ()
        return frozenset((*provider_keys, *earlier_keys, *((Source.MEMORY, memory.id) for memory in learned)))


async def _wait_for_ingest(conversation: CachedConversation, seconds: float) -> None:
    """Let what was just said be stored, so that it is known to be in view; not for long, though."""
    pending = conversation.pending_ingest
    if pending is not None and not pending.done():
        await asyncio.wait({asyncio.wrap_future(pending)}, timeout=seconds)


def _turn_policy(policy: Policy, budget: int | None) -> Policy:
    turn_policy = policy.with_values(PROXY_POLICY_OVERRIDES)
    return (
        turn_policy
        if budget is None
        else replace(turn_policy, context=replace(turn_policy.context, budget=budget))
    )
