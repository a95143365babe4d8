"""Find the words that tend to matter for long: projects, decisions, preferences, people, plans."""

from collections.abc import Sequence
from functools import lru_cache

from recollect.domain.policy import Funnel
from recollect.ingestion.triage import phrases_en, phrases_pt
from recollect.ingestion.triage.phrase_matcher import Phrases, listed, words

_WORTHLESS = ""


def gold(text: str, policy: Funnel) -> str | None:
    """Return the first gold phrase of the text as it stands in its list, the user's list first; whole words only."""
    read = words(text)
    return _first(read, _own(policy.gold)) or _first(read, _known())


def _first(read: Sequence[str], phrases: Phrases) -> str | None:
    free = 0
    for place in phrases.places(read):
        if place < free:
            continue
        free, phrase = max(phrases.at(read, place), default=(place, _WORTHLESS))
        if phrase:
            return phrase
    return None


@lru_cache(maxsize=64)
def _own(phrases: tuple[str, ...]) -> Phrases:
    return Phrases.labelled((phrase, phrase) for phrase in phrases)


@lru_cache(maxsize=1)
def _known() -> Phrases:
    golden = ((phrase, phrase) for phrase in listed(f"{phrases_en.GOLD},{phrases_pt.GOLD}"))
    false_friends = listed(f"{phrases_en.FALSE_FRIENDS},{phrases_pt.FALSE_FRIENDS}")
    return Phrases.labelled((*((phrase, _WORTHLESS) for phrase in false_friends), *golden))
