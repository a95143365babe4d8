from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recollect.adapters.llms.sse import join_surrogates, parse_events, parse_objects

SSE_STREAM = (
    "\ufeff: hello\n\nevent: a\ndata: one\n\ndata:two\r\ndata: é três 👩\r\n\r\nid:"
    " 7\nretry: 5\n\n\ndata: last"
)
SSE_EVENTS = ["one", "two\né três 👩", "last"]


@given(cuts=st.sets(st.integers(min_value=0, max_value=len(SSE_STREAM.encode()))))
def test_the_events_do_not_depend_on_chunk_boundaries(cuts: set[int]) -> None:
    body = SSE_STREAM.encode()
    places = [0, *sorted(cuts), len(body)]
    pieces = [body[start:end] for start, end in pairwise(places)]

    assert list(parse_events(pieces)) == SSE_EVENTS


@given(st.lists(st.binary(max_size=40)))
def test_arbitrary_bytes_never_raise(pieces: list[bytes]) -> None:
    assert all(isinstance(event, str) for event in parse_events(pieces))
    list(parse_objects(parse_events(pieces)))


def test_objects_end_at_done_and_other_events_are_ignored() -> None:
    objects = list(parse_objects(["7", '{"a": 1}', "not json", "[" * 100_000, "[DONE]", '{"b": 2}']))

    assert objects == [{"a": 1}]


@pytest.mark.parametrize(
    ("pieces", "expected"),
    [
        (["a\ud83d", "\ude00b"], ["a", "😀b"]),
        (["\ud83d", "x"], ["\ufffdx"]),
        (["x\ud83d"], ["x", "\ufffd"]),
        (["\ude00", ""], ["\ufffd"]),
        (["plain", "", "text"], ["plain", "text"]),
    ],
)
def test_surrogates_sent_in_two_pieces_are_joined(pieces: list[str], expected: list[str]) -> None:
    assert list(join_surrogates(pieces)) == expected


@given(st.lists(st.text(st.characters(), max_size=8)))
def test_joined_pieces_can_always_be_encoded(pieces: list[str]) -> None:
    joined = "".join(join_surrogates(pieces))

    assert joined.encode().decode() == joined == "".join(join_surrogates(["".join(pieces)]))
