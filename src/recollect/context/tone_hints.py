"""Hints on tone for moods in the companion format."""

import re
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Tone:
    word_patterns: str  #: prefixes of words for the mood in both languages, without accents
    hints: Mapping[str, str]

    def matches(self, text: str) -> bool:
        return re.search(rf"\b(?:{self.word_patterns})", text) is not None


TONES = (
    Tone(
        "ansios|nervos|preocupad|anxi|worr|uneasy",
        {"pt": "trate com calma", "en": "keep calm and be gentle"},
    ),
    Tone(
        "estressad|sobrecarregad|pressionad|stress|overwhelm",
        {"pt": "vá com leveza", "en": "keep it light"},
    ),
    Tone(
        "frustrad|irritad|bravo|brava|raiva|furios|frustrat|annoy|angry|anger|irritat|furious",
        {"pt": "tenha paciência", "en": "be patient"},
    ),
    Tone(
        "trist|chatead|deprimid|magoad|desanimad|sad\\b|sadness|depress|upset|hurt\\b|down\\b",
        {"pt": "acolha com carinho", "en": "be warm and kind"},
    ),
    Tone("luto\\b|enlutad|griev|grief|mourn", {"pt": "tenha delicadeza", "en": "be tender"}),
    Tone(
        "medo|assustad|apavorad|insegur|afraid|scared|fear|insecure",
        {"pt": "transmita segurança", "en": "be reassuring"},
    ),
    Tone("cansad|exaust|esgotad|tired|exhaust|burn", {"pt": "seja breve", "en": "be brief"}),
    Tone(
        "sozinh|solitari|solidao|lonely|alone|loneliness", {"pt": "faça companhia", "en": "be good company"}
    ),
    Tone(
        "feliz|alegr|animad|empolgad|orgulhos|happy|glad|excited|proud|thrilled|joy",
        {"pt": "celebre junto", "en": "share the joy"},
    ),
)

NEGATION_PATTERN = re.compile(r"\b(?:nao|nunca|sem|deixou de|not|no longer|never|without)\b|n't\b")


def find_tone_hint(text: str, locale: str) -> str | None:
    """Return the hint for a mood; None if the mood is unknown or negated."""
    decomposed = unicodedata.normalize("NFKD", text.casefold())
    folded_text = "".join(c for c in decomposed if not unicodedata.combining(c)).replace("’", "'")
    if NEGATION_PATTERN.search(folded_text):
        return None
    return next((tone.hints[locale] for tone in TONES if tone.matches(folded_text)), None)
