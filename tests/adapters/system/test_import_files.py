"""Files, folders, archives, compressed files and databases are opened for import."""

import io
import json
import re
import zipfile
from importlib.util import find_spec
from pathlib import Path

import apsw
import pytest
from tests.interchange.samples import CHATGPT, CLAUDE_MEMORY, CODEX, MEM0_HISTORY, MEMPALACE_DATABASE, Sample

from recollect.adapters.system.import_files import CHUNK_BYTES, ImportFile, find_import_files, import_stream
from recollect.errors import InvalidInput
from recollect.interchange.formats import RecognizedFile, UnknownFormat, open_file
from recollect.interchange.items import ImportItem

HAS_ZSTD = any(find_spec(package) for package in ("zstandard", "_zstd"))


def read_items(file: ImportFile) -> list[ImportItem]:
    recognized = open_file(file)
    assert isinstance(recognized, RecognizedFile)
    return list(recognized.items)


def zip_bytes(files: dict[str, bytes]) -> bytes:
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return target.getvalue()


def zstd_bytes(data: bytes) -> bytes:
    """Write one raw block, which needs no compressor."""
    header = b"\x28\xb5\x2f\xfd" + bytes([0b10100000]) + len(data).to_bytes(4, "little")
    return header + ((len(data) << 3) | 1).to_bytes(3, "little") + data


def write_database(path: Path, sample: Sample) -> None:
    connection = apsw.Connection(str(path))
    for table, rows in sample.database.items():
        columns = list(rows[0])
        connection.execute(f"CREATE TABLE {table} ({', '.join(columns)})")
        for row in rows:
            values = [row.get(column) for column in columns]
            connection.execute(f"INSERT INTO {table} VALUES ({', '.join('?' * len(columns))})", values)
    connection.close()


def test_an_archive_is_read_without_unpacking_it(tmp_path: Path) -> None:
    content = {"conversations.json": CHATGPT.content().encode(), "chat.html": b"", "image.png": b"\x89PNG"}
    (tmp_path / "export.zip").write_bytes(zip_bytes(content))

    files = {file.name: file for file in find_import_files(tmp_path / "export.zip")}

    assert list(files) == ["export.zip/chat.html", "export.zip/conversations.json"]
    assert read_items(files["export.zip/conversations.json"]) == list(CHATGPT.items)
    assert open_file(files["export.zip/chat.html"]) == UnknownFormat(reason="the file is empty")
    assert [path.name for path in tmp_path.iterdir()] == ["export.zip"]


def test_archives_inside_an_archive_are_read(tmp_path: Path) -> None:
    inner = zip_bytes({"memories.json": CLAUDE_MEMORY.content().encode()})
    (tmp_path / "claude.zip").write_bytes(zip_bytes({"memories-000.zip": inner}))

    [file] = find_import_files(tmp_path / "claude.zip")

    assert file.name == "claude.zip/memories-000.zip/memories.json"
    assert read_items(file) == list(CLAUDE_MEMORY.items)


def test_a_folder_is_read_with_its_subfolders_in_a_stable_order(tmp_path: Path) -> None:
    (tmp_path / "b").mkdir()
    (tmp_path / "b" / "rollout.jsonl").write_text(CODEX.content(), "utf-8")
    (tmp_path / "a.json").write_text(CHATGPT.content(), "utf-8")
    (tmp_path / "picture.png").write_bytes(b"\x89PNG")

    files = list(find_import_files(tmp_path))

    assert [file.name for file in files] == ["a.json", "b/rollout.jsonl"]
    assert [read_items(file) for file in files] == [list(CHATGPT.items), list(CODEX.items)]


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
def test_text_is_decoded_by_its_byte_order_mark(tmp_path: Path, encoding: str) -> None:
    (tmp_path / "list.txt").write_text("- Gosta de café\n- Mora em São Paulo\n", encoding)

    [file] = find_import_files(tmp_path / "list.txt")

    assert [getattr(item, "text", "") for item in read_items(file)] == ["Gosta de café", "Mora em São Paulo"]


def test_characters_that_lie_across_two_parts_stay_whole(tmp_path: Path) -> None:
    text = json.dumps([{"role": "user", "content": "é" * CHUNK_BYTES}], ensure_ascii=False)
    (tmp_path / "chat.json").write_text(text, "utf-8")

    [file] = find_import_files(tmp_path / "chat.json")

    assert "".join(file.chunks()) == text
    assert len(list(file.chunks())) > 2


@pytest.mark.parametrize("sample", [MEM0_HISTORY, MEMPALACE_DATABASE], ids=lambda sample: sample.label)
def test_a_database_is_read_whatever_its_name(tmp_path: Path, sample: Sample) -> None:
    write_database(tmp_path / "anything.bin", sample)
    before = (tmp_path / "anything.bin").read_bytes()

    [file] = find_import_files(tmp_path / "anything.bin")

    assert read_items(file) == list(sample.items)
    assert (tmp_path / "anything.bin").read_bytes() == before


def test_a_database_inside_an_archive_is_refused_with_a_remedy(tmp_path: Path) -> None:
    write_database(tmp_path / "history.db", MEM0_HISTORY)
    (tmp_path / "export.zip").write_bytes(zip_bytes({"history.db": (tmp_path / "history.db").read_bytes()}))

    [file] = find_import_files(tmp_path / "export.zip")

    with pytest.raises(InvalidInput, match="Unpack it first"):
        open_file(file)


def test_an_upload_is_read_like_a_file() -> None:
    [file] = import_stream("upload.zip", zip_bytes({"conversations.json": CHATGPT.content().encode()}))

    assert read_items(file) == list(CHATGPT.items)


def test_a_damaged_archive_says_what_to_do(tmp_path: Path) -> None:
    content = zip_bytes({"conversations.json": CHATGPT.content().encode()})
    (tmp_path / "export.zip").write_bytes(content[: len(content) // 2])

    [file] = find_import_files(tmp_path)

    with pytest.raises(InvalidInput, match="Download it again"):
        open_file(file)


def test_a_damaged_member_says_what_to_do(tmp_path: Path) -> None:
    content = bytearray(zip_bytes({"conversations.json": CHATGPT.content().encode()}))
    content[60:90] = bytes(30)
    (tmp_path / "export.zip").write_bytes(bytes(content))

    [file] = find_import_files(tmp_path / "export.zip")

    with pytest.raises(InvalidInput, match="Download it again"):
        open_file(file)


def test_a_file_compressed_with_zstd_is_read_or_names_the_package(tmp_path: Path) -> None:
    (tmp_path / "rollout.jsonl.zst").write_bytes(zstd_bytes(CODEX.content().encode()))
    [file] = find_import_files(tmp_path)

    if HAS_ZSTD:
        assert read_items(file) == list(CODEX.items)
    else:
        with pytest.raises(InvalidInput, match=re.escape("pip install 'recollect[zstd]'")):
            open_file(file)


@pytest.mark.skipif(not HAS_ZSTD, reason="zstandard is not installed")
def test_a_damaged_zstd_file_says_what_to_do(tmp_path: Path) -> None:
    content = bytearray(zstd_bytes(CODEX.content().encode()))
    content[9:12] = b"\xff\xff\xff"
    (tmp_path / "rollout.jsonl.zst").write_bytes(content)
    [file] = find_import_files(tmp_path)

    with pytest.raises(InvalidInput, match="Download it again"):
        open_file(file)


def test_a_missing_path_is_named(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match="no-such-file"):
        list(find_import_files(tmp_path / "no-such-file"))


def test_an_archive_in_an_archive_is_read_up_to_a_size(tmp_path: Path) -> None:
    content = bytearray(zip_bytes({"inner.zip": zip_bytes({"memories.json": b"[]"})}))
    uncompressed_size = content.rindex(b"PK\x01\x02") + 24  # of the entry in the central directory
    content[uncompressed_size : uncompressed_size + 4] = (300 << 20).to_bytes(4, "little")
    (tmp_path / "bomb.zip").write_bytes(bytes(content))

    [file] = find_import_files(tmp_path / "bomb.zip")

    with pytest.raises(InvalidInput, match=r"larger than 256 MB\. Unpack bomb.zip first"):
        list(file.chunks())
