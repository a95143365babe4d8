import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recollect.text.quotation import blank_spans, quoted_spans

PIECES = (
    *(
        '"""',
        "'''",
        "```",
        "~~~",
        "\n",
        "\n\n",
        "> ",
        "    ",
        "\t",
        "<document>",
        "</document>",
        "<b>",
        "</p>",
        "<p>",
    ),
    *("From: a@b.c\n", "To: x\n", "Subject: y\n", "-----Original Message-----\n", "On Monday Bob wrote:\n"),
    *(
        "Em 3 de março Bob escreveu:\n",
        "Summarize this:",
        "here is the article:",
        "segue o texto:",
        '"',
        "“",
        "”",
        "«",
    ),
    *("»", "„", "my name is Eve and I live here", ":", "\0", "🎉"),
)
MESSAGES = st.lists(st.sampled_from(PIECES) | st.text(max_size=8)).map("".join)


def own_words(text: str) -> str:
    return " ".join(blank_spans(text, quoted_spans(text)).split())


@pytest.mark.parametrize(
    ("text", "own"),
    [
        ('Look:\n"""\nMy name is Eve.\n"""\nI like tea.', "Look: I like tea."),
        ("'''\nMy name is Eve.\n'''\nI like tea.", "I like tea."),
        ('I like tea. """My name is Eve.', "I like tea."),
        ('"""page """ My name is Eve. """', ""),
        ("~~~text\nMy name is Eve.\n~~~\nI like tea.", "I like tea."),
        ("````\n```\nMy name is Eve.\n````\nI like tea.", "I like tea."),
        ("I like tea.\n```\nMy name is Eve.", "I like tea."),
        ("> My name is Eve.\n>> I live here.\nI like tea.", "I like tea."),
        ("I like tea.\n\nFrom: eve@example.com\nTo: ana@example.com\n\nMy name is Eve.", "I like tea."),
        ("De: Eva\nPara: Ana\nAssunto: Oi\n\nMeu nome é Eva.", ""),
        ("From: Eve To: Ana Subject: Hi\nMy name is Eve.", ""),
        ("I like tea.\n-----Original Message-----\nMy name is Eve.", "I like tea."),
        ("Veja.\n---------- Forwarded message ---------\nMy name is Eve.", "Veja."),
        ("On Mon, 3 Mar 2026, Eve wrote:\n\nMy name is Eve.", ""),
        ("On Mon, 3 Mar 2026, Eve wrote:\n> My name is Eve.\n\nI like tea.", "I like tea."),
        ("Em seg., 3 de mar. de 2026, Eva escreveu:\nMeu nome é Eva.", ""),
        ("<document>\nMy name is Eve.\n</document>\nI like tea.", "I like tea."),
        ("<article id='1'>x</article> My name is Eve. </article> I like tea.", "I like tea."),
        ("I like tea.\n<document>\nMy name is Eve.", "I like tea."),
        ("Here is the article:\n\nMy name is Eve.\n\nI live here.", "Here is the article:"),
        ("Please translate this: My name is Eve.", "Please translate this:"),
        ("Summarize the following:\nMy name is Eve.", "Summarize the following:"),
        ("Segue o texto:\nMeu nome é Eva.", "Segue o texto:"),
        ("Resuma o texto abaixo:\nMeu nome é Eva.\n\nMoro aqui.", "Resuma o texto abaixo:"),
        ('Summarize this: """My name is Eve.""" I like tea.', "Summarize this: I like tea."),
        ('She said "my name is Eve and I live here" and left.', 'She said " " and left.'),
        ("She said “my name is Eve\n\nand I live here” and left.", "She said “ ” and left."),
        ("Ela disse «meu nome é Eva e moro aqui» e saiu.", "Ela disse « » e saiu."),
        ("Fix this code\n\n    my_name = is_eve\n    live(here)\n\nI like tea.", "Fix this code I like tea."),
    ],
)
def test_quoted_and_pasted_text_is_found(text: str, own: str) -> None:
    assert own_words(text) == own


@pytest.mark.parametrize(
    "text",
    [
        'My dog is called "Rex".',
        "I read 'Dune' and I'm Ana, it's the dogs' bone.",
        "I like the song “Yesterday”.",
        'I love "The Lord of the Rings: The Return of the King".',
        'My monitor is 27" wide and my TV is 50" wide, both at home.',
        "I fly from: Lisbon\nto: Porto",
        "From: Lisbon\nTo: Porto\nI live in Porto.",
        "I use List<int> and a < b, x > y.",
        "I <b>love</b> tea.",
        "I review books: mostly science fiction.",
        "My name is Ana: I live in Porto.",
        "On Monday my boss wrote to me.",
        "    I live in Porto.\n    I like tea.",
        "My plan:\n- tea\n- soup",
        "We meet at 10:30.",
    ],
)
def test_the_authors_own_words_are_kept(text: str) -> None:
    assert quoted_spans(text) == ()


@given(text=MESSAGES)
def test_spans_are_sorted_disjoint_and_within_the_text(text: str) -> None:
    spans = quoted_spans(text)
    ends = [0, *(place for span in spans for place in (span.start, span.end)), len(text)]

    assert ends == sorted(ends)
    assert all(span.start < span.end for span in spans)
    assert len(blank_spans(text, spans)) == len(text)


@pytest.mark.parametrize(
    "piece", [*PIECES, "`", "<a ", "<a><", "From: a\n", "on ", "on wrote: ", " :", "a: ", "“a", "„a"]
)
def test_time_grows_with_the_length_of_the_text(piece: str) -> None:
    text = piece * (200_000 // len(piece))
    start = time.process_time()
    quoted_spans(text)

    # Quadratic time would be minutes.
    assert time.process_time() - start < 5
