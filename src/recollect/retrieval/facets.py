"""
Facets: what a personal question asks for, and what a statement tells about: a job, a home, an age, a car.

"Where do I work?" and "I'm a paramedic in Leeds" share no word and their embeddings are not close; both have the facet
`work`. A question whose facet no statement has was probably never answered. Words are folded (no accents) and compared
by stem in both languages; `#` stands for any number.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Final

from recollect.retrieval.facet_lexicon import FACETS
from recollect.text.analyzer import stem


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class CueIndex:
    """The cues of all facets: single words by stem, phrases by their first word. Compared by identity."""

    by_stem: dict[str, frozenset[str]] = field(default_factory=dict)
    phrases: dict[str, tuple[tuple[tuple[str, ...], str], ...]] = field(default_factory=dict)

    @classmethod
    def build(cls, cues: Sequence[tuple[str, str]]) -> "CueIndex":
        by_stem: dict[str, set[str]] = {}
        phrases: dict[str, list[tuple[tuple[str, ...], str]]] = {}
        for facet, cue in cues:
            words = tuple(cue.split())
            if len(words) == 1 and words[0] != "#":
                for form in _stems(words[0]):
                    by_stem.setdefault(form, set()).add(facet)
            else:
                phrases.setdefault(words[0], []).append((words, facet))
        return cls(
            by_stem={form: frozenset(facets) for form, facets in by_stem.items()},
            phrases={word: tuple(each) for word, each in phrases.items()},
        )

    def find(self, words: Sequence[str]) -> frozenset[str]:
        """Return the facets whose cues are among the folded words; the words of a phrase count only together."""
        tokens = ["#" if word[0].isdigit() else word for word in words]
        facets: set[str] = set()
        position = 0
        while position < len(tokens):
            token = tokens[position]
            length = 0
            for phrase, facet in self.phrases.get(token, ()):
                if len(phrase) > length and tuple(tokens[position : position + len(phrase)]) == phrase:
                    length = len(phrase)
                    facets.add(facet)
            if not length:
                facets.update(_word_facets(self, token))
            position += length or 1
        return frozenset(facets)


@lru_cache(maxsize=16_384)
def _word_facets(index: CueIndex, word: str) -> frozenset[str]:
    return frozenset().union(*(index.by_stem.get(form, ()) for form in _stems(word)))


def _stems(word: str) -> frozenset[str]:
    return frozenset((word, stem(word, "en"), stem(word, "pt")))


def _parse_cues(table: str, column: int) -> list[tuple[str, str]]:
    cues = []
    for row in table.strip().split(";"):
        columns = row.split(":")
        if len(columns) > 1:
            cues += [(columns[0].strip(), " ".join(cue.split())) for cue in columns[column].split("|")]
    return [(facet, cue) for facet, cue in cues if cue]


#: Facets that say of what kind an answer is, not what it is about.
ANSWER_TYPES: Final = frozenset(("time", "cost", "number", "age", "savings"))
#: Facets of which a person has one or a few values, so that a statement without one does not answer the question.
CLOSED_FACETS: Final = frozenset(
    "age birthday work studies home salary rent number medicine team body origin insurance vehicle device pet"
    " partner".split()
)
_QUESTION_CUES: Final = CueIndex.build(_parse_cues(FACETS, 1))
_STATEMENT_CUES: Final = CueIndex.build(_parse_cues(FACETS, 2))


def question_facets(words: Sequence[str]) -> frozenset[str]:
    """Return what a question asks for, given its folded words."""
    return _QUESTION_CUES.find(words)


def statement_facets(words: Sequence[str]) -> frozenset[str]:
    """Return what a statement tells about, given its folded words."""
    return _STATEMENT_CUES.find(words)
