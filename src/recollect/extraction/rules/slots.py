"""Fill the slots that hold one value at a time: where somebody lives, what a project stores its data in."""

from collections.abc import Sequence
from itertools import takewhile

from recollect.domain.memory import Kind
from recollect.extraction.rules.grammar import Language, Subject
from recollect.extraction.rules.lexicon import FAVOURITES, RELATIONS, SLOTS
from recollect.extraction.rules.matcher import Match, Told
from recollect.extraction.rules.phrasing import plain
from recollect.extraction.rules.tokens import Word

_NAME_WORDS = 3
_VALUE_WORDS = 8
_INSTEAD = frozenset({"instead", "over", "rather", "vez", "inves", "ao"})
_WHEN = frozenset(
    """
    last this next since yesterday today ago two three four five six ten a an few some in on at for now recently earlier
    ontem hoje ha faz desde semana mes ano passada passado em no na este esta neste nesta agora recentemente
    """.split()
)
_TOWARDS = frozenset({"to", "para", "pra", "pro"})


def slot(match: Match, obj: Sequence[Word], told: Told) -> tuple[str | None, str | None]:
    """Return the attribute and its value; the value also fills the {x} of a rule's own wording."""
    attribute, value = _filled(match, obj, told)
    if attribute is None or not match.label or attribute.startswith("project."):
        return attribute, value
    return f"{_whose(match)}.{attribute}", value


def _whose(match: Match) -> str:
    """Somebody's name if it is said, else the relation, in one word for both languages."""
    folds = [word.fold.removesuffix("'s") for word in match.label]
    if match.subject is Subject.THING:
        return " ".join(folds)
    names = [fold for fold, word in zip(folds, match.label, strict=True) if word.capital]
    return names[0] if names else RELATIONS.get(folds[0], folds[0])


def _filled(match: Match, obj: Sequence[Word], told: Told) -> tuple[str | None, str | None]:
    shown, language, attribute = told.shown, told.language, match.rule.attribute
    if attribute is None:
        return _unnamed(match, obj, told)
    if attribute == "favourite":
        return _favourite((*match.head, *obj), shown, language)
    filled = attribute != "job" or "as" in _folds(match.head) or _is_trade(obj, language)
    return attribute if filled else None, _named(attribute, match, obj, told)


def _unnamed(match: Match, obj: Sequence[Word], told: Told) -> tuple[str | None, str | None]:
    if match.rule.kind is Kind.DEC and match.subject is Subject.ORDER:
        tongue = answers_in((*match.head, *obj), told.language)
        return ("language_of_answers", tongue) if tongue else (None, None)
    return _technology(obj) if match.rule.kind is Kind.DEC else (None, _all(obj, told.shown))


def _named(attribute: str, match: Match, obj: Sequence[Word], told: Told) -> str | None:
    match attribute:
        case "name" | "called":
            name = name_in(obj, told.language)
            return plain(name, told.shown) if name else _value(obj, told.shown, told.language)
        case "age":
            return next((word.text for word in (*match.head, *obj) if word.number), None)
        case "diet":
            return match.head[-1].text if match.rule.bare else _value(obj, told.shown, told.language)
        case "birthday" | "deadline":
            return _all(obj, told.shown)
        case "lives_in":
            return _value(_without_time(_arrived(obj)), told.shown, told.language)
        case _:
            return _value(obj, told.shown, told.language)


def _folds(words: Sequence[Word]) -> frozenset[str]:
    return frozenset(word.fold for word in words)


def _is_trade(obj: Sequence[Word], language: Language) -> bool:
    """A trade takes the place of another; "a single mother" and "a keen hiker" do not."""
    phrase = _folds([*takewhile(lambda word: word.fold not in language.stops, obj)])
    return bool(phrase & language.trades) and not phrase & language.kin


def answers_in(words: Sequence[Word], language: Language) -> str | None:
    """The language that an order asks answers to be in."""
    if not any(word.fold in language.replies for word in words):
        return None
    return next((word.text for word in words if word.fold in language.tongues), None)


def _all(words: Sequence[Word], shown: str) -> str | None:
    return plain(words[: 2 * _VALUE_WORDS], shown) if words else None


def _arrived(words: Sequence[Word]) -> Sequence[Word]:
    """In "from Leeds to York" the second is where one lives."""
    return words[next((at + 1 for at, word in enumerate(words[:-1]) if word.fold in _TOWARDS), 0) :]


def _without_time(words: Sequence[Word]) -> Sequence[Word]:
    """A place without the day one moved there."""
    end = next(
        (at for at, word in enumerate(words) if at and (word.fold in _WHEN or word.number)), len(words)
    )
    return words[:end]


def _value(words: Sequence[Word], shown: str, language: Language) -> str | None:
    rest = list(words)
    while rest and rest[0].fold in language.articles:
        rest = rest[1:]
    end = next((place for place, word in enumerate(rest) if place and word.fold in language.stops), len(rest))
    kept = rest[: min(end, _VALUE_WORDS)]
    return plain(kept, shown) if kept else None


def name_in(words: Sequence[Word], language: Language) -> list[Word]:
    """The name that these words begin with; a name in small letters only when it stands alone."""
    rest = list(words)
    while rest and rest[0].fold in language.articles and not rest[0].capital:
        rest = rest[1:]
    if not rest or rest[0].fold in language.not_names or not rest[0].text[0].isalpha():
        return []
    name = []
    for word in rest[:_NAME_WORDS]:
        if not word.capital or word.fold in language.not_names:
            break
        name.append(word)
    return name or (rest if len(rest) == 1 else [])


def _favourite(words: Sequence[Word], shown: str, language: Language) -> tuple[str | None, str | None]:
    nouns, rest = _favoured(words, language)
    key = "_".join(
        FAVOURITES.get(word.fold, word.fold) for word in nouns if word.fold not in language.favourites
    )
    return f"favourite_{key}" if key else None, _all(rest, shown)


def _favoured(words: Sequence[Word], language: Language) -> tuple[list[Word], Sequence[Word]]:
    place = next((place for place, word in enumerate(words) if word.fold in language.copulas), len(words))
    skipped = language.own | language.articles
    return [word for word in words[:place] if word.fold not in skipped], words[place + 1 :]


def favourite_text(words: Sequence[Word], value: str, shown: str, language: Language) -> str:
    """Say "favourite colour: teal", in the words and the order of the speaker."""
    nouns, _ = _favoured(words, language)
    return f"{plain(nouns, shown).lower()}: {value}"


def _technology(obj: Sequence[Word]) -> tuple[str | None, str | None]:
    words = list(obj)
    end = next((place for place, word in enumerate(words) if word.fold in _INSTEAD), len(words))
    start = next((place for place, word in enumerate(words[:end]) if word.fold in _TOWARDS and place), 0)
    for attribute, names in SLOTS:
        found = [word for word in words[start:end] if word.fold in names]
        if len(found) == 1:
            return attribute, found[0].text
    return None, None
