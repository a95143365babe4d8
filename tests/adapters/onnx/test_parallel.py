import threading
import time

import pytest

from recollect.adapters.onnx.parallel import map_in_background


def test_results_are_in_the_order_of_the_items() -> None:
    def wait_and_return(item: int) -> int:
        time.sleep(0.02 if item == 0 else 0)
        return item

    assert map_in_background(wait_and_return, [0, 1, 2, 3], threads=2) == [0, 1, 2, 3]


def test_items_are_processed_at_the_same_time() -> None:
    barrier = threading.Barrier(2, timeout=10)

    assert sorted(map_in_background(lambda _: barrier.wait(), [0, 1], threads=2)) == [0, 1]


def test_one_item_is_processed_in_the_thread_of_the_caller() -> None:
    assert map_in_background(lambda _: threading.get_ident(), [0], threads=8) == [threading.get_ident()]


def test_an_error_of_one_item_is_raised() -> None:
    def fail(item: int) -> int:
        raise ValueError(item)

    with pytest.raises(ValueError, match="0"):
        map_in_background(fail, [0, 1, 2], threads=2)
