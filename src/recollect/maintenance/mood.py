"""Hears how somebody feels in what they write, in English and Portuguese."""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from recollect.text.analyzer import folded


@dataclass(frozen=True, slots=True)
class Mood:
    english: str
    portuguese: str  #: ends in "o" where a woman would say "a"
    #: How the words begin that name the feeling, without accents.
    named: str
    #: What people say when they feel so, without naming it.
    shown: str = r"(?!)"


#: The first that is heard most wins.
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
_HEARD = tuple((re.compile(mood.named), re.compile(mood.shown)) for mood in MOODS)
_DENIED = re.compile(
    r"(?:\bnot|n't|\bnever|\bno longer|\bwithout|\bnao|\bnunca|\bsem|\bdeixei de)(?: \w+){0,2} \Z"
)
_MUCH = re.compile(
    r"\b(?:very|so|really|extremely|super|totally|completely|muito|demais|tao|super|extremamente|completamente|bem)\b"
)
_CLAUSE = 60
#: Heard so often it is strong.
_OFTEN = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Feeling:
    mood: Mood
    strong: bool
    feminine: bool = False

    def told(self, locale: str) -> str:
        """In words: "slightly frustrated", "muito ansiosa"."""
        if locale != "pt":
            return f"{'very' if self.strong else 'slightly'} {self.mood.english}"
        word = self.mood.portuguese
        if self.feminine and word.endswith("o") and " " not in word:
            word = f"{word[:-1]}a"
        return f"{'muito' if self.strong else 'levemente'} {word}"


def feeling(texts: Sequence[str]) -> Feeling | None:
    """
    The feeling that is heard most in what somebody wrote, the last words counting double; None if there is none.

    It is strong when it is said to be, or shouted, or heard again and again.
    """
    counts: Counter[int] = Counter()
    strength: Counter[int] = Counter()
    feminine = False
    for place, text in enumerate(texts):
        bare = folded(text).replace("’", "'")
        for number, word, much in _heard(bare):
            counts[number] += 2 if place == len(texts) - 1 else 1
            strength[number] += _OFTEN if much else 1
            feminine = feminine or word.endswith(("da", "sa"))
    if not counts:
        return None
    best = max(counts, key=lambda number: (counts[number], -number))
    return Feeling(mood=MOODS[best], strong=strength[best] >= _OFTEN, feminine=feminine)


def _heard(bare: str) -> list[tuple[int, str, bool]]:
    found = []
    for number, (named, shown) in enumerate(_HEARD):
        for match in named.finditer(bare):
            before = bare[max(0, match.start() - _CLAUSE) : match.start()]
            if not _DENIED.search(before):
                around = before[-24:] + bare[match.end() : match.end() + 12]
                found.append((number, match.group(), bool(_MUCH.search(around)) or "!!" in bare))
        found += [(number, match.group(), "!!" in bare) for match in shown.finditer(bare)]
    return found
