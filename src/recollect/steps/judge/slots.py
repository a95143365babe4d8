"""Fill the slots that hold one value at a time: where somebody lives, what a project stores its data in."""

from collections.abc import Sequence

from recollect.model.memory import Kind
from recollect.steps.judge.grammar import Language
from recollect.steps.judge.lexicon import FAVOURITES, SLOTS
from recollect.steps.judge.retell import plain
from recollect.steps.judge.rulebook import Rule
from recollect.steps.judge.words import Word

_NAME_WORDS = 3
_VALUE_WORDS = 8
_INSTEAD = frozenset({"instead", "over", "rather", "vez", "inves", "ao"})
_TOWARDS = frozenset({"to", "para", "pra", "pro"})


def slot(
    rule: Rule,
    label: Sequence[Word],
    head: Sequence[Word],
    obj: Sequence[Word],
    shown: str,
    language: Language,
) -> tuple[str | None, str | None]:
    """Return the attribute and its value; the value also fills the {x} of a rule's own wording."""
    attribute, value = _filled(rule, head, obj, shown, language)
    if attribute and label:
        whose = label[0].fold.removesuffix("'s")
        attribute = attribute if attribute.startswith("project.") else f"{whose}.{attribute}"
    return attribute, value


def _filled(
    rule: Rule, head: Sequence[Word], obj: Sequence[Word], shown: str, language: Language
) -> tuple[str | None, str | None]:
    match rule.attribute:
        case None:
            return _technology(obj, shown) if rule.kind is Kind.DEC else (None, _all(obj, shown))
        case "name" | "called":
            name = name_in(obj, language)
            return rule.attribute, plain(name, shown) if name else _value(obj, shown, language)
        case "age":
            number = next((word.text for word in (*head, *obj) if word.fold.isdecimal()), None)
            return rule.attribute, number
        case "diet":
            return rule.attribute, head[-1].text if rule.bare else _value(obj, shown, language)
        case "favourite":
            return _favourite((*head, *obj), shown, language)
        case "birthday" | "from_number":
            return rule.attribute, _all(obj, shown)
        case attribute:
            return attribute, _value(obj, shown, language)


def _all(words: Sequence[Word], shown: str) -> str | None:
    return plain(words[: 2 * _VALUE_WORDS], shown) if words else None


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


def _technology(obj: Sequence[Word], shown: str) -> tuple[str | None, str | None]:
    words = list(obj)
    end = next((place for place, word in enumerate(words) if word.fold in _INSTEAD), len(words))
    start = next((place for place, word in enumerate(words[:end]) if word.fold in _TOWARDS and place), 0)
    for attribute, names in SLOTS:
        found = [word for word in words[start:end] if word.fold in names]
        if len(found) == 1:
            return attribute, found[0].text
    return None, _all(obj, shown)
