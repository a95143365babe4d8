import os
import subprocess
import sys
from pathlib import Path

import pytest

from recollect import Memory
from recollect.testing.embedders import LetterEmbedder

ROOT = Path(__file__).resolve().parent.parent.parent
SCRIPT = ROOT / "scripts" / "reembed_memories.py"


def run_script(db: Path, *arguments: str) -> str:
    """Run the script, configured by environment variables; return its output."""
    environment = {
        key: value for key, value in os.environ.items() if not key.startswith(("RECOLLECT_", "RAG_"))
    }
    home = dict.fromkeys(("HOME", "XDG_DATA_HOME", "XDG_CONFIG_HOME"), str(db.parent))
    process = subprocess.run(
        [sys.executable, SCRIPT, *arguments],
        env={**environment, **home, "RECOLLECT_DB": str(db), "RECOLLECT_EMBEDDER": "hashing"},
        cwd=db.parent,
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    )
    return process.stdout


@pytest.mark.spec("U4", "Z4")
def test_a_dry_run_counts_and_a_run_re_embeds_every_passage(tmp_path: Path) -> None:
    db = tmp_path / "app.db"
    with Memory(db, embedder=LetterEmbedder(), settings={"worker": False}) as memory:
        memory.add("Ana is vegetarian")
        memory.add("Ana lives in Lisbon")
        memory.flush()

    # Each added memory is also a message, and both have a vector.
    assert run_script(db, "--dry-run") == (
        "4 passages would be embedded with hashing-256.\n4 vectors of letters would be deleted.\n"
    )
    assert (
        run_script(db) == "4 passages were embedded with hashing-256.\n4 vectors of letters were deleted.\n"
    )
    assert (
        run_script(db) == "0 passages were embedded with hashing-256.\n4 vectors of hashing-256 are kept.\n"
    )
