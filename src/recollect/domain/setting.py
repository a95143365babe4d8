"""Settings: names, accepted values, current value and source."""

from collections.abc import Mapping, Sequence
from dataclasses import Field, dataclass
from difflib import get_close_matches
from typing import Literal, NamedTuple, TypeAlias

from recollect.domain.policy import OptionValue
from recollect.errors import ConfigError

SettingLayer: TypeAlias = Literal["call", "preference", "environment", "file", "preset", "default"]
SettingKind: TypeAlias = Literal[
    "yes or no", "whole number", "number", "choice", "choice or folder", "list", "path", "text"
]

#: Shown in place of a secret.
SECRET_PLACEHOLDER = "••••"  # noqa: S105 - not a password
#: Upper limit of every count, size and duration.
MAX_SETTING_VALUE = 1_000_000_000

#: Prefix of the settings that cap a user's costs; a user cannot change these.
CAP_SETTING_PREFIX = "spending."

#: Settings that an untrusted `recollect.toml` in the current folder may change. Such a file may come from anybody, so
#: these only affect how memories that a recall may read anyway are ranked, selected and formatted: the worst value
#: makes recall poor, which gains the file's author nothing. All other settings need trust, among them those that decide
#: - where texts, keys and memories go or come from: db, user, prompts, embedder*, model*, proxy_*, chroma_dir, otel
#: - what is collected, extracted, merged, redacted, kept or deleted: preset, memory, collect, truncation, chunking,
#:   triage, extraction, consolidation, decay, summaries, receipts
#: - which memories may be read: recall.enabled, sources, other_chats, other_chats_below, recent_chats, min_importance,
#:   small_store_size, fallback and fallback_count
#: - money and processor time: spending, recall.candidates_per_channel, neighbour_candidates, rerank_count,
#:   rerank_deadline_ms, deadline_ms, worker, requests_per_minute
#: - prompt text: context.persona
PROJECT_SETTINGS = frozenset(
    (
        *(
            "recall.hybrid",
            "recall.ranker",
            "recall.alpha",
            "recall.beta",
            "recall.centroid_penalty",
            "recall.gamma",
        ),
        *(
            "recall.reply_weight",
            "recall.previous_weight",
            "recall.chat_weight",
            "recall.lexical_lead_weight",
            "recall.date_weight",
            "recall.speaker_weight",
        ),
        *(
            "recall.answer_type_weight",
            "recall.personal_weight",
            "recall.short_penalty",
            "recall.question_penalty",
            "recall.assistant_penalty",
        ),
        *(
            "recall.outdated_penalty",
            "recall.freshness_weight",
            "recall.limit",
            "recall.relevance",
            "recall.relative_cutoff",
            "recall.max_memories",
            "recall.max_messages",
        ),
        *(
            "recall.min_cosine",
            "recall.half_life_days",
            "recall.boost_min",
            "recall.boost_max",
            "recall.expand_query",
        ),
        *("recall.expand_max_chars", "recall.topic_filter", "recall.rerank_weight", "recall.code_first"),
        *(
            "context.format",
            "context.locale",
            "context.budget",
            "context.overflow",
            "context.recent_messages",
        ),
        *("context.summary_min_importance", "context.recall_share", "context.repeat_after_turns"),
    )
)

_BOOLEAN_WORDS = {
    "true": True,
    "1": True,
    "yes": True,
    "on": True,
    "false": False,
    "0": False,
    "no": False,
    "off": False,
}

_KIND_BY_TYPE: Mapping[object, SettingKind] = {
    bool: "yes or no",
    int: "whole number",
    float: "number",
    str: "text",
}


class SettingSource(NamedTuple):
    """Where a value came from. The origin is a variable, a file or a preset; a default has none."""

    layer: SettingLayer
    origin: str = ""

    def __str__(self) -> str:
        match self.layer:
            case "call":
                return "an argument"
            case "preference":
                return "the user's preferences"
            case "environment":
                return f"the environment variable {self.origin}"
            case "file":
                return f"the file {self.origin}"
            case "preset":
                return f"the preset {self.origin}"
            case "default":
                return "the default"


@dataclass(frozen=True, slots=True, kw_only=True)
class Setting:
    """A value with its source."""

    name: str
    value: OptionValue
    layer: SettingLayer
    origin: str
    doc: str


@dataclass(frozen=True, slots=True, kw_only=True)
class SettingSpec:
    """The declaration of a setting: names, kind, limits, default and description."""

    name: str
    #: The environment variables that set it, highest precedence first.
    environment: tuple[str, ...]
    kind: SettingKind
    choices: tuple[str, ...] = ()
    low: float = 0
    high: float = MAX_SETTING_VALUE
    #: The default as displayed: a path that depends on the machine is described in words.
    default: OptionValue
    doc: str
    is_secret: bool = False

    @property
    def accepted_values(self) -> str:
        """Describe the accepted values."""
        match self.kind:
            case "yes or no":
                return "yes or no (also true/false, on/off, 1/0)"
            case "whole number" | "number":
                return f"a {self.kind} from {self.low} to {self.high}"
            case "choice":
                return f"one of: {', '.join(self.choices)}"
            case "choice or folder":
                return f"one of: {', '.join(self.choices)}; or the path of a folder, with a slash in it"
            case "list":
                return "words or phrases, as a list or separated by commas"
            case "path" | "text":
                return "text that is not empty" if self.default else "text"

    def make_setting(self, source: SettingSource, value: OptionValue) -> Setting:
        return Setting(name=self.name, value=value, layer=source.layer, origin=source.origin, doc=self.doc)

    def parse(self, raw: object) -> OptionValue:
        """Return the value from text or a typed value, or None if it is not accepted."""
        match self.kind:
            case "yes or no":
                return _BOOLEAN_WORDS.get(str(raw).strip().casefold())
            case "whole number" | "number":
                return _parse_number(self, raw)
            case "choice" | "choice or folder":
                return _parse_choice(self, raw)
            case "list":
                return _parse_list(raw)
            case "path" | "text":
                return _parse_text(self, raw)


def preference_text(value: OptionValue) -> str:
    """Return the text under which a preference is stored."""
    match value:
        case bool():
            return "true" if value else "false"
        case tuple():
            if any("," in each for each in value):
                raise ConfigError("Items of a list cannot contain commas. Send each item separately.")
            return ",".join(value)
        case _:
            return str(value)


def describe_field(
    name: str,
    option_field: Field[object],
    *,
    environment: tuple[str, ...],
    limits: tuple[float, float] = (0, MAX_SETTING_VALUE),
) -> SettingSpec:
    """Build the spec of a field made by `option`."""
    low, high = limits
    return SettingSpec(
        name=name,
        environment=environment,
        kind=_field_kind(option_field),
        choices=option_field.metadata["choices"],
        low=low,
        high=high,
        default=option_field.metadata.get("shown", option_field.default),
        doc=option_field.metadata["doc"],
        is_secret=option_field.metadata.get("secret", False),
    )


def _field_kind(option_field: Field[object]) -> SettingKind:
    if option_field.metadata.get("path"):
        return "path"
    if option_field.metadata["choices"]:
        # A Literal lists all choices; a plain string also accepts a folder.
        return "choice or folder" if option_field.type is str else "choice"
    return _KIND_BY_TYPE.get(option_field.type, "list")


def closest_name(key: str, names: Sequence[str]) -> str | None:
    """Return the most similar name, also by its last part: `alpha` matches `recall.alpha`."""
    if close := get_close_matches(key, names, n=1):
        return close[0]
    names_by_tail = {name.rpartition(".")[2]: name for name in reversed(names)}
    close = get_close_matches(key.rpartition(".")[2], names_by_tail, n=1)
    return names_by_tail[close[0]] if close else None


def _parse_number(spec: SettingSpec, raw: object) -> int | float | None:
    is_whole = spec.kind == "whole number"
    if (
        isinstance(raw, bool)
        or not isinstance(raw, str | int | float)
        or (is_whole and isinstance(raw, float))
    ):
        return None
    try:
        number = int(raw) if is_whole else float(raw)
    except (ValueError, OverflowError):
        return None
    return number if spec.low <= number <= spec.high else None


def _parse_text(spec: SettingSpec, raw: object) -> str | None:
    if not isinstance(raw, str) or (spec.default and not raw.strip()):
        return None
    return raw.strip()


def _parse_choice(spec: SettingSpec, raw: object) -> str | None:
    text = _parse_text(spec, raw)
    if text is None or text in spec.choices:
        return text
    is_path = "/" in text or "\\" in text
    return text if is_path and spec.kind == "choice or folder" else None


def _parse_list(raw: object) -> tuple[str, ...] | None:
    parts = raw.split(",") if isinstance(raw, str) else raw
    if not isinstance(parts, list | tuple):
        return None
    items = [part.strip() for part in parts if isinstance(part, str)]
    return tuple(word for word in items if word) if len(items) == len(parts) else None
