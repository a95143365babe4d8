"""Detect the mood of texts by word lists, in English and Portuguese."""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from recollect.text.analyzer import fold_text


@dataclass(frozen=True, slots=True)
class Mood:
    english: str
    portuguese: str  #: masculine form; the feminine one ends in "a" instead of "o"
    #: Words that name the mood, without accents.
    name_pattern: str
    #: Expressions of the mood that do not name it.
    expression_pattern: str = r"(?!)"


#: In order of precedence when two moods are equally frequent.
MOODS = (
    Mood(
        "frustrated",
        "frustrado",
        r"frustrat\w*|frustrad\w*|annoy(?:ed|ing)|irritad\w*|irritat\w*|fed up|de saco cheio|estressante",
        r"\bargh+\b|\bugh+\b|\baff+\b|not working again|still (?:not|broken|fail\w+)|doesn't work|won't work|"
        r"keeps? (?:failing|crashing|breaking)|nao funciona|de novo esse|nao aguento mais|que saco|que droga|"
        r"nada funciona|continua dando erro|ja tentei (?:de )?tudo|i've tried everything|wasted \w+ hours?|perdi o dia",
    ),
    Mood(
        "anxious",
        "ansioso",
        r"anxious|anxiety|nervous|worried|ansios\w+|nervos\w+|preocupad\w+|ansiedade|apreensiv\w+",
        r"what if (?:it|i|we)|e se (?:der|nao|eu)|freaking out|nao consigo dormir|can't sleep",
    ),
    Mood(
        "stressed",
        "estressado",
        r"stressed|overwhelmed|under pressure|estressad\w+|sobrecarregad\w+|pressionad\w+",
        r"too much to do|deadline is killing|nao dou conta|muita coisa pra fazer",
    ),
    Mood(
        "angry",
        "irritado",
        r"angry|furious|pissed off|mad at|furios\w+|com raiva|put[oa] da vida",
        r"\bwtf\b|this is ridiculous|isso e ridiculo|que absurdo",
    ),
    Mood(
        "sad",
        "triste",
        r"\bsad\b|depressed|heartbroken|miserable|\btriste\w*|deprimid\w+|chatead\w+|magoad\w+|desanimad\w+",
        r"i miss (?:him|her|them|my)|saudades? d|chorei|i cried",
    ),
    Mood(
        "tired",
        "cansado",
        r"\btired\b|exhausted|burned out|burnt out|cansad\w+|exaust\w+|esgotad\w+|com sono",
    ),
    Mood(
        "confused",
        "confuso",
        r"confused|confusing|\blost\b here|confus[oa]\b|perdid[oa]\b",
        r"i don't (?:get|understand)|makes no sense|nao entendi|nao entendo|nao faz sentido",
    ),
    Mood(
        "afraid",
        "com medo",
        r"afraid|scared|terrified|com medo|assustad\w+|apavorad\w+",
    ),
    Mood(
        "lonely",
        "sozinho",
        r"\blonely\b|solitari\w+|me sinto sozinh\w+|tao sozinh\w+",
    ),
    Mood(
        "excited",
        "animado",
        r"excited|thrilled|can't wait|animad\w+|empolgad\w+|mal posso esperar",
    ),
    Mood(
        "happy",
        "feliz",
        r"\bhappy\b|\bglad\b|so proud|delighted|\bfeliz\w*|content[ei]\b|alegr\w+|orgulhos\w+",
        r"it works!|funcionou!|deu certo|consegui!|woohoo|\byay\b|amei\b|love it|perfeito!|perfect!",
    ),
    Mood(
        "grateful",
        "grato",
        r"grateful|thankful|\bgrat[oa]\b|agradecid\w+",
        r"thank you so much|muito obrigad\w+",
    ),
)
_MOOD_PATTERNS = tuple((re.compile(mood.name_pattern), re.compile(mood.expression_pattern)) for mood in MOODS)
_NEGATION_PATTERN = re.compile(
    r"(?:\bnot|n't|\bnever|\bno longer|\bwithout|\bnao|\bnunca|\bsem|\bdeixei de)(?: \w+){0,2} \Z"
)
_INTENSIFIER_PATTERN = re.compile(
    r"\b(?:very|so|really|extremely|super|totally|completely|muito|demais|tao|super|extremamente|completamente|bem)\b"
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
        if locale != "pt":
            return f"{'very' if self.is_strong else 'slightly'} {self.mood.english}"
        word = self.mood.portuguese
        if self.is_feminine and word.endswith("o") and " " not in word:
            word = f"{word[:-1]}a"
        return f"{'muito' if self.is_strong else 'levemente'} {word}"


def detect_mood(texts: Sequence[str]) -> DetectedMood | None:
    """
    Return the most frequent mood of the texts, the last text counting double; None if there is none.

    It is strong after an intensifier, with "!!", or if it is mentioned at least three times.
    """
    counts: Counter[int] = Counter()
    strength: Counter[int] = Counter()
    is_feminine = False
    for position, text in enumerate(texts):
        folded_text = fold_text(text).replace("’", "'")
        for mood_index, word, is_intense in _find_moods(folded_text):
            counts[mood_index] += 2 if position == len(texts) - 1 else 1
            strength[mood_index] += _STRONG_MOOD_COUNT if is_intense else 1
            is_feminine = is_feminine or word.endswith(("da", "sa"))
    if not counts:
        return None
    best = max(counts, key=lambda index: (counts[index], -index))
    return DetectedMood(
        mood=MOODS[best], is_strong=strength[best] >= _STRONG_MOOD_COUNT, is_feminine=is_feminine
    )


def _find_moods(folded_text: str) -> list[tuple[int, str, bool]]:
    matches = []
    for mood_index, (name_pattern, expression_pattern) in enumerate(_MOOD_PATTERNS):
        for match in name_pattern.finditer(folded_text):
            before = folded_text[max(0, match.start() - _MAX_CLAUSE_CHARS) : match.start()]
            if not _NEGATION_PATTERN.search(before):
                around = before[-24:] + folded_text[match.end() : match.end() + 12]
                matches.append(
                    (
                        mood_index,
                        match.group(),
                        bool(_INTENSIFIER_PATTERN.search(around)) or "!!" in folded_text,
                    )
                )
        matches += [
            (mood_index, match.group(), "!!" in folded_text)
            for match in expression_pattern.finditer(folded_text)
        ]
    return matches
