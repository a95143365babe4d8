"""Find the facts in a message: who each clause speaks about, and which rule it fits."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import datetime

from recollect.domain.extraction import Fact
from recollect.extraction.rules.composition import favoured_last, felt_again, lesson, noted, ordered, stated
from recollect.extraction.rules.dates import CALENDARS, dates
from recollect.extraction.rules.grammar import Language, Subject
from recollect.extraction.rules.headings import announced
from recollect.extraction.rules.matcher import Told
from recollect.extraction.rules.names import kin_name, own_name
from recollect.extraction.rules.prompt_injection import overridden
from recollect.extraction.rules.sentences import Clause, Sentence, segments, sentences, visible
from recollect.extraction.rules.subjects import Opening, opening, owned
from recollect.extraction.rules.tokens import Word, read

_LONG = 800
_BREATH = 200  #: words nobody says in one sentence; the rest is not read
_WEAK = frozenset({"keep", "bear", "tenha", "tem"})  #: "keep in mind that …" is often about the task at hand
_WHENEVER = frozenset({"when", "whenever", "quando"})
_THAT = frozenset("that this it isso isto".split())  #: ", does that help?" may leave its verb out
_NOTHING_MORE = 40  #: facts of one message; more is a text, not a chat


def facts(text: str, said_at: datetime, language: Language) -> list[Fact]:
    shown = visible(text)
    told = Told(shown=shown, said_at=said_at, language=language)
    found: list[Fact] = []
    relative: Word | None = None
    for sentence in _spoken(shown, language):
        words = sentence.words
        found += _sentence(sentence, told, relative, first=not found and words[0].start < 40)
        relative = next((word for word in reversed(words) if _kin(word, language)), relative)
        if len(found) >= _NOTHING_MORE:
            break
    return _distinct(found)[:_NOTHING_MORE]


def _kin(word: Word, language: Language) -> bool:
    return word.fold in language.kin


def _distinct(found: Sequence[Fact]) -> list[Fact]:
    seen: dict[str, Fact] = {}
    for fact in sorted(found, key=lambda fact: fact.start):
        seen.setdefault(fact.text.casefold(), fact)
    return list(seen.values())


def _spoken(shown: str, language: Language) -> Iterator[Sentence]:
    """
    Sentences that are meant: what is staged, pasted or a joke is left out, the unreal end of one cut off.

    Whoever tells the assistant to drop its instructions is not to be believed from there on.
    """
    everything = list(sentences(shown, language))
    signs = language.signs
    if any(signs.joke.within(sentence.words) for sentence in everything):
        return
    if everything and signs.letter.starts(everything[0].words):
        return
    for sentence in everything:
        staged = min(signs.staged.first(sentence.words), overridden(sentence.words))
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
        or _announced(sentence, told)
        or _whenever_asked(sentence, told)
        or _stated_in(sentence, told, relative, first=first)
    )


def _is_greeted(body: Sequence[Word], clause: Clause, place: int, told: Told) -> bool:
    """Whether a greeting stands before it: only there "Marcus here" is a name."""
    if len(body) < len(clause.words) or place > 0:
        return True
    language = told.language
    before = read(told.shown[: clause.words[0].start], language.contractions, language.clitics)
    return bool(before) and _only_fillers(before, language)


def _whenever_asked(sentence: Sentence, told: Told) -> list[Fact]:
    """Read "when you show code, use TypeScript" as an order that holds for good."""
    language, words = told.language, sentence.words
    if words[0].fold not in _WHENEVER & language.when or len(told.shown) > _LONG or "?" in sentence.end:
        return []
    clauses = segments(sentence, language)
    ordering = len(clauses) > 1 and clauses[1].words[0].fold in language.imperatives
    first = {word.fold for word in clauses[0].words}
    about_answers = bool(first & language.hearer) or language.unsaid is None
    mine = first & (language.pronouns | language.others - language.hearer)
    return [ordered(words, told)] if ordering and about_answers and not mine else []


def _announced(sentence: Sentence, told: Told) -> list[Fact]:
    found = None if len(told.shown) > _LONG else announced(sentence, told)
    return [found] if found else []


def _stated_in(sentence: Sentence, told: Told, relative: Word | None, *, first: bool) -> list[Fact]:
    language = told.language
    taught = lesson(sentence.words, told) or felt_again(sentence.words, told)
    if taught := taught or (None if "?" in sentence.end else favoured_last(sentence.words, told)):
        return [taught]
    clauses = segments(sentence, language)
    if "?" in sentence.end:
        clauses = _before_the_question(clauses, language)
    found: list[Fact] = []
    current: Opening | None = None
    parts: list[Clause] = []
    lead: tuple[Word, ...] = ()  # a date before its clause
    for place, clause in enumerate(clauses):
        body, when = _body(clause.words, told)
        if not body:
            lead = when or lead
            parts += [clause] if current else []
            continue
        if (
            first
            and place < 3
            and (name := own_name(body, told, greeted=_is_greeted(body, clause, place, told)))
        ):
            found.append(name)
            continue
        if relative_fact := _of_relative(body, clauses[:place], relative, told):
            found.append(relative_fact)
            continue
        if (current is None and not parts and _only_fillers(body, language)) or _is_aside(body, language):
            continue
        opened = opening(body, clause, current, language)
        if opened is None:
            parts.append(clause)
            continue
        found += _close(current, parts, told)
        dated = (*opened.body, *(when or lead)) if opened.body else ()
        current, parts = opened, [replace(clause, words=dated)]
        lead = ()
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
    whose = told.language.own | told.language.pronouns
    personal = bool(spoken & whose) or words[start].fold not in _WEAK
    return [noted(rest, told)] if personal and spoken - whose and not spoken & told.language.hearer else []


def _tells(last: Word, rest: Sequence[Word], gap: str, told: Told) -> bool:
    """Tell "remember that …" and "remember: …" from "remember to …" and "remember when …"."""
    language = told.language
    if ":" in gap or last.fold in {"that", "que"}:
        return True
    return rest[0].fold in language.pronouns | language.own or owned(tuple(rest), language) is not None


def _before_the_question(clauses: Sequence[Clause], language: Language) -> list[Clause]:
    for place, clause in enumerate(clauses):
        words = _unfilled(clause.words, language)
        if language.signs.asking.starts(words) or (words and words[0].fold in _THAT):
            return list(clauses[:place])
    return []


def _unfilled(words: Sequence[Word], language: Language) -> Sequence[Word]:
    while words and (length := language.fillers.starts(words)):
        words = words[length:]
    return words


def _is_aside(words: Sequence[Word], language: Language) -> bool:
    """Whether it is a turn of phrase such as "like I said"; one word may be an item of a list."""
    return language.fillers.starts(words) == len(words) > 1


def _only_fillers(words: Sequence[Word], language: Language) -> bool:
    return not _unfilled(words, language)


def _body(words: Sequence[Word], told: Told) -> tuple[tuple[Word, ...], tuple[Word, ...]]:
    """Without the greetings and the date before the subject, and that date."""
    language = told.language
    lead: tuple[Word, ...] = ()
    while words:
        length = language.fillers.starts(words)
        if not length:
            when = dates(words[:5], told.said_at, CALENDARS[language.code], ahead=False)
            length = when[0].last + 1 if when and when[0].first == 0 else 0
            lead = tuple(replace(word, text=word.text.lower()) for word in words[:length]) or lead
        elif length >= len(words):
            break
        if not length:
            break
        words = words[length:]
    return tuple(words), lead


def _close(opened: Opening | None, parts: Sequence[Clause], told: Told) -> list[Fact]:
    if opened is None or opened.subject is Subject.OTHER or not opened.body:
        return []
    # In a long text "always check …" and "the system must …" were written for somebody else.
    if len(told.shown) > _LONG and opened.subject in {
        Subject.ORDER,
        Subject.THING,
        Subject.RULE,
        Subject.NAMED,
    }:
        return []
    return stated(opened.subject, opened.label, parts, told)
