"""Requests for recall. Each carries its deadline, whichever entry point it came through."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from recollect.domain.candidate import PassageKey
from recollect.domain.policy import Policy
from recollect.domain.receipt import Receipt
from recollect.domain.scope import Scope


@dataclass(frozen=True, slots=True, kw_only=True)
class RecallRequest:
    """A search for the passages relevant to a query."""

    scope: Scope
    query: str
    policy: Policy
    as_of: datetime | None = None  #: search what was known and valid at that time
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
