import pytest
from hypothesis import given
from hypothesis import strategies as st

from recollect.text.windows import replace_lone_surrogates, split_windows


def count_words(text: str) -> int:
    return len(text.split())


@pytest.mark.parametrize(
    ("text", "limit", "expected"),
    [
        ("", 3, [""]),
        ("one two three", 3, ["one two three"]),
        ("one two three four", 2, ["one two ", "three ", "four"]),
        ("one two three four", 3, ["one two three ", "four"]),
    ],
)
def test_a_text_is_cut_between_words(text: str, limit: int, expected: list[str]) -> None:
    assert split_windows(text, count_tokens=count_words, limit=limit) == expected


@pytest.mark.spec("J8")
@given(text=st.text(), limit=st.integers(min_value=1, max_value=20))
def test_windows_join_back_and_fit_by_any_count(text: str, limit: int) -> None:
    pieces = split_windows(text, count_tokens=len, limit=limit)

    assert "".join(pieces) == text
    assert all(len(piece) <= limit for piece in pieces)


def test_one_character_that_does_not_fit_is_left_whole() -> None:
    assert split_windows("👩x", count_tokens=lambda piece: 4 * len(piece), limit=3) == ["👩", "x"]


def test_lone_surrogates_are_replaced_one_for_one() -> None:
    assert replace_lone_surrogates("a\ud800é👩\udfff") == "a?é👩?"
