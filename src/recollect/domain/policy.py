"""Every number that shapes behaviour, and the six presets, on one page."""

from collections.abc import Mapping
from dataclasses import Field, dataclass, field, fields, replace
from typing import Final, Literal, TypeAlias, TypeVar

Value: TypeAlias = bool | int | float | str | tuple[str, ...] | None
Section = TypeVar("Section")


def knob(default: Section, doc: str, *, choices: tuple[str, ...] = ()) -> Section:
    """A field with a default and the one sentence that `recollect settings` and the docs show."""
    return field(default=default, metadata={"doc": doc, "choices": choices})


MODES: Final = ("on", "collect_only", "recall_only", "off")


@dataclass(frozen=True, slots=True, kw_only=True)
class Use:
    mode: Literal["on", "collect_only", "recall_only", "off"] = knob(
        "on",
        "What memory does: listen and recall, only listen, only recall, or neither. What it does not listen to"
        " is not stored.",
        choices=MODES,
    )

    @property
    def listens(self) -> bool:
        return self.mode in {"on", "collect_only"}

    @property
    def recalls(self) -> bool:
        return self.mode in {"on", "recall_only"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Collect:
    enabled: bool = knob(True, "Learn from messages. Off means that nothing is extracted.")
    store_raw: Literal["full", "gated", "none"] = knob(
        "full",
        "Which messages stay on disk: all, only those judged above 0, or none once facts are extracted.",
        choices=("full", "gated", "none"),
    )
    mask_secrets: bool = knob(True, "Mask keys, cards, passwords and the like before anything is stored.")
    largest_message: int = knob(10_000_000, "Bytes of UTF-8 a single message may have.")


@dataclass(frozen=True, slots=True, kw_only=True)
class Clip:
    tool_chars: int = knob(2000, "Characters of a tool's output that are kept; 0 keeps all.")


@dataclass(frozen=True, slots=True, kw_only=True)
class Chunking:
    enabled: bool = knob(True, "Cut long messages into code and prose chunks that are found by themselves.")
    max_tokens: int = knob(500, "Tokens of a prose chunk at most; a code block stays whole.")
    min_tokens: int = knob(200, "Messages up to this size stay in one piece.")
    backfill: bool = knob(False, "Cut messages stored before chunking was on, in the background.")


@dataclass(frozen=True, slots=True, kw_only=True)
class Funnel:
    enabled: bool = knob(True, "Drop trivial messages before any judge sees them.")
    min_chars: int = knob(10, "Shorter messages are trivial.")
    gold_overrides: Literal["all", "after_layer1"] = knob(
        "all",
        "Whether a gold keyword also saves a message that looks trivial.",
        choices=("all", "after_layer1"),
    )
    trash: tuple[str, ...] = knob((), "Further phrases that make a message trivial.")
    gold: tuple[str, ...] = knob((), "Further phrases that make a message worth judging.")


@dataclass(frozen=True, slots=True, kw_only=True)
class Extract:
    mode: Literal["off", "per_message", "list", "single_fact", "batch"] = knob(
        "list",
        "What is shown to the judge at once, and how many facts may come of it.",
        choices=("off", "per_message", "list", "single_fact", "batch"),
    )
    roles: Literal["user", "user+assistant", "all"] = knob(
        "user+assistant",
        "Whose words facts may come from. What the assistant said is marked as such.",
        choices=("user", "user+assistant", "all"),
    )
    existing_top_k: int = knob(8, "Known memories shown to the judge.")
    batch: int = knob(20, "Messages per call in batch mode.")
    batch_seconds: int = knob(30, "Seconds a batch waits for more messages; a full one waits no longer.")
    min_fact_chars: int = knob(10, "Shorter facts are discarded.")


@dataclass(frozen=True, slots=True, kw_only=True)
class Spend:
    per_day: int = knob(
        0, "Tokens a language model may cost a user in a day; beyond it the rules judge. 0 is no cap."
    )
    per_chat: int = knob(
        0, "Tokens a language model may cost in one chat; beyond it the rules judge. 0 is no cap."
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Keep:
    similar: float = knob(0.90, "Cosine from which two facts are the same.")
    similar_top_k: int = knob(5, "Known memories a new fact is compared with.")
    context_similar: float = knob(0.90, "Cosine from which a fact is already in a context file.")
    substring: bool = knob(True, "A fact contained in a context file is already known.")


@dataclass(frozen=True, slots=True, kw_only=True)
class Decay:
    emo_per_week: float = knob(0.1, "Weight an emotion loses each week it is not seen again.")
    pref_per_week: float = knob(0.0, "Weight a preference loses each week.")
    obj_per_week: float = knob(0.0, "Weight a goal loses each week.")
    bio_fixed: bool = knob(True, "Biography keeps weight 1.0 for ever.")
    archive_below: float = knob(0.3, "Memories lighter than this are archived.")
    forget: Literal["archive", "delete"] = knob(
        "archive", "What happens to memories that grew too light.", choices=("archive", "delete")
    )
    temporary_days: int = knob(
        7, "Days after which a temporary memory (importance 1 to 30) expires; 0 keeps it."
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Summaries:
    every: int = knob(5, "Assistant messages between two conversation summaries; 0 turns them off.")
    max_tokens: int = knob(200, "Size of a conversation summary.")
    scope: Literal["conversation", "global"] = knob(
        "conversation",
        "Whether summaries may be recalled in other chats.",
        choices=("conversation", "global"),
    )
    working_every: int = knob(4, "Exchanges between two updates of the session summary; 0 turns it off.")
    working_max_tokens: int = knob(80, "Size of the session summary.")
    working_max_words: int = knob(30, "Words of the session summary asked of a model.")


@dataclass(frozen=True, slots=True, kw_only=True)
class Recall:
    enabled: bool = knob(True, "Use memory in answers. Off leaves only the current chat.")
    hybrid: bool = knob(True, "Search by words as well as by meaning.")
    ranker: Literal["evidence", "blend", "sum", "product", "cosine", "importance"] = knob(
        "evidence",
        "How candidates are ordered: sum = α·dense + β·lexical + γ·identifier; evidence = sum + what neighbours,"
        " chat, date and speaker say; blend = sum × weight × recency within bounds; product = dense × weight ×"
        " recency; cosine = dense alone; importance = weight first.",
        choices=("evidence", "blend", "sum", "product", "cosine", "importance"),
    )
    alpha: float = knob(0.6, "Share of dense similarity in the score.")
    beta: float = knob(0.3, "Share of the word match in the score.")
    middle: float = knob(
        0.5, "How far lying in the middle of everything, near to any question, makes less near, as evidence."
    )
    gamma: float = knob(0.1, "Share of a matching code identifier in the score.")
    answer: float = knob(0.3, "What a question lends to the message after it, as evidence.")
    follow: float = knob(0.1, "What a message lends to the one before it, as evidence.")
    chat: float = knob(0.5, "What the best of a chat lends to all of it, as evidence.")
    lead: float = knob(1.5, "What being far ahead of all others by its words counts as evidence.")
    date: float = knob(1.0, "What being of a time that the question names counts as evidence.")
    speaker: float = knob(0.1, "What being said by somebody the question names counts as evidence.")
    sort: float = knob(0.05, "What holding a time or a number counts when the question asks for one.")
    personal: float = knob(0.1, "What telling of oneself counts when the question is about the asker.")
    short: float = knob(0.3, "What being very short counts against a passage.")
    asks: float = knob(0.05, "What being a question itself counts against a passage.")
    assistant: float = knob(0.2, "What being the assistant's words counts against a passage.")
    outdated: float = knob(0.5, "What saying something that is no longer so counts against a message.")
    fresh: float = knob(0.05, "What weight × recency counts as evidence.")
    around: int = knob(10, "Candidates whose neighbours in the chat are looked at, as evidence.")
    fetch: int = knob(20, "Candidates taken from each channel before ranking.")
    limit: int = knob(8, "Passages handed on after ranking.")
    cliff: float = knob(
        0.25, "Passages that score below this share of the best one are not injected; 0 keeps all."
    )
    facts: int = knob(0, "Memories taken at most; 0 leaves the mix to the ranking.")
    history: int = knob(0, "Messages taken at most; 0 leaves the mix to the ranking.")
    sources: Literal["all", "memories", "messages"] = knob(
        "all", "What may be recalled.", choices=("all", "memories", "messages")
    )
    reach: Literal["fallback", "always", "never"] = knob(
        "fallback",
        "When other chats are searched: if this chat gave too little, always, or never.",
        choices=("fallback", "always", "never"),
    )
    reach_below: int = knob(3, "This chat gave too little if it gave fewer hits than this.")
    chats: int = knob(0, "Most recent chats that are searched; 0 means all.")
    importance_floor: int = knob(0, "Memories below this importance are not recalled from other chats.")
    floor: float = knob(
        -1.0, "Cosine below which a purely dense hit is dropped; -1 takes the embedder's own floor."
    )
    small_set: int = knob(5, "With at most this many memories all of them are used; 0 turns the rule off.")
    empty: Literal["none", "recent"] = knob(
        "none",
        "What stands in when nothing was found: nothing, or the most recent memories.",
        choices=("none", "recent"),
    )
    recent: int = knob(10, "How many recent memories stand in.")
    half_life_days: float = knob(180.0, "Days after which recency counts half.")
    boost_min: float = knob(0.3, "The least that weight × recency may multiply a score by.")
    boost_max: float = knob(1.5, "The most that weight × recency may multiply a score by.")
    expand: bool = knob(False, "Add topic words to short personal questions.")
    expand_chars: int = knob(100, "Questions longer than this are not expanded.")
    topics: bool = knob(
        False, "Look for what the question is about, and among the kinds of memory that bear on it."
    )
    rerank: int = knob(
        0, "Passages, the best first, that a cross-encoder reads again together with the question; 0 is none."
    )
    rerank_ms: int = knob(120, "Milliseconds that reading again may take; what is not read keeps its score.")
    reread: float = knob(0.5, "What reading again adds to a score at most.")
    code_first: bool = knob(True, "Put code chunks first when the question names code.")
    deadline_ms: int = knob(0, "Milliseconds after which recall goes on without the slow parts; 0 waits.")


@dataclass(frozen=True, slots=True, kw_only=True)
class Assemble:
    format: Literal["facts", "smart", "companion", "companion_prompt", "dev", "agent", "xml", "messages"] = (
        knob(
            "facts",
            "The shape of the memory block; companion_prompt is a whole prompt that names its persona.",
            choices=("facts", "smart", "companion", "companion_prompt", "dev", "agent", "xml", "messages"),
        )
    )
    locale: Literal["en", "pt"] = knob(
        "en", "Language of headings in the memory block.", choices=("en", "pt")
    )
    budget: int = knob(1000, "Tokens the memory block may have, headings included.")
    overflow: Literal["skip", "stop"] = knob(
        "skip",
        "When a passage does not fit: try smaller ones, or stop there.",
        choices=("skip", "stop"),
    )
    buffer: int = knob(6, "Most recent messages of the chat shown as they are; 0 leaves them to the host.")
    local_floor: int = knob(10, "Earlier messages of this chat above this importance are shown as summaries.")
    recall_share: float = knob(0.5, "Share of the budget that recent messages leave to recollections.")
    repeat_after: int = knob(
        0, "Turns of a chat before a passage is injected there again; 0 may repeat at once."
    )
    persona: str = knob("Katherine", "Who answers, in the format companion_prompt.")
    notice: bool = knob(
        True,
        "Begin the memory block with a sentence that says it is data about the user, not instructions. "
        "companion_prompt has none, nor has a block with a budget below a hundred tokens.",
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Record:
    query: Literal["full", "hashed", "off"] = knob(
        "full", "How the question is kept in receipts.", choices=("full", "hashed", "off")
    )
    keep_days: int = knob(30, "Days receipts and metrics are kept.")
    left_out: int = knob(20, "Candidates that were left out of which a receipt tells.")


@dataclass(frozen=True, slots=True, kw_only=True)
class Policy:
    """All of it. A preset is a handful of changes to this page."""

    preset: str = "default"
    memory: Use = Use()
    collect: Collect = Collect()
    clip: Clip = Clip()
    chunking: Chunking = Chunking()
    funnel: Funnel = Funnel()
    extract: Extract = Extract()
    spend: Spend = Spend()
    keep: Keep = Keep()
    decay: Decay = Decay()
    summaries: Summaries = Summaries()
    recall: Recall = Recall()
    assemble: Assemble = Assemble()
    record: Record = Record()

    @property
    def listens(self) -> bool:
        """Whether messages are stored."""
        return self.memory.listens

    @property
    def learns(self) -> bool:
        return self.listens and self.collect.enabled

    @property
    def recalls(self) -> bool:
        return self.memory.recalls and self.recall.enabled

    def with_values(self, values: Mapping[str, Value]) -> "Policy":
        """Return a policy with some knobs turned, named as in `recall.alpha`."""
        changed: dict[str, dict[str, Value]] = {}
        for key, value in values.items():
            section, _, name = key.partition(".")
            changed.setdefault(section, {})[name] = value
        sections = {section: replace(getattr(self, section), **knobs) for section, knobs in changed.items()}
        return replace(self, **sections)

    def values(self) -> dict[str, Value]:
        """Every knob by its dotted name."""
        return {
            f"{section.name}.{f.name}": getattr(getattr(self, section.name), f.name)
            for section in sections()
            for f in fields(getattr(self, section.name))
        }


def sections() -> list[Field[object]]:
    return [f for f in fields(Policy) if f.name != "preset"]


PRESETS: Mapping[str, Mapping[str, Value]] = {
    "default": {},
    # Smart Memory: a funnel, a strict judge, three tiers; other chats only when asked for.
    "smart": {
        "recall.enabled": False,
        "collect.store_raw": "gated",
        "clip.tool_chars": 0,
        "extract.mode": "per_message",
        "recall.ranker": "importance",
        "recall.reach": "always",
        "recall.chats": 50,
        "recall.importance_floor": 31,
        "recall.limit": 6,
        "recall.small_set": 0,
        "decay.emo_per_week": 0.0,
        "assemble.buffer": 4,
        "assemble.format": "smart",
        "assemble.notice": False,
        "assemble.locale": "pt",
        "recall.fetch": 200,
        "recall.floor": 0.0,
        "keep.similar": 1.0,
        "keep.substring": False,
        "summaries.every": 0,
        "summaries.working_every": 0,
        "recall.cliff": 0.0,
    },
    # Katherine, a companion: few tokens, moods that fade, biography that stays.
    "companion": {
        "collect.store_raw": "none",
        "clip.tool_chars": 0,
        "funnel.min_chars": 3,
        "extract.roles": "user",
        "extract.min_fact_chars": 3,
        "recall.sources": "memories",
        "recall.topics": True,
        "recall.ranker": "product",
        "recall.reach": "always",
        "recall.fetch": 10,
        "recall.limit": 5,
        "recall.small_set": 0,
        "assemble.format": "companion",
        "assemble.notice": False,
        "assemble.locale": "pt",
        "assemble.budget": 300,
        "recall.floor": 0.0,
        "summaries.every": 0,
        "assemble.local_floor": 100,
        "recall.cliff": 0.0,
    },
    # Context-aware memory for developers: messages, chunks and summaries; nothing is extracted.
    "dev": {
        "clip.tool_chars": 0,
        "funnel.enabled": False,
        "funnel.min_chars": 0,
        "extract.mode": "off",
        "recall.sources": "messages",
        "recall.ranker": "sum",
        "recall.limit": 10,
        "recall.small_set": 0,
        "decay.emo_per_week": 0.0,
        "assemble.format": "dev",
        "assemble.notice": False,
        "assemble.buffer": 0,
        "recall.floor": 0.0,
        "summaries.working_every": 0,
        "assemble.overflow": "stop",
        "assemble.local_floor": 100,
        "decay.archive_below": 0.0,
        "decay.temporary_days": 0,
        "recall.cliff": 0.0,
    },
    # LLM-managed memory: one fact per exchange, cosine with a floor, recent ones as fallback.
    "facts": {
        "clip.tool_chars": 0,
        "funnel.enabled": False,
        "funnel.min_chars": 0,
        "extract.mode": "single_fact",
        "recall.sources": "memories",
        "recall.hybrid": False,
        "recall.ranker": "cosine",
        "recall.reach": "always",
        "recall.fetch": 5,
        "recall.limit": 5,
        "recall.floor": 0.5,
        "recall.expand": True,
        "recall.empty": "recent",
        "decay.emo_per_week": 0.0,
        "summaries.every": 0,
        "assemble.notice": False,
        "assemble.buffer": 0,
        "summaries.working_every": 0,
        "assemble.local_floor": 100,
        "decay.archive_below": 0.0,
        "decay.temporary_days": 0,
        "recall.cliff": 0.0,
    },
    # TuskBot: batches of twenty, three facts and two messages by the same vector, clipped tool output.
    "agent": {
        "funnel.enabled": False,
        "funnel.min_chars": 0,
        "extract.mode": "batch",
        "extract.roles": "all",
        "recall.hybrid": False,
        "recall.ranker": "cosine",
        "recall.reach": "always",
        "recall.facts": 3,
        "recall.history": 2,
        "recall.limit": 5,
        "recall.small_set": 0,
        "decay.emo_per_week": 0.0,
        "summaries.every": 0,
        "assemble.format": "agent",
        "assemble.notice": False,
        "assemble.buffer": 10,
        "recall.floor": 0.0,
        "keep.similar": 1.0,
        "keep.substring": False,
        "summaries.working_every": 0,
        "assemble.local_floor": 100,
        "decay.archive_below": 0.0,
        "decay.temporary_days": 0,
        "recall.cliff": 0.0,
    },
}


def preset(name: str) -> Policy:
    return replace(Policy(), preset=name).with_values(PRESETS[name])
