"""
Grounding: check of a model's fact what can be checked, and trust it with the rest.

The model read the message and may reword it, so ordinary words need not occur there. What it must not invent is
checked:

1. Names, numbers and currencies of the fact must be in the source: names exactly (or as the place of a demonym, or
   as the longer form of an institution or a product), numbers by value ("two" is "2", "four grand" is "4,000",
   "17/08" is "17 de agosto"), a currency by its sign or word.
2. Sensitive attributes (orientation, religion, politics, origin) must be stated in these words.
3. If all words of the fact occur in a span of up to ten words and only one of both is negated, the fact contradicts
   it.
4. The narrowest span with the words that do occur is expanded to whole sentences, which the fact cites. A fact
   without any such word is grounded in nothing; whether its meaning is near is for the embedding to say.

Whose fact it is, is checked by `ownership`. Cost: `SourceIndex` is built once per message in O(words); a fact costs
O(p log p) for p occurrences of its words.

Example: "must avoid jumping" against "so no jumping, no barbell stuff" is grounded by "jumping"; "lives in Lisbon"
against "I live in Porto" fails with the missing name "Lisbon".
"""

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass

from recollect.domain.reason import Reason, ReasonCode
from recollect.extraction.grounding_vocabulary import (
    ABSTINENCES,
    CHANGE_WORDS,
    INSTITUTION_WORDS,
    SENSITIVE_WORDS,
    VOCABULARIES,
    GroundingVocabulary,
)
from recollect.text.analyzer import fold_text, stem

_CJK_RANGES = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af"
_WORD_PATTERN = re.compile(
    rf"\d+(?:[.,]\d+)*|[{_CJK_RANGES}]|[^\W\d_{_CJK_RANGES}]+(?:['’][^\W\d_{_CJK_RANGES}]+)*"
)
_SENTENCE_END_PATTERN = re.compile(r"[.!?…]+(?=\s|\Z)|\n")
_CLAUSE_END_PATTERN = re.compile(r"[.!?…;:,\n\0]")
_THOUSANDS_PATTERN = re.compile(r"[1-9]\d{0,2}(?:[.,]\d{3})+")
#: Words after a number that multiply it.
_MULTIPLIERS = {
    "k": 1000,
    "grand": 1000,
    "thousand": 1000,
    "mil": 1000,
    "million": 1_000_000,
    "milhoes": 1_000_000,
    "milhao": 1_000_000,
}
_ATTACHED_MULTIPLIER = re.compile(r"(\d+(?:[.,]\d+)?)([a-z]+)")
_NAME_PARTICLES = frozenset({"de", "da", "do", "dos", "das", "of", "the"})
_CURRENCY_PATTERNS = (
    re.compile(r"(?<![A-Za-z])\$|\b(?:usd|dollars?|bucks|d[óo]lar(?:es)?)\b", re.IGNORECASE),
    re.compile(r"R\$|\b(?:brl|reais|real)\b", re.IGNORECASE),
    re.compile(r"€|\b(?:eur|euros?)\b", re.IGNORECASE),
    re.compile(r"£|\b(?:gbp|pounds?|quid|libras?)\b", re.IGNORECASE),
)
#: Suffixes that turn the name of a place into a demonym: Brazil, Brazilian; Japan, Japanese.
_DEMONYM_SUFFIXES = ("n", "an", "ian", "ean", "ese", "ish", "s")
#: How many words before a span are searched for a negation: "I do not really like".
_NEGATION_WINDOW_WORDS = 4
#: In a longer span a "not" may belong to something else.
_MAX_NEGATION_SPAN_WORDS = 10


@dataclass(frozen=True, slots=True, kw_only=True)
class GroundedSpan:
    """The source sentences that support a fact, as character offsets."""

    start: int
    end: int
    matched_words: int = 0  #: words of the fact that occur in the source; 0 if it is reworded as a whole


@dataclass(frozen=True, slots=True, kw_only=True)
class GroundingFailure:
    missing_names: tuple[
        str, ...
    ] = ()  #: names, numbers, currencies and sensitive words that are not in the source
    is_contradicted: bool = False  #: fact or source negates what the other states

    @property
    def reason(self) -> Reason:
        if self.missing_names:
            return Reason(ReasonCode.NOT_IN_MESSAGE, {"words": ", ".join(self.missing_names)})
        return Reason(
            ReasonCode.CONTRADICTED_BY_MESSAGE if self.is_contradicted else ReasonCode.NOT_VERIFIABLE
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class _SourceWord:
    text: str
    fold: str
    start: int
    end: int
    is_sentence_start: bool  #: then a capital letter does not indicate a name

    @property
    def is_capitalized(self) -> bool:
        return self.text[0].isupper()

    @property
    def is_number(self) -> bool:
        return self.text[0].isdecimal()


class SourceIndex:
    """Inverted index from word forms to positions in a source text. Build it once per message."""

    def __init__(self, text: str, *, language: str) -> None:
        self.text = text
        self.language = language if language in VOCABULARIES else "en"
        self.vocabulary = VOCABULARIES[self.language]
        self.words = list(_tokenize(text))
        self.by_form: dict[str, list[int]] = {}
        self.by_prefix: dict[str, set[str]] = {}
        forms: dict[str, tuple[str, ...]] = {}
        for position, word in enumerate(self.words):
            if word.text not in forms:
                forms[word.text] = tuple(_word_forms(word, self.vocabulary, self.language))
                self.by_prefix.setdefault(word.fold[:5], set()).add(word.fold)
            for form in forms[word.text]:
                self.by_form.setdefault(form, []).append(position)
            for form in _multiplied_forms(self.words, position, self.vocabulary):
                self.by_form.setdefault(form, []).append(position)

    def positions(self, word: _SourceWord) -> list[int]:
        """Return the positions in the source of words that match a word of a fact."""
        if word.is_number or word.fold in self.vocabulary.number_words:
            forms: Iterable[str] = _number_forms(word, self.vocabulary)
        elif word.is_capitalized and not word.is_sentence_start:
            return self._name_positions(word)
        else:
            forms = _word_forms(word, self.vocabulary, self.language)
        if (multiple := _ATTACHED_MULTIPLIER.fullmatch(word.fold)) and multiple[2] in _MULTIPLIERS:
            forms = [
                f"#{_normalize_digits(str(float(multiple[1].replace(',', '.')) * _MULTIPLIERS[multiple[2]]))}"
            ]
        positions = [position for form in forms for position in self.by_form.get(form, ())]
        positions = positions or [
            position for other in self._inflected_forms(word) for position in self.by_form[f"={other}"]
        ]
        # Maria is not Mariana, not even at the start of a sentence.
        return [position for position in positions if not self._is_other_name(word, self.words[position])]

    def _name_positions(self, word: _SourceWord) -> list[int]:
        positions = self.by_form.get(f"={word.fold}") or self.by_form.get(
            _synonym_form(word.fold, self.vocabulary), []
        )
        if word.fold in self.vocabulary.framing_words:
            positions = [
                position
                for position in positions
                if self.words[position].is_capitalized and not self.words[position].is_sentence_start
            ]
        place_names = (
            word.fold.removesuffix(ending) for ending in _DEMONYM_SUFFIXES if word.fold.endswith(ending)
        )
        positions = positions or [
            position
            for place_name in place_names
            if len(place_name) > 3
            for position in self.by_form.get(f"={place_name}", [])
        ]
        return positions or self._variant_positions(word)

    def _variant_positions(self, word: _SourceWord) -> list[int]:
        """Return the short form of a product ("dynamo" for "DynamoDB") or the place of a demonym "
        "(Porto, Portuguese).
        """
        is_product = len(word.text) > 4 and (
            not word.text[1:].islower() or any(map(str.isdecimal, word.text))
        )
        is_demonym = word.fold.endswith(("ese", "ish", "guesa", "gues"))
        return [
            position
            for position, other in enumerate(self.words)
            if len(other.fold) >= 4
            and (
                (is_product and (word.fold.startswith(other.fold) or other.fold.startswith(word.fold)))
                or (is_demonym and other.is_capitalized and word.fold[:4] == other.fold[:4])
            )
        ]

    def _inflected_forms(self, word: _SourceWord) -> Iterator[str]:
        for other in self.by_prefix.get(word.fold[:5], ()) if len(word.fold) >= 5 else ():
            if _is_inflection(*sorted((word.fold, other), key=len)):
                yield other

    @staticmethod
    def _is_other_name(word: _SourceWord, match: _SourceWord) -> bool:
        return (
            word.is_capitalized
            and match.is_capitalized
            and not match.is_sentence_start
            and word.fold != match.fold
        )


def ground_fact(
    fact_text: str, source_text: str, *, language: str, known_names: Collection[str] = ()
) -> GroundedSpan | GroundingFailure:
    """Return the supporting span of a fact, or what is missing in the source; see `ground_in_index`."""
    return ground_in_index(SourceIndex(source_text, language=language), fact_text, known_names=known_names)


def ground_in_index(
    source: SourceIndex, fact_text: str, *, known_names: Collection[str] = ()
) -> GroundedSpan | GroundingFailure:
    """
    Return the source sentences that support a fact, or what of it is invented.

    Known names need not occur in the source, ordinary words neither. Names, numbers, currencies and sensitive
    words must.
    """
    vocabulary = source.vocabulary
    known_words = {word.fold for name in known_names for word in _tokenize(name)}
    fact_words = list(_tokenize(fact_text.replace("R$", "")))
    content = [
        word for word in fact_words if word.fold not in known_words and not _is_framing(word, vocabulary)
    ]
    positions = [source.positions(word) for word in content]
    missing = [word for word, matches in zip(content, positions, strict=True) if not matches]
    matched_folds = {word.fold for word, matches in zip(content, positions, strict=True) if matches}
    invented = [
        word
        for word in missing
        if _must_be_stated(word, vocabulary) and not _extends_name(word, fact_words, matched_folds, source)
    ]
    if invented or (currency := _missing_currency(fact_text, source.text)):
        return GroundingFailure(missing_names=_unique_texts(invented) or (currency,))
    if not content or not source.words:
        return GroundingFailure()
    found = [matches for matches in positions if matches]
    if not found:
        return _implied_span(source, content) or GroundedSpan(start=0, end=len(source.text))
    first, last = _narrowest_span(found)
    is_source_negated = _is_negated(_span_with_context(source, first, last), vocabulary)
    reports_change = any(word.fold in CHANGE_WORDS for word in fact_words)
    is_literal = not missing and not reports_change and last - first <= _MAX_NEGATION_SPAN_WORDS
    if is_literal and _is_negated(fact_text, vocabulary) != is_source_negated:
        return GroundingFailure(is_contradicted=True)
    span = _expand_to_sentences(source.text, source.words[first].start, source.words[last].end)
    return GroundedSpan(start=span.start, end=span.end, matched_words=len(found))


def _implied_span(source: SourceIndex, content: Sequence[_SourceWord]) -> GroundedSpan | None:
    """Return the sentence that says what a word of the fact means: "vegetarian" ← "I eat neither meat nor fish"."""
    absent = {name for word in content for name in ABSTINENCES.get(word.fold, ())}
    for position, word in enumerate(source.words):
        if word.fold in absent and _is_negated(
            _span_with_context(source, position, position), source.vocabulary
        ):
            span = _expand_to_sentences(source.text, word.start, word.end)
            return GroundedSpan(start=span.start, end=span.end, matched_words=1)
    return None


def _must_be_stated(word: _SourceWord, vocabulary: GroundingVocabulary) -> bool:
    """Return whether a word of a fact may not be inferred: a name, a number or a sensitive attribute."""
    is_owner = word.text.endswith(("'s", "’s"))
    is_name = word.is_capitalized and (not word.is_sentence_start or is_owner)
    return word.is_number or is_name or word.fold in vocabulary.number_words or word.fold in SENSITIVE_WORDS


def _extends_name(
    word: _SourceWord, fact_words: Sequence[_SourceWord], matched_folds: Collection[str], source: SourceIndex
) -> bool:
    """Return whether a word belongs to the longer form of an institution or product that the source names."""
    if not word.is_capitalized:
        return False
    run = _name_run(word, fact_words)
    matched = [each for each in run if each.fold in matched_folds]
    if any(each.fold in INSTITUTION_WORDS for each in run):
        return bool(matched)
    # A person has no article in English: "the Camino" is no person.
    return any(
        position > 0 and source.words[position - 1].fold == "the"
        for each in matched
        for position in source.by_form.get(f"={each.fold}", ())
    )


def _name_run(word: _SourceWord, fact_words: Sequence[_SourceWord]) -> list[_SourceWord]:
    """Return the capitalized words around a word: "Camino de Santiago"."""
    index = fact_words.index(word)
    first = last = index
    while first > 0 and (
        fact_words[first - 1].is_capitalized or fact_words[first - 1].fold in _NAME_PARTICLES
    ):
        first -= 1
    while last + 1 < len(fact_words) and (
        fact_words[last + 1].is_capitalized or fact_words[last + 1].fold in _NAME_PARTICLES
    ):
        last += 1
    return list(fact_words[first : last + 1])


def _missing_currency(fact_text: str, source_text: str) -> str:
    """Return the currency sign or word of a fact that the source does not have."""
    for pattern in _CURRENCY_PATTERNS:
        if (match := pattern.search(fact_text)) and not pattern.search(source_text):
            return match.group()
    return ""


def _tokenize(text: str) -> Iterator[_SourceWord]:
    end = 0
    for match in _WORD_PATTERN.finditer(text):
        is_sentence_start = end == 0 or _SENTENCE_END_PATTERN.search(text, end, match.start() + 1) is not None
        end = match.end()
        yield _SourceWord(
            text=match.group(),
            fold=_strip_possessive(fold_text(match.group())),
            start=match.start(),
            end=end,
            is_sentence_start=is_sentence_start,
        )


def _is_framing(word: _SourceWord, vocabulary: GroundingVocabulary) -> bool:
    # "Will" and "May" are framing words, but also names.
    is_name = word.is_capitalized and not word.is_sentence_start and word.fold not in vocabulary.user_words
    # "they're" counts as "they", and "don't" as "not".
    stem_before_apostrophe = word.fold.partition("'")[0]
    return (stem_before_apostrophe in vocabulary.framing_words or word.fold.endswith("n't")) and not is_name


def _strip_possessive(fold: str) -> str:
    return fold.replace("’", "'").removesuffix("'s")


def _word_forms(word: _SourceWord, vocabulary: GroundingVocabulary, language: str) -> Iterator[str]:
    """Yield index keys: `=` exact, `#` number, `~` stem, `@` synonym group. The sign keeps them apart."""
    yield f"={word.fold}"
    yield from _number_forms(word, vocabulary)
    if not word.is_number:
        yield f"~{stem(word.fold, language)}"
        yield _synonym_form(word.fold, vocabulary)
        yield _synonym_form(stem(word.fold, language), vocabulary)


def _synonym_form(fold: str, vocabulary: GroundingVocabulary) -> str:
    return f"@{vocabulary.synonym_groups.get(fold, fold)}"


def _number_forms(word: _SourceWord, vocabulary: GroundingVocabulary) -> Iterator[str]:
    if number := vocabulary.number_words.get(word.fold):
        yield f"#{number}"
    if word.is_number:
        text = word.text
        # "38,000" is not 38, which it would be if it were read as a decimal, too.
        is_grouped = _THOUSANDS_PATTERN.fullmatch(text)
        number = text.replace(".", "").replace(",", "") if is_grouped else text.replace(",", ".")
        yield f"#{_normalize_digits(number)}"


def _multiplied_forms(
    words: Sequence[_SourceWord], position: int, vocabulary: GroundingVocabulary
) -> Iterator[str]:
    """Yield the values of "four grand", "38k" and "três mil"; a month is its number too, for "17/08"."""
    word = words[position]
    if month := vocabulary.month_numbers.get(word.fold):
        yield f"#{month}"
    if ordinal := vocabulary.ordinals.get(word.fold):
        yield f"#{ordinal}"
    if position + 1 >= len(words) or words[position + 1].fold not in _MULTIPLIERS:
        return
    for form in _number_forms(word, vocabulary):
        value = float(form[1:]) * _MULTIPLIERS[words[position + 1].fold]
        yield f"#{_normalize_digits(str(value))}"


def _normalize_digits(digits: str) -> str:
    whole, point, rest = digits.partition(".")
    rest = rest.rstrip("0") if "." not in rest else rest
    return (whole.lstrip("0") or "0") + (point + rest if rest else "")


def _is_inflection(short: str, long: str) -> bool:
    """Return whether both share all but the last letter of the short one (at least 5): trabalho, trabalhadora."""
    shared_length = next((index for index, letter in enumerate(short) if letter != long[index]), len(short))
    return shared_length >= 5 and len(short) - shared_length <= 1 and len(long) - shared_length <= 4


def _narrowest_span(positions: Sequence[Sequence[int]]) -> tuple[int, int]:
    """Return first and last position of the shortest span with a position of each word (sliding window)."""
    occurrences = sorted(
        {(position, word_index) for word_index, matches in enumerate(positions) for position in matches}
    )
    last_seen: dict[int, int] = {}
    best: tuple[int, int] | None = None
    for position, word_index in occurrences:
        last_seen[word_index] = position
        if len(last_seen) == len(positions):
            first = min(last_seen.values())
            if best is None or position - first < best[1] - best[0]:
                best = first, position
    assert best is not None
    return best


def _span_with_context(source: SourceIndex, first: int, last: int) -> str:
    """Return the text of the span and of up to four words before it in the same clause."""
    text, start = source.text, source.words[max(first - _NEGATION_WINDOW_WORDS, 0)].start
    before = text[start : source.words[first].start]
    breaks = [match.end() for match in _CLAUSE_END_PATTERN.finditer(before)]
    return text[start + (breaks[-1] if breaks else 0) : source.words[last].end]


def _is_negated(text: str, vocabulary: GroundingVocabulary) -> bool:
    return any(word.fold in vocabulary.negations or word.fold.endswith("n't") for word in _tokenize(text))


def _expand_to_sentences(text: str, start: int, end: int) -> GroundedSpan:
    """Expand a span to whole sentences, without surrounding white space."""
    sentence_start = 0
    for match in _SENTENCE_END_PATTERN.finditer(text, 0, start):
        sentence_start = match.end()
    next_end = _SENTENCE_END_PATTERN.search(text, end)
    sentences = text[sentence_start : next_end.end() if next_end else len(text)]
    sentence_start += len(sentences) - len(sentences.lstrip("\0 \t\r\n"))
    sentence_end = sentence_start + len(sentences.strip("\0 \t\r\n"))
    return GroundedSpan(start=min(sentence_start, start), end=max(sentence_end, end))


def _unique_texts(words: Iterable[_SourceWord]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(word.text for word in words))
