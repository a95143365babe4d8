from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console

from recollect.cli.output import replace_unprintable
from recollect.cli.render import (
    BAR_WIDTH,
    CHANGE_LABELS,
    ScoreBars,
    excerpt,
    format_bar,
    format_bytes,
    format_count,
    format_time,
    table,
)
from recollect.domain.memory import ChangeKind


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


@pytest.mark.parametrize(("columns", "line_count"), [(40, 3), (80, 2)])
def test_score_bars_are_complete_at_any_width(columns: int, line_count: int) -> None:
    console = Console(width=columns)
    parts = {"dense": 1.0, "lexical": 0.0, "relevance": 0.39}

    with console.capture() as captured:
        console.print(table("#score", "text", rows=[("1.083", ScoreBars(parts))]))

    heading, *lines = captured.get().splitlines()
    assert heading.split() == ["score", "text"]
    assert len(lines) == line_count
    assert [" ".join(lines).split().count(share) for share in ("1.00", "0.00", "0.39")] == [1, 1, 1]


def test_every_kind_of_change_has_a_label() -> None:
    assert CHANGE_LABELS.keys() == set(ChangeKind)
