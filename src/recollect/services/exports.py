"""Export of memories and chats to the formats of other applications."""

from collections.abc import Iterator
from dataclasses import dataclass

from recollect.domain.scope import Scope
from recollect.interchange import chat_messages
from recollect.interchange.exports import ExportFile, ExportFormat, export_memories
from recollect.interchange.pack_format import format_pack
from recollect.ports.clock import Clock
from recollect.ports.store import NO_LIMIT, Store
from recollect.services.packs import PackService


@dataclass(frozen=True, slots=True, kw_only=True)
class ExportService:
    store: Store
    clock: Clock
    packs: PackService

    def export(self, scope: Scope, export_format: ExportFormat) -> Iterator[ExportFile]:
        """Yield the files of an export of a user's active memories, chats, or all data."""
        match export_format:
            case ExportFormat.PACK:
                pack = self.packs.collect(scope.user)
                lines = format_pack(pack, user=scope.user, created_at=self.clock.now())
                yield ExportFile(name="recollect.jsonl", parts=lines)
            case ExportFormat.OPENAI:
                yield ExportFile(name="chats.jsonl", parts=self._chat_lines(scope))
            case _:
                yield from export_memories(export_format, self.store.memories.list(scope, limit=NO_LIMIT))

    def _chat_lines(self, scope: Scope) -> Iterator[str]:
        """Yield a line for each chat: its messages as chat APIs take them, with its id, title and dates."""
        for chat in sorted(self.store.chats.list(scope, limit=NO_LIMIT), key=lambda each: each.id):
            messages = self.store.messages.list(Scope(scope.user, chat.id), limit=NO_LIMIT)
            if line := chat_messages.write(chat.id, chat.title, messages):
                yield line
