import pytest

from recollect.adapters.llms.http_client import as_count, parse_model_ids, parse_retry_after

NOON_TIMESTAMP = 1_445_412_480.0  # 2015-10-21 07:28:00 UTC


@pytest.mark.parametrize(
    ("header", "seconds"),
    [
        ("7", 7.0),
        (" 0 ", 0.0),
        ("1.5", 1.5),
        ("Wed, 21 Oct 2015 07:29:00 GMT", 60.0),
        ("Wed, 21 Oct 2015 07:27:00 GMT", None),
        ("Fri, 31 Dec 9999 23:59:59 GMT", 86_400.0),
        ("9" * 400, 86_400.0),
        ("", None),
        ("soon", None),
        ("-5", None),
        ("nan", None),
        ("1e400", None),
        ("1.2.3", None),
        ("٣", None),
        ("Wed, 99 Foo 2015 99:99:99 GMT", None),
    ],
)
def test_a_valid_retry_after_header_is_respected(header: str, seconds: float | None) -> None:
    assert parse_retry_after(header, now=NOON_TIMESTAMP) == seconds


@pytest.mark.parametrize(
    ("answer", "names"),
    [({"data": [{"id": "a"}, {"id": 7}, "b", {}]}, ["a"]), ({"data": "a"}, []), ({}, [])],
)
def test_models_without_a_name_are_not_listed(answer: dict[str, object], names: list[str]) -> None:
    assert parse_model_ids(answer) == names


@pytest.mark.parametrize(("value", "tokens"), [(7, 7), (-1, 0), (True, 0), ("7", 0), (None, 0), (1.5, 0)])
def test_token_counts_that_are_not_numbers_are_zero(value: object, tokens: int) -> None:
    assert as_count(value) == tokens
