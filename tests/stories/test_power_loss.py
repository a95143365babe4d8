"""The power goes at any moment: what was acknowledged is on the disk."""

import subprocess
import sys
from pathlib import Path

POWERLOSS_SCRIPT = Path(__file__).parents[2] / "scripts" / "powerloss.py"


def run_powerloss(*options: str) -> tuple[int, dict[str, str], str]:
    """The script's verdict, the figures of its summary line, and what it complained about."""
    command = [sys.executable, str(POWERLOSS_SCRIPT), "--messages=12", "--states=80", *options]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=280)
    figures = dict(part.split("=") for part in done.stdout.split() if "=" in part)
    return done.returncode, figures, done.stderr


def test_nothing_acknowledged_is_lost_with_the_power(tmp_path: Path) -> None:
    code, figures, complaints = run_powerloss()

    assert (code, complaints) == (0, "")
    assert (figures["lost"], figures["unsound"]) == ("0", "0")
    assert int(figures["states"]) > 20


def test_a_database_that_does_not_wait_for_the_disk_does_lose_messages(tmp_path: Path) -> None:
    """The control: otherwise the power was never really gone."""
    code, figures, _ = run_powerloss("--relaxed")

    assert code == 0
    assert int(figures["lost"]) > 0
    assert figures["unsound"] == "0"
