"""Read what a language model answered: kindly in its form, strictly in what it says."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from recollect.domain.message import MessageType
from recollect.extraction.fact_checks import CONTENT, Claim, claim, first, number, says_nothing, tidy
from recollect.extraction.lenient_json import values
from recollect.extraction.prompt_builder import Question
from recollect.extraction.validation import Spoken, Standards, Verdict, settled

#: No answer to our questions is longer.
LONGEST = 200_000
MOST_FACTS = 100
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
    if isinstance(found, Spoken) and len(found.claims) > MOST_FACTS:
        return Unreadable(reason=f"it lists {len(found.claims):,} facts")
    if isinstance(found, Unreadable):
        return Unreadable(reason=f"{found.reason}, and it was cut off") if cut else found
    return settled(found, question, held)


def _spoken(text: str) -> str:
    """The answer without the thinking before it, and with whole characters."""
    whole = text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace").strip("\ufeff \t\r\n")
    opening = _THOUGHT.match(whole)
    if opening:
        closing = whole.find(f"</{opening[1]}>")
        return whole[closing + len(opening[1]) + 3 :].strip() if closing >= 0 else ""
    return whole


def _one_line(said: str, held: Standards, *, cut: bool) -> Spoken | Unreadable:
    lines = [line for line in _FENCE.sub("", said).splitlines() if line.strip()]
    if not lines or says_nothing(lines[0], held.nothing):
        return Spoken(claims=(), reason="the model says NOTHING" if lines else "the reply is empty")
    if _DECLINED.match(lines[0].strip()):
        return Unreadable(reason="it declines to answer")
    if len(lines) > 1 or cut:
        return Unreadable(
            reason="it has more than one line" if len(lines) > 1 else "the line is not finished"
        )
    line = tidy(_LABEL.sub("", tidy(lines[0])))
    if says_nothing(line, held.nothing) or not line:
        return Spoken(claims=(), reason="the model says NOTHING")
    return Spoken(claims=(Claim(text=line),))


def _listed(said: str) -> Spoken | Unreadable:
    if says_nothing(said):
        return Spoken(claims=(), reason="the model says NOTHING")
    found = list(values(said))
    lists = [items for value, _ in found if (items := _items(value)) is not None]
    # One object a line is a list as well.
    lists.append([value for value, _ in found if isinstance(value, dict) and _is_item(value)])
    claims = max((_claims(items) for items in lists), key=len)
    if claims:
        return Spoken(claims=claims)
    if any(lists):
        return Unreadable(reason='no item has the form {"t": "…", "c": "…", "w": 0.0-1.0}')
    if any(complete and _items(value) == [] for value, complete in found):
        return Spoken(claims=(), reason="the model found no facts")
    return Unreadable(reason="there is no JSON list in it" if len(lists) == 1 else "it breaks off at once")


def _judged(said: str) -> Spoken | Unreadable:
    found = [item for value, _ in values(said) for item in (value if isinstance(value, list) else [value])]
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
    return Spoken(
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
    return [value] if _is_item(value) else None


def _is_item(value: dict[str, object]) -> bool:
    return any(name in value for name in CONTENT)


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
