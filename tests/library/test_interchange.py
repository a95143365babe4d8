"""Import and export through the library."""

import io
import stat
from pathlib import Path

import pytest
from tests.interchange.samples import CHATGPT, MEM0

from recollect import Memory
from recollect.domain.import_report import ImportProgress
from recollect.domain.scope import Scope
from recollect.errors import InvalidInput, Refused
from recollect.testing.embedders import LetterEmbedder
from recollect.testing.inspection import store_of


def open_memory(folder: Path) -> Memory:
    return Memory(folder / "memory.db", user_id="ana", embedder=LetterEmbedder(), settings={"worker": False})


def test_a_folder_is_previewed_imported_with_progress_and_undone(tmp_path: Path) -> None:
    folder = tmp_path / "exports"
    folder.mkdir()
    (folder / "conversations.json").write_text(CHATGPT.content())
    (folder / "mem0.json").write_text(MEM0.content())
    (folder / "photo.png").write_bytes(b"\x89PNG")
    progress: list[ImportProgress] = []
    with open_memory(tmp_path) as memory:
        preview = memory.imports.preview(folder)
        report = memory.import_from(folder, progress=progress.append)
        records = memory.imports.list()
        undone = memory.imports.undo()
        left = memory.imports.list()

    assert report.counts == preview.counts
    assert report.counts.files == {"chatgpt": 1, "mem0": 1}
    assert (progress[-1].items, progress[-1].remaining_seconds) == (progress[-1].expected_items, 0)
    assert [record.source for record in records] == [str(folder)]
    assert (undone.messages, undone.memories, undone.context_files) == (3, report.counts.memories, 1)
    assert left == []


def test_a_stream_is_imported(tmp_path: Path) -> None:
    with open_memory(tmp_path) as memory:
        report = memory.import_from(io.BytesIO(CHATGPT.content().encode()), user_id="bia")

        assert report.counts.messages == 3
        assert store_of(memory.application).chats.get(Scope("bia", "chatgpt-c1")).message_count == 3


def test_a_pack_restores_all_data_and_has_no_undo(tmp_path: Path) -> None:
    with open_memory(tmp_path) as memory:
        memory.add("I like tea.", chat_id="c", sync=True)
        memory.export_to(tmp_path / "ana.jsonl")
        preview = memory.imports.preview(tmp_path / "ana.jsonl", user_id="bia")
        report = memory.import_from(tmp_path / "ana.jsonl", user_id="bia")
        texts = texts_of(memory, "bia"), texts_of(memory, "ana")

    assert report.counts == preview.counts
    assert report.counts.files == {"pack": 1}
    assert report.import_id is None
    assert texts[0] == texts[1] != []


def texts_of(memory: Memory, user: str) -> list[str]:
    return sorted(each.text for each in store_of(memory.application).memories.list(Scope(user)))


def test_an_export_is_private_and_replaces_nothing_unless_allowed(tmp_path: Path) -> None:
    with open_memory(tmp_path) as memory:
        memory.add("I like tea.", sync=True)
        report = memory.export_to(tmp_path / "notes", "markdown")
        with pytest.raises(Refused, match="not empty"):
            memory.export_to(tmp_path / "notes", "markdown")
        memory.export_to(tmp_path / "a.json", "compact")
        with pytest.raises(Refused, match="exists already"):
            memory.export_to(tmp_path / "a.json", "compact")
        memory.export_to(tmp_path / "a.json", "compact", overwrite=True)

    [note] = (tmp_path / "notes").iterdir()
    assert report.files == 1
    assert stat.S_IMODE(note.stat().st_mode) == stat.S_IMODE((tmp_path / "a.json").stat().st_mode) == 0o600


def test_an_unknown_export_format_is_refused_with_the_known_ones(tmp_path: Path) -> None:
    with open_memory(tmp_path) as memory, pytest.raises(InvalidInput, match="pack, markdown, basic-memory"):
        memory.export_to(tmp_path / "a", "yaml")
