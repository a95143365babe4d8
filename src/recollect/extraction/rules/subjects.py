"""Detect the subject of a clause: the user, their family, a project, a named person or somebody else."""

from dataclasses import dataclass, replace

from recollect.extraction.rules.grammar import Grammar, SubjectType
from recollect.extraction.rules.lexicon import TECHNOLOGIES
from recollect.extraction.rules.matcher import strip_no_longer
from recollect.extraction.rules.sentences import Clause
from recollect.extraction.rules.tokens import Word

_MAX_LABEL_WORDS = 9
_FRESH_START_LINKS = frozenset({"", ":", ";", "—", "–", "(", ")"})


@dataclass(frozen=True, slots=True, kw_only=True)
class ClauseOpening:
    """The subject of a clause and the words after it."""

    subject: SubjectType
    label: tuple[Word, ...] = ()
    body: tuple[Word, ...] = ()


def parse_opening(
    body: tuple[Word, ...], clause: Clause, current: ClauseOpening | None, grammar: Grammar
) -> ClauseOpening | None:
    """Return the subject of the clause; None if it continues the clause before."""
    if not body or grammar.cues.doubt.occurs_in(body):
        return ClauseOpening(subject=SubjectType.OTHER)
    fold = body[0].fold
    if fold in grammar.pronouns:
        return ClauseOpening(subject=SubjectType.SPEAKER, body=body)
    if (
        parsed_opening := parse_possessive(body, grammar)
        or _parse_quantified(body, grammar)
        or _parse_named(body, grammar)
    ):
        return parsed_opening
    if fold in grammar.other_subjects and not grammar.can_open_clause(body, SubjectType.ORDER):
        return ClauseOpening(subject=SubjectType.OTHER)
    return _infer_subject(body, clause, current, grammar)


def parse_possessive(body: tuple[Word, ...], grammar: Grammar) -> ClauseOpening | None:
    """Parse "my sister …", "our app …", "the backend …"; "my name" and "my goal" have the user as subject."""
    start = 0
    while start < len(body) and start < 2 and body[start].fold in grammar.articles:
        start += 1
    is_possessive = start < len(body) and body[start].fold in grammar.possessives
    noun = start + is_possessive
    while is_possessive and noun + 1 < len(body) and body[noun].fold in grammar.kin_modifiers:
        noun += 1
    if noun >= len(body) or not (is_possessive or start):
        return _parse_project(body, 0, grammar) if body[0].fold in grammar.bare_project_nouns else None
    fold = body[noun].fold.removesuffix("'s")
    if is_possessive and (fold in grammar.kin or fold in grammar.acquaintances):
        end = noun + 1
        while (
            end < len(body)
            and end < noun + 3
            and (body[end].is_capitalized or body[end].fold in grammar.kin_modifiers)
        ):
            end += 1
        return ClauseOpening(
            subject=SubjectType.KIN,
            label=body[noun:end],
            body=_expand_possessive_is(body, noun, end, grammar),
        )
    if thing := _parse_project(body, noun, grammar):
        return thing
    return ClauseOpening(subject=SubjectType.SPEAKER, body=body[start:]) if is_possessive else None


def _expand_possessive_is(body: tuple[Word, ...], noun: int, end: int, grammar: Grammar) -> tuple[Word, ...]:
    """Expand the 's of "my wife's allergic to bees" to "is", but not that of "my wife's sister"."""
    rest = body[end:]
    if not body[noun].fold.endswith("'s") or not rest:
        return rest
    expanded = (replace(body[noun], text="is", fold="is", start=body[noun].end - 1), *rest)
    return expanded if _starts_with_verb(expanded, SubjectType.KIN, grammar) else rest


def _parse_quantified(body: tuple[Word, ...], grammar: Grammar) -> ClauseOpening | None:
    """Parse "all dates must …", "nothing here may …": a rule of the project."""
    modals = grammar.quantifiers.get(body[0].fold, frozenset())
    for end in range(1, min(len(body), _MAX_LABEL_WORDS)) if modals else ():
        if body[end].fold in grammar.pronouns | grammar.second_person | grammar.possessives:
            return None
        if body[end].fold in modals:
            return ClauseOpening(subject=SubjectType.RULE, label=body[:end], body=body[end:])
    return None


def _parse_named(body: tuple[Word, ...], grammar: Grammar) -> ClauseOpening | None:
    """Parse "Ana prefers …", "a Joana não mora mais …": one or two names and a verb of a rule for people."""
    start = int(len(body) > 1 and body[0].fold in grammar.articles and body[1].is_capitalized)
    end = start
    while end < min(len(body), start + 2) and _is_name(body[end], grammar):
        end += 1
    rest = body[end:]
    if end == start or not rest or not _starts_with_verb(rest, SubjectType.NAMED, grammar):
        return None
    return ClauseOpening(subject=SubjectType.NAMED, label=body[start:end], body=rest)


def _is_name(word: Word, grammar: Grammar) -> bool:
    other_words = (
        grammar.not_names
        | grammar.other_subjects
        | grammar.possessives
        | grammar.project_nouns
        | TECHNOLOGIES
    )
    return word.text[0].isupper() and word.text[0].isalpha() and word.fold not in other_words


def _parse_project(body: tuple[Word, ...], noun: int, grammar: Grammar) -> ClauseOpening | None:
    for end in range(noun + 1, min(len(body), noun + _MAX_LABEL_WORDS)):
        if body[end].fold in grammar.project_verbs:
            label = body[noun:end]
            is_plain_label = not any(
                word.fold in grammar.articles | grammar.possessives for word in label[:2]
            )
            if is_plain_label and any(word.fold in grammar.project_nouns for word in (*label[:3], label[-1])):
                return ClauseOpening(subject=SubjectType.THING, label=label, body=body[end:])
            return None
    return None


def _infer_subject(
    body: tuple[Word, ...], clause: Clause, current: ClauseOpening | None, grammar: Grammar
) -> ClauseOpening | None:
    subject = current.subject if current else None
    is_fresh_start = clause.link in _FRESH_START_LINKS or current is None
    may_be_order = clause.link in {"", ":", ";"} or subject in {None, SubjectType.ORDER}
    if may_be_order and grammar.can_open_clause(body, SubjectType.ORDER):
        return ClauseOpening(subject=SubjectType.ORDER, body=body)
    can_carry_over = subject in {
        SubjectType.SPEAKER,
        SubjectType.KIN,
        SubjectType.NAMED,
        SubjectType.THING,
        SubjectType.RULE,
    }
    if current and can_carry_over and _starts_with_verb(body, current.subject, grammar):
        return ClauseOpening(subject=current.subject, label=current.label, body=body)
    # Portuguese verb forms imply the first person.
    if (
        is_fresh_start or subject is SubjectType.OTHER or grammar.subjectless_verbs is None
    ) and _is_subjectless(body, grammar):
        return ClauseOpening(subject=SubjectType.SPEAKER, body=body)
    if (
        grammar.cues.question.prefix_length(body)
        or is_fresh_start
        or clause.link in grammar.clause_conjunctions
    ):
        return ClauseOpening(subject=SubjectType.OTHER)
    return None


def _is_subjectless(body: tuple[Word, ...], grammar: Grammar) -> bool:
    return grammar.can_omit_subject(body[0]) and _starts_with_verb(body, SubjectType.SPEAKER, grammar)


def _starts_with_verb(body: tuple[Word, ...], subject: SubjectType, grammar: Grammar) -> bool:
    body, _ = strip_no_longer(body, grammar)
    position = 0
    if not body:
        return False
    while position < len(body) - 1 and body[position].fold in grammar.adverbs | grammar.emphasis_adverbs:
        position += 1
    return grammar.can_open_clause(body[position:], subject)
