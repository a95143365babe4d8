"""Export to files and folders."""

from collections.abc import Iterable
from pathlib import Path

from recollect.domain.import_report import ExportReport
from recollect.errors import InvalidInput, Refused
from recollect.interchange.exports import ExportFile, ExportFormat


def parse_export_format(name: str) -> ExportFormat:
    try:
        return ExportFormat(name)
    except ValueError as error:
        raise InvalidInput(
            f"There is no export format {name!r}. Use one of: {', '.join(ExportFormat)}."
        ) from error


def write_export(
    files: Iterable[ExportFile], export_format: ExportFormat, path: Path, *, overwrite: bool
) -> ExportReport:
    """Write an export to a file or a folder."""
    write = _write_folder if export_format.is_folder else _write_single
    sizes = write(path, files, overwrite=overwrite)
    return ExportReport(path=str(path), format=export_format.value, files=len(sizes), bytes=sum(sizes))


def _write_single(path: Path, files: Iterable[ExportFile], *, overwrite: bool) -> list[int]:
    if path.is_dir():
        raise InvalidInput(f"{path} is a folder, and this format is one file. Name the file.")
    [file] = files
    return [_write_file(path, file, overwrite=overwrite)]


def _write_folder(path: Path, files: Iterable[ExportFile], *, overwrite: bool) -> list[int]:
    if path.is_dir() and any(path.iterdir()) and not overwrite:
        raise Refused(f"The folder {path} is not empty. Choose another, or allow overwriting.")
    for file in (written := [*files]):
        _make_folder((path / file.name).parent)
    return [_write_file(path / file.name, file, overwrite=True) for file in written]


def _make_folder(path: Path) -> None:
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise _cannot_write(path, error) from error


def _write_file(path: Path, file: ExportFile, *, overwrite: bool) -> int:
    if path.exists() and not overwrite:
        raise Refused(f"{path} exists already. Choose another file, or allow overwriting.")
    try:
        # Memories are private: readable by the owner only.
        path.touch(mode=0o600)
        with path.open("w", encoding="utf-8", newline="") as opened:
            for part in file.parts:
                opened.write(part)
        return path.stat().st_size
    except OSError as error:
        raise _cannot_write(path, error) from error


def _cannot_write(path: Path, error: OSError) -> InvalidInput:
    return InvalidInput(f"Cannot write {path}: {error.strerror}. Choose another file.")
