import pytest
from hypothesis import given
from hypothesis import strategies as st

from recollect.context.plain_text import (
    HIDDEN_CHARACTERS_PATTERN,
    indent_continuation,
    strip_hidden,
    to_single_line,
)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("plain", "plain"),
        ("two\r\nlines", "two\nlines"),
        ("a\u2028b\u0085c\vd", "a\nb\nc\nd"),
        ("zero\u200bwidth\ufeff", "zerowidth"),
        ("right\u202eto left", "rightto left"),
        ("tag\U000e0041\U000e0042s", "tags"),
        ("half\ud83d pair", "half pair"),
        ("bell\x07 and escape\x1b[31m", "bell and escape[31m"),
        ("vs\ufe00\U000e0101", "vs"),
        ("a heart ❤\ufe0f stays", "a heart ❤\ufe0f stays"),
        ("\n\n  indented code\n\n", "  indented code"),
        (" \t\n\u200b", ""),
    ],
)
def test_what_nobody_sees_is_gone(text: str, expected: str) -> None:
    assert strip_hidden(text) == expected


@given(st.text())
def test_folded_text_is_one_clean_line(text: str) -> None:
    line = to_single_line(text)

    assert len(line.splitlines()) <= 1
    assert not HIDDEN_CHARACTERS_PATTERN.search(line)
    assert to_single_line(line) == line


@given(st.text())
def test_hanging_text_keeps_every_line_but_the_first_indented(text: str) -> None:
    _, *rest = indent_continuation(text).split("\n")

    assert all(not line or line.startswith("  ") for line in rest)
    assert indent_continuation(text).replace("\n  ", "\n").split() == strip_hidden(text).split()
