"""Where coding agents keep their transcripts."""

from collections.abc import Mapping
from dataclasses import dataclass

from recollect.hosts.programs import PROGRAMS, ConfigFolder

_DATA_FOLDERS = dict.fromkeys(("linux", "darwin", "win32"), "~/.local/share")


@dataclass(frozen=True, slots=True, kw_only=True)
class TranscriptPlace:
    """Files below a folder that match a pattern of `pathlib`."""

    folder: ConfigFolder
    pattern: str


def _in_folder_of(program: str, *patterns: str) -> tuple[TranscriptPlace, ...]:
    folder = PROGRAMS[program].folder
    assert folder is not None
    return tuple(TranscriptPlace(folder=folder, pattern=pattern) for pattern in patterns)


#: Places by the name of the program.
TRANSCRIPT_PLACES: Mapping[str, tuple[TranscriptPlace, ...]] = {
    "claude-code": _in_folder_of("claude-code", "projects/**/*.jsonl"),
    "codex": _in_folder_of("codex", "sessions/**/*.jsonl*", "archived_sessions/*.jsonl*"),
    "gemini": _in_folder_of("gemini", "tmp/*/chats/session-*.json*"),
    "cursor": _in_folder_of("cursor", "projects/*/agent-transcripts/**/*.jsonl"),
    "opencode": (
        TranscriptPlace(folder=ConfigFolder.below(_DATA_FOLDERS, "opencode"), pattern="opencode.db"),
    ),
}
