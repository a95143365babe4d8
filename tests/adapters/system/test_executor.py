"""Work that somebody else does meanwhile."""

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
    begun = Event()

    def work() -> None:
        begun.set()
        raise ZeroDivisionError("nobody to share with")

    result = executor(work)

    assert begun.wait(10)
    with pytest.raises(ZeroDivisionError, match="nobody to share with"):
        result()


def test_a_call_that_has_not_started_runs_inline(executor: OneThreadExecutor) -> None:
    begun, go_on = Event(), Event()

    def long() -> bool:
        begun.set()
        return go_on.wait(10)

    busy = executor(long)
    assert begun.wait(10)
    mine = executor(lambda: current_thread().name)

    assert mine() == current_thread().name
    go_on.set()
    assert busy()


def test_a_call_that_ran_inline_does_not_run_again(executor: OneThreadExecutor) -> None:
    go_on, times = Event(), list[str]()
    busy = executor(lambda: go_on.wait(10))
    mine = executor(lambda: times.append("done"))
    mine()
    go_on.set()
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
