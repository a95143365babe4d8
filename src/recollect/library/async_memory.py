"""The asyncio version of `Memory`: a thin wrapper with the same methods and namespaces."""

from collections.abc import Mapping
from functools import cached_property
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Self

from recollect.bootstrap import Store
from recollect.library.memory import Memory
from recollect.library.thread_calls import in_thread
from recollect.ports.chat_model import ChatModel
from recollect.ports.clock import Clock, Ids
from recollect.ports.embedder import Embedder

if TYPE_CHECKING:
    from recollect.library import async_namespaces


class AsyncMemory:
    """`Memory` for asyncio: each method runs in a thread."""

    def __init__(
        self,
        db: str | Path | None = None,
        *,
        user_id: str | None = None,
        store: Store | None = None,
        embedder: Embedder | None = None,
        chat_model: ChatModel | None = None,
        clock: Clock | None = None,
        ids: Ids | None = None,
        settings: Mapping[str, object] | None = None,
    ) -> None:
        self.sync = Memory(
            db,
            user_id=user_id,
            store=store,
            embedder=embedder,
            chat_model=chat_model,
            clock=clock,
            ids=ids,
            settings=settings,
        )

    add = in_thread(Memory.add)
    search = in_thread(Memory.search)
    context = in_thread(Memory.context)
    get = in_thread(Memory.get)
    get_all = in_thread(Memory.get_all)
    update = in_thread(Memory.update)
    delete = in_thread(Memory.delete)
    delete_all = in_thread(Memory.delete_all)
    history = in_thread(Memory.history)
    import_from = in_thread(Memory.import_from)
    export_to = in_thread(Memory.export_to)
    flush = in_thread(Memory.flush)
    close = in_thread(Memory.close)

    @cached_property
    def memories(self) -> "async_namespaces.AsyncMemoriesNamespace":
        from recollect.library.async_namespaces import AsyncMemoriesNamespace

        return AsyncMemoriesNamespace(self.sync.memories)

    @cached_property
    def review(self) -> "async_namespaces.AsyncReviewNamespace":
        from recollect.library.async_namespaces import AsyncReviewNamespace

        return AsyncReviewNamespace(self.sync.review)

    @cached_property
    def chats(self) -> "async_namespaces.AsyncChatsNamespace":
        from recollect.library.async_namespaces import AsyncChatsNamespace

        return AsyncChatsNamespace(self.sync.chats)

    @cached_property
    def receipts(self) -> "async_namespaces.AsyncReceiptsNamespace":
        from recollect.library.async_namespaces import AsyncReceiptsNamespace

        return AsyncReceiptsNamespace(self.sync.receipts)

    @cached_property
    def profile(self) -> "async_namespaces.AsyncProfileNamespace":
        from recollect.library.async_namespaces import AsyncProfileNamespace

        return AsyncProfileNamespace(self.sync.profile)

    @cached_property
    def privacy(self) -> "async_namespaces.AsyncPrivacyNamespace":
        from recollect.library.async_namespaces import AsyncPrivacyNamespace

        return AsyncPrivacyNamespace(self.sync.privacy)

    @cached_property
    def imports(self) -> "async_namespaces.AsyncImportsNamespace":
        from recollect.library.async_namespaces import AsyncImportsNamespace

        return AsyncImportsNamespace(self.sync.imports)

    @cached_property
    def maintenance(self) -> "async_namespaces.AsyncMaintenanceNamespace":
        from recollect.library.async_namespaces import AsyncMaintenanceNamespace

        return AsyncMaintenanceNamespace(self.sync.maintenance)

    @cached_property
    def settings(self) -> "async_namespaces.AsyncSettingsNamespace":
        from recollect.library.async_namespaces import AsyncSettingsNamespace

        return AsyncSettingsNamespace(self.sync.settings)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()
