"""
Recognition of import files by their content, and reading of whichever format it is.

A file is recognized by keys of its first entries, by the front matter or headings of a text, or by the tables of a
database, never by its name. JSON formats are tried in order; the more specific keys come first, since an array of
conversations may be of several applications.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from itertools import chain, islice
from typing import Protocol, TypeAlias

from recollect.interchange import (
    basic_memory,
    chat_messages,
    chatgpt,
    claude,
    claude_code,
    codex,
    compact,
    cursor,
    gemini_cli,
    gemini_takeout,
    letta,
    librechat,
    markdown_memories,
    mcp_memory,
    mem0,
    mempalace,
    open_webui,
    opencode,
    pasted_list,
)
from recollect.interchange.front_matter import parse_document
from recollect.interchange.items import ImportItem, Omission, OmissionReason
from recollect.interchange.json_stream import Entry, is_json, read_entries

#: Entries that are looked at to recognize a format.
SAMPLE_ENTRIES = 20
HEAD_CHARS = 4096
#: The styles at the beginning of an activity page can be long.
HTML_HEAD_CHARS = 200_000


class ImportFormat(StrEnum):
    CHATGPT = "chatgpt"
    CLAUDE = "claude"
    GEMINI_TAKEOUT = "gemini-takeout"
    OPEN_WEBUI = "open-webui"
    LIBRECHAT = "librechat"
    CLAUDE_CODE = "claude-code"
    CODEX = "codex"
    GEMINI_CLI = "gemini-cli"
    CURSOR = "cursor"
    OPENCODE = "opencode"
    MEM0 = "mem0"
    LETTA = "letta"
    MEMPALACE = "mempalace"
    BASIC_MEMORY = "basic-memory"
    MCP_MEMORY = "mcp-memory"
    MARKDOWN = "markdown"
    PASTED_LIST = "pasted-list"
    COMPACT = "compact"
    MESSAGES = "messages"


#: What users call the formats, for messages.
FORMAT_NAMES: Mapping[ImportFormat, str] = {
    ImportFormat.CHATGPT: "ChatGPT",
    ImportFormat.CLAUDE: "Claude",
    ImportFormat.GEMINI_TAKEOUT: "Gemini (Google Takeout)",
    ImportFormat.OPEN_WEBUI: "Open WebUI",
    ImportFormat.LIBRECHAT: "LibreChat",
    ImportFormat.CLAUDE_CODE: "Claude Code",
    ImportFormat.CODEX: "Codex CLI",
    ImportFormat.GEMINI_CLI: "Gemini CLI",
    ImportFormat.CURSOR: "Cursor",
    ImportFormat.OPENCODE: "OpenCode",
    ImportFormat.MEM0: "mem0",
    ImportFormat.LETTA: "Letta",
    ImportFormat.MEMPALACE: "MemPalace",
    ImportFormat.BASIC_MEMORY: "Basic Memory",
    ImportFormat.MCP_MEMORY: "MCP memory server",
    ImportFormat.MARKDOWN: "Markdown of Recollect",
    ImportFormat.PASTED_LIST: "a list of statements",
    ImportFormat.COMPACT: "compact JSON of Recollect",
    ImportFormat.MESSAGES: "chat messages as JSON",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class UnknownFormat:
    """The content is of no known format."""

    reason: str


JsonReader: TypeAlias = Callable[[Iterable[Entry], str], Iterator[ImportItem]]
TextReader: TypeAlias = Callable[[str, str], Iterator[ImportItem]]
TableReader: TypeAlias = Callable[
    [Callable[[str], Iterable[Mapping[str, object]]], str], Iterator[ImportItem]
]

_JSON_FORMATS: tuple[tuple[ImportFormat, Callable[[Mapping[str, object]], bool], JsonReader], ...] = (
    (ImportFormat.CHATGPT, chatgpt.matches, chatgpt.read),
    (ImportFormat.CLAUDE, claude.matches, claude.read),
    (ImportFormat.OPEN_WEBUI, open_webui.matches, open_webui.read),
    (ImportFormat.LIBRECHAT, librechat.matches, librechat.read),
    (ImportFormat.CODEX, codex.matches, codex.read),
    (ImportFormat.CLAUDE_CODE, claude_code.matches, claude_code.read),
    (ImportFormat.OPENCODE, opencode.matches, opencode.read),
    (ImportFormat.GEMINI_CLI, gemini_cli.matches, gemini_cli.read),
    (ImportFormat.CURSOR, cursor.matches, cursor.read),
    (ImportFormat.LETTA, letta.matches, letta.read),
    (ImportFormat.MCP_MEMORY, mcp_memory.matches, mcp_memory.read),
    (ImportFormat.MEM0, mem0.matches, mem0.read),
    (ImportFormat.COMPACT, compact.matches, compact.read),
    (ImportFormat.GEMINI_TAKEOUT, gemini_takeout.matches, gemini_takeout.read),
    (ImportFormat.MESSAGES, chat_messages.matches, chat_messages.read),
)
_TABLE_FORMATS: tuple[tuple[ImportFormat, frozenset[str], TableReader], ...] = (
    (ImportFormat.OPENCODE, opencode.SESSION_TABLES, opencode.read_tables),
    (ImportFormat.MEMPALACE, mempalace.DRAWER_TABLES, mempalace.read_tables),
    (ImportFormat.MEM0, frozenset({mem0.HISTORY_TABLE}), mem0.read_tables),
)


class ImportSource(Protocol):
    """One file to import. Reading it again starts at the beginning."""

    @property
    def name(self) -> str:
        """The path inside its folder or archive, for display and as the id of formats without one."""

    def tables(self) -> frozenset[str]:
        """The tables of a database; empty for any other file."""

    def rows(self, table: str) -> Iterable[Mapping[str, object]]: ...

    def chunks(self) -> Iterable[str]:
        """The text in parts."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RecognizedFile:
    format: ImportFormat
    items: Iterator[ImportItem]  #: read lazily, once


def open_file(source: ImportSource) -> RecognizedFile | UnknownFormat:
    """Recognize a file by its content. Its items are read while they are iterated, so that memory stays bounded."""
    if tables := source.tables():
        return _open_tables(source, tables)
    chunks = iter(source.chunks())
    head = ""
    for chunk in chunks:
        head += chunk
        if len(head) >= HEAD_CHARS:
            break
    if not head.strip():
        return UnknownFormat(reason="the file is empty")
    whole = chain([head], chunks)
    return _open_json(source, whole) if is_json(head) else _open_text(source, "".join(whole))


def _open_tables(source: ImportSource, tables: frozenset[str]) -> RecognizedFile | UnknownFormat:
    for each, needed, read in _TABLE_FORMATS:
        if needed <= tables:
            return RecognizedFile(format=each, items=read(source.rows, source.name))
    return UnknownFormat(reason=f"a database with other tables: {', '.join(sorted(tables)[:5])}")


def _open_json(source: ImportSource, chunks: Iterable[str]) -> RecognizedFile | UnknownFormat:
    parsed = _unwrap(read_entries(chunks))
    sample = list(islice(parsed, SAMPLE_ENTRIES))
    entries = [each for each in sample if isinstance(each, Entry)]
    for each, matches, read in _JSON_FORMATS:
        if any(matches(entry.fields) for entry in entries):
            return RecognizedFile(format=each, items=_read_json(chain(sample, parsed), read, source.name))
    if entries:
        keys = ", ".join(sorted(map(str, entries[0].fields))[:8]) or type(entries[0].value).__name__
        return UnknownFormat(reason=f"JSON of another application, with {keys}")
    omission = next((each for each in sample if isinstance(each, Omission)), None)
    if omission is None:
        return UnknownFormat(reason="the JSON is empty")
    return UnknownFormat(reason=f"{omission.reason} at {omission.position}: {omission.detail}")


def _unwrap(entries: Iterator[Entry | Omission]) -> Iterator[Entry | Omission]:
    """Unpack a text that contains JSON, and an object that only wraps a list of conversations."""
    for entry in entries:
        if isinstance(entry, Entry) and isinstance(entry.value, str) and is_json(entry.value):
            yield from read_entries([entry.value])
        elif isinstance(entry, Entry) and isinstance(wrapped := entry.fields.get("conversations"), list):
            for number, value in enumerate(wrapped, start=1):
                yield Entry(position=f"{entry.position}, conversation {number}", value=value)
        else:
            yield entry


def _read_json(entries: Iterable[Entry | Omission], read: JsonReader, name: str) -> Iterator[ImportItem]:
    """Read a format; what was left out while parsing follows what was read."""
    omissions: list[Omission] = []

    def keep_entries() -> Iterator[Entry]:
        for each in entries:
            if isinstance(each, Omission):
                omissions.append(each)
            elif isinstance(each.value, Mapping):
                yield each
            else:
                omissions.append(
                    Omission(
                        reason=OmissionReason.UNEXPECTED_SHAPE, position=each.position, detail="not an object"
                    )
                )

    yield from read(keep_entries(), name)
    yield from omissions


def _open_text(source: ImportSource, text: str) -> RecognizedFile | UnknownFormat:
    recognized = _recognize_text(text)
    if isinstance(recognized, UnknownFormat):
        return recognized
    each, read = recognized
    return RecognizedFile(format=each, items=read(text, source.name))


def _recognize_text(text: str) -> tuple[ImportFormat, TextReader] | UnknownFormat:
    document = parse_document(text)
    formats: tuple[tuple[bool, ImportFormat, TextReader], ...] = (
        (markdown_memories.matches(document), ImportFormat.MARKDOWN, markdown_memories.read),
        (basic_memory.matches(document), ImportFormat.BASIC_MEMORY, basic_memory.read),
        (mem0.matches_document(document), ImportFormat.MEM0, mem0.read_document),
        (mempalace.matches(text), ImportFormat.MEMPALACE, mempalace.read),
        (
            gemini_takeout.is_html(text[:HTML_HEAD_CHARS]),
            ImportFormat.GEMINI_TAKEOUT,
            gemini_takeout.read_html,
        ),
        (pasted_list.is_list(document.body), ImportFormat.PASTED_LIST, pasted_list.read),
    )
    if mempalace.is_index(text):
        return UnknownFormat(reason="the table of contents of a MemPalace export")
    first = next(((each, read) for is_match, each, read in formats if is_match), None)
    return first or UnknownFormat(reason="a text without list items")
