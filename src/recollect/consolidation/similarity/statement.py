"""What a short fact says, as words that can be compared: its content in order, and whether it denies it."""

import re
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise

from recollect.text.analyzer import STOP_WORDS, folded
from recollect.text.language import detect

_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)*")

#: Words that turn a statement around.
_DENIALS = {
    "en": frozenset(
        "not no never without cannot nor neither none nothing stopped quit quits dont doesnt".split()
    ),
    "pt": frozenset(
        "nao nunca jamais sem nem nenhum nenhuma nada tampouco deixou deixei parou parei largou larguei".split()
    ),
}

#: The same said in other words, by what is meant.
_MEANT = {
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
    "allergic": "allergic allergy allergies alergico alergica alergia alergias",
}
#: The opposite of liking, in one word.
_DISLIKES = frozenset(
    """
    dislike dislikes hate hates detest detests loathe loathes avoid avoids
    odeia odeio odiar detesta detesto detestar evita evito evitar abomina abomino
    """.split()
)
_CANONICAL = {word: meant for meant, words in _MEANT.items() for word in words.split()}

#: Small words that make another fact of it: "was a nurse" is not "is a nurse", nor "works with Ana" "works for Ana".
_MATTERS = frozenset(
    "was were had will would could should can for from to with by foi era com para pra pro por pelo pela".split()
)
_SAYS_LITTLE = (STOP_WORDS - _MATTERS) | frozenset(
    """
    user user's usuario usuaria person pessoa also too really very much quite truly always still now currently just been
    being anymore longer more any all eu tu muito muita bastante realmente sempre agora atualmente mesmo tambem mais
    nada algum alguma qualquer nenhum nenhuma estou esta estao
    i'm i've i'd he's she's they're it's don't doesn't didn't isn't aren't wasn't can't won't
    """.split()
)
#: A further word that does not change what stands before it, as "ice cream" after "coffee" would.
_CONNECTS = STOP_WORDS | frozenset(
    """
    since called named because during when while every each only until after before
    desde chamado chamada porque durante quando enquanto cada todo toda todos todas ate depois antes
    """.split()
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Statement:
    words: tuple[str, ...]  #: what it is about, in order and without accents
    denied: bool
    #: The first word said after each of them; none after the last.
    followed_by: tuple[str, ...]

    def goes_on_after(self, count: int) -> bool:
        """Whether it only adds to its first words, and does not make something else of them."""
        return count == len(self.words) or self.followed_by[count - 1] in _CONNECTS


@lru_cache(maxsize=8192)
def read(text: str, language: str) -> Statement:
    """The statement in words of one language: "pt" is Portuguese, all else is read as English."""
    found = [folded(word).replace("’", "'") for word in _WORD.findall(text)]
    denials = _DENIALS["pt" if language == "pt" else "en"]
    negated = any(word in denials or word.endswith("n't") for word in found)
    disliked = any(word in _DISLIKES for word in found)
    meant = [(_canonical(word), after) for word, after in pairwise((*found, "")) if word not in denials]
    kept = [(word, after) for word, after in meant if word not in _SAYS_LITTLE]
    return Statement(
        words=tuple(word for word, _ in kept),
        denied=negated != disliked,
        followed_by=tuple(after for _, after in kept),
    )


def language_of(*texts: str) -> str:
    """The language they share; where each alone does not say it, or they disagree, they are read together."""
    spoken = {_spoken(text) for text in texts} - {None}
    shared = spoken.pop() if len(spoken) == 1 else detect(" ".join(texts))
    return "pt" if shared == "pt" else "en"


@lru_cache(maxsize=8192)
def _spoken(text: str) -> str | None:
    return detect(text)


def _canonical(word: str) -> str:
    if word in _DISLIKES:
        return "like"
    return _CANONICAL.get(word, word)
