"""stats, repair, reembed and backfill: looking after what is stored."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from enum import StrEnum
from typing import Annotated

import typer
from rich.table import Table
from rich.text import Text

from recollect.cli import render
from recollect.cli.command import Call, command, commands, examples
from recollect.cli.drain import finish
from recollect.cli.reembedding import current_model, known_models, move
from recollect.cli.session import Session
from recollect.domain.job import JobKind, NewJob
from recollect.domain.scope import Scope
from recollect.errors import ConfigError, StoreError
from recollect.ports.store import Stats
from recollect.serialization import serializers
from recollect.services import EMBED

app = commands()


class Shadow(StrEnum):
    """What can be made anew from the stored text."""

    FULLTEXT = "fulltext"
    VECTORS = "vectors"


@app.command(epilog=examples("recollect stats", "recollect stats --json | jq .sizes.total"))
@command
def stats(call: Call) -> None:
    """
    Count what is stored and what it weighs.

    Counts are those of the user; sizes are those of the whole file. Verdicts say why messages were judged or not, and
    what was masked in them.
    """
    with call.open() as session:
        found = session.store.upkeep.stats(session.scope())
        verdicts = dict(session.store.verdicts.all(session.user))
        calls, tokens = session.store.spending.spent(session.scope(), now=session.engine.clock.now())
        location = session.store.location()
    counts = {**_counts(found, location), "model today": f"{render.count(calls, 'call')}, {tokens:,} tokens"}
    call.answer(
        {
            **serializers.stats(found),
            "verdicts": {**verdicts},
            "model_today": {"calls": calls, "tokens": tokens},
            "db": location,
        },
        render.fields(counts),
        *_verdicts(verdicts),
        *_sizes(found),
    )


def _verdicts(found: Mapping[str, int]) -> tuple[Text | Table, ...]:
    rows = [(reason, f"{number:,}") for reason, number in found.items()]
    return (Text(), render.table("verdict", "#messages", rows=rows)) if rows else ()


def _counts(found: Stats, location: str) -> dict[str, object]:
    return {
        "file": location,
        "memories": f"{found.memories:,}",
        "messages": f"{found.messages:,} in {render.count(found.chats, 'chat')}",
        "chunks": f"{found.chunks:,}",
        "summaries": f"{found.summaries:,}",
        "vectors": f"{found.vectors:,}"
        + (f", {found.pending_vectors:,} still to make" if found.pending_vectors else ""),
        "jobs": ", ".join(f"{number} {name}" for name, number in found.jobs.items()) or "none",
    }


def _sizes(found: Stats) -> tuple[Text | Table, ...]:
    total = found.sizes.get("total") or 1
    rows = [(part, render.size(number), render.bar(number / total)) for part, number in found.sizes.items()]
    return Text(), render.table("part", "#size", "!share", rows=rows)


@app.command(
    epilog=examples(
        "recollect repair", "recollect repair --rebuild fulltext", "recollect repair --rebuild vectors"
    )
)
@command
def repair(
    call: Call,
    rebuild: Annotated[
        Shadow | None, typer.Option(metavar="SHADOW", help="Make it anew from the text: fulltext or vectors.")
    ] = None,
) -> None:
    """
    Rebuild search indexes from the stored text.

    Compares the full-text index and the vectors with the messages and memories, and mends the differences. Messages and
    memories themselves are never written: their numbers are compared before and after, and everything is taken back if
    one shrank.
    """
    call.asked.resume = "Nothing is half done; `recollect repair` goes on where it stopped."
    with call.open() as session:
        done = _rebuilt(session, rebuild) if rebuild else _mended(session)
        for user in session.store.users():
            if session.store.vectors.pending(user):
                session.store.jobs.enqueue(user, EMBED, now=session.engine.clock.now())
        left = finish(call, session, "Embedding")
    call.answer({**done, "degraded": list(left.warnings)}, *_told(done))
    call.end_degraded(left.warnings)


def _mended(session: Session) -> dict[str, int]:
    upkeep = session.store.upkeep
    with _guarded(session):
        differences = upkeep.sync()
    # What only a comparison word by word can see takes a new index.
    unsound = [each for each in upkeep.check(deep=True) if not each.ok and each.name.startswith("full text")]
    return {"differences": differences, **(_rebuilt(session, Shadow.FULLTEXT) if unsound else {})}


def _rebuilt(session: Session, shadow: Shadow) -> dict[str, int]:
    with _guarded(session):
        return {str(shadow): session.store.upkeep.rebuild(shadow)}


def _told(done: dict[str, int]) -> Iterator[str]:
    if "differences" in done:
        found = done["differences"]
        yield (
            f"Mended {render.count(found, 'difference')}."
            if found
            else "Indexes and text agree; nothing to mend."
        )
    for shadow in Shadow:
        if shadow in done:
            yield f"Rebuilt {shadow} for {render.count(done[shadow], 'passage')}."


@contextmanager
def _guarded(session: Session) -> Iterator[None]:
    """What is done inside is taken back if a message or memory went missing by it."""
    with session.store.transaction():
        before = _truth(session)
        yield
        after = _truth(session)
        lost = {name: number - after[name] for name, number in before.items() if after[name] < number}
        if lost:
            missing = " and ".join(f"{number} {name}" for name, number in lost.items())
            raise StoreError(
                f"The repair would have lost {missing}, so it was taken back and the file is as it was."
                " `recollect doctor --deep` looks closer; a backup may be needed."
            )


def _truth(session: Session) -> dict[str, int]:
    stats = [session.store.upkeep.stats(Scope(user)) for user in session.store.users()]
    return {
        "messages": sum(each.messages for each in stats),
        "memories": sum(each.memories for each in stats),
    }


@app.command(epilog=examples("recollect reembed --dry-run", "recollect reembed"))
@command
def reembed(
    call: Call,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Say how many passages would be embedded; change nothing.")
    ] = False,
) -> None:
    """
    Move to the embedding model of the settings.

    Gives every passage of the user a vector of the current model, then deletes those of other models. Until then the
    old model answers. Ctrl-C is safe: run it again and it goes on where it stopped. `recollect models use` does
    the same for everybody in the file, and changes the settings.
    """
    call.asked.resume = "The vectors made so far are kept; `recollect reembed` goes on where it stopped."
    with call.open() as session:
        if session.embedder is None:
            raise ConfigError(
                "No embedder is configured, so nothing can be embedded. Set `embedder` and try again."
            )
        model, models = session.embedder.model_id, session.store.vectors.models(session.user)
        wanted = session.store.vectors.lacks(session.user, model)
        retired = {} if dry_run else _moved(call, session, models, wanted)
    call.answer(
        {
            "model": model,
            "passages": wanted,
            "models": dict(models),
            "retired": dict(retired),
            "dry_run": dry_run,
        },
        f"{render.count(wanted, 'passage')} {'would be' if dry_run else 'were'} embedded with {model}.",
        *(
            f"{render.count(number, 'vector')} of {name} {_fate(name, model, dry_run)}"
            for name, number in models.items()
        ),
    )


def _moved(call: Call, session: Session, models: Mapping[str, int], wanted: int) -> dict[str, int]:
    """Until all is embedded the old model answers; what of it is gone afterwards."""
    target = current_model(session)
    assert target is not None
    session.engine.begin_move(session.scope(), target, known_models(session))
    move(call, session, [session.user], total=wanted)
    return {name: number for name, number in models.items() if name != target.id}


def _fate(name: str, model: str, dry_run: bool) -> str:
    if name == model:
        return "stay."
    return "would be deleted." if dry_run else "were deleted."


@app.command(epilog=examples("recollect backfill"))
@command
def backfill(call: Call) -> None:
    """
    Cut older long messages into chunks.

    Messages stored while chunking was off are found as a whole only; this cuts them now, so that their parts are found
    by themselves. It remembers how far it came; Ctrl-C is safe.
    """
    call.asked.resume = "`recollect backfill` goes on where it stopped."
    with call.open() as session:
        before = session.store.upkeep.stats(session.scope()).chunks
        job = NewJob(kind=JobKind.BACKFILL, key="backfill")
        session.store.jobs.enqueue(session.user, job, now=session.engine.clock.now())
        left = finish(call, session, "Cutting")
        chunks = session.store.upkeep.stats(session.scope()).chunks - before
    call.answer({"chunks": chunks, "degraded": list(left.warnings)}, f"{render.count(chunks, 'chunk')} made.")
    call.end_degraded(left.warnings)
