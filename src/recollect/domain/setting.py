"""A setting: its names, what it takes, its value and where that came from."""

from collections.abc import Mapping, Sequence
from dataclasses import Field, dataclass
from difflib import get_close_matches
from typing import Literal, NamedTuple, TypeAlias

from recollect.domain.policy import Value

Source: TypeAlias = Literal["call", "preference", "environment", "file", "preset", "default"]
Kind: TypeAlias = Literal[
    "yes or no", "whole number", "number", "choice", "choice or folder", "list", "path", "text"
]

#: What stands in for a secret wherever it would be seen.
HIDDEN = "••••"
#: No count, size or time in the settings is sensibly larger.
MOST = 1_000_000_000

#: What settings begin with that limit what a user costs others: these are not the user's own to raise.
CAPS = "spend."

#: What a `recollect.toml` in the current folder may set without being trusted, since anybody may have put it there: how
#: memories that a recall may read anyway are ranked, cut and laid out. The worst value makes a recall poor, which gains
#: the file's author nothing. A setting that is not listed needs trust. Left out on purpose are those that decide
#: - where texts, keys and memories go or come from: db, user, prompts, embedder*, model*, proxy_*, chroma_dir, otel
#: - what is collected, learned, merged, masked, kept or deleted: preset, memory, collect, clip, chunking, funnel,
#:   extract, keep, decay, summaries, record
#: - which memories may be read: recall.enabled, sources, reach, reach_below, chats, importance_floor, small_set, empty
#:   and recent
#: - money and processor time: spend, recall.fetch, around, rerank, rerank_ms, deadline_ms, worker, requests_per_minute
#: - words of a prompt: assemble.persona
PROJECT_SETTINGS = frozenset(
    (
        *("recall.hybrid", "recall.ranker", "recall.alpha", "recall.beta", "recall.middle", "recall.gamma"),
        *("recall.answer", "recall.follow", "recall.chat", "recall.lead", "recall.date", "recall.speaker"),
        *("recall.sort", "recall.personal", "recall.short", "recall.asks", "recall.assistant"),
        *(
            "recall.outdated",
            "recall.fresh",
            "recall.limit",
            "recall.cliff",
            "recall.facts",
            "recall.history",
        ),
        *("recall.floor", "recall.half_life_days", "recall.boost_min", "recall.boost_max", "recall.expand"),
        *("recall.expand_chars", "recall.topics", "recall.reread", "recall.code_first"),
        *("assemble.format", "assemble.locale", "assemble.budget", "assemble.overflow", "assemble.buffer"),
        *("assemble.local_floor", "assemble.recall_share", "assemble.repeat_after"),
    )
)

_YES_NO = {
    "true": True,
    "1": True,
    "yes": True,
    "on": True,
    "false": False,
    "0": False,
    "no": False,
    "off": False,
}

_KINDS: Mapping[object, Kind] = {bool: "yes or no", int: "whole number", float: "number", str: "text"}


class Place(NamedTuple):
    """Who set a value. The origin is a variable, a file or a preset; a default has none."""

    source: Source
    origin: str = ""

    def __str__(self) -> str:
        match self.source:
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
    """A value and where it came from."""

    name: str
    value: Value
    source: Source
    origin: str
    doc: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Described:
    """One thing that can be set."""

    name: str
    #: The environment variables that set it, strongest first.
    environment: tuple[str, ...]
    kind: Kind
    choices: tuple[str, ...] = ()
    low: float = 0
    high: float = MOST
    #: As it is shown: a path that depends on the machine is put into words.
    default: Value
    doc: str
    secret: bool = False

    @property
    def takes(self) -> str:
        """What may be written, in words."""
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

    def at(self, place: Place, value: Value) -> Setting:
        return Setting(name=self.name, value=value, source=place.source, origin=place.origin, doc=self.doc)

    def parse(self, raw: object) -> Value:
        """Return the value, from text or already typed, or None if it makes no sense here."""
        match self.kind:
            case "yes or no":
                return _YES_NO.get(str(raw).strip().casefold())
            case "whole number" | "number":
                return _number(self, raw)
            case "choice" | "choice or folder":
                return _choice(self, raw)
            case "list":
                return _list(raw)
            case "path" | "text":
                return _text(self, raw)


def described(
    name: str, knob: Field[object], *, environment: tuple[str, ...], limits: tuple[float, float] = (0, MOST)
) -> Described:
    """Describe a field made by `knob`."""
    low, high = limits
    return Described(
        name=name,
        environment=environment,
        kind=_kind(knob),
        choices=knob.metadata["choices"],
        low=low,
        high=high,
        default=knob.metadata.get("shown", knob.default),
        doc=knob.metadata["doc"],
        secret=knob.metadata.get("secret", False),
    )


def _kind(knob: Field[object]) -> Kind:
    if knob.metadata.get("path"):
        return "path"
    if knob.metadata["choices"]:
        # A Literal is the whole list; a plain string leaves room for a folder.
        return "choice or folder" if knob.type is str else "choice"
    return _KINDS.get(knob.type, "list")


def nearest(key: str, names: Sequence[str]) -> str | None:
    """The name that was probably meant; `alpha` finds `recall.alpha`."""
    if close := get_close_matches(key, names, n=1):
        return close[0]
    tails = {name.rpartition(".")[2]: name for name in reversed(names)}
    close = get_close_matches(key.rpartition(".")[2], tails, n=1)
    return tails[close[0]] if close else None


def _number(row: Described, raw: object) -> int | float | None:
    whole = row.kind == "whole number"
    if isinstance(raw, bool) or not isinstance(raw, str | int | float) or (whole and isinstance(raw, float)):
        return None
    try:
        number = int(raw) if whole else float(raw)
    except (ValueError, OverflowError):
        return None
    return number if row.low <= number <= row.high else None


def _text(row: Described, raw: object) -> str | None:
    if not isinstance(raw, str) or (row.default and not raw.strip()):
        return None
    return raw.strip()


def _choice(row: Described, raw: object) -> str | None:
    text = _text(row, raw)
    if text is None or text in row.choices:
        return text
    is_path = "/" in text or "\\" in text
    return text if is_path and row.kind == "choice or folder" else None


def _list(raw: object) -> tuple[str, ...] | None:
    parts = raw.split(",") if isinstance(raw, str) else raw
    if not isinstance(parts, list | tuple):
        return None
    words = [part.strip() for part in parts if isinstance(part, str)]
    return tuple(word for word in words if word) if len(words) == len(parts) else None
