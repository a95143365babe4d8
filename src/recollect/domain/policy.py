"""
Policy: every option that shapes ingestion, extraction, recall and context assembly, and the six presets.

A `Policy` is an immutable tree of sections (`recall`, `context`, …), each a frozen dataclass whose fields are made
by `option(default, doc)`. The doc is the sentence that `recollect settings`, the settings page and the reference
show, so a setting is declared exactly once. An option is addressed by its dotted name, `<section>.<field>`.

Invariants: a field name is a settings key, part of files, environment variables and stored preferences, so it is
never renamed silently; a policy holds no secrets and nothing about the machine (those are `MachineSettings`); values
are validated in `settings.py`, not here. A preset is a mapping from dotted names to the values that differ from the
defaults. A recall reads the policy once and keeps that value throughout.

Example: `load_preset("dev").with_values({"recall.alpha": 0.8})` starts from the defaults, applies the preset "dev"
(`recall.ranker` becomes "sum", …), then sets `recall.alpha`.
Each step copies the sections it touches: O(options), about 100.
"""

from collections.abc import Mapping
from dataclasses import Field, dataclass, field, fields, replace
from typing import Final, Literal, TypeAlias, TypeVar

OptionValue: TypeAlias = bool | int | float | str | tuple[str, ...] | None
Default = TypeVar("Default")


def option(default: Default, doc: str, *, choices: tuple[str, ...] = ()) -> Default:
    """Return a dataclass field with a default and the sentence that `recollect settings` and the docs show."""
    return field(default=default, metadata={"doc": doc, "choices": choices})


MEMORY_MODES: Final = ("on", "collect_only", "recall_only", "off")


@dataclass(frozen=True, slots=True, kw_only=True)
class MemoryPolicy:
    mode: Literal["on", "collect_only", "recall_only", "off"] = option(
        "on",
        "What memory does: collect and recall, only collect, only recall, or neither. Messages that are not"
        " collected are not stored.",
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
    enabled: bool = option(
        True, "Extract facts from messages. Off stores messages but learns nothing from them."
    )
    store_raw: Literal["full", "gated", "none"] = option(
        "full",
        "Which messages are stored: all, only those with an importance above 0, or none once their facts are"
        " extracted.",
        choices=("full", "gated", "none"),
    )
    mask_secrets: bool = option(
        True, "Redact keys, card numbers, passwords and other secrets before storing."
    )
    max_message_bytes: int = option(10_000_000, "Maximum size of a message, in bytes of UTF-8.")


@dataclass(frozen=True, slots=True, kw_only=True)
class TruncationPolicy:
    max_tool_chars: int = option(2000, "Characters kept of a tool's output; 0 keeps all.")


@dataclass(frozen=True, slots=True, kw_only=True)
class ChunkingPolicy:
    enabled: bool = option(
        True, "Split long messages into code and prose chunks that are indexed separately."
    )
    max_tokens: int = option(500, "Maximum tokens of a prose chunk; a code block is never split.")
    min_tokens: int = option(200, "Messages with at most this many tokens are not split.")
    backfill: bool = option(
        False, "Also split messages that were stored before chunking was enabled, in the background."
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class TriagePolicy:
    enabled: bool = option(True, "Skip trivial messages before extraction.")
    min_chars: int = option(10, "Messages with fewer characters are trivial.")
    keep_phrases_override: Literal["all", "after_layer1"] = option(
        "all",
        "Whether a keep phrase overrides the rules for trivial messages (`all`) or is only checked after them.",
        choices=("all", "after_layer1"),
    )
    drop_phrases: tuple[str, ...] = option((), "Additional phrases that make a message trivial.")
    keep_phrases: tuple[str, ...] = option((), "Additional phrases that always send a message to extraction.")


@dataclass(frozen=True, slots=True, kw_only=True)
class ExtractionPolicy:
    mode: Literal["off", "per_message", "list", "single_fact", "batch"] = option(
        "list",
        "How messages are sent to the extractor: one at a time (`per_message`, `list`), one exchange for one fact"
        " (`single_fact`), several per call (`batch`), or not at all (`off`).",
        choices=("off", "per_message", "list", "single_fact", "batch"),
    )
    roles: Literal["user", "user+assistant", "all"] = option(
        "user+assistant",
        "Roles whose messages facts are extracted from. Facts from the assistant are marked as such.",
        choices=("user", "user+assistant", "all"),
    )
    known_memories: int = option(8, "Known memories included in the extraction prompt.")
    batch_size: int = option(20, "Messages per call in batch mode.")
    batch_wait_seconds: int = option(
        30, "Seconds a batch waits for more messages; a full batch runs immediately."
    )
    min_fact_chars: int = option(10, "Facts with fewer characters are discarded.")


@dataclass(frozen=True, slots=True, kw_only=True)
class SpendingPolicy:
    max_tokens_per_day: int = option(
        0, "Language model tokens per user and day; above it, the local rules extract facts. 0 means no cap."
    )
    max_tokens_per_chat: int = option(
        0, "Language model tokens per chat; above it, the local rules extract facts. 0 means no cap."
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class ConsolidationPolicy:
    duplicate_cosine: float = option(0.90, "Cosine at or above which two facts are duplicates.")
    compared_memories: int = option(5, "Known memories that a new fact is compared with.")
    context_file_cosine: float = option(
        0.90, "Cosine at or above which a fact counts as stated in a context file."
    )
    context_file_substring: bool = option(True, "Skip facts whose text occurs in a context file.")


@dataclass(frozen=True, slots=True, kw_only=True)
class DecayPolicy:
    emotion_per_week: float = option(0.1, "Weight an emotion loses per week since it was last mentioned.")
    preference_per_week: float = option(
        0.0, "Weight a preference loses per week since it was last mentioned."
    )
    goal_per_week: float = option(0.0, "Weight a goal loses per week since it was last mentioned.")
    biography_fixed: bool = option(True, "Keep biographical facts at weight 1.0.")
    archive_below: float = option(0.3, "Memories with a lower weight are archived.")
    action: Literal["archive", "delete"] = option(
        "archive", "What happens to memories below `decay.archive_below`.", choices=("archive", "delete")
    )
    temporary_days: int = option(
        7, "Days after which a temporary memory (importance 1 to 30) expires; 0 means never."
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class SummaryPolicy:
    every_answers: int = option(5, "Assistant messages between two conversation summaries; 0 turns them off.")
    max_tokens: int = option(200, "Maximum tokens of a conversation summary.")
    scope: Literal["conversation", "global"] = option(
        "conversation",
        "Whether summaries may be recalled in other chats.",
        choices=("conversation", "global"),
    )
    working_every_exchanges: int = option(
        4, "Exchanges between two updates of the session summary; 0 turns it off."
    )
    working_max_tokens: int = option(80, "Maximum tokens of the session summary.")
    working_max_words: int = option(
        30, "Maximum words of the session summary, as requested from the language model."
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class RecallPolicy:
    enabled: bool = option(True, "Recall memories for answers. Off uses only the current chat.")
    hybrid: bool = option(True, "Combine lexical (BM25) with dense (vector) search. Off uses vectors alone.")
    ranker: Literal["evidence", "blend", "sum", "product", "cosine", "importance"] = option(
        "evidence",
        "Scoring formula: sum = α·dense + β·lexical + γ·identifier; evidence = sum + weighted evidence from"
        " neighbours, chat, date and speaker; blend = sum × weight × recency within bounds; product = dense ×"
        " weight × recency; cosine = dense alone; importance = weight first.",
        choices=("evidence", "blend", "sum", "product", "cosine", "importance"),
    )
    alpha: float = option(0.6, "α, the weight of the dense (cosine) score.")
    beta: float = option(0.3, "β, the weight of the lexical (BM25) score.")
    centroid_penalty: float = option(
        0.5, "Penalty for passages close to the centroid of the user's vectors, which match any query."
    )
    gamma: float = option(0.1, "γ, the weight of a matching code identifier.")
    reply_weight: float = option(0.3, "Share of a question's score that is added to the message after it.")
    previous_weight: float = option(0.1, "Share of a message's score that is added to the message before it.")
    chat_weight: float = option(
        0.5, "Share of a chat's best score that is added to every passage of the chat."
    )
    lexical_lead_weight: float = option(
        1.5, "Bonus for the passage whose lexical score is far above all others."
    )
    date_weight: float = option(1.0, "Bonus for passages from a time that the query names.")
    speaker_weight: float = option(0.1, "Bonus for passages by a speaker that the query names.")
    answer_type_weight: float = option(
        0.05, "Bonus for passages with a date or number when the query asks for one."
    )
    personal_weight: float = option(0.1, "Bonus for first-person passages when the query is about the user.")
    short_penalty: float = option(0.3, "Penalty for very short messages.")
    question_penalty: float = option(0.05, "Penalty for messages that are questions themselves.")
    assistant_penalty: float = option(0.2, "Penalty for messages by the assistant.")
    outdated_penalty: float = option(0.5, "Penalty for messages whose facts have been superseded.")
    freshness_weight: float = option(0.05, "Weight of the product weight × recency in the evidence score.")
    neighbour_candidates: int = option(
        10, "Best candidates whose neighbouring messages are loaded as evidence."
    )
    candidates_per_channel: int = option(20, "Candidates retrieved per channel before ranking.")
    relevance: float = option(
        0.25,
        "Probability of relevance below which a passage is not injected, with the default embedding model; a passage"
        " also needs half of the highest one, and for a list half as much of both. 0 injects the best passages for any"
        " query.",
    )
    relevance_reads: int = option(
        8,
        "Number of the most probable excerpts that a cross-encoder reads before relevance is decided; 0 decides by the"
        " features alone, which is faster and less precise.",
    )
    limit: int = option(8, "Maximum passages returned after ranking.")
    relative_cutoff: float = option(
        0.25, "Passages that score below this share of the best score are not injected; 0 keeps all."
    )
    max_memories: int = option(0, "Maximum memories among the results; 0 leaves the mix to the ranking.")
    max_messages: int = option(0, "Maximum messages among the results; 0 leaves the mix to the ranking.")
    sources: Literal["all", "memories", "messages"] = option(
        "all", "Which content types are recalled.", choices=("all", "memories", "messages")
    )
    other_chats: Literal["fallback", "always", "never"] = option(
        "fallback",
        "When other chats are searched: if the current chat yields too few results, always, or never.",
        choices=("fallback", "always", "never"),
    )
    other_chats_below: int = option(
        3, "With `fallback`, other chats are searched if the current chat yields fewer hits."
    )
    recent_chats: int = option(0, "Number of most recent chats that are searched; 0 means all.")
    min_importance: int = option(0, "Memories below this importance are not recalled from other chats.")
    min_cosine: float = option(
        -1.0,
        "Cosine below which a hit of the dense channel alone is dropped; -1 uses the embedder's own floor.",
    )
    small_store_size: int = option(
        5, "A user with at most this many memories gets all of them; 0 turns this off."
    )
    fallback: Literal["none", "recent"] = option(
        "none",
        "What to return when nothing matches: nothing, or the most recent memories.",
        choices=("none", "recent"),
    )
    fallback_count: int = option(10, "Number of recent memories returned by the fallback.")
    half_life_days: float = option(180.0, "Half-life of recency, in days.")
    boost_min: float = option(0.3, "Lower bound of the factor weight × recency.")
    boost_max: float = option(1.5, "Upper bound of the factor weight × recency.")
    expand_query: bool = option(False, "Add topic words to short personal queries.")
    expand_max_chars: int = option(100, "Queries with more characters are not expanded.")
    topic_filter: bool = option(
        False, "Detect the topic of the query and search only the kinds of memory that belong to it."
    )
    rerank_count: int = option(
        0, "Number of top passages that a cross-encoder reranks; 0 turns reranking off."
    )
    rerank_deadline_ms: int = option(
        120, "Time limit for reranking, in milliseconds; passages not reached keep their score."
    )
    rerank_weight: float = option(0.5, "Maximum that reranking adds to a score.")
    code_first: bool = option(True, "Rank code chunks first when the query names code.")
    deadline_ms: int = option(
        0, "Milliseconds after which recall continues without its slow parts; 0 waits for all."
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class ContextPolicy:
    format: Literal[
        "notes", "facts", "smart", "companion", "companion_prompt", "dev", "agent", "xml", "messages"
    ] = option(
        "notes",
        "Format of the memory block: notes gives each fact its subject and date; companion_prompt is a complete"
        " prompt with a persona.",
        choices=(
            "notes",
            "facts",
            "smart",
            "companion",
            "companion_prompt",
            "dev",
            "agent",
            "xml",
            "messages",
        ),
    )
    locale: Literal["en", "pt"] = option(
        "en", "Language of the headings in the memory block.", choices=("en", "pt")
    )
    budget: int = option(1000, "Maximum tokens of the memory block, headings included.")
    overflow: Literal["skip", "stop"] = option(
        "skip",
        "When a passage exceeds the budget: skip it and try the next ones, or stop.",
        choices=("skip", "stop"),
    )
    recent_messages: int = option(
        6, "Most recent messages of the chat included verbatim; 0 leaves them to the host application."
    )
    summary_min_importance: int = option(
        10, "Earlier messages of the chat above this importance are included as summaries."
    )
    recall_share: float = option(0.5, "Share of the budget reserved for recalled passages.")
    standing_tokens: int = option(
        120,
        "Maximum tokens of lasting instructions and constraints that apply to a task though it does not mention them;"
        " 0 turns this tier off. It needs `recall.relevance`.",
    )
    repeat_after_turns: int = option(
        0, "Turns before a passage may be injected into the same chat again; 0 means no wait."
    )
    persona: str = option("Katherine", "Name of the persona in the format companion_prompt.")
    notice: bool = option(
        True,
        "Begin the memory block with a sentence that says it is data about the user, not instructions. "
        "Omitted in companion_prompt and in blocks with a budget below 100 tokens.",
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class ReceiptPolicy:
    query: Literal["full", "hashed", "off"] = option(
        "full",
        "How receipts store the query: as text, as a hash, or not at all.",
        choices=("full", "hashed", "off"),
    )
    keep_days: int = option(30, "Days that receipts and metrics are kept.")
    max_dropped_items: int = option(20, "Maximum candidates a receipt lists as left out.")


@dataclass(frozen=True, slots=True, kw_only=True)
class Policy:
    """All options by section, and the name of the preset they started from."""

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
        """Return a copy with other values, by dotted name (`recall.alpha`)."""
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
        """Return every value by its dotted name."""
        return {
            f"{section.name}.{f.name}": getattr(getattr(self, section.name), f.name)
            for section in policy_sections()
            for f in fields(getattr(self, section.name))
        }


def policy_sections() -> list[Field[object]]:
    return [f for f in fields(Policy) if f.name != "preset"]


PRESETS: Mapping[str, Mapping[str, OptionValue]] = {
    "default": {},
    # Smart Memory: triage, a strict extractor, three tiers; other chats only on request.
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
        "recall.relevance": 0.0,
        "recall.relative_cutoff": 0.0,
    },
    # Katherine, a companion: few tokens, emotions decay, biography does not.
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
        "recall.relevance": 0.0,
        "recall.relative_cutoff": 0.0,
    },
    # Context-aware memory for developers: messages, chunks and summaries; nothing is extracted.
    "dev": {
        "truncation.max_tool_chars": 0,
        "triage.enabled": False,
        "triage.min_chars": 0,
        "chunking.enabled": False,
        "extraction.mode": "off",
        "recall.sources": "messages",
        "recall.hybrid": False,
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
        "recall.relevance": 0.0,
        "recall.relative_cutoff": 0.0,
    },
    # LLM-managed memory: one fact per exchange, cosine with a floor, recent memories as fallback.
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
        "context.format": "facts",
        "context.notice": False,
        "context.recent_messages": 0,
        "summaries.working_every_exchanges": 0,
        "context.summary_min_importance": 100,
        "decay.archive_below": 0.0,
        "decay.temporary_days": 0,
        "recall.relevance": 0.0,
        "recall.relative_cutoff": 0.0,
    },
    # TuskBot: batches of twenty; three facts and two messages for one query vector; truncated tool output.
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
        "recall.relevance": 0.0,
        "recall.relative_cutoff": 0.0,
    },
}


def load_preset(name: str) -> Policy:
    return replace(Policy(), preset=name).with_values(PRESETS[name])
