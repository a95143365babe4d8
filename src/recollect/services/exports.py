"""Export of memories and chats to the formats of other applications."""

from collections.abc import Iterator
from dataclasses import dataclass

from recollect.domain.scope import Scope
from recollect.interchange import chat_messages
from recollect.interchange.exports import ExportFile, MemoryFormat, export_memories
from recollect.ports.store import NO_LIMIT, Store


@dataclass(frozen=True, slots=True, kw_only=True)
class ExportService:
    store: Store

    def export_memories(self, scope: Scope, export_format: MemoryFormat) -> Iterator[ExportFile]:
        """Yield the files with the active memories of a user."""
        return export_memories(export_format, self.store.memories.list(scope, limit=NO_LIMIT))

    def export_chats(self, scope: Scope) -> Iterator[str]:
        """Yield a line for each chat: its messages as chat APIs take them, with its id, title and dates."""
        for chat in sorted(self.store.chats.list(scope, limit=NO_LIMIT), key=lambda each: each.id):
            messages = self.store.messages.list(Scope(scope.user, chat.id), limit=NO_LIMIT)
            if line := chat_messages.write(chat.id, chat.title, messages):
                yield line
