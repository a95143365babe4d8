"""The `version` command."""

import platform
import tempfile
from pathlib import Path

from recollect import __version__
from recollect.bootstrap import make_embedder, open_application
from recollect.cli import render
from recollect.cli.command import CommandContext, command, format_examples, make_typer
from recollect.settings import load_settings

app = make_typer()


@app.command(epilog=format_examples("recollect version", "recollect version --json"))
@command
def version(ctx: CommandContext) -> None:
    """
    Show the versions of recollect and its components.

    The schema version is the one this recollect writes; the memory file is not opened.
    """
    embedder = make_embedder(ctx.load_settings().resolve().machine)
    versions = {
        "recollect": __version__,
        "python": platform.python_version(),
        **_store_versions(),
        "embedder": embedder.model_id if embedder else None,
    }
    ctx.print_result({**versions}, render.fields(versions))


def _store_versions() -> dict[str, str]:
    """Return the SQLite and schema versions, as reported by a new temporary store."""
    with tempfile.TemporaryDirectory(prefix="recollect-") as folder:
        application = open_application(
            load_settings(arguments={"db": str(Path(folder) / "memory.db"), "embedder": "none"})
        )
        try:
            details_by_check = {each.name: each.detail for each in application.services.maintenance.check()}
        finally:
            application.close()
    return {"sqlite": details_by_check["sqlite"], "schema": details_by_check["schema"]}
