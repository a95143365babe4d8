from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recollect.domain.metrics import Percentiles, RecallMetrics, compute_metrics, recommend_budget
from recollect.domain.reason import Reason, ReasonCode
from recollect.domain.receipt import Disposition, Receipt
from recollect.testing.builders import a_receipt

RECEIPT = replace(a_receipt("dinner"), timings={"total_ms": 10.0, "dense_ms": 4.0}, degradations=())


def receipt_with_total(total: float) -> Receipt:
    return replace(RECEIPT, timings={"total_ms": total})


def test_without_receipts_nothing_is_claimed() -> None:
    assert compute_metrics([]) == RecallMetrics()


@pytest.mark.spec("R3")
def test_quality_is_hit_rate_similarity_and_returned_passages() -> None:
    missed = replace(RECEIPT, items=tuple(i for i in RECEIPT.items if i.disposition is Disposition.LEFT_OUT))
    counted = compute_metrics([RECEIPT, missed])

    assert (counted.recall_count, counted.hit_rate, counted.top_similarity) == (2, 0.5, 0.5)
    assert counted.content_types == {"memory": 1}


@pytest.mark.spec("R4")
def test_latencies_are_percentiles_by_stage() -> None:
    counted = compute_metrics([receipt_with_total(float(ms)) for ms in range(1, 101)])

    assert counted.latency["total_ms"] == Percentiles(p50=50, p95=95, p99=99)
    assert set(compute_metrics([RECEIPT]).latency) == {"total_ms", "dense_ms"}


@pytest.mark.spec("R5")
def test_use_is_flags_and_budget() -> None:
    half = replace(RECEIPT, hybrid=False, tokens=500, budget=1000)
    full = replace(RECEIPT, tokens=1000, budget=1000)
    counted = compute_metrics([half, full])

    assert counted.flags == {"hybrid": 0.5, "chunking": 1.0}
    assert counted.budget_used == 0.75
    assert counted.tokens == Percentiles(p50=500, p95=1000, p99=1000)


@pytest.mark.spec("N4")
def test_a_block_that_had_no_room_is_counted() -> None:
    over = replace(RECEIPT.items[1], reason=Reason(ReasonCode.OVER_BUDGET, {"needed": 900, "available": 120}))
    crowded = replace(RECEIPT, items=(RECEIPT.items[0], over))

    assert [
        compute_metrics([RECEIPT]).overflow_count,
        compute_metrics([RECEIPT, crowded]).overflow_count,
    ] == [0, 1]


@pytest.mark.spec("N7")
@pytest.mark.parametrize(
    ("used", "overflows", "advice"),
    [
        ([100, 120, 130], False, 200),
        ([400, 420, 610], False, 650),
        ([980, 990, 1000], True, 2000),
        ([100, 110, 950], True, 1250),
    ],
)
def test_a_budget_is_advised_from_real_use(used: list[int], overflows: bool, advice: int) -> None:
    reason = (
        Reason(ReasonCode.OVER_BUDGET, {"needed": 900, "available": 120})
        if overflows
        else Reason(ReasonCode.OVER_LIMIT, {"rank": 2, "limit": 1})
    )
    items = (RECEIPT.items[0], replace(RECEIPT.items[1], reason=reason))
    counted = compute_metrics([replace(RECEIPT, tokens=tokens, items=items) for tokens in used])

    assert recommend_budget(counted, 1000) == advice
    assert recommend_budget(RecallMetrics(), 1000) is None


@given(st.lists(st.floats(0, 1e6), min_size=1, max_size=50))
def test_percentiles_are_times_that_were_taken_and_in_order(times: list[float]) -> None:
    taken = compute_metrics([receipt_with_total(ms) for ms in times]).latency["total_ms"]

    assert {taken.p50, taken.p95, taken.p99} <= set(times)
    assert taken.p50 <= taken.p95 <= taken.p99
