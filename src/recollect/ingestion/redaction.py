"""Take keys, passwords, card and identity numbers out of a text before it is stored, and say what stood there."""

from bisect import bisect_right
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from recollect.ingestion.secret_keys import find_keys, find_private_keys
from recollect.ingestion.secret_match import SecretMatch
from recollect.ingestion.secret_numbers import find_numbers
from recollect.ingestion.secret_phrases import find_labelled_secrets


@dataclass(frozen=True, slots=True, kw_only=True)
class Redaction:
    text: str
    matches: tuple[SecretMatch, ...] = ()  #: in the order of the text, by their places in the original


def redact(text: str) -> Redaction:
    """
    Return the text with each secret replaced by what it is: ``‹openai key›``.

    The words around a secret stay, so that "my password is ‹password›" still says something.
    Masking twice is masking once.
    """
    matches: list[SecretMatch] = []
    redacted_text = text
    # A mask parts what was joined before, and may so uncover another secret: look until nothing is left.
    while new_matches := _merge_overlapping(_find_secrets(redacted_text)):
        matches = _map_to_original(matches, new_matches)
        redacted_text = _replace_matches(text, matches)
    return Redaction(text=redacted_text, matches=tuple(matches))


def _find_secrets(text: str) -> Iterator[SecretMatch]:
    """Everything found, the surest first."""
    lowercase = _lowercase(text)
    if "PRIVATE KEY" in text:
        yield from find_private_keys(text)
    yield from find_keys(text)
    yield from find_numbers(text, lowercase)
    yield from find_labelled_secrets(text, lowercase)


def _lowercase(text: str) -> str:
    lowercase = text.lower()
    if len(lowercase) == len(text):
        return lowercase
    # A few letters grow when they are made small; places must stay what they are.
    return "".join(c.lower() if len(c.lower()) == 1 else c for c in text)


def _merge_overlapping(matches: Iterable[SecretMatch]) -> list[SecretMatch]:
    """Findings that overlap are one, of the kind that was found first."""
    ranked = sorted(enumerate(matches), key=lambda pair: (pair[1].start, pair[0]))
    merged: list[tuple[int, SecretMatch]] = []
    for rank, finding in ranked:
        if merged and finding.start < merged[-1][1].end:
            other, before = merged[-1]
            kind = before.kind if other < rank else finding.kind
            end = max(before.end, finding.end)
            merged[-1] = (min(other, rank), SecretMatch(kind=kind, start=before.start, end=end))
        else:
            merged.append((rank, finding))
    return [finding for _, finding in merged]


def _placeholder(match: SecretMatch) -> str:
    return f"‹{match.kind}›"


def _replace_matches(text: str, matches: Iterable[SecretMatch]) -> str:
    parts, position = [], 0
    for finding in matches:
        parts += [text[position : finding.start], _placeholder(finding)]
        position = finding.end
    return "".join([*parts, text[position:]])


def _map_to_original(previous: list[SecretMatch], new_matches: list[SecretMatch]) -> list[SecretMatch]:
    """Add what was found between the masks, with its places moved to where they are without masks."""
    masks: list[int] = []
    shifts = [0]
    for finding in previous:
        masks.append(finding.start - shifts[-1])
        shifts.append(shifts[-1] + finding.end - finding.start - len(_placeholder(finding)))
    moved = []
    for finding in new_matches:
        shift = shifts[bisect_right(masks, finding.start)]
        moved.append(SecretMatch(kind=finding.kind, start=finding.start + shift, end=finding.end + shift))
    return sorted((*previous, *moved), key=lambda finding: finding.start)
