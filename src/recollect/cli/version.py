"""version: what this is and what it runs on."""

import platform
import tempfile
from pathlib import Path

from recollect import __version__
from recollect.bootstrap import make_embedder, open_runtime
from recollect.cli import render
from recollect.cli.command import Call, command, commands, examples
from recollect.settings import load

app = commands()


@app.command(epilog=examples("recollect version", "recollect version --json"))
@command
def version(call: Call) -> None:
    """
    Show the versions of recollect and what it runs on.

    The schema is the one that this recollect writes; the memory file is not opened.
    """
    embedder = make_embedder(call.load_settings().resolve().connection)
    versions = {
        "recollect": __version__,
        "python": platform.python_version(),
        **_store(),
        "embedder": embedder.model_id if embedder else None,
    }
    call.answer({**versions}, render.fields(versions))


def _store() -> dict[str, str]:
    """A store that was made a moment ago knows best what it is."""
    with tempfile.TemporaryDirectory(prefix="recollect-") as folder:
        runtime = open_runtime(load(arguments={"db": str(Path(folder) / "memory.db"), "embedder": "none"}))
        try:
            found = {each.name: each.detail for each in runtime.store.upkeep.check()}
        finally:
            runtime.close()
    return {"sqlite": found["sqlite"], "schema": found["schema"]}
