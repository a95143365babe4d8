"""
Files to import: plain files, folders, ZIP archives (also inside each other), zstd-compressed files, SQLite databases.

Nothing is written to disk, so paths inside an archive cannot lead outside a folder. Text is decoded while it is read.
"""

import codecs
import io
import re
import zipfile
import zlib
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass
from functools import cached_property, partial
from importlib import import_module
from pathlib import Path
from typing import IO, BinaryIO, TypeAlias, cast

import apsw

from recollect.errors import InvalidInput

CHUNK_BYTES = 1 << 20
#: A larger member of an archive is not an export but an attack on the disk or the memory.
MAX_MEMBER_BYTES = 16 << 30
MAX_ARCHIVE_DEPTH = 3
#: An archive inside another is read into memory.
MAX_NESTED_ARCHIVE_BYTES = 256 << 20
#: Suffixes that are read in folders and archives; a file that the user names is always read.
IMPORT_SUFFIXES = frozenset(
    ".json .jsonl .zst .md .markdown .txt .html .htm .af .db .sqlite .sqlite3 .zip".split()
)
SQLITE_HEADER = b"SQLite format 3\0"
ZIP_HEADER = b"PK\x03\x04"
ZSTD_HEADER = b"\x28\xb5\x2f\xfd"
_TABLE_NAME = re.compile(r"[A-Za-z_]\w*")

FileOpener: TypeAlias = Callable[[], BinaryIO]


def find_import_files(path: Path) -> Iterator["ImportFile"]:
    """Yield the files to import at a path, which may be a file, an archive or a folder, in a stable order."""
    if path.is_dir():
        for each in sorted(path.rglob("*")):
            if each.is_file() and each.suffix.casefold() in IMPORT_SUFFIXES:
                yield from _expand(str(each.relative_to(path)), partial(_open_path, each), each)
    elif path.exists():
        yield from _expand(path.name, partial(_open_path, path), path)
    else:
        raise InvalidInput(f"There is no file or folder {path}. Check the path.")


def import_stream(name: str, data: bytes) -> Iterator["ImportFile"]:
    """Yield the files in an upload or in standard input."""
    yield from _expand(name, partial(io.BytesIO, data), None)


@dataclass(frozen=True)
class ImportFile:
    """One file; implements the source that formats read from."""

    name: str
    open: FileOpener
    path: Path | None  #: where a database is; databases inside archives are not read

    @cached_property
    def _header(self) -> bytes:
        with closing(self.open()) as file, _translate_damage(self.name):
            return file.read(len(SQLITE_HEADER))

    @property
    def is_database(self) -> bool:
        return self._header == SQLITE_HEADER

    def tables(self) -> frozenset[str]:
        if not self.is_database:
            return frozenset()
        with closing(self._connect()) as connection:
            names = connection.execute("SELECT name FROM sqlite_schema WHERE type = 'table'")
            return frozenset(str(name) for (name,) in names)

    def rows(self, table: str) -> Iterator[Mapping[str, object]]:
        if not _TABLE_NAME.fullmatch(table):
            raise InvalidInput(f"{table!r} is not the name of a table.")
        with closing(self._connect()) as connection:
            try:
                cursor = connection.execute(f'SELECT * FROM "{table}"')
                columns = [name for name, *_ in cursor.description_full] if cursor.description_full else []
                for row in cursor:
                    yield dict(zip(columns, row, strict=True))
            except apsw.Error as error:
                raise InvalidInput(f"{self.name}: the table {table} cannot be read ({error}).") from error

    def chunks(self) -> Iterator[str]:
        with closing(self._open_decompressed()) as file:
            part = self._read_part(file)
            decoder = codecs.getincrementaldecoder(_detect_encoding(part))(errors="replace")
            while part:
                yield decoder.decode(part)
                part = self._read_part(file)
            yield decoder.decode(b"", final=True)

    def _read_part(self, file: BinaryIO) -> bytes:
        with _translate_damage(self.name):
            return file.read(CHUNK_BYTES)

    def _open_decompressed(self) -> BinaryIO:
        file = self.open()
        return _decompress(file, self.name) if self._header.startswith(ZSTD_HEADER) else file

    def _connect(self) -> apsw.Connection:
        if self.path is None:
            raise InvalidInput(f"{self.name} is a database inside an archive. Unpack it first.")
        try:
            return apsw.Connection(str(self.path), flags=apsw.SQLITE_OPEN_READONLY)
        except apsw.Error as error:
            raise InvalidInput(f"{self.name} cannot be opened as a database ({error}).") from error


def _open_path(path: Path) -> BinaryIO:
    try:
        return path.open("rb")
    except OSError as error:
        raise InvalidInput(f"Cannot read {path}: {error.strerror}.") from error


def _expand(name: str, open_file: FileOpener, path: Path | None, depth: int = 0) -> Iterator[ImportFile]:
    """Yield a file, or the members of an archive. One that is damaged is yielded too, and says so when it is read."""
    try:
        members = _list_members(name, open_file) if _is_archive(name, open_file, depth) else None
    except InvalidInput as error:
        yield ImportFile(name, partial(_raise, error), None)
        return
    if members is None:
        yield ImportFile(name, open_file, path)
        return
    for member in members:
        yield from _expand(
            f"{name}/{member}", partial(_open_member, name, open_file, member), None, depth + 1
        )


def _is_archive(name: str, open_file: FileOpener, depth: int) -> bool:
    if depth and not (depth < MAX_ARCHIVE_DEPTH and name.casefold().endswith(".zip")):
        return False
    with closing(open_file()) as file, _translate_damage(name):
        return file.read(len(ZIP_HEADER)) == ZIP_HEADER


def _raise(error: InvalidInput) -> BinaryIO:
    raise error


def _list_members(name: str, open_file: FileOpener) -> list[str]:
    with closing(open_file()) as file, _translate_damage(name), zipfile.ZipFile(file) as archive:
        return sorted(
            each.filename
            for each in archive.infolist()
            if not each.is_dir()
            and Path(each.filename).suffix.casefold() in IMPORT_SUFFIXES
            and each.file_size <= MAX_MEMBER_BYTES
            and not each.filename.startswith("__MACOSX/")
        )


def _open_member(name: str, open_file: FileOpener, member: str) -> BinaryIO:
    with ExitStack() as resources, _translate_damage(f"{member} in {name}"):
        archive_file = resources.enter_context(closing(open_file()))
        archive = resources.enter_context(zipfile.ZipFile(archive_file))
        content = resources.enter_context(archive.open(member))
        if member.casefold().endswith(".zip"):
            # No more is read than the size that the archive states, even if it lies.
            if archive.getinfo(member).file_size > MAX_NESTED_ARCHIVE_BYTES:
                limit = MAX_NESTED_ARCHIVE_BYTES >> 20
                raise InvalidInput(
                    f"{member} in {name} is an archive inside an archive, and larger than {limit} MB."
                    f" Unpack {name} first."
                )
            # An archive is read at its end first.
            return io.BytesIO(content.read())
        return cast("BinaryIO", _OwningReader(content, resources.pop_all()))
    raise AssertionError  # unreachable: the block returns or raises


class _OwningReader:
    """A file inside another, which it closes with itself."""

    def __init__(
        self, content: IO[bytes], resources: ExitStack, errors: tuple[type[Exception], ...] = ()
    ) -> None:
        """Create a reader; ``errors`` of the decompressor are raised as EOFError."""
        self._content = content
        self._resources = resources
        self._errors = errors

    def read(self, size: int = -1) -> bytes:
        try:
            return self._content.read(size)
        except self._errors as error:
            raise EOFError(str(error)) from error

    def close(self) -> None:
        self._resources.close()


@contextmanager
def _translate_damage(name: str) -> Iterator[None]:
    try:
        yield
    except (zipfile.BadZipFile, zlib.error, OSError, EOFError, NotImplementedError, RuntimeError) as error:
        raise InvalidInput(
            f"{name} is damaged or encrypted and cannot be read ({error}). Download it again."
        ) from error


def _decompress(file: BinaryIO, name: str) -> BinaryIO:
    resources = ExitStack()
    resources.callback(file.close)
    for module in ("compression.zstd", "zstandard"):
        try:
            zstd = import_module(module)
        except ModuleNotFoundError:
            continue
        content = resources.enter_context(zstd.open(file, "rb"))
        return cast("BinaryIO", _OwningReader(content, resources, (zstd.ZstdError,)))
    resources.close()
    raise InvalidInput(f"{name} is compressed with zstd. Install the package: pip install 'recollect[zstd]'.")


def _detect_encoding(head: bytes) -> str:
    if head.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return "utf-16"
    return "utf-8-sig"
