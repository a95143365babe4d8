"""Parse the reply of a language model: lenient in syntax, strict in content."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from recollect.domain.extraction import Extraction
from recollect.domain.message import MessageType
from recollect.domain.reason import Reason, ReasonCode
from recollect.extraction.fact_checks import (
    TEXT_KEYS,
    ModelFact,
    first_value,
    is_empty_reply,
    normalize_line,
    parse_fact,
    parse_number,
)
from recollect.extraction.lenient_json import parse_values
from recollect.extraction.prompt_builder import ExtractionRequest
from recollect.extraction.validation import ParsedReply, ValidationLimits, validate_reply

FOUND_NOTHING = Reason(ReasonCode.MODEL_FOUND_NOTHING)
#: Longer replies are rejected without parsing.
MAX_REPLY_CHARS = 200_000
MAX_REPLY_FACTS = 100
#: More lines than this are no reply to the prompt for a single fact.
MAX_SINGLE_FACT_LINES = 3
#: A longer summary is discarded.
MAX_SUMMARY_CHARS = 300

_THINKING_TAG_PATTERN = re.compile(r"\s*<(think|thinking|reasoning)>")
_FENCE_PATTERN = re.compile(r"^\s*```[^\n`]*\n?|\n?```\s*$")
_FACT_LABEL_PATTERN = re.compile(
    r"^(?:the )?(?:single )?(?:new )?(?:fact|fato|memory|memória)\s*:\s*", re.IGNORECASE
)
_REFUSAL_PATTERN = re.compile(
    r"(?:i(?:'|’)?m sorry|i am sorry|sorry,|i can(?:no|')?t\b|i cannot|as an ai\b|desculpe|sinto muito|não posso)",
    re.IGNORECASE,
)
#: Remarks of a model around the fact.
_REMARK_PATTERN = re.compile(
    r"\(?(?:here(?:'s| is| are)|sure\b|certainly|of course|note:|this (?:is|fact|one)|these (?:are|facts)|"
    r"no other|nothing else|let me know|"
    r"i (?:chose|picked|selected|kept)|explanation:|reason:|because|aqui está|aqui vai|claro\b|nota:|"
    r"observação:|este (?:é|fato)|esse (?:é|fato)|"
    r"nenhum outro|me avise|explicação:)",
    re.IGNORECASE,
)
_FIRST_SENTENCE_PATTERN = re.compile(r".*?\w\w\w[.!?…]+(?=\s)")
_LIST_KEYS = ("facts", "memories", "fatos", "memórias", "items", "results", "result", "data", "answer")
_IMPORTANCE_KEYS = ("importance", "importância", "importancia", "score")
_MESSAGE_TYPE_KEYS = ("message_type", "type", "tipo")


@dataclass(frozen=True, slots=True, kw_only=True)
class UnreadableReply:
    """The reply does not have the requested form."""

    reason: str


def parse_reply(
    text: str,
    request: ExtractionRequest,
    limits: ValidationLimits | None = None,
    *,
    is_truncated: bool = False,
) -> tuple[Extraction, ...] | UnreadableReply:
    """
    Return the validated extraction of each source of the request, in order.

    Facts cite the characters of the message that support them. Facts that are not grounded in the message, or are
    too long, are quarantined. Never raises, whatever the text.
    """
    applied_limits = limits or ValidationLimits()
    reply = _strip_thinking(text)
    if len(reply) > MAX_REPLY_CHARS:
        return UnreadableReply(reason=f"it has {len(reply):,} characters")
    if request.prompt_opening and request.prompt_opening in reply:
        return UnreadableReply(reason="it repeats the prompt")
    if not reply and (is_truncated or request.mode != "single_fact"):
        return UnreadableReply(
            reason="it was cut off before the first word" if is_truncated else "it is empty"
        )
    match request.mode:
        case "single_fact":
            parsed_reply = _parse_single_fact(reply, applied_limits, is_truncated=is_truncated)
        case "per_message":
            parsed_reply = _parse_message(reply)
        case _:
            parsed_reply = _parse_list(reply)
    if isinstance(parsed_reply, ParsedReply) and len(parsed_reply.facts) > MAX_REPLY_FACTS:
        return UnreadableReply(reason=f"it lists {len(parsed_reply.facts):,} facts")
    if isinstance(parsed_reply, UnreadableReply):
        return (
            UnreadableReply(reason=f"{parsed_reply.reason}, and it was cut off")
            if is_truncated
            else parsed_reply
        )
    return validate_reply(parsed_reply, request, applied_limits)


def _strip_thinking(text: str) -> str:
    """Return the reply without leading reasoning tags, with lone surrogates replaced."""
    whole = text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace").strip("\ufeff \t\r\n")
    opening = _THINKING_TAG_PATTERN.match(whole)
    if opening:
        closing = whole.find(f"</{opening[1]}>")
        return whole[closing + len(opening[1]) + 3 :].strip() if closing >= 0 else ""
    return whole


def _parse_single_fact(
    reply: str, limits: ValidationLimits, *, is_truncated: bool
) -> ParsedReply | UnreadableReply:
    lines = [line for line in _FENCE_PATTERN.sub("", reply).splitlines() if line.strip()]
    if not lines or is_empty_reply(lines[0], limits.empty_reply_rule):
        return ParsedReply(facts=(), reason=FOUND_NOTHING)
    if _REFUSAL_PATTERN.match(lines[0].strip()):
        return UnreadableReply(reason="it declines to answer")
    if is_truncated:
        return UnreadableReply(reason="the line is not finished")
    statements = [line for line in map(_fact_line, lines) if line]
    if len(statements) > MAX_SINGLE_FACT_LINES:
        return UnreadableReply(reason=f"it has {len(statements)} lines")
    facts = [line for line in statements if not is_empty_reply(line, limits.empty_reply_rule)]
    if not facts:
        return ParsedReply(facts=(), reason=FOUND_NOTHING)
    return ParsedReply(facts=tuple(ModelFact(text=line) for line in facts))


def _fact_line(line: str) -> str | None:
    """Return a line without bullet and label; None for an introduction or a remark."""
    text = normalize_line(_FACT_LABEL_PATTERN.sub("", normalize_line(line)))
    return None if not text or _REMARK_PATTERN.match(text) or text.endswith(":") else text


def _parse_list(reply: str) -> ParsedReply | UnreadableReply:
    if is_empty_reply(reply):
        return ParsedReply(facts=(), reason=FOUND_NOTHING)
    parsed_values = list(parse_values(reply))
    lists = [items for value, _ in parsed_values if (items := _find_items(value)) is not None]
    # One object per line counts as a list.
    lists.append([value for value, _ in parsed_values if isinstance(value, dict) and _is_item(value)])
    facts = max((_parse_facts(items) for items in lists), key=len)
    if facts:
        return ParsedReply(facts=facts)
    if any(lists):
        return UnreadableReply(reason='no item has the form {"t": "…", "c": "…", "w": 0.0-1.0}')
    if any(complete and _find_items(value) == [] for value, complete in parsed_values):
        return ParsedReply(facts=(), reason=FOUND_NOTHING)
    return UnreadableReply(
        reason="there is no JSON list in it" if len(lists) == 1 else "it was cut off before the first item"
    )


def _parse_message(reply: str) -> ParsedReply | UnreadableReply:
    parsed_items = [
        item for value, _ in parse_values(reply) for item in (value if isinstance(value, list) else [value])
    ]
    objects = [value for value in parsed_items if isinstance(value, dict)]
    message_object = next(
        (value for value in objects if first_value(value, _IMPORTANCE_KEYS) is not None), None
    )
    if message_object is None:
        return UnreadableReply(reason="there is no JSON object with an importance in it")
    importance = _parse_importance(first_value(message_object, _IMPORTANCE_KEYS))
    if importance is None:
        return UnreadableReply(reason="the importance is not a number from 0 to 100")
    items = _find_items(message_object) or []
    facts = _parse_facts(items) if importance else ()
    if items and importance and not facts:
        return UnreadableReply(reason='no fact has the form {"t": "…", "c": "…", "w": 0.0-1.0}')
    kind, summary = (
        first_value(message_object, _MESSAGE_TYPE_KEYS),
        message_object.get("summary", message_object.get("resumo")),
    )
    return ParsedReply(
        facts=facts,
        importance=importance,
        message_type=_parse_message_type(kind),
        summary=_first_sentence(summary) if isinstance(summary, str) and importance else None,
        reason=None if importance else Reason(ReasonCode.MODEL_RATED_TRIVIAL),
    )


def _find_items(value: object) -> list[object] | None:
    """Return the list in a reply: bare, under a key, or a single fact as a list of one."""
    if isinstance(value, list):
        return value
    if not isinstance(value, dict):
        return None
    for name in _LIST_KEYS:
        if isinstance(member := value.get(name), list | dict):
            return member if isinstance(member, list) else [member]
    return [value] if _is_item(value) else None


def _is_item(value: dict[str, object]) -> bool:
    return any(name in value for name in TEXT_KEYS)


def _parse_facts(items: Sequence[object]) -> tuple[ModelFact, ...]:
    return tuple(fact for item in items if (fact := parse_fact(item)) is not None)


def _parse_importance(value: object) -> int | None:
    importance = parse_number(value)
    if importance is None or not 0 <= importance <= 100:
        return None
    # 0.85 means 85; 1 stays 1, which is temporary.
    return round(100 * importance) if 0 < importance < 1 else round(importance)


def _parse_message_type(value: object) -> MessageType | None:
    type_name = value.strip().casefold() if isinstance(value, str) else ""
    return MessageType(type_name) if type_name in set(MessageType) else None


def _first_sentence(text: str) -> str | None:
    line = normalize_line(text)
    match = _FIRST_SENTENCE_PATTERN.match(line[: MAX_SUMMARY_CHARS + 1])
    sentence = match.group() if match else line
    return sentence if 0 < len(sentence) <= MAX_SUMMARY_CHARS else None
