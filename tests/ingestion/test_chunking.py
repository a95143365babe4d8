from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recollect.domain.message import Chunk, ChunkKind
from recollect.domain.policy import ChunkingPolicy
from recollect.ingestion.chunking import chunk_text
from recollect.text.tokens import estimate_tokens

#: Splits texts of any size, so that short examples can be used.
CHUNK_ALL_POLICY = ChunkingPolicy(min_tokens=0, max_tokens=500)

LINE_STRATEGY = st.sampled_from(
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
TEXT_STRATEGY = st.builds(
    str.join,
    st.sampled_from(["\n", "\r\n", "\r", "\n\n"]),
    st.lists(LINE_STRATEGY | st.text(max_size=20), max_size=40),
)
POLICY_STRATEGY = st.builds(
    ChunkingPolicy, min_tokens=st.sampled_from([0, 5, 200]), max_tokens=st.sampled_from([12, 30, 100, 500])
)


def chunk_parts(
    text: str, policy: ChunkingPolicy = CHUNK_ALL_POLICY
) -> list[tuple[ChunkKind, str | None, str]]:
    return [(chunk.kind, chunk.language, chunk.content) for chunk in chunk_text(text, policy)]


def prose(content: str) -> tuple[ChunkKind, None, str]:
    return ChunkKind.PROSE, None, content


def code(content: str, language: str | None = None) -> tuple[ChunkKind, str | None, str]:
    return ChunkKind.CODE, language, content


@pytest.mark.spec("J1", "J3")
def test_code_and_prose_chunks_have_kind_language_and_position() -> None:
    text = "Here it is:\n\n```python\ndef f():\n\n    return 1\n```\n\nEnjoy."

    assert chunk_text(text, CHUNK_ALL_POLICY) == (
        Chunk(
            index=0,
            kind=ChunkKind.PROSE,
            content="Here it is:",
            start=0,
            tokens=estimate_tokens("Here it is:"),
        ),
        Chunk(
            index=1,
            kind=ChunkKind.CODE,
            content="```python\ndef f():\n\n    return 1\n```",
            start=13,
            tokens=estimate_tokens("```python\ndef f():\n\n    return 1\n```"),
            language="python",
        ),
        Chunk(index=2, kind=ChunkKind.PROSE, content="Enjoy.", start=51, tokens=estimate_tokens("Enjoy.")),
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
def test_fenced_code_is_one_chunk(text: str, expected: list[tuple[ChunkKind, str | None, str]]) -> None:
    assert chunk_parts(text) == expected


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
def test_text_that_only_resembles_a_fence_is_prose(text: str) -> None:
    assert chunk_parts(f"{text}\n\n```\nx\n```") == [prose(text.strip()), code("```\nx\n```")]


@pytest.mark.spec("J2")
def test_paragraphs_are_packed_while_they_fit() -> None:
    paragraph = "The quick brown fox jumps over the lazy dog."
    text = "\n\n".join([paragraph] * 10)
    three_paragraph_policy = ChunkingPolicy(
        min_tokens=0, max_tokens=estimate_tokens("\n\n".join([paragraph] * 3)) + 5
    )

    chunks = chunk_text(text, three_paragraph_policy)

    assert [chunk.content.count("fox") for chunk in chunks] == [3, 3, 3, 1]
    assert {chunk.tokens <= three_paragraph_policy.max_tokens for chunk in chunks} == {True}


@pytest.mark.spec("J2")
def test_a_paragraph_above_the_limit_is_split_between_sentences() -> None:
    text = " ".join(f'Sentence number {n} says "nothing much (at all)."' for n in range(60))

    chunks = chunk_text(text, ChunkingPolicy(min_tokens=0, max_tokens=60))

    assert len(chunks) > 10
    assert {(chunk.content[:8], chunk.content[-2:]) for chunk in chunks} == {("Sentence", '."')}


@pytest.mark.spec("J2")
def test_a_sentence_above_the_limit_is_split_between_words() -> None:
    words = [f"word{n}" for n in range(1000)]

    chunks = chunk_text(" ".join(words), ChunkingPolicy(min_tokens=0, max_tokens=50))

    assert [word for chunk in chunks for word in chunk.content.split()] == words
    assert max(chunk.tokens for chunk in chunks) <= 50


@pytest.mark.spec("J2")
@pytest.mark.parametrize("text", ["x1y2" * 2000, "漢字" * 2000, "😀" * 2000, "=" * 5000, "a\u0301" * 3000])
def test_even_a_very_long_word_is_split(text: str) -> None:
    chunks = chunk_text(text, ChunkingPolicy(min_tokens=0, max_tokens=50))

    assert "".join(chunk.content for chunk in chunks) == text
    assert max(chunk.tokens for chunk in chunks) <= 50


@pytest.mark.spec("J7", "Y5")
def test_a_code_block_is_never_split() -> None:
    block = "```python\n" + "\n\n".join(f"value_{n} = {n}" for n in range(2000)) + "\n```"

    chunks = chunk_text(f"Look:\n\n{block}\n\nThat was it.", ChunkingPolicy())

    assert [chunk.content for chunk in chunks] == ["Look:", block, "That was it."]
    assert chunks[1].tokens > 500


@pytest.mark.spec("J6")
def test_with_chunking_off_no_message_is_split() -> None:
    text = "one paragraph\n\n" * 1000

    assert chunk_text(text, ChunkingPolicy(enabled=False)) == ()
    assert chunk_text(text, ChunkingPolicy(enabled=True)) != ()


def test_a_message_of_the_minimum_size_is_not_split() -> None:
    text = "Some prose.\n\n```\nsome code\n```"

    assert chunk_text(text, ChunkingPolicy(min_tokens=estimate_tokens(text))) == ()
    assert len(chunk_text(text, ChunkingPolicy(min_tokens=estimate_tokens(text) - 1))) == 2


@pytest.mark.parametrize("text", ["", "   \n\n  ", "```\nonly code\n```", "only prose\n\nof two paragraphs"])
def test_a_text_of_a_single_chunk_is_not_split(text: str) -> None:
    assert chunk_text(text, CHUNK_ALL_POLICY) == ()


@given(TEXT_STRATEGY, POLICY_STRATEGY)
def test_every_visible_character_is_in_exactly_one_chunk(text: str, policy: ChunkingPolicy) -> None:
    chunks = chunk_text(text, policy)

    if chunks:
        covered = [
            position for chunk in chunks for position in range(chunk.start, chunk.start + len(chunk.content))
        ]
        assert len(covered) == len(set(covered))
        assert all(text[position].isspace() for position in set(range(len(text))) - set(covered))


@given(TEXT_STRATEGY, POLICY_STRATEGY)
def test_chunks_are_substrings_in_text_order(text: str, policy: ChunkingPolicy) -> None:
    chunks = chunk_text(text, policy)

    assert [chunk.index for chunk in chunks] == list(range(len(chunks)))
    assert [text[chunk.start : chunk.start + len(chunk.content)] for chunk in chunks] == [
        chunk.content for chunk in chunks
    ]
    assert all(left.start < right.start for left, right in pairwise(chunks))
    assert all(chunk.content.strip() for chunk in chunks)
    assert len(chunks) != 1


@given(TEXT_STRATEGY, POLICY_STRATEGY)
def test_no_prose_exceeds_the_limit_and_every_chunk_has_its_token_count(
    text: str, policy: ChunkingPolicy
) -> None:
    chunks = chunk_text(text, policy)

    assert [chunk.tokens for chunk in chunks] == [estimate_tokens(chunk.content) for chunk in chunks]
    assert all(
        chunk.tokens <= policy.max_tokens or chunk.kind is ChunkKind.CODE or len(chunk.content) == 1
        for chunk in chunks
    )


@given(
    TEXT_STRATEGY, st.lists(LINE_STRATEGY.filter(lambda line: "```" not in line), max_size=20), TEXT_STRATEGY
)
def test_a_closed_fence_is_never_split(before: str, body: list[str], after: str) -> None:
    block = "\n".join(["`````python", *body, "`````"])
    before = before.replace("`", "'").replace("~", "-")

    chunks = chunk_text(f"{before}\n\n{block}\n{after}", ChunkingPolicy(min_tokens=0, max_tokens=12))

    assert not chunks or block in [chunk.content for chunk in chunks]


@given(st.text(st.characters(exclude_categories=())))
def test_any_text_can_be_chunked(text: str) -> None:
    chunks = chunk_text(text, ChunkingPolicy(min_tokens=0, max_tokens=12))

    assert "".join("".join(chunk.content for chunk in chunks).split()) in {"", "".join(text.split())}


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
def test_chunking_takes_linear_time(text: str) -> None:
    chunk_text(text, ChunkingPolicy())
