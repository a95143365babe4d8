"""Spend the token budget on whole things, in order, and say what had no room."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Literal

from recollect.context.formats import BlockRenderer
from recollect.domain.context import Tiers
from recollect.text.tokens import estimate_tokens

Tier = Literal["contexts", "profile", "working", "buffer", "recalled", "local"]
TierIndex = tuple[Tier, int]

EMPTY_REASON = "no visible text"
AFTER_OVERFLOW_REASON = "after the first passage over budget"


@dataclass(frozen=True, slots=True, kw_only=True)
class BlockPiece:
    """Something that would like to be shown: whole, or not at all."""

    index: TierIndex
    heading: str  #: paid for by the first thing below it
    tokens: int  #: what it costs below its heading; 0 when nothing of it can be seen


@dataclass(frozen=True, slots=True, kw_only=True)
class TokenBudget:
    """What was taken so far, what was refused and why, and what is left to spend."""

    remaining_tokens: int
    included: tuple[TierIndex, ...] = ()
    omissions: Mapping[TierIndex, str] = field(default_factory=dict)
    headings: frozenset[str] = frozenset()


def subset(tiers: Tiers, indexes: Iterable[TierIndex]) -> Tiers:
    """The tiers with only these places, in the order they had."""
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
    """What showing one thing would cost, measured on the text it becomes."""
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
    """Grant wishes in order while there is room beyond the reserve; try smaller ones, or stop."""
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
    basket: TokenBudget, tiers: Tiers, renderer: BlockRenderer, max_tokens: int
) -> tuple[TokenBudget, str, int]:
    """Weigh the finished text, and take the last things out again while its tokens are over the budget."""
    while basket.included:
        text = renderer.render(subset(tiers, basket.included))
        tokens = estimate_tokens(text)
        if tokens <= max_tokens:
            return basket, text, tokens
        *remaining, last = basket.included
        needed_tokens = measure_piece(tiers, last, renderer).tokens
        omissions = {
            **basket.omissions,
            last: over_budget_reason(needed_tokens, needed_tokens - (tokens - max_tokens)),
        }
        basket = replace(basket, included=tuple(remaining), omissions=omissions)
    text = renderer.render(Tiers())
    tokens = estimate_tokens(text)
    return (basket, text, tokens) if tokens <= max_tokens else (basket, "", 0)


def over_budget_reason(needed_tokens: int, available_tokens: int) -> str:
    return f"over budget (needs {needed_tokens}, {max(available_tokens, 0)} left)"
