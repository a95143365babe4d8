"""Hints on tone for moods in the companion format."""

import re
import unicodedata

from recollect.text.languages import LANGUAGES
from recollect.text.languages.mood import Mood

#: Moods with a hint, in order of precedence.
_HINTED_MOODS = (
    Mood.ANXIOUS,
    Mood.STRESSED,
    Mood.FRUSTRATED,
    Mood.SAD,
    Mood.GRIEVING,
    Mood.AFRAID,
    Mood.TIRED,
    Mood.LONELY,
    Mood.HAPPY,
)
_STEM_PATTERNS = {
    mood: re.compile(
        r"\b(?:"
        + "|".join(
            language.moods[mood].stem_pattern for language in LANGUAGES.values() if mood in language.moods
        )
        + ")"
    )
    for mood in _HINTED_MOODS
}
_NEGATION_PATTERN = re.compile(
    rf"(?:{'|'.join(language.negation_pattern for language in LANGUAGES.values())})\b"
)


def find_tone_hint(text: str, locale: str) -> str | None:
    """Return the hint for a mood; None if the mood is unknown or negated."""
    decomposed = unicodedata.normalize("NFKD", text.casefold())
    folded_text = "".join(c for c in decomposed if not unicodedata.combining(c)).replace("’", "'")
    if _NEGATION_PATTERN.search(folded_text):
        return None
    mood = next((mood for mood, stems in _STEM_PATTERNS.items() if stems.search(folded_text)), None)
    return LANGUAGES[locale].moods[mood].tone_hint if mood else None
