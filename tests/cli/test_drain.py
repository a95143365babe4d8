import io
import os
import signal
import time

import pytest
from rich.console import Console

from recollect.cli.drain import (
    BAR_DELAY_SECONDS,
    POLL_SECONDS,
    RemainingWork,
    cancel_on_interrupt,
    format_rate,
    progress_bar,
)
from recollect.cli.session import DrainCancellation
from recollect.domain.reason import Reason, ReasonCode

FAILURE = Reason(ReasonCode.JOB_FAILED, {"error": "StoreFull", "detail": "no room"})


@pytest.mark.parametrize(
    ("done", "total", "seconds", "expected"),
    [
        (0, 10, 1.0, ""),
        (50, 100, 2.0, "25/s, 0:02 left"),
        (3000, 100_000, 2.0, "1,500/s, 1:05 left"),
        (5, 5, 0.0, ""),
    ],
)
def test_the_rate_shows_speed_and_time_left(done: int, total: int, seconds: float, expected: str) -> None:
    assert format_rate(done, total, seconds) == expected


@pytest.mark.parametrize("terminal", [True, False])
def test_a_progress_bar_is_shown_on_a_terminal_only(terminal: bool) -> None:
    stream = io.StringIO()
    with progress_bar(
        Console(file=stream, force_terminal=terminal, width=100), "Storing", total=10
    ) as progress:
        time.sleep(BAR_DELAY_SECONDS + 0.1)
        progress.update(done=5, total=10)

    assert ("Storing" in stream.getvalue()) is terminal
    assert ("5/10" in stream.getvalue()) is terminal


def test_short_work_shows_no_progress_bar() -> None:
    stream = io.StringIO()
    with progress_bar(Console(file=stream, force_terminal=True), "Storing", total=10) as progress:
        progress.update(done=10, total=10)

    assert "Storing" not in stream.getvalue()


def test_a_closed_progress_bar_is_not_drawn_again() -> None:
    stream = io.StringIO()
    with progress_bar(Console(file=stream, force_terminal=True, width=100), "Storing", total=10) as progress:
        time.sleep(BAR_DELAY_SECONDS + 0.1)
        progress.update(done=5, total=10)
    drawn = stream.getvalue()
    time.sleep(POLL_SECONDS)
    progress.update(done=9, total=10)

    assert stream.getvalue() == drawn
    assert drawn.rindex("\x1b[?25h") > drawn.rindex("\x1b[?25l")


def press_ctrl_c(times: int, cancellation: DrainCancellation, handled: list[int]) -> None:
    with cancel_on_interrupt(cancellation):
        for number in range(times):
            os.kill(os.getpid(), signal.SIGINT)
            handled.append(number)


def test_the_first_ctrl_c_cancels_and_interrupts_at_the_end_of_the_block() -> None:
    cancellation, handled = DrainCancellation(), list[int]()
    with pytest.raises(KeyboardInterrupt):
        press_ctrl_c(1, cancellation, handled)

    assert (cancellation.is_cancelled, handled) == (True, [0])


def test_the_second_ctrl_c_interrupts_immediately() -> None:
    handled: list[int] = []
    with pytest.raises(KeyboardInterrupt):
        press_ctrl_c(2, DrainCancellation(), handled)

    assert handled == [0]


@pytest.mark.parametrize(
    ("remaining", "expected"),
    [
        (RemainingWork(), ()),
        (RemainingWork(reasons=(FAILURE,)), ("StoreFull: no room",)),
        (
            RemainingWork(pending_vectors=1, reasons=(FAILURE,)),
            ("1 passage has no vector yet: keyword search only", "StoreFull: no room"),
        ),
        (
            RemainingWork(pending_vectors=2),
            ("2 passages have no vector yet: keyword search only",),
        ),
    ],
)
def test_remaining_work_is_described_in_a_warning(
    remaining: RemainingWork, expected: tuple[str, ...]
) -> None:
    assert remaining.warnings == expected
