"""Settings: what was asked for in a call, by the user, in the environment, in a file, or by nobody."""

import os
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import Any, Literal, TypeAlias

from platformdirs import user_config_path, user_data_path

from recollect.domain.policy import PRESETS, Policy, Value, knob, preset, sections
from recollect.domain.scope import DEFAULT_USER
from recollect.domain.setting import HIDDEN, MOST, Described, Place, Setting, described, nearest
from recollect.errors import ConfigError

__all__ = ["Connection", "Described", "Resolved", "Setting", "Settings", "describe", "load"]

FILE_NAME = "recollect.toml"
PREFIX = "RECOLLECT_"
CONFIG = "RECOLLECT_CONFIG"
#: Kept among the user's preferences, but an answer they gave and no setting.
CONSENT = "memory_profile_consent"
#: Tokens between which a memory block is neither useless nor most of the prompt.
SENSIBLE_BUDGET = (200, 4000)
#: Combinations of what users and calls say that are remembered.
KNOWN = 256


def _in_data_folder(name: str, doc: str) -> str:
    return field(
        default_factory=lambda: str(user_data_path("recollect", appauthor=False) / name),
        metadata={"doc": doc, "choices": (), "path": True, "shown": f"{name} in the user's data folder"},
    )


def _secret(doc: str) -> str:
    return field(default="", repr=False, metadata={"doc": doc, "choices": (), "secret": True})


@dataclass(frozen=True, slots=True, kw_only=True)
class Connection:
    """What belongs to this machine rather than to a user: where things are and how to reach them."""

    db: str = _in_data_folder("memory.db", "The memory file.")
    user: str = knob(DEFAULT_USER, "Whose memory it is when nobody says.")
    embedder: str = knob(
        "onnx",
        "What turns text into vectors: one of the names, or a folder with an ONNX model;"
        " none searches by words alone.",
        choices=("onnx", "hashing", "openai", "fastembed", "sentence-transformers", "none"),
    )
    embedder_model: str = knob(
        "BAAI/bge-small-en-v1.5", "The model asked of the embedder; this one is installed with recollect."
    )
    embedder_url: str = knob("", "Base address of an OpenAI-compatible service, /v1 included.")
    embedder_key: str = _secret("The key for that service; never shown.")
    embedder_threads: int = knob(1, "Threads the local embedder may use.")
    model: str = knob("", "The language model that judges messages; without one the rules do.")
    model_fallbacks: tuple[str, ...] = knob((), "Models to take if that one is not there, in order.")
    model_provider: Literal["openai", "anthropic"] = knob(
        "openai", "The dialect its service speaks.", choices=("openai", "anthropic")
    )
    model_url: str = knob("", "Base address of its service, /v1 included for the OpenAI dialect.")
    model_key: str = _secret("The key for that service; never shown.")
    proxy_upstream: str = knob(
        "", "Where the proxy sends what OpenAI's clients ask, /v1 included; without one, to `model_url`."
    )
    proxy_key: str = _secret("The key for it, used for clients with a token of ours; never shown.")
    proxy_upstream_anthropic: str = knob(
        "", "Where the proxy sends what Anthropic's clients ask; without one, to `model_url`."
    )
    proxy_key_anthropic: str = _secret("The key for it, used for clients with a token of ours; never shown.")
    prompts: str = field(
        default="",
        metadata={"doc": "A folder with prompts of your own, named as ours.", "choices": (), "path": True},
    )
    worker: bool = knob(True, "Do background work in this process. Off leaves it to another one.")
    log_format: Literal["text", "json"] = knob(
        "text", "How the server writes its log: lines for people, or JSON objects.", choices=("text", "json")
    )
    log_level: Literal["debug", "info", "warning", "error"] = knob(
        "info",
        "What the server's log holds; every request is `info`.",
        choices=("debug", "info", "warning", "error"),
    )
    otel: bool = knob(
        False,
        "Make OpenTelemetry spans of requests, recalls and jobs. Needs the extra `otel`; the SDK is yours.",
    )
    requests_per_minute: int = knob(
        6_000, "Requests that one person may make of the server; 0 is any number."
    )
    busy_timeout_ms: int = knob(5000, "Milliseconds to wait while another process writes to the file.")
    chroma_dir: str = _in_data_folder("chroma", "The folder of the optional Chroma index.")


#: Where texts and keys are sent: not to be decided by a file that came with somebody's project.
ADDRESSES = frozenset({"embedder_url", "model_url", "proxy_upstream", "proxy_upstream_anthropic"})

#: Names under which a host may already keep these settings.
ALIASES: Mapping[str, str] = {
    "RAG_HYBRID": "recall.hybrid",
    "RAG_CHUNKING": "chunking.enabled",
    "RAG_TOKEN_BUDGET": "assemble.budget",
    "RAG_SUMMARY_FREQUENCY": "summaries.every",
    "RAG_RERANK_ALPHA": "recall.alpha",
    "RAG_RERANK_BETA": "recall.beta",
    "RAG_RERANK_GAMMA": "recall.gamma",
    "RAG_SIMILARITY_THRESHOLD": "recall.floor",
    "RAG_EMBEDDING_MODEL": "embedder_model",
    "BACKFILL_CHUNKS": "chunking.backfill",
    "CHROMA_DIR": "chroma_dir",
    "memory_extractor": "model",
    "ENABLE_SMART_RAG": "recall.enabled",
    "enable_smart_rag": "recall.enabled",
    "_MIN_FACT_LENGTH": "extract.min_fact_chars",
    "MaxToolOutputLen": "clip.tool_chars",
}

_FROM_ONE = (
    *("collect.largest_message", "chunking.max_tokens", "extract.batch", "recall.fetch", "recall.limit"),
    *("summaries.max_tokens", "summaries.working_max_tokens", "summaries.working_max_words"),
)
_SHARES = (
    *("recall.cliff", "recall.alpha", "recall.beta", "recall.gamma", "keep.similar", "keep.context_similar"),
    *(
        "assemble.recall_share",
        "decay.emo_per_week",
        "decay.pref_per_week",
        "decay.obj_per_week",
        "decay.archive_below",
    ),
)
#: Other numbers are 0 or more.
LIMITS: Mapping[str, tuple[float, float]] = {
    **dict.fromkeys(_FROM_ONE, (1, MOST)),
    **dict.fromkeys(_SHARES, (0, 1)),
    **dict.fromkeys(("recall.importance_floor", "assemble.local_floor"), (0, 100)),
    # A hundred years, which a date can still be moved by.
    **dict.fromkeys(("decay.temporary_days", "record.keep_days"), (0, 36_500)),
    "recall.half_life_days": (0.01, 36_500),
    "recall.floor": (-1, 1),
    "embedder_threads": (1, 256),
    "busy_timeout_ms": (0, 3_600_000),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Resolved:
    """The settings that hold for one call. Secrets stand in `connection` only."""

    policy: Policy
    connection: Connection
    sources: Mapping[str, Setting]
    warnings: tuple[str, ...] = ()


_Layer: TypeAlias = Mapping[str, Setting]
#: Modification time, size and inode; None if there is no file.
_Stamp: TypeAlias = tuple[int, int, int] | None
_ARGUMENT = Place("call", "argument")
_PREFERENCE = Place("preference", "preferences")
_NOTHING: Mapping[str, str] = MappingProxyType({})


def _variables(name: str) -> tuple[str, ...]:
    own = PREFIX + name.upper().replace(".", "_")
    return (own, *(alias for alias, target in ALIASES.items() if target == name))


def _rows() -> Iterator[Described]:
    yield Described(
        name="preset",
        environment=_variables("preset"),
        kind="choice",
        choices=tuple(PRESETS),
        default="default",
        doc="The set of values to start from.",
    )
    knobs = [(f.name, f) for f in fields(Connection)]
    for section in sections():
        knobs += [(f"{section.name}.{f.name}", f) for f in fields(getattr(Policy(), section.name))]
    for name, f in knobs:
        limits = LIMITS.get(name, (0, MOST))
        yield described(name, f, environment=_variables(name), limits=limits)


def _folded(key: str) -> str:
    return key.replace("_", "").casefold()


_TABLE = {row.name: row for row in _rows()}
_BY_VARIABLE = {variable: row for row in _TABLE.values() for variable in row.environment}
_BY_ALIAS = {_folded(alias): _TABLE[name] for alias, name in ALIASES.items()}
_SECRETS = [row.name for row in _TABLE.values() if row.secret]
_SECTIONS = tuple(section.name for section in sections())


def describe() -> list[Described]:
    """Everything that can be set, in the order of the reference page."""
    return list(_TABLE.values())


def _hint(key: str, names: Sequence[str]) -> str:
    meant = nearest(key, names)
    return f" Did you mean {meant}?" if meant else ""


def _known(key: str, place: Place) -> Described:
    row = _TABLE.get(key) or _BY_ALIAS.get(_folded(key))
    if row is None and _folded(key) == _folded(CONSENT):
        raise ConfigError(
            f"{key} is the user's answer, no setting (from {place}). It is asked of the user, not set."
        )
    if row is None:
        tables = _SECTIONS if place.source == "file" else ()
        hint = f" Make it a table: [{key}]." if key in tables else _hint(key, [*_TABLE, *tables])
        raise ConfigError(f"Unknown setting {key} (from {place}).{hint} `recollect settings` lists them all.")
    if place.source == "preference" and "." not in row.name and row.name != "preset":
        raise ConfigError(
            f"{row.name} belongs to this machine and cannot be a user's preference."
            f" Set {row.environment[0]}, or write it in {FILE_NAME}."
        )
    return row


def _setting(row: Described, raw: object, place: Place) -> Setting:
    given = os.fspath(raw) if isinstance(raw, os.PathLike) else raw
    value = row.parse(given)
    if value is None:
        shown = HIDDEN if row.secret else repr(given)[:80]
        hint = _hint(given, row.choices) if isinstance(given, str) else ""
        raise ConfigError(f"{row.name} cannot be {shown} (from {place}). It takes {row.takes}.{hint}")
    if isinstance(value, str) and row.kind in {"path", "choice or folder"}:
        value = _at_home(value)
    return row.at(place, value)


def _at_home(path: str) -> str:
    return str(Path.home() / path[2:]) if path.startswith(("~/", "~\\")) else path


def _read(given: Mapping[str, object], place: Place) -> _Layer:
    layer: dict[str, Setting] = {}
    # Our own name wins over another name for the same thing.
    for key in sorted(given, key=lambda key: key not in _TABLE):
        answered = place is _PREFERENCE and key == CONSENT
        if given[key] is not None and not answered:
            row = _known(key, place)
            layer.setdefault(row.name, _setting(row, given[key], place))
    return layer


def _read_environment(variables: Mapping[str, str]) -> _Layer:
    layer: dict[str, Setting] = {}
    for variable in sorted(variables, key=lambda name: not name.startswith(PREFIX)):
        place = Place("environment", variable)
        row = _BY_VARIABLE.get(variable)
        if row is not None:
            layer.setdefault(row.name, _setting(row, variables[variable], place))
        elif variable != CONFIG:
            hint = _hint(variable, [CONFIG, *_BY_VARIABLE])
            raise ConfigError(f"Unknown setting in {place}.{hint} Correct its name or unset it.")
    return layer


def _document(path: Path) -> Mapping[str, object]:
    try:
        # Some editors put a byte order mark in front.
        return tomllib.loads(path.read_bytes().decode("utf-8-sig"))
    except tomllib.TOMLDecodeError as error:
        raise ConfigError(f"The file {path} is not valid TOML: {error}. Correct it and try again.") from error
    except UnicodeDecodeError as error:
        line = error.object[: error.start].count(b"\n") + 1
        raise ConfigError(f"The file {path} is not UTF-8 (at line {line}). Save it as UTF-8.") from error
    except OSError as error:
        raise ConfigError(
            f"The file {path} cannot be read: {error.strerror}. Correct that, or name another with {CONFIG}."
        ) from error


def _read_file(path: Path) -> _Layer:
    given: dict[str, object] = {}
    for key, value in _document(path).items():
        if isinstance(value, dict) and (value or key in _SECTIONS):
            given |= {f"{key}.{name}": inner for name, inner in value.items()}
        else:
            given[key] = value
    lying_about = not path.is_absolute() and path == Path(FILE_NAME)
    if lying_about and (where := sorted(set(given) & ADDRESSES)):
        raise ConfigError(
            f"{where[0]} cannot be set by {FILE_NAME} in the current folder, for it decides where texts and keys are"
            f" sent. Set {_TABLE[where[0]].environment[0]}, or write it in your own configuration folder."
        )
    return _read(given, Place("file", str(path)))


def _stamp(path: Path) -> _Stamp:
    try:
        status = path.stat()
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError:
        # It is there but closed to us. Reading it will say why.
        return 0, 0, 0
    return status.st_mtime_ns, status.st_size, status.st_ino


@cache
def _preset_layer(name: str) -> _Layer:
    place = Place("preset", name)
    return {key: _TABLE[key].at(place, value) for key, value in PRESETS[name].items()}


def _default_layer() -> _Layer:
    machine = Connection()
    values: dict[str, Value] = {f.name: getattr(machine, f.name) for f in fields(Connection)}
    values |= Policy().values() | {"preset": "default"}
    return {name: row.at(Place("default"), values[name]) for name, row in _TABLE.items()}


def _doubts(policy: Policy, sources: _Layer) -> Iterator[str]:
    """What is allowed, but hardly meant."""
    least, most = SENSIBLE_BUDGET
    if not least <= policy.assemble.budget <= most:
        origin = sources["assemble.budget"].origin
        yield f"assemble.budget is {policy.assemble.budget} ({origin}); {least} to {most} tokens are sensible."
    if policy.recall.boost_min > policy.recall.boost_max:
        yield "recall.boost_min is above recall.boost_max, so every memory gets the same boost."


def _merged(layers: Sequence[_Layer], warnings: tuple[str, ...]) -> Resolved:
    """Join layers, weakest first; the presets stand between the defaults and the rest."""
    defaults, *said = layers
    chosen: dict[str, Setting] = {}
    for layer in said:
        chosen.update(layer)
    name = str(chosen.get("preset", defaults["preset"]).value)
    sources = {**defaults, **_preset_layer(name), **chosen}
    policy = preset(name).with_values({key: found.value for key, found in chosen.items() if "." in key})
    # Each value was parsed by the type of its own field.
    machine: dict[str, Any] = {f.name: sources[f.name].value for f in fields(Connection)}
    hidden = {key: replace(sources[key], value=HIDDEN) for key in _SECRETS if sources[key].value}
    return Resolved(
        policy=policy,
        connection=Connection(**machine),
        sources=sources | hidden,
        warnings=(*warnings, *_doubts(policy, sources)),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Seen:
    """The relevant variables and the files as they were when last looked at."""

    variables: Mapping[str, str]
    files: tuple[tuple[Path, _Stamp], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Base:
    """What holds as long as nothing that was seen has changed."""

    seen: _Seen
    layers: tuple[_Layer, ...]
    resolved: Resolved
    warnings: tuple[str, ...]
    known: dict[str, Resolved] = field(default_factory=dict)  #: by what a user and a call say besides


class Settings:
    """All layers of settings. The environment and the files are read again when they have changed."""

    def __init__(
        self, *, arguments: Mapping[str, object], environ: Mapping[str, str], files: Sequence[Path] | None
    ) -> None:
        self._environ = environ
        self._files = files
        self._usual_files = (Path(FILE_NAME), user_config_path("recollect", appauthor=False) / FILE_NAME)
        self._arguments = _read(arguments, _ARGUMENT)
        self._defaults = _default_layer()
        self._base = self._read(self._look())

    def resolve(
        self, *, preferences: Mapping[str, str] = _NOTHING, call: Mapping[str, object] = _NOTHING
    ) -> Resolved:
        """
        Return what holds for a call by a user with these preferences.

        A change of the environment or a file that makes no sense stops only the start: later on, the
        values read before stay in force and a warning says so, since a chat must not fail for it.
        """
        base = self._fresh()
        if not preferences and not call:
            return base.resolved
        asked = repr((sorted(preferences.items()), sorted(call.items())))
        if known := base.known.get(asked):
            return known
        said = (_read(preferences, _PREFERENCE), self._arguments, _read(call, _ARGUMENT))
        resolved = _merged((*base.layers, *said), base.warnings)
        if len(base.known) >= KNOWN:
            base.known.clear()
        base.known[asked] = resolved
        return resolved

    @property
    def own_file(self) -> Path:
        """The user's own settings file, whether or not it is there: the last of those that are looked for."""
        return self._paths(self._base.seen.variables)[-1]

    def _fresh(self) -> _Base:
        # One assignment publishes the new state, so threads need no lock.
        seen = self._look()
        if seen != self._base.seen:
            try:
                self._base = self._read(seen)
            except ConfigError as error:
                kept = f"{error} Until then the earlier values hold."
                self._base = self._based(seen, self._base.layers, (kept,))
        return self._base

    def _look(self) -> _Seen:
        environ = self._environ
        relevant = [name for name in environ if name.startswith(PREFIX) or name in ALIASES]
        variables = {name: value for name in relevant if (value := environ.get(name, "").strip())}
        return _Seen(
            variables=variables, files=tuple((path, _stamp(path)) for path in self._paths(variables))
        )

    def _paths(self, variables: Mapping[str, str]) -> Sequence[Path]:
        if self._files is not None:
            return self._files
        return (Path(_at_home(variables[CONFIG])),) if CONFIG in variables else self._usual_files

    def _read(self, seen: _Seen) -> _Base:
        present = [path for path, stamp in seen.files if stamp is not None]
        if self._files is None and CONFIG in seen.variables and not present:
            raise ConfigError(
                f"{CONFIG} names {seen.files[0][0]}, which is not there. Create it or unset {CONFIG}."
            )
        files = [_read_file(path) for path in reversed(present)]
        return self._based(seen, (self._defaults, *files, _read_environment(seen.variables)), ())

    def _based(self, seen: _Seen, layers: tuple[_Layer, ...], warnings: tuple[str, ...]) -> _Base:
        resolved = _merged((*layers, self._arguments), warnings)
        return _Base(seen=seen, layers=layers, resolved=resolved, warnings=warnings)


def load(
    *,
    arguments: Mapping[str, object] | None = None,
    environ: Mapping[str, str] | None = None,
    files: Sequence[Path] | None = None,
) -> Settings:
    """
    Read the settings of this process.

    `arguments` win over everything but a call's own. `environ` and `files` stand in for the process's
    environment and for the usual files, of which the first wins.
    """
    return Settings(
        arguments=arguments or {}, environ=os.environ if environ is None else environ, files=files
    )
