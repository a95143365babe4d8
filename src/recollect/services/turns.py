"""Chat turns: store the question, recall memory, stream the answer, and queue both messages for extraction."""

from collections.abc import Collection, Generator, Iterator, Mapping, Sequence
from dataclasses import dataclass

from recollect.context.extractive_answer import quote_memories
from recollect.domain.candidate import PassageKey
from recollect.domain.chat_turn import AnswerDelta, AnswerFinished, ContextReady, TurnEvent
from recollect.domain.message import CHAT_ROLES, Message, MessageDraft, Role
from recollect.domain.outcomes import IngestResult
from recollect.domain.policy import Policy
from recollect.domain.reason import Reason, ReasonCode
from recollect.domain.recall import ContextBlockRequest
from recollect.domain.receipt import Receipt
from recollect.domain.scope import Scope
from recollect.errors import InvalidInput, StoreError
from recollect.ports.chat_model import ChatModel, ModelMessage
from recollect.ports.clock import Clock
from recollect.ports.store import NO_LIMIT, Store
from recollect.services.chats import ChatService
from recollect.services.ingest import IngestService
from recollect.services.recall import RecallService
from recollect.services.spending import MeteredModel

#: Maximum length of an answer.
MAX_ANSWER_TOKENS = 2048
#: Maximum tokens of history in the prompt. Old messages are dropped half of this at a time, so that the prompt keeps
#: the same prefix for many turns and provider caches hit.
MAX_HISTORY_TOKENS = 24_000
#: The history is sent as messages, so the block does not repeat it.
CHAT_POLICY_OVERRIDES = {"context.recent_messages": 0, "context.summary_min_importance": 100}
WITHOUT_SESSION_SUMMARY = {"summaries.working_every_exchanges": 0}
#: Deadline of recall if the settings have none: the model takes longer anyway.
DEFAULT_CHAT_DEADLINE_MS = 2_000
ALREADY_STORED_REASON = Reason(ReasonCode.ALREADY_STORED)


@dataclass(frozen=True, slots=True, kw_only=True)
class ChatHistory:
    """A conversation as it was sent to the model, with the ids of its messages and injected passages."""

    messages: tuple[ModelMessage, ...] = ()
    message_ids: frozenset[str] = frozenset()
    shown_keys: frozenset[PassageKey] = frozenset()  #: passages in the memory blocks of the history
    is_cut: bool = False  #: whether older messages were left out


@dataclass(frozen=True, slots=True, kw_only=True)
class InjectedPassages:
    """The memory block that was injected after a message."""

    text: str
    passage_keys: frozenset[PassageKey]


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnService:
    store: Store
    clock: Clock
    ingest: IngestService
    recall: RecallService
    chats: ChatService

    def history(self, scope: Scope, *, before: str | None = None) -> ChatHistory:
        """
        Return the messages of a chat, or those before one message, with the memory blocks that were sent with them.

        If the store cannot be read, the history is empty.
        """
        try:
            messages = self.store.messages.list(scope, limit=NO_LIMIT, before=before)
            texts, shown = self.store.injections.texts(scope), self.store.injections.passage_keys(scope)
        except StoreError:
            return ChatHistory()
        spoken = [message for message in messages if message.role in CHAT_ROLES and message.content]
        recent = _recent_messages(spoken)
        return ChatHistory(
            messages=tuple(
                ModelMessage(role=m.role, content=_with_block(m.content, texts.get(m.id, ""))) for m in recent
            ),
            message_ids=frozenset(message.id for message in recent),
            shown_keys=frozenset(key for message in recent for key in shown.get(message.id, ())),
            is_cut=len(recent) < len(spoken),
        )

    def metered(self, model: ChatModel, scope: Scope, policy: Policy) -> MeteredModel:
        """Return the model with the caps of the user and the chat."""
        return MeteredModel.for_chat(model, self.store.token_usage, policy, scope, self.clock)

    def injected_blocks(self, scope: Scope) -> Mapping[str, InjectedPassages]:
        """Return the blocks injected after messages of a chat, by message id."""
        texts, shown = self.store.injections.texts(scope), self.store.injections.passage_keys(scope)
        return {
            message_id: InjectedPassages(text=text, passage_keys=shown.get(message_id, frozenset()))
            for message_id, text in texts.items()
        }

    def save_injected_block(
        self,
        scope: Scope,
        message_id: str,
        text: str,
        *,
        passage_keys: Collection[PassageKey],
        receipt_id: str | None,
    ) -> None:
        """Store the block injected after a message, or raise NotFound."""
        self.store.injections.put(scope, message_id, text, passage_keys=passage_keys, receipt_id=receipt_id)

    def stream_turn(
        self,
        scope: Scope,
        text: str,
        policy: Policy,
        *,
        model: ChatModel | None,
        history: ChatHistory | Sequence[ModelMessage] = (),
        system: str = "",
        client_id: str | None = None,
    ) -> Generator[TurnEvent, None, None]:
        """
        Answer in a chat. `history` are the earlier turns as they were sent. The memory block of this turn follows the
        user's text, so that the prompt prefix stays unchanged.

        Without a model the answer quotes memories and is not stored. If the stream breaks off, the partial answer is
        stored. A failing store never stops the answer. A question with a known `client_id` gets its stored answer.
        """
        before = history if isinstance(history, ChatHistory) else ChatHistory(messages=tuple(history))
        receipt, shown_keys = self._recall_for_turn(scope, text, policy, before if model else ChatHistory())
        draft = MessageDraft(role=Role.USER, content=text, client_id=client_id)
        query_result = self._store_draft(scope, draft, policy)
        known_answer = (
            self._find_answer(query_result) if query_result.is_stored and not query_result.is_new else None
        )
        if known_answer is not None:
            yield from self._replay_answer(query_result, receipt, known_answer)
            return
        self._save_injection(scope, query_result, receipt, shown_keys)
        prompt = _with_block(text, receipt.text)
        yield ContextReady(ingest_result=query_result, receipt=receipt, prompt=prompt)
        yield from self._stream_answer(
            scope, text, _prompt_messages(system, before.messages, prompt), receipt, policy, model, None
        )

    def regenerate_answer(
        self, scope: Scope, policy: Policy, *, model: ChatModel | None, system: str = ""
    ) -> Generator[TurnEvent, None, None]:
        """Answer the last question of a chat again, replacing its current answer if there is one."""
        messages = [m for m in self.store.messages.list(scope, limit=NO_LIMIT) if m.role in CHAT_ROLES]
        place = next((i for i in reversed(range(len(messages))) if messages[i].role is Role.USER), None)
        if place is None:
            raise InvalidInput(f"Chat {scope.chat!r} has no question to answer. Send a message first.")
        question, after = messages[place], messages[place + 1 :]
        before = self.history(scope, before=question.id)
        current_ids = frozenset(message.id for message in (question, *after))
        visible = (
            ChatHistory(message_ids=before.message_ids | current_ids, shown_keys=before.shown_keys)
            if model
            else ChatHistory(message_ids=current_ids)
        )
        receipt, shown_keys = self._recall_for_turn(scope, question.content, policy, visible)
        query_result = IngestResult(
            message=question, is_new=False, is_queued=False, reason=ALREADY_STORED_REASON
        )
        self._save_injection(scope, query_result, receipt, shown_keys)
        prompt = _with_block(question.content, receipt.text)
        yield ContextReady(ingest_result=query_result, receipt=receipt, prompt=prompt)
        prompt_messages, previous_answer = (
            _prompt_messages(system, before.messages, prompt),
            after[-1] if after else None,
        )
        yield from self._stream_answer(
            scope, question.content, prompt_messages, receipt, policy, model, previous_answer
        )

    def _stream_answer(
        self,
        scope: Scope,
        query: str,
        prompt_messages: Sequence[ModelMessage],
        receipt: Receipt,
        policy: Policy,
        model: ChatModel | None,
        previous_answer: Message | None,
    ) -> Generator[TurnEvent, None, None]:
        pieces: list[str] = []
        try:
            for piece in self._generate_answer(scope, query, prompt_messages, receipt, policy, model):
                pieces.append(piece)
                yield AnswerDelta(text=piece)
        finally:
            text = "".join(pieces)
            has_answer = model is not None and text.strip()
            answer = self._store_answer(scope, text, policy, previous_answer) if has_answer else None
        yield AnswerFinished(ingest_result=answer, text=text)

    def _store_answer(
        self, scope: Scope, text: str, policy: Policy, previous_answer: Message | None
    ) -> IngestResult:
        draft = MessageDraft(role=Role.ASSISTANT, content=text)
        if previous_answer is None or not policy.collects:
            return self._store_draft(scope, draft, policy)
        try:
            return self.chats.edit_message(scope, previous_answer.id, text, policy)
        except StoreError as error:
            return self._unstored_result(scope, draft, policy, error)

    def _store_draft(self, scope: Scope, draft: MessageDraft, policy: Policy) -> IngestResult:
        try:
            [result] = self.ingest.add_messages(scope, [draft], policy)
        except StoreError as error:
            return self._unstored_result(scope, draft, policy, error)
        return result

    def _unstored_result(
        self, scope: Scope, draft: MessageDraft, policy: Policy, error: StoreError
    ) -> IngestResult:
        return IngestResult(
            message=self.ingest.prepare(scope, draft, policy).message,
            is_new=False,
            is_queued=False,
            is_stored=False,
            reason=Reason(ReasonCode.NOT_STORED, {"detail": str(error)}),
        )

    def _recall_for_turn(
        self, scope: Scope, text: str, policy: Policy, history: ChatHistory
    ) -> tuple[Receipt, frozenset[PassageKey]]:
        chat_policy = policy.with_values(CHAT_POLICY_OVERRIDES)
        if not history.is_cut:
            # The model gets the whole conversation: a summary of it would repeat it in every turn.
            chat_policy = chat_policy.with_values(WITHOUT_SESSION_SUMMARY)
        result = self.recall.context(
            ContextBlockRequest(
                scope=scope,
                query=text,
                policy=chat_policy,
                deadline_ms=policy.recall.deadline_ms or DEFAULT_CHAT_DEADLINE_MS,
                visible_ids=history.message_ids,
                already_shown=history.shown_keys,
            )
        )
        return result.receipt, result.shown_keys

    def _save_injection(
        self, scope: Scope, query_result: IngestResult, receipt: Receipt, shown_keys: frozenset[PassageKey]
    ) -> None:
        if not query_result.is_stored or not receipt.text:
            return
        try:
            self.store.injections.put(
                scope, query_result.message.id, receipt.text, passage_keys=shown_keys, receipt_id=receipt.id
            )
        except StoreError:
            # The next turn then sends this one without its block: the prompt cache misses, but the answer is right.
            return

    def _find_answer(self, query_result: IngestResult) -> Message | None:
        """Return the stored answer to a question that was sent before."""
        question = query_result.message
        messages = self.store.messages.list(Scope(question.user, question.chat), limit=NO_LIMIT)
        spoken_messages = [message for message in messages if message.role in CHAT_ROLES]
        places = [place for place, message in enumerate(spoken_messages) if message.id == question.id]
        answers = spoken_messages[places[0] + 1 : places[0] + 2] if places else []
        return next((message for message in answers if message.role is Role.ASSISTANT), None)

    def _replay_answer(
        self, query_result: IngestResult, receipt: Receipt, answer: Message
    ) -> Iterator[TurnEvent]:
        yield ContextReady(ingest_result=query_result, receipt=receipt, prompt=query_result.message.content)
        yield AnswerDelta(text=answer.content)
        answer_result = IngestResult(
            message=answer, is_new=False, is_queued=False, reason=ALREADY_STORED_REASON
        )
        yield AnswerFinished(ingest_result=answer_result, text=answer.content)

    def _generate_answer(
        self,
        scope: Scope,
        query: str,
        prompt_messages: Sequence[ModelMessage],
        receipt: Receipt,
        policy: Policy,
        model: ChatModel | None,
    ) -> Iterator[str]:
        if model is None:
            yield quote_memories(query, receipt.injected_items)
            return
        metered = self.metered(model, scope, policy)
        yield from metered.stream(prompt_messages, max_tokens=MAX_ANSWER_TOKENS)


def _prompt_messages(system: str, history: Sequence[ModelMessage], prompt: str) -> list[ModelMessage]:
    first = [ModelMessage(role="system", content=system)] if system else []
    return [*first, *history, ModelMessage(role="user", content=prompt)]


def _with_block(text: str, block: str) -> str:
    return f"{text}\n\n{block}" if block else text


def _recent_messages(messages: Sequence[Message]) -> Sequence[Message]:
    """Return the end of a conversation, cut at a position that stays the same for many turns."""
    total_tokens = sum(message.tokens for message in messages)
    surplus = max(total_tokens - MAX_HISTORY_TOKENS, 0)
    dropped_tokens = -(-surplus // (MAX_HISTORY_TOKENS // 2)) * (MAX_HISTORY_TOKENS // 2)
    skipped_tokens = 0
    for place, message in enumerate(messages):
        if skipped_tokens >= dropped_tokens:
            return messages[place:]
        skipped_tokens += message.tokens
    return ()
