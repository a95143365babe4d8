import os
import sys
import threading
import time

import pytest

from recollect.adapters.onnx.parallel import BACKGROUND_NICENESS, MIN_BACKGROUND_ITEMS, map_in_threads


def test_results_are_in_the_order_of_the_items() -> None:
    def wait_and_return(item: int) -> int:
        time.sleep(0.02 if item == 0 else 0)
        return item

    assert map_in_threads(wait_and_return, [0, 1, 2, 3], threads=2) == [0, 1, 2, 3]


def test_items_are_processed_at_the_same_time() -> None:
    barrier = threading.Barrier(2, timeout=10)

    assert sorted(map_in_threads(lambda _: barrier.wait(), [0, 1], threads=2)) == [0, 1]


def test_one_item_is_processed_in_the_thread_of_the_caller() -> None:
    assert map_in_threads(lambda _: threading.get_ident(), [0], threads=8) == [threading.get_ident()]


def test_an_error_of_one_item_is_raised() -> None:
    def fail(item: int) -> int:
        raise ValueError(item)

    with pytest.raises(ValueError, match="0"):
        map_in_threads(fail, [0, 1, 2], threads=2)


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux has a priority per thread")
def test_many_items_are_processed_at_a_lower_priority_than_the_caller_has() -> None:
    def niceness(_: int) -> int:
        return os.getpriority(os.PRIO_PROCESS, threading.get_native_id())

    own = niceness(0)

    assert set(map_in_threads(niceness, [0, 1], threads=2)) == {own}
    assert set(map_in_threads(niceness, [0] * MIN_BACKGROUND_ITEMS, threads=2)) == {
        max(own, BACKGROUND_NICENESS)
    }
    assert niceness(0) == own
