"""
Whose fact it is: a model may take another person's fact, a role or a quotation for the user's.

A fact is the user's if the sentences that support it speak in the first person, or if the fact names the other
person itself ("has a brother living in Osaka"). It is not if its sentences are about somebody whom the fact leaves
out ("my boss ran the marathon" → "ran the marathon"), are only a general question or a supposition, or
are part of a role play or a draft of fiction.
"""

from recollect.domain.reason import Reason, ReasonCode
from recollect.extraction.gates import GateKind, MessageGate
from recollect.extraction.mentions import RELATION_GROUPS, find_mentions
from recollect.extraction.rules.lexicon import word_set
from recollect.extraction.rules.tokens import fold
from recollect.extraction.sentence_units import SentenceUnit, split_units
from recollect.extraction.sentence_vocabulary import MAX_LEAD_WORDS, SENTENCE_VOCABULARIES

_FICTION_WORDS = word_set(
    "novel story poem song fiction character narrator protagonist book writing play script conto romance "
    "poema musica ficcao personagem "
    "narrador narradora protagonista livro escreve escrevendo roteiro"
)


def find_owner_conflict(
    fact_text: str, cited_text: str, gate: MessageGate | None, language: str
) -> Reason | None:
    """Return why a fact is not the user's, or None."""
    fact_words = {fold(word).strip(".,;:!?()'\"") for word in fact_text.replace("'s", " ").split()}
    if gate is not None and gate.is_closed:
        is_about_writing = gate.kind is GateKind.FICTION and _FICTION_WORDS & fact_words
        return None if is_about_writing else gate.reason
    units = split_units(cited_text)
    if units and all(_is_hypothetical(unit, language) for unit in units):
        return Reason(ReasonCode.HYPOTHETICAL)
    if not units or any(_speaks_in_first_person(unit, language) for unit in units):
        return None
    if all(unit.is_question and not _has_request(unit, language) for unit in units) and not _mentions(units):
        return Reason(ReasonCode.ONLY_ASKED)
    for unit in units:
        for person in _mentions([unit]):
            words = {fold(word) for word in person.split()}
            related = {name for word in words for name in RELATION_GROUPS.get(word, (word,))}
            if related & fact_words:
                return None
    people = _mentions(units)
    return Reason(ReasonCode.ABOUT_SOMEONE_ELSE, {"person": people[0]}) if people else None


def _mentions(units: list[SentenceUnit]) -> list[str]:
    return [mention.text for unit in units for mention in find_mentions(unit.tokens)]


def _is_hypothetical(unit: SentenceUnit, language: str) -> bool:
    """Return whether a sentence begins with a supposition: "Suppose I lived in Bali"."""
    vocabulary = SENTENCE_VOCABULARIES[language]
    lead = range(min(MAX_LEAD_WORDS, len(unit.words)))
    return any("hypothetical" in vocabulary.classes_at(unit.words, position) for position in lead)


def _speaks_in_first_person(unit: SentenceUnit, language: str) -> bool:
    """Return whether the user acts or is concerned in a sentence, besides owning the relation ("my boss")."""
    vocabulary = SENTENCE_VOCABULARIES[language]
    return any(
        "first_person" in vocabulary.classes_at(unit.words, position)
        for position, word in enumerate(unit.words)
    )


def _has_request(unit: SentenceUnit, language: str) -> bool:
    vocabulary = SENTENCE_VOCABULARIES[language]
    return any(
        name in {"first_possessive", "first_person"}
        for position in range(len(unit.words))
        for name in vocabulary.classes_at(unit.words, position)
    )
