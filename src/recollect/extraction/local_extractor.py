"""Extract importance, type, summary and facts with rules, in English and Portuguese."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime

from recollect.domain.extraction import Extraction, Fact
from recollect.domain.message import Role
from recollect.domain.reason import Reason, ReasonCode
from recollect.extraction.rules.en.grammar import ENGLISH_GRAMMAR
from recollect.extraction.rules.extractor import extract_facts
from recollect.extraction.rules.importance import classify_message, score_importance, summarize_message
from recollect.extraction.rules.pt.grammar import PORTUGUESE_GRAMMAR
from recollect.extraction.rules.sentences import blank_non_prose
from recollect.extraction.sentence_classifier import load_weights
from recollect.extraction.sentence_extraction import (
    ReadMessage,
    SentenceDecision,
    decide_sentences,
    read_message,
)
from recollect.extraction.statements import points_elsewhere, strip_trailing_filler
from recollect.text.identifiers import looks_like_code
from recollect.text.language import UNDETERMINED, detect_language
from recollect.text.quotation import blank_spans, quoted_spans

#: The rules of each language, by its code. Of messages in other languages only a model extracts facts.
GRAMMARS = {grammar.language.code: grammar for grammar in (ENGLISH_GRAMMAR, PORTUGUESE_GRAMMAR)}
#: The language of a longer text is detected with certainty.
_MAX_FALLBACK_CHARS = 240


def extract_by_rules(text: str, *, role: Role, sent_at: datetime, language: str | None = None) -> Extraction:
    """
    Return the importance of a message and the facts that its author states.

    Facts come only from user messages, and not from quoted or pasted text. Each fact cites the characters that it
    was made of. Where the rules are silent, the sentence classifier decides.
    """
    if role not in {Role.USER, Role.ASSISTANT}:
        return Extraction(
            importance=0, reasons=(Reason(ReasonCode.ROLE_NOT_EXTRACTED, {"role": role.value}),)
        )
    language_code = supported_language(text, language)
    decisions = explain(text, sent_at=sent_at, language=language_code or "en") if role is Role.USER else []
    facts = [fact for decision in decisions for fact in decision.facts]
    prose = blank_non_prose(text)
    kind = classify_message(facts, is_code=_is_mostly_code(text, prose))
    score = score_importance(facts, prose, kind)
    return Extraction(
        importance=score,
        message_type=kind,
        summary=summarize_message(facts, prose, language_code or "en") if score else None,
        facts=tuple(facts),
        reasons=(_reason(facts, text, language_code, score),),
    )


def explain(text: str, *, sent_at: datetime, language: str | None = None) -> list[SentenceDecision]:
    """Return for each sentence of a user's message what is kept of it, and by which rule or weight."""
    code = supported_language(text, language) or "en"
    message, facts = read_with_rules(text, sent_at=sent_at, language=code)
    return decide_sentences(message, facts, load_weights(code), sent_at=sent_at)


def strongest_features(decision: SentenceDecision, *, limit: int) -> list[tuple[str, float]]:
    """Return the features with the largest weights in a decision."""
    return load_weights(decision.language).contributions(decision.features)[:limit]


def read_with_rules(text: str, *, sent_at: datetime, language: str) -> tuple[ReadMessage, list[Fact]]:
    """Return the sentences of a message with their features, and what the rules alone find in them."""
    quotes = quoted_spans(text)
    prose = blank_non_prose(blank_spans(text, quotes))
    facts = [
        replace(fact, text=strip_trailing_filler(fact.text))
        for fact in _extract_with_fallback(prose, sent_at, language)
        if not points_elsewhere(fact.text)
    ]
    return read_message(text, prose, quotes, facts, GRAMMARS[language]), facts


def supported_language(text: str, language: str | None = None) -> str | None:
    """Return the language whose rules apply; None if the text is in a language without rules."""
    tag = (language or detect_language(text) or "").split("-")[0].casefold()
    if tag in GRAMMARS:
        return tag
    return "en" if tag in {"", UNDETERMINED} else None


def _reason(facts: Sequence[Fact], text: str, language_code: str | None, score: int) -> Reason:
    if facts or language_code:
        return Reason(ReasonCode.EXTRACTED_BY_RULES if score else ReasonCode.NOTHING_TO_EXTRACT)
    return Reason(ReasonCode.NO_RULES_FOR_LANGUAGE, {"language": detect_language(text) or UNDETERMINED})


def _extract_with_fallback(prose: str, sent_at: datetime, language_code: str) -> list[Fact]:
    # Language detection may fail on short or mixed messages; rules of the wrong language rarely match.
    facts = extract_facts(prose, sent_at, GRAMMARS[language_code])
    if facts or len(prose) > _MAX_FALLBACK_CHARS:
        return facts
    other = next(code for code in GRAMMARS if code != language_code)
    return extract_facts(prose, sent_at, GRAMMARS[other])


def _is_mostly_code(text: str, prose: str) -> bool:
    hidden = len(text.split()) - len(prose.split())
    return "```" in text or (hidden > len(prose.split()) and looks_like_code(text))
