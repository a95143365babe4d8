"""
What goes without saying: whoever knows that somebody is vegetarian need not be told that they eat no meat.

The table is small on purpose. It holds ways of living that say outright what is refused, in English and Portuguese,
and allergies, which say it of whatever they are about. Anything else in either sentence, somebody else's diet or a
food that the table does not know, and nothing follows.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from recollect.consolidation.similarity.statement import Statement, language_of, read


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_PORK = _words("pork ham bacon sausage porco presunto linguica toucinho")
_MEAT = _PORK | _words(
    "meat meats beef steak steaks chicken turkey lamb veal carne carnes bife bifes frango boi vaca peru cordeiro"
)
_FISH = _words(
    "fish seafood salmon tuna cod shrimp prawns peixe peixes salmao atum bacalhau camarao frutos mar marisco"
)
_MILK = _words("milk lactose leite")
_DAIRY = _MILK | _words(
    "dairy cheese butter yogurt yoghurt cream queijo manteiga iogurte laticinio laticinios natas"
)
_EGGS = _words("egg eggs ovo ovos honey mel")
_GLUTEN = _words("gluten wheat trigo")
_ALCOHOL = _words("alcohol beer wine vodka whisky whiskey gin rum spirits alcool alcoolica alcoolicas bebida bebidas "
                  "cerveja vinho cachaca")  # fmt: skip

#: What a food may be called besides its name.
_QUALITIES = _words(
    "red white vermelha branca animal food foods comida alimento alimentos product products produtos"
)
_VERBS = _words("eat drink like")


@dataclass(frozen=True, slots=True)
class Way:
    """A way of living: how it is called, what it refuses, and what else whoever lives so also is."""

    names: frozenset[str]
    refused: frozenset[str]
    also: frozenset[str] = frozenset()
    of: frozenset[str] = frozenset()  #: what must be named with it, if anything


_VEGETARIAN = _words("vegetarian vegetariano vegetariana")
WAYS: Mapping[str, Way] = {
    "vegan": Way(_words("vegan vegano vegana"), _MEAT | _FISH | _DAIRY | _EGGS, _VEGETARIAN),
    "vegetarian": Way(_VEGETARIAN, _MEAT | _FISH),
    "pescatarian": Way(_words("pescatarian pescetarian pescetariano pescetariana"), _MEAT),
    "coeliac": Way(_words("coeliac celiac celiaco celiaca"), _GLUTEN),
    "lactose": Way(_words("intolerant intolerante"), _MILK, of=_words("lactose")),
    "teetotal": Way(_words("teetotal teetotaler teetotaller abstemio abstemia"), _ALCOHOL),
    "halal": Way(_words("halal"), _PORK),
    "kosher": Way(_words("kosher"), _PORK),
}


_CALLED = frozenset({"allergic"}).union(*(way.names for way in WAYS.values()))


def implies(a_text: str, b_text: str) -> bool:
    """Whether the first says all that the second does, though in other words."""
    if _CALLED.isdisjoint(read(a_text, "en").words):
        return False
    language = language_of(a_text, b_text)
    a, b = read(a_text, language), read(b_text, language)
    if a.denied or not a.words or not b.words:
        return False
    return any(_follows(way, a, b) for way in WAYS.values()) or _is_allergy_to(a, b)


def _follows(way: Way, a: Statement, b: Statement) -> bool:
    called = set(a.words) - {"eat", "to"}
    if not called & way.names or called - way.names != way.of:
        return False
    if not b.denied:
        return set(b.words) <= way.also
    return _refuses(b, way.refused)


def _is_allergy_to(a: Statement, b: Statement) -> bool:
    return "allergic" in a.words and b.denied and _refuses(b, frozenset(a.words) - {"allergic"})


def _refuses(b: Statement, foods: frozenset[str]) -> bool:
    named = set(b.words) - _VERBS - _QUALITIES
    return bool(named) and named <= foods
