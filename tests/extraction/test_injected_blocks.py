import pytest
from hypothesis import given
from hypothesis import strategies as st

from recollect.context.block import assemble
from recollect.context.labels import (
    AGENT_LABELS,
    COMPANION_LABELS,
    MARKDOWN_LABELS,
    NOTICES,
    SMART_LABELS,
    BlockLabels,
)
from recollect.domain.candidate import Candidate, ScoredCandidate, Source
from recollect.domain.context import Tiers
from recollect.domain.memory import Kind
from recollect.domain.policy import load_preset
from recollect.extraction.injected_blocks import BLANK_CHARACTER, blank_injected
from recollect.testing.clock import MONDAY

FENCED_BLOCK = '<memory nonce="n0nce">\n<item kind="pref">odeia coentro</item>\n</memory>'
LISTED_BLOCK = "## Relevant memory\n- Vegetarian.\n- Hates coriander.\n"


def strip_injected(text: str) -> str:
    return blank_injected(text).replace(BLANK_CHARACTER, "")


@pytest.mark.parametrize(
    ("text", "remaining"),
    [
        ("What shall I cook?", "What shall I cook?"),
        (f"What shall I cook?\n\n{FENCED_BLOCK}", "What shall I cook?\n\n"),
        (f"{FENCED_BLOCK}\nWhat shall I cook?", "\nWhat shall I cook?"),
        (f"one {FENCED_BLOCK} two {FENCED_BLOCK} three", "one  two  three"),
        (f"one {FENCED_BLOCK[:40]}", "one "),
        (f"{LISTED_BLOCK}\nWhat shall I cook?", "\nWhat shall I cook?"),
        (f"Hello\n\n{LISTED_BLOCK}I am Pedro", "Hello\n\nI am Pedro"),
        (LISTED_BLOCK.rstrip(), ""),
        (LISTED_BLOCK.replace("\n", "\r\n"), ""),
        ("## Memória relevante\n- Vegetariano.", ""),
        ("## Relevant memory\nis what I call it", "## Relevant memory\nis what I call it"),
        ("My RAM, the <memory> of it, is full", "My RAM, the <memory> of it, is full"),
        ("I said: ## Relevant memory\n- no", "I said: ## Relevant memory\n- no"),
    ],
)
def test_injected_blocks_are_removed_and_the_rest_is_unchanged(text: str, remaining: str) -> None:
    assert strip_injected(text) == remaining


@pytest.mark.parametrize("locale", ["en", "pt"])
@pytest.mark.parametrize("notice", [True, False])
@pytest.mark.parametrize("format_", ["facts", "smart", "companion", "agent", "xml", "messages"])
def test_blocks_of_every_output_format_are_removed(format_: str, locale: str, notice: bool) -> None:
    candidate = Candidate(
        source=Source.MEMORY,
        id="1",
        text="odeia coentro",
        created_at=MONDAY,
        last_stated_at=MONDAY,
        tokens=4,
        kind=Kind.PREFERENCE,
        weight=0.8,
    )
    policy = load_preset("default").with_values(
        {"context.format": format_, "context.locale": locale, "context.notice": notice}
    )
    block = assemble(
        Tiers(candidates=(ScoredCandidate(candidate=candidate, score=1.0),)),
        query="jantar",
        policy=policy.context,
        code_first=False,
        nonce="n0nce",
    )

    assert "coentro" in block.text.casefold()
    assert strip_injected(f"O que janto hoje?\n\n{block.text}") == "O que janto hoje?\n\n"


@pytest.mark.parametrize(
    "labels",
    [*MARKDOWN_LABELS.values(), *SMART_LABELS.values(), *COMPANION_LABELS.values(), *AGENT_LABELS.values()],
)
@pytest.mark.parametrize("tier", ["profile", "local", "facts", "history", "working", "recent"])
def test_the_headings_of_every_format_are_recognized(labels: BlockLabels, tier: str) -> None:
    block = f"{getattr(labels, tier)}\n- User: I hate\n  coriander.\n- lives in Porto\n"

    assert strip_injected(f"Hi\n\n{block}\nWhat shall I cook?") == "Hi\n\n\nWhat shall I cook?"


@pytest.mark.parametrize("notice", NOTICES.values())
@pytest.mark.parametrize(
    ("block", "remaining"),
    [
        (
            "## Relevant memory\n- odeia coentro\n\n## Recent messages\n- User: Hi\n\n  I am Bob\n",
            "\nMy name is Ana.",
        ),
        (
            "## Context: diet.md\nI am Bob.\n\nI hate nuts.\n\n## Relevant memory\n- odeia coentro\n",
            "\nMy name is Ana.",
        ),
        ("My name is Bob.\n\n---\n\nI live in Porto.\n", ""),
        ("## About the user\n- tall\n\n---\n\nMy name is Bob.\n", ""),
    ],
)
def test_a_block_is_removed_with_its_notice(notice: str, block: str, remaining: str) -> None:
    text = f"Hello!\n\n{notice}\n\n{block}\nMy name is Ana."

    assert strip_injected(text) == f"Hello!\n\n{remaining}"


@given(
    parts=st.lists(
        st.sampled_from(
            [
                FENCED_BLOCK,
                LISTED_BLOCK,
                "<memory nonce=",
                "</memory>",
                "## Relevant memory\n",
                *NOTICES.values(),
                "\n",
                "---\n",
            ]
        )
        | st.text()
    )
)
def test_blanking_keeps_positions(parts: list[str]) -> None:
    text = "".join(parts).replace(BLANK_CHARACTER, "")
    blanked = blank_injected(text)

    assert len(blanked) == len(text)
    assert all(after in {before, BLANK_CHARACTER} for before, after in zip(text, blanked, strict=True))
