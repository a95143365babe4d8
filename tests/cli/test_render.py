from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recollect.cli.output import replace_unprintable
from recollect.cli.render import BAR_WIDTH, excerpt, format_bar, format_bytes, format_count, format_time


@pytest.mark.parametrize(
    ("share", "expected"),
    [(0.0, "··········"), (0.5, "█████·····"), (1.0, "██████████"), (0.47, "████▊·····"),
     (7.0, "██████████"), (-1.0, "··········")],
)  # fmt: skip
def test_a_share_is_drawn_as_a_bar(share: float, expected: str) -> None:
    assert format_bar(share) == expected


@given(st.floats(allow_nan=False))
def test_every_bar_has_the_same_width(share: float) -> None:
    assert len(format_bar(share)) == BAR_WIDTH


@given(st.text(), st.integers(min_value=1, max_value=200))
def test_an_excerpt_is_one_line_within_the_limit(text: str, max_chars: int) -> None:
    line = excerpt(text, max_chars)

    assert len(line) <= max_chars
    assert len(line.splitlines()) <= 1


@given(st.text())
def test_replace_unprintable_removes_control_characters(text: str) -> None:
    assert not set(replace_unprintable(text)) & set("\x1b\x07\x08\x9b\u202e\x00\r")


@pytest.mark.parametrize(
    ("number", "expected"),
    [(0, "0 B"), (999, "999 B"), (20_480, "20.5 kB"), (3_400_000, "3.4 MB"), (2**31, "2.1 GB")],
)
def test_sizes_are_formatted_with_units(number: int, expected: str) -> None:
    assert format_bytes(number) == expected


@pytest.mark.parametrize(
    ("number", "expected"), [(0, "0 memories"), (1, "1 memory"), (1200, "1,200 memories")]
)
def test_counts_use_singular_and_plural(number: int, expected: str) -> None:
    assert format_count(number, "memory", "memories") == expected


def test_a_missing_time_is_an_empty_string() -> None:
    assert format_time(None) == ""
    assert len(format_time(datetime(2026, 3, 1, 9, 30, tzinfo=UTC))) == 16
