"""Score the importance of a message, classify it and summarize it in one sentence."""

import re
from collections.abc import Sequence

from recollect.domain.extraction import Fact
from recollect.domain.memory import Kind
from recollect.domain.message import MessageType
from recollect.extraction.rules.lexicon import word_set
from recollect.extraction.rules.tokens import fold

_MAX_SUMMARY_WORDS = 25
_MAX_SCANNED_CHARS = 20_000
_SENTENCE_PATTERN = re.compile(r"[^.!?\n]+[.!?]*")
_SUMMARY_SUBJECTS = {"en": ("User", "User defined"), "pt": ("Usuário", "Usuário definiu")}

_HEALTH_RISK_PATTERN = re.compile(r"\b(?:al+erg|intoler|diabet|co?eliac|epilep)")
_BINDING_WORDS = word_set(
    "never always must architecture only nunca sempre jamais arquitetura precisa deve decided agreed chose chosen "
    "settled decidiu escolheu optou definiu combinou resolveu migrated migrou"
)
_FIRST_PERSON_WORDS = word_set(
    "i i'm im i've my me we our us eu meu minha meus minhas me nos nosso nossa estou tenho preciso quero"
)

#: Context scores 31 to 70; constraints and health risks score more.
_IMPORTANCE_BY_KIND = {
    Kind.BIOGRAPHY: 65,
    Kind.PREFERENCE: 60,
    Kind.EMOTION: 55,
    Kind.GOAL: 60,
    Kind.EVENT: 68,
    Kind.DECISION: 68,
    Kind.NOTE: 50,
}
_HEALTH_IMPORTANCE = 90
_BINDING_IMPORTANCE = 85
_CODE_IMPORTANCE = 20


def score_importance(facts: Sequence[Fact], prose: str, kind: MessageType) -> int:
    """Return 0 for trivial, up to 30 for temporary, up to 70 for context, above for critical messages."""
    if facts:
        return max(_fact_importance(fact) for fact in facts)
    return _CODE_IMPORTANCE if kind is MessageType.CODE else _transient_importance(prose[:_MAX_SCANNED_CHARS])


def _fact_importance(fact: Fact) -> int:
    text = fold(fact.text)
    if fact.kind is Kind.BIOGRAPHY and _HEALTH_RISK_PATTERN.search(text):
        return _HEALTH_IMPORTANCE
    if fact.kind is Kind.DECISION and (fact.weight >= 0.95 or _BINDING_WORDS & set(text.split())):
        return _BINDING_IMPORTANCE
    return _IMPORTANCE_BY_KIND[fact.kind]


def _transient_importance(prose: str) -> int:
    """Return the importance of a message without facts: up to 30 if it is long or personal, else 0."""
    words = [fold(word).strip(".,!?;:") for word in prose.split()]
    is_personal = bool(_FIRST_PERSON_WORDS & set(words))
    if len(words) < (4 if is_personal else 12):
        return 0
    return min(30, 5 + 5 * is_personal + len(words) // 10)


def classify_message(facts: Sequence[Fact], *, is_code: bool) -> MessageType:
    if any(fact.kind is Kind.DECISION for fact in facts):
        return MessageType.DECISION
    return MessageType.CODE if is_code else MessageType.CHAT


def summarize_message(facts: Sequence[Fact], prose: str, language: str) -> str | None:
    """Return at most 25 words: the facts if there are any, else the most informative sentence."""
    if facts:
        subject = _SUMMARY_SUBJECTS[language][any(fact.kind is Kind.DECISION for fact in facts)]
        return _truncate_words(f"{subject}: {'; '.join(fact.text for fact in facts)}.")
    sentences = [
        piece.strip() for piece in _SENTENCE_PATTERN.findall(prose[:_MAX_SCANNED_CHARS]) if piece.strip()
    ]
    return _truncate_words(max(sentences, key=_information_score)) if sentences else None


def _information_score(sentence: str) -> int:
    """Count distinct long words, names and numbers."""
    words = set(sentence.split())
    return sum((len(word) > 4) + (not word.islower()) for word in words)


def _truncate_words(text: str) -> str:
    words = text.split()
    if len(words) <= _MAX_SUMMARY_WORDS:
        return " ".join(words)
    return " ".join(words[: _MAX_SUMMARY_WORDS - 1]) + " …"
