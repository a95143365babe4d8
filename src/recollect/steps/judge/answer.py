"""Read what a language model answered: kindly in its form, strictly in what it says."""

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass

from recollect.model.judgement import Fact, Judgement
from recollect.model.message import MessageType, Role
from recollect.steps.judge.claims import (
    CONTENT,
    Claim,
    Nothing,
    claim,
    discarded,
    first,
    number,
    says_nothing,
    sprawling,
    tidy,
)
from recollect.steps.judge.grounding import Ground, Ungrounded, grounded
from recollect.steps.judge.lenient import values
from recollect.steps.judge.question import Question, Source
from recollect.steps.judge.vocabulary import VOCABULARIES
from recollect.text.language import detect

#: No answer to our questions is longer.
LONGEST = 200_000
#: A longer summary is none.
LONGEST_SUMMARY = 300

_THOUGHT = re.compile(r"\s*<(think|thinking|reasoning)>")
_FENCE = re.compile(r"^\s*```[^\n`]*\n?|\n?```\s*$")
_LABEL = re.compile(r"^(?:the )?(?:single )?(?:new )?(?:fact|fato|memory|memória)\s*:\s*", re.IGNORECASE)
_DECLINED = re.compile(
    r"(?:i(?:'|’)?m sorry|i am sorry|sorry,|i can(?:no|')?t\b|i cannot|as an ai\b|desculpe|sinto muito|não posso)",
    re.IGNORECASE,
)
_FIRST_SENTENCE = re.compile(r".*?\w\w\w[.!?…]+(?=\s)")
_LISTS = ("facts", "memories", "fatos", "memórias", "items", "results", "result", "data", "answer")
_IMPORTANCE = ("importance", "importância", "importancia", "score")
_TYPES = ("message_type", "type", "tipo")


@dataclass(frozen=True, slots=True, kw_only=True)
class Unreadable:
    """The answer has not the form that was asked for, and why."""

    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Quarantined:
    """A fact that is kept out of use, and why."""

    fact: Fact
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """What an answer says about one source of its question."""

    judgement: Judgement
    quarantined: tuple[Quarantined, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Standards:
    """What an answer is held against."""

    min_fact_chars: int = 10
    nothing: Nothing = "exact"
    known_names: Collection[str] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class _Spoken:
    """An answer taken apart."""

    claims: tuple[Claim, ...]
    importance: int | None = None
    message_type: MessageType | None = None
    summary: str | None = None
    reason: str = ""


def read(
    text: str, question: Question, standards: Standards | None = None, *, cut: bool = False
) -> tuple[Verdict, ...] | Unreadable:
    """
    What an answer says about each source of its question, in their order.

    Facts cite the characters of the message they rest on. Those that say more than the message, or more than a
    fact should, are quarantined. Never raises, whatever the text.
    """
    held = standards or Standards()
    said = _spoken(text)
    if len(said) > LONGEST:
        return Unreadable(reason=f"it has {len(said):,} characters")
    if question.opening and question.opening in said:
        return Unreadable(reason="it repeats the question")
    if not said and (cut or question.mode != "single_fact"):
        return Unreadable(reason="it was cut off before the first word" if cut else "it is empty")
    match question.mode:
        case "single_fact":
            found = _one_line(said, held, cut=cut)
        case "per_message":
            found = _judged(said)
        case _:
            found = _listed(said)
    if isinstance(found, Unreadable):
        return Unreadable(reason=f"{found.reason}, and it was cut off") if cut else found
    return _settled(found, question, held)


def _spoken(text: str) -> str:
    """The answer without the thinking before it, and with whole characters."""
    whole = text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace").strip("\ufeff \t\r\n")
    opening = _THOUGHT.match(whole)
    if opening:
        closing = whole.find(f"</{opening[1]}>")
        return whole[closing + len(opening[1]) + 3 :].strip() if closing >= 0 else ""
    return whole


def _one_line(said: str, held: Standards, *, cut: bool) -> _Spoken | Unreadable:
    lines = [line for line in _FENCE.sub("", said).splitlines() if line.strip()]
    if not lines or says_nothing(lines[0], held.nothing):
        return _Spoken(claims=(), reason="the model says NOTHING" if lines else "the reply is empty")
    if _DECLINED.match(lines[0].strip()):
        return Unreadable(reason="it declines to answer")
    if len(lines) > 1 or cut:
        return Unreadable(
            reason="it has more than one line" if len(lines) > 1 else "the line is not finished"
        )
    line = tidy(_LABEL.sub("", tidy(lines[0])))
    if says_nothing(line, held.nothing) or not line:
        return _Spoken(claims=(), reason="the model says NOTHING")
    return _Spoken(claims=(Claim(text=line),))


def _listed(said: str) -> _Spoken | Unreadable:
    if says_nothing(said):
        return _Spoken(claims=(), reason="the model says NOTHING")
    lists = [items for value in values(said) if (items := _items(value)) is not None]
    if not lists:
        return Unreadable(reason="there is no JSON list in it")
    claims = max((_claims(items) for items in lists), key=len)
    if not claims and any(lists):
        return Unreadable(reason='no item has the form {"t": "…", "c": "…", "w": 0.0-1.0}')
    return _Spoken(claims=claims, reason="" if claims else "the model found no facts")


def _judged(said: str) -> _Spoken | Unreadable:
    found = [item for value in values(said) for item in (value if isinstance(value, list) else [value])]
    objects = [value for value in found if isinstance(value, dict)]
    judged = next((value for value in objects if first(value, _IMPORTANCE) is not None), None)
    if judged is None:
        return Unreadable(reason="there is no JSON object with an importance in it")
    importance = _importance(first(judged, _IMPORTANCE))
    if importance is None:
        return Unreadable(reason="the importance is not a number from 0 to 100")
    items = _items(judged) or []
    claims = _claims(items) if importance else ()
    if items and importance and not claims:
        return Unreadable(reason='no fact has the form {"t": "…", "c": "…", "w": 0.0-1.0}')
    kind, summary = first(judged, _TYPES), judged.get("summary", judged.get("resumo"))
    return _Spoken(
        claims=claims,
        importance=importance,
        message_type=_message_type(kind),
        summary=_one_sentence(summary) if isinstance(summary, str) and importance else None,
        reason="" if importance else "the model judges it trivial",
    )


def _items(value: object) -> list[object] | None:
    """The list in an answer: bare, under a name, or a single fact that stands for one."""
    if isinstance(value, list):
        return value
    if not isinstance(value, dict):
        return None
    for name in _LISTS:
        if isinstance(found := value.get(name), list | dict):
            return found if isinstance(found, list) else [found]
    return [value] if any(name in value for name in CONTENT) else None


def _claims(items: Sequence[object]) -> tuple[Claim, ...]:
    return tuple(found for item in items if (found := claim(item)) is not None)


def _importance(value: object) -> int | None:
    found = number(value)
    if found is None or not 0 <= found <= 100:
        return None
    # 0.85 is meant as 85; 1 is what it says, temporary.
    return round(100 * found) if 0 < found < 1 else round(found)


def _message_type(value: object) -> MessageType | None:
    named = value.strip().casefold() if isinstance(value, str) else ""
    return MessageType(named) if named in set(MessageType) else None


def _one_sentence(text: str) -> str | None:
    line = tidy(text)
    found = _FIRST_SENTENCE.match(line[: LONGEST_SUMMARY + 1])
    sentence = found.group() if found else line
    return sentence if 0 < len(sentence) <= LONGEST_SUMMARY else None


def _settled(spoken: _Spoken, question: Question, held: Standards) -> tuple[Verdict, ...]:
    facts: dict[int, list[Fact]] = {}
    doubtful: dict[int, list[Quarantined]] = {}
    notes: dict[int, list[str]] = {}
    for found in spoken.claims:
        place, outcome = _held(found, question, held)
        match outcome:
            case Fact():
                facts.setdefault(place, []).append(outcome)
            case Quarantined():
                doubtful.setdefault(place, []).append(outcome)
            case reason:
                notes.setdefault(place, []).append(f"discarded: {reason}")
    return tuple(
        _verdict(
            source,
            spoken,
            facts=tuple(facts.get(place, ())),
            quarantined=tuple(doubtful.get(place, ())),
            notes=(question.label, *([spoken.reason] if spoken.reason else []), *notes.get(place, ())),
            held=held,
        )
        for place, source in enumerate(question.sources)
    )


def _held(found: Claim, question: Question, held: Standards) -> tuple[int, Fact | Quarantined | str]:
    """The source that a claim belongs to, and what becomes of it there."""
    reasons: dict[int, str] = {}
    for place in _likely(found, question.sources):
        source = question.sources[place]
        if why := discarded(found.text, min_chars=held.min_fact_chars):
            return place, why
        match _grounded(found.text, source, held):
            case Ground(start=start, end=end):
                fact = _fact(found, source, start, end)
                return place, Quarantined(fact=fact, reason=why) if (why := sprawling(found.text)) else fact
            case Ungrounded() as missing:
                reasons[place] = missing.reason
    place, reason = next(iter(reasons.items()))
    source = question.sources[place]
    return place, Quarantined(fact=_fact(found, source, 0, len(source.text)), reason=reason)


def _likely(found: Claim, sources: Sequence[Source]) -> Iterator[int]:
    """The message it is said to come from, then what the user said, then the rest."""
    named = found.message - 1 if found.message is not None and 0 < found.message <= len(sources) else None
    rest = sorted(range(len(sources)), key=lambda place: sources[place].role is not Role.USER)
    yield from rest if named is None else (named, *(place for place in rest if place != named))


def _fact(found: Claim, source: Source, start: int, end: int) -> Fact:
    return Fact(
        text=found.text,
        kind=found.kind,
        weight=found.weight,
        start=source.start + start,
        end=source.start + end,
    )


def _grounded(text: str, source: Source, held: Standards) -> Ground | Ungrounded:
    language = _language(text, source.text)
    return grounded(text, source.text, language=language, known_names=held.known_names)


def _language(fact: str, source: str) -> str:
    return next((spoken for spoken in map(detect, (source, fact)) if spoken in VOCABULARIES), "en")


def _verdict(
    source: Source,
    spoken: _Spoken,
    *,
    facts: tuple[Fact, ...],
    quarantined: tuple[Quarantined, ...],
    notes: tuple[str, ...],
    held: Standards,
) -> Verdict:
    heaviest = max((fact.weight for fact in facts), default=0.0)
    importance = round(100 * heaviest) if spoken.importance is None else spoken.importance
    return Verdict(
        judgement=Judgement(
            importance=importance,
            message_type=spoken.message_type or _seen_type(source, facts),
            summary=_true_summary(spoken.summary, source, held),
            facts=facts,
            reason="; ".join(notes),
        ),
        quarantined=quarantined,
    )


def _seen_type(source: Source, facts: Sequence[Fact]) -> MessageType:
    if any(fact.kind == "dec" for fact in facts):
        return MessageType.DECISION
    return MessageType.CODE if "```" in source.text else MessageType.CHAT


def _true_summary(summary: str | None, source: Source, held: Standards) -> str | None:
    """A summary may use its own words, but no names or numbers that the message does not have."""
    if summary is None:
        return None
    found = _grounded(summary, source, held)
    return None if isinstance(found, Ungrounded) and found.names else summary
