from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recollect.domain.message import Chunk, ChunkKind
from recollect.domain.policy import Chunking
from recollect.ingestion.chunking import chunks
from recollect.text.tokens import estimate

#: Cuts whatever can be cut, so that small examples show the rules.
CUT_ALL = Chunking(min_tokens=0, max_tokens=500)

LINES = st.sampled_from(
    [
        "",
        "   ",
        "\t",
        "```",
        "```python",
        "   ```js title=x",
        "    ```",
        "````",
        "~~~",
        "~~~~ sql",
        "``` `inline` ```",
        "def total(items):",
        "    return sum(items)",
        "Wait... what? Yes! (Really.) Fine.",
        "one two three four five six seven eight nine ten eleven twelve",
        "a" * 90,
        "日本語の文章です。これは二番目です！本当？",
        "> quoted ```",
        "- item",
        "\u200b\u00a0\u2028",
    ]
)
TEXTS = st.builds(
    str.join,
    st.sampled_from(["\n", "\r\n", "\r", "\n\n"]),
    st.lists(LINES | st.text(max_size=20), max_size=40),
)
POLICIES = st.builds(
    Chunking, min_tokens=st.sampled_from([0, 5, 200]), max_tokens=st.sampled_from([12, 30, 100, 500])
)


def parts(text: str, policy: Chunking = CUT_ALL) -> list[tuple[ChunkKind, str | None, str]]:
    return [(chunk.kind, chunk.language, chunk.content) for chunk in chunks(text, policy)]


def prose(content: str) -> tuple[ChunkKind, None, str]:
    return ChunkKind.PROSE, None, content


def code(content: str, language: str | None = None) -> tuple[ChunkKind, str | None, str]:
    return ChunkKind.CODE, language, content


@pytest.mark.spec("J1", "J3")
def test_code_and_prose_become_chunks_that_know_their_kind_language_and_place() -> None:
    text = "Here it is:\n\n```python\ndef f():\n\n    return 1\n```\n\nEnjoy."

    assert chunks(text, CUT_ALL) == (
        Chunk(
            index=0,
            kind=ChunkKind.PROSE,
            content="Here it is:",
            start=0,
            tokens=estimate("Here it is:"),
        ),
        Chunk(
            index=1,
            kind=ChunkKind.CODE,
            content="```python\ndef f():\n\n    return 1\n```",
            start=13,
            tokens=estimate("```python\ndef f():\n\n    return 1\n```"),
            language="python",
        ),
        Chunk(index=2, kind=ChunkKind.PROSE, content="Enjoy.", start=51, tokens=estimate("Enjoy.")),
    )


@pytest.mark.spec("J1", "J7")
@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a\n~~~\nx\n~~~\nb", [prose("a"), code("~~~\nx\n~~~"), prose("b")]),
        ("a\n   ```js\n   x\n   ```\nb", [prose("a"), code("   ```js\n   x\n   ```", "js"), prose("b")]),
        (
            "a\n````md\n```\nx\n```\n````\nb",
            [prose("a"), code("````md\n```\nx\n```\n````", "md"), prose("b")],
        ),
        ("a\n```\nx\n`````  \nb", [prose("a"), code("```\nx\n`````"), prose("b")]),
        ("a\n```\n~~~\nx\n```\nb", [prose("a"), code("```\n~~~\nx\n```"), prose("b")]),
        ("a\n```sh\nx\n```sh\ny\n```\nb", [prose("a"), code("```sh\nx\n```sh\ny\n```", "sh"), prose("b")]),
        ("a\n```go\nnever closed\n\nb\n", [prose("a"), code("```go\nnever closed\n\nb", "go")]),
        ("a\n```", [prose("a"), code("```")]),
        ("```\nx\n```\n```c\ny\n```", [code("```\nx\n```"), code("```c\ny\n```", "c")]),
        ("a\r\n```py\r\nx\r\n```\r\nb", [prose("a"), code("```py\r\nx\r\n```", "py"), prose("b")]),
        ("a\r```py\rx\r```\rb", [prose("a"), code("```py\rx\r```", "py"), prose("b")]),
        ("a\n``` Rust ignore\nx\n```", [prose("a"), code("``` Rust ignore\nx\n```", "Rust")]),
        ("a\n~~~ `x`\ny\n~~~", [prose("a"), code("~~~ `x`\ny\n~~~", "`x`")]),
        ("a\n```" + "x" * 99 + "\ny\n```", [prose("a"), code("```" + "x" * 99 + "\ny\n```")]),
    ],
)
def test_a_fence_holds_its_code_together(
    text: str, expected: list[tuple[ChunkKind, str | None, str]]
) -> None:
    assert parts(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "the ``` in a line\nis no fence ```",
        "    ```\n    indented by four\n    ```",
        "\t```\n\twith a tab\n\t```",
        "```inline``` at the start\nof a line",
        "``\ntwo are too few\n``",
    ],
)
def test_what_only_looks_like_a_fence_is_prose(text: str) -> None:
    assert parts(f"{text}\n\n```\nx\n```") == [prose(text.strip()), code("```\nx\n```")]


@pytest.mark.spec("J2")
def test_paragraphs_are_packed_together_as_long_as_they_fit() -> None:
    paragraph = "The quick brown fox jumps over the lazy dog."
    text = "\n\n".join([paragraph] * 10)
    room_for_three = Chunking(min_tokens=0, max_tokens=estimate("\n\n".join([paragraph] * 3)) + 5)

    found = chunks(text, room_for_three)

    assert [chunk.content.count("fox") for chunk in found] == [3, 3, 3, 1]
    assert {chunk.tokens <= room_for_three.max_tokens for chunk in found} == {True}


@pytest.mark.spec("J2")
def test_a_paragraph_that_is_too_large_is_cut_between_sentences() -> None:
    text = " ".join(f'Sentence number {n} says "nothing much (at all)."' for n in range(60))

    found = chunks(text, Chunking(min_tokens=0, max_tokens=60))

    assert len(found) > 10
    assert {(chunk.content[:8], chunk.content[-2:]) for chunk in found} == {("Sentence", '."')}


@pytest.mark.spec("J2")
def test_a_sentence_that_is_too_large_is_cut_between_words() -> None:
    words = [f"word{n}" for n in range(1000)]

    found = chunks(" ".join(words), Chunking(min_tokens=0, max_tokens=50))

    assert [word for chunk in found for word in chunk.content.split()] == words
    assert max(chunk.tokens for chunk in found) <= 50


@pytest.mark.spec("J2")
@pytest.mark.parametrize("text", ["x1y2" * 2000, "漢字" * 2000, "😀" * 2000, "=" * 5000, "a\u0301" * 3000])
def test_even_a_word_without_end_is_cut_to_size(text: str) -> None:
    found = chunks(text, Chunking(min_tokens=0, max_tokens=50))

    assert "".join(chunk.content for chunk in found) == text
    assert max(chunk.tokens for chunk in found) <= 50


@pytest.mark.spec("J7", "Y5")
def test_a_code_block_stays_whole_however_large() -> None:
    block = "```python\n" + "\n\n".join(f"value_{n} = {n}" for n in range(2000)) + "\n```"

    found = chunks(f"Look:\n\n{block}\n\nThat was it.", Chunking())

    assert [chunk.content for chunk in found] == ["Look:", block, "That was it."]
    assert found[1].tokens > 500


@pytest.mark.spec("J6")
def test_with_chunking_off_no_message_is_cut() -> None:
    text = "one paragraph\n\n" * 1000

    assert chunks(text, Chunking(enabled=False)) == ()
    assert chunks(text, Chunking(enabled=True)) != ()


def test_a_message_of_the_smallest_size_stays_in_one_piece() -> None:
    text = "Some prose.\n\n```\nsome code\n```"

    assert chunks(text, Chunking(min_tokens=estimate(text))) == ()
    assert len(chunks(text, Chunking(min_tokens=estimate(text) - 1))) == 2


@pytest.mark.parametrize("text", ["", "   \n\n  ", "```\nonly code\n```", "only prose\n\nof two paragraphs"])
def test_what_would_be_one_chunk_is_not_cut(text: str) -> None:
    assert chunks(text, CUT_ALL) == ()


@given(TEXTS, POLICIES)
def test_every_visible_character_is_in_exactly_one_chunk(text: str, policy: Chunking) -> None:
    found = chunks(text, policy)

    if found:
        covered = [place for chunk in found for place in range(chunk.start, chunk.start + len(chunk.content))]
        assert len(covered) == len(set(covered))
        assert all(text[place].isspace() for place in set(range(len(text))) - set(covered))


@given(TEXTS, POLICIES)
def test_chunks_are_pieces_of_the_text_in_order(text: str, policy: Chunking) -> None:
    found = chunks(text, policy)

    assert [chunk.index for chunk in found] == list(range(len(found)))
    assert [text[chunk.start : chunk.start + len(chunk.content)] for chunk in found] == [
        chunk.content for chunk in found
    ]
    assert all(left.start < right.start for left, right in pairwise(found))
    assert all(chunk.content.strip() for chunk in found)
    assert len(found) != 1


@given(TEXTS, POLICIES)
def test_no_prose_exceeds_the_most_and_every_chunk_knows_its_tokens(text: str, policy: Chunking) -> None:
    found = chunks(text, policy)

    assert [chunk.tokens for chunk in found] == [estimate(chunk.content) for chunk in found]
    assert all(
        chunk.tokens <= policy.max_tokens or chunk.kind is ChunkKind.CODE or len(chunk.content) == 1
        for chunk in found
    )


@given(TEXTS, st.lists(LINES.filter(lambda line: "```" not in line), max_size=20), TEXTS)
def test_a_closed_fence_is_never_cut(before: str, body: list[str], after: str) -> None:
    block = "\n".join(["`````python", *body, "`````"])
    before = before.replace("`", "'").replace("~", "-")

    found = chunks(f"{before}\n\n{block}\n{after}", Chunking(min_tokens=0, max_tokens=12))

    assert not found or block in [chunk.content for chunk in found]


@given(st.text(st.characters(exclude_categories=())))
def test_any_text_can_be_cut(text: str) -> None:
    found = chunks(text, Chunking(min_tokens=0, max_tokens=12))

    assert "".join("".join(chunk.content for chunk in found).split()) in {"", "".join(text.split())}


@pytest.mark.parametrize(
    "text",
    [
        "`" * 100_000,
        "```\n" * 25_000,
        "``` x `\n" * 12_500,
        " " * 100_000 + "x",
        "\n" * 100_000 + "x",
        "\n \n\t" * 25_000 + "x",
        "." * 100_000,
        "a. " * 33_000,
        "x" * 100_000,
        "。" * 100_000,
        "\r" * 100_000,
        "a\n\n" * 33_000,
    ],
    ids=range(12),
)
@pytest.mark.timeout(30)
def test_no_text_takes_for_ever(text: str) -> None:
    chunks(text, Chunking())
