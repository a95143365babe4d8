"""Find phrases that signal lasting information: projects, decisions, preferences, people, plans."""

from collections.abc import Sequence
from functools import lru_cache

from recollect.domain.policy import TriagePolicy
from recollect.text.languages import LANGUAGES
from recollect.text.phrase_matcher import PhraseIndex, split_phrases, split_words

_NO_LABEL = ""


def find_keep_phrase(text: str, policy: TriagePolicy) -> str | None:
    """Return the first keep phrase in the text, as its list spells it; the user's list is searched first."""
    tokens = split_words(text)
    return _first_phrase(tokens, _user_phrases(policy.keep_phrases)) or _first_phrase(
        tokens, _builtin_phrases()
    )


def _first_phrase(tokens: Sequence[str], phrases: PhraseIndex) -> str | None:
    next_position = 0
    for position in phrases.candidate_positions(tokens):
        if position < next_position:
            continue
        next_position, phrase = max(phrases.matches_at(tokens, position), default=(position, _NO_LABEL))
        if phrase:
            return phrase
    return None


@lru_cache(maxsize=64)
def _user_phrases(phrases: tuple[str, ...]) -> PhraseIndex:
    return PhraseIndex.from_pairs((phrase, phrase) for phrase in phrases)


@lru_cache(maxsize=1)
def _builtin_phrases() -> PhraseIndex:
    triage_phrases = [language.triage for language in LANGUAGES.values()]
    keep_phrases = [
        (phrase, phrase) for each in triage_phrases for phrase in split_phrases(each.keep_phrases)
    ]
    exceptions = [
        (phrase, _NO_LABEL) for each in triage_phrases for phrase in split_phrases(each.keep_exceptions)
    ]
    return PhraseIndex.from_pairs((*exceptions, *keep_phrases))
