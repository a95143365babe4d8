"""The commands `maintenance stats`, `repair`, `reembed` and `backfill`."""

from collections.abc import Iterator, Mapping
from enum import StrEnum
from typing import Annotated

import typer
from rich.table import Table
from rich.text import Text

from recollect.cli import render
from recollect.cli.command import CommandContext, command, format_examples, make_typer
from recollect.cli.drain import drain_queue
from recollect.cli.reembedding import current_model, known_models, run_reembedding
from recollect.cli.session import CliSession
from recollect.domain.diagnostics import StoreStats
from recollect.domain.reason import Reason
from recollect.errors import ConfigError
from recollect.serialization import serializers
from recollect.serialization.reasons import render_reason, serialize_reason_counts, serialize_reasons

app = make_typer()


class DerivedIndex(StrEnum):
    """Index that can be rebuilt from the stored text."""

    FULLTEXT = "fulltext"
    VECTORS = "vectors"


@app.command(
    epilog=format_examples(
        "recollect maintenance stats", "recollect maintenance stats --json | jq .sizes.total"
    )
)
@command
def stats(ctx: CommandContext) -> None:
    """
    Show counts and sizes of the stored data.

    Counts are those of the user, sizes those of the whole file. Triage counts say why messages were extracted from or
    skipped, and what was redacted.
    """
    with ctx.open_session() as session:
        store_stats = session.services.analytics.stats(session.scope())
        triage_counts = dict(session.services.analytics.triage_counts(session.user))
        calls, tokens = session.services.analytics.model_usage(session.scope())
        location = session.services.maintenance.location()
    counts = {
        **_format_counts(store_stats, location),
        "model today": f"{render.format_count(calls, 'call')}, {tokens:,} tokens",
    }
    ctx.print_result(
        {
            **serializers.serialize_stats(store_stats),
            "verdicts": serialize_reason_counts(triage_counts),
            "model_today": {"calls": calls, "tokens": tokens},
            "db": location,
        },
        render.fields(counts),
        *_render_triage_counts(triage_counts),
        *_render_sizes(store_stats),
    )


def _render_triage_counts(triage_counts: Mapping[Reason, int]) -> tuple[Text | Table, ...]:
    rows = [(render_reason(reason), f"{number:,}") for reason, number in triage_counts.items()]
    return (Text(), render.table("triage", "#messages", rows=rows)) if rows else ()


def _format_counts(store_stats: StoreStats, location: str) -> dict[str, object]:
    return {
        "file": location,
        "memories": f"{store_stats.memories:,}",
        "messages": f"{store_stats.messages:,} in {render.format_count(store_stats.chats, 'chat')}",
        "chunks": f"{store_stats.chunks:,}",
        "summaries": f"{store_stats.summaries:,}",
        "vectors": f"{store_stats.vectors:,}"
        + (f", {store_stats.pending_vectors:,} pending" if store_stats.pending_vectors else ""),
        "jobs": ", ".join(f"{number} {name}" for name, number in store_stats.jobs.items()) or "none",
    }


def _render_sizes(store_stats: StoreStats) -> tuple[Text | Table, ...]:
    total = store_stats.sizes.get("total") or 1
    rows = [
        (part, render.format_bytes(number), render.format_bar(number / total))
        for part, number in store_stats.sizes.items()
    ]
    return Text(), render.table("part", "#size", "!share", rows=rows)


@app.command(
    epilog=format_examples(
        "recollect maintenance repair",
        "recollect maintenance repair --rebuild fulltext",
        "recollect maintenance repair --rebuild vectors",
    )
)
@command
def repair(
    ctx: CommandContext,
    rebuild: Annotated[
        DerivedIndex | None,
        typer.Option(metavar="INDEX", help="Rebuild this index from the text: fulltext or vectors."),
    ] = None,
) -> None:
    """
    Rebuild search indexes from the stored text.

    Compares the full-text index and the vectors with the messages and memories, and repairs the differences. Messages
    and memories are never modified: their rows are counted before and after, and the repair is rolled back if any are
    missing.
    """
    ctx.options.resume_hint = "The file is consistent. Run `recollect maintenance repair` again to continue."
    with ctx.open_session() as session:
        maintenance = session.services.maintenance
        row_counts = maintenance.rebuild_index(rebuild) if rebuild else maintenance.repair()
        maintenance.enqueue_embedding()
        remaining = drain_queue(ctx, session, "Embedding")
    ctx.print_result(
        {**row_counts, "degraded": serialize_reasons(remaining.degradations)}, *_describe_repair(row_counts)
    )
    ctx.exit_degraded(remaining.warnings)


def _describe_repair(row_counts: Mapping[str, int]) -> Iterator[str]:
    if "differences" in row_counts:
        difference_count = row_counts["differences"]
        yield (
            f"Repaired {render.format_count(difference_count, 'difference')}."
            if difference_count
            else "The indexes match the text; nothing to repair."
        )
    for derived_index in DerivedIndex:
        if derived_index in row_counts:
            yield f"Rebuilt {derived_index} for {render.format_count(row_counts[derived_index], 'passage')}."


@app.command(
    epilog=format_examples("recollect maintenance reembed --dry-run", "recollect maintenance reembed")
)
@command
def reembed(
    ctx: CommandContext,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Show how many passages would be embedded; change nothing.")
    ] = False,
) -> None:
    """
    Re-embed everything with the configured embedding model.

    Embeds all passages of the user with the configured model, then deletes the vectors of other models. Searches use
    the old model until then. Ctrl-C is safe: run the command again to continue. `recollect settings models use` does
    the same for all users of the file, and also changes the settings.
    """
    ctx.options.resume_hint = (
        "The vectors created so far are kept. Run `recollect maintenance reembed` again to continue."
    )
    with ctx.open_session() as session:
        if session.embedder is None:
            raise ConfigError("No embedder is configured. Set `embedder` and try again.")
        model, models = session.embedder.model_id, session.services.reembedding.vector_counts(session.user)
        passage_count = session.services.reembedding.missing_count(session.user, model)
        deleted_vectors = {} if dry_run else _reembed_user(ctx, session, models, passage_count)
    ctx.print_result(
        {
            "model": model,
            "passages": passage_count,
            "models": dict(models),
            "retired": dict(deleted_vectors),
            "dry_run": dry_run,
        },
        f"{render.format_count(passage_count, 'passage')} {'would be' if dry_run else 'were'} embedded with {model}.",
        *(
            f"{render.format_count(number, 'vector')} of {name} {_describe_vectors(name, model, dry_run)}"
            for name, number in models.items()
        ),
    )


def _reembed_user(
    ctx: CommandContext, session: CliSession, models: Mapping[str, int], passage_count: int
) -> dict[str, int]:
    """Re-embed the user's passages; return the deleted vectors by model."""
    target = current_model(session)
    assert target is not None
    session.services.reembedding.start_reembedding(session.scope(), target, known_models(session))
    run_reembedding(ctx, session, [session.user], total=passage_count)
    return {name: number for name, number in models.items() if name != target.id}


def _describe_vectors(name: str, model: str, dry_run: bool) -> str:
    if name == model:
        return "are kept."
    return "would be deleted." if dry_run else "were deleted."


@app.command(epilog=format_examples("recollect maintenance backfill"))
@command
def backfill(ctx: CommandContext) -> None:
    """
    Split older long messages into chunks.

    Messages stored while chunking was off are searched only as a whole; this splits them into chunks that are searched
    on their own. Progress is saved, so Ctrl-C is safe.
    """
    ctx.options.resume_hint = "Run `recollect maintenance backfill` again to continue."
    with ctx.open_session() as session:
        chunks_before = session.services.analytics.stats(session.scope()).chunks
        session.services.jobs.enqueue_backfill(session.user)
        remaining = drain_queue(ctx, session, "Chunking")
        chunks = session.services.analytics.stats(session.scope()).chunks - chunks_before
    ctx.print_result(
        {"chunks": chunks, "degraded": serialize_reasons(remaining.degradations)},
        f"Created {render.format_count(chunks, 'chunk')}.",
    )
    ctx.exit_degraded(remaining.warnings)
