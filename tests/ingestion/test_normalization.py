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
def test_storable_text_is_unchanged(text: str, expected: str) -> None:
    assert normalize_content(text, max_bytes=MAX_BYTES) == expected


@pytest.mark.parametrize(
    "text", ["", " \t\r\n", "\0\0", "\u200b\ufeff\u2060", "\u00a0\u3000\u2028", "\u2800\u3164", "\x07\x1b"]
)
def test_a_text_without_visible_characters_is_rejected(text: str) -> None:
    with pytest.raises(EmptyText, match="at least one visible character"):
        normalize_content(text, max_bytes=MAX_BYTES)


def test_a_text_of_the_maximum_size_is_accepted_and_one_byte_more_is_not() -> None:
    text = "é" * 1000

    assert normalize_content(text, max_bytes=2000) == text
    with pytest.raises(TextTooLong) as error:
        normalize_content(text, max_bytes=1999)
    assert str(error.value) == (
        "The text has 2,000 bytes of UTF-8; the limit for one message is 1,999."
        " Split it into several messages, or raise collect.max_message_bytes."
    )


def test_removed_characters_do_not_count() -> None:
    assert normalize_content("a\0\0\0", max_bytes=1) == "a"


@given(st.text(st.characters(exclude_categories=())))
def test_normalized_text_is_encodable_and_normalization_is_idempotent(text: str) -> None:
    try:
        normalized = normalize_content(text, max_bytes=MAX_BYTES)
    except EmptyText:
        return

    assert "\0" not in normalized
    assert normalized.encode().decode() == normalized
    assert normalize_content(normalized, max_bytes=MAX_BYTES) == normalized


@given(st.text())
def test_a_text_without_nul_is_unchanged(text: str) -> None:
    visible_text = f"{text.replace(chr(0), '')}."

    assert normalize_content(visible_text, max_bytes=MAX_BYTES) == visible_text
