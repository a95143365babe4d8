"""Parse a short fact into comparable form: significant words in order, and polarity."""

import re
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise

from recollect.text.analyzer import STOP_WORDS, fold_text
from recollect.text.language import detect_language
from recollect.text.languages import find_language
from recollect.text.languages.en import ENGLISH

_WORD_PATTERN = re.compile(r"[^\W_]+(?:['’][^\W_]+)*")

#: Synonyms by their canonical word.
_SYNONYMS = {
    "like": """
        like likes liking love loves loving enjoy enjoys adore adores fond fan
        gosta gosto gostar ama amo amar adora adoro adorar curte curto
    """,
    "eat": "eat eats eating consume consumes come como comer consome consumo consumir",
    "drink": "drink drinks drinking bebe bebo beber toma tomo tomar",
    "live": "live lives living reside resides mora moro morar vive vivo viver",
    "work": "work works working trabalha trabalho trabalhar",
    "want": "want wants quer quero pretende pretendo",
    "para": "para pra pro",
    "tall": "tall height altura alto alta",
    "called": "called named chamado chamada chama",
    "allergic": "allergic allergy allergies alergico alergica alergia alergias",
}
#: Verbs that mean "not like".
_DISLIKE_VERBS = frozenset(
    """
    dislike dislikes hate hates detest detests loathe loathes avoid avoids
    odeia odeio odiar detesta detesto detestar evita evito evitar abomina abomino
    """.split()
)
_CANONICAL_WORDS = {word: canonical for canonical, words in _SYNONYMS.items() for word in words.split()}

#: Stop words that change a fact: "was a nurse" is not "is a nurse", nor is "works with Ana" "works for Ana".
_SIGNIFICANT_STOP_WORDS = frozenset(
    "was were had will would could should can for from to with by foi era com para pra pro por pelo pela".split()
)
_INSIGNIFICANT_WORDS = (STOP_WORDS - _SIGNIFICANT_STOP_WORDS) | frozenset(
    """
    user user's usuario usuaria person pessoa also too really very much quite truly always still now currently just been
    being anymore longer more any all eu tu muito muita bastante realmente sempre agora atualmente mesmo tambem mais
    nada algum alguma qualquer nenhum nenhuma estou esta estao
    i'm i've i'd he's she's they're it's don't doesn't didn't isn't aren't wasn't can't won't
    """.split()
)
#: Words that continue a statement without changing what precedes them, unlike "ice cream" after "coffee".
_CONNECTORS = STOP_WORDS | frozenset(
    """
    since called named because during when while every each only until after before
    desde chamado chamada porque durante quando enquanto cada todo toda todos todas ate depois antes
    """.split()
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Statement:
    words: tuple[str, ...]  #: significant words, in order and folded
    is_negated: bool
    #: The word that follows each of them in the text; empty after the last.
    next_words: tuple[str, ...]

    def only_adds_after(self, count: int) -> bool:
        """Whether the words after the first `count` only add to them, and do not change their meaning."""
        return count == len(self.words) or self.next_words[count - 1] in _CONNECTORS


@lru_cache(maxsize=8192)
def parse_statement(text: str, language: str) -> Statement:
    """Parse a text in one language; in an unknown one as English."""
    words = [fold_text(word).replace("’", "'") for word in _WORD_PATTERN.findall(text)]
    negations = (find_language(language) or ENGLISH).negations
    has_negation = any(word in negations or word.endswith("n't") for word in words)
    has_dislike = any(word in _DISLIKE_VERBS for word in words)
    canonical_pairs = [
        (_canonical_word(word), after) for word, after in pairwise((*words, "")) if word not in negations
    ]
    content_pairs = [(word, after) for word, after in canonical_pairs if word not in _INSIGNIFICANT_WORDS]
    return Statement(
        words=tuple(word for word, _ in content_pairs),
        is_negated=has_negation != has_dislike,
        next_words=tuple(after for _, after in content_pairs),
    )


def shared_language(*texts: str) -> str:
    """Return the texts' common language; if they disagree or are too short to tell, detect it on the joined text."""
    languages = {_detect_cached(text) for text in texts} - {None}
    shared = languages.pop() if len(languages) == 1 else detect_language(" ".join(texts))
    return "pt" if shared == "pt" else "en"


@lru_cache(maxsize=8192)
def _detect_cached(text: str) -> str | None:
    return detect_language(text)


def _canonical_word(word: str) -> str:
    if word in _DISLIKE_VERBS:
        return "like"
    return _CANONICAL_WORDS.get(word, word)
