"""Say what a message is worth, what kind it is, and what it says in one sentence."""

import re
from collections.abc import Sequence

from recollect.domain.extraction import Fact
from recollect.domain.memory import Kind
from recollect.domain.message import MessageType
from recollect.extraction.rules.lexicon import listed
from recollect.extraction.rules.tokens import fold

_SUMMARY_WORDS = 25
_LOOKED_AT = 20_000
_SENTENCE = re.compile(r"[^.!?\n]+[.!?]*")
_WHO = {"en": ("User", "User defined"), "pt": ("Usuário", "Usuário definiu")}

_DANGEROUS = re.compile(r"\b(?:al+erg|intoler|diabet|co?eliac|epilep)")
_LASTING = listed(
    "never always must architecture only nunca sempre jamais arquitetura precisa deve decided agreed chose chosen "
    "settled decidiu escolheu optou definiu combinou resolveu migrated migrou"
)
_PERSONAL = listed(
    "i i'm im i've my me we our us eu meu minha meus minhas me nos nosso nossa estou tenho preciso quero"
)

#: Context is worth 31 to 70; what must not be broken is worth more.
_WORTH = {
    Kind.BIO: 65,
    Kind.PREF: 60,
    Kind.EMO: 55,
    Kind.OBJ: 60,
    Kind.EVT: 68,
    Kind.DEC: 68,
    Kind.NOTE: 50,
}
_HARMFUL = 90
_BINDING = 85
_CODE = 20


def importance(facts: Sequence[Fact], shown: str, kind: MessageType) -> int:
    """0 for nothing, up to 30 for what may matter today, up to 70 for context, above for what must not be broken."""
    if facts:
        return max(_worth(fact) for fact in facts)
    return _CODE if kind is MessageType.CODE else _passing(shown[:_LOOKED_AT])


def _worth(fact: Fact) -> int:
    text = fold(fact.text)
    if fact.kind is Kind.BIO and _DANGEROUS.search(text):
        return _HARMFUL
    if fact.kind is Kind.DEC and (fact.weight >= 0.95 or _LASTING & set(text.split())):
        return _BINDING
    return _WORTH[fact.kind]


def _passing(shown: str) -> int:
    """What a message without facts is worth for a while: long or personal ones a little, the rest nothing."""
    words = [fold(word).strip(".,!?;:") for word in shown.split()]
    personal = bool(_PERSONAL & set(words))
    if len(words) < (4 if personal else 12):
        return 0
    return min(30, 5 + 5 * personal + len(words) // 10)


def message_type(facts: Sequence[Fact], *, code: bool) -> MessageType:
    if any(fact.kind is Kind.DEC for fact in facts):
        return MessageType.DECISION
    return MessageType.CODE if code else MessageType.CHAT


def summary(facts: Sequence[Fact], shown: str, language: str) -> str | None:
    """One sentence of at most 25 words: the facts if there are any, otherwise what says most."""
    if facts:
        who = _WHO[language][any(fact.kind is Kind.DEC for fact in facts)]
        return _clipped(f"{who}: {'; '.join(fact.text for fact in facts)}.")
    sentences = [piece.strip() for piece in _SENTENCE.findall(shown[:_LOOKED_AT]) if piece.strip()]
    return _clipped(max(sentences, key=_told)) if sentences else None


def _told(sentence: str) -> int:
    """How much a sentence says: its different long words, names and numbers."""
    words = set(sentence.split())
    return sum((len(word) > 4) + (not word.islower()) for word in words)


def _clipped(text: str) -> str:
    words = text.split()
    if len(words) <= _SUMMARY_WORDS:
        return " ".join(words)
    return " ".join(words[: _SUMMARY_WORDS - 1]) + " …"
