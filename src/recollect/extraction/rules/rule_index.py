"""Rules: a word pattern, a condition on the words after it, and the kind of fact it yields."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from recollect.domain.memory import Kind
from recollect.extraction.rules.patterns import WordPattern
from recollect.extraction.rules.tokens import Word

#: Predicate on the words after a pattern.
Condition = Callable[[Sequence[Word]], bool]


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    pattern: WordPattern
    kind: Kind
    weight: float
    attribute: str | None = None
    #: Template of the fact, with {x} for the value; without it the clause is rewritten in the third person.
    says: str | None = None
    needs: Condition | None = None
    each: bool = False  #: each list item is a fact of its own: "peanuts and shellfish"
    wide: bool = False  #: the fact includes the parts after commas
    negated: bool = False
    bare: bool = False  #: no object needs to follow the pattern
    ended: bool = (
        False  #: only with "no longer": "I'm eating cheese" is no fact, "I'm not eating cheese any more" is
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class RuleFactory:
    """Builds rules with the word classes of one language."""

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
        ended: bool = False,
    ) -> list[Rule]:
        """Return a rule for each pattern; patterns are separated by commas or line breaks."""
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
                ended=ended,
            )
            for line in patterns.splitlines()
            for pattern in line.split(",")
            if pattern.strip()
        ]


@dataclass(frozen=True, slots=True, kw_only=True)
class RuleIndex:
    """The rules for one subject type, indexed by their first words; the first rule that matches wins."""

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
