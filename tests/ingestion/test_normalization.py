import pytest
from hypothesis import given
from hypothesis import strategies as st

from recollect.errors import EmptyText, TextTooLong
from recollect.ingestion.normalization import normalize_content

MAX_BYTES = 10_000_000


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("plain", "plain"),
        ("  kept as it was \r\n\r\t\n", "  kept as it was \r\n\r\t\n"),
        ("a\0b\0", "ab"),
        ("half \ud83d a pair", "half \ufffd a pair"),
        ("other half \ude00", "other half \ufffd"),
        ("\ude00\ud83d", "\ufffd\ufffd"),
        ("a pair in two halves \ud83d\ude00", "a pair in two halves 😀"),
        ("\ud83d\ud83d\ude00", "\ufffd😀"),
        ("\ufeffwith a mark", "\ufeffwith a mark"),
        ("👩‍👩‍👧", "👩‍👩‍👧"),
        ("\U0001fae9", "\U0001fae9"),
        ("\uf8ff", "\uf8ff"),
    ],
)
def test_what_can_be_stored_is_kept_as_it_is(text: str, expected: str) -> None:
    assert normalize_content(text, max_bytes=MAX_BYTES) == expected


@pytest.mark.parametrize(
    "text", ["", " \t\r\n", "\0\0", "\u200b\ufeff\u2060", "\u00a0\u3000\u2028", "\u2800\u3164", "\x07\x1b"]
)
def test_a_text_that_shows_nothing_is_refused(text: str) -> None:
    with pytest.raises(EmptyText, match="at least one visible character"):
        normalize_content(text, max_bytes=MAX_BYTES)


def test_a_text_of_the_largest_size_is_taken_and_one_byte_more_is_not() -> None:
    text = "é" * 1000

    assert normalize_content(text, max_bytes=2000) == text
    with pytest.raises(TextTooLong) as refused:
        normalize_content(text, max_bytes=1999)
    assert str(refused.value) == (
        "The text has 2,000 bytes of UTF-8; the limit for one message is 1,999."
        " Split it into several messages, or raise collect.max_message_bytes."
    )


def test_only_what_is_kept_counts() -> None:
    assert normalize_content("a\0\0\0", max_bytes=1) == "a"


@given(st.text(st.characters(exclude_categories=())))
def test_what_comes_out_can_be_written_and_stays_the_same_when_cleaned_again(text: str) -> None:
    try:
        once = normalize_content(text, max_bytes=MAX_BYTES)
    except EmptyText:
        return

    assert "\0" not in once
    assert once.encode().decode() == once
    assert normalize_content(once, max_bytes=MAX_BYTES) == once


@given(st.text())
def test_a_text_without_nul_comes_out_unchanged(text: str) -> None:
    shown = f"{text.replace(chr(0), '')}."

    assert normalize_content(shown, max_bytes=MAX_BYTES) == shown
