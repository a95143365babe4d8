"""
Facts about the user in the third person, as other programs store them: "lives in Porto", "User likes tea."

The extraction rules read the first person. So the verb of a statement is put into each first-person form that it may
have, and the result is read by the rules. Their fact is used only if its text is the original statement, so that a
wrong form has no effect: "lives in Porto" → "I live in Porto" → the fact "lives in Porto", a biography with the
attribute `lives_in`.
"""

import re
from collections.abc import Iterator
from datetime import datetime

from recollect.domain.extraction import Fact
from recollect.domain.message import Role
from recollect.extraction.local_extractor import extract_by_rules
from recollect.extraction.rules.pt.verbs import to_first_person

_SUBJECT = re.compile(
    r"(?:the user|user|he|she|they|(?:o |a )?usu[áa]ri[oa]|(?:o |a )?utilizador[a]?|ele|ela)\s+(?=\S)",
    re.IGNORECASE,
)
_ENGLISH_VERBS = {"is": "am", "has": "have", "does": "do", "goes": "go", "was": "was", "are": "am"}


def read_third_person(text: str, *, at: datetime) -> Fact | None:
    """Return the fact that a statement expresses about the user, or None if the rules do not recognize it."""
    statement = _SUBJECT.sub("", text.strip(), count=1) if _SUBJECT.match(text.strip()) else text.strip()
    statement = statement.rstrip(".").strip()
    for candidate in _first_person(statement):
        facts = extract_by_rules(candidate, role=Role.USER, sent_at=at).facts
        if len(facts) == 1 and facts[0].text.casefold() == statement.casefold():
            return facts[0]
    return None


def _first_person(statement: str) -> Iterator[str]:
    verb, _, rest = statement.partition(" ")
    folded = verb.casefold()
    if not rest:
        return
    for first in dict.fromkeys(_english_verbs(folded)):
        yield f"I {first} {rest}."
    if portuguese := to_first_person(folded):
        yield f"Eu {portuguese} {rest}."


def _english_verbs(verb: str) -> Iterator[str]:
    if verb in _ENGLISH_VERBS:
        yield _ENGLISH_VERBS[verb]
    elif verb.endswith("s"):
        yield verb[:-1]
        if verb.endswith("es"):
            yield verb[:-2]
        if verb.endswith("ies"):
            yield f"{verb[:-3]}y"
    else:
        # A past tense is the same in both persons.
        yield verb
