"""Transcripts of coding agents on this machine, and which of them have changed."""

import os
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeAlias

from recollect.bootstrap import find_import_files
from recollect.errors import InvalidInput
from recollect.hosts.transcripts import TRANSCRIPT_PLACES
from recollect.interchange.formats import ImportSource
from recollect.library.connections import locate_folder

#: A file that was written to more recently may end inside a line; the next poll reads it.
QUIET_SECONDS = 5.0
#: Modification times and sizes of a file and its write-ahead log.
_FileState: TypeAlias = tuple[tuple[int, int], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class TranscriptFolder:
    """A folder with transcripts, or a file of them."""

    path: Path
    pattern: str = "**/*"

    def files(self) -> Iterator[Path]:
        if self.path.is_file():
            yield self.path
        else:
            yield from (each for each in self.path.glob(self.pattern) if each.is_file())


def transcript_folders(agents: Sequence[str] = ()) -> list[TranscriptFolder]:
    """Return the folders of these coding agents, by default of all, that exist on this machine."""
    for agent in agents:
        if agent not in TRANSCRIPT_PLACES:
            raise InvalidInput(
                f"There is no file or folder {agent}, and no coding agent of this name. Check the path, or use one of:"
                f" {', '.join(TRANSCRIPT_PLACES)}."
            )
    folders = (
        TranscriptFolder(
            path=locate_folder(place.folder, Path.home(), os.environ, sys.platform), pattern=place.pattern
        )
        for agent in agents or TRANSCRIPT_PLACES
        for place in TRANSCRIPT_PLACES[agent]
    )
    return [each for each in folders if each.path.is_dir()]


def find_transcripts(folders: Sequence[TranscriptFolder]) -> list[ImportSource]:
    """Return the transcripts in these folders as files to import."""
    return [
        source for folder in folders for path in sorted(folder.files()) for source in find_import_files(path)
    ]


@dataclass(slots=True)
class TranscriptWatcher:
    """Finds transcripts that are new or have changed since the last poll."""

    folders: Sequence[TranscriptFolder]
    quiet_seconds: float = QUIET_SECONDS
    _states: dict[Path, _FileState] = field(default_factory=dict)

    def take_changed(self) -> list[ImportSource]:
        """Return the changed transcripts, each once after each change."""
        changed: list[ImportSource] = []
        for folder in self.folders:
            for path in sorted(folder.files()):
                state = _read_state(path)
                if state != self._states.get(path) and self._is_quiet(state):
                    changed += find_import_files(path)
                    self._states[path] = state
        return changed

    def _is_quiet(self, state: _FileState) -> bool:
        last_change = max((modified for modified, _ in state), default=0)
        return time.time_ns() - last_change >= self.quiet_seconds * 1e9


def _read_state(path: Path) -> _FileState:
    # Changes of a SQLite database in use are in its write-ahead log first.
    return tuple(_read_stat(each) for each in (path, path.with_name(f"{path.name}-wal")) if each.exists())


def _read_stat(path: Path) -> tuple[int, int]:
    try:
        status = path.stat()
    except OSError:
        # The file was deleted since it was listed.
        return (0, 0)
    return (status.st_mtime_ns, status.st_size)
