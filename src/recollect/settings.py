"""
Settings resolution: six layers of values merged into a `Policy` and `MachineSettings`.

Precedence, highest first: arguments of a call, arguments of the process, the user's stored preferences, environment
variables, files, the preset, defaults. The file is the one named by `--config` or RECOLLECT_CONFIG; otherwise
`recollect.toml` of the current folder takes precedence over that of the user's configuration folder.

Invariants:
- Every value is parsed and checked by its `SettingSpec`, whichever layer it comes from, and carries its source.
- A `recollect.toml` in the current folder may come from anybody: it sets only PROJECT_SETTINGS unless the user has
  trusted exactly these bytes (SHA-256). It can never make a command fail; problems become warnings.
- An invalid file or variable stops the start. Later, the previous values stay in force and a warning says so, since
  a chat must not fail because of a settings file.
- Secrets appear only in `MachineSettings`, never in `ResolvedSettings.settings`.

Cost: `resolve` calls stat() on at most three files and compares environment variables; it parses again only after a
change. Results are cached by preferences and call arguments.

Example: with `preset = "dev"` in the user's file and RECOLLECT_RECALL_ALPHA=0.8, `recall.ranker` is "sum" (from the
preset "dev"), `recall.alpha` is 0.8 (from the environment) and `recall.beta` is 0.3 (the default).
"""

import hashlib
import json
import os
import stat
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
    "StoreUrl",
    "TrustedFiles",
    "list_specs",
    "load_settings",
    "parse_store_url",
    "read_project_file",
    "trusted_files",
]

#: Scheme of stores in a file.
SQLITE_SCHEME = "sqlite"
FILE_NAME = "recollect.toml"
#: Looked up in the current folder, where it may belong to somebody else's project. Compared by identity: the same path
#: given explicitly (--config) is another object.
PROJECT_FILE = Path(FILE_NAME)
#: A settings file has a few hundred bytes.
MAX_PROJECT_FILE_BYTES = 100_000
MAX_SHOWN_KEY_CHARS = 80
ENVIRONMENT_PREFIX = "RECOLLECT_"
CONFIG_VARIABLE = "RECOLLECT_CONFIG"
#: Variables that the test suite reads.
TEST_PREFIX = "RECOLLECT_TEST_"
#: Stored among the user's preferences, but a consent rather than a setting.
CONSENT_KEY = "memory_profile_consent"
#: Budgets outside this range cause a warning: a smaller block is useless, a larger one crowds the prompt.
SENSIBLE_BUDGET_TOKENS = (200, 4000)
#: Cached results by preferences and call arguments.
MAX_CACHED_RESULTS = 256


def _data_path_option(name: str, doc: str) -> str:
    return field(
        default_factory=lambda: str(user_data_path("recollect", appauthor=False) / name),
        metadata={"doc": doc, "choices": (), "path": True, "shown": f"{name} in the user's data folder"},
    )


def _secret_option(doc: str) -> str:
    return field(default="", repr=False, metadata={"doc": doc, "choices": (), "secret": True})


@dataclass(frozen=True, slots=True, kw_only=True)
class StoreUrl:
    """Where the store is: a file for SQLite, the whole URL for a database server."""

    scheme: str
    target: str

    @property
    def file(self) -> Path | None:
        return Path(self.target) if self.scheme == SQLITE_SCHEME else None


def parse_store_url(db: str) -> StoreUrl:
    """Parse the setting `db`: a path, `sqlite:///relative/path`, `sqlite:////absolute/path`, or a server's URL."""
    scheme, separator, rest = db.partition("://")
    if not separator:
        return StoreUrl(scheme=SQLITE_SCHEME, target=db)
    match scheme:
        case "sqlite" if rest.startswith("/") and rest != "/":
            return StoreUrl(scheme=SQLITE_SCHEME, target=_expand_home(rest[1:]))
        case "sqlite":
            raise ConfigError(
                f"db cannot be {db!r}. An SQLite URL has three slashes before a relative path"
                " (sqlite:///notes/memory.db) and four before an absolute one (sqlite:////home/ana/memory.db)."
            )
        case "postgresql" | "postgres":
            return StoreUrl(scheme="postgresql", target=db)
        case _:
            # The rest of the URL may contain a password.
            raise ConfigError(
                f"db cannot be a URL with the scheme {scheme!r}. Use a path, sqlite:/// or postgresql://."
            )


@dataclass(frozen=True, slots=True, kw_only=True)
class MachineSettings:
    """Settings of this machine rather than of a user: paths, services, keys."""

    db: str = _data_path_option(
        "memory.db",
        "Where the memory is: a file, as a path or `sqlite:///` and a path (`sqlite:////` if it is absolute), or a"
        " PostgreSQL database, as `postgresql://user@host/name`.",
    )
    user: str = option(DEFAULT_USER, "The user id when a call names none.")
    embedder: str = option(
        "onnx",
        "The embedder: one of the names, or a folder with an ONNX model; none turns dense search off.",
        choices=("onnx", "hashing", "openai", "fastembed", "sentence-transformers", "none"),
    )
    embedder_model: str = option(
        "BAAI/bge-small-en-v1.5", "The embedding model; the default is installed with recollect."
    )
    embedder_url: str = option("", "Base URL of an OpenAI-compatible embedding service, including /v1.")
    embedder_key: str = _secret_option("API key of the embedding service; never shown.")
    embedder_threads: int = option(1, "Threads used by the local embedder and reranker.")
    model: str = option(
        "", "The language model for extraction and answers; without one, local rules extract facts."
    )
    model_fallbacks: tuple[str, ...] = option((), "Models to use if `model` is not available, in order.")
    model_provider: Literal["openai", "anthropic"] = option(
        "openai", "The API dialect of the model's service.", choices=("openai", "anthropic")
    )
    model_url: str = option("", "Base URL of the model's service, including /v1 for the OpenAI dialect.")
    model_key: str = _secret_option("API key of the model's service; never shown.")
    proxy_upstream: str = option(
        "", "Base URL that the proxy forwards OpenAI requests to, including /v1; default: `model_url`."
    )
    proxy_key: str = _secret_option(
        "API key for `proxy_upstream`, used for clients that authenticate with a recollect token; never shown."
    )
    proxy_upstream_anthropic: str = option(
        "", "Base URL that the proxy forwards Anthropic requests to; default: `model_url`."
    )
    proxy_key_anthropic: str = _secret_option(
        "API key for `proxy_upstream_anthropic`, used for clients that authenticate with a recollect token;"
        " never shown."
    )
    prompts: str = field(
        default="",
        metadata={
            "doc": "A folder with custom prompts; files replace the built-in prompts of the same name.",
            "choices": (),
            "path": True,
        },
    )
    worker: bool = option(True, "Run background jobs in this process. Off leaves them to another process.")
    log_format: Literal["text", "json"] = option(
        "text", "Log format of the server: plain text lines or JSON objects.", choices=("text", "json")
    )
    log_level: Literal["debug", "info", "warning", "error"] = option(
        "info",
        "Minimum level of the server's log; requests are logged as `info`.",
        choices=("debug", "info", "warning", "error"),
    )
    otel: bool = option(
        False,
        "Create OpenTelemetry spans for requests, recalls and jobs. Needs the extra `otel` and an SDK that you"
        " configure.",
    )
    requests_per_minute: int = option(
        6_000, "Rate limit of the server: requests per minute and principal; 0 means no limit."
    )
    busy_timeout_ms: int = option(
        5000, "Milliseconds to wait for a lock on the memory file, or for one in the database."
    )
    postgres_connections: int = option(16, "Maximum connections of this process to PostgreSQL.")
    postgres_prepared_statements: bool = option(
        True, "Prepare frequent statements on PostgreSQL; off behind PgBouncer before 1.21."
    )
    chroma_dir: str = _data_path_option("chroma", "The folder of the optional Chroma index.")


#: Environment variables and keys of other designs that are accepted for these settings.
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

_COUNT_SETTINGS = (
    *("recall.candidates_per_channel", "recall.fallback_count", "recall.limit", "recall.max_memories"),
    *(
        "recall.max_messages",
        "recall.neighbour_candidates",
        "recall.other_chats_below",
        "recall.recent_chats",
    ),
    *("recall.relevance_reads", "recall.rerank_count", "receipts.max_dropped_items"),
    *("consolidation.compared_memories", "extraction.batch_size", "extraction.known_memories"),
    *("context.recent_messages", "context.repeat_after_turns"),
)
_TOKEN_SETTINGS = (
    *("chunking.max_tokens", "chunking.min_tokens", "context.budget", "context.standing_tokens"),
    *("summaries.max_tokens", "summaries.working_max_tokens", "summaries.working_max_words"),
)
_MIN_ONE_SETTINGS = frozenset(
    (
        *("chunking.max_tokens", "extraction.batch_size", "recall.candidates_per_channel", "recall.limit"),
        *("summaries.max_tokens", "summaries.working_max_tokens", "summaries.working_max_words"),
    )
)
_FRACTION_SETTINGS = (
    *(
        "recall.relative_cutoff",
        "recall.relevance",
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
    **{name: (int(name in _MIN_ONE_SETTINGS), 1_000) for name in _COUNT_SETTINGS},
    **{name: (int(name in _MIN_ONE_SETTINGS), 1_000_000) for name in _TOKEN_SETTINGS},
    "collect.max_message_bytes": (1, MAX_SETTING_VALUE),
    **dict.fromkeys(("busy_timeout_ms", "recall.deadline_ms", "recall.rerank_deadline_ms"), (0, 3_600_000)),
    **dict.fromkeys(_FRACTION_SETTINGS, (0, 1)),
    **dict.fromkeys(("recall.min_importance", "context.summary_min_importance"), (0, 100)),
    # A hundred years: dates shifted by more would overflow.
    **dict.fromkeys(("decay.temporary_days", "receipts.keep_days"), (0, 36_500)),
    "recall.small_store_size": (0, 10_000),
    "recall.half_life_days": (0.01, 36_500),
    "recall.min_cosine": (-1, 1),
    "embedder_threads": (1, 256),
    "postgres_connections": (1, 1_000),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class ResolvedSettings:
    """The settings of one call. Secrets are in `machine` only."""

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
        doc="The preset whose values replace the defaults.",
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
    """Return all settings, in the order of the reference page."""
    return list(_SPECS.values())


def find_setting(name: str) -> SettingSpec | None:
    """Return the setting of this name or environment variable."""
    return next((spec for spec in _SPECS.values() if name in {spec.name, *spec.environment}), None)


def _suggest_name(key: str, names: Sequence[str]) -> str:
    suggestion = closest_name(key, names)
    return f" Did you mean {suggestion}?" if suggestion else ""


def _find_spec(key: str, source: SettingSource) -> SettingSpec:
    spec = _SPECS.get(key) or _SPEC_BY_ALIAS.get(_normalize_key(key))
    if spec is None and _normalize_key(key) == _normalize_key(CONSENT_KEY):
        raise ConfigError(
            f"{key} is a consent, not a setting (from {source}). Remove it; users give consent with"
            " `recollect privacy consent`."
        )
    if spec is None:
        tables = _SECTION_NAMES if source.layer == "file" else ()
        hint = f" Make it a table: [{key}]." if key in tables else _suggest_name(key, [*_SPECS, *tables])
        display_key = key if len(key) <= MAX_SHOWN_KEY_CHARS else f"{key[:MAX_SHOWN_KEY_CHARS]}…"
        raise ConfigError(
            f"Unknown setting {display_key} (from {source}).{hint} `recollect settings` lists all settings."
        )
    if source.layer == "preference" and "." not in spec.name and spec.name != "preset":
        raise ConfigError(
            f"{spec.name} is a setting of this machine, not a user preference."
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
    # The setting's own name takes precedence over its aliases.
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
        elif variable != CONFIG_VARIABLE and not variable.startswith(TEST_PREFIX):
            hint = _suggest_name(variable, [CONFIG_VARIABLE, *_SPEC_BY_VARIABLE])
            raise ConfigError(f"Unknown setting in {source}.{hint} Correct its name or unset it.")
    return layer


def _content(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise ConfigError(
            f"Cannot read the file {path}: {error.strerror}. Correct that, or name another file with {CONFIG_VARIABLE}."
        ) from error


def _project_content(path: Path) -> bytes:
    """Read a project's file. Pipes, which would block, and huge files are refused."""
    try:
        status = path.stat()
    except OSError as error:
        raise ConfigError(f"Cannot read the file {path}: {error.strerror}. Correct that.") from error
    if not stat.S_ISREG(status.st_mode):
        raise ConfigError(f"{path} is not a regular file. Remove or rename it.")
    if status.st_size > MAX_PROJECT_FILE_BYTES:
        raise ConfigError(
            f"The file {path} has {status.st_size} bytes; a settings file may have at most"
            f" {MAX_PROJECT_FILE_BYTES}. Shorten it."
        )
    return _content(path)


def _parse(path: Path, content: bytes) -> Mapping[str, object]:
    """Parse a TOML file into values by setting name."""
    # Imported here: the hook of an agent starts before each prompt, and most users have no settings file.
    import tomllib  # noqa: PLC0415

    try:
        # Some editors write a byte order mark.
        document = tomllib.loads(content.decode("utf-8-sig"))
    except UnicodeDecodeError as error:
        line = error.object[: error.start].count(b"\n") + 1
        raise ConfigError(f"The file {path} is not UTF-8 (at line {line}). Save it as UTF-8.") from error
    except (ValueError, RecursionError) as error:
        # Not only syntax errors: also an integer of thousands of digits, or thousands of nested brackets.
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
    """The project files that the user trusts, by path and SHA-256 of the content they trusted."""

    def __init__(self, file: Path) -> None:
        self.file = file

    def hashes(self) -> dict[str, str]:
        """Return the trusted SHA-256 by path."""
        try:
            hashes = json.loads(self.file.read_text("utf-8"))
        except FileNotFoundError:
            return {}
        except (OSError, ValueError) as error:
            raise self._unreadable(str(error)) from error
        if not isinstance(hashes, dict) or not all(isinstance(each, str) for each in hashes.values()):
            raise self._unreadable("it is not an object of hashes by path")
        return hashes

    def states(self) -> dict[str, FileState]:
        """Return whether each file is unchanged, changed or missing."""
        return {path: self._state(Path(path), sha256) for path, sha256 in self.hashes().items()}

    def _state(self, path: Path, sha256: str) -> FileState:
        if _stat_file(path) is None:
            return "missing"
        try:
            content = _project_content(path)
        except ConfigError:
            # Too large, a folder or unreadable: in any case no longer the trusted content.
            return "changed"
        return "trusted" if hashlib.sha256(content).hexdigest() == sha256 else "changed"

    def add(self, path: Path, sha256: str) -> None:
        self._write({**self.hashes(), str(path): sha256})

    def remove(self, path: Path) -> None:
        hashes = self.hashes()
        if hashes.pop(str(path), None) is None:
            raise NotFound(f"{path} is not trusted. `recollect trust --list` shows the trusted files.")
        self._write(hashes)

    def _write(self, hashes: Mapping[str, str]) -> None:
        try:
            self.file.parent.mkdir(parents=True, exist_ok=True)
            # Only the owner can read a temporary file, and replace() is atomic.
            with NamedTemporaryFile(
                "w", encoding="utf-8", dir=self.file.parent, prefix=self.file.name, delete=False
            ) as file:
                json.dump(hashes, file, indent=2)
            Path(file.name).replace(self.file)
        except OSError as error:
            raise ConfigError(
                f"Cannot write the list of trusted files {self.file}: {error.strerror}. Check its permissions."
            ) from error

    def _unreadable(self, why: str) -> ConfigError:
        return ConfigError(
            f"Cannot read the list of trusted files {self.file} ({why}). Delete it and trust the files again."
        )


def trusted_files() -> TrustedFiles:
    """Return the user's list of trusted files."""
    return TrustedFiles(user_config_path("recollect", appauthor=False) / "trusted.json")


@dataclass(frozen=True, slots=True, kw_only=True)
class ProjectFile:
    """A project's file and the values it would set if trusted. Secrets are replaced by a placeholder."""

    path: Path
    sha256: str
    settings: tuple[Setting, ...]


def read_project_file(folder: Path) -> ProjectFile:
    """Read a folder's settings file for `recollect trust`; raise ConfigError if it is invalid."""
    path = folder.resolve() / FILE_NAME
    if _stat_file(path) is None:
        raise NotFound(f"There is no {FILE_NAME} in {folder.resolve()}. Give the folder that contains it.")
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
    Return the values that the current folder's file may set, and warnings about the others. It never makes a command
    fail: a user who unpacks an archive or clones a repository did not choose its settings.
    """
    try:
        content = _project_content(PROJECT_FILE)
        layer = _parse_layer(_parse(PROJECT_FILE, content), SettingSource("file", str(PROJECT_FILE)))
    except ConfigError as error:
        return {}, (f"{error} {FILE_NAME} in the current folder is ignored.",)
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
        f"{path} sets {', '.join(restricted)}, which an untrusted file in the current folder may not set: ignored."
        f"{changed} Read it and run `recollect trust`, or name it with --config or {CONFIG_VARIABLE}."
    )
    return {name: layer[name] for name in layer if name in PROJECT_SETTINGS}, (*unreadable, ignored)


def _stat_file(path: Path) -> _FileStamp:
    try:
        status = path.stat()
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError:
        # It exists but is not accessible; reading it raises the error with its cause.
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
    """Yield warnings about values that are valid but probably mistakes."""
    min_tokens, max_tokens = SENSIBLE_BUDGET_TOKENS
    if not min_tokens <= policy.context.budget <= max_tokens:
        origin = sources["context.budget"].origin
        yield f"context.budget is {policy.context.budget} ({origin}); use {min_tokens} to {max_tokens} tokens."
    if policy.recall.boost_min > policy.recall.boost_max:
        yield "recall.boost_min is above recall.boost_max, so every memory gets the same boost."


def _resolve_layers(layers: Sequence[_Layer], warnings: tuple[str, ...]) -> ResolvedSettings:
    """Merge layers, lowest precedence first; the preset comes between the defaults and the other layers."""
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
    """The relevant environment variables and file stamps at the last read."""

    variables: Mapping[str, str]
    files: tuple[tuple[Path, _FileStamp], ...]
    trusted: _FileStamp = None  #: stamp of the list of trusted files, if there is a project file


@dataclass(frozen=True, slots=True, kw_only=True)
class _BaseSettings:
    """The merged settings as long as the inputs do not change."""

    inputs: _InputState
    layers: tuple[_Layer, ...]
    resolved: ResolvedSettings
    warnings: tuple[str, ...]
    cache: dict[str, ResolvedSettings] = field(default_factory=dict)  #: by preferences and call arguments


class Settings:
    """All layers of settings. The environment and the files are read again after a change."""

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
        Return the settings of a call by a user with these preferences.

        An invalid environment or file stops only the start. Later, the previous values stay in force and a warning
        says so, since a chat must not fail because of it.
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
        """The user's settings file, which may not exist: the last one in the search order."""
        return self._paths(self._base.inputs.variables)[-1]

    @property
    def warnings(self) -> tuple[str, ...]:
        """Warnings about files and variables; every call's warnings include them."""
        return self._refresh().warnings

    def _refresh(self) -> _BaseSettings:
        # One assignment publishes the new state, so threads need no lock.
        inputs = self._read_inputs()
        if inputs != self._base.inputs:
            try:
                self._base = self._load_base(inputs)
            except ConfigError as error:
                warning = f"{error} Until then, the previous values stay in force."
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
                f"The file {self._config} given with --config does not exist. Create it or omit --config."
            )
        if not present and self._files is None and CONFIG_VARIABLE in inputs.variables:
            raise ConfigError(
                f"The file {inputs.files[0][0]} named by {CONFIG_VARIABLE} does not exist. Create it or"
                f" unset {CONFIG_VARIABLE}."
            )
        layers: list[_Layer] = []
        warnings: tuple[str, ...] = ()
        for path in reversed(present):
            if path is not PROJECT_FILE:
                layers.append(_parse_file(path))
            # In the user's configuration folder both are the same file, already read as the user's own.
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

    `arguments` take precedence over everything but a call's own arguments. `environ` and `files` replace the process's
    environment and the default files, of which the first has precedence. `config` names the only file to read; it
    overrides RECOLLECT_CONFIG. Files given here are trusted.
    """
    return Settings(
        arguments=arguments or {},
        environ=os.environ if environ is None else environ,
        files=files,
        config=None if config is None else Path(_expand_home(os.fspath(config))),
    )
