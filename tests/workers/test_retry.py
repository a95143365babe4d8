"""Backoff, and when to give up."""

from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recollect.domain.reason import Reason, ReasonCode
from recollect.errors import ModelMissing, ProviderBusy, ProviderError, StoreBusy, StoreFull, StoreMoved
from recollect.workers.retry import GiveUp, RetryLater, backoff_delay, decide_retry


@pytest.mark.parametrize(
    ("attempts", "seconds"), [(0, 1), (1, 1), (2, 2), (3, 4), (8, 128), (9, 256), (10, 300), (10_000, 300)]
)
def test_each_wait_is_twice_the_last_up_to_five_minutes(attempts: int, seconds: int) -> None:
    assert backoff_delay(attempts) == timedelta(seconds=seconds)


@given(st.integers(0, 100))
def test_waits_never_get_shorter(attempts: int) -> None:
    assert backoff_delay(attempts) <= backoff_delay(attempts + 1)


@pytest.mark.parametrize(
    "error",
    [ProviderBusy("come back later"), StoreBusy("somebody writes"), StoreFull("no room"), StoreMoved("gone")],
)
@pytest.mark.parametrize("attempts", [1, 100])
def test_a_busy_provider_or_store_is_retried_without_limit(error: Exception, attempts: int) -> None:
    assert decide_retry(error, attempts) == RetryLater(
        delay=backoff_delay(attempts),
        reason=Reason(ReasonCode.JOB_FAILED, {"error": type(error).__name__, "detail": str(error)}),
    )


@pytest.mark.parametrize(
    ("asked", "delay"), [(None, 1), (0.0, 1), (0.2, 1), (30.0, 30), (1e12, 3600), (float("inf"), 3600)]
)
def test_a_provider_that_says_how_long_is_given_that_long_within_reason(
    asked: float | None, delay: int
) -> None:
    later = decide_retry(ProviderBusy("come back later", retry_after=asked), 1)

    assert later == RetryLater(
        delay=timedelta(seconds=delay),
        reason=Reason(ReasonCode.JOB_FAILED, {"error": "ProviderBusy", "detail": "come back later"}),
    )


@pytest.mark.spec("TR-13")
@pytest.mark.parametrize("error", [ModelMissing("no such folder"), ProviderError("wrong key")])
def test_a_permanent_error_is_given_up_immediately_with_its_reason(error: Exception) -> None:
    assert decide_retry(error, 1) == GiveUp(
        reason=Reason(ReasonCode.JOB_FAILED, {"error": type(error).__name__, "detail": str(error)})
    )


@pytest.mark.spec("TR-13")
def test_a_mistake_of_ours_is_tried_three_times() -> None:
    outcomes = [decide_retry(ZeroDivisionError("oops"), attempts) for attempts in (1, 2, 3)]

    assert outcomes == [
        RetryLater(
            delay=timedelta(seconds=1),
            reason=Reason(ReasonCode.JOB_FAILED, {"error": "ZeroDivisionError", "detail": "oops"}),
        ),
        RetryLater(
            delay=timedelta(seconds=2),
            reason=Reason(ReasonCode.JOB_FAILED, {"error": "ZeroDivisionError", "detail": "oops"}),
        ),
        GiveUp(reason=Reason(ReasonCode.JOB_FAILED, {"error": "ZeroDivisionError", "detail": "oops"})),
    ]
