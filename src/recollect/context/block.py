"""Assemble the memory block: select what fits the budget, render it, and report every candidate."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from recollect.context.budget import (
    EMPTY_REASON,
    BlockPiece,
    Tier,
    TierIndex,
    TokenBudget,
    add_pieces,
    finalize,
    measure_piece,
    subset,
)
from recollect.context.formats import BlockRenderer, create_renderer
from recollect.context.sections import MESSAGE_SOURCES
from recollect.context.tiers import CandidateKey, find_redundant, order_code_first
from recollect.domain.candidate import ScoredCandidate
from recollect.domain.context import ContextBlock, Tiers
from recollect.domain.policy import ContextPolicy
from recollect.domain.reason import Reason, ReasonCode
from recollect.domain.receipt import Disposition, ReceiptItem
from recollect.text.identifiers import looks_like_code


@dataclass(frozen=True, slots=True, kw_only=True)
class Selection:
    """Selected pieces, and for each candidate its cost and the reason if it was left out."""

    budget: TokenBudget
    text: str
    tokens: int
    costs: Sequence[int]
    reasons: Mapping[int, Reason]


def assemble(
    tiers: Tiers,
    *,
    query: str,
    policy: ContextPolicy,
    code_first: bool,
    nonce: str,
    recent_keys: Collection[CandidateKey] = frozenset(),
) -> ContextBlock:
    """
    Return the memory block for a query, never above the policy's budget.

    Every candidate becomes one receipt item, in the given order, injected or left out with a reason. `recent_keys`
    are passages that were injected recently and are not repeated.
    """
    ranks = list(range(len(tiers.candidates)))
    if code_first and looks_like_code(query):
        ranks = order_code_first(tiers.candidates)
    ordered_tiers = replace(tiers, candidates=tuple(tiers.candidates[rank] for rank in ranks))
    selection = select_pieces(ordered_tiers, create_renderer(policy, nonce), policy, recent_keys)
    items = {
        rank: _receipt_item(selection, position, ordered_tiers.candidates[position])
        for position, rank in enumerate(ranks)
    }
    return ContextBlock(
        text=selection.text,
        tokens=selection.tokens,
        items=tuple(items[rank] for rank in sorted(items)),
        tiers=subset(ordered_tiers, selection.budget.included),
        notes=tuple(_omission_notes(ordered_tiers, selection.budget.omissions)),
    )


def select_pieces(
    tiers: Tiers, renderer: BlockRenderer, policy: ContextPolicy, recent_keys: Collection[CandidateKey]
) -> Selection:
    """
    Spend the budget in order: context files, profile, session summary, recent messages, recalled passages, and last the
    summaries of earlier messages, which are many and worth least each.
    """

    def measure(tier: Tier, positions: Iterable[int]) -> list[BlockPiece]:
        return [measure_piece(tiers, (tier, place), renderer) for place in positions]

    budget = TokenBudget(remaining_tokens=policy.budget - renderer.frame_tokens)
    budget = add_pieces(budget, measure("contexts", range(len(tiers.context_files))), renderer)
    budget = add_pieces(budget, measure("profile", range(bool(tiers.profile))), renderer)
    budget = add_pieces(budget, measure("working", range(bool(tiers.working_summary))), renderer)
    recalled_pieces = measure("recalled", range(len(tiers.candidates)))
    # A gap in the conversation would mislead: from the newest message backwards, the first that does not fit ends it.
    recent_pieces = measure("buffer", reversed(range(len(tiers.recent_messages))))
    reserve = _recall_reserve(recalled_pieces, renderer, int(budget.remaining_tokens * policy.recall_share))
    budget = add_pieces(budget, recent_pieces, renderer, overflow="stop", reserve=reserve)
    reasons = find_redundant(
        tiers.candidates,
        tiers=subset(tiers, budget.included),
        recent_keys=recent_keys,
        text_of=renderer.format.text_of,
    )
    needed_pieces = (piece for piece in recalled_pieces if piece.index[1] not in reasons)
    budget = add_pieces(budget, needed_pieces, renderer, overflow=policy.overflow)
    budget = add_pieces(budget, measure("local", _unshown_local_positions(tiers, budget.included)), renderer)
    budget, text, tokens = finalize(budget, tiers, renderer, policy.budget)
    omissions = {place: reason for (tier, place), reason in budget.omissions.items() if tier == "recalled"}
    costs = [piece.tokens for piece in recalled_pieces]
    return Selection(budget=budget, text=text, tokens=tokens, costs=costs, reasons={**reasons, **omissions})


def _recall_reserve(pieces: Sequence[BlockPiece], renderer: BlockRenderer, max_tokens: int) -> int:
    """Return the tokens reserved for recalled passages: what they need, up to their share of the budget."""
    headings = sum(map(renderer.heading_tokens, {piece.heading for piece in pieces}))
    return min(sum(piece.tokens for piece in pieces) + headings, max(max_tokens, 0))


def _unshown_local_positions(tiers: Tiers, included: Collection[TierIndex]) -> list[int]:
    """Return earlier messages that no recalled passage shows, by importance, then newest first."""
    candidates = (r.candidate for r in subset(tiers, included).candidates)
    shown_messages = {c.parent_id or c.id for c in candidates if c.source in MESSAGE_SOURCES}
    positions = (
        place for place, message in enumerate(tiers.earlier_messages) if message.id not in shown_messages
    )
    return sorted(positions, key=lambda place: (-(tiers.earlier_messages[place].importance or 0), -place))


def _receipt_item(selection: Selection, position: int, scored: ScoredCandidate) -> ReceiptItem:
    candidate, reason = scored.candidate, selection.reasons.get(position)
    return ReceiptItem(
        source=candidate.source,
        id=candidate.id,
        text=candidate.text,
        disposition=Disposition.LEFT_OUT if reason else Disposition.INJECTED,
        score=scored.score,
        parts=scored.parts,
        tokens=selection.costs[position],
        created_at=candidate.created_at,
        version=candidate.version,
        chat=candidate.chat,
        role=candidate.role,
        kind=candidate.kind,
        reason=reason,
        cosine=candidate.dense,
    )


def _omission_notes(tiers: Tiers, omissions: Mapping[TierIndex, Reason]) -> Iterator[Reason]:
    over_budget = {place: reason for place, reason in omissions.items() if reason != EMPTY_REASON}
    for (tier, place), reason in over_budget.items():
        if tier == "contexts":
            name = tiers.context_files[place].name
            yield Reason(ReasonCode.CONTEXT_FILE_OVER_BUDGET, {"name": name, **reason.params})
        elif tier == "profile":
            yield Reason(ReasonCode.PROFILE_OVER_BUDGET, reason.params)
        elif tier == "working":
            yield Reason(ReasonCode.SUMMARY_OVER_BUDGET, reason.params)
    for tier, code in (
        ("buffer", ReasonCode.RECENT_MESSAGES_OVER_BUDGET),
        ("local", ReasonCode.EARLIER_SUMMARIES_OVER_BUDGET),
    ):
        count = sum(1 for place in over_budget if place[0] == tier)
        if count:
            yield Reason(code, {"count": count})
