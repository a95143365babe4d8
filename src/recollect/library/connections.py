"""
Connections to coding agents and chat clients: writes their configuration files, and undoes that.

What was inserted is recorded, so that `disconnect` gives back the same bytes. Each file is copied before it is written,
and replaced atomically; a symbolic link keeps pointing to it.
"""

import difflib
import json
import shutil
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import Any, Literal, TypeAlias

from recollect.errors import ConfigError, InvalidInput, Refused
from recollect.hosts.config_edits import (
    AppliedEdit,
    Insertion,
    apply_edits,
    edit_from_json,
    edit_to_json,
    has_edit,
    undo_edits,
)
from recollect.hosts.programs import ConfigFolder, ConnectCommands, Program

BACKUP_SUFFIX = ".before-recollect"
ConnectionState: TypeAlias = Literal["connected", "changed", "installed", "not installed"]


@dataclass(frozen=True, slots=True, kw_only=True)
class FileChange:
    """A planned change of one file; None means that the file does not exist."""

    path: Path
    before: str | None
    after: str | None
    applied: tuple[AppliedEdit, ...] = ()
    is_new: bool = False  #: whether the file did not exist before the program was connected
    new_folders: tuple[str, ...] = ()  #: nor these folders, deepest first

    @property
    def diff(self) -> str:
        before, after = ((text or "").splitlines(keepends=True) for text in (self.before, self.after))
        lines = difflib.unified_diff(before, after, str(self.path), str(self.path))
        return "".join(line if line.endswith("\n") else f"{line}\n" for line in lines)


@dataclass(frozen=True, slots=True, kw_only=True)
class FileRecord:
    """What was inserted into a file."""

    path: Path
    applied: tuple[AppliedEdit, ...]
    is_new: bool
    new_folders: tuple[str, ...]


class Connections:
    def __init__(self, record: Path, *, home: Path, environ: Mapping[str, str], platform: str) -> None:
        """`record` is the file that remembers what was inserted."""
        self._record = record
        self._home = home
        self._environ = environ
        self._platform = platform

    def state(self, program: Program, commands: ConnectCommands) -> ConnectionState:
        """Return whether a program is connected; "changed" means that its files have other entries than expected."""
        if program.name in self._records():
            changes = program.changes(commands)
            texts = [(_read(self._path(change.folder, change.name)) or "", change) for change in changes]
            is_current = all(_has_all(text, change.edits) for text, change in texts)
            return "connected" if is_current else "changed"
        return "installed" if self.is_installed(program) else "not installed"

    def is_installed(self, program: Program) -> bool:
        has_folder = program.folder is not None and self._folder(program.folder).is_dir()
        path = self._environ.get("PATH", "")
        return has_folder or any(shutil.which(name, path=path) for name in program.executables)

    def plan_connect(self, program: Program, commands: ConnectCommands) -> list[FileChange]:
        """Return the changes that connect a program; entries of an earlier connection are replaced."""
        undone = {change.path: change for change in self._undo_recorded(program)}
        changes: list[FileChange] = []
        for change in program.changes(commands):
            path = self._path(change.folder, change.name)
            earlier = undone.pop(path, None)
            before = _read(path)
            base = earlier.after if earlier else before
            try:
                after, applied = apply_edits(base or "", change.edits)
            except (InvalidInput, Refused) as error:
                raise type(error)(f"{path}: {error}") from error
            changes.append(
                FileChange(
                    path=path,
                    before=before,
                    after=after,
                    applied=applied,
                    is_new=earlier.is_new if earlier else before is None,
                    new_folders=earlier.new_folders if earlier else tuple(map(str, _missing_folders(path))),
                )
            )
        return [*changes, *undone.values()]

    def plan_disconnect(self, program: Program) -> list[FileChange]:
        return list(self._undo_recorded(program))

    def apply(self, program: Program, changes: Sequence[FileChange]) -> None:
        """Write the files and record what was inserted; a program without insertions is forgotten."""
        for change in changes:
            if change.after == change.before:
                continue
            if _read(change.path) != change.before:
                raise Refused(
                    f"{change.path} was changed just now by another program. Run the command again."
                )
            _write(change)
        records = self._records()
        records[program.name] = [_record_to_json(change) for change in changes if change.applied]
        if not records[program.name]:
            del records[program.name]
        _write_text(self._record, json.dumps(records, indent=2, ensure_ascii=False) + "\n")

    def _undo_recorded(self, program: Program) -> Iterator[FileChange]:
        for record in map(_record_from_json, self._records().get(program.name, [])):
            before = _read(record.path)
            if before is None:
                continue
            try:
                after: str | None = undo_edits(before, record.applied)
            except (InvalidInput, Refused) as error:
                raise type(error)(f"{record.path}: {error}") from error
            yield FileChange(
                path=record.path,
                before=before,
                after=None if not after and record.is_new else after,
                is_new=record.is_new,
                new_folders=record.new_folders,
            )

    def _records(self) -> dict[str, list[Any]]:
        text = _read(self._record)
        try:
            records: dict[str, list[Any]] = json.loads(text) if text else {}
        except ValueError as error:
            raise ConfigError(f"{self._record} is damaged: {error}. Delete it and connect again.") from error
        return records

    def _path(self, folder: ConfigFolder, name: str) -> Path:
        return self._folder(folder) / name

    def _folder(self, folder: ConfigFolder) -> Path:
        return locate_folder(folder, self._home, self._environ, self._platform)


def locate_folder(folder: ConfigFolder, home: Path, environ: Mapping[str, str], platform: str) -> Path:
    path = folder.path(environ, platform)
    return home / path[1:].lstrip("/") if path.startswith("~") else Path(path)


def _has_all(text: str, edits: Sequence[Any]) -> bool:
    try:
        return all(has_edit(text, edit) for edit in edits)
    except InvalidInput:
        return False


def _read(path: Path) -> str | None:
    """Return the text with its line ends, or None without a file."""
    try:
        return path.read_bytes().decode("utf-8")
    except FileNotFoundError:
        return None
    except UnicodeDecodeError as error:
        raise InvalidInput(f"{path} is not UTF-8, so it is left alone. Save it as UTF-8.") from error
    except OSError as error:
        raise ConfigError(f"Cannot read {path}: {error.strerror}.") from error


def _write(change: FileChange) -> None:
    path, backup = change.path.resolve(), _backup_path(change.path)
    if change.after is None:
        path.unlink()
        for folder in map(Path, change.new_folders):
            if folder.is_dir() and not any(folder.iterdir()):
                folder.rmdir()
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    if change.before is not None and change.applied:
        shutil.copy2(path, backup)
    _write_text(path, change.after)
    if not change.applied and backup.exists() and backup.read_bytes() == change.after.encode():
        backup.unlink()


def _write_text(path: Path, text: str) -> None:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with NamedTemporaryFile("wb", dir=path.parent, prefix=f".{path.name}.", delete=False) as file:
            file.write(text.encode())
        if path.exists():
            shutil.copymode(path, file.name)
        Path(file.name).replace(path)
    except OSError as error:
        raise ConfigError(f"Cannot write {path}: {error.strerror}. Check its permissions.") from error


def _backup_path(path: Path) -> Path:
    resolved = path.resolve()
    return resolved.with_name(resolved.name + BACKUP_SUFFIX)


def _missing_folders(path: Path) -> list[Path]:
    """Return the folders above a file that do not exist, deepest first."""
    return [folder for folder in path.parents if not folder.exists()]


def _record_to_json(change: FileChange) -> dict[str, object]:
    edits = [
        {
            "edit": edit_to_json(each.edit),
            "insertions": [[insertion.offset, insertion.text] for insertion in each.insertions],
        }
        for each in change.applied
    ]
    return {
        "path": str(change.path),
        "edits": edits,
        "is_new": change.is_new,
        "new_folders": [*change.new_folders],
    }


def _record_from_json(record: Mapping[str, Any]) -> FileRecord:
    return FileRecord(
        path=Path(record["path"]),
        applied=tuple(
            AppliedEdit(
                edit=edit_from_json(each["edit"]),
                insertions=tuple(Insertion(offset=offset, text=text) for offset, text in each["insertions"]),
            )
            for each in record["edits"]
        ),
        is_new=record["is_new"],
        new_folders=tuple(record["new_folders"]),
    )
