"""From what may be shown to the block of text that is, with an account of every recollection."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from recollect.context.budget import BLANK, Basket, Place, Tier, Wish, fill, pick, settle, wish
from recollect.context.formats import Form, form
from recollect.context.sections import SPOKEN
from recollect.context.tiers import Key, code_chunks_first, needless
from recollect.domain.candidate import Recollection
from recollect.domain.context import Block, Tiers
from recollect.domain.policy import Assemble
from recollect.domain.receipt import Fate, Item
from recollect.text.identifiers import looks_like_code


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice:
    """What goes in, and for each recollection what it would cost and why it is not there."""

    basket: Basket
    text: str
    tokens: int
    costs: Sequence[int]
    reasons: Mapping[int, str]


def assemble(
    tiers: Tiers,
    *,
    question: str,
    policy: Assemble,
    code_first: bool,
    nonce: str,
    already: Collection[Key] = frozenset(),
) -> Block:
    """
    The memory block for a question, never above the policy's budget.

    Every recollection comes back as one item, in the order given, injected or left out with a reason.
    `already` names what was injected a moment ago and need not be said again.
    """
    order = list(range(len(tiers.recalled)))
    if code_first and looks_like_code(question):
        order = code_chunks_first(tiers.recalled)
    ordered = replace(tiers, recalled=tuple(tiers.recalled[rank] for rank in order))
    choice = choose(ordered, form(policy, nonce), policy, already)
    items = {rank: _item(choice, place, ordered.recalled[place]) for place, rank in enumerate(order)}
    return Block(
        text=choice.text,
        tokens=choice.tokens,
        items=tuple(items[rank] for rank in sorted(items)),
        shown=pick(ordered, choice.basket.taken),
        notes=tuple(_notes(ordered, choice.basket.refused)),
    )


def choose(tiers: Tiers, shape: Form, policy: Assemble, already: Collection[Key]) -> Choice:
    """
    Spend the budget: files, profile and session summary, then the conversation, then recollections, then
    earlier summaries, which are many and worth least by the piece.
    """

    def wishes(tier: Tier, places: Iterable[int]) -> list[Wish]:
        return [wish(tiers, (tier, place), shape) for place in places]

    basket = Basket(room=policy.budget - shape.frame_tokens)
    basket = fill(basket, wishes("contexts", range(len(tiers.contexts))), shape)
    basket = fill(basket, wishes("profile", range(bool(tiers.profile))), shape)
    basket = fill(basket, wishes("working", range(bool(tiers.working))), shape)
    recalled = wishes("recalled", range(len(tiers.recalled)))
    # A gap in the conversation would mislead, so the newest message that is too large ends it.
    newest_first = wishes("buffer", reversed(range(len(tiers.buffer))))
    reserve = _reserve(recalled, shape, int(basket.room * policy.recall_share))
    basket = fill(basket, newest_first, shape, overflow="stop", reserve=reserve)
    reasons = needless(
        tiers.recalled, shown=pick(tiers, basket.taken), already=already, says=shape.format.says
    )
    needed = (w for w in recalled if w.place[1] not in reasons)
    basket = fill(basket, needed, shape, overflow=policy.overflow)
    basket = fill(basket, wishes("local", _untold(tiers, basket.taken)), shape)
    basket, text, tokens = settle(basket, tiers, shape, policy.budget)
    refused = {place: reason for (tier, place), reason in basket.refused.items() if tier == "recalled"}
    costs = [w.tokens for w in recalled]
    return Choice(basket=basket, text=text, tokens=tokens, costs=costs, reasons={**reasons, **refused})


def _reserve(recalled: Sequence[Wish], shape: Form, most: int) -> int:
    """What recollections need, up to their share: neither they nor the conversation starve the other."""
    headings = sum(map(shape.heading_tokens, {w.heading for w in recalled}))
    return min(sum(w.tokens for w in recalled) + headings, max(most, 0))


def _untold(tiers: Tiers, taken: Collection[Place]) -> list[int]:
    """Earlier messages that no recollection shows already, the most important and then the newest first."""
    candidates = (r.candidate for r in pick(tiers, taken).recalled)
    told = {c.parent or c.id for c in candidates if c.source in SPOKEN}
    places = (place for place, message in enumerate(tiers.local) if message.id not in told)
    return sorted(places, key=lambda place: (-(tiers.local[place].importance or 0), -place))


def _item(choice: Choice, place: int, recollection: Recollection) -> Item:
    candidate, reason = recollection.candidate, choice.reasons.get(place)
    return Item(
        source=candidate.source,
        id=candidate.id,
        text=candidate.text,
        fate=Fate.LEFT_OUT if reason else Fate.INJECTED,
        score=recollection.score,
        parts=recollection.parts,
        tokens=choice.costs[place],
        created_at=candidate.created_at,
        chat=candidate.chat,
        role=candidate.role,
        kind=candidate.kind,
        reason=reason,
        cosine=candidate.dense,
    )


def _notes(tiers: Tiers, refused: Mapping[Place, str]) -> Iterator[str]:
    roomless = {place: reason for place, reason in refused.items() if reason != BLANK}
    for (tier, place), reason in roomless.items():
        if tier == "contexts":
            yield f"context file {tiers.contexts[place].name}: {reason}"
        elif tier == "profile":
            yield f"profile: {reason}"
        elif tier == "working":
            yield f"session summary: {reason}"
    for tier, what in (("buffer", "recent messages"), ("local", "earlier summaries")):
        number = sum(1 for place in roomless if place[0] == tier)
        if number:
            yield f"no room for {number} {what}"
