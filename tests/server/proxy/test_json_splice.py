import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recollect.server.proxy.dialects.anthropic import ANTHROPIC_DIALECT
from recollect.server.proxy.dialects.chat_completions import CHAT_COMPLETIONS_DIALECT
from recollect.server.proxy.dialects.content_parts import Dialect
from recollect.server.proxy.dialects.ollama import OLLAMA_DIALECT
from recollect.server.proxy.dialects.responses import RESPONSES_DIALECT
from recollect.server.proxy.json_splice import parse_document, parse_elements, parse_members, splice

JSON_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)
NON_BLANK_TEXTS = st.text(min_size=1).filter(str.strip)


@given(st.dictionaries(st.text(), JSON_VALUES, max_size=5), st.sampled_from([None, 2]), st.booleans())
def test_every_member_has_its_offsets(value: dict[str, object], indent: int, escape: bool) -> None:
    text = json.dumps(value, indent=indent, ensure_ascii=escape)

    assert {key: json.loads(text[p.start : p.end]) for key, p in parse_document(text).items()} == value


@given(st.lists(JSON_VALUES, max_size=5))
def test_every_element_has_its_offsets(value: list[object]) -> None:
    text = f" \t{json.dumps(value, indent=1)}"

    assert [json.loads(text[p.start : p.end]) for p in parse_elements(text, 2)] == value


@given(st.text())
def test_invalid_json_is_refused(text: str) -> None:
    try:
        known = isinstance(json.loads(text), dict)
    except ValueError:
        known = False

    if not known:
        with pytest.raises(ValueError, match=r"."):
            parse_document(text)


def test_the_last_of_duplicate_keys_counts() -> None:
    text = '{"a": 1, "a": {"b": [2]}}'

    assert [piece.value for piece in parse_document(text).values()] == [{"b": [2]}]
    assert parse_members(text, 14)["b"].value == [2]


@pytest.mark.parametrize(
    "text", ["", "[]", "{", '{"a"}', '{"a":1,}', '{"a":1 "b":2}', "{} {}", "{1:2}", "nul", "{" * 5000]
)
def test_a_document_that_is_not_an_object_is_refused(text: str) -> None:
    with pytest.raises((ValueError, RecursionError)):
        parse_document(text)


def chat_body(content: object) -> dict[str, object]:
    return {"messages": [{"role": "system", "content": "s"}, {"role": "user", "content": content}], "x": 1.50}


def responses_body(content: object) -> dict[str, object]:
    return {"input": [{"role": "user", "content": content}], "instructions": "s", "x": [1e5]}


@given(
    text=NON_BLANK_TEXTS, block=st.text(min_size=1), indent=st.sampled_from([None, 1]), escape=st.booleans()
)
@pytest.mark.parametrize(
    ("dialect", "asking", "kind"),
    [
        (CHAT_COMPLETIONS_DIALECT, chat_body, "text"),
        (ANTHROPIC_DIALECT, chat_body, "text"),
        (RESPONSES_DIALECT, responses_body, "input_text"),
    ],
)
def test_text_is_inserted_after_the_users_and_nothing_else_changes(
    dialect: Dialect, asking: object, kind: str, text: str, block: str, indent: int | None, escape: bool
) -> None:
    assert callable(asking)
    image = {"type": "image_url", "image_url": {"url": "data:,"}}
    for content, expected in (
        (text, f"{text}\n\n{block}"),
        (
            [{"type": kind, "text": text}, image],
            [{"type": kind, "text": text}, image, {"type": kind, "text": block}],
        ),
    ):
        raw = json.dumps(asking(content), indent=indent, ensure_ascii=escape)
        view = dialect.parse_request(raw)
        assert view.query_index is not None
        slot = view.messages[view.query_index].insertion_point
        assert slot is not None
        at, words = slot.insertion(block)
        sent = splice(raw, [(at, words)])

        assert json.loads(sent) == asking(expected)
        assert sent[:at] + sent[at + len(words) :] == raw


KEY_NAMES = st.sampled_from(
    ["role", "content", "type", "text", "tool_calls", "output", "call_id", "id", "name"]
)
KEYWORD_VALUES = st.sampled_from(
    ["user", "assistant", "system", "tool", "text", "tool_result", "message", "function_call"]
)
BODY_VALUES = st.recursive(
    st.none() | st.integers() | KEYWORD_VALUES | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEY_NAMES, inner, max_size=5),
    max_leaves=15,
)
TOP_LEVEL_KEYS = st.sampled_from(
    [
        "messages",
        "input",
        "system",
        "instructions",
        "metadata",
        "conversation",
        "user",
        "previous_response_id",
    ]
)


@given(
    request_body=st.dictionaries(
        TOP_LEVEL_KEYS, BODY_VALUES | st.dictionaries(st.just("user_id"), BODY_VALUES)
    )
)
@pytest.mark.parametrize("dialect", [CHAT_COMPLETIONS_DIALECT, ANTHROPIC_DIALECT, RESPONSES_DIALECT])
def test_any_request_is_parsed_or_refused(dialect: Dialect, request_body: object) -> None:
    try:
        view = dialect.parse_request(json.dumps(request_body))
    except ValueError:
        return

    assert view.query_index is None or view.messages[view.query_index].insertion_point is not None
    assert all(isinstance(message.digest, str) for message in view.messages)


@given(events=st.lists(BODY_VALUES, max_size=4))
@pytest.mark.parametrize(
    "dialect", [CHAT_COMPLETIONS_DIALECT, ANTHROPIC_DIALECT, RESPONSES_DIALECT, OLLAMA_DIALECT]
)
def test_any_response_is_parsed_or_ignored(dialect: Dialect, events: list[object]) -> None:
    keys = ("choices", "output", "content", "message", "delta", "item", "content_block", "response")
    kinds = (
        "response.output_item.done",
        "response.output_text.delta",
        "content_block_start",
        "content_block_delta",
    )
    fold = dialect.create_accumulator()
    for event in events:
        for kind in kinds:
            fold.add_event(
                {"type": kind, "index": event, "output_index": event, **dict.fromkeys(keys, event)}
            )
        fold.add_response(dict.fromkeys(keys, event))
        fold.add_event(
            {"choices": [{"index": 0, "delta": {"content": event, "tool_calls": [{"index": event}]}}]}
        )

    assert all(isinstance(message.text, str) for message in fold.messages())
