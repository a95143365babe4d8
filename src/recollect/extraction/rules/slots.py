"""Fill single-valued attributes (slots): where a person lives, which database a project uses."""

from collections.abc import Sequence
from itertools import takewhile

from recollect.domain.memory import Kind
from recollect.extraction.rules.grammar import Grammar, SubjectType
from recollect.extraction.rules.lexicon import (
    CANONICAL_FAVOURITES,
    CANONICAL_RELATIONS,
    TECHNOLOGY_ATTRIBUTES,
)
from recollect.extraction.rules.matcher import MessageContext, RuleMatch
from recollect.extraction.rules.phrasing import original_text
from recollect.extraction.rules.tokens import Word

_MAX_NAME_WORDS = 3
_MAX_VALUE_WORDS = 8
_INSTEAD_WORDS = frozenset({"instead", "over", "rather", "vez", "inves", "ao"})
_TIME_WORDS = frozenset(
    """
    last this next since yesterday today ago two three four five six ten a an few some in on at for now recently earlier
    ontem hoje ha faz desde semana mes ano passada passado em no na este esta neste nesta agora recentemente
    """.split()
)
_DESTINATION_WORDS = frozenset({"to", "para", "pra", "pro"})


def fill_slot(
    match: RuleMatch, object_words: Sequence[Word], context: MessageContext
) -> tuple[str | None, str | None]:
    """Return the attribute and its value; the value also fills the {x} of the rule's template."""
    attribute, value = _resolve_slot(match, object_words, context)
    if attribute is None or not match.label or attribute.startswith("project."):
        return attribute, value
    return f"{_slot_owner(match)}.{attribute}", value


def _slot_owner(match: RuleMatch) -> str:
    """Return the name of the person if it is given, else the canonical relation, the same in both languages."""
    folds = [word.fold.removesuffix("'s") for word in match.label]
    if match.subject is SubjectType.THING:
        return " ".join(folds)
    names = [fold for fold, word in zip(folds, match.label, strict=True) if word.is_capitalized]
    return names[0] if names else CANONICAL_RELATIONS.get(folds[0], folds[0])


def _resolve_slot(
    match: RuleMatch, object_words: Sequence[Word], context: MessageContext
) -> tuple[str | None, str | None]:
    prose, grammar, attribute = context.prose, context.grammar, match.rule.attribute
    if attribute is None:
        return _infer_slot(match, object_words, context)
    if attribute == "favourite":
        return _favourite_slot((*match.head, *object_words), prose, grammar)
    is_slot = attribute != "job" or "as" in _folded_words(match.head) or _is_trade(object_words, grammar)
    return attribute if is_slot else None, _slot_value(attribute, match, object_words, context)


def _infer_slot(
    match: RuleMatch, object_words: Sequence[Word], context: MessageContext
) -> tuple[str | None, str | None]:
    if match.rule.kind is Kind.DECISION and match.subject is SubjectType.ORDER:
        answer_language = find_answer_language((*match.head, *object_words), context.grammar)
        return ("language_of_answers", answer_language) if answer_language else (None, None)
    return (
        _technology_slot(object_words)
        if match.rule.kind is Kind.DECISION
        else (None, _full_value(object_words, context.prose))
    )


def _slot_value(
    attribute: str, match: RuleMatch, object_words: Sequence[Word], context: MessageContext
) -> str | None:
    match attribute:
        case "name" | "called":
            name = parse_name(object_words, context.grammar)
            return (
                original_text(name, context.prose)
                if name
                else _short_value(object_words, context.prose, context.grammar)
            )
        case "age":
            return next((word.text for word in (*match.head, *object_words) if word.is_number), None)
        case "diet":
            return (
                match.head[-1].text
                if match.rule.bare
                else _short_value(object_words, context.prose, context.grammar)
            )
        case "birthday" | "deadline":
            return _full_value(object_words, context.prose)
        case "lives_in":
            return _short_value(_strip_time(_destination(object_words)), context.prose, context.grammar)
        case _:
            return _short_value(object_words, context.prose, context.grammar)


def _folded_words(words: Sequence[Word]) -> frozenset[str]:
    return frozenset(word.fold for word in words)


def _is_trade(object_words: Sequence[Word], grammar: Grammar) -> bool:
    """Return whether the words name an occupation; "a single mother" and "a keen hiker" do not."""
    phrase = _folded_words([*takewhile(lambda word: word.fold not in grammar.value_end_words, object_words)])
    return bool(phrase & grammar.trades) and not phrase & grammar.kin


def find_answer_language(words: Sequence[Word], grammar: Grammar) -> str | None:
    """Return the grammar in which an order asks the assistant to answer, or None."""
    if not any(word.fold in grammar.reply_verbs for word in words):
        return None
    return next((word.text for word in words if word.fold in grammar.answer_languages), None)


def _full_value(words: Sequence[Word], prose: str) -> str | None:
    return original_text(words[: 2 * _MAX_VALUE_WORDS], prose) if words else None


def _destination(words: Sequence[Word]) -> Sequence[Word]:
    """Return the words after "to": in "from Leeds to York" the second place is the residence."""
    return words[next((i + 1 for i, word in enumerate(words[:-1]) if word.fold in _DESTINATION_WORDS), 0) :]


def _strip_time(words: Sequence[Word]) -> Sequence[Word]:
    """Return a place without the date of the move."""
    end = next(
        (i for i, word in enumerate(words) if i and (word.fold in _TIME_WORDS or word.is_number)),
        len(words),
    )
    return words[:end]


def _short_value(words: Sequence[Word], prose: str, grammar: Grammar) -> str | None:
    rest = list(words)
    while rest and rest[0].fold in grammar.articles:
        rest = rest[1:]
    end = next(
        (i for i, word in enumerate(rest) if i and word.fold in grammar.value_end_words),
        len(rest),
    )
    value_words = rest[: min(end, _MAX_VALUE_WORDS)]
    return original_text(value_words, prose) if value_words else None


def parse_name(words: Sequence[Word], grammar: Grammar) -> list[Word]:
    """Return the name at the start of the words; a lower-case name only if it is the only word."""
    rest = list(words)
    while rest and rest[0].fold in grammar.articles and not rest[0].is_capitalized:
        rest = rest[1:]
    if not rest or rest[0].fold in grammar.not_names or not rest[0].text[0].isalpha():
        return []
    name = []
    for word in rest[:_MAX_NAME_WORDS]:
        if not word.is_capitalized or word.fold in grammar.not_names:
            break
        name.append(word)
    return name or (rest if len(rest) == 1 else [])


def _favourite_slot(words: Sequence[Word], prose: str, grammar: Grammar) -> tuple[str | None, str | None]:
    nouns, rest = _split_favourite(words, grammar)
    key = "_".join(
        CANONICAL_FAVOURITES.get(word.fold, word.fold)
        for word in nouns
        if word.fold not in grammar.favourite_words
    )
    return f"favourite_{key}" if key else None, _full_value(rest, prose)


def _split_favourite(words: Sequence[Word], grammar: Grammar) -> tuple[list[Word], Sequence[Word]]:
    position = next(
        (position for position, word in enumerate(words) if word.fold in grammar.copulas), len(words)
    )
    ignored_words = grammar.possessives | grammar.articles
    return [word for word in words[:position] if word.fold not in ignored_words], words[position + 1 :]


def format_favourite(words: Sequence[Word], value: str, prose: str, grammar: Grammar) -> str:
    """Return "favourite colour: teal", in the user's own words and word order."""
    nouns, _ = _split_favourite(words, grammar)
    return f"{original_text(nouns, prose).lower()}: {value}"


def _technology_slot(object_words: Sequence[Word]) -> tuple[str | None, str | None]:
    words = list(object_words)
    end = next((i for i, word in enumerate(words) if word.fold in _INSTEAD_WORDS), len(words))
    start = next((i for i, word in enumerate(words[:end]) if word.fold in _DESTINATION_WORDS and i), 0)
    for attribute, names in TECHNOLOGY_ATTRIBUTES:
        technologies = [word for word in words[start:end] if word.fold in names]
        if len(technologies) == 1:
            return attribute, technologies[0].text
    return None, None
