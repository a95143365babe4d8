import pytest
from hypothesis import given
from hypothesis import strategies as st

from recollect.ingestion.truncation import Truncation, truncate, truncate_output

TRUNCATION_NOTICE = (
    "\n... [Output truncated. Original size: {} bytes."
    " Hint: Use standard unix tools like grep/head to read specific parts]"
)


@pytest.mark.spec("O2", "O3")
def test_long_output_is_truncated_with_its_original_size() -> None:
    truncation = truncate("x" * 2001, 2000)

    assert truncation == Truncation(
        text="x" * 2000
        + "\n... [Output truncated. Original size: 2001 bytes."
        + " Hint: Use standard unix tools like grep/head to read specific parts]",
        original_bytes=2001,
    )


@pytest.mark.spec("O2")
@pytest.mark.parametrize(
    ("text", "limit"), [("x" * 2000, 2000), ("", 2000), ("x" * 9000, 0), ("short", 2000)]
)
def test_output_within_the_limit_is_unchanged(text: str, limit: int) -> None:
    assert truncate(text, limit) == Truncation(text=text, original_bytes=None)


@pytest.mark.spec("TR-15", "O3")
@pytest.mark.parametrize(
    ("text", "limit", "head", "size"),
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
    text: str, limit: int, head: str, size: int
) -> None:
    assert truncate(text, limit) == Truncation(
        text=head + TRUNCATION_NOTICE.format(size), original_bytes=size
    )


def test_a_long_run_of_combining_marks_is_cut_at_the_limit() -> None:
    truncation = truncate("a" + "\u0301" * 100, 50)

    assert truncation.text.startswith("a" + "\u0301" * 49 + "\n...")


def test_output_truncated_by_the_tool_keeps_its_original_size() -> None:
    tool_truncation = truncate("x" * 5000, 2000)

    assert truncate(tool_truncation.text, 2000) == tool_truncation
    assert truncate(tool_truncation.text, 100) == Truncation(
        text="x" * 100 + TRUNCATION_NOTICE.format(5000), original_bytes=5000
    )


@pytest.mark.parametrize("size", ["", "many", "²", "-1", "9" * 19])
def test_a_malformed_notice_is_ordinary_text(size: str) -> None:
    text = "x" * 50 + TRUNCATION_NOTICE.format(size)

    assert truncate(text, 50) == Truncation(
        text="x" * 50 + TRUNCATION_NOTICE.format(len(text.encode())), original_bytes=len(text.encode())
    )


@pytest.mark.spec("O1")
def test_a_decorated_tool_returns_truncated_output() -> None:
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
def test_truncation_keeps_a_prefix_and_is_idempotent(text: str, limit: int) -> None:
    truncation = truncate(text, limit)

    if truncation.original_bytes is None:
        assert truncation.text == text
    else:
        head = truncation.text.removesuffix(TRUNCATION_NOTICE.format(truncation.original_bytes))
        assert text.startswith(head)
        assert max(limit - 16, 0) <= len(head) <= limit
        assert truncation.original_bytes == len(text.encode("utf-8", "surrogatepass"))
        assert truncate(truncation.text, limit) == truncation
