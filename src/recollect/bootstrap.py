"""Settings in, a running engine out. The only place that picks adapters."""

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from importlib import import_module
from importlib.resources import files
from pathlib import Path
from typing import Any, TypedDict

from recollect.consolidation.consolidator import KeepStep, RelearnStep
from recollect.domain.embedding_model import KnownModel
from recollect.domain.policy import Policy
from recollect.domain.scope import Scope
from recollect.errors import ConfigError
from recollect.extraction.extractor import JudgeStep
from recollect.extraction.model_choice import choose
from recollect.ingestion.preparation import IntakeStep
from recollect.maintenance.summarizer import SummariseStep
from recollect.ports.backup import Backups
from recollect.ports.chat_model import ChatModel
from recollect.ports.clock import Clock, Ids
from recollect.ports.embedder import Embedder
from recollect.ports.reranker import Reranker
from recollect.ports.store import Store
from recollect.ports.tracer import Tracer
from recollect.retrieval.retriever import RecallStep
from recollect.services import Engine
from recollect.services.context_files import Files
from recollect.services.embedders import Embedders
from recollect.settings import Connection, Resolved, Settings
from recollect.workers.handlers import Handlers
from recollect.workers.worker import Worker

#: Named here, imported only when chosen: what is optional stays optional.
STORES = {"sqlite": "recollect.adapters.sqlite.store:SqliteStore"}
BACKUPS = {"sqlite": "recollect.adapters.sqlite.restore:SqliteBackups"}
TRACER = "recollect.adapters.otel.tracer:OtelTracer"
TRACED = "recollect.adapters.otel.spans:traced"
TRACED_RECALL = "recollect.adapters.otel.spans:TracedRecall"
RERANKER = "recollect.adapters.onnx.reranker:OnnxReranker"
CLOCK = "recollect.adapters.system.clock:SystemClock"
IDS = "recollect.adapters.system.clock:RandomIds"
HELPER = "recollect.adapters.system.executor:Helper"
EMBEDDERS = {
    "onnx": "recollect.adapters.onnx.embedder:OnnxEmbedder",
    "hashing": "recollect.adapters.embedders.hashing:HashingEmbedder",
    "openai": "recollect.adapters.embedders.openai:OpenAIEmbedder",
    "fastembed": "recollect.adapters.embedders.fastembed:FastEmbedEmbedder",
    "sentence-transformers": "recollect.adapters.embedders.sentence_transformers:SentenceTransformersEmbedder",
}
CHAT_MODELS = {
    "openai": "recollect.adapters.llms.openai_compatible:OpenAIChatModel",
    "anthropic": "recollect.adapters.llms.anthropic:AnthropicChatModel",
}
BUNDLED_MODEL = "BAAI/bge-small-en-v1.5"
PROMPT_FILES = "recollect.adapters.system.prompt_files:read_prompts"
#: The rooms that have prompts.
PROMPTED = ("recollect.extraction", "recollect.maintenance", "recollect.context")


MODE = "memory.mode"


@dataclass(frozen=True, slots=True, kw_only=True)
class Runtime:
    """An engine with everything it runs on."""

    settings: Settings
    store: Store
    engine: Engine
    embedder: Embedder | None
    worker: Worker
    prompts: Mapping[str, str] = field(default_factory=dict)  #: the user's own, by name
    tracer: Tracer | None = None  #: None where nobody wants spans
    process: int = field(default_factory=os.getpid)  #: that opened it

    def resolve(
        self, user: str, call: Mapping[str, object] | None = None, *, chat: str | None = None
    ) -> Resolved:
        """
        What holds for this user now: their preferences are read anew each time. How memory is used in a chat can be
        chosen for the chat; a temporary one never uses it, whatever anybody chose.
        """
        here = {**self._chosen_for(user, chat), **(call or {}), **_temporary(user, chat)}
        return self.settings.resolve(preferences=self.preferences(user), call=here)

    def preferences(self, user: str) -> dict[str, str]:
        """The settings a user has chosen. Names with a dot at the start are notes of our own."""
        stored = self.store.preferences.all(user)
        return {key: value for key, value in stored.items() if not key.startswith(".")}

    def policy(
        self, user: str, call: Mapping[str, object] | None = None, *, chat: str | None = None
    ) -> Policy:
        return self.resolve(user, call, chat=chat).policy

    @property
    def chat_model(self) -> ChatModel | None:
        """The language model of the settings, if there is one."""
        return self.engine.judge_step.model

    def _chosen_for(self, user: str, chat: str | None) -> dict[str, object]:
        mode = self.store.chats.mode(Scope(user, chat)) if chat is not None else None
        return {MODE: mode} if mode else {}

    def close(self) -> None:
        if os.getpid() != self.process:
            # A forked child has neither the threads nor the right to close what its parent goes on using.
            return
        self.worker.stop()
        self.store.close()
        # Only those that hold connections or threads have anything to give back.
        for each in (self.embedder, self.engine.judge_step.model, self.engine.recall_step.meanwhile):
            give_back: Callable[[], None] | None = getattr(each, "close", None)
            if give_back is not None:
                give_back()


def open_runtime(
    settings: Settings,
    *,
    embedder: Embedder | None = None,
    chat_model: ChatModel | None = None,
    clock: Clock | None = None,
    ids: Ids | None = None,
) -> Runtime:
    """Open the memory that the settings name. What is given here is used instead of theirs."""
    connection = settings.resolve().connection
    chosen = embedder or make_embedder(connection)
    model = chat_model or make_chat_model(connection)
    prompts = own_prompts(connection)
    time: Clock = clock or _load(CLOCK)()
    names: Ids = ids or _load(IDS)()
    tracer = make_tracer(connection)
    store: Store = _load(STORES["sqlite"])(connection.db, busy_timeout_ms=connection.busy_timeout_ms)
    engine = Engine(
        store=store,
        clock=time,
        ids=names,
        intake=IntakeStep(clock=time, ids=names),
        judge_step=JudgeStep(model=model, prompts=prompts),
        summarise_step=SummariseStep(model=model, prompts=prompts),
        embedder=chosen,
        files=Files(embedder=chosen),
        recall_step=_recall(store, chosen, make_reranker(connection), time, tracer),
        embedders=Embedders(own=chosen, make=partial(make_known, connection), preferences=store.preferences),
        **_keeping(store, time, names),
    )

    def policies(user: str) -> Policy:
        return runtime.policy(user)

    def is_stopping() -> bool:
        return worker.is_stopping

    handlers = Handlers(engine=engine, embedder=chosen, policies=policies, is_stopping=is_stopping)
    table = _load(TRACED)(handlers.table(), tracer) if tracer else handlers.table()
    worker = Worker(store.jobs, table, time, open_up=handlers.open_up, daily=handlers.daily)
    runtime = Runtime(
        settings=settings,
        store=store,
        engine=engine,
        embedder=chosen,
        worker=worker,
        prompts=prompts,
        tracer=tracer,
    )
    return runtime


def open_backups(settings: Settings) -> tuple[Backups, Clock]:
    """What can be done with copies of the memory that the settings name, without opening it."""
    backups: Backups = _load(BACKUPS["sqlite"])(settings.resolve().connection.db)
    return backups, _load(CLOCK)()


class _Keeping(TypedDict):
    keep: KeepStep
    relearn: RelearnStep


def _keeping(store: Store, clock: Clock, ids: Ids) -> _Keeping:
    """The two steps that put facts where they belong: one as they are heard, one when they were heard before."""
    keep = KeepStep(memories=store.memories, tombstones=store.tombstones, search=store.search, clock=clock)
    relearn = RelearnStep(
        keep=keep,
        memories=store.memories,
        messages=store.messages,
        judgements=store.judgements,
        tombstones=store.tombstones,
        clock=clock,
        ids=ids,
    )
    return {"keep": keep, "relearn": relearn}


def _temporary(user: str, chat: str | None) -> dict[str, object]:
    return {MODE: "off"} if Scope(user, chat).is_temporary else {}


def make_reranker(connection: Connection) -> Reranker:
    """The cross-encoder that is installed with recollect; loaded when a passage is first read again."""
    made: Reranker = _load(RERANKER)(threads=connection.embedder_threads)
    return made


def make_tracer(connection: Connection) -> Tracer | None:
    """OpenTelemetry's, if the settings want spans."""
    if not connection.otel:
        return None
    try:
        made: Tracer = _load(TRACER)()
    except ModuleNotFoundError as error:
        raise ConfigError(
            "`otel` is on, but OpenTelemetry is not installed. Run `pip install 'recollect[otel]'`, or turn it off."
        ) from error
    return made


def _recall(
    store: Store, embedder: Embedder | None, reranker: Reranker, clock: Clock, tracer: Tracer | None
) -> RecallStep:
    make = RecallStep if tracer is None else partial(_load(TRACED_RECALL), tracer=tracer)
    made: RecallStep = make(
        search=store.search,
        memories=store.memories,
        embedder=embedder,
        reranker=reranker,
        clock=clock,
        meanwhile=_load(HELPER)(),
    )
    return made


def make_embedder(connection: Connection) -> Embedder | None:
    """The embedder that the settings name; its model is loaded with the first text."""
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
            return _embedder(name, threads=connection.embedder_threads)
        case "hashing":
            return _embedder(name)
        case "openai":
            if not connection.embedder_url:
                raise ConfigError("The embedder `openai` needs an address. Set `embedder_url`, /v1 included.")
            return _embedder(name, connection.embedder_url, model, connection.embedder_key or None)
        case "fastembed" | "sentence-transformers":
            return _embedder(name, model)
        case folder:
            return _embedder("onnx", Path(folder), threads=connection.embedder_threads)


def make_known(connection: Connection, known: KnownModel) -> Embedder | None:
    """The embedder of a model that is known by name; addresses and keys are those of the settings."""
    return make_embedder(replace(connection, embedder=known.embedder, embedder_model=known.model))


def built_in_models() -> list[KnownModel]:
    """Those that every recollect has, the best first."""
    return [
        KnownModel(id=_embedder(name).model_id, embedder=name, model=BUNDLED_MODEL)
        for name in ("onnx", "hashing")
    ]


def make_chat_model(connection: Connection) -> ChatModel | None:
    """The language model that the settings name, or the first of its fallbacks that its service has."""
    if not connection.model:
        return None
    if not connection.model_url:
        raise ConfigError(f"The model {connection.model!r} needs an address. Set `model_url`.")
    made = _load(CHAT_MODELS[connection.model_provider])
    key = connection.model_key or None
    name = connection.model
    if connection.model_fallbacks:
        asked = made(connection.model_url, name, key)
        try:
            name = choose(asked.models(), name, connection.model_fallbacks)
        finally:
            asked.close()
    chosen: ChatModel = made(connection.model_url, name, key)
    return chosen


def own_prompts(connection: Connection) -> Mapping[str, str]:
    """The prompts in the user's folder, if the settings name one."""
    if not connection.prompts:
        return {}
    shipped = (path.name for room in PROMPTED for path in files(room).joinpath("prompts").iterdir())
    known = {name.partition(".")[0] for name in shipped}
    found: Mapping[str, str] = _load(PROMPT_FILES)(Path(connection.prompts), known)
    return found


def _embedder(name: str, *values: object, **options: object) -> Embedder:
    made: Embedder = _load(EMBEDDERS[name])(*values, **options)
    return made


def _load(target: str) -> Callable[..., Any]:
    module, _, name = target.partition(":")
    loaded: Callable[..., Any] = getattr(import_module(module), name)
    return loaded
