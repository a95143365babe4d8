"""The `Memory` class: the library's public interface."""

import logging
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, BinaryIO, Self, TypeAlias

from recollect.bootstrap import Application, Store, open_application
from recollect.domain.memory import ChangeKind, Kind, MemoryVersion, SourceSpan
from recollect.domain.memory import Memory as StoredMemory
from recollect.domain.outcomes import AddResult, FactOutcome, New, Reinforced, Rejected
from recollect.domain.reason import Reason, ReasonCode
from recollect.domain.recall import ContextBlockRequest, ContextResult, RecallRequest, SearchResults
from recollect.domain.scope import Scope
from recollect.errors import InvalidInput, Refused
from recollect.library.session import LibrarySession
from recollect.ports.chat_model import ChatModel
from recollect.ports.clock import Clock, Ids
from recollect.ports.embedder import Embedder
from recollect.serialization import parsers
from recollect.settings import load_settings

if TYPE_CHECKING:
    from recollect.domain.import_report import ExportReport, ImportProgress, ImportReport
    from recollect.library.chats import ChatsNamespace
    from recollect.library.imports import ImportsNamespace
    from recollect.library.maintenance import MaintenanceNamespace
    from recollect.library.memories import MemoriesNamespace
    from recollect.library.privacy import PrivacyNamespace
    from recollect.library.profile import ProfileNamespace
    from recollect.library.receipts import ReceiptsNamespace
    from recollect.library.review import ReviewNamespace
    from recollect.library.settings import SettingsNamespace

log = logging.getLogger("recollect.settings")

MessagesInput: TypeAlias = str | Mapping[str, object] | Sequence[Mapping[str, object]]
STATED_BEFORE = Reason(ReasonCode.ALREADY_STORED)


class Memory:
    """
    A memory in one file. Safe to share between threads; several processes may open the same file.

    Settings can be given by name, as in ``Memory("me.db", settings={"preset": "companion", "recall.limit": 5})``;
    settings of a call take precedence over these.
    """

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
        arguments = {
            **(settings or {}),
            **({"db": str(db)} if db else {}),
            **({"user": user_id} if user_id else {}),
        }
        loaded = load_settings(arguments=arguments)
        for warning in loaded.warnings:
            log.warning("%s", warning)
        self._session = _open_session(
            open_application(
                loaded, store=store, embedder=embedder, chat_model=chat_model, clock=clock, ids=ids
            )
        )

    @classmethod
    def from_application(cls, application: Application) -> Self:
        """Wrap an open application, which its opener must close."""
        memory = cls.__new__(cls)
        memory._session = _open_session(application)  # noqa: SLF001 - another constructor
        return memory

    @property
    def application(self) -> Application:
        """The application behind this object, for uses that this class does not cover."""
        return self._session.application

    # The namespaces are imported on first use: most programs use two or three.

    @cached_property
    def memories(self) -> "MemoriesNamespace":
        """Archive, restore, pin and merge memories; undo changes."""
        from recollect.library.memories import MemoriesNamespace

        return MemoriesNamespace(self._session)

    @cached_property
    def review(self) -> "ReviewNamespace":
        """Memories that need the user's decision, and possible duplicates."""
        from recollect.library.review import ReviewNamespace

        return ReviewNamespace(self._session)

    @cached_property
    def chats(self) -> "ChatsNamespace":
        """Chats with their messages, modes and summaries."""
        from recollect.library.chats import ChatsNamespace

        return ChatsNamespace(self._session)

    @cached_property
    def receipts(self) -> "ReceiptsNamespace":
        """Receipts of recalls, and feedback on them."""
        from recollect.library.receipts import ReceiptsNamespace

        return ReceiptsNamespace(self._session)

    @cached_property
    def profile(self) -> "ProfileNamespace":
        """The user's profile and context files."""
        from recollect.library.profile import ProfileNamespace

        return ProfileNamespace(self._session)

    @cached_property
    def privacy(self) -> "PrivacyNamespace":
        """Consent, erasure and the audit log."""
        from recollect.library.privacy import PrivacyNamespace

        return PrivacyNamespace(self._session)

    @cached_property
    def imports(self) -> "ImportsNamespace":
        """Preview, list and undo imports."""
        from recollect.library.imports import ImportsNamespace

        return ImportsNamespace(self._session)

    @cached_property
    def maintenance(self) -> "MaintenanceNamespace":
        """Upkeep, health checks, backups, jobs and statistics."""
        from recollect.library.maintenance import MaintenanceNamespace

        return MaintenanceNamespace(self._session)

    @cached_property
    def settings(self) -> "SettingsNamespace":
        """Settings, presets, embedding models and tuning of the recall weights."""
        from recollect.library.settings import SettingsNamespace

        return SettingsNamespace(self._session)

    def add(
        self,
        messages: MessagesInput,
        *,
        user_id: str | None = None,
        chat_id: str | None = None,
        tags: str | Sequence[str] = (),
        kind: str | None = None,
        metadata: Mapping[str, object] | None = None,
        sync: bool = False,
        mode: str | None = None,
        settings: Mapping[str, object] | None = None,
    ) -> AddResult:
        """
        Store a text as a memory, or ingest messages and learn from them.

        Everything returned is durable. Facts are extracted from messages in the background; with ``sync`` the call
        waits for them and returns them. ``metadata`` is stored with each message and the memories learned from it.
        """
        scope = self._session.scope(user_id, chat_id)
        policy, services = self._session.policy(scope, settings, mode), self._session.services
        common_metadata = parsers.parse_metadata(metadata)
        if isinstance(messages, str):
            tag_names, memory_kind = parsers.parse_tags(tags), _parse_kind(kind)
            outcome = services.extraction.remember(
                scope, messages, policy, tags=tag_names, kind=memory_kind, metadata=common_metadata
            )
            self._session.wake_worker()
            return AddResult(results=(outcome,))
        drafts = [
            replace(draft, metadata={**common_metadata, **draft.metadata})
            for draft in parsers.parse_messages(messages)
        ]
        ingested = tuple(services.ingest.add_messages(scope, drafts, policy))
        self._session.wake_worker()
        if not sync:
            return AddResult(messages=ingested)
        self.flush()
        memories = services.memories.learned_from(scope, [each.message.id for each in ingested])
        new_ids = frozenset(each.message.id for each in ingested if each.is_new)
        return AddResult(results=tuple(_outcome(each, new_ids) for each in memories), messages=ingested)

    def search(
        self,
        query: str,
        *,
        user_id: str | None = None,
        chat_id: str | None = None,
        limit: int | None = None,
        as_of: object = None,
        metadata: Mapping[str, object] | None = None,
        mode: str | None = None,
        settings: Mapping[str, object] | None = None,
        receipt: bool = True,
    ) -> SearchResults:
        """
        Return the passages relevant to a query, best first, each with its score and the parts of the score.

        With ``metadata``, only messages and memories with these values, or with lists that have them, are searched.
        ``receipt=False`` stores no receipt and is not counted in the metrics: for previews, such as search as you type.
        """
        scope = self._session.scope(user_id, chat_id)
        call = {**(settings or {}), **({"recall.limit": limit} if limit is not None else {})}
        request = RecallRequest(
            scope=scope,
            query=parsers.replace_surrogates(query),
            policy=self._session.policy(scope, call, mode),
            as_of=parsers.parse_timestamp(as_of),
            metadata=parsers.parse_metadata_filter(metadata),
            save_receipt=receipt,
        )
        return SearchResults(receipt=self._session.services.recall.search(request), is_receipt_stored=receipt)

    def context(
        self,
        query: str,
        *,
        user_id: str | None = None,
        chat_id: str | None = None,
        budget: int | None = None,
        context_ids: Sequence[str] | None = None,
        mode: str | None = None,
        settings: Mapping[str, object] | None = None,
    ) -> ContextResult:
        """Return the memory block for a prompt (``text``), with its receipt: what was included, left out, and why."""
        scope = self._session.scope(user_id, chat_id)
        call = {**(settings or {}), **({"context.budget": budget} if budget is not None else {})}
        request = ContextBlockRequest(
            scope=scope,
            query=parsers.replace_surrogates(query),
            policy=self._session.policy(scope, call, mode),
            context_ids=context_ids or (),
        )
        return self._session.services.recall.context(request)

    def get(self, memory_id: str, *, user_id: str | None = None) -> StoredMemory:
        """Return a memory by its id or a unique prefix of it."""
        return self._session.services.memories.get(self._session.scope(user_id), memory_id)

    def get_all(
        self,
        *,
        user_id: str | None = None,
        chat_id: str | None = None,
        limit: int = 100,
        offset: int = 0,
        tag: str | None = None,
        metadata: Mapping[str, object] | None = None,
    ) -> Sequence[StoredMemory]:
        """
        Return active memories with their weights after decay, most recently mentioned first; ``metadata`` has values
        that they must have.
        """
        scope, required = self._session.scope(user_id, chat_id), parsers.parse_metadata_filter(metadata)
        service, policy = self._session.services.memories, self._session.policy(scope)
        stored = service.list(scope, limit=limit, offset=offset, tag=tag, metadata=required)
        return [replace(memory, weight=service.current_weight(memory, policy)) for memory in stored]

    def update(
        self,
        memory_id: str,
        data: str | None = None,
        *,
        metadata: Mapping[str, object] | None = None,
        user_id: str | None = None,
    ) -> StoredMemory:
        """Correct the text of a memory, replace its metadata, or both; the old text stays in its history."""
        if data is None and metadata is None:
            raise InvalidInput("Nothing to change. Give a text, metadata or both.")
        scope = self._session.scope(user_id)
        new_metadata = None if metadata is None else parsers.parse_metadata(metadata)
        memory = self._session.services.memories.update(
            scope, memory_id, self._session.policy(scope), text=data, metadata=new_metadata
        )
        self._session.wake_worker()
        return memory

    def delete(self, memory_id: str, *, user_id: str | None = None) -> StoredMemory:
        """Forget a memory."""
        return self._session.services.memories.forget(self._session.scope(user_id), memory_id)

    def delete_all(self, *, user_id: str | None = None) -> int:
        """Forget all memories of a user; return how many. The user must be given; there is no default."""
        if user_id is None:
            raise Refused(
                "delete_all forgets all memories of a user. Name the user: delete_all(user_id=...)."
            )
        return self._session.services.memories.forget_all(Scope(user_id))

    def history(self, memory_id: str, *, user_id: str | None = None) -> Sequence[MemoryVersion]:
        """Return every version of a memory, oldest first."""
        return self._session.services.memories.history(self._session.scope(user_id), memory_id)

    def import_from(
        self,
        source: str | Path | BinaryIO,
        *,
        branches: bool = False,
        progress: "Callable[[ImportProgress], None] | None" = None,
        user_id: str | None = None,
    ) -> "ImportReport":
        """
        Import a file, folder, archive or stream of another application, which is recognized by its content.

        Messages pass the same steps as live ones and keep their dates. Importing again adds nothing, and an interrupted
        import continues. `branches` imports edited and regenerated versions of messages too. `progress` is called after
        each conversation or memory. `imports.undo` reverts all of it.
        """
        from recollect.library.file_imports import name_source, open_import, run_import

        files, name = open_import(source), name_source(source)
        application, scope = self.application, self._session.scope(user_id)
        report = run_import(application, scope, files, name=name, branches=branches, progress=progress)
        self._session.wake_worker()
        return report

    def export_to(
        self,
        destination: str | Path,
        export_format: str = "pack",
        *,
        overwrite: bool = False,
        user_id: str | None = None,
    ) -> "ExportReport":
        """
        Export to a file, or to a folder for `markdown` and `basic-memory`. Files are readable by their owner only.

        The format `pack` has all data of the user; `markdown`, `basic-memory`, `mcp`, `mem0` and `compact` have the
        active memories; `openai` has the chats.
        """
        from recollect.library.file_exports import parse_export_format, write_export

        chosen = parse_export_format(export_format)
        files = self._session.services.exports.export(self._session.scope(user_id), chosen)
        return write_export(files, chosen, Path(destination), overwrite=overwrite)

    def flush(self, *, seconds: float = 60.0) -> bool:
        """Run due jobs and return whether none is left. Failed jobs wait for their retry or become dead letters."""
        self._session.services.jobs.run_now()
        return self.application.worker.drain(seconds=seconds)

    def close(self) -> None:
        """Finish the current job and close the file."""
        self.application.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def _open_session(application: Application) -> LibrarySession:
    return LibrarySession(application=application, machine=application.settings.resolve().machine)


def _outcome(memory: StoredMemory, new_message_ids: frozenset[str]) -> FactOutcome:
    """Return whether new messages stated a fact for the first time, again, or not at all."""
    match _change(memory.spans, new_message_ids):
        case ChangeKind.ADD:
            return New(memory=memory)
        case ChangeKind.REINFORCE:
            return Reinforced(memory=memory)
        case _:
            return Rejected(text=memory.text, reason=STATED_BEFORE, memory=memory)


def _change(spans: Sequence[SourceSpan], new_message_ids: frozenset[str]) -> ChangeKind | None:
    sources = [span.message_id for span in spans]
    if new_message_ids.isdisjoint(sources):
        return None
    return ChangeKind.ADD if sources[0] in new_message_ids else ChangeKind.REINFORCE


def _parse_kind(name: str | None) -> Kind | None:
    try:
        return None if name is None else Kind(name)
    except ValueError as error:
        raise InvalidInput(f"Unknown kind {name!r}. Choose one of {', '.join(Kind)}.") from error
