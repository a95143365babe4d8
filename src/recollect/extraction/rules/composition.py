"""Compose facts from clauses: rewrite the words, fill the attribute, resolve the dates."""

from collections.abc import Iterator, Sequence
from itertools import takewhile

from recollect.domain.extraction import Fact
from recollect.domain.memory import Kind
from recollect.extraction.rules.grammar import Grammar, SubjectType
from recollect.extraction.rules.matcher import MessageContext, RuleMatch, match_rule
from recollect.extraction.rules.names import extract_kin_name, strip_possessive
from recollect.extraction.rules.phrasing import append_dates, join_words, original_text
from recollect.extraction.rules.sentences import Clause
from recollect.extraction.rules.slots import fill_slot, find_answer_language, format_favourite
from recollect.extraction.rules.tokens import Word
from recollect.text.dates import DateMention

_MAX_FACT_WORDS = 32
_MAX_ITEM_WORDS = 6
_NON_ITEM_WORDS = frozenset(
    {"the", "especially", "particularly", "mostly", "principalmente", "sobretudo", "as"}
)
_DEFINITE_ARTICLES = frozenset({"the", "o", "os"})


def extract_clause_facts(
    subject: SubjectType, label: tuple[Word, ...], parts: Sequence[Clause], context: MessageContext
) -> list[Fact]:
    """Return the facts of a clause and the parts that continue it."""
    grammar = context.grammar
    words = parts[0].words
    if all(word.fold in grammar.adverbs for word in words):
        return []
    if subject is SubjectType.KIN:
        if kin_name := extract_kin_name(label, words, context):
            return [kin_name]
        if label[0].fold.removesuffix("'s") in grammar.acquaintances:
            return []
    match = match_rule(subject, label, words, context)
    if match is None:
        return []
    return list(_facts_from_match(match, parts, context))


def _facts_from_match(match: RuleMatch, parts: Sequence[Clause], context: MessageContext) -> Iterator[Fact]:
    rule = match.rule
    further_parts = [part for part in parts[1:] if part.words]
    if (
        rule.each
        and further_parts
        and _can_split(match)
        and not _is_attached(match, further_parts[0].words, context.grammar)
    ):
        yield _build_fact(match, (*match.head, *match.object_words), match.object_words, context)
        for part in takewhile(lambda part: _is_item(part.words, context.grammar), further_parts):
            item = _strip_repeated_preposition(part.words, match.head[-1], context.grammar)
            yield _build_fact(match, (*match.head, *item), item, context)
        return
    added_words: list[Word] = []
    for part in further_parts:
        is_name_list = rule.kind is Kind.BIOGRAPHY and all(word.is_capitalized for word in part.words)
        if part.link not in context.grammar.list_conjunctions and not rule.wide and not is_name_list:
            break
        if _starts_with_list_ending_verb(part.words, context.grammar) or _is_correction(
            part, context.grammar
        ):
            break
        added_words += part.words
    fact_words = _trim_trailing((*match.words, *added_words)[:_MAX_FACT_WORDS], context.grammar)
    yield _build_fact(
        match,
        fact_words,
        _trim_trailing((*match.object_words, *added_words)[:_MAX_FACT_WORDS], context.grammar),
        context,
    )


def _trim_trailing(words: tuple[Word, ...], grammar: Grammar) -> tuple[Word, ...]:
    while len(words) > 1 and words[-1].fold in grammar.trailing_fillers:
        words = words[:-1]
    return words


def _is_correction(part: Clause, grammar: Grammar) -> bool:
    """Return whether the part negates an alternative: "by 30 June, not 15 May"."""
    return part.link == "," and part.words[0].text in grammar.negations


def _starts_with_list_ending_verb(words: Sequence[Word], grammar: Grammar) -> bool:
    """Return whether the part starts with a verb instead of a list item; adverbs are skipped."""
    word = next((word for word in words if word.fold not in grammar.adverbs), words[0])
    return word.fold in grammar.list_ending_verbs or (
        grammar.language.code == "en" and word.fold.endswith("ed")
    )


def _can_split(match: RuleMatch) -> bool:
    # "the warm and aromatic flavour" is one item.
    return (
        not match.is_ended
        and bool(match.object_words)
        and match.object_words[0].fold not in _DEFINITE_ARTICLES
    )


def _is_attached(match: RuleMatch, item: Sequence[Word], grammar: Grammar) -> bool:
    """Return whether an item belongs to the object: "family" in "trips with friends and family"."""
    has_preposition = any(word.fold in grammar.value_end_words for word in match.object_words)
    return has_preposition and len(item) <= 2 and not item[0].fold.endswith("ing")


def _is_item(words: Sequence[Word], grammar: Grammar) -> bool:
    if (
        len(words) > _MAX_ITEM_WORDS
        or _starts_with_list_ending_verb(words, grammar)
        or words[0].fold in _NON_ITEM_WORDS
    ):
        return False
    return not any(word.fold in grammar.project_verbs for word in words)


def _strip_repeated_preposition(words: tuple[Word, ...], last: Word, grammar: Grammar) -> tuple[Word, ...]:
    """Remove a repeated preposition: the second "a" in "alérgico a camarão e a amendoim"."""
    repeats_preposition = (
        len(words) > 1 and last.fold in grammar.value_end_words and words[0].fold in grammar.value_end_words
    )
    return words[1:] if repeats_preposition else words


def _build_fact(
    match: RuleMatch, words: Sequence[Word], object_words: Sequence[Word], context: MessageContext
) -> Fact:
    rule = match.rule
    date_mentions = context.find_dates(words, is_future=_refers_to_future(match, context.grammar))
    attribute, value = fill_slot(match, object_words, context)
    start = min(word.start for word in (*match.label, *words))
    return Fact(
        text=_fact_text(match, words, date_mentions, value, context),
        kind=rule.kind,
        weight=rule.weight,
        start=start,
        end=max(word.end for word in words),
        attribute=attribute,
        value=value if attribute else None,
        negated=match.is_ended or rule.negated,
        valid_from=date_mentions[0].starts_at
        if date_mentions and rule.kind not in {Kind.GOAL, Kind.EMOTION}
        else None,
    )


def _refers_to_future(match: RuleMatch, grammar: Grammar) -> bool:
    has_future_word = any(word.fold in grammar.future_words for word in match.head)
    return has_future_word or match.rule.kind in {Kind.GOAL, Kind.EMOTION}


def _fact_text(
    match: RuleMatch,
    words: Sequence[Word],
    date_mentions: Sequence[DateMention],
    value: str | None,
    context: MessageContext,
) -> str:
    grammar = context.grammar
    if match.rule.attribute == "favourite" and value:
        return format_favourite((*match.head, *words[len(match.head) :]), value, context.prose, grammar)
    if match.rule.says and value:
        nouns = [word.text for word in match.head if word.fold in grammar.goal_nouns]
        return match.rule.says.format(x=value, head=nouns[0].lower() if nouns else "")
    if match.subject is SubjectType.SPEAKER:
        texts = grammar.to_third_person(words)
    elif match.subject is SubjectType.ORDER:
        texts = grammar.to_infinitive(words)
    else:
        texts = [None if word.fold in grammar.possessives else word.text for word in words]
    text = join_words(words, append_dates(texts, date_mentions), context.prose)
    return f"{_label_text(match.label, context)} {text}" if match.label else text


def _label_text(label: Sequence[Word], context: MessageContext) -> str:
    return strip_possessive(original_text(label, context.prose))


def build_note(words: Sequence[Word], context: MessageContext) -> Fact:
    """Return a note for a statement that the user asked to remember and that matches no rule."""
    note_words = words[:_MAX_FACT_WORDS]
    starts_with_pronoun = note_words[0].fold in context.grammar.pronouns
    date_mentions = context.find_dates(note_words, is_future=True)
    texts = (
        context.grammar.to_third_person(note_words)
        if starts_with_pronoun
        or (context.grammar.language.code == "pt" and _starts_with_verb(note_words, context))
        else _without_possessives(note_words, context)
    )
    return Fact(
        text=join_words(note_words, append_dates(texts, date_mentions), context.prose),
        kind=Kind.NOTE,
        weight=0.6,
        start=note_words[0].start,
        end=note_words[-1].end,
    )


def _starts_with_verb(words: Sequence[Word], context: MessageContext) -> bool:
    return context.grammar.can_open_clause(words, SubjectType.SPEAKER)


def _without_possessives(words: Sequence[Word], context: MessageContext) -> list[str | None]:
    return [None if word.fold in context.grammar.possessives else word.text for word in words]


def build_instruction(words: Sequence[Word], context: MessageContext) -> Fact:
    """Return a fact for a lasting instruction to the assistant."""
    instruction_words = words[:_MAX_FACT_WORDS]
    answer_language = find_answer_language(instruction_words, context.grammar)
    return Fact(
        text=join_words(instruction_words, context.grammar.to_infinitive(instruction_words), context.prose),
        kind=Kind.DECISION,
        weight=0.85,
        start=instruction_words[0].start,
        end=instruction_words[-1].end,
        attribute="language_of_answers" if answer_language else None,
        value=answer_language,
    )


def extract_aversion(words: Sequence[Word], context: MessageContext) -> Fact | None:
    """Extract an aversion from a story: "I went, hated it, it was packed" gives "avoids crowded places"."""
    for dislike_cues, reason_cues, aversion in context.grammar.aversion_rules:
        if dislike_cues.occurs_in(words) and reason_cues.occurs_in(words):
            return Fact(
                text=aversion, kind=Kind.PREFERENCE, weight=0.7, start=words[0].start, end=words[-1].end
            )
    return None


def extract_trailing_favourite(words: Sequence[Word], context: MessageContext) -> Fact | None:
    """Extract "favourite music: jazz" from "jazz is my favourite music"."""
    grammar = context.grammar
    for position in range(1, min(len(words) - 3, _MAX_ITEM_WORDS)):
        is_possessive = (
            words[position].fold in grammar.copulas and words[position + 1].fold in grammar.possessives
        )
        nouns = [word for word in words[position + 2 :] if word.fold not in grammar.articles]
        if not is_possessive or not any(word.fold in grammar.favourite_words for word in nouns):
            continue
        if words[
            0
        ].fold in grammar.other_subjects | grammar.possessives or grammar.cues.deictic.prefix_length(words):
            return None
        value, favourite = (
            original_text(words[:position], context.prose),
            original_text(nouns[:_MAX_ITEM_WORDS], context.prose),
        )
        return Fact(
            text=f"{favourite}: {value}",
            kind=Kind.PREFERENCE,
            weight=0.8,
            start=words[0].start,
            end=words[-1].end,
        )
    return None


def extract_recurring_emotion(words: Sequence[Word], context: MessageContext) -> Fact | None:
    """Extract an emotion that recurs or that has a stated cause."""
    return _emotion_whenever(words, context) or _emotion_from_cause(words, context)


def _emotion_from_cause(words: Sequence[Word], context: MessageContext) -> Fact | None:
    """Extract "anxious about deadlines" from "deadlines make me anxious"."""
    grammar = context.grammar
    for position in range(1, min(len(words), 8)):
        ends = [
            end for pattern in grammar.feeling_cause_patterns if (end := pattern.match_end(words, position))
        ]
        if not ends or words[0].fold in grammar.other_subjects or grammar.cues.deictic.prefix_length(words):
            continue
        cause = join_words(
            words[:position], grammar.to_third_person(words[:position], verb=True), context.prose
        )
        if "," in cause:
            continue
        feeling = words[max(ends) - 1].text
        preposition = "about" if grammar.language.code == "en" else "com"
        return Fact(
            text=f"{feeling} {preposition} {cause[:1].lower() + cause[1:]}",
            kind=Kind.EMOTION,
            weight=0.8,
            start=words[0].start,
            end=words[max(ends) - 1].end,
        )
    return None


def _emotion_whenever(words: Sequence[Word], context: MessageContext) -> Fact | None:
    """Extract "gets anxious whenever deadlines come up" from "whenever deadlines come up I get anxious"."""
    grammar = context.grammar
    start = next(
        (i for i in range(min(len(words), 3)) if grammar.cues.every_time.match_length(words, i)),
        None,
    )
    if start is None:
        return None
    for position in range(start + 2, len(words)):
        if any(pattern.match_end(words, position) for pattern in grammar.feeling_patterns):
            feeling_words, cause_words = words[position:], words[start:position]
            texts = (
                join_words(feeling_words, grammar.to_third_person(feeling_words), context.prose),
                _cause_text(cause_words, context),
            )
            return Fact(
                text=" ".join(texts),
                kind=Kind.EMOTION,
                weight=0.8,
                start=words[start].start,
                end=words[-1].end,
            )
    return None


def _cause_text(words: Sequence[Word], context: MessageContext) -> str:
    first = words[0].text.lower()
    return join_words(words, [first, *context.grammar.to_third_person(words, verb=True)[1:]], context.prose)
