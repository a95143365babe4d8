"""Rules: a pattern of words, what must follow it, and what kind of fact that makes."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from recollect.domain.memory import Kind
from recollect.extraction.rules.patterns import WordPattern
from recollect.extraction.rules.tokens import Word

#: Whether the words after a pattern are what the rule expects there.
Condition = Callable[[Sequence[Word]], bool]


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    pattern: WordPattern
    kind: Kind
    weight: float
    attribute: str | None = None
    says: str | None = (
        None  #: the fact with {x} for the value; without it the clause is retold in the third person
    )
    needs: Condition | None = None
    each: bool = False  #: "peanuts and shellfish" makes two facts
    wide: bool = False  #: what follows a comma belongs to it
    negated: bool = False
    bare: bool = False  #: nothing needs to follow the pattern


@dataclass(frozen=True, slots=True, kw_only=True)
class RuleFactory:
    """Writes rules in the word classes of one language."""

    classes: Mapping[str, frozenset[str]]

    def __call__(
        self,
        kind: Kind,
        weight: float,
        patterns: str,
        *,
        attribute: str | None = None,
        says: str | None = None,
        needs: Condition | None = None,
        each: bool = False,
        wide: bool = False,
        negated: bool = False,
        bare: bool = False,
    ) -> list[Rule]:
        """Make a rule of each pattern; they are written with commas or on lines of their own."""
        return [
            Rule(
                pattern=WordPattern.parse(pattern, self.classes),
                kind=kind,
                weight=weight,
                attribute=attribute,
                says=says,
                needs=needs,
                each=each,
                wide=wide,
                negated=negated,
                bare=bare,
            )
            for line in patterns.splitlines()
            for pattern in line.split(",")
            if pattern.strip()
        ]


@dataclass(frozen=True, slots=True, kw_only=True)
class RuleIndex:
    """The rules for one kind of subject, by the word they may begin with; the first that fits counts."""

    by_first_word: Mapping[str, tuple[Rule, ...]]

    @classmethod
    def from_rules(cls, *rules: Sequence[Rule]) -> "RuleIndex":
        groups: dict[str, list[Rule]] = {}
        for rule in (rule for group in rules for rule in group):
            for word in rule.pattern.first_words():
                groups.setdefault(word, []).append(rule)
        return cls(by_first_word={word: tuple(group) for word, group in groups.items()})

    def starting_with(self, word: Word) -> tuple[Rule, ...]:
        return self.by_first_word.get(word.fold, ())
