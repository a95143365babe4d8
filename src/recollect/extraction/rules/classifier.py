"""Extract importance, type, summary and facts with rules, in English and Portuguese."""

from datetime import datetime

from recollect.domain.extraction import Extraction, Fact
from recollect.domain.message import Role
from recollect.extraction.rules.en.grammar import ENGLISH_GRAMMAR
from recollect.extraction.rules.extractor import extract_facts
from recollect.extraction.rules.grammar import Grammar
from recollect.extraction.rules.importance import classify_message, score_importance, summarize_message
from recollect.extraction.rules.pt.grammar import PORTUGUESE_GRAMMAR
from recollect.extraction.rules.sentences import blank_non_prose
from recollect.text.identifiers import looks_like_code
from recollect.text.language import detect_language
from recollect.text.quotation import blank_spans, quoted_spans

#: The rules of each language, by its code. Of messages in other languages only a model extracts facts.
GRAMMARS = {grammar.language.code: grammar for grammar in (ENGLISH_GRAMMAR, PORTUGUESE_GRAMMAR)}


def extract_by_rules(text: str, *, role: Role, sent_at: datetime, language: str | None = None) -> Extraction:
    """
    Return the importance of a message and the facts that its author states.

    Facts come only from user messages, and not from quoted or pasted text. Each fact cites the characters that it
    was made of.
    """
    if role not in {Role.USER, Role.ASSISTANT}:
        return Extraction(importance=0, reason=f"{role} messages are never extracted")
    grammar = _find_grammar(language or detect_language(text)) or ENGLISH_GRAMMAR
    own_text = blank_spans(text, quoted_spans(text))
    facts = _extract_with_fallback(own_text, sent_at, grammar) if role is Role.USER else []
    prose = blank_non_prose(text)
    kind = classify_message(facts, is_code=_is_mostly_code(text, prose))
    score = score_importance(facts, prose, kind)
    return Extraction(
        importance=score,
        message_type=kind,
        summary=summarize_message(facts, prose, grammar.language.code) if score else None,
        facts=tuple(facts),
        reason="extracted by rules" if score else "nothing to extract",
    )


def _find_grammar(language: str) -> Grammar | None:
    """Return the rules of a language, given as a tag such as "pt-BR"; None if there are none."""
    return GRAMMARS.get(language.split("-", maxsplit=1)[0].casefold())


def _extract_with_fallback(text: str, sent_at: datetime, grammar: Grammar) -> list[Fact]:
    # Language detection may fail on short or mixed messages; rules of the wrong language rarely match.
    others = (other for other in GRAMMARS.values() if other is not grammar)
    attempts = (extract_facts(text, sent_at, each) for each in (grammar, *others))
    return next((facts for facts in attempts if facts), [])


def _is_mostly_code(text: str, prose: str) -> bool:
    hidden = len(text.split()) - len(prose.split())
    return "```" in text or (hidden > len(prose.split()) and looks_like_code(text))
