"""Say who a clause speaks about: the speaker, the speaker's people, a project, or nobody that matters."""

from dataclasses import dataclass, replace

from recollect.extraction.rules.grammar import Language, Subject
from recollect.extraction.rules.lexicon import TECHNOLOGY
from recollect.extraction.rules.matcher import without_ending
from recollect.extraction.rules.sentences import Clause
from recollect.extraction.rules.tokens import Word

_LONGEST_LABEL = 9
_FRESH = frozenset({"", ":", ";", "—", "–", "(", ")"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Opening:
    """A clause whose subject is known."""

    subject: Subject
    label: tuple[Word, ...] = ()
    body: tuple[Word, ...] = ()


def opening(
    body: tuple[Word, ...], clause: Clause, current: Opening | None, language: Language
) -> Opening | None:
    """Return the subject the clause opens with; None when it goes on with the clause before."""
    if not body or language.signs.doubt.within(body):
        return Opening(subject=Subject.OTHER)
    fold = body[0].fold
    if fold in language.pronouns:
        return Opening(subject=Subject.SPEAKER, body=body)
    if found := owned(body, language) or _quantified(body, language) or _named(body, language):
        return found
    if fold in language.others and not language.opens(body, Subject.ORDER):
        return Opening(subject=Subject.OTHER)
    return _unsaid(body, clause, current, language)


def owned(body: tuple[Word, ...], language: Language) -> Opening | None:
    """My sister …, our app …, the backend …; my name, my goal and the like belong to the speaker's own rules."""
    start = 0
    while start < len(body) and start < 2 and body[start].fold in language.articles:
        start += 1
    own = start < len(body) and body[start].fold in language.own
    noun = start + own
    while own and noun + 1 < len(body) and body[noun].fold in language.nearer:
        noun += 1
    if noun >= len(body) or not (own or start):
        return _thing(body, 0, language) if body[0].fold in language.bare_things else None
    fold = body[noun].fold.removesuffix("'s")
    if own and (fold in language.kin or fold in language.acquaintances):
        end = noun + 1
        while end < len(body) and end < noun + 3 and (body[end].capital or body[end].fold in language.nearer):
            end += 1
        return Opening(subject=Subject.KIN, label=body[noun:end], body=_unfolded(body, noun, end, language))
    if thing := _thing(body, noun, language):
        return thing
    return Opening(subject=Subject.SPEAKER, body=body[start:]) if own else None


def _unfolded(body: tuple[Word, ...], noun: int, end: int, language: Language) -> tuple[Word, ...]:
    """In "my wife's allergic to bees" the 's is a verb; in "my wife's sister" it is not."""
    rest = body[end:]
    if not body[noun].fold.endswith("'s") or not rest:
        return rest
    said = (replace(body[noun], text="is", fold="is", start=body[noun].end - 1), *rest)
    return said if _speaks(said, Subject.KIN, language) else rest


def _quantified(body: tuple[Word, ...], language: Language) -> Opening | None:
    """All dates must …, nothing here may …: a rule of the project, whatever it is about."""
    modals = language.quantities.get(body[0].fold, frozenset())
    for end in range(1, min(len(body), _LONGEST_LABEL)) if modals else ():
        if body[end].fold in language.pronouns | language.hearer | language.own:
            return None
        if body[end].fold in modals:
            return Opening(subject=Subject.RULE, label=body[:end], body=body[end:])
    return None


def _named(body: tuple[Word, ...], language: Language) -> Opening | None:
    """Ana prefers …, a Joana não mora mais …: one or two names, and a verb that is known of people."""
    start = int(len(body) > 1 and body[0].fold in language.articles and body[1].capital)
    end = start
    while end < min(len(body), start + 2) and _is_name(body[end], language):
        end += 1
    rest = body[end:]
    if end == start or not rest or not _speaks(rest, Subject.NAMED, language):
        return None
    return Opening(subject=Subject.NAMED, label=body[start:end], body=rest)


def _is_name(word: Word, language: Language) -> bool:
    known = language.not_names | language.others | language.own | language.things | TECHNOLOGY
    return word.text[0].isupper() and word.text[0].isalpha() and word.fold not in known


def _thing(body: tuple[Word, ...], noun: int, language: Language) -> Opening | None:
    for end in range(noun + 1, min(len(body), noun + _LONGEST_LABEL)):
        if body[end].fold in language.thing_verbs:
            label = body[noun:end]
            clean = not any(word.fold in language.articles | language.own for word in label[:2])
            if clean and any(word.fold in language.things for word in (*label[:3], label[-1])):
                return Opening(subject=Subject.THING, label=label, body=body[end:])
            return None
    return None


def _unsaid(
    body: tuple[Word, ...], clause: Clause, current: Opening | None, language: Language
) -> Opening | None:
    subject = current.subject if current else None
    fresh = clause.link in _FRESH or current is None
    ordering = clause.link in {"", ":", ";"} or subject in {None, Subject.ORDER}
    if ordering and language.opens(body, Subject.ORDER):
        return Opening(subject=Subject.ORDER, body=body)
    carried = subject in {Subject.SPEAKER, Subject.KIN, Subject.NAMED, Subject.THING, Subject.RULE}
    if current and carried and _speaks(body, current.subject, language):
        return Opening(subject=current.subject, label=current.label, body=body)
    # Portuguese verbs say by themselves that the speaker is meant.
    if (fresh or subject is Subject.OTHER or language.unsaid is None) and _is_alone(body, language):
        return Opening(subject=Subject.SPEAKER, body=body)
    if language.signs.asking.starts(body) or fresh or clause.link in language.hard:
        return Opening(subject=Subject.OTHER)
    return None


def _is_alone(body: tuple[Word, ...], language: Language) -> bool:
    return language.may_stand_alone(body[0]) and _speaks(body, Subject.SPEAKER, language)


def _speaks(body: tuple[Word, ...], subject: Subject, language: Language) -> bool:
    body, _ = without_ending(body, language)
    place = 0
    if not body:
        return False
    while place < len(body) - 1 and body[place].fold in language.adverbs | language.emphasis:
        place += 1
    return language.opens(body[place:], subject)
