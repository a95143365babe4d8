"""Take keys, passwords, card and identity numbers out of a text before it is stored, and say what stood there."""

from bisect import bisect_right
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from recollect.ingestion.secret_keys import keys, private_keys
from recollect.ingestion.secret_match import Finding
from recollect.ingestion.secret_numbers import numbers
from recollect.ingestion.secret_phrases import said


@dataclass(frozen=True, slots=True, kw_only=True)
class Masked:
    text: str
    found: tuple[Finding, ...] = ()  #: in the order of the text, by their places in the original


def masked(text: str) -> Masked:
    """
    Return the text with each secret replaced by what it is: ``‹openai key›``.

    The words around a secret stay, so that "my password is ‹password›" still says something.
    Masking twice is masking once.
    """
    found: list[Finding] = []
    shown = text
    # A mask parts what was joined before, and may so uncover another secret: look until nothing is left.
    while fresh := _whole(_found(shown)):
        found = _in_original(found, fresh)
        shown = _replaced(text, found)
    return Masked(text=shown, found=tuple(found))


def _found(text: str) -> Iterator[Finding]:
    """Everything found, the surest first."""
    small = _small(text)
    if "PRIVATE KEY" in text:
        yield from private_keys(text)
    yield from keys(text)
    yield from numbers(text, small)
    yield from said(text, small)


def _small(text: str) -> str:
    small = text.lower()
    if len(small) == len(text):
        return small
    # A few letters grow when they are made small; places must stay what they are.
    return "".join(c.lower() if len(c.lower()) == 1 else c for c in text)


def _whole(findings: Iterable[Finding]) -> list[Finding]:
    """Findings that overlap are one, of the kind that was found first."""
    ranked = sorted(enumerate(findings), key=lambda pair: (pair[1].start, pair[0]))
    merged: list[tuple[int, Finding]] = []
    for rank, finding in ranked:
        if merged and finding.start < merged[-1][1].end:
            other, before = merged[-1]
            kind = before.kind if other < rank else finding.kind
            end = max(before.end, finding.end)
            merged[-1] = (min(other, rank), Finding(kind=kind, start=before.start, end=end))
        else:
            merged.append((rank, finding))
    return [finding for _, finding in merged]


def _mask(finding: Finding) -> str:
    return f"‹{finding.kind}›"


def _replaced(text: str, findings: Iterable[Finding]) -> str:
    parts, place = [], 0
    for finding in findings:
        parts += [text[place : finding.start], _mask(finding)]
        place = finding.end
    return "".join([*parts, text[place:]])


def _in_original(known: list[Finding], fresh: list[Finding]) -> list[Finding]:
    """Add what was found between the masks, with its places moved to where they are without masks."""
    masks: list[int] = []
    shifts = [0]
    for finding in known:
        masks.append(finding.start - shifts[-1])
        shifts.append(shifts[-1] + finding.end - finding.start - len(_mask(finding)))
    moved = []
    for finding in fresh:
        shift = shifts[bisect_right(masks, finding.start)]
        moved.append(Finding(kind=finding.kind, start=finding.start + shift, end=finding.end + shift))
    return sorted((*known, *moved), key=lambda finding: finding.start)
