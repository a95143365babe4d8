"""Statements: the sentences of a passage that can be judged, with what their words say about them."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Final, Protocol

from recollect.retrieval.relevance_lexicon import (
    CONSTRAINT_PHRASES,
    INSTRUCTION_PHRASES,
    OFFER_PHRASES,
    RELATIONS,
    REQUEST_WORDS,
    SYNONYMS,
    TOPICS,
)
from recollect.text.analyzer import STOP_WORDS, fold_text, stem

_SENTENCE_END_PATTERN = re.compile(r"(?<=[.!?…])[\"')\]]*\s+|\n+")
_WORD_PATTERN = re.compile(r"[^\W_]+(?:['’.:,/-][^\W_]+)*")
_NUMBER_PATTERN = re.compile(r"\d")
_NUMBER_WORDS = frozenset(
    """
    one two three four five six seven eight nine ten eleven twelve fifteen twenty thirty half dozen hundred thousand
    um dois duas tres quatro cinco seis sete oito nove dez onze doze quinze vinte trinta meia duzia cem mil
    """.split()
)
_TIME_WORDS = frozenset(
    """
    monday tuesday wednesday thursday friday saturday sunday january february march april may june july august september
    october november december today yesterday tomorrow week weeks month months year years morning night weekend am pm
    spring summer autumn winter
    segunda terca quarta quinta sexta sabado domingo janeiro fevereiro marco abril maio junho julho agosto setembro
    outubro novembro dezembro hoje ontem amanha semana semanas mes meses ano anos manha noite verao inverno
    """.split()
)
_FIRST_PERSON_WORDS = frozenset(
    """
    i im i'm ive i've id i'd ill i'll my mine me we we're we've our us
    eu meu minha meus minhas me mim comigo nos nosso nossa nossos nossas sou estou tenho to tou tava moro trabalho
    """.split()
)
_NEGATIONS = frozenset(
    "no not don't dont doesn't doesnt didn't didnt can't cant won't wont never nao nem nunca sem".split()
)
_NAME_PATTERN = re.compile(r"(?<![.!?…]\s)(?<!^)\b[A-ZÀ-Ý][a-zà-ÿ]{2,}")
#: Shorter words differ by one letter too often.
_MIN_VARIANT_CHARS: Final = 5
#: Words with the same beginning are taken as cognates.
_PREFIX_CHARS: Final = 5
MAX_EXCERPT_WORDS: Final = 45
#: Texts with fewer content words are too short to be compared.
MIN_COMPARED_WORDS: Final = 2
#: Share of the content words that two texts which say the same have in common.
MIN_SHARED_WORDS: Final = 0.75
#: Sentences shorter than this are joined with their neighbour.
MIN_SENTENCE_WORDS: Final = 3

#: Words of talk that say nothing about a subject.
_FILLER_WORDS = frozenset(
    """
    ok okay yeah yes no lol haha please thanks thank hey hi hello well oh hmm really actually again like also now
    got get
    gotta gonna wanna u ur pls btw one thing things something anything lot much many way good
    sim entao ne ai la aqui ja so tipo vc voce pra pro q pq tb ta to kkk rs oi ola obrigado obrigada favor msm
    mesmo agora
    muito coisa algo bem tudo gente cara mano
    """.split()
)


@dataclass(frozen=True, slots=True, kw_only=True)
class ContentWord:
    """A content word with every form under which another word may match it."""

    text: str
    stems: frozenset[str]
    groups: frozenset[int]  #: synonym groups
    variants: frozenset[
        str
    ]  #: the word with one letter less, which words that differ by a typo share, and its prefix


@dataclass(frozen=True, slots=True, kw_only=True)
class Excerpt:
    """A sentence of a passage and what its words say about it."""

    text: str
    start: int
    end: int
    words: tuple[ContentWord, ...]  #: content words
    stems: frozenset[str]
    groups: frozenset[int]
    variants: frozenset[str]
    word_count: int
    relations: frozenset[int]
    topics: frozenset[str]
    is_question: bool
    is_request: bool
    is_offer: bool
    is_personal: bool  #: in the first person
    is_negated: bool
    is_instruction: bool
    is_constraint: bool
    has_number: bool
    has_time: bool
    has_name: bool


def _split_phrases(text: str) -> tuple[str, ...]:
    return tuple(f" {' '.join(_simple_words(part))} " for part in text.split("|") if part.strip())


def _simple_words(text: str) -> list[str]:
    return re.findall(r"[\w'-]+", fold_text(text))


def _group_index(table: str) -> dict[str, frozenset[int]]:
    index: dict[str, set[int]] = {}
    for number, line in enumerate(table.split(";")):
        for word in line.split():
            for form in _stems(word):
                index.setdefault(form, set()).add(number)
    return {form: frozenset(groups) for form, groups in index.items()}


def _stems(word: str) -> frozenset[str]:
    return frozenset((word, stem(word, "en"), stem(word, "pt")))


_SYNONYM_INDEX: Final = _group_index(SYNONYMS)
_RELATION_INDEX: Final = {
    word: number for number, line in enumerate(RELATIONS.strip().splitlines()) for word in line.split()
}
_TOPIC_STEMS: Final = {
    topic: frozenset(form for word in cues.split() for form in _stems(word)) for topic, cues in TOPICS.items()
}
_INSTRUCTIONS: Final = _split_phrases(INSTRUCTION_PHRASES)
_CONSTRAINTS: Final = _split_phrases(CONSTRAINT_PHRASES)
_OFFERS: Final = _split_phrases(OFFER_PHRASES)


@lru_cache(maxsize=16_384)
def analyze_word(word: str) -> ContentWord:
    stems = _stems(word)
    return ContentWord(
        text=word,
        stems=stems,
        groups=frozenset().union(*(_SYNONYM_INDEX.get(form, frozenset()) for form in stems)),
        variants=_variants(word),
    )


def _variants(word: str) -> frozenset[str]:
    if len(word) < _MIN_VARIANT_CHARS or not word.isalpha():
        return frozenset()
    shortened = (word[:place] + word[place + 1 :] for place in range(len(word)))
    prefix = (word[:_PREFIX_CHARS] + "-",) if len(word) > _PREFIX_CHARS else ()
    return frozenset((word, *shortened, *prefix))


def content_words(text: str) -> tuple[ContentWord, ...]:
    """Return the distinct content words of a text, in order."""
    words: dict[str, ContentWord] = {}
    for raw in _WORD_PATTERN.findall(fold_text(text)):
        word = raw.removesuffix("'s").removesuffix("’s")
        if (word not in STOP_WORDS and word not in _FILLER_WORDS and len(word) > 1) or word.isdigit():
            words[word] = analyze_word(word)
            if not word.isalnum():
                for part in re.split(r"[^\w]", word):
                    if len(part) > 2 and part not in STOP_WORDS:
                        words[part] = analyze_word(part)
    return tuple(words.values())


class HasWordForms(Protocol):
    @property
    def stems(self) -> frozenset[str]: ...
    @property
    def groups(self) -> frozenset[int]: ...
    @property
    def variants(self) -> frozenset[str]: ...


def match_word(word: ContentWord, excerpt: HasWordForms) -> float:
    """Return from 0 to 1 how well the excerpt contains a word of a query."""
    if not word.stems.isdisjoint(excerpt.stems):
        return 1.0
    if not word.groups.isdisjoint(excerpt.groups):
        return 0.75
    return 0.0 if word.variants.isdisjoint(excerpt.variants) else 0.7


@lru_cache(maxsize=8_192)
def split_excerpts(text: str, *, by_assistant: bool = False) -> tuple[Excerpt, ...]:
    """
    Return the passages of a text that state something: runs of sentences of at most `MAX_EXCERPT_WORDS` words.

    Questions, courtesies and offers of help belong to none. A short message is one excerpt, because its sentences
    explain each other: "My sister called. She is moving to Leeds."
    """
    runs: list[list[Excerpt]] = [[]]
    for sentence in sentences_of(text):
        if sentence.is_question or (by_assistant and sentence.is_offer) or not sentence.stems:
            runs.append([])
        elif sum(each.word_count for each in runs[-1]) + sentence.word_count > MAX_EXCERPT_WORDS:
            runs.append([sentence])
        else:
            runs[-1].append(sentence)
    return tuple(
        run[0] if len(run) == 1 else _analyze(text, run[0].start, run[-1].end) for run in runs if run
    )


@lru_cache(maxsize=8_192)
def sentences_of(text: str) -> tuple[Excerpt, ...]:
    return tuple(_analyze(text, start, end) for start, end in _sentence_spans(text))


@lru_cache(maxsize=8_192)
def whole_excerpt(text: str) -> Excerpt:
    return _analyze(text, 0, len(text))


def says_the_same(one: str, other: str) -> bool:
    """Return whether nearly all content words of the shorter text are in the longer one, with the same numbers."""
    first, second = whole_excerpt(one), whole_excerpt(other)
    shorter, longer = sorted((first, second), key=lambda each: len(each.words))
    if len(shorter.words) < MIN_COMPARED_WORDS or shorter.is_negated != longer.is_negated:
        return False
    shared = sum(not word.stems.isdisjoint(longer.stems) for word in shorter.words)
    numbers = {word.text for word in shorter.words if _NUMBER_PATTERN.search(word.text)}
    return shared >= MIN_SHARED_WORDS * len(shorter.words) and numbers <= longer.stems


def relations_in(text: str) -> frozenset[int]:
    return frozenset(_RELATION_INDEX[word] for word in _simple_words(text) if word in _RELATION_INDEX)


def has_phrase(text: str, phrases: tuple[str, ...]) -> bool:
    spaced = f" {' '.join(_simple_words(text))} "
    return any(phrase in spaced for phrase in phrases)


def _analyze(text: str, start: int, end: int) -> Excerpt:
    piece = text[start:end]
    folded = _simple_words(piece)
    spaced = f" {' '.join(folded)} "
    words = content_words(piece)
    topic_counts = {
        topic: sum(not word.stems.isdisjoint(stems) for word in words)
        for topic, stems in _TOPIC_STEMS.items()
    }
    first_words = [word for word in folded[:4] if word not in _FILLER_WORDS]
    return Excerpt(
        text=piece,
        start=start,
        end=end,
        words=words,
        stems=frozenset().union(*(word.stems for word in words)),
        groups=frozenset().union(*(word.groups for word in words)),
        variants=frozenset().union(*(word.variants for word in words)),
        word_count=len(folded),
        relations=frozenset(_RELATION_INDEX[word] for word in folded if word in _RELATION_INDEX),
        topics=frozenset(topic for topic, count in topic_counts.items() if count),
        is_question=piece.rstrip("\"') ").endswith("?"),
        is_request=bool(first_words) and first_words[0] in REQUEST_WORDS,
        is_offer=any(phrase in spaced[:60] for phrase in _OFFERS),
        is_personal=not _FIRST_PERSON_WORDS.isdisjoint(folded),
        is_negated=not _NEGATIONS.isdisjoint(folded),
        is_instruction=any(phrase in spaced for phrase in _INSTRUCTIONS),
        is_constraint=any(phrase in spaced for phrase in _CONSTRAINTS),
        has_number=_NUMBER_PATTERN.search(piece) is not None or not _NUMBER_WORDS.isdisjoint(folded),
        has_time=not _TIME_WORDS.isdisjoint(folded) or re.search(r"\d(?:h|:\d\d| ?[ap]m)", piece) is not None,
        has_name=_NAME_PATTERN.search(piece) is not None,
    )


def _sentence_spans(text: str) -> Iterator[tuple[int, int]]:
    """Yield the spans of sentences without surrounding space; very short ones are joined with the next."""
    start = 0
    ends = list(_SENTENCE_END_PATTERN.finditer(text))
    for match in (*ends, None):
        stop = len(text) if match is None else match.start()
        piece = text[start:stop]
        is_short = len(piece.split()) < MIN_SENTENCE_WORDS and not piece.rstrip().endswith("?")
        if match is not None and is_short and "\n" not in match.group():
            continue
        begin = start + len(piece) - len(piece.lstrip())
        finish = start + len(piece.rstrip())
        if finish > begin:
            yield begin, finish
        start = len(text) if match is None else match.end()
