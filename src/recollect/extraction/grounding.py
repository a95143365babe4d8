"""Check that a fact says only what its source says: every name, number and word of it must be found there."""

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass

from recollect.extraction.grounding_vocabulary import VOCABULARIES, GroundingVocabulary
from recollect.text.analyzer import fold_text, stem

_CJK_RANGES = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af"
_WORD_PATTERN = re.compile(
    rf"\d+(?:[.,]\d+)*|[{_CJK_RANGES}]|[^\W\d_{_CJK_RANGES}]+(?:['’][^\W\d_{_CJK_RANGES}]+)*"
)
_SENTENCE_END_PATTERN = re.compile(r"[.!?…]+(?=\s|\Z)|\n")
_CLAUSE_END_PATTERN = re.compile(r"[.!?…;:,\n\0]")
_THOUSANDS_PATTERN = re.compile(r"\d{1,3}(?:[.,]\d{3})+")
#: What may be added to the name of a place: Brazil, Brazilian; Japan, Japanese.
_DEMONYM_SUFFIXES = ("n", "an", "ian", "ean", "ese", "ish", "s")
#: How many words before a statement may turn it round: "I do not really like".
_NEGATION_WINDOW_WORDS = 4
#: In a longer stretch a "not" may belong to something else.
_MAX_NEGATION_SPAN_WORDS = 10


@dataclass(frozen=True, slots=True, kw_only=True)
class GroundedSpan:
    """The sentences of the source that a fact rests on, in characters."""

    start: int
    end: int


@dataclass(frozen=True, slots=True, kw_only=True)
class GroundingFailure:
    missing_names: tuple[str, ...] = ()  #: names and numbers that the source does not have
    missing_words: tuple[str, ...] = ()  #: other words that it does not have
    is_contradicted: bool = False  #: one of the two denies what the other says

    @property
    def reason(self) -> str:
        if missing := (*self.missing_names, *self.missing_words):
            return f"not in the message: {', '.join(missing)}"
        return (
            "the message says the opposite" if self.is_contradicted else "it says nothing that can be checked"
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class _SourceWord:
    text: str
    fold: str
    start: int
    end: int
    is_sentence_start: bool  #: of its sentence: its capital says nothing

    @property
    def is_capitalized(self) -> bool:
        return self.text[0].isupper()

    @property
    def is_number(self) -> bool:
        return self.text[0].isdecimal()


class SourceIndex:
    """A source whose words can be found in each of their clothes. Make it once for all the facts of a message."""

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

    def positions(self, word: _SourceWord) -> list[int]:
        if word.is_number or word.fold in self.vocabulary.number_words:
            forms: Iterable[str] = _number_forms(word, self.vocabulary)
        elif word.is_capitalized and not word.is_sentence_start:
            return self._name_positions(word)
        else:
            forms = _word_forms(word, self.vocabulary, self.language)
        positions = [place for form in forms for place in self.by_form.get(form, ())]
        positions = positions or [
            place for other in self._inflected_forms(word) for place in self.by_form[f"={other}"]
        ]
        # Maria is not Mariana, also where a sentence begins with her.
        return [place for place in positions if not self._is_other_name(word, self.words[place])]

    def _name_positions(self, word: _SourceWord) -> list[int]:
        positions = self.by_form.get(f"={word.fold}") or self.by_form.get(
            _synonym_form(word.fold, self.vocabulary), []
        )
        if word.fold in self.vocabulary.framing_words:
            positions = [
                place
                for place in positions
                if self.words[place].is_capitalized and not self.words[place].is_sentence_start
            ]
        place_names = (
            word.fold.removesuffix(ending) for ending in _DEMONYM_SUFFIXES if word.fold.endswith(ending)
        )
        return positions or [
            place for land in place_names if len(land) > 3 for place in self.by_form.get(f"={land}", [])
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
    """Where a fact stands in its source, or what of it the source does not say; `en` and `pt` are known best."""
    return ground_in_index(SourceIndex(source_text, language=language), fact_text, known_names=known_names)


def ground_in_index(
    source: SourceIndex, fact_text: str, *, known_names: Collection[str] = ()
) -> GroundedSpan | GroundingFailure:
    """
    Where a fact stands in its source, or what of it the source does not say.

    Words that any retelling adds (user, he, is, likes) need not be there, nor the names that are known anyway.
    Other words may be inflected or replaced by a close one; names and numbers may not.
    """
    vocabulary = source.vocabulary
    known_words = {word.fold for name in known_names for word in _tokenize(name)}
    content = [
        word
        for word in _tokenize(fact_text)
        if word.fold not in known_words and not _is_framing(word, vocabulary)
    ]
    positions = [source.positions(word) for word in content]
    missing = [word for word, places in zip(content, positions, strict=True) if not places]
    if missing:
        exact = [
            word for word in missing if word.is_number or (word.is_capitalized and not word.is_sentence_start)
        ]
        return GroundingFailure(
            missing_names=_unique_texts(exact),
            missing_words=_unique_texts(word for word in missing if word not in exact),
        )
    if not content:
        return GroundingFailure()
    first, last = _narrowest_span(positions)
    is_source_negated = _is_negated(_span_with_context(source, first, last), vocabulary)
    if last - first <= _MAX_NEGATION_SPAN_WORDS and _is_negated(fact_text, vocabulary) != is_source_negated:
        return GroundingFailure(is_contradicted=True)
    return _expand_to_sentences(source.text, source.words[first].start, source.words[last].end)


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
    # Will and May are framing words, and names as well.
    is_name = word.is_capitalized and not word.is_sentence_start and word.fold not in vocabulary.user_words
    # "they're" frames as they do, and "don't" as not does.
    stem_before_apostrophe = word.fold.partition("'")[0]
    return (stem_before_apostrophe in vocabulary.framing_words or word.fold.endswith("n't")) and not is_name


def _strip_possessive(fold: str) -> str:
    """Without the possessive."""
    return fold.replace("’", "'").removesuffix("'s")


def _word_forms(word: _SourceWord, vocabulary: GroundingVocabulary, language: str) -> Iterator[str]:
    """Each form begins with a sign of its kind, so that a stem is never taken for a whole word."""
    yield f"={word.fold}"
    yield from _number_forms(word, vocabulary)
    if not word.is_number:
        yield f"~{stem(word.fold, language)}"
        yield _synonym_form(word.fold, vocabulary)
        yield _synonym_form(stem(word.fold, language), vocabulary)


def _synonym_form(fold: str, vocabulary: GroundingVocabulary) -> str:
    return f"@{vocabulary.synonym_groups.get(fold, fold)}"


def _number_forms(word: _SourceWord, vocabulary: GroundingVocabulary) -> Iterator[str]:
    if named := vocabulary.number_words.get(word.fold):
        yield f"#{named}"
    if word.is_number:
        text = word.text
        if _THOUSANDS_PATTERN.fullmatch(text):
            yield f"#{_normalize_digits(text.replace('.', '').replace(',', ''))}"
        yield f"#{_normalize_digits(text.replace(',', '.'))}"


def _normalize_digits(digits: str) -> str:
    whole, point, rest = digits.partition(".")
    rest = rest.rstrip("0") if "." not in rest else rest
    return (whole.lstrip("0") or "0") + (point + rest if rest else "")


def _is_inflection(short: str, long: str) -> bool:
    """One goes on where the other ends, but for a last letter: trabalho, trabalhadora."""
    shared_length = next((at for at, letter in enumerate(short) if letter != long[at]), len(short))
    return shared_length >= 5 and len(short) - shared_length <= 1 and len(long) - shared_length <= 4


def _narrowest_span(positions: Sequence[Sequence[int]]) -> tuple[int, int]:
    """The shortest stretch of words that has one place of each."""
    places = sorted({(place, which) for which, found_there in enumerate(positions) for place in found_there})
    last_seen: dict[int, int] = {}
    best: tuple[int, int] | None = None
    for place, which in places:
        last_seen[which] = place
        if len(last_seen) == len(positions):
            first = min(last_seen.values())
            if best is None or place - first < best[1] - best[0]:
                best = first, place
    assert best is not None
    return best


def _span_with_context(source: SourceIndex, first: int, last: int) -> str:
    """The stretch with the few words before it, as far as they belong to the same clause."""
    text, start = source.text, source.words[max(first - _NEGATION_WINDOW_WORDS, 0)].start
    before = text[start : source.words[first].start]
    breaks = [found.end() for found in _CLAUSE_END_PATTERN.finditer(before)]
    return text[start + (breaks[-1] if breaks else 0) : source.words[last].end]


def _is_negated(text: str, vocabulary: GroundingVocabulary) -> bool:
    return any(word.fold in vocabulary.negations or word.fold.endswith("n't") for word in _tokenize(text))


def _expand_to_sentences(text: str, start: int, end: int) -> GroundedSpan:
    """Widen a stretch to the sentences it stands in, without the white space around them."""
    begin = 0
    for found in _SENTENCE_END_PATTERN.finditer(text, 0, start):
        begin = found.end()
    after = _SENTENCE_END_PATTERN.search(text, end)
    finish = after.end() if after else len(text)
    piece = text[begin:finish]
    begin += len(piece) - len(piece.lstrip("\0 \t\r\n"))
    return GroundedSpan(start=min(begin, start), end=max(begin + len(piece.strip("\0 \t\r\n")), end))


def _unique_texts(words: Iterable[_SourceWord]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(word.text for word in words))
