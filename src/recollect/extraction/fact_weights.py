"""Weight of a fact: what a wrong answer without it would cost, from 0 to 1."""

from collections.abc import Set as AbstractSet

from recollect.domain.memory import Kind

#: Weights up to 0.7 are context, above are critical.
_WEIGHT_BY_KIND = {
    Kind.BIOGRAPHY: 0.6,
    Kind.PREFERENCE: 0.55,
    Kind.EMOTION: 0.5,
    Kind.GOAL: 0.55,
    Kind.EVENT: 0.5,
    Kind.DECISION: 0.6,
    Kind.NOTE: 0.4,
}
_HEALTH_WEIGHT = 0.9
_STANDING_WEIGHT = 0.8
_IDENTITY_WEIGHT = 0.75
_DOUBT_PENALTY = 0.1


def weigh_statement(text: str, kind: Kind, classes: AbstractSet[str], probability: float) -> float:
    """Return the weight of a statement of the sentence classifier."""
    weight = _WEIGHT_BY_KIND[kind]
    if ("health" in classes and any(letter.isdecimal() for letter in text)) or (
        "diet" in classes and "negation" in classes
    ):
        weight = _HEALTH_WEIGHT
    elif kind in {Kind.PREFERENCE, Kind.DECISION} and "standing" in classes:
        weight = _STANDING_WEIGHT
    elif "nickname" in classes or ("kin" in classes and kind is Kind.BIOGRAPHY):
        weight = _IDENTITY_WEIGHT
    return round(weight - (_DOUBT_PENALTY if probability < 0.7 else 0.0), 2)
