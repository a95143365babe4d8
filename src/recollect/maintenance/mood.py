"""Detect the mood of texts by the word lists of each language."""

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from recollect.text.analyzer import fold_text
from recollect.text.languages import LANGUAGES, find_language
from recollect.text.languages.en import ENGLISH
from recollect.text.languages.mood import Mood


def _join(patterns: Iterable[str]) -> str:
    return "|".join(patterns)


#: All words that name a mood.
MOOD_NAMES_PATTERN = re.compile(
    _join(words.name_pattern for language in LANGUAGES.values() for words in language.moods.values())
)
_MOOD_PATTERNS = {
    mood: tuple(
        re.compile(_join(patterns))
        for patterns in zip(
            *(
                (language.moods[mood].name_pattern, language.moods[mood].expression_pattern)
                for language in LANGUAGES.values()
                if mood in language.moods
            ),
            strict=True,
        )
    )
    for mood in Mood
}
_NEGATION_PATTERN = re.compile(
    rf"(?:{_join(language.negation_pattern for language in LANGUAGES.values())})(?: \w+){{0,2}} \Z"
)
_INTENSIFIER_PATTERN = re.compile(
    rf"\b(?:{_join(language.intensifier_pattern for language in LANGUAGES.values())})\b"
)
_MAX_CLAUSE_CHARS = 60
#: A mood with at least this many mentions is strong.
_STRONG_MOOD_COUNT = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class DetectedMood:
    mood: Mood
    is_strong: bool
    is_feminine: bool = False

    def describe(self, locale: str) -> str:
        """Return the mood in words: "slightly frustrated", "muito ansiosa"."""
        language = find_language(locale)
        if language is None or self.mood not in language.moods:
            language = ENGLISH
        adjective = language.moods[self.mood].adjective
        if self.is_feminine and language.feminine_endings and " " not in adjective:
            masculine, feminine = language.feminine_endings
            adjective = re.sub(rf"{masculine}\Z", feminine, adjective)
        return (language.strong_mood if self.is_strong else language.weak_mood).format(adjective)


def detect_mood(texts: Sequence[str]) -> DetectedMood | None:
    """
    Return the most frequent mood of the texts, the last text counting double; None if there is none.

    It is strong after an intensifier, with "!!", or if it is mentioned at least three times.
    """
    counts: Counter[Mood] = Counter()
    strength: Counter[Mood] = Counter()
    is_feminine = False
    for position, text in enumerate(texts):
        folded_text = fold_text(text).replace("’", "'")
        for mood, word, is_intense in _find_moods(folded_text):
            counts[mood] += 2 if position == len(texts) - 1 else 1
            strength[mood] += _STRONG_MOOD_COUNT if is_intense else 1
            is_feminine = is_feminine or word.endswith(("da", "sa"))
    if not counts:
        return None
    best = max(counts, key=lambda mood: (counts[mood], -mood.value))
    return DetectedMood(mood=best, is_strong=strength[best] >= _STRONG_MOOD_COUNT, is_feminine=is_feminine)


def _find_moods(folded_text: str) -> list[tuple[Mood, str, bool]]:
    """Return each mention of a mood with its word, and whether it is intense."""
    has_exclamation = "!!" in folded_text
    mentions = []
    for mood, (name_pattern, expression_pattern) in _MOOD_PATTERNS.items():
        for match in name_pattern.finditer(folded_text):
            before = folded_text[max(0, match.start() - _MAX_CLAUSE_CHARS) : match.start()]
            if not _NEGATION_PATTERN.search(before):
                around = before[-24:] + folded_text[match.end() : match.end() + 12]
                is_intense = _INTENSIFIER_PATTERN.search(around) is not None or has_exclamation
                mentions.append((mood, match.group(), is_intense))
        mentions += [
            (mood, match.group(), has_exclamation) for match in expression_pattern.finditer(folded_text)
        ]
    return mentions
