"""The commands `init`, `migrate` and `move`: the schema of a database, and moving it to another kind."""

from typing import Annotated

import typer

from recollect.bootstrap import move_database, open_setup
from recollect.cli import render
from recollect.cli.command import CommandContext, command, format_examples, make_typer
from recollect.cli.drain import progress_bar
from recollect.domain.move import MoveProgress

app = make_typer()


@app.command(
    epilog=format_examples(
        "recollect init --db postgresql://user@host/memory",
        "recollect init --partitions 16",
        "recollect init --citus",
    )
)
@command
def init(
    ctx: CommandContext,
    partitions: Annotated[
        int, typer.Option(metavar="N", min=0, max=64, help="Hash partitions of each table of user data.")
    ] = 0,
    citus: Annotated[
        bool, typer.Option("--citus", help="Distribute the tables over the nodes of a Citus cluster.")
    ] = False,
) -> None:
    """
    Create the schema in an empty database.

    A database without a schema gets one when it is first opened, too; this is for options that cannot be changed later.
    """
    setup = open_setup(ctx.load_settings())
    setup.create(partitions=partitions, distributed=citus)
    ctx.print_result(
        {"db": setup.location(), "partitions": partitions, "citus": citus},
        f"Created the schema in {setup.location()}.",
    )


@app.command(epilog=format_examples("recollect migrate --dry-run", "recollect migrate"))
@command
def migrate(
    ctx: CommandContext,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="List the pending migrations; change nothing.")
    ] = False,
) -> None:
    """
    Apply pending schema migrations.

    Opening a database applies them as well; run this before new servers start, to see what happens. All are applied in
    one transaction, by one process at a time. A schema that is newer than this version is refused.
    """
    setup = open_setup(ctx.load_settings())
    names = setup.pending() if dry_run else setup.migrate()
    verb = "Would apply" if dry_run else "Applied"
    ctx.print_result(
        {"db": setup.location(), "migrations": list(names), "dry_run": dry_run},
        *(f"{verb} {name}." for name in names),
        *([] if names else ["The schema is up to date."]),
    )


@app.command(
    epilog=format_examples(
        "recollect move --from memory.db --to postgresql://user@host/memory",
        "recollect move --from postgresql://user@host/memory --to memory.db",
    )
)
@command
def move(
    ctx: CommandContext,
    source: Annotated[str, typer.Option("--from", metavar="DB", help="File or URL to read; not changed.")],
    target: Annotated[str, typer.Option("--to", metavar="DB", help="File or URL to write.")],
) -> None:
    """
    Copy all data of a database to another of any kind.

    Stop servers and workers on both first. Each user is copied in one transaction: if the move is interrupted, run it
    again to continue. Afterwards the rows of both are compared by hash. Messages, memories with their history,
    receipts, jobs, vectors and access tokens are moved; browser sessions are not.
    """
    ctx.options.resume_hint = "Users that were moved are complete. Run the same command again to continue."
    with progress_bar(ctx.stderr, "Moving", total=0) as progress:

        def show_progress(moved: MoveProgress) -> None:
            progress.update(done=moved.users_done, total=moved.users)

        report = move_database(ctx.load_settings(), source, target, on_progress=show_progress)
    ctx.print_result(
        {
            "moved_users": report.moved_users,
            "known_users": report.known_users,
            "rows": report.rows,
            "vectors": report.vectors,
            "digest": report.digest,
        },
        f"Moved {render.format_count(report.moved_users, 'user')} with {render.format_count(report.rows, 'row')} and"
        f" {render.format_count(report.vectors, 'vector')}; {report.known_users} were there already.",
        f"The rows of both are equal: sha256 {report.digest}.",
    )
