"""What the rules need to know of a language."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from recollect.model.memory import Kind
from recollect.steps.judge.phrases import Pattern, Phrases
from recollect.steps.judge.words import Word

#: Whether the words after a pattern are what the rule expects there.
Condition = Callable[[Sequence[Word]], bool]


class Subject(StrEnum):
    """Who a clause speaks about."""

    SPEAKER = "speaker"
    KIN = "kin"  #: the speaker's family, partner or pets
    THING = "thing"  #: the speaker's project and its parts
    ORDER = "order"  #: nobody: the clause tells the assistant what to do
    OTHER = "other"


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    pattern: Pattern
    kind: Kind
    weight: float
    attribute: str | None = None
    says: str | None = None  #: the fact with {x} for the value; without it the clause is retold in the third person
    needs: Condition | None = None
    each: bool = False  #: "peanuts and shellfish" makes two facts
    wide: bool = False  #: what follows a comma belongs to it
    negated: bool = False
    bare: bool = False  #: nothing needs to follow the pattern


@dataclass(frozen=True, slots=True, kw_only=True)
class Book:
    """The rules for one kind of subject, by the word they may begin with."""

    by_first: Mapping[str, tuple[Rule, ...]]
    by_number: tuple[Rule, ...] = ()

    @classmethod
    def of(cls, rules: Sequence[Rule]) -> "Book":
        found: dict[str, list[Rule]] = {}
        numbers = []
        for rule in rules:
            words, number = _openings(rule.pattern)
            for word in words:
                found.setdefault(word, []).append(rule)
            if number:
                numbers.append(rule)
        return cls(by_first={word: tuple(group) for word, group in found.items()}, by_number=tuple(numbers))

    def for_word(self, word: Word) -> tuple[Rule, ...]:
        return self.by_number if word.fold.isdecimal() else self.by_first.get(word.fold, ())


def _openings(pattern: Pattern) -> tuple[set[str], bool]:
    words: set[str] = set()
    number = False
    for step in pattern.steps:
        words |= step.words
        number = number or step.number
        if not step.optional:
            break
    return words, number


@dataclass(frozen=True, slots=True, kw_only=True)
class Language:
    code: str
    contractions: Mapping[str, str]
    clitics: frozenset[str]
    abbreviations: frozenset[str]

    pronouns: frozenset[str]  #: the speaker
    own: frozenset[str]  #: the speaker's
    articles: frozenset[str]
    others: frozenset[str]  #: begin a clause about somebody else, or a question
    kin: frozenset[str]
    acquaintances: frozenset[str]  #: only their names are kept
    things: frozenset[str]
    partners: frozenset[str]
    called: tuple[Pattern, ...]  #: between kin and a name
    his_name: tuple[Pattern, ...]

    soft: frozenset[str]  #: may stand inside a list as well as between clauses
    hard: frozenset[str]  #: always begin a new clause
    of: frozenset[str]  #: end a noun phrase
    fillers: Phrases  #: before the subject
    adverbs: frozenset[str]  #: between subject and verb, without bearing on the rule
    dropped: frozenset[str]  #: left out of a fact
    ended: tuple[tuple[Phrases, Phrases | None], ...]  #: "no longer …", "not … any more"
    asking: Phrases  #: begin a question or a request
    doubt: Phrases  #: anywhere in a clause: it is not said as a fact
    unreal: Phrases  #: from here to the end of the sentence nothing is a fact
    staged: Phrases  #: from here to the end of the message nothing is a fact
    pasted: Phrases  #: with a colon behind: what follows are somebody else's words
    reported: Phrases  #: what follows was said by somebody
    asked_to_keep: Phrases  #: what follows is to be remembered
    standing: Phrases  #: an order with one of these holds for good

    books: Mapping[Subject, Book]
    heads: frozenset[str]  #: verbs that can begin a clause whose subject was named before
    order_heads: frozenset[str]
    third: Callable[[Sequence[Word], Subject], list[str | None]]  #: how each word is retold; None leaves it out
    to_be_called: str
    nationalities: frozenset[str]
    crowded: tuple[Phrases, Phrases, Phrases, str] | None = None
