"""Extract importance, type, summary and facts with rules, in English and Portuguese."""

from datetime import datetime

from recollect.domain.extraction import Extraction, Fact
from recollect.domain.message import Role
from recollect.extraction.rules.en.language import ENGLISH
from recollect.extraction.rules.extractor import extract_facts
from recollect.extraction.rules.importance import classify_message, score_importance, summarize_message
from recollect.extraction.rules.pt.language import PORTUGUESE
from recollect.extraction.rules.sentences import blank_non_prose
from recollect.text.identifiers import looks_like_code
from recollect.text.language import detect_language
from recollect.text.quotation import blank_spans, quoted_spans

_LANGUAGES = {"en": ENGLISH, "pt": PORTUGUESE}


def extract_by_rules(text: str, *, role: Role, sent_at: datetime, language: str | None = None) -> Extraction:
    """
    Return the importance of a message and the facts that its author states.

    Facts come only from user messages, and not from quoted or pasted text. Each fact cites the characters that it
    was made of.
    """
    if role not in {Role.USER, Role.ASSISTANT}:
        return Extraction(importance=0, reason=f"{role} messages are never extracted")
    language_code = _language_code(text, language)
    own_text = blank_spans(text, quoted_spans(text))
    facts = _extract_with_fallback(own_text, sent_at, language_code) if role is Role.USER else []
    prose = blank_non_prose(text)
    kind = classify_message(facts, is_code=_is_mostly_code(text, prose))
    score = score_importance(facts, prose, kind)
    return Extraction(
        importance=score,
        message_type=kind,
        summary=summarize_message(facts, prose, language_code) if score else None,
        facts=tuple(facts),
        reason="extracted by rules" if score else "nothing to extract",
    )


def _language_code(text: str, language: str | None) -> str:
    tag = (language or detect_language(text) or "").split("-")[0].casefold()
    return tag if tag in _LANGUAGES else "en"


def _extract_with_fallback(text: str, sent_at: datetime, language_code: str) -> list[Fact]:
    # Language detection may fail on short or mixed messages; rules of the wrong language rarely match.
    other = next(code for code in _LANGUAGES if code != language_code)
    return extract_facts(text, sent_at, _LANGUAGES[language_code]) or extract_facts(
        text, sent_at, _LANGUAGES[other]
    )


def _is_mostly_code(text: str, prose: str) -> bool:
    hidden = len(text.split()) - len(prose.split())
    return "```" in text or (hidden > len(prose.split()) and looks_like_code(text))
