"""Recalls context for a turn within a deadline, and finds the blocks of earlier turns to replay."""

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

#: Deadline if the settings have none.
DEFAULT_PROXY_DEADLINE_MS = 150
#: Messages loaded when a conversation is first used.
MAX_LOADED_MESSAGES = 1_000
#: The request contains the conversation, so the block need not repeat it.
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
        """Return what was recalled by the deadline. Errors are logged: the turn continues without memory."""
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
                # The result was ready just before the deadline, and its receipt says that it is used.
                await pending
                return turn_memory
            # The thread may still write to `turn_memory`, so the result is a copy.
            return TurnMemory(
                earlier_blocks=dict(turn_memory.earlier_blocks),
                skip_reason="timeout",
                access=turn_memory.access,
            )
        except RecollectError as error:
            log.warning("recall failed: %s", type(error).__name__)
            return TurnMemory(
                earlier_blocks=dict(turn_memory.earlier_blocks),
                skip_reason="error",
                access=turn_memory.access,
            )
        except Exception:  # a chat never fails because of memory
            log.exception("recall failed")
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
        # Retrieves the exception of an abandoned recall; otherwise asyncio logs it as never retrieved.
        pending.add_done_callback(lambda future: future.cancelled() or future.exception())
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
        # The current query is recalled again, so its earlier block is replaced.
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
        for message in self.application.services.chats.messages(turn.scope, limit=MAX_LOADED_MESSAGES):
            if message.client_id:
                conversation.message_ids.setdefault(message.client_id, message.id)
        conversation.is_loaded = True

    def _find_earlier_blocks(self, turn: ProxyTurn) -> dict[int, InjectedBlock]:
        """Return earlier blocks by message index. Stored blocks are read again: erasure may have changed them."""
        view, conversation = turn.view, turn.conversation
        injected = self.application.services.turns.injected_blocks(turn.scope)
        blocks: dict[int, InjectedBlock] = {}
        for index, client_id in enumerate(turn.client_ids):
            if view.messages[index].insertion_point is None:
                continue
            message_id = conversation.message_ids.get(client_id, "")
            if client_id in conversation.pending_blocks:
                blocks[index] = conversation.pending_blocks[client_id]
            elif message_id in injected:
                block = injected[message_id]
                blocks[index] = InjectedBlock(text=block.text, shown_keys=block.passage_keys)
        return blocks

    def _recall_for_turn(self, turn: ProxyTurn, turn_memory: TurnMemory, policy: Policy) -> None:
        index = turn.view.query_index
        assert index is not None
        visible_ids = self._visible_message_ids(turn)
        receipt, shown_keys = self.application.services.recall.build_turn_context(
            turn.scope,
            replace_surrogates(turn.view.messages[index].text),
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
        """Return passages in earlier blocks, and memories learned from messages of the request."""
        memories = self.application.services.memories.learned_from(turn.scope, list(visible_ids))
        earlier_keys = (key for block in turn_memory.earlier_blocks.values() for key in block.shown_keys)
        provider_keys = turn.conversation.provider_shown_keys if turn.view.is_continuation else ()
        return frozenset(
            (*provider_keys, *earlier_keys, *((Source.MEMORY, memory.id) for memory in memories))
        )


async def _wait_for_ingest(conversation: CachedConversation, seconds: float) -> None:
    """Wait up to `seconds` until the last exchange is stored, so that recall knows its messages."""
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
