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


def test_work_is_done_before_anybody_asks_for_its_result(executor: OneThreadExecutor) -> None:
    done = Event()

    def work() -> str:
        done.set()
        return current_thread().name

    result = executor(work)

    assert done.wait(10)
    assert result() != current_thread().name


def test_what_went_wrong_is_raised_where_the_result_is_wanted(executor: OneThreadExecutor) -> None:
    begun = Event()

    def work() -> None:
        begun.set()
        raise ZeroDivisionError("nobody to share with")

    result = executor(work)

    assert begun.wait(10)
    with pytest.raises(ZeroDivisionError, match="nobody to share with"):
        result()


def test_who_finds_the_helper_busy_does_it_themselves(executor: OneThreadExecutor) -> None:
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


def test_what_was_done_by_oneself_is_not_done_again(executor: OneThreadExecutor) -> None:
    go_on, times = Event(), list[str]()
    busy = executor(lambda: go_on.wait(10))
    mine = executor(lambda: times.append("done"))
    mine()
    go_on.set()
    busy()
    executor.close()

    assert times == ["done"]


def test_a_closed_helper_leaves_the_work_to_others_and_no_thread_behind() -> None:
    before = {*threads()}
    executor = OneThreadExecutor()
    executor(lambda: None)()

    assert {*threads()} - before
    executor.close()
    assert not {*threads()} - before
    assert executor(lambda: current_thread().name)() == current_thread().name
