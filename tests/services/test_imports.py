"""Import of other applications' files: counts, dates, branches, repetition, interruption and undo."""

import json
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.interchange.samples import (
    BASIC_MEMORY,
    CHATGPT,
    CLAUDE_CODE,
    CLAUDE_PROJECT,
    CODEX,
    CURSOR,
    GEMINI_CLI,
    MCP_MEMORY,
    MEM0,
    NOON,
    OPENCODE_EXPORT,
    SAMPLES,
    Sample,
)

from recollect import Memory
from recollect.domain.import_report import ImportPreview, ImportProgress, ImportReport, ImportUndoReport
from recollect.domain.memory import ChangeKind, Kind, MemoryStatus
from recollect.domain.reason import Reason, ReasonCode
from recollect.domain.scope import Scope
from recollect.errors import NotFound, Refused
from recollect.hosts.events import chat_id
from recollect.interchange.exports import ExportFormat
from recollect.testing.clock import FrozenClock
from recollect.testing.embedders import LetterEmbedder
from recollect.testing.import_sources import InMemoryImportSource
from recollect.testing.inspection import store_of

ANA = Scope("ana")
SECRET = "sk-proj-" + "a1B2c3D4e5F6g7H8" * 3


def open_memory(path: Path) -> Memory:
    return Memory(
        path, user_id="ana", embedder=LetterEmbedder(), clock=FrozenClock(), settings={"worker": False}
    )


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    with open_memory(tmp_path / "memory.db") as opened:
        yield opened


def run_import(memory: Memory, *sources: InMemoryImportSource, with_branches: bool = False) -> ImportReport:
    application = memory.application
    policy = application.policy("ana")
    return application.services.imports.run(ANA, sources, policy, source="test", with_branches=with_branches)


def preview_import(memory: Memory, *sources: InMemoryImportSource) -> ImportPreview:
    application = memory.application
    return application.services.imports.preview(ANA, sources, application.policy("ana"))


def undo_import(memory: Memory) -> ImportUndoReport:
    application = memory.application
    return application.services.imports.undo(ANA, "last", application.policy("ana"))


def messages_by_chat(memory: Memory) -> dict[str, list[tuple[str, str]]]:
    store = store_of(memory.application)
    return {
        chat.id: [(each.role.value, each.content) for each in store.messages.list(Scope("ana", chat.id))]
        for chat in store.chats.list(ANA)
    }


def memory_texts(memory: Memory) -> list[str]:
    return sorted(each.text for each in store_of(memory.application).memories.list(ANA, limit=1000))


def chat_source(*messages: tuple[str, str], chat: str = "c1") -> InMemoryImportSource:
    lines = {
        "messages": [
            {"role": role, "content": text, "id": f"m{number}", "created_at": "2026-03-01T12:00:00Z"}
            for number, (role, text) in enumerate(messages)
        ],
        "recollect": {"chat": chat, "title": "A chat"},
    }
    return InMemoryImportSource(name="chat.jsonl", text=json.dumps(lines))


def test_an_import_keeps_chats_titles_dates_and_roles(memory: Memory) -> None:
    report = run_import(memory, CHATGPT.source())

    assert messages_by_chat(memory) == {
        "chatgpt-c1": [
            ("user", "I moved to Lisbon. Any parks?"),
            ("assistant", "Try Jardim da Estrela."),
            ("user", "This one?"),
        ]
    }
    store = store_of(memory.application)
    assert store.chats.get(Scope("ana", "chatgpt-c1")).title == "Parks"
    assert {each.created_at for each in store.messages.list(Scope("ana", "chatgpt-c1"))} == {NOON}
    assert [file.name for file in store.context_files.list(ANA)] == ["ChatGPT custom instructions"]
    assert (report.counts.messages, report.counts.branches, report.counts.context_files) == (3, 1, 1)
    assert (report.counts.oldest, report.counts.newest) == (NOON, NOON)
    assert report.counts.omissions["do_not_remember"] == 1
    assert [each.position for each in report.counts.damaged_parts] == ["element 3"]


def test_branches_that_the_user_left_are_imported_only_if_asked(memory: Memory) -> None:
    run_import(memory, CHATGPT.source())
    assert "chatgpt-c1-a-old" not in messages_by_chat(memory)

    run_import(memory, CHATGPT.source(), with_branches=True)

    assert messages_by_chat(memory)["chatgpt-c1-a-old"] == [
        ("user", "Where is Lisbn?"),
        ("assistant", "Do you mean Lisbon?"),
    ]


def test_what_is_learned_from_an_imported_chat_cites_it(memory: Memory) -> None:
    run_import(memory, CHATGPT.source())
    memory.flush()

    [learned] = [each for each in store_of(memory.application).memories.list(ANA) if "Lisbon" in each.text]
    [message] = store_of(memory.application).messages.get_many(
        ANA, [span.message_id for span in learned.spans]
    )
    assert message.content == "I moved to Lisbon. Any parks?"


@pytest.mark.parametrize("sample", SAMPLES, ids=lambda sample: sample.label)
def test_importing_twice_adds_nothing(memory: Memory, sample: Sample) -> None:
    run_import(memory, sample.source())
    before = (
        messages_by_chat(memory),
        memory_texts(memory),
        store_of(memory.application).context_files.list(ANA),
    )

    again = run_import(memory, sample.source())

    after = (
        messages_by_chat(memory),
        memory_texts(memory),
        store_of(memory.application).context_files.list(ANA),
    )
    assert after == before
    assert (again.counts.messages, again.counts.memories, again.counts.context_files) == (0, 0, 0)


@settings(max_examples=20, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.lists(
        st.tuples(st.sampled_from(["user", "assistant"]), st.text(alphabet="ab é\n", min_size=1, max_size=8)),
        min_size=1,
        max_size=8,
    )
)
def test_any_conversation_is_imported_once(tmp_path: Path, messages: list[tuple[str, str]]) -> None:
    with open_memory(tmp_path / f"{abs(hash(tuple(messages)))}.db") as memory:
        source = chat_source(*messages)
        run_import(memory, source)
        first = messages_by_chat(memory)
        run_import(memory, source)

        assert messages_by_chat(memory) == first


def test_a_dry_run_stores_nothing_and_predicts_the_import(memory: Memory) -> None:
    sources = [CHATGPT.source(), MEM0.source(), CLAUDE_PROJECT.source()]

    preview = preview_import(memory, *sources)

    assert messages_by_chat(memory) == {}
    assert memory_texts(memory) == []
    report = run_import(memory, *sources)
    assert report.counts == preview.counts
    assert preview.tokens > 0
    assert preview.passages >= 4
    assert preview.embedding_seconds is not None


def test_a_dry_run_counts_duplicates_and_secrets(memory: Memory) -> None:
    source = chat_source(("user", f"My key is {SECRET}"), ("assistant", "Noted."))

    preview = preview_import(memory, source, source)
    run_import(memory, source)

    assert (preview.counts.messages, preview.counts.duplicates) == (2, 2)
    assert sum(preview.counts.secrets.values()) == 1
    assert preview_import(memory, source).counts.duplicates == 2
    assert SECRET not in json.dumps(messages_by_chat(memory))


def test_progress_says_the_remaining_time(memory: Memory) -> None:
    progress: list[ImportProgress] = []
    application = memory.application

    application.services.imports.run(
        ANA,
        [CHATGPT.source(), MEM0.source()],
        application.policy("ana"),
        source="test",
        expected_items=5,
        on_progress=progress.append,
    )

    assert [each.items for each in progress] == [1, 4, 5]
    assert progress[-1].remaining_seconds == 0
    assert replace(progress[0], elapsed_seconds=2.0).remaining_seconds == 8.0


class Interruption(Exception):
    pass


def test_an_interrupted_import_continues_and_is_undone_as_one(memory: Memory) -> None:
    def interrupt(progress: ImportProgress) -> None:
        if progress.items >= 3:
            raise Interruption

    first, second = (
        chat_source(("user", "I like tea"), ("user", "one")),
        chat_source(("user", "two"), chat="c2"),
    )
    application = memory.application
    with pytest.raises(Interruption):
        application.services.imports.run(
            ANA, [first, second], application.policy("ana"), source="test", on_progress=interrupt
        )

    report = run_import(memory, first, second)

    assert report.counts.messages + report.counts.duplicates == 3
    assert {chat: len(messages) for chat, messages in messages_by_chat(memory).items()} == {"c1": 2, "c2": 1}
    assert len(application.services.imports.list_imports(ANA)) == 1
    undo_import(memory)
    assert messages_by_chat(memory) == {}


def test_messages_that_a_crash_left_out_of_the_ledger_are_taken_over_by_the_next_run(memory: Memory) -> None:
    report = run_import(memory, CHATGPT.source())
    store_of(memory.application).imports.delete(ANA, report.import_id or "")

    again = run_import(memory, CHATGPT.source())

    assert (again.counts.messages, again.counts.duplicates) == (0, 3)
    assert len(messages_by_chat(memory)["chatgpt-c1"]) == 3
    undo_import(memory)
    assert messages_by_chat(memory) == {}


def test_undo_deletes_messages_memories_files_and_what_was_learned(memory: Memory) -> None:
    memory.add("I like rain.", chat_id="own", sync=True)
    before = messages_by_chat(memory), memory_texts(memory)
    run_import(memory, CHATGPT.source(), MEM0.source(), CLAUDE_PROJECT.source())
    memory.flush()
    assert len(memory_texts(memory)) > len(before[1]) + 1

    undo_import(memory)

    assert (messages_by_chat(memory), memory_texts(memory)) == before
    assert store_of(memory.application).context_files.list(ANA) == []
    with pytest.raises(NotFound):
        undo_import(memory)


def test_after_an_undo_the_same_file_can_be_imported_again(memory: Memory) -> None:
    run_import(memory, CHATGPT.source(), MEM0.source())
    undo_import(memory)

    report = run_import(memory, CHATGPT.source(), MEM0.source())

    assert (report.counts.messages, report.counts.memories) == (3, 1)


def test_undo_keeps_what_was_said_in_an_imported_chat_later(memory: Memory) -> None:
    run_import(memory, CHATGPT.source())
    memory.add("And today?", chat_id="chatgpt-c1", sync=True)

    undo_import(memory)

    assert messages_by_chat(memory) == {"chatgpt-c1": [("user", "And today?")]}


def test_undo_keeps_and_names_a_memory_that_was_changed_since(memory: Memory) -> None:
    run_import(memory, MEM0.source())
    [imported] = store_of(memory.application).memories.list(ANA)
    memory.update(imported.id, "Likes cricket and golf")

    report = undo_import(memory)

    assert memory_texts(memory) == ["Likes cricket and golf"]
    assert report.kept == (Reason(ReasonCode.CHANGED_SINCE_IMPORT, {"text": "Likes cricket and golf"}),)


def test_a_message_that_a_hook_stored_is_not_imported_again(memory: Memory) -> None:
    memory.add([{"role": "user", "content": "I like tea"}], chat_id="c1", sync=True)

    report = run_import(
        memory, chat_source(("user", "I like tea"), ("assistant", "Noted."), ("user", "I like tea"))
    )

    assert (report.counts.messages, report.counts.duplicates) == (2, 1)
    assert [text for _, text in messages_by_chat(memory)["c1"]].count("I like tea") == 2


@pytest.mark.parametrize(
    ("host", "sample", "session"),
    [
        ("claude-code", CLAUDE_CODE, "s1"),
        ("codex", CODEX, "k1"),
        ("gemini", GEMINI_CLI, "g1"),
        ("cursor", CURSOR, "7f"),
        ("opencode", OPENCODE_EXPORT, "o1"),
    ],
)
def test_hooks_and_transcripts_of_a_session_share_a_chat(
    memory: Memory, host: str, sample: Sample, session: str
) -> None:
    run_import(memory, sample.source())

    assert chat_id(host, session) in messages_by_chat(memory)


def test_secrets_in_memories_are_counted_and_redacted(memory: Memory) -> None:
    source = InMemoryImportSource(name="list.txt", text=f"- likes tea\n- the api key is {SECRET}")
    preview, report = preview_import(memory, source), run_import(memory, source)

    assert preview.counts.secrets == report.counts.secrets == {"openai key": 1}
    assert not any(SECRET in text for text in memory_texts(memory))


def test_a_dry_run_tells_the_dates_of_memories(memory: Memory) -> None:
    text = "[2024-01-01] - likes tea\n[2026-01-01] - likes rye bread"
    counts = preview_import(memory, InMemoryImportSource(name="list.txt", text=text)).counts

    assert (counts.oldest, counts.newest) == (
        datetime(2024, 1, 1, tzinfo=UTC),
        datetime(2026, 1, 1, tzinfo=UTC),
    )


def test_an_import_that_adds_nothing_is_not_listed(memory: Memory) -> None:
    first = run_import(memory, MEM0.source())

    again = run_import(memory, MEM0.source())

    assert again.import_id is None
    assert [each.id for each in memory.imports.list()] == [first.import_id]


def test_messages_that_the_user_deleted_do_not_come_back(memory: Memory) -> None:
    run_import(memory, CHATGPT.source())
    application = memory.application
    application.services.chats.delete_chat(Scope("ana", "chatgpt-c1"), application.policy("ana"))

    run_import(memory, CHATGPT.source())

    assert messages_by_chat(memory) == {}


def test_a_forgotten_memory_does_not_come_back(memory: Memory) -> None:
    run_import(memory, MCP_MEMORY.source())
    [spoken] = [each for each in store_of(memory.application).memories.list(ANA) if "Portuguese" in each.text]
    memory.delete(spoken.id)

    renamed = replace(MCP_MEMORY, lines=[MCP_MEMORY.lines[0], MCP_MEMORY.lines[2]])
    run_import(memory, renamed.source())

    assert "Speaks Portuguese" not in memory_texts(memory)


def test_off_means_that_nothing_is_imported(memory: Memory) -> None:
    application = memory.application
    policy = application.policy("ana", {"memory.mode": "off"})

    with pytest.raises(Refused, match="off"):
        application.services.imports.run(ANA, [CHATGPT.source()], policy, source="test")


def test_a_file_that_cannot_be_read_does_not_stop_the_others(memory: Memory) -> None:
    unknown = InMemoryImportSource(name="diary.txt", text="Dear diary.")

    report = run_import(memory, unknown, MEM0.source())

    assert report.counts.memories == 1
    assert [(each.file, each.reason) for each in report.counts.damaged_parts] == [
        ("diary.txt", "unknown_format")
    ]


def export_files(memory: Memory, export_format: ExportFormat) -> dict[str, str]:
    exports = memory.application.services.exports
    return {file.name: file.text for file in exports.export(ANA, export_format)}


@pytest.mark.parametrize("export_format", [each for each in ExportFormat if each is not ExportFormat.PACK])
def test_export_import_export_is_byte_identical(tmp_path: Path, export_format: ExportFormat) -> None:
    with open_memory(tmp_path / "first.db") as first, open_memory(tmp_path / "second.db") as second:
        run_import(first, MEM0.source(), BASIC_MEMORY.source(), CHATGPT.source(), MCP_MEMORY.source())
        first.add('I prefer "quotes": yes # and [brackets]', tags=["a, b", "ção"], sync=True)
        first.add("no", tags=["true"], sync=True)
        store = store_of(first.application)
        [tagged] = [each for each in store.memories.list(ANA) if "cricket" in each.text]
        pinned = replace(
            tagged, pinned=True, expires_at=datetime(2027, 1, 2, 3, 4, 5, tzinfo=UTC), times_stated=3
        )
        store.memories.save(pinned, ChangeKind.UPDATE)
        exported = export_files(first, export_format)

        run_import(second, *(InMemoryImportSource(name=name, text=text) for name, text in exported.items()))

        assert all(exported.values())
        assert export_files(second, export_format) == exported
        assert all(
            each.status is MemoryStatus.ACTIVE for each in store_of(second.application).memories.list(ANA)
        )


def test_an_own_export_of_chats_adds_nothing_to_its_origin(memory: Memory) -> None:
    memory.add([{"role": "user", "content": "Hi"}, {"role": "assistant", "content": "Hello"}], chat_id="own")
    exported = export_files(memory, ExportFormat.OPENAI)
    before = messages_by_chat(memory)

    run_import(memory, *(InMemoryImportSource(name=name, text=text) for name, text in exported.items()))

    assert messages_by_chat(memory) == before


def test_statements_about_the_user_are_facts_like_those_of_chats(memory: Memory) -> None:
    memory.add({"role": "user", "content": "I hate cilantro."}, sync=True)
    statements = (
        "[2024-01-01] - User lives in Lisbon.\n[2026-01-01] - lives in Porto\n[2026-01-02] - hates cilantro"
    )
    report = run_import(memory, InMemoryImportSource(name="list.txt", text=statements))
    active = {
        each.text: (each.kind, each.attribute) for each in store_of(memory.application).memories.list(ANA)
    }

    assert (report.counts.memories, report.counts.duplicates) == (2, 1)
    assert active == {
        "lives in Porto": (Kind.BIOGRAPHY, "lives_in"),
        "hates cilantro": (Kind.PREFERENCE, None),
    }
