"""Check that a fact says only what its source says: every name, number and word of it must be found there."""

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass

from recollect.extraction.grounding_vocabulary import VOCABULARIES, Vocabulary
from recollect.text.analyzer import folded, stem

_CJK = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af"
_WORD = re.compile(rf"\d+(?:[.,]\d+)*|[{_CJK}]|[^\W\d_{_CJK}]+(?:['’][^\W\d_{_CJK}]+)*")
_SENTENCE_END = re.compile(r"[.!?…]+(?=\s|\Z)|\n")
_CLAUSE_END = re.compile(r"[.!?…;:,\n\0]")
_GROUPS_OF_THREE = re.compile(r"\d{1,3}(?:[.,]\d{3})+")
#: What may be added to the name of a place: Brazil, Brazilian; Japan, Japanese.
_NATIONS = ("n", "an", "ian", "ean", "ese", "ish", "s")
#: How many words before a statement may turn it round: "I do not really like".
_BEFORE = 4
#: In a longer stretch a "not" may belong to something else.
_NEAR = 10


@dataclass(frozen=True, slots=True, kw_only=True)
class Ground:
    """The sentences of the source that a fact rests on, in characters."""

    start: int
    end: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Ungrounded:
    names: tuple[str, ...] = ()  #: names and numbers that the source does not have
    words: tuple[str, ...] = ()  #: other words that it does not have
    opposed: bool = False  #: one of the two denies what the other says

    @property
    def reason(self) -> str:
        if missing := (*self.names, *self.words):
            return f"not in the message: {', '.join(missing)}"
        return "the message says the opposite" if self.opposed else "it says nothing that can be checked"


@dataclass(frozen=True, slots=True, kw_only=True)
class _Word:
    text: str
    fold: str
    start: int
    end: int
    first: bool  #: of its sentence: its capital says nothing

    @property
    def capital(self) -> bool:
        return self.text[0].isupper()

    @property
    def number(self) -> bool:
        return self.text[0].isdecimal()


class Indexed:
    """A source whose words can be found in each of their clothes. Make it once for all the facts of a message."""

    def __init__(self, text: str, *, language: str) -> None:
        self.text = text
        self.language = language if language in VOCABULARIES else "en"
        self.vocabulary = VOCABULARIES[self.language]
        self.words = list(_words(text))
        self.by_form: dict[str, list[int]] = {}
        self.by_beginning: dict[str, set[str]] = {}
        forms: dict[str, tuple[str, ...]] = {}
        for place, word in enumerate(self.words):
            if word.text not in forms:
                forms[word.text] = tuple(_forms(word, self.vocabulary, self.language))
                self.by_beginning.setdefault(word.fold[:5], set()).add(word.fold)
            for form in forms[word.text]:
                self.by_form.setdefault(form, []).append(place)

    def places(self, word: _Word) -> list[int]:
        if word.number or word.fold in self.vocabulary.numbers:
            forms: Iterable[str] = _number_forms(word, self.vocabulary)
        elif word.capital and not word.first:
            return self._named(word)
        else:
            forms = _forms(word, self.vocabulary, self.language)
        found = [place for form in forms for place in self.by_form.get(form, ())]
        found = found or [place for other in self._inflected(word) for place in self.by_form[f"={other}"]]
        # Maria is not Mariana, also where a sentence begins with her.
        return [place for place in found if not self._other_name(word, self.words[place])]

    def _named(self, word: _Word) -> list[int]:
        whole = self.by_form.get(f"={word.fold}") or self.by_form.get(_group(word.fold, self.vocabulary), [])
        if word.fold in self.vocabulary.framing:
            whole = [place for place in whole if self.words[place].capital and not self.words[place].first]
        lands = (word.fold.removesuffix(ending) for ending in _NATIONS if word.fold.endswith(ending))
        return whole or [
            place for land in lands if len(land) > 3 for place in self.by_form.get(f"={land}", [])
        ]

    def _inflected(self, word: _Word) -> Iterator[str]:
        for other in self.by_beginning.get(word.fold[:5], ()) if len(word.fold) >= 5 else ():
            if _inflections(*sorted((word.fold, other), key=len)):
                yield other

    @staticmethod
    def _other_name(word: _Word, found: _Word) -> bool:
        return word.capital and found.capital and not found.first and word.fold != found.fold


def grounded(
    fact_text: str, source_text: str, *, language: str, known_names: Collection[str] = ()
) -> Ground | Ungrounded:
    """Where a fact stands in its source, or what of it the source does not say; `en` and `pt` are known best."""
    return grounded_in(Indexed(source_text, language=language), fact_text, known_names=known_names)


def grounded_in(source: Indexed, fact_text: str, *, known_names: Collection[str] = ()) -> Ground | Ungrounded:
    """
    Where a fact stands in its source, or what of it the source does not say.

    Words that any retelling adds (user, he, is, likes) need not be there, nor the names that are known anyway.
    Other words may be inflected or replaced by a close one; names and numbers may not.
    """
    vocabulary = source.vocabulary
    known = {word.fold for name in known_names for word in _words(name)}
    content = [word for word in _words(fact_text) if word.fold not in known and not _frames(word, vocabulary)]
    found = [source.places(word) for word in content]
    missing = [word for word, places in zip(content, found, strict=True) if not places]
    if missing:
        exact = [word for word in missing if word.number or (word.capital and not word.first)]
        return Ungrounded(names=_texts(exact), words=_texts(word for word in missing if word not in exact))
    if not content:
        return Ungrounded()
    first, last = _narrowest(found)
    denied = _turned(_around(source, first, last), vocabulary)
    if last - first <= _NEAR and _turned(fact_text, vocabulary) != denied:
        return Ungrounded(opposed=True)
    return _sentences(source.text, source.words[first].start, source.words[last].end)


def _words(text: str) -> Iterator[_Word]:
    end = 0
    for found in _WORD.finditer(text):
        first = end == 0 or _SENTENCE_END.search(text, end, found.start() + 1) is not None
        end = found.end()
        yield _Word(
            text=found.group(), fold=_bare(folded(found.group())), start=found.start(), end=end, first=first
        )


def _frames(word: _Word, vocabulary: Vocabulary) -> bool:
    # Will and May are framing words, and names as well.
    named = word.capital and not word.first and word.fold not in vocabulary.user
    # "they're" frames as they do, and "don't" as not does.
    begun = word.fold.partition("'")[0]
    return (begun in vocabulary.framing or word.fold.endswith("n't")) and not named


def _bare(fold: str) -> str:
    """Without the possessive."""
    return fold.replace("’", "'").removesuffix("'s")


def _forms(word: _Word, vocabulary: Vocabulary, language: str) -> Iterator[str]:
    """Each form begins with a sign of its kind, so that a stem is never taken for a whole word."""
    yield f"={word.fold}"
    yield from _number_forms(word, vocabulary)
    if not word.number:
        yield f"~{stem(word.fold, language)}"
        yield _group(word.fold, vocabulary)
        yield _group(stem(word.fold, language), vocabulary)


def _group(fold: str, vocabulary: Vocabulary) -> str:
    return f"@{vocabulary.groups.get(fold, fold)}"


def _number_forms(word: _Word, vocabulary: Vocabulary) -> Iterator[str]:
    if named := vocabulary.numbers.get(word.fold):
        yield f"#{named}"
    if word.number:
        text = word.text
        if _GROUPS_OF_THREE.fullmatch(text):
            yield f"#{_plain(text.replace('.', '').replace(',', ''))}"
        yield f"#{_plain(text.replace(',', '.'))}"


def _plain(digits: str) -> str:
    whole, point, rest = digits.partition(".")
    rest = rest.rstrip("0") if "." not in rest else rest
    return (whole.lstrip("0") or "0") + (point + rest if rest else "")


def _inflections(short: str, long: str) -> bool:
    """One goes on where the other ends, but for a last letter: trabalho, trabalhadora."""
    same = next((at for at, letter in enumerate(short) if letter != long[at]), len(short))
    return same >= 5 and len(short) - same <= 1 and len(long) - same <= 4


def _narrowest(found: Sequence[Sequence[int]]) -> tuple[int, int]:
    """The shortest stretch of words that has one place of each."""
    places = sorted({(place, which) for which, found_there in enumerate(found) for place in found_there})
    last_seen: dict[int, int] = {}
    best: tuple[int, int] | None = None
    for place, which in places:
        last_seen[which] = place
        if len(last_seen) == len(found):
            first = min(last_seen.values())
            if best is None or place - first < best[1] - best[0]:
                best = first, place
    assert best is not None
    return best


def _around(source: Indexed, first: int, last: int) -> str:
    """The stretch with the few words before it, as far as they belong to the same clause."""
    text, start = source.text, source.words[max(first - _BEFORE, 0)].start
    before = text[start : source.words[first].start]
    breaks = [found.end() for found in _CLAUSE_END.finditer(before)]
    return text[start + (breaks[-1] if breaks else 0) : source.words[last].end]


def _turned(text: str, vocabulary: Vocabulary) -> bool:
    return any(word.fold in vocabulary.turning or word.fold.endswith("n't") for word in _words(text))


def _sentences(text: str, start: int, end: int) -> Ground:
    """Widen a stretch to the sentences it stands in, without the white space around them."""
    begin = 0
    for found in _SENTENCE_END.finditer(text, 0, start):
        begin = found.end()
    after = _SENTENCE_END.search(text, end)
    finish = after.end() if after else len(text)
    piece = text[begin:finish]
    begin += len(piece) - len(piece.lstrip("\0 \t\r\n"))
    return Ground(start=min(begin, start), end=max(begin + len(piece.strip("\0 \t\r\n")), end))


def _texts(words: Iterable[_Word]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(word.text for word in words))
