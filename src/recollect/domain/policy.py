"""Every number that shapes behaviour, and the six presets, on one page."""

from collections.abc import Mapping
from dataclasses import Field, dataclass, field, fields, replace
from typing import Final, Literal, TypeAlias, TypeVar

OptionValue: TypeAlias = bool | int | float | str | tuple[str, ...] | None
Default = TypeVar("Default")


def option(default: Default, doc: str, *, choices: tuple[str, ...] = ()) -> Default:
    """A field with a default and the one sentence that `recollect settings` and the docs show."""
    return field(default=default, metadata={"doc": doc, "choices": choices})


MEMORY_MODES: Final = ("on", "collect_only", "recall_only", "off")


@dataclass(frozen=True, slots=True, kw_only=True)
class MemoryPolicy:
    mode: Literal["on", "collect_only", "recall_only", "off"] = option(
        "on",
        "What memory does: listen and recall, only listen, only recall, or neither. What it does not listen to"
        " is not stored.",
        choices=MEMORY_MODES,
    )

    @property
    def collects(self) -> bool:
        return self.mode in {"on", "collect_only"}

    @property
    def recalls(self) -> bool:
        return self.mode in {"on", "recall_only"}


@dataclass(frozen=True, slots=True, kw_only=True)
class CollectionPolicy:
    enabled: bool = option(True, "Learn from messages. Off means that nothing is extracted.")
    store_raw: Literal["full", "gated", "none"] = option(
        "full",
        "Which messages stay on disk: all, only those judged above 0, or none once facts are extracted.",
        choices=("full", "gated", "none"),
    )
    mask_secrets: bool = option(True, "Mask keys, cards, passwords and the like before anything is stored.")
    max_message_bytes: int = option(10_000_000, "Bytes of UTF-8 a single message may have.")


@dataclass(frozen=True, slots=True, kw_only=True)
class TruncationPolicy:
    max_tool_chars: int = option(2000, "Characters of a tool's output that are kept; 0 keeps all.")


@dataclass(frozen=True, slots=True, kw_only=True)
class ChunkingPolicy:
    enabled: bool = option(True, "Cut long messages into code and prose chunks that are found by themselves.")
    max_tokens: int = option(500, "Tokens of a prose chunk at most; a code block stays whole.")
    min_tokens: int = option(200, "Messages up to this size stay in one piece.")
    backfill: bool = option(False, "Cut messages stored before chunking was on, in the background.")


@dataclass(frozen=True, slots=True, kw_only=True)
class TriagePolicy:
    enabled: bool = option(True, "Drop trivial messages before any judge sees them.")
    min_chars: int = option(10, "Shorter messages are trivial.")
    keep_phrases_override: Literal["all", "after_layer1"] = option(
        "all",
        "Whether a gold keyword also saves a message that looks trivial.",
        choices=("all", "after_layer1"),
    )
    drop_phrases: tuple[str, ...] = option((), "Further phrases that make a message trivial.")
    keep_phrases: tuple[str, ...] = option((), "Further phrases that make a message worth judging.")


@dataclass(frozen=True, slots=True, kw_only=True)
class ExtractionPolicy:
    mode: Literal["off", "per_message", "list", "single_fact", "batch"] = option(
        "list",
        "What is shown to the judge at once, and how many facts may come of it.",
        choices=("off", "per_message", "list", "single_fact", "batch"),
    )
    roles: Literal["user", "user+assistant", "all"] = option(
        "user+assistant",
        "Whose words facts may come from. What the assistant said is marked as such.",
        choices=("user", "user+assistant", "all"),
    )
    known_memories: int = option(8, "Known memories shown to the judge.")
    batch_size: int = option(20, "Messages per call in batch mode.")
    batch_wait_seconds: int = option(
        30, "Seconds a batch waits for more messages; a full one waits no longer."
    )
    min_fact_chars: int = option(10, "Shorter facts are discarded.")


@dataclass(frozen=True, slots=True, kw_only=True)
class SpendingPolicy:
    max_tokens_per_day: int = option(
        0, "Tokens a language model may cost a user in a day; beyond it the rules judge. 0 is no cap."
    )
    max_tokens_per_chat: int = option(
        0, "Tokens a language model may cost in one chat; beyond it the rules judge. 0 is no cap."
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class ConsolidationPolicy:
    duplicate_cosine: float = option(0.90, "Cosine from which two facts are the same.")
    compared_memories: int = option(5, "Known memories a new fact is compared with.")
    context_file_cosine: float = option(0.90, "Cosine from which a fact is already in a context file.")
    context_file_substring: bool = option(True, "A fact contained in a context file is already known.")


@dataclass(frozen=True, slots=True, kw_only=True)
class DecayPolicy:
    emotion_per_week: float = option(0.1, "Weight an emotion loses each week it is not seen again.")
    preference_per_week: float = option(0.0, "Weight a preference loses each week.")
    goal_per_week: float = option(0.0, "Weight a goal loses each week.")
    biography_fixed: bool = option(True, "Biography keeps weight 1.0 for ever.")
    archive_below: float = option(0.3, "Memories lighter than this are archived.")
    action: Literal["archive", "delete"] = option(
        "archive", "What happens to memories that grew too light.", choices=("archive", "delete")
    )
    temporary_days: int = option(
        7, "Days after which a temporary memory (importance 1 to 30) expires; 0 keeps it."
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class SummaryPolicy:
    every_answers: int = option(5, "Assistant messages between two conversation summaries; 0 turns them off.")
    max_tokens: int = option(200, "Size of a conversation summary.")
    scope: Literal["conversation", "global"] = option(
        "conversation",
        "Whether summaries may be recalled in other chats.",
        choices=("conversation", "global"),
    )
    working_every_exchanges: int = option(
        4, "Exchanges between two updates of the session summary; 0 turns it off."
    )
    working_max_tokens: int = option(80, "Size of the session summary.")
    working_max_words: int = option(30, "Words of the session summary asked of a model.")


@dataclass(frozen=True, slots=True, kw_only=True)
class RecallPolicy:
    enabled: bool = option(True, "Use memory in answers. Off leaves only the current chat.")
    hybrid: bool = option(True, "Search by words as well as by meaning.")
    ranker: Literal["evidence", "blend", "sum", "product", "cosine", "importance"] = option(
        "evidence",
        "How candidates are ordered: sum = α·dense + β·lexical + γ·identifier; evidence = sum + what neighbours,"
        " chat, date and speaker say; blend = sum × weight × recency within bounds; product = dense × weight ×"
        " recency; cosine = dense alone; importance = weight first.",
        choices=("evidence", "blend", "sum", "product", "cosine", "importance"),
    )
    alpha: float = option(0.6, "Share of dense similarity in the score.")
    beta: float = option(0.3, "Share of the word match in the score.")
    centroid_penalty: float = option(
        0.5, "How far lying in the middle of everything, near to any question, makes less near, as evidence."
    )
    gamma: float = option(0.1, "Share of a matching code identifier in the score.")
    reply_weight: float = option(0.3, "What a question lends to the message after it, as evidence.")
    previous_weight: float = option(0.1, "What a message lends to the one before it, as evidence.")
    chat_weight: float = option(0.5, "What the best of a chat lends to all of it, as evidence.")
    lexical_lead_weight: float = option(
        1.5, "What being far ahead of all others by its words counts as evidence."
    )
    date_weight: float = option(1.0, "What being of a time that the question names counts as evidence.")
    speaker_weight: float = option(0.1, "What being said by somebody the question names counts as evidence.")
    answer_type_weight: float = option(
        0.05, "What holding a time or a number counts when the question asks for one."
    )
    personal_weight: float = option(
        0.1, "What telling of oneself counts when the question is about the asker."
    )
    short_penalty: float = option(0.3, "What being very short counts against a passage.")
    question_penalty: float = option(0.05, "What being a question itself counts against a passage.")
    assistant_penalty: float = option(0.2, "What being the assistant's words counts against a passage.")
    outdated_penalty: float = option(
        0.5, "What saying something that is no longer so counts against a message."
    )
    freshness_weight: float = option(0.05, "What weight × recency counts as evidence.")
    neighbour_candidates: int = option(
        10, "Candidates whose neighbours in the chat are looked at, as evidence."
    )
    candidates_per_channel: int = option(20, "Candidates taken from each channel before ranking.")
    limit: int = option(8, "Passages handed on after ranking.")
    relative_cutoff: float = option(
        0.25, "Passages that score below this share of the best one are not injected; 0 keeps all."
    )
    max_memories: int = option(0, "Memories taken at most; 0 leaves the mix to the ranking.")
    max_messages: int = option(0, "Messages taken at most; 0 leaves the mix to the ranking.")
    sources: Literal["all", "memories", "messages"] = option(
        "all", "What may be recalled.", choices=("all", "memories", "messages")
    )
    other_chats: Literal["fallback", "always", "never"] = option(
        "fallback",
        "When other chats are searched: if this chat gave too little, always, or never.",
        choices=("fallback", "always", "never"),
    )
    other_chats_below: int = option(3, "This chat gave too little if it gave fewer hits than this.")
    recent_chats: int = option(0, "Most recent chats that are searched; 0 means all.")
    min_importance: int = option(0, "Memories below this importance are not recalled from other chats.")
    min_cosine: float = option(
        -1.0, "Cosine below which a purely dense hit is dropped; -1 takes the embedder's own floor."
    )
    small_store_size: int = option(
        5, "With at most this many memories all of them are used; 0 turns the rule off."
    )
    fallback: Literal["none", "recent"] = option(
        "none",
        "What stands in when nothing was found: nothing, or the most recent memories.",
        choices=("none", "recent"),
    )
    fallback_count: int = option(10, "How many recent memories stand in.")
    half_life_days: float = option(180.0, "Days after which recency counts half.")
    boost_min: float = option(0.3, "The least that weight × recency may multiply a score by.")
    boost_max: float = option(1.5, "The most that weight × recency may multiply a score by.")
    expand_query: bool = option(False, "Add topic words to short personal questions.")
    expand_max_chars: int = option(100, "Questions longer than this are not expanded.")
    topic_filter: bool = option(
        False, "Look for what the question is about, and among the kinds of memory that bear on it."
    )
    rerank_count: int = option(
        0, "Passages, the best first, that a cross-encoder reads again together with the question; 0 is none."
    )
    rerank_deadline_ms: int = option(
        120, "Milliseconds that reading again may take; what is not read keeps its score."
    )
    rerank_weight: float = option(0.5, "What reading again adds to a score at most.")
    code_first: bool = option(True, "Put code chunks first when the question names code.")
    deadline_ms: int = option(0, "Milliseconds after which recall goes on without the slow parts; 0 waits.")


@dataclass(frozen=True, slots=True, kw_only=True)
class ContextPolicy:
    format: Literal["facts", "smart", "companion", "companion_prompt", "dev", "agent", "xml", "messages"] = (
        option(
            "facts",
            "The shape of the memory block; companion_prompt is a whole prompt that names its persona.",
            choices=("facts", "smart", "companion", "companion_prompt", "dev", "agent", "xml", "messages"),
        )
    )
    locale: Literal["en", "pt"] = option(
        "en", "Language of headings in the memory block.", choices=("en", "pt")
    )
    budget: int = option(1000, "Tokens the memory block may have, headings included.")
    overflow: Literal["skip", "stop"] = option(
        "skip",
        "When a passage does not fit: try smaller ones, or stop there.",
        choices=("skip", "stop"),
    )
    recent_messages: int = option(
        6, "Most recent messages of the chat shown as they are; 0 leaves them to the host."
    )
    summary_min_importance: int = option(
        10, "Earlier messages of this chat above this importance are shown as summaries."
    )
    recall_share: float = option(0.5, "Share of the budget that recent messages leave to recollections.")
    repeat_after_turns: int = option(
        0, "Turns of a chat before a passage is injected there again; 0 may repeat at once."
    )
    persona: str = option("Katherine", "Who answers, in the format companion_prompt.")
    notice: bool = option(
        True,
        "Begin the memory block with a sentence that says it is data about the user, not instructions. "
        "companion_prompt has none, nor has a block with a budget below a hundred tokens.",
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class ReceiptPolicy:
    query: Literal["full", "hashed", "off"] = option(
        "full", "How the question is kept in receipts.", choices=("full", "hashed", "off")
    )
    keep_days: int = option(30, "Days receipts and metrics are kept.")
    max_dropped_items: int = option(20, "Candidates that were left out of which a receipt tells.")


@dataclass(frozen=True, slots=True, kw_only=True)
class Policy:
    """All of it. A preset is a handful of changes to this page."""

    preset: str = "default"
    memory: MemoryPolicy = MemoryPolicy()
    collect: CollectionPolicy = CollectionPolicy()
    truncation: TruncationPolicy = TruncationPolicy()
    chunking: ChunkingPolicy = ChunkingPolicy()
    triage: TriagePolicy = TriagePolicy()
    extraction: ExtractionPolicy = ExtractionPolicy()
    spending: SpendingPolicy = SpendingPolicy()
    consolidation: ConsolidationPolicy = ConsolidationPolicy()
    decay: DecayPolicy = DecayPolicy()
    summaries: SummaryPolicy = SummaryPolicy()
    recall: RecallPolicy = RecallPolicy()
    context: ContextPolicy = ContextPolicy()
    receipts: ReceiptPolicy = ReceiptPolicy()

    @property
    def collects(self) -> bool:
        """Whether messages are stored."""
        return self.memory.collects

    @property
    def extracts(self) -> bool:
        return self.collects and self.collect.enabled

    @property
    def recalls(self) -> bool:
        return self.memory.recalls and self.recall.enabled

    def with_values(self, values: Mapping[str, OptionValue]) -> "Policy":
        """Return a policy with some knobs turned, named as in `recall.alpha`."""
        options_by_section: dict[str, dict[str, OptionValue]] = {}
        for key, value in values.items():
            section, _, name = key.partition(".")
            options_by_section.setdefault(section, {})[name] = value
        sections = {
            section: replace(getattr(self, section), **options)
            for section, options in options_by_section.items()
        }
        return replace(self, **sections)

    def values(self) -> dict[str, OptionValue]:
        """Every knob by its dotted name."""
        return {
            f"{section.name}.{f.name}": getattr(getattr(self, section.name), f.name)
            for section in policy_sections()
            for f in fields(getattr(self, section.name))
        }


def policy_sections() -> list[Field[object]]:
    return [f for f in fields(Policy) if f.name != "preset"]


PRESETS: Mapping[str, Mapping[str, OptionValue]] = {
    "default": {},
    # Smart Memory: a funnel, a strict judge, three tiers; other chats only when asked for.
    "smart": {
        "recall.enabled": False,
        "collect.store_raw": "gated",
        "truncation.max_tool_chars": 0,
        "extraction.mode": "per_message",
        "recall.ranker": "importance",
        "recall.other_chats": "always",
        "recall.recent_chats": 50,
        "recall.min_importance": 31,
        "recall.limit": 6,
        "recall.small_store_size": 0,
        "decay.emotion_per_week": 0.0,
        "context.recent_messages": 4,
        "context.format": "smart",
        "context.notice": False,
        "context.locale": "pt",
        "recall.candidates_per_channel": 200,
        "recall.min_cosine": 0.0,
        "consolidation.duplicate_cosine": 1.0,
        "consolidation.context_file_substring": False,
        "summaries.every_answers": 0,
        "summaries.working_every_exchanges": 0,
        "recall.relative_cutoff": 0.0,
    },
    # Katherine, a companion: few tokens, moods that fade, biography that stays.
    "companion": {
        "collect.store_raw": "none",
        "truncation.max_tool_chars": 0,
        "triage.min_chars": 3,
        "extraction.roles": "user",
        "extraction.min_fact_chars": 3,
        "recall.sources": "memories",
        "recall.topic_filter": True,
        "recall.ranker": "product",
        "recall.other_chats": "always",
        "recall.candidates_per_channel": 10,
        "recall.limit": 5,
        "recall.small_store_size": 0,
        "context.format": "companion",
        "context.notice": False,
        "context.locale": "pt",
        "context.budget": 300,
        "recall.min_cosine": 0.0,
        "summaries.every_answers": 0,
        "context.summary_min_importance": 100,
        "recall.relative_cutoff": 0.0,
    },
    # Context-aware memory for developers: messages, chunks and summaries; nothing is extracted.
    "dev": {
        "truncation.max_tool_chars": 0,
        "triage.enabled": False,
        "triage.min_chars": 0,
        "extraction.mode": "off",
        "recall.sources": "messages",
        "recall.ranker": "sum",
        "recall.limit": 10,
        "recall.small_store_size": 0,
        "decay.emotion_per_week": 0.0,
        "context.format": "dev",
        "context.notice": False,
        "context.recent_messages": 0,
        "recall.min_cosine": 0.0,
        "summaries.working_every_exchanges": 0,
        "context.overflow": "stop",
        "context.summary_min_importance": 100,
        "decay.archive_below": 0.0,
        "decay.temporary_days": 0,
        "recall.relative_cutoff": 0.0,
    },
    # LLM-managed memory: one fact per exchange, cosine with a floor, recent ones as fallback.
    "facts": {
        "truncation.max_tool_chars": 0,
        "triage.enabled": False,
        "triage.min_chars": 0,
        "extraction.mode": "single_fact",
        "recall.sources": "memories",
        "recall.hybrid": False,
        "recall.ranker": "cosine",
        "recall.other_chats": "always",
        "recall.candidates_per_channel": 5,
        "recall.limit": 5,
        "recall.min_cosine": 0.5,
        "recall.expand_query": True,
        "recall.fallback": "recent",
        "decay.emotion_per_week": 0.0,
        "summaries.every_answers": 0,
        "context.notice": False,
        "context.recent_messages": 0,
        "summaries.working_every_exchanges": 0,
        "context.summary_min_importance": 100,
        "decay.archive_below": 0.0,
        "decay.temporary_days": 0,
        "recall.relative_cutoff": 0.0,
    },
    # TuskBot: batches of twenty, three facts and two messages by the same vector, clipped tool output.
    "agent": {
        "triage.enabled": False,
        "triage.min_chars": 0,
        "extraction.mode": "batch",
        "extraction.roles": "all",
        "recall.hybrid": False,
        "recall.ranker": "cosine",
        "recall.other_chats": "always",
        "recall.max_memories": 3,
        "recall.max_messages": 2,
        "recall.limit": 5,
        "recall.small_store_size": 0,
        "decay.emotion_per_week": 0.0,
        "summaries.every_answers": 0,
        "context.format": "agent",
        "context.notice": False,
        "context.recent_messages": 10,
        "recall.min_cosine": 0.0,
        "consolidation.duplicate_cosine": 1.0,
        "consolidation.context_file_substring": False,
        "summaries.working_every_exchanges": 0,
        "context.summary_min_importance": 100,
        "decay.archive_below": 0.0,
        "decay.temporary_days": 0,
        "recall.relative_cutoff": 0.0,
    },
}


def load_preset(name: str) -> Policy:
    return replace(Policy(), preset=name).with_values(PRESETS[name])
