"""The result of extraction: a message's importance, type, summary and facts."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from recollect.domain.embedding_model import EmbeddingModel
from recollect.domain.memory import Kind
from recollect.domain.message import Message, MessageType
from recollect.domain.reason import Reason
from recollect.domain.summary import ContextFile


@dataclass(frozen=True, slots=True, kw_only=True)
class Fact:
    """A short statement in the third person, with the span of the message that supports it."""

    text: str
    kind: Kind
    weight: float  #: 0 to 1
    start: int  #: start of the span in the message, in characters
    end: int
    attribute: str | None = None  #: single-valued attribute ("lives_in", "name", "diet")
    value: str | None = None  #: the attribute's value
    negated: bool = False  #: the value no longer holds ("not vegetarian any more")
    valid_from: datetime | None = None  #: when it became true, if the message says so
    quarantine_reason: Reason | None = None  #: why the user must review the fact before it is recalled


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelUsage:
    """Model calls and tokens, as the model counts them."""

    calls: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0

    def __add__(self, other: "ModelUsage") -> "ModelUsage":
        return ModelUsage(
            calls=self.calls + other.calls,
            prompt_tokens=self.prompt_tokens + other.prompt_tokens,
            completion_tokens=self.completion_tokens + other.completion_tokens,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Extraction:
    """The extractor's result for one message. Importance 0 means trivial: nothing is learned."""

    importance: int
    message_type: MessageType = MessageType.CHAT
    summary: str | None = None  #: one sentence
    facts: tuple[Fact, ...] = ()
    quarantined_facts: tuple[Fact, ...] = ()  #: facts that failed validation, each with its reason
    reasons: tuple[Reason, ...] = ()  #: which extractor ran, why nothing was learned, what was left out
    model: str | None = None  #: None if the rules extracted it
    usage: ModelUsage = field(
        default_factory=ModelUsage
    )  #: a call about several messages counts for the first


@dataclass(frozen=True, slots=True, kw_only=True)
class LearningContext:
    """What the store has that learning from messages depends on."""

    messages: Sequence[Message] = ()  #: those of the messages that exist, in order
    #: Messages that are older than a source of any memory: their facts are learned out of order.
    late_ids: frozenset[str] = frozenset()
    consents: Mapping[str, bool] = field(default_factory=dict)
    forgotten_at: Mapping[str, datetime] = field(default_factory=dict)  #: by the hashes of forgotten facts
    context_files: Sequence[ContextFile] = ()  #: only if requested
    embedding_model: EmbeddingModel | None = (
        None  #: that the user's vectors belong to; None before re-embedding
    )
