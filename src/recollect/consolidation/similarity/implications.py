"""
Implications between facts: "is vegetarian" implies "eats no meat".

The table is small on purpose. It lists diets with the foods they exclude, in English and Portuguese; an allergy
excludes the food it names. If either statement contains any other word, such as a food that is not in the table,
nothing is implied.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from recollect.consolidation.similarity.statement import Statement, parse_statement, shared_language


def _word_set(text: str) -> frozenset[str]:
    return frozenset(text.split())


_PORK_WORDS = _word_set("pork ham bacon sausage porco presunto linguica toucinho")
_MEAT_WORDS = _PORK_WORDS | _word_set(
    "meat meats beef steak steaks chicken turkey lamb veal carne carnes bife bifes frango boi vaca peru cordeiro"
)
_FISH_WORDS = _word_set(
    "fish seafood salmon tuna cod shrimp prawns peixe peixes salmao atum bacalhau camarao frutos mar marisco"
)
_MILK_WORDS = _word_set("milk lactose leite")
_DAIRY_WORDS = _MILK_WORDS | _word_set(
    "dairy cheese butter yogurt yoghurt cream queijo manteiga iogurte laticinio laticinios natas"
)
_EGG_WORDS = _word_set("egg eggs ovo ovos honey mel")
_GLUTEN_WORDS = _word_set("gluten wheat trigo")
_ALCOHOL_WORDS = _word_set(
    "alcohol beer wine vodka whisky whiskey gin rum spirits"
    " alcool alcoolica alcoolicas bebida bebidas cerveja vinho cachaca"
)

#: Words that may qualify a food without changing which food it is.
_FOOD_QUALIFIERS = _word_set(
    "red white vermelha branca animal food foods comida alimento alimentos product products produtos"
)
_CONSUMPTION_VERBS = _word_set("eat drink like")


@dataclass(frozen=True, slots=True)
class DietaryRule:
    """A diet: its names, the foods it excludes, and the names of diets that it implies."""

    names: frozenset[str]
    refused_foods: frozenset[str]
    implied_names: frozenset[str] = frozenset()
    required_words: frozenset[str] = frozenset()  #: words that must accompany the name


_VEGETARIAN_NAMES = _word_set("vegetarian vegetariano vegetariana")
DIETARY_RULES: Mapping[str, DietaryRule] = {
    "vegan": DietaryRule(
        _word_set("vegan vegano vegana"),
        _MEAT_WORDS | _FISH_WORDS | _DAIRY_WORDS | _EGG_WORDS,
        _VEGETARIAN_NAMES,
    ),
    "vegetarian": DietaryRule(_VEGETARIAN_NAMES, _MEAT_WORDS | _FISH_WORDS),
    "pescatarian": DietaryRule(_word_set("pescatarian pescetarian pescetariano pescetariana"), _MEAT_WORDS),
    "coeliac": DietaryRule(_word_set("coeliac celiac celiaco celiaca"), _GLUTEN_WORDS),
    "lactose": DietaryRule(
        _word_set("intolerant intolerante"), _MILK_WORDS, required_words=_word_set("lactose")
    ),
    "teetotal": DietaryRule(_word_set("teetotal teetotaler teetotaller abstemio abstemia"), _ALCOHOL_WORDS),
    "halal": DietaryRule(_word_set("halal"), _PORK_WORDS),
    "kosher": DietaryRule(_word_set("kosher"), _PORK_WORDS),
}


_DIET_NAMES = frozenset({"allergic"}).union(*(rule.names for rule in DIETARY_RULES.values()))


def implies(a_text: str, b_text: str) -> bool:
    """Whether the first text implies the second."""
    if _DIET_NAMES.isdisjoint(parse_statement(a_text, "en").words):
        return False
    language = shared_language(a_text, b_text)
    a, b = parse_statement(a_text, language), parse_statement(b_text, language)
    if a.is_negated or not a.words or not b.words:
        return False
    return any(_is_implied_by_rule(rule, a, b) for rule in DIETARY_RULES.values()) or _is_allergy_to(a, b)


def _is_implied_by_rule(rule: DietaryRule, a: Statement, b: Statement) -> bool:
    diet_words = set(a.words) - {"eat", "to"}
    if not diet_words & rule.names or diet_words - rule.names != rule.required_words:
        return False
    if not b.is_negated:
        return set(b.words) <= rule.implied_names
    return _refuses(b, rule.refused_foods)


def _is_allergy_to(a: Statement, b: Statement) -> bool:
    return "allergic" in a.words and b.is_negated and _refuses(b, frozenset(a.words) - {"allergic"})


def _refuses(statement: Statement, foods: frozenset[str]) -> bool:
    refused_words = set(statement.words) - _CONSUMPTION_VERBS - _FOOD_QUALIFIERS
    return bool(refused_words) and refused_words <= foods
