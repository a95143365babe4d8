"""Settings: what was asked for in a call, by the user, in the environment, in a file, or by nobody."""

import hashlib
import json
import os
import stat
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import cache
from pathlib import Path
from tempfile import NamedTemporaryFile
from types import MappingProxyType
from typing import Any, Literal, TypeAlias

from platformdirs import user_config_path, user_data_path

from recollect.domain.policy import PRESETS, Policy, Value, knob, preset, sections
from recollect.domain.scope import DEFAULT_USER
from recollect.domain.setting import (
    HIDDEN,
    MOST,
    PROJECT_SETTINGS,
    Described,
    Place,
    Setting,
    described,
    nearest,
)
from recollect.errors import ConfigError, NotFound

__all__ = [
    "Connection",
    "Described",
    "ProjectFile",
    "Resolved",
    "Setting",
    "Settings",
    "TrustedFiles",
    "describe",
    "load",
    "read_project_file",
    "trusted_files",
]

FILE_NAME = "recollect.toml"
#: Looked for in the current folder; it may have come with somebody else's project. Compared by identity: the same path
#: that somebody named on purpose is another object.
PROJECT_FILE = Path(FILE_NAME)
#: A file of settings has a few hundred bytes.
MAX_PROJECT_FILE_BYTES = 100_000
MAX_SHOWN_KEY_CHARS = 80
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
FileState: TypeAlias = Literal["trusted", "changed", "missing"]
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
        shown = key if len(key) <= MAX_SHOWN_KEY_CHARS else f"{key[:MAX_SHOWN_KEY_CHARS]}…"
        raise ConfigError(
            f"Unknown setting {shown} (from {place}).{hint} `recollect settings` lists them all."
        )
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


def _content(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise ConfigError(
            f"The file {path} cannot be read: {error.strerror}. Correct that, or name another with {CONFIG}."
        ) from error


def _project_content(path: Path) -> bytes:
    """What a project's file holds. A pipe, which would keep us waiting, or a huge file is refused."""
    try:
        status = path.stat()
    except OSError as error:
        raise ConfigError(f"The file {path} cannot be read: {error.strerror}. Correct that.") from error
    if not stat.S_ISREG(status.st_mode):
        raise ConfigError(f"{path} is not a regular file. Move it away.")
    if status.st_size > MAX_PROJECT_FILE_BYTES:
        raise ConfigError(
            f"The file {path} has {status.st_size} bytes, more than the {MAX_PROJECT_FILE_BYTES} that settings may"
            " have. Shorten it."
        )
    return _content(path)


def _parse(path: Path, content: bytes) -> Mapping[str, object]:
    """The values of a file by the names of the settings."""
    try:
        # Some editors put a byte order mark in front.
        document = tomllib.loads(content.decode("utf-8-sig"))
    except UnicodeDecodeError as error:
        line = error.object[: error.start].count(b"\n") + 1
        raise ConfigError(f"The file {path} is not UTF-8 (at line {line}). Save it as UTF-8.") from error
    except (ValueError, RecursionError) as error:
        # Besides mistakes of syntax: a number of thousands of digits, or thousands of brackets.
        raise ConfigError(f"The file {path} is not valid TOML: {error}. Correct it and try again.") from error
    values: dict[str, object] = {}
    for key, value in document.items():
        if isinstance(value, dict) and (value or key in _SECTIONS):
            values |= {f"{key}.{name}": inner for name, inner in value.items()}
        else:
            values[key] = value
    return values


def _read_file(path: Path) -> _Layer:
    return _read(_parse(path, _content(path)), Place("file", str(path)))


class TrustedFiles:
    """Files of projects that the user trusts, by their path and the hash of what they held when the user saw them."""

    def __init__(self, file: Path) -> None:
        self.file = file

    def hashes(self) -> dict[str, str]:
        """SHA-256 by path."""
        try:
            hashes = json.loads(self.file.read_text("utf-8"))
        except FileNotFoundError:
            return {}
        except (OSError, ValueError) as error:
            raise self._unreadable(str(error)) from error
        if not isinstance(hashes, dict) or not all(isinstance(each, str) for each in hashes.values()):
            raise self._unreadable("it is no list of hashes")
        return hashes

    def states(self) -> dict[str, FileState]:
        """Whether each file still is what was trusted."""
        return {path: self._state(Path(path), sha256) for path, sha256 in self.hashes().items()}

    def _state(self, path: Path, sha256: str) -> FileState:
        if _stamp(path) is None:
            return "missing"
        try:
            content = _project_content(path)
        except ConfigError:
            # A file that became huge, a folder or unreadable is not what was trusted.
            return "changed"
        return "trusted" if hashlib.sha256(content).hexdigest() == sha256 else "changed"

    def add(self, path: Path, sha256: str) -> None:
        self._write({**self.hashes(), str(path): sha256})

    def remove(self, path: Path) -> None:
        hashes = self.hashes()
        if hashes.pop(str(path), None) is None:
            raise NotFound(f"{path} is not trusted. `recollect trust --list` shows the files that are.")
        self._write(hashes)

    def _write(self, hashes: Mapping[str, str]) -> None:
        try:
            self.file.parent.mkdir(parents=True, exist_ok=True)
            # Only its owner can read a temporary file, and it takes the old one's place in one step.
            with NamedTemporaryFile(
                "w", encoding="utf-8", dir=self.file.parent, prefix=self.file.name, delete=False
            ) as file:
                json.dump(hashes, file, indent=2)
            Path(file.name).replace(self.file)
        except OSError as error:
            raise ConfigError(
                f"The list of trusted files {self.file} cannot be written: {error.strerror}."
            ) from error

    def _unreadable(self, why: str) -> ConfigError:
        return ConfigError(
            f"The list of trusted files {self.file} cannot be read ({why}). Delete it and trust the files again."
        )


def trusted_files() -> TrustedFiles:
    """The user's own list of trusted files."""
    return TrustedFiles(user_config_path("recollect", appauthor=False) / "trusted.json")


@dataclass(frozen=True, slots=True, kw_only=True)
class ProjectFile:
    """A project's file and what it would set if it were trusted. Secrets are hidden."""

    path: Path
    sha256: str
    settings: tuple[Setting, ...]


def read_project_file(folder: Path) -> ProjectFile:
    """Read the file of a folder as `recollect trust` shows it; a mistake in it is an error."""
    path = folder.resolve() / FILE_NAME
    if _stamp(path) is None:
        raise NotFound(f"There is no {FILE_NAME} in {folder.resolve()}. Name the folder that has it.")
    content = _project_content(path)
    layer = _read(_parse(path, content), Place("file", str(path)))
    return ProjectFile(
        path=path,
        sha256=hashlib.sha256(content).hexdigest(),
        settings=tuple(
            replace(each, value=HIDDEN) if _TABLE[name].secret else each for name, each in layer.items()
        ),
    )


def _read_project_file(trusted: TrustedFiles) -> tuple[_Layer, tuple[str, ...]]:
    """
    What the file of the current folder may set, and warnings about the rest. Nothing in it can stop a command: whoever
    unpacks an archive or clones a repository did not ask for its settings.
    """
    try:
        content = _project_content(PROJECT_FILE)
        layer = _read(_parse(PROJECT_FILE, content), Place("file", str(PROJECT_FILE)))
    except ConfigError as error:
        return {}, (f"{error} Until then {FILE_NAME} of the current folder is ignored.",)
    restricted = [name for name in layer if name not in PROJECT_SETTINGS]
    if not restricted:
        return layer, ()
    path, known = Path.cwd() / FILE_NAME, None
    unreadable: tuple[str, ...] = ()
    try:
        known = trusted.hashes().get(str(path))
    except ConfigError as error:
        unreadable = (str(error),)
    if known == hashlib.sha256(content).hexdigest():
        return layer, ()
    changed = " It has changed since it was trusted." if known else ""
    ignored = (
        f"{path} sets {', '.join(restricted)}, which a file in the current folder may set only if you trust it:"
        f" ignored.{changed} Read it and run `recollect trust`, or name it with --config or {CONFIG}."
    )
    return {name: layer[name] for name in layer if name in PROJECT_SETTINGS}, (*unreadable, ignored)


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
    trusted: _Stamp = None  #: the list of trusted files, if it matters


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
        self,
        *,
        arguments: Mapping[str, object],
        environ: Mapping[str, str],
        files: Sequence[Path] | None,
        config: Path | None = None,
    ) -> None:
        self._environ = environ
        self._files = files
        self._config = config
        self._usual_files = (PROJECT_FILE, user_config_path("recollect", appauthor=False) / FILE_NAME)
        self._trusted = trusted_files()
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

    @property
    def warnings(self) -> tuple[str, ...]:
        """What is wrong with the files and variables; a part of the warnings of every call."""
        return self._fresh().warnings

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
        files = tuple((path, _stamp(path)) for path in self._paths(variables))
        has_project_file = files[:1] and files[0][0] is PROJECT_FILE and files[0][1] is not None
        return _Seen(
            variables=variables,
            files=files,
            trusted=_stamp(self._trusted.file) if has_project_file else None,
        )

    def _paths(self, variables: Mapping[str, str]) -> Sequence[Path]:
        if self._files is not None:
            return self._files
        if self._config is not None:
            return (self._config,)
        return (Path(_at_home(variables[CONFIG])),) if CONFIG in variables else self._usual_files

    def _read(self, seen: _Seen) -> _Base:
        present = [path for path, stamp in seen.files if stamp is not None]
        if not present and self._files is None and self._config is not None:
            raise ConfigError(
                f"--config names {self._config}, which is not there. Create it or leave --config out."
            )
        if not present and self._files is None and CONFIG in seen.variables:
            raise ConfigError(
                f"{CONFIG} names {seen.files[0][0]}, which is not there. Create it or unset {CONFIG}."
            )
        layers: list[_Layer] = []
        warnings: tuple[str, ...] = ()
        for path in reversed(present):
            if path is not PROJECT_FILE:
                layers.append(_read_file(path))
            # In the user's configuration folder both are the same file, which was read as the user's own.
            elif len({stamp for _, stamp in seen.files}) == len(seen.files):
                layer, warnings = _read_project_file(self._trusted)
                layers.append(layer)
        return self._based(seen, (self._defaults, *layers, _read_environment(seen.variables)), warnings)

    def _based(self, seen: _Seen, layers: tuple[_Layer, ...], warnings: tuple[str, ...]) -> _Base:
        resolved = _merged((*layers, self._arguments), warnings)
        return _Base(seen=seen, layers=layers, resolved=resolved, warnings=warnings)


def load(
    *,
    arguments: Mapping[str, object] | None = None,
    environ: Mapping[str, str] | None = None,
    files: Sequence[Path] | None = None,
    config: str | os.PathLike[str] | None = None,
) -> Settings:
    """
    Read the settings of this process.

    `arguments` win over everything but a call's own. `environ` and `files` stand in for the process's
    environment and for the usual files, of which the first wins. `config` names the one file to read, as the
    variable RECOLLECT_CONFIG does, over which it wins. Files that are named here are trusted.
    """
    return Settings(
        arguments=arguments or {},
        environ=os.environ if environ is None else environ,
        files=files,
        config=None if config is None else Path(_at_home(os.fspath(config))),
    )
