"""Names of code come in families: where there is a `sync_invoices` there are a `sync_orders` and a `sync_refunds`."""

import re
from collections.abc import Iterator, Sequence

_NOUNS = (
    *("order", "refund", "ticket", "tenant", "ledger", "parcel", "badge", "quota", "voucher", "widget"),
    *("asset", "backup", "bucket", "cohort", "device", "digest", "draft", "gadget", "journal", "kernel"),
    *("lease", "mirror", "outbox", "packet", "region", "roster", "shard", "signal", "stream", "vendor"),
)
#: A word of a question that names code: it has a sign, a digit or a capital inside.
_NAME = re.compile(r"--[a-z][\w-]+|\w+(?:[./:-]\w+)*")
_INSIDE = re.compile(r"[_./:-]|\d|[a-z][A-Z]|^--")
_PART = re.compile(r"[A-Z]?[a-z]{3,}|[A-Z]{3,}|\d+")


def named(question: str, message: str) -> list[str]:
    """The names of code that a question and its message share, as the message writes them."""
    found = (name.rstrip("().,:;?!") for name in _NAME.findall(question))
    return [name for name in dict.fromkeys(found) if _INSIDE.search(name) and name in message]


def siblings(message: str, questions: Sequence[str], count: int) -> Iterator[str]:
    """The same said of other names of the family. There are none where that would answer one of the questions."""
    asked = [named(question, message) for question in questions]
    if not all(asked):
        return
    names = sorted({name for each in asked for name in each}, key=len, reverse=True)
    for number in range(count):
        said = message
        for place, name in enumerate(names):
            said = said.replace(name, _other(name, number + 7 * place))
        if not any(name in said for name in names):
            yield said


def _other(name: str, number: int) -> str:
    """Another name of the family: its longest word is another one; of codes and versions the last number is."""
    parts = list(_PART.finditer(name))
    words = [part for part in parts if part.group()[-1].islower()]
    numbers = [part for part in parts if part.group().isdigit()]
    if not parts:
        return f"{name}_{_NOUNS[number % len(_NOUNS)]}"
    part = max(words, key=lambda each: len(each.group())) if words else (numbers or parts)[-1]
    return name[: part.start()] + _in_its_place(part.group(), number) + name[part.end() :]


def _in_its_place(part: str, number: int) -> str:
    if part.isdigit():
        return str(int(part) + 1 + number).zfill(len(part))
    noun = _NOUNS[number % len(_NOUNS)]
    if part.isupper():
        return noun.upper()
    return noun.capitalize() if part[0].isupper() else noun
