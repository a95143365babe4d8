"""
Rule-based fact extraction: tokenize, split into sentences and clauses, detect the subject, match a rule, compose.

1. `blank_non_prose` blanks code, logs and quoted speech; positions stay valid.
2. `split_sentences` tokenizes the text and splits it into sentences; `_literal_sentences` drops jokes, fiction,
   quotations, hypotheticals and everything after a prompt injection.
3. `split_clauses` splits a sentence at every possible clause boundary; `parse_opening` finds the subject of each
   clause, or None if the clause continues the one before (a list item, an object).
4. `match_rule` finds the first rule for that subject type whose word pattern matches the start of the clause.
5. `composition` rewrites the clause in the third person, resolves dates and fills the attribute and value.

Invariants: a fact cites the characters it was made of; at most 40 facts per message; no backtracking, so the time is
linear in the number of words times the rules that share a first word.

Example, "Hi! My sister lives in Porto and I love jazz.": the sentences are "Hi" (a filler, skipped) and the rest, whose
clauses are "My sister lives in Porto" and "I love jazz", linked by "and". The first opens with a possessive and a kin
noun: subject KIN, label "sister". A rule matches "lives in", with the object "Porto"; the fact is "sister lives in
Porto", attribute "sister.lives_in", value "Porto". The second has the subject SPEAKER and gives "loves jazz".
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import datetime

from recollect.domain.extraction import Fact
from recollect.extraction.rules.composition import (
    build_instruction,
    build_note,
    extract_aversion,
    extract_clause_facts,
    extract_recurring_emotion,
    extract_trailing_favourite,
)
from recollect.extraction.rules.grammar import Grammar, SubjectType
from recollect.extraction.rules.headings import extract_heading_fact
from recollect.extraction.rules.matcher import MessageContext
from recollect.extraction.rules.names import extract_mentioned_name, extract_own_name
from recollect.extraction.rules.prompt_injection import find_injection
from recollect.extraction.rules.sentences import (
    Clause,
    Sentence,
    blank_non_prose,
    split_clauses,
    split_sentences,
)
from recollect.extraction.rules.subjects import ClauseOpening, parse_opening, parse_possessive
from recollect.extraction.rules.tokens import Word, tokenize

_LONG_MESSAGE_CHARS = 800
_MAX_SENTENCE_WORDS = 200  #: the rest of a longer sentence is ignored
#: "keep in mind that …" is often about the current task.
_WEAK_REMEMBER_VERBS = frozenset({"keep", "bear", "tenha", "tem"})
_WHENEVER_WORDS = frozenset({"when", "whenever", "quando"})
_DEICTIC_WORDS = frozenset(
    "that this it isso isto".split()
)  #: start a question that may omit its verb: "that ok?"
_MAX_FACTS_PER_MESSAGE = 40  #: a longer list is a document, not a chat message


def extract_facts(text: str, sent_at: datetime, grammar: Grammar) -> list[Fact]:
    """Return the facts that a user states about themselves in a message, in text order."""
    prose = blank_non_prose(text)
    context = MessageContext(prose=prose, sent_at=sent_at, grammar=grammar)
    facts: list[Fact] = []
    relative: Word | None = None
    for sentence in _literal_sentences(prose, grammar):
        words = sentence.words
        facts += _sentence_facts(sentence, context, relative, is_first=not facts and words[0].start < 40)
        relative = next((word for word in reversed(words) if _is_kin(word, grammar)), relative)
        if len(facts) >= _MAX_FACTS_PER_MESSAGE:
            break
    return _deduplicate(facts)[:_MAX_FACTS_PER_MESSAGE]


def _is_kin(word: Word, grammar: Grammar) -> bool:
    return word.fold in grammar.kin


def _deduplicate(facts: Sequence[Fact]) -> list[Fact]:
    fact_by_text: dict[str, Fact] = {}
    for fact in sorted(facts, key=lambda fact: fact.start):
        fact_by_text.setdefault(fact.text.casefold(), fact)
    return list(fact_by_text.values())


def _literal_sentences(prose: str, grammar: Grammar) -> Iterator[Sentence]:
    """
    Yield the sentences that are meant literally, without jokes, fiction, quotations and hypothetical endings.

    After a prompt injection, fiction or a quotation the rest of the message is dropped.
    """
    all_sentences = list(split_sentences(prose, grammar))
    cues = grammar.cues
    if any(cues.is_joke(sentence.words) for sentence in all_sentences):
        return
    if all_sentences and cues.letter_opening.prefix_length(all_sentences[0].words):
        return
    for sentence in all_sentences:
        fiction_start = min(cues.fiction.first_position(sentence.words), find_injection(sentence.words))
        quotation_start = _quotation_start(sentence, grammar)
        hypothetical_start = cues.hypothetical.first_position(sentence.words)
        end = min(fiction_start, quotation_start, hypothetical_start, _MAX_SENTENCE_WORDS)
        if end > 0:
            yield _truncate_sentence(sentence, end)
        if fiction_start < len(sentence.words) or quotation_start < len(sentence.words):
            return


def _quotation_start(sentence: Sentence, grammar: Grammar) -> int:
    for position, gap in enumerate(sentence.gaps):
        if ":" in gap and grammar.cues.quotation_label.occurs_in(
            sentence.words[max(0, position - 8) : position]
        ):
            return position
    if ":" in sentence.end and grammar.cues.quotation_label.occurs_in(sentence.words[-8:]):
        return len(sentence.words) - 1
    return len(sentence.words)


def _truncate_sentence(sentence: Sentence, end: int) -> Sentence:
    if end >= len(sentence.words):
        return sentence
    return Sentence(words=sentence.words[:end], gaps=sentence.gaps[:end], end="")


def _sentence_facts(
    sentence: Sentence, context: MessageContext, relative: Word | None, *, is_first: bool
) -> list[Fact]:
    return (
        _remember_request_facts(sentence, context)
        or _standing_instruction(sentence, context)
        or _heading_facts(sentence, context)
        or _whenever_instruction(sentence, context)
        or _clause_facts(sentence, context, relative, is_first=is_first)
    )


def _follows_greeting(body: Sequence[Word], clause: Clause, position: int, context: MessageContext) -> bool:
    """Return whether a greeting precedes the clause: only then "Marcus here" is a name."""
    if len(body) < len(clause.words) or position > 0:
        return True
    grammar = context.grammar
    before = tokenize(context.prose[: clause.words[0].start], grammar.contractions, grammar.clitics)
    return bool(before) and _is_only_fillers(before, grammar)


def _whenever_instruction(sentence: Sentence, context: MessageContext) -> list[Fact]:
    """Extract "when you show code, use TypeScript" as a lasting instruction."""
    grammar, words = context.grammar, sentence.words
    if (
        words[0].fold not in _WHENEVER_WORDS & grammar.temporal_conjunctions
        or len(context.prose) > _LONG_MESSAGE_CHARS
        or "?" in sentence.end
    ):
        return []
    clauses = split_clauses(sentence, grammar)
    is_order = len(clauses) > 1 and clauses[1].words[0].fold in grammar.imperatives
    condition = {word.fold for word in clauses[0].words}
    is_about_assistant = bool(condition & grammar.second_person) or grammar.subjectless_verbs is None
    has_other_subject = condition & (grammar.pronouns | grammar.other_subjects - grammar.second_person)
    is_instruction = is_order and is_about_assistant and not has_other_subject
    return [build_instruction(words, context)] if is_instruction else []


def _heading_facts(sentence: Sentence, context: MessageContext) -> list[Fact]:
    fact = None if len(context.prose) > _LONG_MESSAGE_CHARS else extract_heading_fact(sentence, context)
    return [fact] if fact else []


def _clause_facts(
    sentence: Sentence, context: MessageContext, relative: Word | None, *, is_first: bool
) -> list[Fact]:
    grammar = context.grammar
    whole_fact = extract_aversion(sentence.words, context) or extract_recurring_emotion(
        sentence.words, context
    )
    if whole_fact := whole_fact or (
        None if "?" in sentence.end else extract_trailing_favourite(sentence.words, context)
    ):
        return [whole_fact]
    clauses = split_clauses(sentence, grammar)
    if "?" in sentence.end:
        clauses = _clauses_before_question(clauses, grammar)
    clause_facts: list[Fact] = []
    current: ClauseOpening | None = None
    parts: list[Clause] = []
    lead: tuple[Word, ...] = ()  # a date that precedes its clause
    for position, clause in enumerate(clauses):
        body, when = _split_lead(clause.words, context)
        if not body:
            lead = when or lead
            parts += [clause] if current else []
            continue
        if (
            is_first
            and position < 3
            and (
                name := extract_own_name(
                    body, context, after_greeting=_follows_greeting(body, clause, position, context)
                )
            )
        ):
            clause_facts.append(name)
            continue
        if relative_fact := _relative_name(body, clauses[:position], relative, context):
            clause_facts.append(relative_fact)
            continue
        if (current is None and not parts and _is_only_fillers(body, grammar)) or _is_aside(body, grammar):
            continue
        opening = parse_opening(body, clause, current, grammar)
        if opening is None:
            parts.append(clause)
            continue
        clause_facts += _finish_clause(current, parts, context)
        dated_words = (*opening.body, *(when or lead)) if opening.body else ()
        current, parts = opening, [replace(clause, words=dated_words)]
        lead = ()
    return clause_facts + _finish_clause(current, parts, context)


def _standing_instruction(sentence: Sentence, context: MessageContext) -> list[Fact]:
    """Extract "from now on …" and "… from now on" as a lasting instruction."""
    leads, words = context.grammar.cues.standing_instruction, sentence.words
    start = leads.prefix_length(words)
    end = next(
        (
            position
            for position in range(max(1, len(words) - 5), len(words))
            if position + leads.match_length(words, position) == len(words)
        ),
        len(words),
    )
    rest = Sentence(words=words[start:end], gaps=("", *sentence.gaps[start + 1 : end]), end=sentence.end)
    if (not start and end == len(words)) or not rest.words or "?" in sentence.end:
        return []
    if facts := _clause_facts(rest, context, None, is_first=False):
        return facts
    clause = _strip_fillers(split_clauses(rest, context.grammar)[0].words, context.grammar)
    statement_words = context.grammar.pronouns | context.grammar.other_subjects | context.grammar.possessives
    return (
        []
        if not clause or statement_words & {word.fold for word in clause[:2]}
        else [build_instruction(clause, context)]
    )


def _relative_name(
    body: Sequence[Word], before: Sequence[Clause], relative: Word | None, context: MessageContext
) -> Fact | None:
    if not body or not any(pattern.match_end(body) for pattern in context.grammar.mentioned_name_patterns):
        return None
    words = [word for clause in before for word in clause.words if _is_kin(word, context.grammar)]
    kin_word = words[-1] if words else relative
    return extract_mentioned_name(kin_word, body, context) if kin_word else None


def _remember_request_facts(sentence: Sentence, context: MessageContext) -> list[Fact]:
    words, cues = sentence.words, context.grammar.cues
    start = 0
    while start < len(words) and words[start].fold in cues.politeness_words:
        if cues.remember_request.match_length(words, start):
            break
        start += 1
    length = cues.remember_request.match_length(words, start) if start < len(words) else 0
    rest = words[start + length :]
    is_question = "?" in sentence.end and not start
    if not length or not rest or is_question:
        return []
    if not _introduces_statement(words[start + length - 1], rest, sentence.gaps[start + length], context):
        return []
    inner = Sentence(words=rest, gaps=("", *sentence.gaps[start + length + 1 :]), end="")
    facts = _clause_facts(inner, context, None, is_first=False)
    if facts or len(context.prose) > _LONG_MESSAGE_CHARS:
        return facts
    folds = {word.fold for word in rest}
    first_person_words = context.grammar.possessives | context.grammar.pronouns
    is_personal = bool(folds & first_person_words) or words[start].fold not in _WEAK_REMEMBER_VERBS
    return (
        [build_note(rest, context)]
        if is_personal and folds - first_person_words and not folds & context.grammar.second_person
        else []
    )


def _introduces_statement(last: Word, rest: Sequence[Word], gap: str, context: MessageContext) -> bool:
    """Return whether it is "remember that …" or "remember: …", not "remember to …" or "remember when …"."""
    grammar = context.grammar
    if ":" in gap or last.fold in {"that", "que"}:
        return True
    return (
        rest[0].fold in grammar.pronouns | grammar.possessives
        or parse_possessive(tuple(rest), grammar) is not None
    )


def _clauses_before_question(clauses: Sequence[Clause], grammar: Grammar) -> list[Clause]:
    for position, clause in enumerate(clauses):
        words = _strip_fillers(clause.words, grammar)
        if grammar.cues.question.prefix_length(words) or (words and words[0].fold in _DEICTIC_WORDS):
            return list(clauses[:position])
    return []


def _strip_fillers(words: Sequence[Word], grammar: Grammar) -> Sequence[Word]:
    while words and (length := grammar.fillers.prefix_length(words)):
        words = words[length:]
    return words


def _is_aside(words: Sequence[Word], grammar: Grammar) -> bool:
    """Return whether the clause is a filler phrase such as "like I said"; a single word may be a list item."""
    return grammar.fillers.prefix_length(words) == len(words) > 1


def _is_only_fillers(words: Sequence[Word], grammar: Grammar) -> bool:
    return not _strip_fillers(words, grammar)


def _split_lead(words: Sequence[Word], context: MessageContext) -> tuple[tuple[Word, ...], tuple[Word, ...]]:
    """Return the words without fillers and date before the subject, and the words of that date."""
    grammar = context.grammar
    lead: tuple[Word, ...] = ()
    while words:
        length = grammar.fillers.prefix_length(words)
        if not length:
            when = context.find_dates(words[:5], is_future=False)
            length = when[0].last_word + 1 if when and when[0].first_word == 0 else 0
            lead = tuple(replace(word, text=word.text.lower()) for word in words[:length]) or lead
        elif length >= len(words):
            break
        if not length:
            break
        words = words[length:]
    return tuple(words), lead


def _finish_clause(
    opening: ClauseOpening | None, parts: Sequence[Clause], context: MessageContext
) -> list[Fact]:
    if opening is None or opening.subject is SubjectType.OTHER or not opening.body:
        return []
    # In a long text "always check …" and "the system must …" are usually addressed to somebody else.
    if len(context.prose) > _LONG_MESSAGE_CHARS and opening.subject in {
        SubjectType.ORDER,
        SubjectType.THING,
        SubjectType.RULE,
        SubjectType.NAMED,
    }:
        return []
    return extract_clause_facts(opening.subject, opening.label, parts, context)
