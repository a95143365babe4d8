"""Find the facts in a message: who each clause speaks about, and which rule it fits."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from recollect.model.judgement import Fact
from recollect.steps.judge.compose import felt_again, lesson, noted, ordered, stated
from recollect.steps.judge.dates import CALENDARS, dates
from recollect.steps.judge.grammar import Language, Subject
from recollect.steps.judge.matching import Told, without_ending
from recollect.steps.judge.names import kin_name, own_name
from recollect.steps.judge.sentences import Clause, Sentence, segments, sentences, visible
from recollect.steps.judge.words import Word

_LONG = 800
_PASTED = 3000
_BREATH = 200  #: words nobody says in one sentence; the rest is not read
_FRESH = frozenset({"", ":", ";", "—", "–", "(", ")"})
_WEAK = frozenset({"keep", "bear", "tenha", "tem"})  #: "keep in mind that …" is often about the task at hand
_SAID = 1000
_NOTHING_MORE = 40  #: facts of one message; more is a text, not a chat


@dataclass(frozen=True, slots=True, kw_only=True)
class Opening:
    """A clause whose subject is known."""

    subject: Subject
    label: tuple[Word, ...] = ()
    body: tuple[Word, ...] = ()


def facts(text: str, said_at: datetime, language: Language) -> list[Fact]:
    shown = visible(text)
    told = Told(shown=shown, said_at=said_at, language=language)
    found: list[Fact] = []
    relative: Word | None = None
    for sentence in _spoken(shown, language):
        words = sentence.words
        if _is_buried(words[0].start, len(shown)):
            continue
        found += _sentence(sentence, told, relative, first=not found and words[0].start < 40)
        relative = next((word for word in reversed(words) if _kin(word, language)), relative)
        if len(found) >= _NOTHING_MORE:
            break
    return _distinct(found)[:_NOTHING_MORE]


def _is_buried(place: int, length: int) -> bool:
    """Whether it stands deep inside a text so long that it was pasted rather than said."""
    return length > _PASTED and _SAID < place < length - _SAID


def _kin(word: Word, language: Language) -> bool:
    return word.fold in language.kin


def _distinct(found: Sequence[Fact]) -> list[Fact]:
    seen: dict[str, Fact] = {}
    for fact in sorted(found, key=lambda fact: fact.start):
        seen.setdefault(fact.text.casefold(), fact)
    return list(seen.values())


def _spoken(shown: str, language: Language) -> Iterator[Sentence]:
    """Sentences that are meant: what is staged, pasted or a joke is left out, the unreal end of one cut off."""
    everything = list(sentences(shown, language))
    signs = language.signs
    if any(signs.joke.within(sentence.words) for sentence in everything):
        return
    if everything and signs.letter.starts(everything[0].words):
        return
    for sentence in everything:
        staged = signs.staged.first(sentence.words)
        pasted = _pasted(sentence, language)
        unreal = signs.unreal.first(sentence.words)
        end = min(staged, pasted, unreal, _BREATH)
        if end > 0:
            yield _upto(sentence, end)
        if staged < len(sentence.words) or pasted < len(sentence.words):
            return


def _pasted(sentence: Sentence, language: Language) -> int:
    for place, gap in enumerate(sentence.gaps):
        if ":" in gap and language.signs.pasted.within(sentence.words[max(0, place - 8) : place]):
            return place
    if ":" in sentence.end and language.signs.pasted.within(sentence.words[-8:]):
        return len(sentence.words) - 1
    return len(sentence.words)


def _upto(sentence: Sentence, end: int) -> Sentence:
    if end >= len(sentence.words):
        return sentence
    return Sentence(words=sentence.words[:end], gaps=sentence.gaps[:end], end="")


def _sentence(sentence: Sentence, told: Told, relative: Word | None, *, first: bool) -> list[Fact]:
    return (
        _to_keep(sentence, told)
        or _from_now_on(sentence, told)
        or _stated_in(sentence, told, relative, first=first)
    )


def _stated_in(sentence: Sentence, told: Told, relative: Word | None, *, first: bool) -> list[Fact]:
    language = told.language
    if taught := lesson(sentence.words, told) or felt_again(sentence.words, told):
        return [taught]
    clauses = segments(sentence, language)
    if "?" in sentence.end:
        clauses = _before_the_question(clauses, language)
    found: list[Fact] = []
    current: Opening | None = None
    parts: list[Clause] = []
    for place, clause in enumerate(clauses):
        body = _body(clause.words, told)
        if (
            first
            and place < 3
            and (name := own_name(body, told, greeted=len(body) < len(clause.words) or place > 0))
        ):
            found.append(name)
            continue
        if relative_fact := _of_relative(body, clauses[:place], relative, told):
            found.append(relative_fact)
            continue
        if current is None and not parts and _only_fillers(body, language):
            continue
        opening = _opening(body, clause, current, language)
        if opening is None:
            parts.append(clause)
            continue
        found += _close(current, parts, told)
        current, parts = opening, [replace(clause, words=opening.body)]
    return found + _close(current, parts, told)


def _from_now_on(sentence: Sentence, told: Told) -> list[Fact]:
    """Read "from now on …" and "… from now on" as an order that holds for good."""
    leads, words = told.language.signs.leads, sentence.words
    start = leads.starts(words)
    end = next(
        (
            place
            for place in range(max(1, len(words) - 5), len(words))
            if place + leads.at(words, place) == len(words)
        ),
        len(words),
    )
    rest = Sentence(words=words[start:end], gaps=("", *sentence.gaps[start + 1 : end]), end=sentence.end)
    if (not start and end == len(words)) or not rest.words or "?" in sentence.end:
        return []
    if found := _stated_in(rest, told, None, first=False):
        return found
    clause = _unfilled(segments(rest, told.language)[0].words, told.language)
    speaking = told.language.pronouns | told.language.others | told.language.own
    return [] if not clause or speaking & {word.fold for word in clause[:2]} else [ordered(clause, told)]


def _of_relative(
    body: Sequence[Word], before: Sequence[Clause], relative: Word | None, told: Told
) -> Fact | None:
    if not body or not any(pattern.end(body) for pattern in told.language.theirs):
        return None
    words = [word for clause in before for word in clause.words if _kin(word, told.language)]
    who = words[-1] if words else relative
    return kin_name(who, body, told) if who else None


def _to_keep(sentence: Sentence, told: Told) -> list[Fact]:
    words, signs = sentence.words, told.language.signs
    start = 0
    while start < len(words) and words[start].fold in signs.polite:
        if signs.keep.at(words, start):
            break
        start += 1
    length = signs.keep.at(words, start) if start < len(words) else 0
    rest = words[start + length :]
    asked = "?" in sentence.end and not start
    if not length or not rest or asked:
        return []
    if not _tells(words[start + length - 1], rest, sentence.gaps[start + length], told):
        return []
    inner = Sentence(words=rest, gaps=("", *sentence.gaps[start + length + 1 :]), end="")
    found = _stated_in(inner, told, None, first=False)
    if found or len(told.shown) > _LONG:
        return found
    spoken = {word.fold for word in rest}
    personal = bool(spoken & (told.language.own | told.language.pronouns)) or words[start].fold not in _WEAK
    return [noted(rest, told)] if personal and not spoken & told.language.hearer else []


def _tells(last: Word, rest: Sequence[Word], gap: str, told: Told) -> bool:
    """Tell "remember that …" and "remember: …" from "remember to …" and "remember when …"."""
    language = told.language
    if ":" in gap or last.fold in {"that", "que"}:
        return True
    return rest[0].fold in language.pronouns | language.own or _owned(tuple(rest), language) is not None


def _before_the_question(clauses: Sequence[Clause], language: Language) -> list[Clause]:
    for place, clause in enumerate(clauses):
        if language.signs.asking.starts(_unfilled(clause.words, language)):
            return list(clauses[:place])
    return []


def _unfilled(words: Sequence[Word], language: Language) -> Sequence[Word]:
    while words and (length := language.fillers.starts(words)):
        words = words[length:]
    return words


def _only_fillers(words: Sequence[Word], language: Language) -> bool:
    return not _unfilled(words, language)


def _body(words: Sequence[Word], told: Told) -> tuple[Word, ...]:
    """Without greetings and dates before the subject."""
    language = told.language
    while words:
        length = language.fillers.starts(words)
        if not length:
            when = dates(words[:5], told.said_at, CALENDARS[language.code], ahead=False)
            length = when[0].last + 1 if when and when[0].first == 0 else 0
        if not length or length >= len(words):
            break
        words = words[length:]
    return tuple(words)


def _opening(
    body: tuple[Word, ...], clause: Clause, current: Opening | None, language: Language
) -> Opening | None:
    """Return the subject the clause opens with; None when it goes on with the clause before."""
    if not body:
        return Opening(subject=Subject.OTHER)
    if language.signs.doubt.within(body):
        return Opening(subject=Subject.OTHER)
    fold = body[0].fold
    if fold in language.pronouns:
        return Opening(subject=Subject.SPEAKER, body=body)
    if owned := _owned(body, language):
        return owned
    if fold in language.others and not language.opens(body, Subject.ORDER):
        return Opening(subject=Subject.OTHER)
    return _unsaid(body, clause, current, language)


def _owned(body: tuple[Word, ...], language: Language) -> Opening | None:
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
        return Opening(subject=Subject.KIN, label=body[noun:end], body=body[end:])
    if thing := _thing(body, noun, language):
        return thing
    return Opening(subject=Subject.SPEAKER, body=body[start:]) if own else None


def _thing(body: tuple[Word, ...], noun: int, language: Language) -> Opening | None:
    for end in range(noun + 1, min(len(body), noun + 9)):
        if body[end].fold in language.thing_verbs:
            label = body[noun:end]
            clean = not any(word.fold in language.articles | language.own for word in label[:2])
            if clean and any(word.fold in language.things for word in label[:3]):
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
    carried = subject in {Subject.SPEAKER, Subject.KIN, Subject.THING}
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


def _close(opening: Opening | None, parts: Sequence[Clause], told: Told) -> list[Fact]:
    if opening is None or opening.subject is Subject.OTHER or not opening.body:
        return []
    # In a long text "always check …" and "the system must …" were written for somebody else.
    if len(told.shown) > _LONG and opening.subject in {Subject.ORDER, Subject.THING}:
        return []
    return stated(opening.subject, opening.label, parts, told)
