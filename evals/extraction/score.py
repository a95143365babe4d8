"""Score extracted facts against human labels."""

import re
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

#: Stop words for comparing two wordings of a fact; negations and question words are kept.
_STOP_WORDS = frozenset(
    "a an the is are was were be been am has have had do does did to of in on at for with and or by from "
    "as that this it its 's s user will would o os as um uma uns umas de do da dos das em no na nos nas "
    "num numa e é foi esta está ser"
    "para pra por pelo pela com que se ao à seu sua".split()
)
_TOKEN_PATTERN = re.compile(r"\d{4}-\d\d(?:-\d\d)?|[^\W_]+(?:[.,'’][^\W_]+)*")
_WORD_ENDINGS = ("ing", "ed", "es", "s")
MIN_MATCH_OVERLAP = 0.6


@dataclass(frozen=True, slots=True, kw_only=True)
class LabelledFact:
    kind: str
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ExtractionCounts:
    predicted: int = 0
    expected: int = 0
    matched: int = 0
    lines: int = 0
    lines_with_prediction: int = 0  #: lines with at least one extracted fact
    lines_with_fact: int = 0  #: lines with at least one labelled fact
    lines_with_both: int = 0  #: both

    def __add__(self, other: "ExtractionCounts") -> "ExtractionCounts":
        return ExtractionCounts(
            predicted=self.predicted + other.predicted,
            expected=self.expected + other.expected,
            matched=self.matched + other.matched,
            lines=self.lines + other.lines,
            lines_with_prediction=self.lines_with_prediction + other.lines_with_prediction,
            lines_with_fact=self.lines_with_fact + other.lines_with_fact,
            lines_with_both=self.lines_with_both + other.lines_with_both,
        )

    def figures(self) -> dict[str, float | int]:
        return {
            "precision": _percent(self.matched, self.predicted),
            "recall": _percent(self.matched, self.expected),
            "n": self.lines,
            "keep_precision": _percent(self.lines_with_both, self.lines_with_prediction),
            "keep_recall": _percent(self.lines_with_both, self.lines_with_fact),
        }


def _percent(part: int, whole: int) -> float:
    return round(100 * part / whole, 1) if whole else 100.0


def content_words(text: str) -> frozenset[str]:
    """Return the content words, case-folded and lightly stemmed; "doesn't" counts as "not"."""
    plain = "".join(
        letter
        for letter in unicodedata.normalize("NFKD", text.casefold())
        if not unicodedata.combining(letter)
    )
    plain = plain.replace("’", "'").replace("n't", " not").replace("'s", "").replace("anymore", "any more")
    return frozenset(_stem(word) for word in _TOKEN_PATTERN.findall(plain) if word not in _STOP_WORDS)


def _stem(word: str) -> str:
    for ending in _WORD_ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= 3:
            return word[: -len(ending)].rstrip("e")
    return word[:-1] if len(word) > 3 and word[-1] in "aeo" else word


def overlap(first: str, second: str) -> float:
    """Return the F1 score of the content words."""
    one, other = content_words(first), content_words(second)
    shared = len(one & other)
    return 2 * shared / (len(one) + len(other)) if shared else 0.0


def count_matches(
    predicted: Sequence[LabelledFact], expected: Sequence[LabelledFact], *, kinds: bool = True
) -> ExtractionCounts:
    """Count matches, assigned greedily by overlap; each fact counts once."""
    return ExtractionCounts(
        predicted=len(predicted),
        expected=len(expected),
        matched=len(list(match_facts(predicted, expected, kinds=kinds))),
        lines=1,
        lines_with_prediction=bool(predicted),
        lines_with_fact=bool(expected),
        lines_with_both=bool(predicted and expected),
    )


def match_facts(
    predicted: Sequence[LabelledFact], expected: Sequence[LabelledFact], *, kinds: bool
) -> Iterable[tuple[int, int]]:
    pairs = sorted(
        (
            (overlap(guess.text, truth.text), left, right)
            for left, guess in enumerate(predicted)
            for right, truth in enumerate(expected)
            if guess.kind == truth.kind or not kinds
        ),
        key=lambda pair: (-pair[0], pair[1], pair[2]),
    )
    matched_predictions: set[int] = set()
    matched_labels: set[int] = set()
    for score, left, right in pairs:
        if score >= MIN_MATCH_OVERLAP and left not in matched_predictions and right not in matched_labels:
            matched_predictions.add(left)
            matched_labels.add(right)
            yield left, right
