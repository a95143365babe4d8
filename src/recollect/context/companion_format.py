"""The companion's memory: a few facts on a line, with a hint on tone beside a mood."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import chain

from recollect.context.labels import COMPANION, LONG_TERM, Words
from recollect.context.plain_text import folded
from recollect.context.sections import Section, around, bullets, spoken
from recollect.context.tone_hints import hint
from recollect.domain.candidate import Candidate, Source
from recollect.domain.context import Tiers
from recollect.domain.memory import Kind

#: Who somebody is and what they like belong together; a goal or a mood does not mix with either.
LINES = (frozenset({Kind.BIO, Kind.PREF}), frozenset({Kind.OBJ}))
STOPS = (".", "!", "?", "…", "。", "！", "？")

PROMPTS = {
    "en": (
        "You are {persona}.",
        LONG_TERM["en"],
        "Answer naturally, using the memory to personalise, but without repeating yourself.",
    ),
    "pt": (
        "Você é {persona}.",
        LONG_TERM["pt"],
        "Responda de forma natural, usando a memória para personalizar, mas sem ser repetitiva.",
    ),
}


def companion(shown: Tiers, locale: str) -> tuple[Section, ...]:
    return _sections(shown, locale, COMPANION[locale])


def prompt_sections(shown: Tiers, locale: str) -> tuple[Section, ...]:
    """The same under the headings of the whole prompt."""
    return _sections(shown, locale, replace(COMPANION[locale], facts=PROMPTS[locale][1]))


def in_person(body: str, *, persona: str, locale: str) -> str:
    """Who answers, what they know and where the conversation stands, and how to answer."""
    opening, _, closing = PROMPTS[locale]
    first = opening.replace("{persona}", folded(persona))
    return "\n\n".join([f"{first}\n{body}" if body else first, closing])


def companion_prompt(shown: Tiers, *, persona: str, locale: str = "pt") -> str:
    """The companion's whole prompt."""
    body = "\n\n".join(section.text for section in prompt_sections(shown, locale))
    return in_person(body, persona=persona, locale=locale)


def _sections(shown: Tiers, locale: str, words: Words) -> tuple[Section, ...]:
    candidates = [recollection.candidate for recollection in shown.recalled]
    return around([bullets(words.facts, "- ", _lines(candidates, locale, words))], shown, words)


def _lines(candidates: Sequence[Candidate], locale: str, words: Words) -> Iterator[str]:
    facts = [c for c in candidates if c.source is Source.MEMORY]
    for kinds in LINES:
        yield _sentence(c.text for c in facts if c.kind in kinds)
    grouped = frozenset(chain(*LINES, [Kind.EMO]))
    for candidate in candidates:
        if candidate.source is not Source.MEMORY:
            yield spoken(candidate, words, dated=False)
        elif candidate.kind not in grouped:
            yield _sentence([candidate.text])
    for mood in facts:
        if mood.kind is Kind.EMO:
            yield _sentence([_with_hint(mood.text, locale)])


def _with_hint(mood: str, locale: str) -> str:
    bare, advice = _bare(mood), hint(mood, locale)
    return f"{bare} ({advice})" if bare and advice else bare


def _sentence(facts: Iterable[str]) -> str:
    """Facts as one sentence: the first word capitalised, a full stop at the end; empty when there are none."""
    line = "; ".join(filter(None, map(_bare, facts)))
    stop = "" if not line or line.endswith(STOPS) else "."
    return line[:1].upper() + line[1:] + stop


def _bare(fact: str) -> str:
    return folded(fact).removesuffix(".")
