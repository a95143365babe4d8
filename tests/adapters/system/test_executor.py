"""Work that somebody else does meanwhile."""

from collections.abc import Iterator
from contextlib import closing
from threading import Event, current_thread
from threading import enumerate as threads

import pytest

from recollect.adapters.system.executor import Helper


@pytest.fixture
def helper() -> Iterator[Helper]:
    with closing(Helper()) as helper:
        yield helper


def test_work_is_done_before_anybody_asks_for_its_result(helper: Helper) -> None:
    done = Event()

    def work() -> str:
        done.set()
        return current_thread().name

    result = helper(work)

    assert done.wait(10)
    assert result() != current_thread().name


def test_what_went_wrong_is_raised_where_the_result_is_wanted(helper: Helper) -> None:
    begun = Event()

    def work() -> None:
        begun.set()
        raise ZeroDivisionError("nobody to share with")

    result = helper(work)

    assert begun.wait(10)
    with pytest.raises(ZeroDivisionError, match="nobody to share with"):
        result()


def test_who_finds_the_helper_busy_does_it_themselves(helper: Helper) -> None:
    begun, go_on = Event(), Event()

    def long() -> bool:
        begun.set()
        return go_on.wait(10)

    busy = helper(long)
    assert begun.wait(10)
    mine = helper(lambda: current_thread().name)

    assert mine() == current_thread().name
    go_on.set()
    assert busy()


def test_what_was_done_by_oneself_is_not_done_again(helper: Helper) -> None:
    go_on, times = Event(), list[str]()
    busy = helper(lambda: go_on.wait(10))
    mine = helper(lambda: times.append("done"))
    mine()
    go_on.set()
    busy()
    helper.close()

    assert times == ["done"]


def test_a_closed_helper_leaves_the_work_to_others_and_no_thread_behind() -> None:
    before = {*threads()}
    helper = Helper()
    helper(lambda: None)()

    assert {*threads()} - before
    helper.close()
    assert not {*threads()} - before
    assert helper(lambda: current_thread().name)() == current_thread().name
