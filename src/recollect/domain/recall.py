"""Requests for recall and their results. A request carries its deadline, whichever entry point it came through."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime

from recollect.domain.candidate import PassageKey
from recollect.domain.metadata import MetadataFilter
from recollect.domain.policy import Policy
from recollect.domain.reason import Reason
from recollect.domain.receipt import Receipt, ReceiptItem
from recollect.domain.scope import Scope


@dataclass(frozen=True, slots=True, kw_only=True)
class RecallRequest:
    """A search for the passages relevant to a query."""

    scope: Scope
    query: str
    policy: Policy
    as_of: datetime | None = None  #: search what was known and valid at that time
    metadata: MetadataFilter = ()  #: only messages and memories with these values
    deadline_ms: int | None = None  #: recall then uses what is ready; 0: never; None: the policy's deadline
    save_receipt: bool = True  #: False for previews and searches while typing


@dataclass(frozen=True, slots=True, kw_only=True)
class ContextBlockRequest:
    """A context block for the next prompt."""

    scope: Scope
    query: str
    policy: Policy
    deadline_ms: int | None = None  #: recall then uses what is ready; 0: never; None: the policy's deadline
    context_ids: Sequence[str] = ()  #: context files besides those attached to the chat
    fallback: Sequence[str] = ()  #: texts that are used if nothing is recalled
    visible_ids: frozenset[str] = frozenset()  #: messages that the prompt contains verbatim
    already_shown: frozenset[PassageKey] = frozenset()  #: passages in earlier blocks of the prompt


@dataclass(frozen=True, slots=True, kw_only=True)
class ContextResult:
    """The receipt with the context block, and the passages in the block."""

    receipt: Receipt
    shown_keys: frozenset[PassageKey] = frozenset()
    is_late: bool = False  #: whether nothing was recalled because of the deadline

    @property
    def text(self) -> str:
        """The memory block for the prompt; empty if nothing is relevant."""
        return self.receipt.text

    @property
    def tokens(self) -> int:
        return self.receipt.tokens


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchResults:
    """The passages relevant to a query, best first, and the receipt with all candidates."""

    receipt: Receipt
    is_receipt_stored: bool = True

    @property
    def results(self) -> tuple[ReceiptItem, ...]:
        return self.receipt.used_items

    @property
    def degradations(self) -> tuple[Reason, ...]:
        """What failed or was skipped; empty if nothing."""
        return self.receipt.degradations

    def __iter__(self) -> Iterator[ReceiptItem]:
        return iter(self.results)

    def __len__(self) -> int:
        return len(self.results)
