"""The executor with background threads."""

from collections.abc import Iterator
from contextlib import closing
from threading import Event, current_thread
from threading import enumerate as threads

import pytest

from recollect.adapters.system.executor import ThreadExecutor


@pytest.fixture
def executor() -> Iterator[ThreadExecutor]:
    with closing(ThreadExecutor(1, "test")) as executor:
        yield executor


def test_a_call_runs_before_its_result_is_requested(executor: ThreadExecutor) -> None:
    done = Event()

    def work() -> str:
        done.set()
        return current_thread().name

    result = executor.submit(work)

    assert done.wait(10)
    assert result.result() != current_thread().name


def test_an_error_is_raised_where_the_result_is_requested(executor: ThreadExecutor) -> None:
    started = Event()

    def work() -> None:
        started.set()
        raise ZeroDivisionError("nobody to share with")

    result = executor.submit(work)

    assert started.wait(10)
    with pytest.raises(ZeroDivisionError, match="nobody to share with"):
        result.result()


def test_a_call_that_has_not_started_runs_inline(executor: ThreadExecutor) -> None:
    started, release = Event(), Event()

    def long() -> bool:
        started.set()
        return release.wait(10)

    busy = executor.submit(long)
    assert started.wait(10)
    mine = executor.submit(lambda: current_thread().name)

    assert mine.result() == current_thread().name
    release.set()
    assert busy.result()


def test_a_call_that_ran_inline_does_not_run_again(executor: ThreadExecutor) -> None:
    release, times = Event(), list[str]()
    busy = executor.submit(lambda: release.wait(10))
    mine = executor.submit(lambda: times.append("done"))
    mine.result()
    release.set()
    busy.result()
    executor.close()

    assert times == ["done"]


def test_a_closed_executor_runs_calls_inline_and_leaves_no_thread() -> None:
    before = {*threads()}
    executor = ThreadExecutor(1, "test")
    executor.submit(lambda: None).result()

    assert {*threads()} - before
    executor.close()
    assert not {*threads()} - before
    assert executor.submit(lambda: current_thread().name).result() == current_thread().name


def test_a_caller_waits_no_longer_than_its_timeout(executor: ThreadExecutor) -> None:
    release = Event()
    slow = executor.submit(lambda: release.wait(10))

    with pytest.raises(TimeoutError):
        slow.result(0.01)
    release.set()
    assert slow.result(10)


def test_a_cancelled_call_never_starts(executor: ThreadExecutor) -> None:
    release, times = Event(), list[str]()
    busy = executor.submit(lambda: release.wait(10))
    late = executor.submit(lambda: times.append("done"))
    late.cancel()
    release.set()
    busy.result()
    executor.close()

    assert times == []
