"""
Redact secrets from a text before it is stored: API keys, passwords, payment cards, bank and identity numbers.

Four detectors run over the text, the most specific first: PEM private keys, API keys with a known prefix
(`secret_keys`), numbers with valid check digits (`secret_numbers`), and values that follow a label such as
"password is" (`secret_phrases`). Overlapping matches are merged; the merged match has the kind of the detector that
came first. Each match is replaced by a placeholder with its kind.

A placeholder may separate two strings that were adjacent and thereby reveal another secret, so the detectors run
again until nothing new is found. Invariants: `redact(redact(text).text)` changes nothing, `matches` are positions in
the original text, and text outside the matches is unchanged.
Cost: one scan per label or prefix that occurs in the text; the patterns are bounded or possessive, so that the
time is linear, and a text without secrets is scanned once.

"my password is hunter2, card 4111 1111 1111 1111" becomes "my password is ‹password›, card ‹payment card›".
"""

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
    matches: tuple[SecretMatch, ...] = ()  #: in text order, as positions in the original text


def redact(text: str) -> Redaction:
    """
    Return the text with each secret replaced by a placeholder with its kind: ``‹openai key›``.

    The words around a secret stay: "my password is ‹password›". Redacting twice gives the same text.
    """
    matches: list[SecretMatch] = []
    redacted_text = text
    # A placeholder separates adjacent strings and may so reveal another secret: repeat until nothing is found.
    while new_matches := _merge_overlapping(_find_secrets(redacted_text)):
        matches = _map_to_original(matches, new_matches)
        redacted_text = _replace_matches(text, matches)
    return Redaction(text=redacted_text, matches=tuple(matches))


def _find_secrets(text: str) -> Iterator[SecretMatch]:
    """Yield the matches of all detectors, the most specific detector first."""
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
    # Lowercasing a few letters gives two characters; those stay as they are, so that positions stay valid.
    return "".join(c.lower() if len(c.lower()) == 1 else c for c in text)


def _merge_overlapping(matches: Iterable[SecretMatch]) -> list[SecretMatch]:
    """Merge overlapping matches; the merged one has the kind of the detector that came first."""
    ranked = sorted(enumerate(matches), key=lambda pair: (pair[1].start, pair[0]))
    merged: list[tuple[int, SecretMatch]] = []
    for rank, match in ranked:
        if merged and match.start < merged[-1][1].end:
            previous_rank, previous = merged[-1]
            kind = previous.kind if previous_rank < rank else match.kind
            end = max(previous.end, match.end)
            merged[-1] = (min(previous_rank, rank), SecretMatch(kind=kind, start=previous.start, end=end))
        else:
            merged.append((rank, match))
    return [match for _, match in merged]


def _placeholder(match: SecretMatch) -> str:
    return f"‹{match.kind}›"


def _replace_matches(text: str, matches: Iterable[SecretMatch]) -> str:
    parts, position = [], 0
    for match in matches:
        parts += [text[position : match.start], _placeholder(match)]
        position = match.end
    return "".join([*parts, text[position:]])


def _map_to_original(previous: list[SecretMatch], new_matches: list[SecretMatch]) -> list[SecretMatch]:
    """Return all matches as positions in the original text; new ones are positions in the redacted text."""
    placeholder_starts: list[int] = []
    shifts = [0]
    for match in previous:
        placeholder_starts.append(match.start - shifts[-1])
        shifts.append(shifts[-1] + match.end - match.start - len(_placeholder(match)))
    shifted_matches = []
    for match in new_matches:
        shift = shifts[bisect_right(placeholder_starts, match.start)]
        shifted_matches.append(SecretMatch(kind=match.kind, start=match.start + shift, end=match.end + shift))
    return sorted((*previous, *shifted_matches), key=lambda match: match.start)
