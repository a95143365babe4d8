"""Two processes write into one file while a third reads; and a process that is killed loses nothing it promised."""

import subprocess
import sys
from contextlib import closing
from pathlib import Path

import apsw

KILL9_SCRIPT = Path(__file__).parents[2] / "scripts" / "kill9.py"


def run_kill9(db: Path, *options: str) -> tuple[int, dict[str, str], str]:
    """The script's verdict, the figures of its summary line, and what it complained about."""
    command = [sys.executable, str(KILL9_SCRIPT), f"--db={db}", *options]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=280)
    figures = dict(part.split("=") for part in done.stdout.split() if "=" in part)
    return done.returncode, figures, done.stderr


def test_two_writers_and_a_reader_share_a_file(tmp_path: Path) -> None:
    code, figures, complaints = run_kill9(tmp_path / "memory.db", "--writers=2", "--messages=80")

    assert (code, complaints) == (0, "")
    assert (figures["acknowledged"], figures["stored"]) == ("160", "160")
    assert int(figures["reads"]) > 0


def test_a_process_that_is_killed_loses_nothing_it_has_acknowledged(tmp_path: Path) -> None:
    code, figures, complaints = run_kill9(tmp_path / "memory.db", "--kills=3", "--seed=5")

    assert (code, complaints) == (0, "")
    assert (figures["lost"], figures["twice"], figures["half_done"], figures["unsound"]) == ("0",) * 4
    assert int(figures["stored"]) >= int(figures["acknowledged"]) > 0


def test_the_script_notices_what_was_lost(tmp_path: Path) -> None:
    run_kill9(tmp_path / "memory.db", "--writers=1", "--messages=2")
    with closing(apsw.Connection(str(tmp_path / "memory.db"))) as vandal:
        vandal.execute("DELETE FROM memory_spans WHERE message_no = 1")
    code, figures, complaints = run_kill9(tmp_path / "memory.db", "--kills=1")

    assert code == 1
    assert figures["half_done"] != "0"
    assert "writer0-0: extracted=True, 0 facts" in complaints
