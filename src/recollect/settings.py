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

from recollect.domain.policy import PRESETS, OptionValue, Policy, load_preset, option, policy_sections
from recollect.domain.scope import DEFAULT_USER
from recollect.domain.setting import (
    MAX_SETTING_VALUE,
    PROJECT_SETTINGS,
    SECRET_PLACEHOLDER,
    Setting,
    SettingSource,
    SettingSpec,
    closest_name,
    describe_field,
)
from recollect.errors import ConfigError, NotFound

__all__ = [
    "MachineSettings",
    "ProjectFile",
    "ResolvedSettings",
    "Setting",
    "SettingSpec",
    "Settings",
    "TrustedFiles",
    "list_specs",
    "load_settings",
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
ENVIRONMENT_PREFIX = "RECOLLECT_"
CONFIG_VARIABLE = "RECOLLECT_CONFIG"
#: Kept among the user's preferences, but an answer they gave and no setting.
CONSENT_KEY = "memory_profile_consent"
#: Tokens between which a memory block is neither useless nor most of the prompt.
SENSIBLE_BUDGET_TOKENS = (200, 4000)
#: Combinations of what users and calls say that are remembered.
MAX_CACHED_RESULTS = 256


def _data_path_option(name: str, doc: str) -> str:
    return field(
        default_factory=lambda: str(user_data_path("recollect", appauthor=False) / name),
        metadata={"doc": doc, "choices": (), "path": True, "shown": f"{name} in the user's data folder"},
    )


def _secret_option(doc: str) -> str:
    return field(default="", repr=False, metadata={"doc": doc, "choices": (), "secret": True})


@dataclass(frozen=True, slots=True, kw_only=True)
class MachineSettings:
    """What belongs to this machine rather than to a user: where things are and how to reach them."""

    db: str = _data_path_option("memory.db", "The memory file.")
    user: str = option(DEFAULT_USER, "Whose memory it is when nobody says.")
    embedder: str = option(
        "onnx",
        "What turns text into vectors: one of the names, or a folder with an ONNX model;"
        " none searches by words alone.",
        choices=("onnx", "hashing", "openai", "fastembed", "sentence-transformers", "none"),
    )
    embedder_model: str = option(
        "BAAI/bge-small-en-v1.5", "The model asked of the embedder; this one is installed with recollect."
    )
    embedder_url: str = option("", "Base address of an OpenAI-compatible service, /v1 included.")
    embedder_key: str = _secret_option("The key for that service; never shown.")
    embedder_threads: int = option(1, "Threads the local embedder may use.")
    model: str = option("", "The language model that judges messages; without one the rules do.")
    model_fallbacks: tuple[str, ...] = option((), "Models to take if that one is not there, in order.")
    model_provider: Literal["openai", "anthropic"] = option(
        "openai", "The dialect its service speaks.", choices=("openai", "anthropic")
    )
    model_url: str = option("", "Base address of its service, /v1 included for the OpenAI dialect.")
    model_key: str = _secret_option("The key for that service; never shown.")
    proxy_upstream: str = option(
        "", "Where the proxy sends what OpenAI's clients ask, /v1 included; without one, to `model_url`."
    )
    proxy_key: str = _secret_option("The key for it, used for clients with a token of ours; never shown.")
    proxy_upstream_anthropic: str = option(
        "", "Where the proxy sends what Anthropic's clients ask; without one, to `model_url`."
    )
    proxy_key_anthropic: str = _secret_option(
        "The key for it, used for clients with a token of ours; never shown."
    )
    prompts: str = field(
        default="",
        metadata={"doc": "A folder with prompts of your own, named as ours.", "choices": (), "path": True},
    )
    worker: bool = option(True, "Do background work in this process. Off leaves it to another one.")
    log_format: Literal["text", "json"] = option(
        "text", "How the server writes its log: lines for people, or JSON objects.", choices=("text", "json")
    )
    log_level: Literal["debug", "info", "warning", "error"] = option(
        "info",
        "What the server's log holds; every request is `info`.",
        choices=("debug", "info", "warning", "error"),
    )
    otel: bool = option(
        False,
        "Make OpenTelemetry spans of requests, recalls and jobs. Needs the extra `otel`; the SDK is yours.",
    )
    requests_per_minute: int = option(
        6_000, "Requests that one person may make of the server; 0 is any number."
    )
    busy_timeout_ms: int = option(5000, "Milliseconds to wait while another process writes to the file.")
    chroma_dir: str = _data_path_option("chroma", "The folder of the optional Chroma index.")


#: Names under which a host may already keep these settings.
SETTING_ALIASES: Mapping[str, str] = {
    "RAG_HYBRID": "recall.hybrid",
    "RAG_CHUNKING": "chunking.enabled",
    "RAG_TOKEN_BUDGET": "context.budget",
    "RAG_SUMMARY_FREQUENCY": "summaries.every_answers",
    "RAG_RERANK_ALPHA": "recall.alpha",
    "RAG_RERANK_BETA": "recall.beta",
    "RAG_RERANK_GAMMA": "recall.gamma",
    "RAG_SIMILARITY_THRESHOLD": "recall.min_cosine",
    "RAG_EMBEDDING_MODEL": "embedder_model",
    "BACKFILL_CHUNKS": "chunking.backfill",
    "CHROMA_DIR": "chroma_dir",
    "memory_extractor": "model",
    "ENABLE_SMART_RAG": "recall.enabled",
    "enable_smart_rag": "recall.enabled",
    "_MIN_FACT_LENGTH": "extraction.min_fact_chars",
    "MaxToolOutputLen": "truncation.max_tool_chars",
}

_MIN_ONE_SETTINGS = (
    *(
        "collect.max_message_bytes",
        "chunking.max_tokens",
        "extraction.batch_size",
        "recall.candidates_per_channel",
        "recall.limit",
    ),
    *("summaries.max_tokens", "summaries.working_max_tokens", "summaries.working_max_words"),
)
_FRACTION_SETTINGS = (
    *(
        "recall.relative_cutoff",
        "recall.alpha",
        "recall.beta",
        "recall.gamma",
        "consolidation.duplicate_cosine",
        "consolidation.context_file_cosine",
    ),
    *(
        "context.recall_share",
        "decay.emotion_per_week",
        "decay.preference_per_week",
        "decay.goal_per_week",
        "decay.archive_below",
    ),
)
#: Other numbers are 0 or more.
SETTING_LIMITS: Mapping[str, tuple[float, float]] = {
    **dict.fromkeys(_MIN_ONE_SETTINGS, (1, MAX_SETTING_VALUE)),
    **dict.fromkeys(_FRACTION_SETTINGS, (0, 1)),
    **dict.fromkeys(("recall.min_importance", "context.summary_min_importance"), (0, 100)),
    # A hundred years, which a date can still be moved by.
    **dict.fromkeys(("decay.temporary_days", "receipts.keep_days"), (0, 36_500)),
    "recall.half_life_days": (0.01, 36_500),
    "recall.min_cosine": (-1, 1),
    "embedder_threads": (1, 256),
    "busy_timeout_ms": (0, 3_600_000),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class ResolvedSettings:
    """The settings that hold for one call. Secrets stand in `connection` only."""

    policy: Policy
    machine: MachineSettings
    settings: Mapping[str, Setting]
    warnings: tuple[str, ...] = ()


_Layer: TypeAlias = Mapping[str, Setting]
#: Modification time, size and inode; None if there is no file.
_FileStamp: TypeAlias = tuple[int, int, int] | None
FileState: TypeAlias = Literal["trusted", "changed", "missing"]
_ARGUMENT_SOURCE = SettingSource("call", "argument")
_PREFERENCE_SOURCE = SettingSource("preference", "preferences")
_EMPTY_MAPPING: Mapping[str, str] = MappingProxyType({})


def _variable_names(name: str) -> tuple[str, ...]:
    primary = ENVIRONMENT_PREFIX + name.upper().replace(".", "_")
    return (primary, *(alias for alias, target in SETTING_ALIASES.items() if target == name))


def _build_specs() -> Iterator[SettingSpec]:
    yield SettingSpec(
        name="preset",
        environment=_variable_names("preset"),
        kind="choice",
        choices=tuple(PRESETS),
        default="default",
        doc="The set of values to start from.",
    )
    option_fields = [(f.name, f) for f in fields(MachineSettings)]
    for section in policy_sections():
        option_fields += [(f"{section.name}.{f.name}", f) for f in fields(getattr(Policy(), section.name))]
    for name, f in option_fields:
        limits = SETTING_LIMITS.get(name, (0, MAX_SETTING_VALUE))
        yield describe_field(name, f, environment=_variable_names(name), limits=limits)


def _normalize_key(key: str) -> str:
    return key.replace("_", "").casefold()


_SPECS = {row.name: row for row in _build_specs()}
_SPEC_BY_VARIABLE = {variable: row for row in _SPECS.values() for variable in row.environment}
_SPEC_BY_ALIAS = {_normalize_key(alias): _SPECS[name] for alias, name in SETTING_ALIASES.items()}
_SECRET_NAMES = [row.name for row in _SPECS.values() if row.is_secret]
_SECTION_NAMES = tuple(section.name for section in policy_sections())


def list_specs() -> list[SettingSpec]:
    """Everything that can be set, in the order of the reference page."""
    return list(_SPECS.values())


def _suggest_name(key: str, names: Sequence[str]) -> str:
    suggestion = closest_name(key, names)
    return f" Did you mean {suggestion}?" if suggestion else ""


def _find_spec(key: str, source: SettingSource) -> SettingSpec:
    spec = _SPECS.get(key) or _SPEC_BY_ALIAS.get(_normalize_key(key))
    if spec is None and _normalize_key(key) == _normalize_key(CONSENT_KEY):
        raise ConfigError(
            f"{key} is the user's answer, no setting (from {source}). It is asked of the user, not set."
        )
    if spec is None:
        tables = _SECTION_NAMES if source.layer == "file" else ()
        hint = f" Make it a table: [{key}]." if key in tables else _suggest_name(key, [*_SPECS, *tables])
        shown = key if len(key) <= MAX_SHOWN_KEY_CHARS else f"{key[:MAX_SHOWN_KEY_CHARS]}…"
        raise ConfigError(
            f"Unknown setting {shown} (from {source}).{hint} `recollect settings` lists them all."
        )
    if source.layer == "preference" and "." not in spec.name and spec.name != "preset":
        raise ConfigError(
            f"{spec.name} belongs to this machine and cannot be a user's preference."
            f" Set {spec.environment[0]}, or write it in {FILE_NAME}."
        )
    return spec


def _parse_setting(spec: SettingSpec, raw: object, source: SettingSource) -> Setting:
    raw_value = os.fspath(raw) if isinstance(raw, os.PathLike) else raw
    value = spec.parse(raw_value)
    if value is None:
        display_value = SECRET_PLACEHOLDER if spec.is_secret else repr(raw_value)[:80]
        hint = _suggest_name(raw_value, spec.choices) if isinstance(raw_value, str) else ""
        raise ConfigError(
            f"{spec.name} cannot be {display_value} (from {source}). It takes {spec.accepted_values}.{hint}"
        )
    if isinstance(value, str) and spec.kind in {"path", "choice or folder"}:
        value = _expand_home(value)
    return spec.make_setting(source, value)


def _expand_home(path: str) -> str:
    return str(Path.home() / path[2:]) if path.startswith(("~/", "~\\")) else path


def _parse_layer(values: Mapping[str, object], source: SettingSource) -> _Layer:
    layer: dict[str, Setting] = {}
    # Our own name wins over another name for the same thing.
    for key in sorted(values, key=lambda key: key not in _SPECS):
        is_consent = source is _PREFERENCE_SOURCE and key == CONSENT_KEY
        if values[key] is not None and not is_consent:
            spec = _find_spec(key, source)
            layer.setdefault(spec.name, _parse_setting(spec, values[key], source))
    return layer


def _parse_environment(variables: Mapping[str, str]) -> _Layer:
    layer: dict[str, Setting] = {}
    for variable in sorted(variables, key=lambda name: not name.startswith(ENVIRONMENT_PREFIX)):
        source = SettingSource("environment", variable)
        spec = _SPEC_BY_VARIABLE.get(variable)
        if spec is not None:
            layer.setdefault(spec.name, _parse_setting(spec, variables[variable], source))
        elif variable != CONFIG_VARIABLE:
            hint = _suggest_name(variable, [CONFIG_VARIABLE, *_SPEC_BY_VARIABLE])
            raise ConfigError(f"Unknown setting in {source}.{hint} Correct its name or unset it.")
    return layer


def _content(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise ConfigError(
            f"The file {path} cannot be read: {error.strerror}. Correct that, or name another with {CONFIG_VARIABLE}."
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
        if isinstance(value, dict) and (value or key in _SECTION_NAMES):
            values |= {f"{key}.{name}": inner for name, inner in value.items()}
        else:
            values[key] = value
    return values


def _parse_file(path: Path) -> _Layer:
    return _parse_layer(_parse(path, _content(path)), SettingSource("file", str(path)))


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
        if _stat_file(path) is None:
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
    if _stat_file(path) is None:
        raise NotFound(f"There is no {FILE_NAME} in {folder.resolve()}. Name the folder that has it.")
    content = _project_content(path)
    layer = _parse_layer(_parse(path, content), SettingSource("file", str(path)))
    return ProjectFile(
        path=path,
        sha256=hashlib.sha256(content).hexdigest(),
        settings=tuple(
            replace(each, value=SECRET_PLACEHOLDER) if _SPECS[name].is_secret else each
            for name, each in layer.items()
        ),
    )


def _read_project_file(trusted: TrustedFiles) -> tuple[_Layer, tuple[str, ...]]:
    """
    What the file of the current folder may set, and warnings about the rest. Nothing in it can stop a command: whoever
    unpacks an archive or clones a repository did not ask for its settings.
    """
    try:
        content = _project_content(PROJECT_FILE)
        layer = _parse_layer(_parse(PROJECT_FILE, content), SettingSource("file", str(PROJECT_FILE)))
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
        f" ignored.{changed} Read it and run `recollect trust`, or name it with --config or {CONFIG_VARIABLE}."
    )
    return {name: layer[name] for name in layer if name in PROJECT_SETTINGS}, (*unreadable, ignored)


def _stat_file(path: Path) -> _FileStamp:
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
    source = SettingSource("preset", name)
    return {key: _SPECS[key].make_setting(source, value) for key, value in PRESETS[name].items()}


def _default_layer() -> _Layer:
    machine = MachineSettings()
    values: dict[str, OptionValue] = {f.name: getattr(machine, f.name) for f in fields(MachineSettings)}
    values |= Policy().values() | {"preset": "default"}
    return {name: spec.make_setting(SettingSource("default"), values[name]) for name, spec in _SPECS.items()}


def _policy_warnings(policy: Policy, sources: _Layer) -> Iterator[str]:
    """What is allowed, but hardly meant."""
    min_tokens, max_tokens = SENSIBLE_BUDGET_TOKENS
    if not min_tokens <= policy.context.budget <= max_tokens:
        origin = sources["context.budget"].origin
        yield f"context.budget is {policy.context.budget} ({origin}); {min_tokens} to {max_tokens} tokens are sensible."
    if policy.recall.boost_min > policy.recall.boost_max:
        yield "recall.boost_min is above recall.boost_max, so every memory gets the same boost."


def _resolve_layers(layers: Sequence[_Layer], warnings: tuple[str, ...]) -> ResolvedSettings:
    """Join layers, weakest first; the presets stand between the defaults and the rest."""
    defaults, *explicit_layers = layers
    explicit_settings: dict[str, Setting] = {}
    for layer in explicit_layers:
        explicit_settings.update(layer)
    name = str(explicit_settings.get("preset", defaults["preset"]).value)
    sources = {**defaults, **_preset_layer(name), **explicit_settings}
    policy = load_preset(name).with_values(
        {key: setting.value for key, setting in explicit_settings.items() if "." in key}
    )
    # Each value was parsed by the type of its own field.
    machine: dict[str, Any] = {f.name: sources[f.name].value for f in fields(MachineSettings)}
    redacted_settings = {
        key: replace(sources[key], value=SECRET_PLACEHOLDER) for key in _SECRET_NAMES if sources[key].value
    }
    return ResolvedSettings(
        policy=policy,
        machine=MachineSettings(**machine),
        settings=sources | redacted_settings,
        warnings=(*warnings, *_policy_warnings(policy, sources)),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class _InputState:
    """The relevant variables and the files as they were when last looked at."""

    variables: Mapping[str, str]
    files: tuple[tuple[Path, _FileStamp], ...]
    trusted: _FileStamp = None  #: the list of trusted files, if it matters


@dataclass(frozen=True, slots=True, kw_only=True)
class _BaseSettings:
    """What holds as long as nothing that was seen has changed."""

    inputs: _InputState
    layers: tuple[_Layer, ...]
    resolved: ResolvedSettings
    warnings: tuple[str, ...]
    cache: dict[str, ResolvedSettings] = field(default_factory=dict)  #: by what a user and a call say besides


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
        self._default_files = (PROJECT_FILE, user_config_path("recollect", appauthor=False) / FILE_NAME)
        self._trusted = trusted_files()
        self._arguments = _parse_layer(arguments, _ARGUMENT_SOURCE)
        self._defaults = _default_layer()
        self._base = self._load_base(self._read_inputs())

    def resolve(
        self, *, preferences: Mapping[str, str] = _EMPTY_MAPPING, call: Mapping[str, object] = _EMPTY_MAPPING
    ) -> ResolvedSettings:
        """
        Return what holds for a call by a user with these preferences.

        A change of the environment or a file that makes no sense stops only the start: later on, the
        values read before stay in force and a warning says so, since a chat must not fail for it.
        """
        base = self._refresh()
        if not preferences and not call:
            return base.resolved
        cache_key = repr((sorted(preferences.items()), sorted(call.items())))
        if cached := base.cache.get(cache_key):
            return cached
        user_layers = (
            _parse_layer(preferences, _PREFERENCE_SOURCE),
            self._arguments,
            _parse_layer(call, _ARGUMENT_SOURCE),
        )
        resolved = _resolve_layers((*base.layers, *user_layers), base.warnings)
        if len(base.cache) >= MAX_CACHED_RESULTS:
            base.cache.clear()
        base.cache[cache_key] = resolved
        return resolved

    @property
    def own_file(self) -> Path:
        """The user's own settings file, whether or not it is there: the last of those that are looked for."""
        return self._paths(self._base.inputs.variables)[-1]

    @property
    def warnings(self) -> tuple[str, ...]:
        """What is wrong with the files and variables; a part of the warnings of every call."""
        return self._refresh().warnings

    def _refresh(self) -> _BaseSettings:
        # One assignment publishes the new state, so threads need no lock.
        inputs = self._read_inputs()
        if inputs != self._base.inputs:
            try:
                self._base = self._load_base(inputs)
            except ConfigError as error:
                warning = f"{error} Until then the earlier values hold."
                self._base = self._build_base(inputs, self._base.layers, (warning,))
        return self._base

    def _read_inputs(self) -> _InputState:
        environ = self._environ
        relevant = [
            name for name in environ if name.startswith(ENVIRONMENT_PREFIX) or name in SETTING_ALIASES
        ]
        variables = {name: value for name in relevant if (value := environ.get(name, "").strip())}
        files = tuple((path, _stat_file(path)) for path in self._paths(variables))
        has_project_file = files[:1] and files[0][0] is PROJECT_FILE and files[0][1] is not None
        return _InputState(
            variables=variables,
            files=files,
            trusted=_stat_file(self._trusted.file) if has_project_file else None,
        )

    def _paths(self, variables: Mapping[str, str]) -> Sequence[Path]:
        if self._files is not None:
            return self._files
        if self._config is not None:
            return (self._config,)
        return (
            (Path(_expand_home(variables[CONFIG_VARIABLE])),)
            if CONFIG_VARIABLE in variables
            else self._default_files
        )

    def _load_base(self, inputs: _InputState) -> _BaseSettings:
        present = [path for path, stamp in inputs.files if stamp is not None]
        if not present and self._files is None and self._config is not None:
            raise ConfigError(
                f"--config names {self._config}, which is not there. Create it or leave --config out."
            )
        if not present and self._files is None and CONFIG_VARIABLE in inputs.variables:
            raise ConfigError(
                f"{CONFIG_VARIABLE} names {inputs.files[0][0]}, which is not there. Create it or"
                f" unset {CONFIG_VARIABLE}."
            )
        layers: list[_Layer] = []
        warnings: tuple[str, ...] = ()
        for path in reversed(present):
            if path is not PROJECT_FILE:
                layers.append(_parse_file(path))
            # In the user's configuration folder both are the same file, which was read as the user's own.
            elif len({stamp for _, stamp in inputs.files}) == len(inputs.files):
                layer, warnings = _read_project_file(self._trusted)
                layers.append(layer)
        return self._build_base(
            inputs, (self._defaults, *layers, _parse_environment(inputs.variables)), warnings
        )

    def _build_base(
        self, inputs: _InputState, layers: tuple[_Layer, ...], warnings: tuple[str, ...]
    ) -> _BaseSettings:
        resolved = _resolve_layers((*layers, self._arguments), warnings)
        return _BaseSettings(inputs=inputs, layers=layers, resolved=resolved, warnings=warnings)


def load_settings(
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
        config=None if config is None else Path(_expand_home(os.fspath(config))),
    )
