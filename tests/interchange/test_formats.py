"""Recognition and reading of each import format, also when files are damaged."""

import copy
import json
from collections.abc import Iterator
from dataclasses import replace

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from tests.interchange.samples import CHATGPT, CLAUDE_CODE, CODEX, SAMPLES, Sample

from recollect.interchange.formats import RecognizedFile, UnknownFormat, open_file
from recollect.interchange.items import (
    ImportedConversation,
    ImportItem,
    Omission,
    OmissionReason,
)
from recollect.testing.import_sources import InMemoryImportSource

JSON_SAMPLES = [sample for sample in SAMPLES if (sample.value is not None or sample.lines)]
VARIANTS_PER_FORMAT = 30


def read_items(source: InMemoryImportSource) -> list[ImportItem]:
    recognized = open_file(source)
    return list(recognized.items) if isinstance(recognized, RecognizedFile) else []


def by_label(sample: Sample) -> str:
    return sample.label


@pytest.mark.parametrize("sample", SAMPLES, ids=by_label)
def test_each_format_is_recognized_by_content_and_read_whole(sample: Sample) -> None:
    recognized = open_file(sample.source())

    assert isinstance(recognized, RecognizedFile)
    assert (recognized.format, list(recognized.items)) == (sample.format, list(sample.items))


@pytest.mark.parametrize("sample", SAMPLES, ids=by_label)
def test_the_size_of_the_parts_a_file_is_read_in_does_not_matter(sample: Sample) -> None:
    for chunk_chars in (1, 1000, 1_000_000):
        assert read_items(replace(sample.source(), chunk_chars=chunk_chars)) == list(sample.items)


@pytest.mark.parametrize("sample", JSON_SAMPLES, ids=by_label)
def test_a_file_that_ends_too_early_says_so_or_still_has_what_is_complete(sample: Sample) -> None:
    text = sample.content().rstrip()
    for number in range(1, VARIANTS_PER_FORMAT + 1):
        cut = text[: len(text) * number // (VARIANTS_PER_FORMAT + 1)]
        recognized = open_file(replace(sample.source(), text=cut))

        if isinstance(recognized, UnknownFormat):
            assert recognized.reason
            continue
        items = list(recognized.items)
        damage = [each for each in items if isinstance(each, Omission) and each.reason.is_damage]
        last_line = cut.rpartition("\n")[2]
        # Compacted histories are skipped by their first characters, so their end is not seen.
        is_complete = not last_line or last_line in text.split("\n") or '"compacted"' in last_line
        assert damage or (sample.lines and is_complete)
        assert all(each.position for each in damage)


@pytest.mark.parametrize("sample", SAMPLES, ids=by_label)
@settings(max_examples=VARIANTS_PER_FORMAT)
@given(data=st.data())
def test_a_changed_value_is_reported_with_its_position_and_never_raises(
    sample: Sample, data: st.DataObject
) -> None:
    replacement: object = data.draw(
        st.sampled_from(
            [None, True, 7, -1e300, 10**30, "", "\ud800", "1" * 50, [], {}, [[]], {"a": 1}, [None]]
        )
    )
    if sample.database:
        database = copy.deepcopy(dict(sample.database))
        rows = data.draw(st.sampled_from([rows for rows in database.values() if rows]))
        row = dict(data.draw(st.sampled_from(list(rows))))
        row[data.draw(st.sampled_from(sorted(row)))] = replacement
        table = next(name for name, value in database.items() if value is rows)
        source = replace(sample.source(), database={**database, table: [*rows, row]})
    elif sample in JSON_SAMPLES:
        lines: list[object] = copy.deepcopy(list(sample.lines))
        document: object = lines or copy.deepcopy(sample.value)
        parents = list(_containers(document))
        if not parents:
            return
        parent = data.draw(st.sampled_from(parents))
        if isinstance(parent, dict):
            parent[data.draw(st.sampled_from(sorted(parent)))] = replacement
        else:
            parent[data.draw(st.integers(0, len(parent) - 1))] = replacement
        changed = replace(sample, lines=lines, value=document)
        source = replace(sample.source(), text=changed.content())
    else:
        text = sample.content()
        at = data.draw(st.integers(0, len(text)))
        inserted = data.draw(
            st.sampled_from(["\0", "---\n", "## ", "<![CDATA[", "<", "[", "\n\n", "\ud800", "(", '"'])
        )
        source = replace(sample.source(), text=text[:at] + inserted + text[at:])

    items = read_items(source)

    assert all(each.position for each in items if isinstance(each, Omission))
    for each in items:
        if isinstance(each, ImportedConversation):
            assert each.messages
            assert len({message.id for message in each.messages}) == len(each.messages)
            each.chat.encode()
            assert all(message.text.strip() for message in each.messages)


@given(st.text(alphabet='[]{}",:0129truefalsn \n-#<>/=\\', max_size=200))
@example("[" * 5000)
@example('{"a":' * 5000)
@example("[" + "9" * 5000 + "]")
@example('[{"mapping": {}}, {"mapping"')
def test_any_text_is_read_without_an_exception(text: str) -> None:
    recognized = open_file(InMemoryImportSource(text=text))

    if isinstance(recognized, RecognizedFile):
        assert all(item is not None for item in recognized.items)
    else:
        assert recognized.reason


def test_a_malformed_line_loses_only_that_line() -> None:
    lines = CODEX.content().splitlines()
    lines[5] = lines[5][:-3]

    items = read_items(InMemoryImportSource(text="\n".join(lines)))

    [conversation] = [each for each in items if isinstance(each, ImportedConversation)]
    assert [message.text for message in conversation.messages] == ["Rename it", "Thanks, I prefer tabs"]
    assert [(each.reason, each.position) for each in items if isinstance(each, Omission)] == [
        (OmissionReason.TRUNCATED, "line 6")
    ]


def test_conversations_before_damage_are_read() -> None:
    whole = json.dumps(CHATGPT.value)
    broken = whole[:-1] + ', {"title": ], "mapping": "and the rest"}]'

    items = read_items(InMemoryImportSource(text=broken))

    assert [each.chat for each in items if isinstance(each, ImportedConversation)] == [
        "chatgpt-c1",
        "chatgpt-c1-a-old",
    ]
    assert (
        Omission(reason=OmissionReason.MALFORMED_JSON, position="element 4", detail="Expecting value")
        in items
    )


def test_a_cycle_in_a_tree_ends_the_path() -> None:
    nodes = {
        name: {"parent": parent, "message": {"author": {"role": "user"}, "content": {"parts": [name]}}}
        for name, parent in (("a", "b"), ("b", "a"))
    }
    value = [{"conversation_id": "c", "mapping": nodes, "current_node": "a"}]

    items = read_items(InMemoryImportSource(text=json.dumps(value)))

    assert items[0] == Omission(reason=OmissionReason.BROKEN_TREE, position="chat chatgpt-c, message b")
    assert [m.text for each in items if isinstance(each, ImportedConversation) for m in each.messages] == [
        "b",
        "a",
    ]


def test_a_long_conversation_is_read_without_recursion() -> None:
    count = 20_000
    nodes = {
        str(number): {
            "parent": str(number - 1) if number else None,
            "message": {"author": {"role": "user"}, "content": {"parts": [f"message {number}"]}},
        }
        for number in range(count)
    }
    value = [{"conversation_id": "c", "mapping": nodes, "current_node": str(count - 1)}]

    [conversation] = read_items(InMemoryImportSource(text=json.dumps(value), chunk_chars=1 << 16))

    assert isinstance(conversation, ImportedConversation)
    assert len(conversation.messages) == count


def test_what_was_said_before_a_compaction_is_part_of_the_conversation() -> None:
    last = CLAUDE_CODE.lines[5]
    assert isinstance(last, dict)
    boundary = {
        "type": "system",
        "uuid": "b",
        "parentUuid": None,
        "logicalParentUuid": "4",
        "sessionId": "s1",
    }
    summary = {**last, "type": "user", "uuid": "5", "parentUuid": "b", "isCompactSummary": True}
    after = {**last, "uuid": "6", "parentUuid": "5"}
    lines = [*CLAUDE_CODE.lines, boundary, summary, after]

    items = read_items(replace(CLAUDE_CODE, lines=lines).source())

    conversations = [each for each in items if isinstance(each, ImportedConversation)]
    assert [[message.id for message in each.messages] for each in conversations] == [["1", "4", "6"], ["old"]]


def test_text_that_a_coding_agent_inserts_is_not_a_prompt() -> None:
    line = CLAUDE_CODE.lines[1]
    assert isinstance(line, dict)
    text = "<command-name>/clear</command-name><local-command-stdout>ok</local-command-stdout>"
    inserted = {**line, "message": {"role": "user", "content": text}}

    items = read_items(InMemoryImportSource(text=json.dumps(inserted)))

    assert items == []


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "the file is empty"),
        ("[]", "the JSON is empty"),
        ('{"a": 1}', "JSON of another application, with a"),
        ("[[1, 2]]", "JSON of another application, with list"),
        ("Dear diary, nothing happened.", "a text without list items"),
        ('[{"a": tru', "truncated at element 1: Expecting value"),
    ],
)
def test_other_content_is_refused_with_a_reason(text: str, reason: str) -> None:
    assert open_file(InMemoryImportSource(text=text)) == UnknownFormat(reason=reason)


def _containers(value: object) -> Iterator[dict[str, object] | list[object]]:
    if isinstance(value, dict | list) and value:
        yield value
        for child in value.values() if isinstance(value, dict) else value:
            yield from _containers(child)
