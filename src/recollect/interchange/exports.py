"""Export of memories to the formats of other applications, each of which the importer of the same name reads."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from enum import StrEnum

from recollect.domain.memory import Memory, MemoryStatus, Origin
from recollect.interchange import basic_memory, compact, markdown_memories, mcp_memory, mem0


class ExportFormat(StrEnum):
    """What an export contains, and how it is written."""

    PACK = "pack"  #: all data of the user, without loss; only Recollect reads it
    MARKDOWN = "markdown"  #: one file a memory, for Obsidian; keeps every field that a memory has by itself
    BASIC_MEMORY = "basic-memory"  #: one note a kind; keeps texts, kinds, tags and dates
    MCP = "mcp"  #: the official MCP server's graph; keeps texts and kinds
    MEM0 = "mem0"  #: `results` as of `get_all()`; keeps texts, ids, kinds, weights, tags and dates
    COMPACT = "compact"  #: one JSON list of short entries; keeps every field that a memory has by itself
    OPENAI = "openai"  #: the chats: one line each with its messages, as chat APIs take them

    @property
    def is_folder(self) -> bool:
        """Whether an export has several files."""
        return self in {ExportFormat.MARKDOWN, ExportFormat.BASIC_MEMORY}

    @property
    def suffix(self) -> str:
        """The suffix of an export that is one file."""
        return ".jsonl" if self in {ExportFormat.PACK, ExportFormat.MCP, ExportFormat.OPENAI} else ".json"


@dataclass(frozen=True, slots=True, kw_only=True)
class ExportFile:
    name: str
    parts: Iterable[str]  #: the text; it is written while the rest is still read

    @property
    def text(self) -> str:
        return "".join(self.parts)


def export_memories(export_format: ExportFormat, memories: Iterable[Memory]) -> Iterator[ExportFile]:
    """Yield the files of an export of the active memories; none if the format does not hold memories."""
    match export_format:
        case ExportFormat.MARKDOWN:
            yield from (
                ExportFile(name=name, parts=[text]) for name, text in markdown_memories.write(memories)
            )
        case ExportFormat.BASIC_MEMORY:
            yield from (ExportFile(name=name, parts=[text]) for name, text in basic_memory.write(memories))
        case ExportFormat.MCP:
            yield ExportFile(name="memory.jsonl", parts=[mcp_memory.write(memories)])
        case ExportFormat.MEM0:
            yield ExportFile(name="mem0.json", parts=[mem0.write(memories)])
        case ExportFormat.COMPACT:
            portable = (_without_references(each) for each in memories if each.status is MemoryStatus.ACTIVE)
            text = compact.to_compact(sorted(portable, key=lambda each: each.id))
            yield ExportFile(name="memories.json", parts=[text, "\n"])


def _without_references(memory: Memory) -> Memory:
    """Drop what only this store knows: the messages it was learned from and its earlier versions."""
    return replace(
        memory,
        origin=Origin.MANUAL,
        chat=None,
        spans=(),
        version=1,
        updated_at=memory.created_at,
        reason=None,
    )
