"""
Features of a sentence that decide whether it states something worth keeping.

Every feature has a name that can be read: the word classes of `sentence_vocabulary`, the form of the sentence
(length,
question, numbers, names, code signs), combinations of both ("first_person&preference") and its place in the
message. A feature
is present or absent, or a share between 0 and 1.
"""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from recollect.extraction.gates import MessageGate
from recollect.extraction.sentence_predicate import predicate
from recollect.extraction.sentence_units import SentenceUnit, Token
from recollect.extraction.sentence_vocabulary import SENTENCE_VOCABULARIES

_ASSIGNMENT = re.compile(r"\w=\S|\w\(\S*\)|(?<!\S)--?\w")
_CODE_SIGNS = frozenset("{}();=<>[]\\|$`/_")
_RELATION_CLASSES = frozenset({"kin", "pet"})
#: Words between a possessive and its relation: "her late husband".
_MAX_OWNER_GAP = 2
_THIRD_PERSON_POSSESSIVES = frozenset({"his", "her", "their"})
_THIRD_PERSON_OWNERS = frozenset({"dele", "dela", "deles", "delas"})
#: Portuguese verbs need no pronoun. "Sei", "lei" and "rei" are shorter than what is looked at.
_FIRST_PERSON_ENDINGS = ("ei", "amos", "emos", "imos")
#: A clause that says why something is asked for.
_REASON_STARTS = re.compile(
    r"(?:because|cause|cos|since|as|so (?:that|i)|that'?s how|otherwise|or (?:else )?i|for i|i|i'm|i've|we|my|our"
    r"|porque|pq|pois|que|senão|senao|assim|eu|meu|minha|a gente)\b",
    re.IGNORECASE,
)
_LATE_REASON = re.compile(
    r"\w (?:because|cos|otherwise|so that i|porque|pq|pois|senão|já que) |\w que (?:eu|aqui|a gente|n[ãa]o|meu|minha) ",
    re.IGNORECASE,
)
#: Upper bounds of the sentence lengths that have a feature each, in words.
_LENGTH_BOUNDS = (3, 6, 10, 16, 25, 40)
#: Word classes that are read together with the person of the sentence.
_PERSONAL_CLASSES = (
    "past perfect future month weekday relative_date transient habit since health diet work home possess "
    "identity preference goal "
    "decision event emotion smalltalk task tech money hobby ended negation hedge other_person"
).split()
#: Word classes that a sentence may open with: the last position of their first word that counts as the opening.
_OPENING_CLASSES = {
    "question_word": 0, "imperative": 0, "other_person": 0, "deictic": 0, "conditional": 0, "filler": 0, "negation": 0,
    "first_person": 1, "request": 1, "first_possessive": 1, "hypothetical": 1,
}  # fmt: skip
_REQUEST_CLASSES = (
    "standing",
    "replies",
    "task",
    "code",
    "first_possessive",
    "kin",
    "preference",
    "negation",
)
#: Word classes about a text or a role that is not the user's own; they count for all sentences of a message.
_MESSAGE_CLASSES = frozenset({"text_work", "foreign_text", "play", "case_study"})
#: A message with more sentences for each cue is about something else: a long one mentions stories and scenarios, too.
_MAX_SENTENCES_PER_CUE = 12
_OPENING_REQUEST_CLASSES = ("text_work", "foreign_text", "task", "play")
#: So many statements among five sentences in a row are taken for a text or a story.
_MIN_RUN_SENTENCES = 4
#: Words between a possessive and its relation: "my two little daughters".
_MAX_GAP = 3
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
    words: tuple[str, ...] = ()  #: folded
    continues_relation: bool = False  #: "he's a carpenter" after a sentence about the user's brother
    is_beside_text: bool = False  #: the message is about a text or a role that may not be the user's
    classes: frozenset[str] = field(default_factory=frozenset)


@dataclass(frozen=True, slots=True, kw_only=True)
class _MessageClasses:
    classes: frozenset[str]  #: what the whole message says about the text that it may contain
    asks: Sequence[bool]  #: of each sentence, whether it is a question, a request or an order


def message_features(units: Sequence[SentenceUnit], context: SentenceContext) -> list[SentenceFeatures]:
    """Return the features of all sentences of a message."""
    classes = [_word_classes(unit, context.language) for unit in units]
    message = _read_message(units, classes)
    return [
        SentenceFeatures(
            values=dict(_features(units, index, classes, context, message)),
            words=units[index].words,
            continues_relation=continues_relation(classes, index),
            is_beside_text=not _MESSAGE_CLASSES.isdisjoint(message.classes),
            classes=frozenset(classes[index]),
        )
        for index in range(len(units))
    ]


def _word_classes(unit: SentenceUnit, language: str) -> dict[str, int]:
    """Return the word classes of a sentence with the position of their first word."""
    vocabulary = SENTENCE_VOCABULARIES[language]
    positions: dict[str, int] = {}
    known_words = vocabulary.max_words_by_first
    for position, word in enumerate(unit.words):
        if word in known_words or word.endswith("'s"):
            for name in vocabulary.classes_at(unit.words, position):
                if name == "imperative" and not _opens_clause(unit, position, positions):
                    # "I keep crying" orders nothing.
                    continue
                is_kin = name in _RELATION_CLASSES
                positions.setdefault(
                    "other_kin" if is_kin and _is_of_another(unit.words, position) else name, position
                )
        if language == "pt" and _is_first_person_verb(word):
            positions.setdefault("first_person", position)
            positions.setdefault("past", position)
    return positions


def _opens_clause(unit: SentenceUnit, position: int, classes: Mapping[str, int]) -> bool:
    """Return whether a word is the first of its clause, fillers aside."""
    if position == 0 or {"filler", "request"} & {
        name for name, place in classes.items() if place == position - 1
    }:
        return True
    token = unit.tokens[position]
    return unit.text[: token.start - unit.start].rstrip().endswith((",", ":", ";"))


def _is_of_another(words: Sequence[str], position: int) -> bool:
    """Return whether a relation is somebody else's: "her husband", "a mulher dele"."""
    before = words[max(0, position - _MAX_OWNER_GAP) : position]
    return not _THIRD_PERSON_POSSESSIVES.isdisjoint(before) or not _THIRD_PERSON_OWNERS.isdisjoint(
        words[position + 1 : position + 2]
    )


def _is_first_person_verb(word: str) -> bool:
    """Return whether a Portuguese word has an ending of the first person only: "terminei", "decidimos"."""
    return len(word) > 4 and word.endswith(_FIRST_PERSON_ENDINGS)


def _features(
    units: Sequence[SentenceUnit],
    index: int,
    all_classes: Sequence[Mapping[str, int]],
    context: SentenceContext,
    message: _MessageClasses,
) -> Iterator[tuple[str, float]]:
    unit, classes = units[index], all_classes[index]
    yield f"predicate={predicate(unit.words, context.language)}", 1.0
    yield from ((name, 1.0) for name in _place_features(units, index, all_classes, message))
    for name in classes:
        yield name, 1.0
    yield from ((name, 1.0) for name in _form_features(unit, classes))
    person = "kin" if continues_relation(all_classes, index) else _person(classes)
    yield from ((name, 1.0) for name in _combinations(unit, classes, person))
    yield from ((name, 1.0) for name in _context_features(units, index, all_classes, context))


def _read_message(units: Sequence[SentenceUnit], all_classes: Sequence[Mapping[str, int]]) -> _MessageClasses:
    asks = [
        unit.is_question or "request" in classes or "imperative" in classes
        for unit, classes in zip(units, all_classes, strict=True)
    ]
    counts = Counter(
        name
        for is_asking, classes in zip(asks, all_classes, strict=True)
        for name in _MESSAGE_CLASSES & classes.keys()
        if name != "text_work" or is_asking
    )
    found = {name for name, count in counts.items() if count * _MAX_SENTENCES_PER_CUE >= len(units)}
    if len(found) > 1:
        found.add("foreign")
    if sum(unit.text[0].islower() for unit in units) * 2 > len(units):
        found.add("lower_case")
    return _MessageClasses(classes=frozenset(found), asks=asks)


def _place_features(
    units: Sequence[SentenceUnit],
    index: int,
    all_classes: Sequence[Mapping[str, int]],
    message: _MessageClasses,
) -> Iterator[str]:
    """Yield features of the sentence's place in the message: a text to work on follows its request."""
    yield from (f"message:{name}" for name in message.classes)
    if "lower_case" in message.classes and units[index].text[0].isupper():
        yield "case_differs"
    if not index or message.asks[index]:
        return
    is_run = message.asks[max(1, index - 2) : index + 3].count(False) >= _MIN_RUN_SENTENCES
    if is_run:
        yield "in_run"
    if message.asks[0]:
        yield "after_opening_request"
        yield from (f"opening_request&{name}" for name in _OPENING_REQUEST_CLASSES if name in all_classes[0])
        if is_run:
            yield "opening_request&in_run"


def _form_features(unit: SentenceUnit, classes: Mapping[str, int]) -> Iterator[str]:
    bound = next((bound for bound in _LENGTH_BOUNDS if len(unit.words) <= bound), None)
    yield f"length<={bound}" if bound else "length>40"
    yield from (
        f"starts_with_{name}"
        for name, position in _OPENING_CLASSES.items()
        if classes.get(name, 9) <= position
    )
    tokens = unit.tokens
    names = sum(_is_name(token, position) for position, token in enumerate(tokens))
    digits = sum(token.text[0].isdecimal() for token in tokens)
    signs = sum(letter in _CODE_SIGNS for letter in unit.text)
    present = {
        "question": unit.is_question,
        "exclamation": "!" in unit.terminator,
        "announces": unit.terminator.startswith(":"),
        "name": names > 0,
        "names": names > 1,
        "number": digits > 0,
        "numbers": digits > 1,
        "alphanumeric": any(_is_alphanumeric(token.text) for token in tokens),
        "dotted_name": any("." in token.text and not token.text[0].isdecimal() for token in tokens),
        "code_signs": 10 * signs > len(unit.text),
        "assignment": _ASSIGNMENT.search(unit.text) is not None,
        "acronym": any(token.text.isupper() and len(token.text) > 1 for token in tokens),
        "quotation": "  " in unit.text,
    }
    yield from (name for name, is_present in present.items() if is_present)


def _is_alphanumeric(text: str) -> bool:
    return any(map(str.isdecimal, text)) and any(map(str.isalpha, text))


def _is_name(token: Token, position: int) -> bool:
    return position > 0 and token.text[0].isupper() and token.fold not in {"i", "i'm", "i've", "i'd", "i'll"}


def continues_relation(all_classes: Sequence[Mapping[str, int]], index: int) -> bool:
    """Return whether a sentence begins with "he" or "she" after one about the user's family, pet or colleague."""
    if not index or all_classes[index].get("other_person", 9) > 1:
        return False
    before = all_classes[index - 1]
    return "first_possessive" in before and bool({"kin", "pet", "role_person"} & before.keys())


def _combinations(unit: SentenceUnit, classes: Mapping[str, int], person: str) -> Iterator[str]:
    yield f"person={person}"
    yield from (f"{person}&{name}" for name in _PERSONAL_CLASSES if name in classes)
    yield from _specific_details(unit, classes, person)
    asks = bool({"request", "imperative"} & classes.keys()) or unit.is_question
    specific = min(sum(name in classes for name in _SPECIFIC_CLASSES), 3)
    yield f"specific={specific}"
    if asks:
        yield "asks"
        if not unit.is_question and _gives_reason(unit):
            yield "order&reason"
        yield from (f"asks&{name}" for name in _REQUEST_CLASSES if name in classes)
        if not unit.is_question:
            yield from (f"order&{name}" for name in ("standing", "standing_order") if name in classes)
        elif person == "first":
            yield "question&first"
        return
    yield f"statement&specific={specific}"
    yield from (f"statement&{name}" for name in ("standing", "task") if name in classes)


def _gives_reason(unit: SentenceUnit) -> bool:
    """Return whether an order says why: "big letters, I see badly", "escreve sem abreviar que cliente não entende"."""
    return (
        any(_REASON_STARTS.match(clause.text) is not None for clause in unit.clauses()[1:])
        or _LATE_REASON.search(unit.text) is not None
    )


def _specific_details(unit: SentenceUnit, classes: Mapping[str, int], person: str) -> Iterator[str]:
    has_date = bool({"month", "weekday", "relative_date"} & classes.keys())
    has_number = any(token.text[0].isdecimal() for token in unit.tokens)
    has_name = any(_is_name(token, position) for position, token in enumerate(unit.tokens))
    is_owned = "first_possessive" in classes
    present = {
        "date": has_date,
        f"{person}&date": has_date,
        "date&number": has_date and has_number,
        "health&number": has_number and "health" in classes,
        "money&number": has_number and "money" in classes,
        "unit&number": has_number and "unit" in classes,
        "kin&name": has_name and "kin" in classes,
        "my_kin": is_owned
        and "kin" in classes
        and 0 < classes["kin"] - classes["first_possessive"] <= _MAX_GAP,
        "my_role_person": is_owned and "role_person" in classes,
        "my_role_person&name": is_owned and has_name and "role_person" in classes,
    }
    yield from (name for name, is_present in present.items() if is_present)


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
