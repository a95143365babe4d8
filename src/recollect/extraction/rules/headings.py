"""Extract facts after a heading with a colon: "we talked and agreed: …", "for the file: …", "my take on it: …"."""

from recollect.domain.extraction import Fact
from recollect.domain.memory import Kind
from recollect.extraction.rules.composition import build_note
from recollect.extraction.rules.matcher import MessageContext
from recollect.extraction.rules.phrasing import join_words
from recollect.extraction.rules.sentences import Sentence

_MAX_HEADING_WORDS = 14
_MIN_BODY_WORDS = 3
_MAX_FACT_WORDS = 40


def extract_heading_fact(sentence: Sentence, context: MessageContext) -> Fact | None:
    """Return the fact after a colon if the words before it announce a decision, an opinion or a note."""
    grammar, words = context.grammar, sentence.words
    colon = next(
        (i for i, gap in enumerate(sentence.gaps[:_MAX_HEADING_WORDS]) if ":" in gap and gap != ":"), 0
    )
    head, rest = words[:colon], words[colon:]
    folds = {word.fold for word in head}
    if (
        not colon
        or len(rest) < _MIN_BODY_WORDS
        or "?" in sentence.end
        or folds & (grammar.second_person | grammar.negations)
    ):
        return None
    cues = grammar.cues
    if cues.note_heading.occurs_in(head):
        return build_note(rest, context)
    kind = (
        Kind.DECISION
        if cues.decision_heading.occurs_in(head)
        else Kind.PREFERENCE
        if cues.opinion_heading.occurs_in(head)
        else None
    )
    if kind is None or cues.question.prefix_length(head):
        return None
    start = min(cues.decision_heading.first_position(head), cues.opinion_heading.first_position(head))
    start += words[start].fold in grammar.list_conjunctions
    fact_words = words[start : start + _MAX_FACT_WORDS]
    text = join_words(fact_words, grammar.to_third_person(fact_words, verb=True), context.prose)
    return Fact(
        text=text[:1].lower() + text[1:],
        kind=kind,
        weight=0.9 if kind is Kind.DECISION else 0.7,
        start=fact_words[0].start,
        end=fact_words[-1].end,
    )
