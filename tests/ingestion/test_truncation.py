import pytest
from hypothesis import given
from hypothesis import strategies as st

from recollect.ingestion.truncation import Truncation, truncate, truncate_output

TRUNCATION_NOTICE = (
    "\n... [Output truncated. Original size: {} bytes."
    " Hint: Use standard unix tools like grep/head to read specific parts]"
)


@pytest.mark.spec("O2", "O3")
def test_long_output_is_cut_and_says_how_long_it_was() -> None:
    found = truncate("x" * 2001, 2000)

    assert found == Truncation(
        text="x" * 2000
        + "\n... [Output truncated. Original size: 2001 bytes."
        + " Hint: Use standard unix tools like grep/head to read specific parts]",
        original_bytes=2001,
    )


@pytest.mark.spec("O2")
@pytest.mark.parametrize(
    ("text", "limit"), [("x" * 2000, 2000), ("", 2000), ("x" * 9000, 0), ("short", 2000)]
)
def test_output_within_the_limit_is_untouched(text: str, limit: int) -> None:
    assert truncate(text, limit) == Truncation(text=text, original_bytes=None)


@pytest.mark.spec("TR-15", "O3")
@pytest.mark.parametrize(
    ("text", "limit", "kept", "size"),
    [
        ("ação" * 10, 3, "açã", 60),
        ("日本語の出力", 2, "日本", 18),
        ("😀😀😀", 1, "😀", 12),
        ("100% of %s and %d", 6, "100% o", 17),
        ("cafe\u0301 com leite", 4, "caf", 16),
        ("ok 👩‍👧 family", 4, "ok ", 21),
        ("ok 👩‍👧 family", 5, "ok ", 21),
        ("hi 👍🏽 there", 4, "hi ", 17),
        ("one\r\ntwo", 4, "one", 8),
        ("half \ud83d of a pair", 6, "half \ud83d", 18),
    ],
)
def test_the_cut_is_between_characters_and_the_size_is_in_bytes(
    text: str, limit: int, kept: str, size: int
) -> None:
    assert truncate(text, limit) == Truncation(
        text=kept + TRUNCATION_NOTICE.format(size), original_bytes=size
    )


def test_a_heap_of_accents_is_cut_where_the_limit_is() -> None:
    found = truncate("a" + "\u0301" * 100, 50)

    assert found.text.startswith("a" + "\u0301" * 49 + "\n...")


def test_output_clipped_by_the_tool_keeps_its_true_size_when_it_is_stored() -> None:
    by_the_tool = truncate("x" * 5000, 2000)

    assert truncate(by_the_tool.text, 2000) == by_the_tool
    assert truncate(by_the_tool.text, 100) == Truncation(
        text="x" * 100 + TRUNCATION_NOTICE.format(5000), original_bytes=5000
    )


@pytest.mark.parametrize("size", ["", "many", "²", "-1", "9" * 19])
def test_a_notice_that_is_not_ours_is_text_like_any_other(size: str) -> None:
    text = "x" * 50 + TRUNCATION_NOTICE.format(size)

    assert truncate(text, 50) == Truncation(
        text="x" * 50 + TRUNCATION_NOTICE.format(len(text.encode())), original_bytes=len(text.encode())
    )


@pytest.mark.spec("O1")
def test_a_tool_that_is_decorated_gives_clipped_output() -> None:
    @truncate_output()
    def cat(path: str, *, times: int = 1) -> str:
        """Print a file."""
        return path * times

    assert cat("notes", times=2) == "notesnotes"
    assert cat("x", times=2001) == "x" * 2000 + TRUNCATION_NOTICE.format(2001)
    assert (cat.__name__, cat.__doc__) == ("cat", "Print a file.")


@pytest.mark.spec("O1")
def test_a_decorated_tool_may_have_its_own_limit() -> None:
    @truncate_output(limit=3)
    def shout() -> str:
        return "hello"

    assert shout() == "hel" + TRUNCATION_NOTICE.format(5)


@given(st.text(st.characters(exclude_categories=())), st.integers(0, 40))
def test_clipping_keeps_a_beginning_and_clipping_twice_is_clipping_once(text: str, limit: int) -> None:
    found = truncate(text, limit)

    if found.original_bytes is None:
        assert found.text == text
    else:
        kept = found.text.removesuffix(TRUNCATION_NOTICE.format(found.original_bytes))
        assert text.startswith(kept)
        assert max(limit - 16, 0) <= len(kept) <= limit
        assert found.original_bytes == len(text.encode("utf-8", "surrogatepass"))
        assert truncate(found.text, limit) == found
