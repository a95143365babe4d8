"""
Features of a sentence that decide whether it states something worth keeping.

Every feature has a name that can be read: the word classes of `sentence_vocabulary`, the form of the sentence (length,
question, numbers, names, code signs), combinations of both ("first_person&preference") and its place in the message. A feature
is present or absent, or a share between 0 and 1.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from recollect.extraction.gates import MessageGate
from recollect.extraction.sentence_units import SentenceUnit, Token
from recollect.extraction.sentence_vocabulary import VOCABULARIES

_ASSIGNMENT = re.compile(r"\w=\S|\w\(\S*\)|(?<!\S)--?\w")
_CODE_SIGNS = frozenset("{}();=<>[]\\|$`/_")
#: Upper bounds of the sentence lengths that have a feature each, in words.
_LENGTH_BOUNDS = (3, 6, 10, 16, 25, 40)
#: Word classes that are read together with the person of the sentence.
_PERSONAL_CLASSES = (
    "past perfect future month weekday relative_date transient habit since health diet work home possess identity preference goal "
    "decision event emotion smalltalk task tech money hobby ended negation hedge other_person"
).split()
_SPECIFIC_CLASSES = (
    "health",
    "work",
    "home",
    "event",
    "decision",
    "preference",
    "goal",
    "emotion",
    "identity",
    "possess",
    "tech",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class SentenceContext:
    """What the message says about all its sentences."""

    language: str
    gate: MessageGate | None = None
    rule_spans: Sequence[tuple[int, int, str]] = ()  #: start, end and kind of the facts that the rules found
    is_short: bool = False  #: the message has one or two sentences


@dataclass(frozen=True, slots=True, kw_only=True)
class SentenceFeatures:
    values: Mapping[str, float]
    classes: frozenset[str] = field(default_factory=frozenset)


def message_features(units: Sequence[SentenceUnit], context: SentenceContext) -> list[SentenceFeatures]:
    """Return the features of all sentences of a message."""
    classes = [_word_classes(unit, context.language) for unit in units]
    return [
        SentenceFeatures(
            values=dict(_features(units, index, classes, context)), classes=frozenset(classes[index])
        )
        for index in range(len(units))
    ]


def _word_classes(unit: SentenceUnit, language: str) -> dict[str, int]:
    """Return the word classes of a sentence with the position of their first word."""
    vocabulary = VOCABULARIES[language]
    positions: dict[str, int] = {}
    for position in range(len(unit.words)):
        for name in vocabulary.classes_at(unit.words, position):
            positions.setdefault(name, position)
    return positions


def _features(
    units: Sequence[SentenceUnit],
    index: int,
    all_classes: Sequence[Mapping[str, int]],
    context: SentenceContext,
) -> Iterator[tuple[str, float]]:
    unit, classes = units[index], all_classes[index]
    for name in classes:
        yield name, 1.0
    yield from ((name, 1.0) for name in _form_features(unit, classes))
    yield from ((name, 1.0) for name in _combinations(unit, classes))
    yield from ((name, 1.0) for name in _context_features(units, index, all_classes, context))


def _form_features(unit: SentenceUnit, classes: Mapping[str, int]) -> Iterator[str]:
    words, tokens = unit.words, unit.tokens
    bound = next((bound for bound in _LENGTH_BOUNDS if len(words) <= bound), None)
    yield f"length<={bound}" if bound else "length>40"
    if unit.is_question:
        yield "question"
    if "!" in unit.terminator:
        yield "exclamation"
    if unit.terminator.startswith(":"):
        yield "announces"
    for name in (
        "question_word",
        "imperative",
        "request",
        "first_person",
        "first_possessive",
        "other_person",
        "deictic",
        "hypothetical",
        "conditional",
        "filler",
        "negation",
    ):
        if classes.get(name, 9) <= (
            1 if name in {"first_person", "request", "first_possessive", "hypothetical"} else 0
        ):
            yield f"starts_with_{name}"
    names = sum(_is_name(token, position) for position, token in enumerate(tokens))
    if names:
        yield "name"
    if names > 1:
        yield "names"
    digits = [token for token in tokens if token.text[0].isdecimal()]
    if digits:
        yield "number"
    if len(digits) > 1:
        yield "numbers"
    if any(
        any(letter.isdecimal() for letter in token.text) and any(letter.isalpha() for letter in token.text)
        for token in tokens
    ):
        yield "alphanumeric"
    if any("." in token.text.strip(".") and not token.text[0].isdecimal() for token in tokens):
        yield "dotted_name"
    if 10 * sum(letter in _CODE_SIGNS for letter in unit.text) > len(unit.text):
        yield "code_signs"
    if _ASSIGNMENT.search(unit.text):
        yield "assignment"
    if any(token.text.isupper() and len(token.text) > 1 for token in tokens):
        yield "acronym"
    if "  " in unit.text:
        yield "quotation"


def _is_name(token: Token, position: int) -> bool:
    return position > 0 and token.text[0].isupper() and token.fold not in {"i", "i'm", "i've", "i'd", "i'll"}


def _combinations(unit: SentenceUnit, classes: Mapping[str, int]) -> Iterator[str]:
    person = _person(classes)
    yield f"person={person}"
    for name in _PERSONAL_CLASSES:
        if name in classes:
            yield f"{person}&{name}"
    has_date = bool({"month", "weekday", "relative_date"} & classes.keys())
    has_number = any(token.text[0].isdecimal() for token in unit.tokens)
    if has_date:
        yield "date"
        yield f"{person}&date"
    if has_date and has_number:
        yield "date&number"
    if has_number and "health" in classes:
        yield "health&number"
    if has_number and "money" in classes:
        yield "money&number"
    if "unit" in classes and has_number:
        yield "unit&number"
    has_name = any(_is_name(token, position) for position, token in enumerate(unit.tokens))
    if "kin" in classes and has_name:
        yield "kin&name"
    if (
        "first_possessive" in classes
        and "kin" in classes
        and 0 < classes["kin"] - classes["first_possessive"] <= 3
    ):
        yield "my_kin"
    if "first_possessive" in classes and "role_person" in classes:
        yield "my_role_person"
        if has_name:
            yield "my_role_person&name"
    asks = bool({"request", "imperative"} & classes.keys()) or unit.is_question
    if asks:
        yield "asks"
        for name in ("standing", "task", "code", "first_possessive", "kin", "preference", "negation"):
            if name in classes:
                yield f"asks&{name}"
        if not unit.is_question and "standing" in classes:
            yield "order&standing"
        if not unit.is_question and "standing_order" in classes:
            yield "order&standing_order"
    elif "standing" in classes:
        yield "statement&standing"
    if not asks and "task" in classes:
        yield "statement&task"
    specific = sum(name in classes for name in _SPECIFIC_CLASSES)
    yield f"specific={min(specific, 3)}"
    if not asks:
        yield f"statement&specific={min(specific, 3)}"
    if unit.is_question and person == "first":
        yield "question&first"


def _person(classes: Mapping[str, int]) -> str:
    """Return whose state the sentence is about, by its first subject."""
    first = min(classes.get("first_person", 99), classes.get("first_possessive", 99))
    kin = min(classes.get("kin", 99), classes.get("pet", 99)) if "first_possessive" in classes else 99
    stranger = classes.get("stranger", 99)
    other = classes.get("other_person", 99)
    second = classes.get("second_person", 99)
    subject = min(first, stranger, other, second)
    if subject == 99:
        return "kin" if "kin" in classes else "none"
    if subject == first:
        return "kin" if kin <= first + 3 else "first"
    if subject == stranger:
        return "stranger"
    return "second" if subject == second else "other"


def _context_features(
    units: Sequence[SentenceUnit],
    index: int,
    all_classes: Sequence[Mapping[str, int]],
    context: SentenceContext,
) -> Iterator[str]:
    unit, classes = units[index], all_classes[index]
    if index == 0:
        yield "first_sentence"
    if index == len(units) - 1:
        yield "last_sentence"
    yield "short_message" if context.is_short else "long_message"
    if context.gate:
        yield "gate"
        yield f"gate={context.gate.kind}"
    if index:
        before = all_classes[index - 1]
        person_before = _person(before)
        yield f"before={person_before}"
        if (
            "other_person" in classes
            and classes["other_person"] <= 1
            and {"kin", "pet", "role_person"} & before.keys()
        ):
            yield "continues_kin"
        if "stranger" in before and "other_person" in classes:
            yield "continues_stranger"
        if units[index - 1].is_question:
            yield "after_question"
        if "memory" in before:
            yield "after_memory"
    kinds = {kind for start, end, kind in context.rule_spans if start < unit.end and unit.start < end}
    if kinds:
        yield "rule"
        yield from (f"rule={kind}" for kind in kinds)
