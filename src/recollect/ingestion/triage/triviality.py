"""Recognise messages that hold nothing to remember: greetings, small talk, questions for a search engine."""

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import pairwise

from recollect.domain.message import Role
from recollect.domain.policy import Funnel
from recollect.ingestion.triage import phrases_en, phrases_pt
from recollect.ingestion.triage.phrase_matcher import Phrases, listed, words

QUESTION = "general question"
TRANSLATION = "translation request"
CONVERSION = "conversion request"
LISTED = "listed phrase"
_DEFINITION = "definition"
_NOTHING = ""

#: The most words that may follow an opening. Longer requests bring something of the speaker's with them.
_LONGEST = {QUESTION: 16, _DEFINITION: 4, TRANSLATION: 16, CONVERSION: 12}

#: Without a question mark, more words than this are a statement.
_LONGEST_UNASKED = 6

#: The letters of a laugh and the least that makes one: "he" and "já" are words.
_LAUGHS = {
    frozenset(letters): least
    for letters, least in (
        ("ha", 2),
        ("k", 2),
        ("rs", 2),
        ("lo", 3),
        ("he", 4),
        ("hi", 4),
        ("ja", 4),
        ("ks", 4),
        ("hue", 4),
        ("hsua", 6),
    )
}

# Looks back one character only, and reads each white space once.
_SENTENCE_END = re.compile(r"(?<=[.!?;…。！？])\s++|[\r\n]++")


def _word_set(*lists: str) -> frozenset[str]:
    return frozenset(word for phrases in lists for word in words(phrases))


_OWN = _word_set(phrases_en.OWN, phrases_pt.OWN)
_OWN_OR_CLOSE = _OWN | _word_set(phrases_en.CLOSE, phrases_pt.CLOSE)
_STATING = _word_set(phrases_en.STATING, phrases_pt.STATING)
_REMARKS = tuple(
    (reason, _word_set(about), _word_set(about, around))
    for language in (phrases_en, phrases_pt)
    for reason, (about, around) in language.REMARKS.items()
)
_ONE_UNIT = frozenset(tuple(words(pair)) for pair in listed(f"{phrases_en.ONE_UNIT},{phrases_pt.ONE_UNIT}"))


def trivial(text: str, role: Role, policy: Funnel) -> str | None:
    """Return why the message is trivial, or None when somebody should look at it."""
    if len(text.strip()) < policy.min_chars:
        return "too short"
    if _begins_as_listed(text, policy.trash):
        return LISTED
    reasons: list[str] = []
    for sentence in _sentences(text):
        if not (read := words(sentence)):
            continue
        reason = _reason(read, asked="?" in sentence, role=role, trash=policy.trash)
        if reason is None:
            return None
        reasons.append(reason)
    requests = [reason for reason in reasons if reason in _LONGEST]
    return next(iter(requests + reasons), "no words")


def _reason(read: Sequence[str], *, asked: bool, role: Role, trash: tuple[str, ...]) -> str | None:
    covered = _covered(read, _fillers(trash))
    if len(read) in covered:
        return covered[len(read)] or "small talk"
    if remark := _remark(read):
        return remark
    # An assistant asks about the user's affairs, not about the world.
    if role is Role.USER:
        return next(_requests(read, covered, asked=asked), None)
    return None


def _covered(read: Sequence[str], fillers: Phrases) -> dict[int, str]:
    """The places up to which there are only fillers, each with the first filler's reason."""
    covered = {0: _NOTHING}
    reach = 0
    for place, word in enumerate(read):
        if place > reach:
            break
        if place not in covered:
            continue
        ends = list(fillers.at(read, place))
        if not ends and _laughs(word):
            ends = [(place + 1, "laughter")]
        for end, reason in ends:
            covered.setdefault(end, covered[place] or reason)
            reach = max(reach, end)
    return covered


def _requests(read: Sequence[str], places: Iterable[int], *, asked: bool) -> Iterator[str]:
    for place in places:
        if place == len(read):
            continue
        for end, kind in _openings().at(read, place):
            if len(read) - end <= _LONGEST[kind] and _could_be_anybodys(kind, read[end:], asked=asked):
                yield QUESTION if kind == _DEFINITION else kind


def _could_be_anybodys(kind: str, rest: Sequence[str], *, asked: bool) -> bool:
    if kind == TRANSLATION:
        return _OWN.isdisjoint(rest)
    if not rest or not _OWN_OR_CLOSE.isdisjoint(rest):
        return False
    if kind == CONVERSION:
        return any(word[0].isdecimal() for word in rest) or not _ONE_UNIT.isdisjoint(pairwise(rest))
    return asked or (len(rest) <= _LONGEST_UNASKED and _STATING.isdisjoint(rest))


def _remark(read: Sequence[str]) -> str | None:
    return next(
        (
            reason
            for reason, about, all_of in _REMARKS
            if all_of.issuperset(read) and not about.isdisjoint(read)
        ),
        None,
    )


def _laughs(word: str) -> bool:
    return len(word) >= _LAUGHS.get(frozenset(word), len(word) + 1)


def _sentences(text: str) -> Iterator[str]:
    start = 0
    for end in _SENTENCE_END.finditer(text):
        yield text[start : end.start()]
        start = end.end()
    yield text[start:]


def _begins_as_listed(text: str, trash: tuple[str, ...]) -> bool:
    """Whether a phrase that the user ended with a star begins the message."""
    starred = tuple(phrase for phrase in trash if phrase.rstrip().endswith("*"))
    if not starred or not (read := words(text)):
        return False
    return any(_starred(starred).at(read, 0))


@lru_cache(maxsize=64)
def _starred(phrases: tuple[str, ...]) -> Phrases:
    return Phrases.labelled((phrase, LISTED) for phrase in phrases)


@lru_cache(maxsize=64)
def _fillers(trash: tuple[str, ...]) -> Phrases:
    own = ((part, LISTED) for phrase in trash for part in _sentences(phrase))
    known = (
        (phrase, reason)
        for language in (phrases_en, phrases_pt)
        for reason, phrases in language.FILLERS.items()
        for phrase in listed(phrases)
    )
    glue = ((phrase, _NOTHING) for phrase in listed(f"{phrases_en.GLUE},{phrases_pt.GLUE}"))
    return Phrases.labelled((*own, *known, *glue))


@lru_cache(maxsize=1)
def _openings() -> Phrases:
    by_kind = {
        TRANSLATION: (phrases_en.TRANSLATIONS, phrases_pt.TRANSLATIONS),
        _DEFINITION: (phrases_en.DEFINITIONS, phrases_pt.DEFINITIONS),
        CONVERSION: (phrases_en.CONVERSIONS, phrases_pt.CONVERSIONS),
        QUESTION: (phrases_en.QUESTIONS, phrases_pt.QUESTIONS),
    }
    return Phrases.labelled(
        (phrase, kind) for kind, lists in by_kind.items() for phrase in listed(",".join(lists))
    )
