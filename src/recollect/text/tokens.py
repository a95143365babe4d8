"""
Token estimation without a tokenizer, and truncation of a text to a token budget.

A byte-pair tokenizer first splits a text into pieces (a word with its leading space, up to three digits, a run of
punctuation or of spaces) and then encodes each piece. The estimator does the same split with a regular expression and
predicts the tokens of a piece with a linear model (`token_costs.py`):

    cost(piece) = max(1, base + Σ cost of each character by script + Σ weight of each hashed n-gram)

with n-grams of 2 to 4 characters plus the whole piece, hashed into a fixed table of one-byte weights. Pieces with
Chinese or Japanese characters use a second table over characters and pairs.

Invariants: an empty text has 0 tokens and any other at least 1; the estimate errs on the high side (at most 4.5 %
above the real count in our test passages), so that a budget is rarely exceeded; `truncate_to_tokens` never exceeds its
budget by this estimate and never splits a grapheme. Cost: linear in the text; words and whole texts up to 8,192
characters are cached.

Example: "Hello world" splits into "Hello" and " world", which cost about one token each, so the estimate is 2.
"""

import re
import unicodedata
from collections.abc import Iterator
from functools import lru_cache
from itertools import pairwise
from typing import Final

from recollect.text.text_cache import TextCache
from recollect.text.token_costs import WIDE_COSTS, WORD_COSTS

_WIDE_CHARS: Final = (
    "\u2e80-\u30ff\u3100-\u312f\u31f0-\u31ff\u3400-\u9fff\uf900-\ufaff"
    "\ufe30-\ufe4f\uff00-\uff9f\U00020000-\U0003ffff"
)
_UPPER_CHARS: Final = "A-ZÀ-ÖØ-Þ\u0386-\u038f\u0391-\u03abЀ-Я"
_LOWER_CHARS: Final = (
    "a-zªµºß-öø-\u0385\u0390\u03ac-\u03ffа-\u1fff\u2c00-\u2dff\ua000-\ud7ff\ufb00-\ufdff\ufe70-\ufefe"
)
_LETTER_CHARS: Final = f"{_UPPER_CHARS}{_LOWER_CHARS}{_WIDE_CHARS}\\d"

#: The pre-tokenization of current byte-pair tokenizers: a word with the space before it, up to three digits, a run of
#: punctuation, a run of spaces. All runs are bounded, so that no text makes matching slow.
_PIECE_PATTERN: Final = re.compile(
    rf"[^\r\n{_LETTER_CHARS}]?(?:[{_UPPER_CHARS}]{{0,24}}[{_LOWER_CHARS}]{{1,48}}(?:[{_WIDE_CHARS}]{{1,32}})?|[{_UPPER_CHARS}]{{1,48}}"
    rf"|[{_WIDE_CHARS}]{{1,32}}(?:(?<=[\u3001-\u301f\uff01-\uff20])[\r\n]{{1,9}})?)"
    rf"(?:'(?:[stmdSTMD]|re|ve|ll|RE|VE|LL)(?![{_LOWER_CHARS}{_UPPER_CHARS}]))?"
    r"|\d{1,3}"
    rf"| ?[^\s{_LETTER_CHARS}]{{1,32}}[\r\n/]{{0,9}}"
    r"|[^\S\r\n]{0,99}[\r\n]{1,99}"
    r"|\s{1,99}(?!\S)|\s{1,99}"
)
#: The only case in which a piece contains a space that is not its first character.
_INNER_SPACE_PATTERN: Final = re.compile(r" (?<=\s )(?!\S)")
_WIDE_PATTERN: Final = re.compile(f"[{_WIDE_CHARS}]")
_REPETITION_PATTERN: Final = re.compile(r"(.)\1{3,}", re.DOTALL)

#: The table was fitted to err on the high side; with this factor the worst test passage is 4.5 % above the real count.
_CALIBRATION_FACTOR: Final = 0.99
#: Scripts that are rare in training data (Ethiopic, Runic, cuneiform): tokenizers split them into bytes.
_RARE_SCRIPT_PATTERN: Final = re.compile("[\u1200-\u171f\U00010000-\U0001efff]")

#: Multiplier of the rolling hash that maps n-grams to table entries.
_HASH_MULTIPLIER: Final = 40_503

_ZERO_WIDTH_JOINER: Final = "\u200d"
#: Texts up to this length are cached, since ingestion estimates a message several times.
_MAX_CACHED_CHARS: Final = 8_192


def estimate_tokens(text: str) -> int:
    """Return the estimated number of tokens; it errs on the high side."""
    return _estimate_cached(text) if len(text) <= _MAX_CACHED_CHARS else _estimate_cached.__wrapped__(text)


@lru_cache(maxsize=256)
def _estimate_cached(text: str) -> int:
    if not text:
        return 0
    return max(
        1, round(_estimate_pieces(text) if _INNER_SPACE_PATTERN.search(text) else _estimate_by_words(text))
    )


def _estimate_by_words(text: str) -> float:
    """Sum the cached costs of words: a piece begins at every space, so words can be estimated separately."""
    first, *others = text.split(" ")
    return sum(map(_SPACED_WORD_COSTS.__getitem__, others), _estimate_pieces(first))


def _estimate_pieces(text: str) -> float:
    return _CALIBRATION_FACTOR * sum(map(_piece_cost, _PIECE_PATTERN.findall(text))) + len(
        _RARE_SCRIPT_PATTERN.findall(text)
    )


def truncate_to_tokens(text: str, max_tokens: int) -> str:
    """Return the longest prefix of the text within the budget, cut between words where possible."""
    if estimate_tokens(text) <= max_tokens:
        return text
    end = max((end for end, cost in _cut_points(text, max_tokens) if cost <= max_tokens), default=0)
    truncated = text[: _grapheme_boundary(text, end)]
    while truncated and estimate_tokens(truncated) > max_tokens:
        truncated = truncated[: _grapheme_boundary(truncated, len(truncated) - 1)]
    return truncated


def _cut_points(text: str, max_tokens: int) -> Iterator[tuple[int, float]]:
    """Yield the positions where the text may be cut and the cost up to there, until the budget is spent."""
    total_cost = 0.0
    for match in _PIECE_PATTERN.finditer(text):
        cost = _piece_cost(match.group())
        if total_cost + cost > max_tokens:
            # Words are not split, except the first one; scripts without spaces are cut anywhere.
            if not match.start() or _WIDE_PATTERN.search(match.group()):
                start = match.start()
                yield from (
                    (end, total_cost + _piece_cost(text[start:end])) for end in range(start + 1, match.end())
                )
            return
        total_cost += cost
        yield match.end(), total_cost


def _grapheme_boundary(text: str, end: int) -> int:
    """Move the cut back until it splits no combining accent, joined emoji or surrogate pair."""
    while 0 < end < len(text) and (
        unicodedata.combining(text[end])
        or text[end] in f"{_ZERO_WIDTH_JOINER}\ufe0e\ufe0f"
        or text[end - 1] == _ZERO_WIDTH_JOINER
        or "\udc00" <= text[end] <= "\udfff"
    ):
        end -= 1
    return end


@lru_cache(maxsize=32_768)
def _piece_cost(piece: str) -> float:
    if not piece.isascii() and _WIDE_PATTERN.search(piece):
        return _wide_cost(piece)
    codes = list(map(ord, _normalize_case(piece)))
    piece_hash = 7
    for code in codes:
        piece_hash = (piece_hash * _HASH_MULTIPLIER + code) & 0xFFFF_FFFF
    grams, rolling_hashes = [piece_hash], codes
    for length in (2, 3, 4):
        rolling_hashes = [
            gram * _HASH_MULTIPLIER + code
            for gram, code in zip(rolling_hashes, codes[length - 1 :], strict=False)
        ]
        grams += rolling_hashes
    letters = sum(map(_letter_cost, piece))
    return max(1.0, WORD_COSTS.base + letters + WORD_COSTS.runs_cost(grams))


def _wide_cost(piece: str) -> float:
    codes = list(map(ord, piece))
    pairs = [first * _HASH_MULTIPLIER + second for first, second in pairwise(codes)]
    return max(1.0, WIDE_COSTS.base + sum(map(_character_cost, codes)) + WIDE_COSTS.runs_cost(pairs))


@lru_cache(maxsize=16_384)
def _letter_cost(character: str) -> float:
    return WORD_COSTS.character_cost(ord(character))


@lru_cache(maxsize=16_384)
def _character_cost(code: int) -> float:
    return WIDE_COSTS.character_cost(code) + WIDE_COSTS.runs_cost([code * _HASH_MULTIPLIER])


def _normalize_case(piece: str) -> str:
    """Mark capitals instead of keeping them, and shorten repetitions: longer ones cost no more tokens."""
    shortened = _REPETITION_PATTERN.sub(r"\1\1\1\1", piece) if _REPETITION_PATTERN.search(piece) else piece
    if len(shortened) > 2 and shortened.isupper():
        return f"{shortened}$"
    lower = shortened.lower()
    return f"{lower}$" if lower == shortened else f"^{lower}$"


_SPACED_WORD_COSTS: Final = TextCache(lambda word: _estimate_pieces(f" {word}"))
