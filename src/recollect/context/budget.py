"""Spend the token budget on whole things, in order, and say what had no room."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Literal

from recollect.context.formats import Form
from recollect.domain.context import Tiers
from recollect.text.tokens import estimate

Tier = Literal["contexts", "profile", "working", "buffer", "recalled", "local"]
Place = tuple[Tier, int]

BLANK = "no visible text"
AFTER = "after the first passage over budget"


@dataclass(frozen=True, slots=True, kw_only=True)
class Wish:
    """Something that would like to be shown: whole, or not at all."""

    place: Place
    heading: str  #: paid for by the first thing below it
    tokens: int  #: what it costs below its heading; 0 when nothing of it can be seen


@dataclass(frozen=True, slots=True, kw_only=True)
class Basket:
    """What was taken so far, what was refused and why, and what is left to spend."""

    room: int
    taken: tuple[Place, ...] = ()
    refused: Mapping[Place, str] = field(default_factory=dict)
    headings: frozenset[str] = frozenset()


def pick(tiers: Tiers, places: Iterable[Place]) -> Tiers:
    """The tiers with only these places, in the order they had."""
    wanted = sorted(places)
    return Tiers(
        contexts=tuple(tiers.contexts[i] for tier, i in wanted if tier == "contexts"),
        profile=tiers.profile if ("profile", 0) in wanted else None,
        working=tiers.working if ("working", 0) in wanted else None,
        buffer=tuple(tiers.buffer[i] for tier, i in wanted if tier == "buffer"),
        recalled=tuple(tiers.recalled[i] for tier, i in wanted if tier == "recalled"),
        local=tuple(tiers.local[i] for tier, i in wanted if tier == "local"),
    )


def wish(tiers: Tiers, place: Place, form: Form) -> Wish:
    """What showing one thing would cost, measured on the text it becomes."""
    sections = form.sections(pick(tiers, [place]))
    if not sections:
        return Wish(place=place, heading="", tokens=0)
    [section] = sections
    return Wish(
        place=place,
        heading=section.heading,
        tokens=max(form.measure(section.gap.join([*section.entries, ""])), 1),
    )


def fill(
    basket: Basket,
    wishes: Iterable[Wish],
    form: Form,
    *,
    overflow: Literal["skip", "stop"] = "skip",
    reserve: int = 0,
) -> Basket:
    """Grant wishes in order while there is room beyond the reserve; try smaller ones, or stop."""
    taken, refused = list(basket.taken), dict(basket.refused)
    headings, room = set(basket.headings), basket.room - reserve
    stopped = False
    for want in wishes:
        price = want.tokens + (0 if want.heading in headings else form.heading_tokens(want.heading))
        if not want.tokens:
            refused[want.place] = BLANK
        elif stopped:
            refused[want.place] = AFTER
        elif price <= room:
            taken.append(want.place)
            headings.add(want.heading)
            room -= price
        else:
            stopped = overflow == "stop"
            refused[want.place] = over(price, room)
    return Basket(room=room + reserve, taken=tuple(taken), refused=refused, headings=frozenset(headings))


def settle(basket: Basket, tiers: Tiers, form: Form, budget: int) -> tuple[Basket, str, int]:
    """Weigh the finished text, and take the last things out again while its tokens are over the budget."""
    while basket.taken:
        text = form.render(pick(tiers, basket.taken))
        tokens = estimate(text)
        if tokens <= budget:
            return basket, text, tokens
        *kept, last = basket.taken
        needs = wish(tiers, last, form).tokens
        refused = {**basket.refused, last: over(needs, needs - (tokens - budget))}
        basket = replace(basket, taken=tuple(kept), refused=refused)
    text = form.render(Tiers())
    tokens = estimate(text)
    return (basket, text, tokens) if tokens <= budget else (basket, "", 0)


def over(needs: int, left: int) -> str:
    return f"over budget (needs {needs}, {max(left, 0)} left)"
