import io
import os
import signal
import time

import pytest
from rich.console import Console

from recollect.cli.drain import (
    BAR_DELAY_SECONDS,
    RemainingWork,
    cancel_on_interrupt,
    format_rate,
    progress_bar,
)
from recollect.cli.session import DrainCancellation


@pytest.mark.parametrize(
    ("done", "total", "seconds", "expected"),
    [
        (0, 10, 1.0, ""),
        (50, 100, 2.0, "25/s, 0:02 left"),
        (3000, 100_000, 2.0, "1,500/s, 1:05 left"),
        (5, 5, 0.0, ""),
    ],
)
def test_the_pace_says_how_fast_and_how_long(done: int, total: int, seconds: float, expected: str) -> None:
    assert format_rate(done, total, seconds) == expected


@pytest.mark.parametrize("terminal", [True, False])
def test_a_bar_is_shown_at_a_terminal_only(terminal: bool) -> None:
    seen = io.StringIO()
    with progress_bar(Console(file=seen, force_terminal=terminal, width=100), "Storing", total=10) as shown:
        time.sleep(BAR_DELAY_SECONDS + 0.1)
        shown.update(done=5, total=10)

    assert ("Storing" in seen.getvalue()) is terminal
    assert ("5/10" in seen.getvalue()) is terminal


def test_work_that_takes_only_a_moment_shows_no_bar() -> None:
    seen = io.StringIO()
    with progress_bar(Console(file=seen, force_terminal=True), "Storing", total=10) as shown:
        shown.update(done=10, total=10)

    assert "Storing" not in seen.getvalue()


def press_ctrl_c(times: int, cancellation: DrainCancellation, survived: list[int]) -> None:
    with cancel_on_interrupt(cancellation):
        for number in range(times):
            os.kill(os.getpid(), signal.SIGINT)
            survived.append(number)


def test_the_first_ctrl_c_pulls_the_brake_and_ends_the_command_when_its_work_is_done() -> None:
    brake, survived = DrainCancellation(), list[int]()
    with pytest.raises(KeyboardInterrupt):
        press_ctrl_c(1, brake, survived)

    assert (brake.is_cancelled, survived) == (True, [0])


def test_the_second_ctrl_c_stops_at_once() -> None:
    survived: list[int] = []
    with pytest.raises(KeyboardInterrupt):
        press_ctrl_c(2, DrainCancellation(), survived)

    assert survived == [0]


@pytest.mark.parametrize(
    ("left", "expected"),
    [
        (RemainingWork(), ()),
        (RemainingWork(reasons=("no room",)), ("no room",)),
        (
            RemainingWork(pending_vectors=1, reasons=("gone",)),
            ("1 passage has no vector yet (lexical only): gone",),
        ),
        (
            RemainingWork(pending_vectors=2),
            ("2 passages have no vector yet (lexical only): another process is embedding",),
        ),
    ],
)
def test_what_is_left_is_told_in_words(left: RemainingWork, expected: tuple[str, ...]) -> None:
    assert left.warnings == expected
