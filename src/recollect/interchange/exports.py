"""Export to the formats of other applications, each of which the importer of the same name reads."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from typing import assert_never

from recollect.domain.memory import Memory
from recollect.interchange import basic_memory, markdown_memories, mcp_memory, mem0


class MemoryFormat(StrEnum):
    """A format that holds memories."""

    MARKDOWN = "markdown"  #: one file a memory, for Obsidian; keeps every field that a memory has by itself
    BASIC_MEMORY = "basic-memory"  #: one note a kind; keeps texts, kinds, tags and dates
    MCP_MEMORY = "mcp-memory"  #: the official MCP server's graph; keeps texts and kinds
    MEM0 = "mem0"  #: `results` as of `get_all()`; keeps texts, ids, kinds, weights, tags and dates


@dataclass(frozen=True, slots=True, kw_only=True)
class ExportFile:
    name: str
    text: str


def export_memories(export_format: MemoryFormat, memories: Iterable[Memory]) -> Iterator[ExportFile]:
    """Yield the files of an export of the active memories."""
    match export_format:
        case MemoryFormat.MARKDOWN:
            yield from (ExportFile(name=name, text=text) for name, text in markdown_memories.write(memories))
        case MemoryFormat.BASIC_MEMORY:
            yield from (ExportFile(name=name, text=text) for name, text in basic_memory.write(memories))
        case MemoryFormat.MCP_MEMORY:
            yield ExportFile(name="memory.jsonl", text=mcp_memory.write(memories))
        case MemoryFormat.MEM0:
            yield ExportFile(name="mem0.json", text=mem0.write(memories))
        case _:
            assert_never(export_format)
