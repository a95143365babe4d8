"""Find phrases that signal lasting information: projects, decisions, preferences, people, plans."""

from collections.abc import Sequence
from functools import lru_cache

from recollect.domain.policy import TriagePolicy
from recollect.ingestion.triage import phrases_en, phrases_pt
from recollect.ingestion.triage.phrase_matcher import PhraseIndex, split_phrases, split_words

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
    keep_phrases = (
        (phrase, phrase) for phrase in split_phrases(f"{phrases_en.KEEP_PHRASES},{phrases_pt.KEEP_PHRASES}")
    )
    exceptions = split_phrases(f"{phrases_en.KEEP_EXCEPTIONS},{phrases_pt.KEEP_EXCEPTIONS}")
    return PhraseIndex.from_pairs((*((phrase, _NO_LABEL) for phrase in exceptions), *keep_phrases))
