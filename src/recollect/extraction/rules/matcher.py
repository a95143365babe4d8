"""Find the rule that a clause fits."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime

from recollect.domain.memory import Kind
from recollect.extraction.rules.grammar import Language, Subject
from recollect.extraction.rules.rule_index import Rule
from recollect.extraction.rules.tokens import Word


@dataclass(frozen=True, slots=True, kw_only=True)
class Told:
    """What is needed to retell a message."""

    shown: str
    said_at: datetime
    language: Language


@dataclass(frozen=True, slots=True, kw_only=True)
class Match:
    rule: Rule
    subject: Subject
    label: tuple[Word, ...]
    words: tuple[Word, ...]  #: the clause, as it will be retold
    head: tuple[Word, ...]  #: what the pattern took
    object: tuple[Word, ...]
    ended: bool = False


def matched(subject: Subject, label: tuple[Word, ...], words: tuple[Word, ...], told: Told) -> Match | None:
    bare, ended = without_ending(words, told.language)
    language = told.language
    words = _light(words, language.adverbs)
    bare = _light(bare, language.adverbs | language.emphasis)
    for rule, end in _fitting(subject, bare, language):
        if ended and rule.kind in {Kind.EVT, Kind.EMO, Kind.OBJ}:
            continue
        if subject is Subject.NAMED and rule.attribute and not ended:
            # Where a stranger lives is nothing to keep; that somebody moved away may end what is known.
            continue
        return Match(
            rule=rule,
            subject=subject,
            label=label,
            words=words,
            head=bare[:end],
            object=bare[end:],
            ended=ended,
        )
    return None


def _light(words: tuple[Word, ...], light: frozenset[str]) -> tuple[Word, ...]:
    """Without the light words around the verb; behind it they may mean something: "right now"."""
    return tuple(word for place, word in enumerate(words) if place >= 4 or word.fold not in light)


def _fitting(subject: Subject, words: Sequence[Word], language: Language) -> Iterator[tuple[Rule, int]]:
    """Rules that fit, with where their pattern ends; most leave the pronoun out."""
    said = bool(words) and words[0].fold in language.pronouns
    for start in range(1 + said):
        if start >= len(words):
            return
        for rule in language.books[subject].for_word(words[start]):
            end = rule.pattern.end(words, start)
            if end is not None and _fits(rule, words[end:], language):
                yield rule, end


def _fits(rule: Rule, rest: Sequence[Word], language: Language) -> bool:
    if not rule.bare and all(word.fold in language.stops for word in rest):
        return False
    if rest and not rule.bare and language.signs.pointing.starts(rest):
        return False
    return rule.needs is None or rule.needs(rest)


def without_ending(words: tuple[Word, ...], language: Language) -> tuple[tuple[Word, ...], bool]:
    """Take "no longer" and "not … any more" out, so that the rule for the plain statement fits."""
    signs = language.signs
    for place in range(min(len(words), 3)):
        if length := signs.no_longer.at(words, place):
            return words[:place] + words[place + length :], True
    negation = next((place for place, word in enumerate(words[:3]) if word.fold in language.negations), None)
    over = next((place for place in range(len(words)) if signs.over.at(words, place)), None)
    if negation is None or over is None or over < negation:
        return words, False
    gone = {negation, *range(over, over + signs.over.at(words, over))}
    if negation and words[negation - 1].fold in {"do", "does"}:
        gone.add(negation - 1)
    return tuple(word for place, word in enumerate(words) if place not in gone), True
