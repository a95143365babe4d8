"""The executor with one background thread."""

from collections.abc import Iterator
from contextlib import closing
from threading import Event, current_thread
from threading import enumerate as threads

import pytest

from recollect.adapters.system.executor import OneThreadExecutor


@pytest.fixture
def executor() -> Iterator[OneThreadExecutor]:
    with closing(OneThreadExecutor()) as executor:
        yield executor


def test_a_call_runs_before_its_result_is_requested(executor: OneThreadExecutor) -> None:
    done = Event()

    def work() -> str:
        done.set()
        return current_thread().name

    result = executor(work)

    assert done.wait(10)
    assert result() != current_thread().name


def test_an_error_is_raised_where_the_result_is_requested(executor: OneThreadExecutor) -> None:
    started = Event()

    def work() -> None:
        started.set()
        raise ZeroDivisionError("nobody to share with")

    result = executor(work)

    assert started.wait(10)
    with pytest.raises(ZeroDivisionError, match="nobody to share with"):
        result()


def test_a_call_that_has_not_started_runs_inline(executor: OneThreadExecutor) -> None:
    started, release = Event(), Event()

    def long() -> bool:
        started.set()
        return release.wait(10)

    busy = executor(long)
    assert started.wait(10)
    mine = executor(lambda: current_thread().name)

    assert mine() == current_thread().name
    release.set()
    assert busy()


def test_a_call_that_ran_inline_does_not_run_again(executor: OneThreadExecutor) -> None:
    release, times = Event(), list[str]()
    busy = executor(lambda: release.wait(10))
    mine = executor(lambda: times.append("done"))
    mine()
    release.set()
    busy()
    executor.close()

    assert times == ["done"]


def test_a_closed_executor_runs_calls_inline_and_leaves_no_thread() -> None:
    before = {*threads()}
    executor = OneThreadExecutor()
    executor(lambda: None)()

    assert {*threads()} - before
    executor.close()
    assert not {*threads()} - before
    assert executor(lambda: current_thread().name)() == current_thread().name
