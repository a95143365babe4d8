"""Distractors with similar identifiers: for `sync_invoices`, messages about `sync_orders` and `sync_refunds`."""

import re
from collections.abc import Iterator, Sequence

_NOUNS = (
    *("order", "refund", "ticket", "tenant", "ledger", "parcel", "badge", "quota", "voucher", "widget"),
    *("asset", "backup", "bucket", "cohort", "device", "digest", "draft", "gadget", "journal", "kernel"),
    *("lease", "mirror", "outbox", "packet", "region", "roster", "shard", "signal", "stream", "vendor"),
)
#: Candidate identifiers: words that may contain punctuation, digits or inner capitals.
_NAME_PATTERN = re.compile(r"--[a-z][\w-]+|\w+(?:[./:-]\w+)*")
_CODE_MARK_PATTERN = re.compile(r"[_./:-]|\d|[a-z][A-Z]|^--")
_PART_PATTERN = re.compile(r"[A-Z]?[a-z]{3,}|[A-Z]{3,}|\d+")


def shared_names(question: str, message: str) -> list[str]:
    """Return the identifiers that occur in both question and message, as spelled in the message."""
    candidates = (name.rstrip("().,:;?!") for name in _NAME_PATTERN.findall(question))
    return [name for name in dict.fromkeys(candidates) if _CODE_MARK_PATTERN.search(name) and name in message]


def make_siblings(message: str, questions: Sequence[str], count: int) -> Iterator[str]:
    """Yield copies of a message with sibling identifiers; none if a copy would answer one of the questions."""
    names_by_question = [shared_names(question, message) for question in questions]
    if not all(names_by_question):
        return
    names = sorted({name for each in names_by_question for name in each}, key=len, reverse=True)
    for number in range(count):
        sibling = message
        for position, name in enumerate(names):
            sibling = sibling.replace(name, _sibling_name(name, number + 7 * position))
        if not any(name in sibling for name in names):
            yield sibling


def _sibling_name(name: str, number: int) -> str:
    """Return a sibling identifier: its longest word is replaced, or the last number of a code or version."""
    parts = list(_PART_PATTERN.finditer(name))
    words = [part for part in parts if part.group()[-1].islower()]
    numbers = [part for part in parts if part.group().isdigit()]
    if not parts:
        return f"{name}_{_NOUNS[number % len(_NOUNS)]}"
    part = max(words, key=lambda each: len(each.group())) if words else (numbers or parts)[-1]
    return name[: part.start()] + _replace_part(part.group(), number) + name[part.end() :]


def _replace_part(part: str, number: int) -> str:
    if part.isdigit():
        return str(int(part) + 1 + number).zfill(len(part))
    noun = _NOUNS[number % len(_NOUNS)]
    if part.isupper():
        return noun.upper()
    return noun.capitalize() if part[0].isupper() else noun
