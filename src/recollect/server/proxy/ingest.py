"""Ingests the messages of a finished exchange, each once, however often the client resends it."""

import logging
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, replace

from recollect.bootstrap import Application
from recollect.domain.message import MessageDraft
from recollect.domain.outcomes import IngestResult
from recollect.domain.policy import Policy
from recollect.errors import InvalidInput, NotFound, RecollectError
from recollect.server.proxy.conversation_cache import InjectedBlock
from recollect.server.proxy.request_view import ProxyMessage
from recollect.server.proxy.turn import ProxyTurn

log = logging.getLogger("recollect.proxy")


@dataclass(frozen=True, slots=True, kw_only=True)
class ProxyIngester:
    """Ingests in one thread, so that the turns of a conversation keep their order."""

    application: Application
    executor: ThreadPoolExecutor

    def submit(
        self, turn: ProxyTurn, answer: tuple[ProxyMessage, ...], injected_texts: frozenset[str]
    ) -> Future[None]:
        """Queue an exchange. `injected_texts` are removed from messages: a model that repeats them adds nothing."""
        return self.executor.submit(self._ingest_safely, turn, answer, injected_texts)

    def _ingest_safely(
        self, turn: ProxyTurn, answer: tuple[ProxyMessage, ...], injected_texts: frozenset[str]
    ) -> None:
        try:
            self._ingest(turn, answer, injected_texts)
        except RecollectError as error:
            # Nothing is lost: the client resends the whole conversation with its next turn.
            log.warning("exchange not ingested: %s", type(error).__name__)
        except Exception:
            log.exception("exchange not ingested")

    def _ingest(
        self, turn: ProxyTurn, answer: tuple[ProxyMessage, ...], injected_texts: frozenset[str]
    ) -> None:
        policy = turn.options.access.restrict_policy(
            self.application.policy(turn.scope.user, chat=turn.scope.chat)
        )
        if not policy.collects:
            return
        conversation, client_ids = turn.conversation, turn.client_ids_with(answer)
        conversation.message_ids.update(conversation.match_answer(turn.client_ids, turn.answer_indexes))
        if turn.is_stable:
            self._delete_messages(turn, conversation.find_retracted(client_ids, len(turn.client_ids)), policy)
        own_messages = [_strip_blocks(message, injected_texts) for message in (*turn.view.messages, *answer)]
        drafts = [
            message.to_draft(name)
            for message, name in zip(own_messages, client_ids, strict=True)
            if message.has_content and name not in conversation.message_ids
        ]
        for result in self._add_messages(turn, drafts, policy):
            if result.message.client_id:
                conversation.message_ids[result.message.client_id] = result.message.id
        conversation.last_exchange, conversation.answer_client_ids = (
            client_ids,
            frozenset(client_ids[len(turn.client_ids) :]),
        )
        self._save_injections(turn)
        self.application.worker.wake()

    def _add_messages(
        self, turn: ProxyTurn, drafts: list[MessageDraft], policy: Policy
    ) -> list[IngestResult]:
        services = self.application.services
        try:
            return services.ingest.add_messages(turn.scope, drafts, policy) if drafts else []
        except InvalidInput:
            if len(drafts) == 1:
                return []
            # One invalid message must not prevent storing the others.
            return [each for draft in drafts for each in self._add_messages(turn, [draft], policy)]

    def _save_injections(self, turn: ProxyTurn) -> None:
        conversation, turns = turn.conversation, self.application.services.turns
        for name in turn.client_ids:
            block = conversation.pending_blocks.get(name)
            message_id = conversation.message_ids.get(name)
            if block is None or message_id is None:
                continue
            try:
                turns.save_injected_block(
                    turn.scope,
                    message_id,
                    block.text,
                    passage_keys=block.shown_keys,
                    receipt_id=block.receipt_id,
                )
            except NotFound:
                log.info("injected block not stored: its message was deleted")
            conversation.pending_blocks.pop(name, None)

    def _delete_messages(self, turn: ProxyTurn, message_ids: list[str], policy: Policy) -> None:
        for message_id in message_ids:
            try:
                self.application.services.chats.delete_message(turn.scope, message_id, policy)
            except NotFound:
                log.info("retracted message was already deleted")
            for name in [
                name for name, stored in dict(turn.conversation.message_ids).items() if stored == message_id
            ]:
                del turn.conversation.message_ids[name]


def _strip_blocks(message: ProxyMessage, injected_texts: frozenset[str]) -> ProxyMessage:
    text = message.text
    for block in injected_texts:
        text = text.replace(block, "")
    return message if text == message.text else replace(message, text=text.strip())


def record_injection(turn: ProxyTurn, block: InjectedBlock | None) -> None:
    """Cache the injected block until its message is stored."""
    conversation, index = turn.conversation, turn.view.query_index
    if index is not None and block is not None:
        conversation.pending_blocks[turn.client_ids[index]] = block
    shown_keys = block.shown_keys if block else frozenset()
    conversation.provider_shown_keys = (
        conversation.provider_shown_keys | shown_keys if turn.view.is_continuation else shown_keys
    )
