"""Score extracted facts against the ones a person would keep."""

import re
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

#: Words that say little about whether two wordings mean the same. Negations and question words are not among them.
_EMPTY = frozenset(
    "a an the is are was were be been am has have had do does did to of in on at for with and or by from "
    "as that this it its 's s user will would o os as um uma uns umas de do da dos das em no na nos nas "
    "num numa e é foi esta está ser"
    "para pra por pelo pela com que se ao à seu sua".split()
)
_TOKEN = re.compile(r"\d{4}-\d\d(?:-\d\d)?|[^\W_]+(?:[.,'’][^\W_]+)*")
_ENDINGS = ("ing", "ed", "es", "s")
SAME = 0.6


@dataclass(frozen=True, slots=True, kw_only=True)
class Kept:
    kind: str
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Tally:
    predicted: int = 0
    expected: int = 0
    matched: int = 0
    lines: int = 0
    kept: int = 0  #: lines with a fact
    worth: int = 0  #: lines that should have one
    rightly: int = 0  #: both

    def __add__(self, other: "Tally") -> "Tally":
        return Tally(
            predicted=self.predicted + other.predicted,
            expected=self.expected + other.expected,
            matched=self.matched + other.matched,
            lines=self.lines + other.lines,
            kept=self.kept + other.kept,
            worth=self.worth + other.worth,
            rightly=self.rightly + other.rightly,
        )

    def figures(self) -> dict[str, float | int]:
        return {
            "precision": _percent(self.matched, self.predicted),
            "recall": _percent(self.matched, self.expected),
            "n": self.lines,
            "keep_precision": _percent(self.rightly, self.kept),
            "keep_recall": _percent(self.rightly, self.worth),
        }


def _percent(part: int, whole: int) -> float:
    return round(100 * part / whole, 1) if whole else 100.0


def content(text: str) -> frozenset[str]:
    """The words that carry the meaning, folded and lightly stemmed; "doesn't" counts as "not"."""
    plain = "".join(
        letter
        for letter in unicodedata.normalize("NFKD", text.casefold())
        if not unicodedata.combining(letter)
    )
    plain = plain.replace("’", "'").replace("n't", " not").replace("'s", "").replace("anymore", "any more")
    return frozenset(_stem(word) for word in _TOKEN.findall(plain) if word not in _EMPTY)


def _stem(word: str) -> str:
    for ending in _ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= 3:
            return word[: -len(ending)].rstrip("e")
    return word[:-1] if len(word) > 3 and word[-1] in "aeo" else word


def overlap(left: str, right: str) -> float:
    """F1 of the content words."""
    one, other = content(left), content(right)
    shared = len(one & other)
    return 2 * shared / (len(one) + len(other)) if shared else 0.0


def tally(predicted: Sequence[Kept], expected: Sequence[Kept], *, kinds: bool = True) -> Tally:
    """Match greedily, best overlap first; each fact counts once."""
    return Tally(
        predicted=len(predicted),
        expected=len(expected),
        matched=len(list(matches(predicted, expected, kinds=kinds))),
        lines=1,
        kept=bool(predicted),
        worth=bool(expected),
        rightly=bool(predicted and expected),
    )


def matches(predicted: Sequence[Kept], expected: Sequence[Kept], *, kinds: bool) -> Iterable[tuple[int, int]]:
    pairs = sorted(
        (
            (overlap(guess.text, truth.text), left, right)
            for left, guess in enumerate(predicted)
            for right, truth in enumerate(expected)
            if guess.kind == truth.kind or not kinds
        ),
        key=lambda pair: (-pair[0], pair[1], pair[2]),
    )
    taken: set[int] = set()
    found: set[int] = set()
    for score, left, right in pairs:
        if score >= SAME and left not in taken and right not in found:
            taken.add(left)
            found.add(right)
            yield left, right
