"""
Token budget: greedy selection of whole pieces in priority order, then a check of the rendered text.

A piece is one context file, profile, summary, message or recalled passage. It is included whole or not at all.

1. `measure_piece` renders each piece alone, in the format of the block, and counts the tokens it adds. The first piece
   under a heading also pays for the heading.
2. `add_pieces` walks the pieces of a tier in order. A piece that does not fit is omitted with a reason; then smaller
   ones are tried (`skip`) or the tier ends (`stop`). `reserve` tokens are left for later tiers.
3. `finalize` renders the block and removes the last pieces while its token count exceeds the budget, since tokens of
   parts do not add up exactly to the tokens of the whole.

Invariants: the text never exceeds the budget, frame and headings included; if even the empty frame is too large, it is
empty. Every piece is in `included` or in `omissions`. Greedy, not optimal (that is a knapsack problem): the best-ranked
passage goes first. O(n) renderings of one piece, and one rendering of the block per removed piece.

Example: 50 tokens left, heading 5, pieces of 20, 40 and 15 tokens. The first costs 25, the second is omitted with
`over_budget (needed=40, available=25)`, the third fits; with `stop` it is omitted as well.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Literal

from recollect.context.formats import BlockRenderer
from recollect.domain.context import Tiers
from recollect.domain.reason import Reason, ReasonCode
from recollect.text.tokens import estimate_tokens

Tier = Literal["contexts", "profile", "working", "buffer", "recalled", "local"]
TierIndex = tuple[Tier, int]

EMPTY_REASON = Reason(ReasonCode.NO_VISIBLE_TEXT)
AFTER_OVERFLOW_REASON = Reason(ReasonCode.AFTER_OVERFLOW)


@dataclass(frozen=True, slots=True, kw_only=True)
class BlockPiece:
    """A part of the block that is included whole or not at all."""

    index: TierIndex
    heading: str  #: its tokens are charged to the first piece below it
    tokens: int  #: cost without the heading; 0 if nothing of it is visible


@dataclass(frozen=True, slots=True, kw_only=True)
class TokenBudget:
    """Included pieces, omitted pieces with reasons, and the remaining tokens."""

    remaining_tokens: int
    included: tuple[TierIndex, ...] = ()
    omissions: Mapping[TierIndex, Reason] = field(default_factory=dict)
    headings: frozenset[str] = frozenset()


def subset(tiers: Tiers, indexes: Iterable[TierIndex]) -> Tiers:
    """Return the tiers with only the given entries, in their original order."""
    ordered_indexes = sorted(indexes)
    return Tiers(
        context_files=tuple(tiers.context_files[i] for tier, i in ordered_indexes if tier == "contexts"),
        profile=tiers.profile if ("profile", 0) in ordered_indexes else None,
        working_summary=tiers.working_summary if ("working", 0) in ordered_indexes else None,
        recent_messages=tuple(tiers.recent_messages[i] for tier, i in ordered_indexes if tier == "buffer"),
        candidates=tuple(tiers.candidates[i] for tier, i in ordered_indexes if tier == "recalled"),
        earlier_messages=tuple(tiers.earlier_messages[i] for tier, i in ordered_indexes if tier == "local"),
    )


def measure_piece(tiers: Tiers, index: TierIndex, renderer: BlockRenderer) -> BlockPiece:
    """Return the cost of one piece, measured on its rendered text."""
    sections = renderer.sections(subset(tiers, [index]))
    if not sections:
        return BlockPiece(index=index, heading="", tokens=0)
    [section] = sections
    return BlockPiece(
        index=index,
        heading=section.heading,
        tokens=max(renderer.count_added_tokens(section.separator.join([*section.entries, ""])), 1),
    )


def add_pieces(
    budget: TokenBudget,
    pieces: Iterable[BlockPiece],
    renderer: BlockRenderer,
    *,
    overflow: Literal["skip", "stop"] = "skip",
    reserve: int = 0,
) -> TokenBudget:
    """Include pieces in order while they fit without the reserve; on overflow skip the piece or stop."""
    included, omissions = list(budget.included), dict(budget.omissions)
    headings, available_tokens = set(budget.headings), budget.remaining_tokens - reserve
    is_stopped = False
    for piece in pieces:
        cost = piece.tokens + (0 if piece.heading in headings else renderer.heading_tokens(piece.heading))
        if not piece.tokens:
            omissions[piece.index] = EMPTY_REASON
        elif is_stopped:
            omissions[piece.index] = AFTER_OVERFLOW_REASON
        elif cost <= available_tokens:
            included.append(piece.index)
            headings.add(piece.heading)
            available_tokens -= cost
        else:
            is_stopped = overflow == "stop"
            omissions[piece.index] = over_budget_reason(cost, available_tokens)
    return TokenBudget(
        remaining_tokens=available_tokens + reserve,
        included=tuple(included),
        omissions=omissions,
        headings=frozenset(headings),
    )


def finalize(
    budget: TokenBudget, tiers: Tiers, renderer: BlockRenderer, max_tokens: int
) -> tuple[TokenBudget, str, int]:
    """Render the block and remove the last pieces while its tokens exceed the budget."""
    while budget.included:
        text = renderer.render(subset(tiers, budget.included))
        tokens = estimate_tokens(text)
        if tokens <= max_tokens:
            return budget, text, tokens
        *remaining, last = budget.included
        needed_tokens = measure_piece(tiers, last, renderer).tokens
        omissions = {
            **budget.omissions,
            last: over_budget_reason(needed_tokens, needed_tokens - (tokens - max_tokens)),
        }
        budget = replace(budget, included=tuple(remaining), omissions=omissions)
    text = renderer.render(Tiers())
    tokens = estimate_tokens(text)
    return (budget, text, tokens) if tokens <= max_tokens else (budget, "", 0)


def over_budget_reason(needed_tokens: int, available_tokens: int) -> Reason:
    return Reason(ReasonCode.OVER_BUDGET, {"needed": needed_tokens, "available": max(available_tokens, 0)})
