"""The composition root: builds an `Application` from settings. The only module that chooses adapters."""

import os
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from functools import cache, partial
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from recollect.domain.embedding_model import EmbeddingModel
from recollect.domain.import_result import PackImportReport
from recollect.domain.move import MoveProgress, MoveReport
from recollect.domain.policy import Policy
from recollect.domain.scope import Scope
from recollect.errors import ConfigError, NotFound
from recollect.ports.backup import BackupFiles
from recollect.ports.chat_model import ChatModel
from recollect.ports.clock import Clock, Ids
from recollect.ports.embedder import Embedder
from recollect.ports.executor import Executor
from recollect.ports.reranker import Reranker
from recollect.ports.setup import DatabaseSetup
from recollect.ports.store import Store as Store  # noqa: PLC0414 - `Memory`, which takes one, imports no port of stores
from recollect.ports.tracer import Tracer
from recollect.ports.transfer import RowTransfer
from recollect.services import Services
from recollect.services.embedders import EmbedderRegistry
from recollect.services.move import MoveService
from recollect.settings import MachineSettings, ResolvedSettings, Settings, parse_store_url
from recollect.workers.handlers import JobHandlers
from recollect.workers.worker import Worker

if TYPE_CHECKING:
    from recollect.interchange.formats import ImportSource
    from recollect.interchange.pack import Pack

#: Import paths, resolved only when chosen, so that optional dependencies stay optional.
#: By scheme of the store's URL.
STORE_CLASSES = {
    "sqlite": "recollect.adapters.sqlite.store:SqliteStore",
    "postgresql": "recollect.adapters.postgres.store:PostgresStore",
}
SETUP_CLASSES = {
    "sqlite": "recollect.adapters.sqlite.setup:SqliteSetup",
    "postgresql": "recollect.adapters.postgres.setup:PostgresSetup",
}
TRANSFER_CLASSES = {
    "sqlite": "recollect.adapters.sqlite.transfer:SqliteTransfer",
    "postgresql": "recollect.adapters.postgres.transfer:PostgresTransfer",
}
BACKUP_FILES_CLASSES = {"sqlite": "recollect.adapters.sqlite.restore:SqliteBackupFiles"}
TRACER_CLASS = "recollect.adapters.otel.tracer:OtelTracer"
TRACE_HANDLERS_FUNCTION = "recollect.adapters.otel.spans:trace_handlers"
RERANKER_CLASS = "recollect.adapters.onnx.reranker:OnnxReranker"
RELEVANCE_ADAPTER = "recollect.adapters.onnx.reranker:RELEVANCE_ADAPTER"
#: An excerpt has at most 45 words; a code chunk is truncated.
MAX_EXCERPT_TOKENS = 96
CLOCK_CLASS = "recollect.adapters.system.clock:SystemClock"
IDS_CLASS = "recollect.adapters.system.clock:RandomIds"
IMPORT_FILES_FUNCTION = "recollect.adapters.system.import_files:find_import_files"
IMPORT_STREAM_FUNCTION = "recollect.adapters.system.import_files:import_stream"
EXECUTOR_CLASS = "recollect.adapters.system.executor:ThreadExecutor"
EMBEDDER_CLASSES = {
    "onnx": "recollect.adapters.onnx.embedder:OnnxEmbedder",
    "hashing": "recollect.adapters.embedders.hashing:HashingEmbedder",
    "openai": "recollect.adapters.embedders.openai:OpenAIEmbedder",
    "fastembed": "recollect.adapters.embedders.fastembed:FastEmbedEmbedder",
    "sentence-transformers": "recollect.adapters.embedders.sentence_transformers:SentenceTransformersEmbedder",
}
CHAT_MODEL_CLASSES = {
    "openai": "recollect.adapters.llms.openai_compatible:OpenAIChatModel",
    "anthropic": "recollect.adapters.llms.anthropic:AnthropicChatModel",
}
BUNDLED_MODEL = "BAAI/bge-small-en-v1.5"
PROMPT_READER_FUNCTION = "recollect.adapters.system.prompt_files:read_prompts"
#: Packages that contain prompt files.
PROMPT_PACKAGES = ("recollect.extraction", "recollect.maintenance", "recollect.context")


MODE_SETTING = "memory.mode"
#: One recall per processor, and one that holds the interpreter lock while the others are in the embedder or the
#: database. More would only compete for the lock.
MAX_CONCURRENT_RECALLS = 1 + (os.cpu_count() or 1)


@dataclass(frozen=True, slots=True, kw_only=True)
class Application:
    """The services with their store, embedder, worker and settings."""

    settings: Settings
    services: Services
    clock: Clock
    ids: Ids
    embedder: Embedder | None
    chat_model: ChatModel | None  #: the configured language model, if any
    worker: Worker
    prompts: Mapping[str, str] = field(default_factory=dict)  #: custom prompts by name
    tracer: Tracer | None = None  #: None if tracing is off
    resources: tuple[object, ...] = ()  #: what `close` closes, if it has a method `close`
    process: int = field(default_factory=os.getpid)  #: id of the process that opened it

    def resolve(
        self, user: str, call: Mapping[str, object] | None = None, *, chat: str | None = None
    ) -> ResolvedSettings:
        """
        Return the current settings of a user; preferences are read on each call. A chat may have its own memory mode;
        in a temporary chat the mode is always off.
        """
        preferences, mode = self.services.preferences.for_chat(Scope(user, chat))
        overrides = {
            **({MODE_SETTING: mode} if mode else {}),
            **(call or {}),
            **_temporary_chat_override(user, chat),
        }
        return self.settings.resolve(preferences=preferences, call=overrides)

    def policy(
        self, user: str, call: Mapping[str, object] | None = None, *, chat: str | None = None
    ) -> Policy:
        return self.resolve(user, call, chat=chat).policy

    def import_pack(self, user: str, pack: "Pack", *, dry_run: bool = False) -> PackImportReport:
        """Import a pack of a user; with `dry_run`, only report what would be imported."""

        def validate_preference(name: str, value: str) -> None:
            self.settings.resolve(preferences={name: value})

        report = self.services.packs.import_pack(
            user, pack, self.policy(user), validate_preference=validate_preference, dry_run=dry_run
        )
        self.worker.wake()
        return report

    def close(self) -> None:
        if os.getpid() != self.process:
            # A forked child has no threads, and must not close resources that its parent still uses.
            return
        self.worker.stop()
        for resource in self.resources:
            close_resource: Callable[[], None] | None = getattr(resource, "close", None)
            if close_resource is not None:
                close_resource()


def find_import_files(path: Path) -> "Sequence[ImportSource]":
    """Return the files at a path to import: the file, or those in the folder or archive."""
    return [*_import_object(IMPORT_FILES_FUNCTION)(path)]


def read_import_stream(name: str, data: bytes) -> "Sequence[ImportSource]":
    """Return the file in a stream to import, or the files in it if it is an archive."""
    return [*_import_object(IMPORT_STREAM_FUNCTION)(name, data)]


def open_application(
    settings: Settings,
    *,
    store: Store | None = None,
    embedder: Embedder | None = None,
    chat_model: ChatModel | None = None,
    clock: Clock | None = None,
    ids: Ids | None = None,
    embedder_factory: Callable[[EmbeddingModel], Embedder | None] | None = None,
) -> Application:
    """Open the store named by the settings. Arguments replace the configured adapters."""
    connection = settings.resolve().machine
    active_embedder = embedder or make_embedder(connection)
    model = chat_model or make_chat_model(connection)
    prompts = load_custom_prompts(connection)
    active_clock: Clock = clock or _import_object(CLOCK_CLASS)()
    active_ids: Ids = ids or _import_object(IDS_CLASS)()
    tracer = make_tracer(connection)
    if store is None:
        store = _open_store(connection)
    make_executor: Callable[[int, str], Executor] = _import_object(EXECUTOR_CLASS)
    services = Services(
        store=store,
        clock=active_clock,
        ids=active_ids,
        owner_user=connection.user,
        model=model,
        prompts=prompts,
        embedder=active_embedder,
        embedders=EmbedderRegistry(
            default=active_embedder,
            factory=embedder_factory or partial(make_embedder_for, connection),
            preferences=store.preferences,
        ),
        search_executor=make_executor(MAX_CONCURRENT_RECALLS, "recollect-search"),
        read_executor=make_executor(MAX_CONCURRENT_RECALLS, "recollect-read"),
        reranker=make_reranker(connection),
        relevance_reranker=make_relevance_reranker(connection.embedder_threads),
        tracer=tracer,
    )

    def policy_for(user: str) -> Policy:
        return application.policy(user)

    def is_stopping() -> bool:
        return worker.is_stopping

    handlers = JobHandlers(
        services=services,
        store=store,
        clock=active_clock,
        policy_for=policy_for,
        is_stopping=is_stopping,
    )
    handler_table = (
        _import_object(TRACE_HANDLERS_FUNCTION)(handlers.by_kind(), tracer) if tracer else handlers.by_kind()
    )
    worker = Worker(
        store.jobs, handler_table, active_clock, recover=handlers.recover, run_daily=handlers.run_daily
    )
    application = Application(
        settings=settings,
        services=services,
        clock=active_clock,
        ids=active_ids,
        embedder=active_embedder,
        chat_model=model,
        worker=worker,
        prompts=prompts,
        tracer=tracer,
        resources=(services, store, active_embedder, model),
    )
    return application


def system_clock() -> Clock:
    clock: Clock = _import_object(CLOCK_CLASS)()
    return clock


def open_backup_files(settings: Settings) -> tuple[BackupFiles, Clock]:
    """Return the operations on backups of the configured store, without opening it, and a clock."""
    url = parse_store_url(settings.resolve().machine.db)
    if url.scheme not in BACKUP_FILES_CLASSES:
        raise ConfigError(
            f"Backups are restored into a file, not into a {url.scheme} database. Set `db` to a file."
        )
    backup_files: BackupFiles = _import_object(BACKUP_FILES_CLASSES[url.scheme])(url.target)
    return backup_files, _import_object(CLOCK_CLASS)()


def open_setup(settings: Settings) -> DatabaseSetup:
    """Return the operations on the schema of the configured database, without opening it."""
    url = parse_store_url(settings.resolve().machine.db)
    setup: DatabaseSetup = _import_database_object(SETUP_CLASSES[url.scheme])(url.target)
    return setup


def move_database(
    settings: Settings, source: str, target: str, *, on_progress: Callable[[MoveProgress], None]
) -> MoveReport:
    """Copy all data of one database to another, which may be of another kind; see `services.move`."""
    connection = settings.resolve().machine
    file = parse_store_url(source).file
    if file is not None and not file.exists():
        raise NotFound(f"There is no file {file}. Give the database to move from as --from.")
    with ExitStack() as stack:
        transfers: list[RowTransfer] = []
        for db in (source, target):
            store = _open_store(replace(connection, db=db))
            stack.callback(store.close)
            transfers.append(_import_object(TRANSFER_CLASSES[parse_store_url(db).scheme])(store))
        return MoveService(source=transfers[0], target=transfers[1], on_progress=on_progress).move()


def _open_store(connection: MachineSettings) -> Store:
    url = parse_store_url(connection.db)
    options: dict[str, object] = {"busy_timeout_ms": connection.busy_timeout_ms}
    if url.scheme == "postgresql":
        options["pool_size"] = connection.postgres_connections
        options["prepares"] = connection.postgres_prepared_statements
    store: Store = _import_database_object(STORE_CLASSES[url.scheme])(url.target, **options)
    return store


def _import_database_object(target: str) -> Callable[..., Any]:
    try:
        return _import_object(target)
    except ModuleNotFoundError as error:
        raise ConfigError(
            "`db` names a PostgreSQL database, whose driver is not installed. Run `pip install 'recollect[postgres]'`,"
            " or set `db` to a file."
        ) from error


def _temporary_chat_override(user: str, chat: str | None) -> dict[str, object]:
    return {MODE_SETTING: "off"} if Scope(user, chat).is_temporary else {}


def make_reranker(connection: MachineSettings) -> Reranker:
    """Return the bundled cross-encoder; its model is loaded on first use."""
    reranker: Reranker = _import_object(RERANKER_CLASS)(threads=connection.embedder_threads)
    return reranker


@cache
def make_relevance_reranker(threads: int) -> Reranker:
    """
    Return the cross-encoder that is fine-tuned to judge excerpts; its model is loaded on first use.

    All memories of a process share it, since it takes half a second to load and 100 MB.
    """
    reranker_class, adapter = map(_import_object, (RERANKER_CLASS, RELEVANCE_ADAPTER))
    reranker: Reranker = reranker_class(adapter=adapter, threads=threads, max_tokens=MAX_EXCERPT_TOKENS)
    return reranker


def make_tracer(connection: MachineSettings) -> Tracer | None:
    """Return the OpenTelemetry tracer if `otel` is on."""
    if not connection.otel:
        return None
    try:
        tracer: Tracer = _import_object(TRACER_CLASS)()
    except ModuleNotFoundError as error:
        raise ConfigError(
            "`otel` is on, but OpenTelemetry is not installed. Run `pip install 'recollect[otel]'`, or turn it off."
        ) from error
    return tracer


def make_embedder(connection: MachineSettings) -> Embedder | None:
    """Return the configured embedder; its model is loaded on first use."""
    name, model = connection.embedder, connection.embedder_model
    match name:
        case "none":
            return None
        case "onnx":
            if model != BUNDLED_MODEL:
                raise ConfigError(
                    f"The model {model!r} is not installed with recollect. Set `embedder` to the folder of its"
                    " ONNX files, or to fastembed, sentence-transformers or openai."
                )
            return _load_embedder(name, threads=connection.embedder_threads)
        case "hashing":
            return _load_embedder(name)
        case "openai":
            if not connection.embedder_url:
                raise ConfigError(
                    "The embedder `openai` needs a base URL. Set `embedder_url`, including /v1."
                )
            return _load_embedder(name, connection.embedder_url, model, connection.embedder_key or None)
        case "fastembed" | "sentence-transformers":
            return _load_embedder(name, model)
        case folder:
            return _load_embedder("onnx", Path(folder), threads=connection.embedder_threads)


def make_embedder_for(connection: MachineSettings, model: EmbeddingModel) -> Embedder | None:
    """Return the embedder of a model; URLs and keys come from the settings."""
    return make_embedder(replace(connection, embedder=model.embedder, embedder_model=model.model))


def built_in_models() -> list[EmbeddingModel]:
    """Return the models installed with recollect, best first."""
    return [
        EmbeddingModel(id=_load_embedder(name).model_id, embedder=name, model=BUNDLED_MODEL)
        for name in ("onnx", "hashing")
    ]


def make_chat_model(connection: MachineSettings) -> ChatModel | None:
    """Return the configured language model, or its first fallback that the service offers."""
    if not connection.model:
        return None
    if not connection.model_url:
        raise ConfigError(f"The model {connection.model!r} needs a base URL. Set `model_url`.")
    model_class = _import_object(CHAT_MODEL_CLASSES[connection.model_provider])
    key = connection.model_key or None
    name = connection.model
    if connection.model_fallbacks:
        from recollect.extraction.model_choice import choose_model  # noqa: PLC0415

        probe = model_class(connection.model_url, name, key)
        try:
            name = choose_model(probe.models(), name, connection.model_fallbacks)
        finally:
            probe.close()
    chat_model: ChatModel = model_class(connection.model_url, name, key)
    return chat_model


def load_custom_prompts(connection: MachineSettings) -> Mapping[str, str]:
    """Return the custom prompts in the configured folder, if any."""
    if not connection.prompts:
        return {}
    # Imported here, since it takes longer than the rest of the standard library, and few have prompts of their own.
    from importlib.resources import files  # noqa: PLC0415

    prompt_files = (
        path.name for package in PROMPT_PACKAGES for path in files(package).joinpath("prompts").iterdir()
    )
    prompt_names = {name.partition(".")[0] for name in prompt_files}
    custom_prompts: Mapping[str, str] = _import_object(PROMPT_READER_FUNCTION)(
        Path(connection.prompts), prompt_names
    )
    return custom_prompts


def _load_embedder(name: str, *values: object, **options: object) -> Embedder:
    embedder: Embedder = _import_object(EMBEDDER_CLASSES[name])(*values, **options)
    return embedder


def _import_object(target: str) -> Callable[..., Any]:
    module, _, name = target.partition(":")
    target_object: Callable[..., Any] = getattr(import_module(module), name)
    return target_object
