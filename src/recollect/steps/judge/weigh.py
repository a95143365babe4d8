"""Say what a message is worth, what kind it is, and what it says in one sentence."""

import re
from collections.abc import Sequence

from recollect.model.judgement import Fact
from recollect.model.memory import Kind
from recollect.model.message import MessageType

_SUMMARY_WORDS = 25
_CRITICAL = ("allerg", "alérgi", "alergi", "intoler", "diabet")
_PERMANENT = (
    "never",
    "always",
    "must",
    "nunca",
    "sempre",
    "jamais",
    "architecture",
    "arquitetura",
    "precisa",
    "deve",
)

#: In the middle of the band that each kind belongs to.
_WORTH = {
    Kind.BIO: 65,
    Kind.PREF: 60,
    Kind.EMO: 55,
    Kind.OBJ: 60,
    Kind.EVT: 70,
    Kind.DEC: 70,
    Kind.NOTE: 50,
}


def importance(facts: Sequence[Fact], text: str, message_type: MessageType) -> int:
    """0 for nothing, up to 30 for what may matter today, up to 70 for context, above for what must not be broken."""
    if facts:
        best = max(_worth(fact) for fact in facts)
        return min(100, best + min(5, len(facts) - 1))
    words = len(text.split())
    if message_type is MessageType.CODE:
        return 20
    return 0 if words < 12 else min(30, 5 + words // 8)


def _worth(fact: Fact) -> int:
    text = fact.text.casefold()
    if any(sign in text for sign in _CRITICAL):
        return 90
    if fact.kind is not Kind.DEC:
        return _WORTH[fact.kind]
    words = set(text.split())
    if words & set(_PERMANENT):
        return 92
    # Choosing is for long; a project's detail is context.
    return (
        85 if "decid" in text or "agree" in text or "cho" in text or fact.weight >= 0.95 else _WORTH[Kind.DEC]
    )


def message_type(facts: Sequence[Fact], *, code: bool) -> MessageType:
    if any(fact.kind is Kind.DEC for fact in facts):
        return MessageType.DECISION
    return MessageType.CODE if code else MessageType.CHAT


def summary(facts: Sequence[Fact], shown: str, language: str) -> str | None:
    """One sentence of at most 25 words: the facts if there are any, otherwise what says most."""
    if facts:
        told = "; ".join(fact.text for fact in facts)
        return (
            _clipped(f"{_WHO[language][any(fact.kind is Kind.DEC for fact in facts)]}: {told}").rstrip(".")
            + "."
        )
    sentences = [piece.strip() for piece in _SENTENCE.findall(shown[:_LOOKED_AT]) if piece.strip()]
    return _clipped(max(sentences, key=_told)) if sentences else None


_SENTENCE = re.compile(r"[^.!?\n]+[.!?]*")
_LOOKED_AT = 20_000
_WHO = {"en": ("User", "User defined"), "pt": ("Usuário", "Usuário definiu")}


def _told(sentence: str) -> int:
    """How much a sentence says: its different long words, names and numbers."""
    words = set(sentence.split())
    return sum((len(word) > 4) + (not word.islower()) for word in words)


def _clipped(text: str) -> str:
    words = text.split()
    return " ".join(words) if len(words) <= _SUMMARY_WORDS else " ".join(words[: _SUMMARY_WORDS - 1]) + " …"
