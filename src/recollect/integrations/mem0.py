"""
A drop-in for mem0's `Memory` and `AsyncMemory`: the same methods, arguments and results, on Recollect's storage.

    from recollect.integrations.mem0 import Memory

    memory = Memory()
    memory.add("I'm vegetarian", user_id="ana")
    print(memory.search("dinner", user_id="ana")["results"])

`run_id` is the chat. `run_id` and `agent_id` are kept in the metadata, where `filters` finds them too; a fact that was
stated in two runs belongs to both. Recollect extracts no relations, so `relations` is empty.
"""

import logging
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from typing import Any, Self, TypeAlias

from recollect.domain.event import EventAction
from recollect.domain.memory import ChangeKind, MemoryVersion
from recollect.domain.memory import Memory as StoredMemory
from recollect.domain.outcomes import Conflicting, FactOutcome, New, Reinforced, Rejected, Superseded
from recollect.domain.receipt import ReceiptItem
from recollect.domain.scope import Scope
from recollect.errors import ConfigError, InvalidInput, NotFound
from recollect.library.memory import Memory as RecollectMemory
from recollect.library.thread_calls import in_thread
from recollect.serialization.parsers import parse_metadata_filter
from recollect.serialization.serializers import serialize_timestamp

Result: TypeAlias = dict[str, Any]
Messages: TypeAlias = str | Mapping[str, object] | Sequence[Mapping[str, object]]

log = logging.getLogger(__name__)

DEFAULT_LIMIT = 100
#: Memories that one `delete_all` forgets.
MAX_DELETED = 1_000_000
#: Keys of the metadata that mem0 returns beside the metadata.
SCOPE_KEYS = ("agent_id", "run_id")
#: Keys that an update does not change.
FIXED_KEYS = frozenset({"user_id", *SCOPE_KEYS})
MEMORIES_ONLY = {"recall.sources": "memories"}
#: Users of recently returned memories, since mem0's `get`, `update`, `delete` and `history` take no user.
MAX_REMEMBERED_OWNERS = 10_000
#: mem0 has only these events.
EVENT_NAMES = {
    ChangeKind.ADD: "ADD",
    ChangeKind.DELETE: "DELETE",
    ChangeKind.ARCHIVE: "DELETE",
    ChangeKind.SUPERSEDE: "DELETE",
    ChangeKind.REINFORCE: "NONE",
}
#: Keys of mem0's configuration of a language model or embedder that hold its URL.
URL_KEYS = (
    "openai_base_url",
    "base_url",
    "ollama_base_url",
    "lmstudio_base_url",
    "vllm_base_url",
    "deepseek_base_url",
)
DEFAULT_URLS = {
    "openai": "https://api.openai.com/v1",
    "anthropic": "https://api.anthropic.com",
    "groq": "https://api.groq.com/openai/v1",
    "deepseek": "https://api.deepseek.com",
    "ollama": "http://localhost:11434/v1",
    "lmstudio": "http://localhost:1234/v1",
}
EMBEDDER_NAMES = {
    "openai": "openai",
    "ollama": "openai",
    "lmstudio": "openai",
    "fastembed": "fastembed",
    "huggingface": "sentence-transformers",
}


class Memory:
    """mem0's synchronous interface. `memory` is the Recollect memory behind it, by default one of the default file."""

    def __init__(self, memory: RecollectMemory | None = None) -> None:
        self.memory = RecollectMemory() if memory is None else memory
        self._owners: OrderedDict[str, str] = OrderedDict()

    @classmethod
    def from_config(cls, config_dict: Mapping[str, Any]) -> Self:
        """
        Open a memory with mem0's configuration: its model, its embedder and its path; or with Recollect's own settings
        under the key `recollect`.
        """
        return cls(RecollectMemory(settings=convert_config(config_dict)))

    def add(
        self,
        messages: Messages,
        *,
        user_id: str | None = None,
        agent_id: str | None = None,
        run_id: str | None = None,
        metadata: Mapping[str, object] | None = None,
        infer: bool = True,
    ) -> Result:
        """Extract facts from messages and return them; with ``infer=False``, store each text unchanged."""
        required = _require_scope(user_id, agent_id, run_id)
        common: Result = {**(metadata or {}), **required}
        arguments: Result = {"user_id": user_id, "chat_id": run_id, "metadata": common}
        listed = [messages] if isinstance(messages, str | Mapping) else [*messages]
        turns = [{"role": "user", "content": each} if isinstance(each, str) else each for each in listed]
        if infer:
            outcomes = self.memory.add(turns, sync=True, **arguments).results
        else:
            texts = [str(turn.get("content")) for turn in turns if turn.get("role") != "system"]
            outcomes = tuple(self.memory.add(text, **arguments).results[0] for text in texts)
        for outcome in outcomes:
            self._remember_owner(outcome.memory)
        return {"results": [row for each in outcomes for row in _outcome_rows(each)], "relations": []}

    def search(
        self,
        query: str,
        *,
        user_id: str | None = None,
        agent_id: str | None = None,
        run_id: str | None = None,
        limit: int = DEFAULT_LIMIT,
        top_k: int | None = None,
        filters: Mapping[str, object] | None = None,
        threshold: float | None = None,
    ) -> Result:
        """Return memories, most relevant first, each with its score."""
        user, required = _split_filters(filters, user_id, agent_id, run_id)
        count = limit if top_k is None else top_k
        found = self.memory.search(
            query, user_id=user, limit=count, metadata=required, settings=MEMORIES_ONLY
        )
        stored = self._memories_of(user, found.results)
        rows = [
            {**_memory_row(stored[item.id]), "score": score}
            for item, score in _scored(found.results)
            if item.id in stored and (threshold is None or score >= threshold)
        ]
        return {"results": rows, "relations": []}

    def get(self, memory_id: str) -> Result | None:
        """Return a memory, or None."""
        try:
            return _memory_row(self._find(memory_id))
        except NotFound:
            return None

    def get_all(
        self,
        *,
        user_id: str | None = None,
        agent_id: str | None = None,
        run_id: str | None = None,
        filters: Mapping[str, object] | None = None,
        limit: int = DEFAULT_LIMIT,
        top_k: int | None = None,
    ) -> Result:
        """Return memories, most recently mentioned first."""
        user, required = _split_filters(filters, user_id, agent_id, run_id)
        memories = self.memory.get_all(
            user_id=user, limit=limit if top_k is None else top_k, metadata=required
        )
        for each in memories:
            self._remember_owner(each)
        return {"results": [_memory_row(each) for each in memories], "relations": []}

    def update(
        self,
        memory_id: str,
        text: str | None = None,
        metadata: Mapping[str, object] | None = None,
        data: str | None = None,
    ) -> dict[str, str]:
        """Replace the text of a memory, or values of its metadata, or both. `data` is an older name of `text`."""
        known = self._find(memory_id)
        changed = {key: value for key, value in (metadata or {}).items() if key not in FIXED_KEYS}
        self.memory.update(
            memory_id,
            data if text is None else text,
            metadata={**known.metadata, **changed} if metadata is not None else None,
            user_id=known.user,
        )
        return {"message": "Memory updated successfully!"}

    def delete(self, memory_id: str) -> dict[str, str]:
        """Forget a memory."""
        self.memory.delete(memory_id, user_id=self._find(memory_id).user)
        return {"message": "Memory deleted successfully!"}

    def delete_all(
        self, user_id: str | None = None, agent_id: str | None = None, run_id: str | None = None
    ) -> dict[str, str]:
        """Forget the memories of a user, an agent or a run, as one event, which an undo reverts."""
        required = _require_scope(user_id, agent_id, run_id)
        memories = self.memory.get_all(user_id=user_id, limit=MAX_DELETED, metadata=required)
        if memories:
            services, ids = self.memory.application.services, [each.id for each in memories]
            services.memories.remove_memories(Scope(memories[0].user), ids, EventAction.FORGET)
        return {"message": "Memories deleted successfully!"}

    def history(self, memory_id: str) -> list[Result]:
        """Return the changes of a memory, oldest first."""
        user = self._find(memory_id).user
        return [_version_row(each) for each in self.memory.history(memory_id, user_id=user)]

    def reset(self) -> None:
        """Erase all data of all users from the file."""
        for user in self.memory.application.services.maintenance.users():
            self.memory.privacy.erase(user_id=user)
        self._owners.clear()

    def close(self) -> None:
        """Close the file."""
        self.memory.close()

    def _find(self, memory_id: str) -> StoredMemory:
        """Return the memory with exactly this id, whoever's it is: mem0 names no user."""
        services = self.memory.application.services
        owner = self._owners.get(memory_id)
        for user in [owner] if owner is not None else services.maintenance.users():
            memory = services.memories.find_existing(Scope(user), [memory_id]).get(memory_id)
            if memory is not None:
                return memory
        raise NotFound(f"There is no memory {memory_id!r}. `get_all` lists the memories of a user.")

    def _memories_of(self, user: str | None, items: Sequence[ReceiptItem]) -> Mapping[str, StoredMemory]:
        name = self.memory.application.settings.resolve().machine.user if user is None else user
        services = self.memory.application.services
        stored = services.memories.find_existing(Scope(name), [item.id for item in items])
        for memory in stored.values():
            self._remember_owner(memory)
        return stored

    def _remember_owner(self, memory: StoredMemory | None) -> None:
        if memory is not None:
            self._owners[memory.id] = memory.user
            if len(self._owners) > MAX_REMEMBERED_OWNERS:
                self._owners.popitem(last=False)


class AsyncMemory:
    """mem0's asynchronous interface: each method runs in a thread."""

    def __init__(self, memory: RecollectMemory | None = None) -> None:
        self.sync = Memory(memory)

    @classmethod
    async def from_config(cls, config_dict: Mapping[str, Any]) -> Self:
        """Open a memory with mem0's configuration."""
        return cls(RecollectMemory(settings=convert_config(config_dict)))

    add = in_thread(Memory.add)
    search = in_thread(Memory.search)
    get = in_thread(Memory.get)
    get_all = in_thread(Memory.get_all)
    update = in_thread(Memory.update)
    delete = in_thread(Memory.delete)
    delete_all = in_thread(Memory.delete_all)
    history = in_thread(Memory.history)
    reset = in_thread(Memory.reset)
    close = in_thread(Memory.close)


def convert_config(config: Mapping[str, Any]) -> dict[str, object]:
    """Return Recollect's settings for a configuration of mem0."""
    settings: dict[str, object] = {}
    for key, value in config.items():
        match key:
            case "recollect":
                settings.update(value)
            case "llm":
                settings.update(_model_settings(value))
            case "embedder":
                settings.update(_embedder_settings(value))
            case "history_db_path":
                settings["db"] = value
            case _:
                log.warning("%s", f"mem0's setting {key!r} has no meaning here and was ignored.")
    return settings


def _model_settings(part: Mapping[str, Any]) -> dict[str, object]:
    provider, config = str(part.get("provider", "openai")), part.get("config", {})
    url = _url(provider, config)
    if url is None:
        raise ConfigError(
            f"The language model of mem0's provider {provider!r} needs a URL. Give it as `base_url` in `llm.config`, or"
            " set `model_url` under `recollect`."
        )
    return _without_empty(
        {
            "model": config.get("model"),
            "model_url": url,
            "model_key": config.get("api_key"),
            "model_provider": "anthropic" if provider == "anthropic" else "openai",
        }
    )


def _embedder_settings(part: Mapping[str, Any]) -> dict[str, object]:
    provider, config = str(part.get("provider", "openai")), part.get("config", {})
    if provider not in EMBEDDER_NAMES:
        raise ConfigError(
            f"There is no embedder for mem0's provider {provider!r}. Use one of: {', '.join(EMBEDDER_NAMES)}; or set"
            " `embedder` under `recollect`."
        )
    name = EMBEDDER_NAMES[provider]
    return _without_empty(
        {
            "embedder": name,
            "embedder_model": config.get("model"),
            "embedder_url": _url(provider, config) if name == "openai" else None,
            "embedder_key": config.get("api_key"),
        }
    )


def _url(provider: str, config: Mapping[str, Any]) -> str | None:
    given = next((str(config[key]) for key in URL_KEYS if config.get(key)), None)
    if given is not None and provider == "ollama" and not given.rstrip("/").endswith("/v1"):
        return f"{given.rstrip('/')}/v1"
    return given or DEFAULT_URLS.get(provider)


def _without_empty(settings: Mapping[str, object]) -> dict[str, object]:
    return {key: value for key, value in settings.items() if value}


def _require_scope(user_id: str | None, agent_id: str | None, run_id: str | None) -> dict[str, object]:
    """Return the metadata of a scope; like mem0, refuse a call without any."""
    if user_id is None and agent_id is None and run_id is None:
        raise InvalidInput("Give at least one of user_id, agent_id and run_id.")
    return _without_empty({"agent_id": agent_id, "run_id": run_id})


def _split_filters(
    filters: Mapping[str, object] | None, user_id: str | None, agent_id: str | None, run_id: str | None
) -> tuple[str | None, dict[str, object]]:
    """Return the user, and the metadata that memories must have; filters may name user, agent and run too."""
    rest = _flatten_filters(filters or {})
    filtered_user = rest.pop("user_id", None)
    user = user_id if user_id is not None else None if filtered_user is None else str(filtered_user)
    agent = agent_id if agent_id is not None else rest.pop("agent_id", None)
    run = run_id if run_id is not None else rest.pop("run_id", None)
    scope = _require_scope(user, None if agent is None else str(agent), None if run is None else str(run))
    required = {**rest, **scope}
    parse_metadata_filter(required)
    return user, required


def _flatten_filters(filters: Mapping[str, object]) -> dict[str, object]:
    """Return conditions that must all hold, as required values; other operators of mem0 are refused."""
    required: dict[str, object] = {}
    for key, value in filters.items():
        match key, value:
            case "AND", [*conditions]:
                for condition in conditions:
                    if isinstance(condition, Mapping):
                        required.update(_flatten_filters(condition))
            case ("OR" | "NOT", _):
                raise InvalidInput(
                    f"Filters with {key} are not supported. Filter by equal values, or with AND."
                )
            case _, {"eq": equal, **others} if not others:
                required[key] = equal
            case _:
                required[key] = value
    return required


def _scored(items: Sequence[ReceiptItem]) -> list[tuple[ReceiptItem, float]]:
    """Return scores from 0 to 1, as mem0's are: the relevance, or without it the share of the best score."""
    best = max((item.score for item in items), default=0.0)
    is_calibrated = all(item.relevance is not None for item in items)
    scores = [
        (item, round(item.relevance or 0.0 if is_calibrated else max(item.score / (best or 1.0), 0.0), 4))
        for item in items
    ]
    return sorted(scores, key=lambda pair: -pair[1])


def _outcome_rows(outcome: FactOutcome) -> list[Result]:
    """Return what mem0 returns for a fact: a memory that was added or deleted, or none that changed."""
    match outcome:
        case New(memory=memory):
            return [_event_row(memory, "ADD")]
        case Superseded(memory=memory, old=old):
            new_rows = [] if memory is None else [_event_row(memory, "ADD")]
            return [*new_rows, _event_row(old, "DELETE")]
        case Reinforced(memory=memory) | Conflicting(memory=memory):
            return [_event_row(memory, "NONE")]
        case Rejected(text=text, memory=memory):
            return [{"id": memory.id if memory else None, "memory": text, "event": "NONE"}]


def _event_row(memory: StoredMemory, event: str) -> Result:
    return {"id": memory.id, "memory": memory.text, "event": event}


def _memory_row(memory: StoredMemory) -> Result:
    metadata = {key: value for key, value in memory.metadata.items() if key not in SCOPE_KEYS}
    return {
        "id": memory.id,
        "memory": memory.text,
        "hash": memory.fact_hash,
        "metadata": metadata or None,
        "created_at": serialize_timestamp(memory.created_at),
        "updated_at": serialize_timestamp(memory.updated_at),
        "user_id": memory.user,
        **{key: memory.metadata[key] for key in SCOPE_KEYS if key in memory.metadata},
    }


def _version_row(version: MemoryVersion) -> Result:
    event = EVENT_NAMES.get(version.change, "UPDATE")
    return {
        "id": f"{version.memory_id}-{version.version}",
        "memory_id": version.memory_id,
        "old_memory": version.old_text,
        "new_memory": None if event == "DELETE" else version.text,
        "event": event,
        "created_at": serialize_timestamp(version.changed_at),
        "updated_at": serialize_timestamp(version.changed_at),
        "is_deleted": event == "DELETE",
    }
