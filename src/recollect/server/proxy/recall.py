"""Recalls context for a turn within a deadline, and finds the blocks of earlier turns to replay."""

import asyncio
import logging
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from dataclasses import dataclass, replace
from functools import partial
from time import monotonic
from typing import TypeVar

from recollect.bootstrap import Application
from recollect.domain.candidate import PassageKey, Source
from recollect.domain.policy import OptionValue, Policy
from recollect.domain.recall import ContextBlockRequest
from recollect.errors import RecollectError
from recollect.serialization.parsers import replace_surrogates
from recollect.server.proxy.conversation_cache import CachedConversation, InjectedBlock
from recollect.server.proxy.turn import ProxyTurn, TurnMemory

ResultT = TypeVar("ResultT")

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
class PreparedRecall:
    """What is known before the recall: the blocks of earlier turns, and the request unless nothing is recalled."""

    turn_memory: TurnMemory
    request: ContextBlockRequest | None = None
    replaces_block: bool = False  #: whether the query had a block before, which is not sent again


@dataclass(frozen=True, slots=True, kw_only=True)
class ProxyRecaller:
    application: Application
    executor: ThreadPoolExecutor

    async def __call__(self, turn: ProxyTurn) -> TurnMemory:
        """Return what was recalled by the deadline. Errors are logged: the turn continues without memory."""
        policy = self.application.settings.resolve().policy
        seconds = (policy.recall.deadline_ms or DEFAULT_PROXY_DEADLINE_MS) / 1000
        ends_at = monotonic() + seconds
        turn_memory = TurnMemory()
        try:
            async with asyncio.timeout(seconds):
                await _wait_for_ingest(turn.conversation, seconds / 3)
                prepared = await self._run(partial(self._prepare, turn))
            turn_memory = prepared.turn_memory
            if prepared.request is None:
                return turn_memory
            # No timeout here: recall returns by its deadline, and its receipt says what it returned.
            return await self._run(partial(self._recall, prepared, prepared.request, ends_at))
        except TimeoutError:
            return replace(turn_memory, skip_reason="timeout")
        except RecollectError as error:
            log.warning("recall failed: %s", type(error).__name__)
        except Exception:  # a chat never fails because of memory
            log.exception("recall failed")
        return replace(turn_memory, skip_reason="error")

    async def _run(self, work: Callable[[], ResultT]) -> ResultT:
        # The trace of the request is in its context.
        return await asyncio.get_running_loop().run_in_executor(self.executor, copy_context().run, work)

    def _prepare(self, turn: ProxyTurn) -> PreparedRecall:
        policy = self.application.policy(turn.scope.user, chat=turn.scope.chat)
        access = turn.options.access.limit_to(policy)
        if not access.can_read:
            return PreparedRecall(turn_memory=TurnMemory(access=access, skip_reason="off"))
        self._load_message_ids(turn)
        earlier_blocks, index = self._find_earlier_blocks(turn), turn.view.query_index
        if index is None:
            skipped = TurnMemory(access=access, skip_reason="nothing asked", earlier_blocks=earlier_blocks)
            return PreparedRecall(turn_memory=skipped)
        # The current query is recalled again, so its earlier block is replaced.
        replaced_block = earlier_blocks.pop(index, None)
        visible_ids = self._visible_message_ids(turn)
        request = ContextBlockRequest(
            scope=turn.scope,
            query=replace_surrogates(turn.view.messages[index].text),
            policy=_turn_policy(access.restrict_policy(policy), turn.options.budget),
            visible_ids=visible_ids,
            already_shown=self._already_shown(turn, earlier_blocks, visible_ids),
        )
        return PreparedRecall(
            turn_memory=TurnMemory(access=access, earlier_blocks=earlier_blocks),
            request=request,
            replaces_block=replaced_block is not None,
        )

    def _recall(self, prepared: PreparedRecall, request: ContextBlockRequest, ends_at: float) -> TurnMemory:
        remaining_ms = max(round(1000 * (ends_at - monotonic())), 1)
        result = self.application.services.recall.context(replace(request, deadline_ms=remaining_ms))
        receipt, new_block = result.receipt, None
        if receipt.text:
            new_block = InjectedBlock(text=receipt.text, shown_keys=result.shown_keys, receipt_id=receipt.id)
        elif prepared.replaces_block:
            new_block = InjectedBlock(text="", shown_keys=frozenset())
        return replace(
            prepared.turn_memory,
            receipt=receipt,
            new_block=new_block,
            skip_reason="timeout" if result.is_late and not receipt.text else None,
        )

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

    def _visible_message_ids(self, turn: ProxyTurn) -> frozenset[str]:
        ids = dict(turn.conversation.message_ids)
        if turn.view.is_continuation:
            return frozenset(ids.values())
        return frozenset(ids[name] for name in turn.client_ids if name in ids)

    def _already_shown(
        self, turn: ProxyTurn, earlier_blocks: Mapping[int, InjectedBlock], visible_ids: frozenset[str]
    ) -> frozenset[PassageKey]:
        """Return passages in earlier blocks, and memories learned from messages of the request."""
        memories = self.application.services.memories.learned_from(turn.scope, list(visible_ids))
        earlier_keys = (key for block in earlier_blocks.values() for key in block.shown_keys)
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
