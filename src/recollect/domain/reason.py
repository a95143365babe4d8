"""
Typed reasons: why something was left out, kept, degraded, refused or failed.

A reason is a code with parameters. It is stored as data; `serialization/reasons.py` renders its text in a language.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TypeAlias

ReasonParam: TypeAlias = str | int | float


class ReasonCode(StrEnum):
    # Why a candidate is left out of a prompt or of search results.
    IN_CONVERSATION = "in_conversation"
    OTHER_TOPIC = "other_topic"
    NEIGHBOUR_ONLY = "neighbour_only"
    SHARES_NO_WORD = "shares_no_word"
    COVERED_BY_CHUNK = "covered_by_chunk"
    SAME_AS_MEMORY = "same_as_memory"
    STATES_NOTHING = "states_nothing"
    BELOW_COSINE_FLOOR = "below_cosine_floor"
    BELOW_RELEVANCE = "below_relevance"
    BELOW_CUTOFF = "below_cutoff"
    SAYS_THE_SAME = "says_the_same"
    SAME_TEXT = "same_text"
    OVER_LIMIT = "over_limit"
    OVER_MEMORY_LIMIT = "over_memory_limit"
    OVER_MESSAGE_LIMIT = "over_message_limit"
    OVER_BUDGET = "over_budget"
    AFTER_OVERFLOW = "after_overflow"
    NO_VISIBLE_TEXT = "no_visible_text"
    INJECTED_RECENTLY = "injected_recently"
    PROFILE_INCLUDED = "profile_included"
    FILE_INCLUDED = "file_included"
    # Why a memory is not recalled.
    RECALLED = "recalled"
    NOT_AMONG_HITS = "not_among_hits"
    NOT_ACTIVE = "not_active"
    # Why facts are extracted from a message or not, decided by triage.
    SYSTEM_MESSAGE = "system_message"
    TOOL_OUTPUT = "tool_output"
    TRIAGE_OFF = "triage_off"
    NOT_TRIVIAL = "not_trivial"
    KEEP_PHRASE = "keep_phrase"
    TOO_SHORT = "too_short"
    NO_WORDS = "no_words"
    LISTED_PHRASE = "listed_phrase"
    GENERAL_QUESTION = "general_question"
    TRANSLATION_REQUEST = "translation_request"
    CONVERSION_REQUEST = "conversion_request"
    GREETING = "greeting"
    SMALL_TALK = "small_talk"
    THANKS = "thanks"
    COURTESY = "courtesy"
    ACKNOWLEDGEMENT = "acknowledgement"
    RESOLVED_DOUBT = "resolved_doubt"
    FAREWELL = "farewell"
    YES_OR_NO = "yes_or_no"
    LAUGHTER = "laughter"
    WEATHER = "weather"
    SECRET_REDACTED = "secret_redacted"  # noqa: S105 - a code, not a secret
    EXTRACTION_CAPPED = "extraction_capped"
    SUMMARY_CAPPED = "summary_capped"
    # Why a message or a text is not stored.
    NOT_COLLECTING = "not_collecting"
    ALREADY_STORED = "already_stored"
    NOT_STORED = "not_stored"
    # What an extraction did with a message.
    EXTRACTED_BY_RULES = "extracted_by_rules"
    EXTRACTED_BY_MODEL = "extracted_by_model"
    NOTHING_TO_EXTRACT = "nothing_to_extract"
    NO_RULES_FOR_LANGUAGE = "no_rules_for_language"
    EXTRACTION_OFF = "extraction_off"
    ROLE_NOT_EXTRACTED = "role_not_extracted"
    INJECTED_TEXT_ONLY = "injected_text_only"
    MODEL_FOUND_NOTHING = "model_found_nothing"
    MODEL_RATED_TRIVIAL = "model_rated_trivial"
    FILE_OVER_PROMPT = "file_over_prompt"
    # Why something of a sentence is kept, or nothing.
    RULE = "rule"
    CLASSIFIER = "classifier"
    RULE_AND_CLASSIFIER = "rule_and_classifier"
    SHORT_MESSAGE = "short_message"
    NOT_WORTH_KEEPING = "not_worth_keeping"
    NO_COMPLETE_STATEMENT = "no_complete_statement"
    LETTER = "letter"
    JOKE = "joke"
    FICTION = "fiction"
    NOT_ABOUT_AUTHOR = "not_about_author"
    QUESTION = "question"
    HYPOTHETICAL = "hypothetical"
    # Why a fact of a model is discarded.
    FACT_TOO_SHORT = "fact_too_short"
    FACT_IS_YES_OR_NO = "fact_is_yes_or_no"
    FACT_IS_QUESTION = "fact_is_question"
    # Why a fact is held for review.
    NOT_IN_MESSAGE = "not_in_message"
    CONTRADICTED_BY_MESSAGE = "contradicted_by_message"
    NOT_VERIFIABLE = "not_verifiable"
    FACT_TOO_LONG = "fact_too_long"
    TOO_MANY_SENTENCES = "too_many_sentences"
    PROMPT_INJECTION = "prompt_injection"
    ONLY_QUOTED = "only_quoted"
    NO_SHARED_WORD = "no_shared_word"
    MEANING_NOT_IN_MESSAGE = "meaning_not_in_message"
    NOT_ABOUT_USER = "not_about_user"
    ABOUT_SOMEONE_ELSE = "about_someone_else"
    ONLY_ASKED = "only_asked"
    # Why nothing new is learned from a fact.
    LEARNED_ALREADY = "learned_already"
    FORGOTTEN_SINCE = "forgotten_since"
    REPEATED_BY_ASSISTANT = "repeated_by_assistant"
    IN_CONTEXT_FILE = "in_context_file"
    # Why a memory changed or is no longer active.
    CONTRADICTS = "contradicts"
    SUPERSEDED_BY = "superseded_by"
    MERGED_INTO = "merged_into"
    BY_USER = "by_user"
    REJECTED_BY_USER = "rejected_by_user"
    UNDID = "undid"
    IMPORT_UNDONE = "import_undone"
    SOURCE_CHANGED = "source_changed"
    EXPIRED = "expired"
    GOAL_DUE = "goal_due"
    TEMPORARY = "temporary"
    WEIGHT_BELOW_MINIMUM = "weight_below_minimum"
    # Why an imported item is skipped, or kept when the import is undone.
    CONFLICT_IN_REVIEW = "conflict_in_review"
    ALREADY_KNOWN = "already_known"
    FORGOTTEN_HERE = "forgotten_here"
    REMEMBERED_HERE = "remembered_here"
    UNKNOWN_CATEGORY = "unknown_category"
    CONSENT_WITHDRAWN = "consent_withdrawn"
    WOULD_ERASE_DATA = "would_erase_data"
    OPERATOR_SETTING = "operator_setting"
    INVALID_VALUE = "invalid_value"
    CHANGED_SINCE_IMPORT = "changed_since_import"
    # Why a job is not done.
    JOB_FAILED = "job_failed"
    JOB_INTERRUPTED = "job_interrupted"
    LEASE_LOST = "lease_lost"
    WITHOUT_VECTOR = "without_vector"
    # What a recall skipped.
    RECALL_OFF = "recall_off"
    NO_CONSENT = "no_consent"
    NOT_EMBEDDED = "not_embedded"
    MORE_CANDIDATES = "more_candidates"
    PROFILE_OVER_BUDGET = "profile_over_budget"
    SUMMARY_OVER_BUDGET = "summary_over_budget"
    CONTEXT_FILE_OVER_BUDGET = "context_file_over_budget"
    RECENT_MESSAGES_OVER_BUDGET = "recent_messages_over_budget"
    EARLIER_SUMMARIES_OVER_BUDGET = "earlier_summaries_over_budget"
    # What failed or was late in a recall.
    NO_EMBEDDER = "no_embedder"
    DENSE_SEARCH_FAILED = "dense_search_failed"
    DENSE_SEARCH_LATE = "dense_search_late"
    LEXICAL_SEARCH_FAILED = "lexical_search_failed"
    RECALL_LATE = "recall_late"
    TIERS_LATE = "tiers_late"
    TIERS_FAILED = "tiers_failed"
    RERANK_FAILED = "rerank_failed"
    RERANK_INCOMPLETE = "rerank_incomplete"
    RECEIPT_NOT_STORED = "receipt_not_stored"


@dataclass(frozen=True, slots=True)
class Reason:
    """A code with the parameters of its text. Text from outside, such as a provider's error, is a parameter."""

    code: ReasonCode
    params: Mapping[str, ReasonParam] = field(default_factory=dict)

    def __hash__(self) -> int:
        return hash((self.code, frozenset(self.params.items())))

    def __str__(self) -> str:
        """Return the technical form for logs and error messages: `over_budget (needed=40, available=25)`."""
        params = ", ".join(f"{name}={value}" for name, value in self.params.items())
        return f"{self.code} ({params})" if params else str(self.code)

    def to_json(self) -> list[object]:
        """Return the compact JSON value in which reasons are stored: `["over_limit", {"rank": 9, "limit": 8}]`."""
        return [self.code.value, dict(self.params)] if self.params else [self.code.value]

    @classmethod
    def from_json(cls, value: object) -> "Reason":
        """Return the reason of a JSON value; raise ValueError if it is none."""
        match value:
            case [str(code)]:
                return cls(ReasonCode(code))
            case [str(code), dict(params)] if all(
                isinstance(name, str) and isinstance(param, str | int | float)
                for name, param in params.items()
            ):
                return cls(ReasonCode(code), params)
        raise ValueError(f"{value!r} is not a reason.")
