"""Companion format: facts of one kind on one line, moods with a hint on tone."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import chain

from recollect.context.labels import COMPANION_LABELS, LONG_TERM, BlockLabels
from recollect.context.plain_text import to_single_line
from recollect.context.sections import BlockSection, build_sections, bullet_section, format_with_speaker
from recollect.context.tone_hints import find_tone_hint
from recollect.domain.candidate import Candidate, Source
from recollect.domain.context import Tiers
from recollect.domain.memory import Kind

#: Kinds that share a line: biography with preferences; goals apart from both.
GROUPED_KINDS = (frozenset({Kind.BIOGRAPHY, Kind.PREFERENCE}), frozenset({Kind.GOAL}))
SENTENCE_ENDINGS = (".", "!", "?", "…", "。", "！", "？")

COMPANION_PROMPTS = {
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


def render_companion(tiers: Tiers, locale: str) -> tuple[BlockSection, ...]:
    return _build_sections(tiers, locale, COMPANION_LABELS[locale])


def render_companion_prompt(tiers: Tiers, locale: str) -> tuple[BlockSection, ...]:
    """Render the sections under the headings of the complete prompt."""
    return _build_sections(
        tiers, locale, replace(COMPANION_LABELS[locale], facts=COMPANION_PROMPTS[locale][1])
    )


def frame_companion_prompt(body: str, *, persona: str, locale: str) -> str:
    """Return the complete prompt: persona, sections, and instructions for the answer."""
    opening, _, closing = COMPANION_PROMPTS[locale]
    first = opening.replace("{persona}", to_single_line(persona))
    return "\n\n".join([f"{first}\n{body}" if body else first, closing])


def build_companion_prompt(tiers: Tiers, *, persona: str, locale: str = "pt") -> str:
    """Return the complete companion prompt for the tiers."""
    body = "\n\n".join(section.text for section in render_companion_prompt(tiers, locale))
    return frame_companion_prompt(body, persona=persona, locale=locale)


def _build_sections(tiers: Tiers, locale: str, labels: BlockLabels) -> tuple[BlockSection, ...]:
    candidates = [scored.candidate for scored in tiers.candidates]
    return build_sections(
        [bullet_section(labels.facts, "- ", _fact_lines(candidates, locale, labels))], tiers, labels
    )


def _fact_lines(candidates: Sequence[Candidate], locale: str, labels: BlockLabels) -> Iterator[str]:
    facts = [c for c in candidates if c.source is Source.MEMORY]
    for kinds in GROUPED_KINDS:
        yield _join_facts(c.text for c in facts if c.kind in kinds)
    grouped = frozenset(chain(*GROUPED_KINDS, [Kind.EMOTION]))
    for candidate in candidates:
        if candidate.source is not Source.MEMORY:
            yield format_with_speaker(candidate, labels, with_date=False)
        elif candidate.kind not in grouped:
            yield _join_facts([candidate.text])
    for mood in facts:
        if mood.kind is Kind.EMOTION:
            yield _join_facts([_append_hint(mood.text, locale)])


def _append_hint(mood: str, locale: str) -> str:
    fact, advice = _strip_period(mood), find_tone_hint(mood, locale)
    return f"{fact} ({advice})" if fact and advice else fact


def _join_facts(facts: Iterable[str]) -> str:
    """Join facts into one sentence, capitalized and with a full stop; empty if there are none."""
    line = "; ".join(filter(None, map(_strip_period, facts)))
    stop = "" if not line or line.endswith(SENTENCE_ENDINGS) else "."
    return line[:1].upper() + line[1:] + stop


def _strip_period(fact: str) -> str:
    return to_single_line(fact).removesuffix(".")
