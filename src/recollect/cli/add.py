"""The `add` command: store a text, a chat message or a file of messages."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import Annotated

import typer

from recollect.cli import render
from recollect.cli.command import CommandContext, command, format_examples, make_typer, read_text_argument
from recollect.cli.drain import RemainingWork, cancel_on_interrupt, drain_queue, progress_bar
from recollect.cli.session import CliSession
from recollect.cli.transcript import Transcript, TranscriptEntry
from recollect.domain.memory import Kind
from recollect.domain.message import MessageDraft, Role
from recollect.domain.outcomes import IngestResult, New, Reinforced, Rejected
from recollect.domain.policy import Policy
from recollect.domain.scope import DEFAULT_CHAT
from recollect.errors import EmptyText, InvalidInput
from recollect.serialization import serializers
from recollect.serialization.reasons import render_reason, serialize_reasons
from recollect.serialization.serializers import JsonObject

app = make_typer()

#: Messages of a file stored in one transaction.
BATCH_MESSAGES = 100
#: Skipped messages of a file that get a warning each.
MAX_SKIPPED_LISTED = 5


@app.command(
    epilog=format_examples(
        'recollect add "I\'m vegetarian and hate cilantro"',
        "echo 'We deploy on Fridays' | recollect add - --tag work",
        'recollect add --role user --chat trip "We fly to Porto on 3 May"',
        "recollect add --file history.jsonl",
    )
)
@command
def add(
    ctx: CommandContext,
    words: Annotated[
        list[str] | None,
        typer.Argument(metavar="TEXT", help="Text to remember; - reads standard input."),
    ] = None,
    role: Annotated[
        str | None,
        typer.Option(
            metavar="R",
            help="Store TEXT as a chat message with this role (user, assistant, system or tool) and extract facts.",
        ),
    ] = None,
    chat: Annotated[str | None, typer.Option(metavar="C", help="Chat to store it in.")] = None,
    kind: Annotated[
        Kind | None,
        typer.Option(
            metavar="K",
            help=f"Kind of memory: {', '.join(Kind)}. Detected if omitted.",
            show_choices=False,
        ),
    ] = None,
    tag: Annotated[list[str] | None, typer.Option(metavar="T", help="Tag; can be repeated.")] = None,
    mode: Annotated[
        str | None,
        typer.Option(metavar="M", help="Memory mode for this call: on, collect_only, recall_only or off."),
    ] = None,
    file: Annotated[
        Path | None,
        typer.Option(metavar="F", help="File of messages: JSON Lines or a JSON array."),
    ] = None,
    wait: Annotated[
        bool, typer.Option("--wait/--no-wait", help="Run the background jobs now, or leave them to a worker.")
    ] = True,
) -> None:
    """
    Store a text, a message, or a file of messages.

    TEXT is stored as a memory, word for word. With --role it is stored as a chat message instead, and facts are
    extracted from it. When the command returns, the data is on disk and, unless --no-wait is given, indexed for
    semantic search. Nothing is stored in a temporary chat, in mode off or recall_only, or for a kind without consent;
    the output then says why.

    A file contains messages with `role` and `content`, and optionally `created_at`, `id` and `chat_id` (default: the
    file's name). Adding the same file again, after Ctrl-C or after lines were appended, stores only the new messages.
    """
    if file is not None and words:
        raise typer.BadParameter("give either a text or --file, not both", param_hint="TEXT")
    if file is not None:
        _add_file(ctx, Transcript(path=file, chat=chat), mode, wait=wait)
    elif not words:
        raise typer.BadParameter("give a text, - to read standard input, or --file", param_hint="TEXT")
    elif role is not None:
        draft = MessageDraft(role=Role.parse(role), content=_read_text(words))
        _add_message(ctx, draft, chat, mode, wait=wait)
    else:
        _add_text(ctx, _read_text(words), chat, kind, tag or [], mode, wait=wait)


def _read_text(words: Sequence[str]) -> str:
    """Return the text to add. An empty one is refused before a memory file is created for it."""
    text = read_text_argument(words)
    if not text.strip():
        raise EmptyText
    return text


def _resolve_policy(session: CliSession, chat: str | None, mode: str | None) -> Policy:
    # Without --chat the text goes into the default chat, so that chat's mode applies.
    return session.policy({"memory.mode": mode}, chat=chat or DEFAULT_CHAT)


def _add_text(
    ctx: CommandContext,
    text: str,
    chat: str | None,
    kind: Kind | None,
    tags: list[str],
    mode: str | None,
    *,
    wait: bool,
) -> None:
    with ctx.open_session(creates=True) as session:
        policy = _resolve_policy(session, chat, mode)
        outcome = session.services.extraction.remember(
            session.scope(chat), text, policy, tags=tags, kind=kind
        )
        remaining = drain_queue(ctx, session) if wait else RemainingWork()
    result: JsonObject = {
        **serializers.wrap_results([serializers.serialize_outcome(outcome)]),
        "degraded": serialize_reasons(remaining.degradations),
    }
    ctx.print_result(result, _describe_outcome(outcome))
    if not isinstance(outcome, Rejected):
        ctx.info(f"Show details: recollect memories show {outcome.memory.id}")
    ctx.warn_all(remaining.warnings)


def _describe_outcome(outcome: New | Reinforced | Rejected) -> str:
    match outcome:
        case Rejected(reason=reason):
            return f"Not stored: {render_reason(reason)}."
        case New(memory=memory):
            return f"Remembered ({memory.kind}): {render.excerpt(memory.text)}"
        case Reinforced(memory=memory):
            prefix = f"Already known, stated {memory.times_stated} times"
            return f"{prefix} ({memory.kind}): {render.excerpt(memory.text)}"


def _add_message(
    ctx: CommandContext, draft: MessageDraft, chat: str | None, mode: str | None, *, wait: bool
) -> None:
    with ctx.open_session(creates=True) as session:
        [ingest_result] = session.services.ingest.add_messages(
            session.scope(chat), [draft], _resolve_policy(session, chat, mode)
        )
        remaining = drain_queue(ctx, session) if wait else RemainingWork()
        memories = session.services.memories.learned_from(session.scope(), [ingest_result.message.id])
    ctx.print_result(
        {
            **serializers.wrap_results(map(serializers.serialize_memory, memories)),
            "messages": [serializers.serialize_ingest_result(ingest_result)],
            "degraded": serialize_reasons(remaining.degradations),
        },
        _describe_ingest_result(ingest_result, wait=wait),
        *map(render.learned_memory, memories),
    )
    if ingest_result.redacted_kinds:
        ctx.info(f"Redacted before storing: {', '.join(ingest_result.redacted_kinds)}.")
    ctx.warn_all(remaining.warnings)


def _describe_ingest_result(ingest_result: IngestResult, *, wait: bool) -> str:
    if not ingest_result.is_stored:
        return f"Not stored: {render_reason(ingest_result.reason)}."
    queued_status = "done" if wait else "queued"
    extraction_status = queued_status if ingest_result.is_queued else "skipped"
    message = ingest_result.message
    return (
        f"Stored in chat {message.chat} as {message.role};"
        f" extraction {extraction_status} ({render_reason(ingest_result.reason)})."
    )


@dataclass(slots=True, kw_only=True)
class IngestTally:
    """Counts of a file's messages by result."""

    new_count: int = 0
    known_count: int = 0
    not_stored_count: int = 0  #: the chat's mode or consent forbids storing
    extraction_count: int = 0
    skipped_entries: list[str] = field(default_factory=list)

    @property
    def read_count(self) -> int:
        return self.new_count + self.known_count + self.not_stored_count + len(self.skipped_entries)

    def count(self, entry: TranscriptEntry, result: IngestResult | InvalidInput) -> None:
        if isinstance(result, InvalidInput):
            # Real exports contain empty messages: report them and store the others.
            self.skipped_entries.append(f"{entry.location}: {result}")
            return
        self.new_count += result.is_new
        self.not_stored_count += not result.is_stored
        self.known_count += result.is_stored and not result.is_new
        self.extraction_count += result.is_new and result.is_queued

    def summary_line(self) -> str:
        not_stored_part = (
            f", {self.not_stored_count:,} not stored (memory is off in their chat)"
            if self.not_stored_count
            else ""
        )
        skipped_part = f", {len(self.skipped_entries):,} skipped" if self.skipped_entries else ""
        return (
            f"{render.format_count(self.read_count, 'message')}: {self.new_count:,} new,"
            f" {self.known_count:,} already stored{not_stored_part}{skipped_part};"
            f" {self.extraction_count:,} queued for extraction."
        )


def _add_file(ctx: CommandContext, transcript: Transcript, mode: str | None, *, wait: bool) -> None:
    ctx.options.resume_hint = (
        f"The messages read so far are stored. To continue, run `recollect add --file {transcript.path}` again;"
        " nothing is stored twice."
    )
    # Parse the whole file before storing anything: a file with an invalid line must not be stored in part.
    total = sum(1 for _ in transcript)
    with ctx.open_session(creates=True) as session:
        count_before = session.services.memories.count(session.scope())
        tally = _store_messages(ctx, session, transcript, total, mode)
        ctx.print_text(tally.summary_line())
        remaining = drain_queue(ctx, session, "Extracting") if wait else RemainingWork()
        learned_count = session.services.memories.count(session.scope()) - count_before
    ctx.print_result(
        {
            "file": str(transcript.path),
            "messages": tally.read_count,
            "new": tally.new_count,
            "known": tally.known_count,
            "unheard": tally.not_stored_count,
            "considered": tally.extraction_count,
            "skipped": list(tally.skipped_entries),
            "learned": learned_count,
            "degraded": serialize_reasons(remaining.degradations),
        },
        f"{render.format_count(learned_count, 'memory', 'memories')} learned.",
    )
    ctx.warn_all(
        [*(f"skipped {each}" for each in tally.skipped_entries[:MAX_SKIPPED_LISTED]), *remaining.warnings]
    )


def _store_messages(
    ctx: CommandContext, session: CliSession, transcript: Transcript, total: int, mode: str | None
) -> IngestTally:
    tally, entries = IngestTally(), iter(transcript)
    with (
        cancel_on_interrupt(session.cancellation),
        progress_bar(ctx.stderr, "Storing", total=total) as progress,
    ):
        while not session.cancellation.is_cancelled and (batch := list(islice(entries, BATCH_MESSAGES))):
            policies = {
                chat: _resolve_policy(session, chat, mode) for chat in {entry.chat for entry in batch}
            }
            results = session.services.ingest.add_batch(
                session.user,
                [(session.scope(entry.chat), entry.draft, policies[entry.chat]) for entry in batch],
            )
            for entry, result in zip(batch, results, strict=True):
                tally.count(entry, result)
            progress.update(done=tally.read_count, total=total)
    return tally
