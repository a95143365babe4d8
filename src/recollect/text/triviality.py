"""
Detect trivial messages: greetings, small talk, laughter, general questions, translation and conversion requests.

A message is trivial if it is shorter than ``min_chars``, starts with one of the user's drop phrases that end in
``*``, or if every sentence of it is trivial. A sentence is trivial if it is one of these, checked in this order:

1. a concatenation of filler phrases and connectives. `_filler_ends` computes, from left to right, all positions up
   to which the words can be covered by fillers (dynamic programming over word positions, like word-break);
2. a remark that uses only the words of one remark list;
3. for user messages: fillers followed by the opening of a request ("what is", "translate"), if few words follow and
   none of them refers to the user.

The reason of the first request is returned if there is one, else that of the first sentence; None means that the
message is not trivial. Cost: linear in the number of words; phrases are looked up by their first word.

"Hey! What is the capital of Peru?": the first sentence is the filler "hey" (greeting), the second starts with the
opening "what is" and has no personal word, so the reason is `GENERAL_QUESTION`. "What is my order status?" is not
trivial: "my" is a personal word.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import pairwise

from recollect.domain.message import Role
from recollect.domain.policy import TriagePolicy
from recollect.domain.reason import ReasonCode
from recollect.text.languages import LANGUAGES
from recollect.text.phrase_matcher import PhraseIndex, split_phrases, split_words

_DEFINITION_REQUEST = "definition"
_NO_REASON = ""

#: Maximum number of words after the opening. Longer requests usually contain something about the user.
_MAX_REQUEST_WORDS = {
    ReasonCode.GENERAL_QUESTION: 16,
    _DEFINITION_REQUEST: 4,
    ReasonCode.TRANSLATION_REQUEST: 16,
    ReasonCode.CONVERSION_REQUEST: 12,
}

#: Without a question mark, a sentence with more words after the opening counts as a statement.
_MAX_WORDS_WITHOUT_QUESTION_MARK = 6

#: Letters of a laugh and the minimum length, since "he" and "já" are words.
_MIN_LAUGH_LETTERS = {
    frozenset(letters): min_letters
    for letters, min_letters in (
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

# One character of lookbehind and a possessive quantifier: linear time.
_SENTENCE_END_PATTERN = re.compile(r"(?<=[.!?;…。！？])\s++|[\r\n]++")


def _word_set(*lists: str) -> frozenset[str]:
    return frozenset(word for phrases in lists for word in split_words(phrases))


_TRIAGE_PHRASES = tuple(language.triage for language in LANGUAGES.values())
_POSSESSIVES = _word_set(*(phrases.possessives for phrases in _TRIAGE_PHRASES))
_PERSONAL_WORDS = _POSSESSIVES | _word_set(*(phrases.personal_words for phrases in _TRIAGE_PHRASES))
_STATEMENT_VERBS = _word_set(*(phrases.statement_verbs for phrases in _TRIAGE_PHRASES))
_REMARK_WORDS = tuple(
    (reason, _word_set(required), _word_set(required, allowed))
    for phrases in _TRIAGE_PHRASES
    for reason, (required, allowed) in phrases.remarks.items()
)
_ONE_UNIT_PAIRS = frozenset(
    tuple(split_words(pair))
    for phrases in _TRIAGE_PHRASES
    for pair in split_phrases(phrases.one_unit_phrases)
)


def triviality_reason(text: str, role: Role, policy: TriagePolicy) -> ReasonCode | None:
    """Return why the message is trivial, or None if it is not."""
    if len(text.strip()) < policy.min_chars:
        return ReasonCode.TOO_SHORT
    if _starts_with_drop_phrase(text, policy.drop_phrases):
        return ReasonCode.LISTED_PHRASE
    reasons: list[str] = []
    for sentence in _split_sentences(text):
        if not (tokens := split_words(sentence)):
            continue
        reason = _sentence_reason(
            tokens, is_question="?" in sentence, role=role, drop_phrases=policy.drop_phrases
        )
        if reason is None:
            return None
        reasons.append(reason)
    requests = [reason for reason in reasons if reason in _MAX_REQUEST_WORDS]
    return ReasonCode(next(iter(requests + reasons), ReasonCode.NO_WORDS))


def _sentence_reason(
    tokens: Sequence[str], *, is_question: bool, role: Role, drop_phrases: tuple[str, ...]
) -> str | None:
    filler_ends = _filler_ends(tokens, _filler_index(drop_phrases))
    if len(tokens) in filler_ends:
        return filler_ends[len(tokens)] or ReasonCode.SMALL_TALK
    if remark := _match_remark(tokens):
        return remark
    # Questions of an assistant are about the user and never trivial.
    if role is Role.USER:
        return next(_match_requests(tokens, filler_ends, is_question=is_question), None)
    return None


def _filler_ends(tokens: Sequence[str], fillers: PhraseIndex) -> dict[int, str]:
    """Return the positions up to which the words are covered by fillers, each with the first filler's reason."""
    reason_by_end = {0: _NO_REASON}
    last_end = 0
    for position, word in enumerate(tokens):
        if position > last_end:
            break
        if position not in reason_by_end:
            continue
        ends = list(fillers.matches_at(tokens, position))
        if not ends and _is_laughter(word):
            ends = [(position + 1, ReasonCode.LAUGHTER)]
        for end, reason in ends:
            reason_by_end.setdefault(end, reason_by_end[position] or reason)
            last_end = max(last_end, end)
    return reason_by_end


def _match_requests(tokens: Sequence[str], positions: Iterable[int], *, is_question: bool) -> Iterator[str]:
    for position in positions:
        if position == len(tokens):
            continue
        for end, kind in _request_opening_index().matches_at(tokens, position):
            if len(tokens) - end <= _MAX_REQUEST_WORDS[kind] and _is_impersonal(
                kind, tokens[end:], is_question=is_question
            ):
                yield ReasonCode.GENERAL_QUESTION if kind == _DEFINITION_REQUEST else kind


def _is_impersonal(kind: str, rest: Sequence[str], *, is_question: bool) -> bool:
    if kind == ReasonCode.TRANSLATION_REQUEST:
        return _POSSESSIVES.isdisjoint(rest)
    if not rest or not _PERSONAL_WORDS.isdisjoint(rest):
        return False
    if kind == ReasonCode.CONVERSION_REQUEST:
        return any(word[0].isdecimal() for word in rest) or not _ONE_UNIT_PAIRS.isdisjoint(pairwise(rest))
    return is_question or (
        len(rest) <= _MAX_WORDS_WITHOUT_QUESTION_MARK and _STATEMENT_VERBS.isdisjoint(rest)
    )


def _match_remark(tokens: Sequence[str]) -> str | None:
    return next(
        (
            reason
            for reason, required, allowed in _REMARK_WORDS
            if allowed.issuperset(tokens) and not required.isdisjoint(tokens)
        ),
        None,
    )


def _is_laughter(word: str) -> bool:
    return len(word) >= _MIN_LAUGH_LETTERS.get(frozenset(word), len(word) + 1)


def _split_sentences(text: str) -> Iterator[str]:
    start = 0
    for end in _SENTENCE_END_PATTERN.finditer(text):
        yield text[start : end.start()]
        start = end.end()
    yield text[start:]


def _starts_with_drop_phrase(text: str, drop_phrases: tuple[str, ...]) -> bool:
    """Return whether the message starts with one of the user's drop phrases that end in ``*``."""
    prefix_phrases = tuple(phrase for phrase in drop_phrases if phrase.rstrip().endswith("*"))
    if not prefix_phrases or not (tokens := split_words(text)):
        return False
    return any(_prefix_phrase_index(prefix_phrases).matches_at(tokens, 0))


@lru_cache(maxsize=64)
def _prefix_phrase_index(phrases: tuple[str, ...]) -> PhraseIndex:
    return PhraseIndex.from_pairs((phrase, ReasonCode.LISTED_PHRASE) for phrase in phrases)


@lru_cache(maxsize=64)
def _filler_index(drop_phrases: tuple[str, ...]) -> PhraseIndex:
    user_phrases = (
        (part, ReasonCode.LISTED_PHRASE) for phrase in drop_phrases for part in _split_sentences(phrase)
    )
    builtin_phrases = (
        (phrase, reason)
        for phrases in _TRIAGE_PHRASES
        for reason, fillers in phrases.fillers.items()
        for phrase in split_phrases(fillers)
    )
    connectives = (
        (phrase, _NO_REASON) for phrases in _TRIAGE_PHRASES for phrase in split_phrases(phrases.connectives)
    )
    return PhraseIndex.from_pairs((*user_phrases, *builtin_phrases, *connectives))


@lru_cache(maxsize=1)
def _request_opening_index() -> PhraseIndex:
    by_kind = {
        ReasonCode.TRANSLATION_REQUEST: [phrases.translation_openings for phrases in _TRIAGE_PHRASES],
        _DEFINITION_REQUEST: [phrases.definition_openings for phrases in _TRIAGE_PHRASES],
        ReasonCode.CONVERSION_REQUEST: [phrases.conversion_openings for phrases in _TRIAGE_PHRASES],
        ReasonCode.GENERAL_QUESTION: [phrases.question_openings for phrases in _TRIAGE_PHRASES],
    }
    return PhraseIndex.from_pairs(
        (phrase, kind) for kind, lists in by_kind.items() for phrase in split_phrases(",".join(lists))
    )
