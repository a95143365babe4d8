"""Typed reasons: codes with parameters, and their stored form."""

import json

import pytest

from recollect.domain.reason import Reason, ReasonCode

OVER_LIMIT = Reason(ReasonCode.OVER_LIMIT, {"rank": 9, "limit": 8})


@pytest.mark.parametrize(
    "reason",
    [
        Reason(ReasonCode.GREETING),
        OVER_LIMIT,
        Reason(ReasonCode.BELOW_COSINE_FLOOR, {"cosine": 0.25, "floor": 0.5}),
        Reason(ReasonCode.SUPERSEDED_BY, {"text": 'mora no "Porto" \u2028'}),
    ],
)
def test_a_reason_survives_json(reason: Reason) -> None:
    assert Reason.from_json(json.loads(json.dumps(reason.to_json()))) == reason


def test_the_stored_form_is_the_code_and_the_parameters() -> None:
    assert OVER_LIMIT.to_json() == ["over_limit", {"rank": 9, "limit": 8}]
    assert Reason(ReasonCode.GREETING).to_json() == ["greeting"]


@pytest.mark.parametrize(
    "value",
    [
        None,
        "over_limit",
        [],
        ["no such code"],
        ["over_limit", "9"],
        ["over_limit", {"rank": [9]}],
        {"code": 1},
    ],
)
def test_other_json_is_no_reason(value: object) -> None:
    with pytest.raises(ValueError, match="is not a"):
        Reason.from_json(value)


def test_equal_reasons_are_one_key() -> None:
    assert len({OVER_LIMIT, Reason(ReasonCode.OVER_LIMIT, {"limit": 8, "rank": 9})}) == 1


def test_the_technical_form_names_code_and_parameters() -> None:
    assert str(OVER_LIMIT) == "over_limit (rank=9, limit=8)"
    assert str(Reason(ReasonCode.GREETING)) == "greeting"
