"""State of one interactive chat: runs its turns and its slash commands."""

import sys
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field

from recollect.cli import render
from recollect.cli.command import CommandContext
from recollect.cli.drain import drain_queue
from recollect.cli.output import replace_unprintable
from recollect.cli.session import CliSession
from recollect.cli.summaries import render_summaries
from recollect.domain.candidate import Source
from recollect.domain.chat_turn import AnswerDelta, AnswerFinished, ContextReady, TurnEvent
from recollect.domain.memory import Memory, MemoryStatus
from recollect.domain.message import CHAT_ROLES
from recollect.domain.policy import Policy
from recollect.domain.receipt import Receipt
from recollect.domain.scope import Scope
from recollect.errors import ConfigError, InvalidInput
from recollect.ports.chat_model import ModelMessage
from recollect.serialization import serializers
from recollect.serialization.reasons import render_reason
from recollect.serialization.serializers import JsonObject

#: Messages of the chat sent to the model as history.
MAX_HISTORY_TURNS = 40
SYSTEM_PROMPT = (
    "You are a helpful assistant. What is remembered about the user may stand behind their message; use it where it"
    " helps, without repeating it."
)
SOURCE_NOUNS: Mapping[Source, tuple[str, str]] = {
    Source.MEMORY: ("memory", "memories"),
    Source.MESSAGE: ("message", "messages"),
    Source.CHUNK: ("passage", "passages"),
    Source.SUMMARY: ("summary", "summaries"),
}


@dataclass(slots=True, kw_only=True)
class ChatSession:
    ctx: CommandContext
    session: CliSession
    chat: str
    mode: str | None = None  #: override for this session only
    history: list[ModelMessage] = field(default_factory=list)
    turns: list[JsonObject] = field(default_factory=list)  #: one JSON object per turn

    @property
    def scope(self) -> Scope:
        return self.session.scope(self.chat)

    @property
    def policy(self) -> Policy:
        return self.session.policy({"memory.mode": self.mode}, chat=self.chat)

    def load_history(self) -> None:
        """Load the stored messages of the chat as history."""
        if self.policy.memory.mode == "off":
            return
        messages = self.session.services.chats.messages(self.scope, limit=MAX_HISTORY_TURNS)
        self.history = [
            ModelMessage(role=m.role, content=m.content)
            for m in messages
            if m.role in CHAT_ROLES and m.content
        ]

    def send(self, text: str) -> None:
        """Run one turn: stream the answer, then print the memories used and learned."""
        policy = self.policy
        events = self.session.services.turns.stream_turn(
            self.scope,
            text,
            policy,
            model=self.session.model,
            history=self.history[-MAX_HISTORY_TURNS:],
            system=SYSTEM_PROMPT,
        )
        context_ready, answer_finished = print_answer(self.ctx, events)
        self.history += [
            ModelMessage(role="user", content=context_ready.prompt),
            ModelMessage(role="assistant", content=answer_finished.text),
        ]
        self.ctx.info(format_usage(context_ready.receipt, policy))
        self._report_learned(text, context_ready, answer_finished)

    def _report_learned(
        self, text: str, context_ready: ContextReady, answer_finished: AnswerFinished
    ) -> None:
        remaining = drain_queue(self.ctx, self.session)
        ingest_results = [
            context_ready.ingest_result,
            *([answer_finished.ingest_result] if answer_finished.ingest_result else []),
        ]
        message_ids = [each.message.id for each in ingest_results if each.is_stored]
        memories = self.session.services.memories.learned_from(self.scope, message_ids)
        learned_memories = [
            each for each in memories if each.spans and each.spans[0].message_id in message_ids
        ]
        for each in learned_memories:
            undo_hint = " (undo: /undo)" if each.status is MemoryStatus.ACTIVE else ""
            self.ctx.info(f"{render.learned_memory(each)}{undo_hint}")
        self.ctx.warn_all([*map(render_reason, context_ready.receipt.degradations), *remaining.warnings])
        self.turns.append(
            _serialize_turn(text, context_ready.receipt, answer_finished.text, learned_memories)
        )


@dataclass(slots=True)
class AnswerPrinter:
    """Streams an answer to stdout and ends it with a newline."""

    ctx: CommandContext
    last_piece: str = "\n"

    def write(self, piece: str) -> None:
        if piece and self.ctx.is_text:
            sys.stdout.write(replace_unprintable(piece) if sys.stdout.isatty() else piece)
            sys.stdout.flush()
            self.last_piece = piece

    def close(self) -> None:
        if not self.last_piece.endswith("\n"):
            sys.stdout.write("\n")
            sys.stdout.flush()


def print_answer(ctx: CommandContext, events: Iterable[TurnEvent]) -> tuple[ContextReady, AnswerFinished]:
    """Stream the answer of a turn to stdout; return what the turn recalled and what it stored."""
    context_ready, answer_finished = None, None
    with closing(AnswerPrinter(ctx)) as printer:
        for event in events:
            match event:
                case ContextReady():
                    context_ready = event
                case AnswerDelta(text=piece):
                    printer.write(piece)
                case AnswerFinished():
                    answer_finished = event
    assert context_ready is not None
    assert answer_finished is not None
    return context_ready, answer_finished


def format_usage(receipt: Receipt, policy: Policy) -> str:
    """Return a line such as `3 memories · 412 tokens · 18 ms`."""
    if policy.memory.mode == "off":
        return "memory is off"
    counts = Counter(item.source for item in receipt.injected_items)
    item_counts = ", ".join(
        render.format_count(counts[source], *names)
        for source, names in SOURCE_NOUNS.items()
        if counts[source]
    )
    total_ms = receipt.timings.get("total_ms", 0.0)
    return (
        f"{item_counts or 'no memories'} · {render.format_count(receipt.tokens, 'token')} · {total_ms:.0f} ms"
    )


def _serialize_turn(text: str, receipt: Receipt, answer: str, memories: Sequence[Memory]) -> JsonObject:
    return {
        "question": text,
        "answer": answer,
        "receipt": receipt.id,
        "tokens": receipt.tokens,
        "injected": [item.id for item in receipt.injected_items],
        "learned": [serializers.serialize_memory(each) for each in memories],
    }


def explain_last_answer(chat_session: ChatSession, _argument: str) -> None:
    receipt = chat_session.session.services.receipts.get(chat_session.session.scope(), "last")
    chat_session.ctx.print_text(render.receipt(receipt, wide=chat_session.ctx.is_wide, limit=5))


def undo_last_change(chat_session: ChatSession, _argument: str) -> None:
    event = chat_session.session.services.memories.undo(chat_session.session.scope())
    drain_queue(chat_session.ctx, chat_session.session)
    memories = (
        chat_session.session.services.memories.get(chat_session.session.scope(), step.memory_id)
        for step in event.changes
    )
    for memory in memories:
        chat_session.ctx.print_text(f"Undone ({event.action}): {render.excerpt(memory.text)}")


def forget_memory(chat_session: ChatSession, memory_id: str) -> None:
    if not memory_id:
        raise InvalidInput("Missing memory id: /forget ID. /why shows the ids.")
    memory = chat_session.session.services.memories.forget(chat_session.session.scope(), memory_id)
    chat_session.ctx.print_text(f"Forgotten: {render.excerpt(memory.text)}")


def print_summary(chat_session: ChatSession, _argument: str) -> None:
    policy = chat_session.policy
    summaries = chat_session.session.services.summaries
    has_messages = bool(chat_session.session.services.chats.messages(chat_session.scope, limit=1))
    saved = summaries.summarize(chat_session.scope, policy) if policy.collects and has_messages else []
    latest = saved or summaries.list(chat_session.scope, limit=2)
    chat_session.ctx.print_text(render_summaries(latest) if latest else "Nothing to summarize yet.")


def set_mode(chat_session: ChatSession, mode_name: str) -> None:
    previous_mode = chat_session.mode
    chat_session.mode = mode_name or previous_mode
    try:
        effective_mode = chat_session.policy.memory.mode
    except ConfigError:
        chat_session.mode = previous_mode
        raise
    chat_session.ctx.print_text(f"Memory mode for this session: {effective_mode}.")


CHAT_COMMANDS: Mapping[str, Callable[[ChatSession, str], None]] = {
    "why": explain_last_answer,
    "undo": undo_last_change,
    "forget": forget_memory,
    "summary": print_summary,
    "mode": set_mode,
}
