"""Match a clause against the rules for its subject."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime

from recollect.domain.memory import Kind
from recollect.extraction.rules.grammar import Grammar, SubjectType
from recollect.extraction.rules.rule_index import Rule
from recollect.extraction.rules.tokens import Word
from recollect.text.dates import DateMention, find_dates


@dataclass(frozen=True, slots=True, kw_only=True)
class MessageContext:
    """The message that facts are composed from."""

    prose: str
    sent_at: datetime
    grammar: Grammar

    def find_dates(self, words: Sequence[Word], *, is_future: bool) -> list[DateMention]:
        """Return the dates in a clause, resolved against the time of the message."""
        return find_dates(
            [word.fold for word in words], self.sent_at, self.grammar.language.calendar, is_future=is_future
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class RuleMatch:
    rule: Rule
    subject: SubjectType
    label: tuple[Word, ...]
    words: tuple[Word, ...]  #: the clause without adverbs; the fact is composed from it
    head: tuple[Word, ...]  #: words matched by the pattern
    object_words: tuple[Word, ...]
    is_ended: bool = False  #: "no longer": the statement ends an earlier fact


def match_rule(
    subject: SubjectType, label: tuple[Word, ...], words: tuple[Word, ...], context: MessageContext
) -> RuleMatch | None:
    """Return the first rule that matches the clause, or None."""
    bare_words, is_ended = strip_no_longer(words, context.grammar)
    grammar = context.grammar
    words = _drop_adverbs(words, grammar.adverbs)
    bare_words = _drop_adverbs(bare_words, grammar.adverbs | grammar.emphasis_adverbs)
    for rule, end in _matching_rules(subject, bare_words, grammar):
        if rule.ended and not is_ended:
            continue
        if is_ended and rule.kind in {Kind.EVENT, Kind.EMOTION, Kind.GOAL}:
            continue
        if subject is SubjectType.NAMED and rule.attribute and not is_ended:
            # Attributes of named persons are not stored, but that one no longer applies may end a known fact.
            continue
        return RuleMatch(
            rule=rule,
            subject=subject,
            label=label,
            words=words,
            head=bare_words[:end],
            object_words=bare_words[end:],
            is_ended=is_ended,
        )
    return None


def _drop_adverbs(words: tuple[Word, ...], adverbs: frozenset[str]) -> tuple[Word, ...]:
    """Drop adverbs among the first four words; later ones may carry meaning: "right now"."""
    return tuple(word for i, word in enumerate(words) if i >= 4 or word.fold not in adverbs)


def _matching_rules(
    subject: SubjectType, words: Sequence[Word], grammar: Grammar
) -> Iterator[tuple[Rule, int]]:
    """Yield the rules that match, with the end of their pattern; most patterns omit the pronoun."""
    has_pronoun = bool(words) and words[0].fold in grammar.pronouns
    for start in range(1 + has_pronoun):
        if start >= len(words):
            return
        for rule in grammar.rule_indexes[subject].starting_with(words[start]):
            end = rule.pattern.match_end(words, start)
            if end is not None and _rule_applies(rule, words[end:], grammar):
                yield rule, end


def _rule_applies(rule: Rule, rest: Sequence[Word], grammar: Grammar) -> bool:
    if not rule.bare and all(word.fold in grammar.value_end_words for word in rest):
        return False
    if rest and not rule.bare and grammar.cues.deictic.prefix_length(rest):
        return False
    return rule.needs is None or rule.needs(rest)


def strip_no_longer(words: tuple[Word, ...], grammar: Grammar) -> tuple[tuple[Word, ...], bool]:
    """Remove "no longer" and "not … any more", so that the rule for the plain statement matches."""
    cues = grammar.cues
    for position in range(min(len(words), 3)):
        if length := cues.no_longer.match_length(words, position):
            return words[:position] + words[position + length :], True
    negation = next(
        (position for position, word in enumerate(words[:3]) if word.fold in grammar.negations), None
    )
    any_more = next(
        (position for position in range(len(words)) if cues.any_more.match_length(words, position)), None
    )
    if negation is None or any_more is None or any_more < negation:
        return words, False
    removed_positions = {negation, *range(any_more, any_more + cues.any_more.match_length(words, any_more))}
    if negation and words[negation - 1].fold in {"do", "does"}:
        removed_positions.add(negation - 1)
    return tuple(word for position, word in enumerate(words) if position not in removed_positions), True
