"""Excerpts: the runs of sentences of a passage whose relevance is judged, and the features of their words."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain
from typing import Final, TypeAlias

from recollect.retrieval.facets import statement_facets
from recollect.retrieval.relevance_lexicon import (
    CONSTRAINT_PHRASES,
    INSTRUCTION_PHRASES,
    OFFER_PHRASES,
    QUESTION_BEGINNINGS,
    QUESTION_WORDS,
    RELATIONS,
    REQUEST_PHRASES,
    REQUEST_WORDS,
    SYNONYMS,
    TOPICS,
)
from recollect.text.analyzer import STOP_WORDS, fold_text, stem

_SENTENCE_END_PATTERN = re.compile(r"(?<=[.!?…])[\"')\]]*\s+|\n+")
_CLAUSE_END_PATTERN = re.compile(r"[,;:—–]\s+|\s+-\s+")
_WORD_PATTERN = re.compile(r"[^\W_]+(?:['’.:,/-][^\W_]+)*")
_SIMPLE_WORD_PATTERN = re.compile(r"[\w'-]+")
_NUMBER_PATTERN = re.compile(r"\d")
_CLOCK_TIME_PATTERN = re.compile(r"\d(?:h|:\d\d| ?[ap]m)")
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
_VARIANT_MARK: Final = "~"
#: Words with the same beginning are taken as cognates.
_PREFIX_CHARS: Final = 5
MAX_EXCERPT_WORDS: Final = 45
#: An offer of help begins within so many characters.
MAX_OFFER_START_CHARS: Final = 60
#: Texts with fewer content words are too short to be compared.
MIN_COMPARED_WORDS: Final = 2
#: Share of the content words that two texts which say the same have in common.
MIN_SHARED_WORDS: Final = 0.75
#: Sentences shorter than this are joined with their neighbour.
MIN_SENTENCE_WORDS: Final = 3
#: A clause before a question states something if it has so many words.
MIN_STATEMENT_WORDS: Final = 4
#: A sentence without a question mark that begins like a question is one if it is not longer.
MAX_QUESTION_WORDS: Final = 18
#: A request is recognized by its beginning.
MAX_REQUEST_CHARS: Final = 48
_QUESTION_FILLERS: Final = frozenset(
    "so ok okay and but hey hi hmm well also e mas entao ai oi ola bom tipo".split()
)

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


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ContentWord:
    """A content word with every form under which another word may match it. Compared by identity, which is fast."""

    text: str
    stems: frozenset[str]
    groups: frozenset[int]  #: synonym groups
    #: Stems, synonym groups, and marked with `_VARIANT_MARK` the word with one letter less, which words that differ by
    #: a typo share, and its prefix.
    forms: frozenset[str | int]
    topics: frozenset[str]


#: By word of a text, how well it stands for each word of a query.
WordMatches: TypeAlias = Mapping[ContentWord, tuple[float, ...]]


@dataclass(frozen=True, slots=True, kw_only=True)
class SentenceSpan:
    """A sentence of a passage, and whether it states something."""

    text: str
    start: int
    end: int
    word_count: int
    is_question: bool
    has_content: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Excerpt:
    """A sentence of a passage and what its words say about it."""

    text: str
    start: int
    end: int
    words: frozenset[ContentWord]
    word_count: int
    relations: frozenset[int]
    topics: frozenset[str]
    facets: frozenset[str]  #: what it tells about: a job, a home, an age
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


def split_phrases(text: str) -> tuple[str, ...]:
    """Return the phrases of a table, which are separated by `|`, in the form that `has_phrase` compares."""
    return tuple(f" {' '.join(simple_words(part))} " for part in text.split("|") if part.strip())


def simple_words(text: str) -> list[str]:
    """Return the folded words of a text, stop words included."""
    return _SIMPLE_WORD_PATTERN.findall(fold_text(text))


def _by_first_word(phrases: Iterable[str]) -> dict[str, tuple[str, ...]]:
    index: dict[str, tuple[str, ...]] = {}
    for phrase in phrases:
        first = phrase.split()[0]
        index[first] = (*index.get(first, ()), phrase)
    return index


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
_INSTRUCTIONS: Final = _by_first_word(split_phrases(INSTRUCTION_PHRASES))
_CONSTRAINTS: Final = _by_first_word(split_phrases(CONSTRAINT_PHRASES))
_OFFERS: Final = _by_first_word(split_phrases(OFFER_PHRASES))
_REQUESTS: Final = _by_first_word(split_phrases(REQUEST_PHRASES))
_QUESTION_BEGINNINGS: Final = _by_first_word(split_phrases(QUESTION_BEGINNINGS))


def analyze_word(word: str) -> ContentWord:
    stems = _stems(word)
    groups: frozenset[int] = frozenset().union(*(_SYNONYM_INDEX.get(form, frozenset()) for form in stems))
    return ContentWord(
        text=word,
        stems=stems,
        groups=groups,
        forms=frozenset((*stems, *groups, *_variants(word))),
        topics=frozenset(topic for topic, cues in _TOPIC_STEMS.items() if not stems.isdisjoint(cues)),
    )


def _variants(word: str) -> Iterator[str]:
    if len(word) < _MIN_VARIANT_CHARS or not word.isalpha():
        return
    yield _VARIANT_MARK + word
    yield from (_VARIANT_MARK + word[:place] + word[place + 1 :] for place in range(len(word)))
    if len(word) > _PREFIX_CHARS:
        yield _VARIANT_MARK + word[:_PREFIX_CHARS] + "-"


def content_words(text: str) -> tuple[ContentWord, ...]:
    """Return the distinct content words of a text, in order."""
    return tuple({word.text: word for word in _find_content_words(fold_text(text))}.values())


@lru_cache(maxsize=8_192)
def word_set(text: str) -> frozenset[ContentWord]:
    """Return the content words of a text."""
    return frozenset(_find_content_words(fold_text(text)))


def _find_content_words(folded_text: str) -> Iterator[ContentWord]:
    return chain.from_iterable(map(_split_content_word, _WORD_PATTERN.findall(folded_text)))


@lru_cache(maxsize=16_384)
def _split_content_word(raw: str) -> tuple[ContentWord, ...]:
    """Return the content word that a word of a folded text is, and its parts; nothing for a stop word."""
    word = raw.removesuffix("'s").removesuffix("’s")
    if not ((word not in STOP_WORDS and word not in _FILLER_WORDS and len(word) > 1) or word.isdigit()):
        return ()
    if word.isalnum():
        return (analyze_word(word),)
    parts = (part for part in re.split(r"[^\w]", word) if len(part) > 2 and part not in STOP_WORDS)
    return tuple(map(analyze_word, (word, *parts)))


def match_word(word: ContentWord, other: ContentWord) -> float:
    """Return from 0 to 1 how well another word stands for a word of a query."""
    if not word.stems.isdisjoint(other.stems):
        return 1.0
    if not word.groups.isdisjoint(other.groups):
        return 0.75
    return 0.0 if word.forms.isdisjoint(other.forms) else 0.7


def match_words(query_words: Sequence[ContentWord], words: Iterable[ContentWord]) -> WordMatches:
    """Return how well each word stands for each word of a query; words that stand for none are left out."""
    query_forms: frozenset[str | int] = frozenset().union(*(each.forms for each in query_words))
    candidates = list(words)
    # A map runs in C: the passages of a query have some thousand words, of which few match.
    are_unrelated = map(query_forms.isdisjoint, [word.forms for word in candidates])
    return {
        word: tuple([match_word(each, word) for each in query_words])
        for word, is_unrelated in zip(candidates, are_unrelated, strict=True)
        if not is_unrelated
    }


def best_matches(
    query_words: Sequence[ContentWord], matches: WordMatches, words: frozenset[ContentWord]
) -> list[float]:
    """Return from 0 to 1 how well a text with these words contains each word of a query."""
    matching = matches.keys() & words
    return list(map(max, zip(*map(matches.__getitem__, matching), strict=True))) or [0.0] * len(query_words)


@lru_cache(maxsize=8_192)
def split_excerpts(text: str, *, by_assistant: bool = False) -> tuple[Excerpt, ...]:
    """
    Return the passages of a text that state something: runs of sentences of at most `MAX_EXCERPT_WORDS` words.

    Questions, courtesies and offers of help belong to none. A short message is one excerpt, because its sentences
    explain each other: "My sister called. She is moving to Leeds."
    """
    runs: list[list[SentenceSpan]] = [[]]
    for sentence in sentences_of(text):
        if (
            sentence.is_question
            or (by_assistant and _is_offer(simple_words(sentence.text)))
            or not sentence.has_content
        ):
            runs.append([])
        elif sum(each.word_count for each in runs[-1]) + sentence.word_count > MAX_EXCERPT_WORDS:
            runs.append([sentence])
        else:
            runs[-1].append(sentence)
    return tuple(_analyze(text, run[0].start, run[-1].end) for run in runs if run)


@lru_cache(maxsize=8_192)
def sentences_of(text: str) -> tuple[SentenceSpan, ...]:
    return tuple(
        _describe_sentence(text, start, end)
        for sentence in _sentence_spans(text)
        for start, end in _split_question(text, *sentence)
    )


def _describe_sentence(text: str, start: int, end: int) -> SentenceSpan:
    piece = text[start:end]
    folded_text = fold_text(piece)
    return SentenceSpan(
        text=piece,
        start=start,
        end=end,
        word_count=len(_SIMPLE_WORD_PATTERN.findall(folded_text)),
        is_question=_is_question(piece, _SIMPLE_WORD_PATTERN.findall(folded_text)),
        has_content=any(_split_content_word(each.group()) for each in _WORD_PATTERN.finditer(folded_text)),
    )


@lru_cache(maxsize=8_192)
def whole_excerpt(text: str) -> Excerpt:
    return _analyze(text, 0, len(text))


def says_the_same(one: str, other: str) -> bool:
    """
    Return whether nearly all content words of the shorter text are in the longer one, in either language.

    Numbers, names and relations must all be the same: "my son Sipho plays chess" is not "my son Themba plays chess".
    """
    first, second = _compared_words(one), _compared_words(other)
    shorter, longer = sorted((first, second), key=lambda each: len(each.words))
    if len(shorter.words) < MIN_COMPARED_WORDS or shorter.is_negated != longer.is_negated:
        return False
    if not (shorter.numbers <= longer.stems and shorter.names <= longer.stems):
        return False
    if shorter.relations and longer.relations and shorter.relations.isdisjoint(longer.relations):
        return False
    return _count_shared(shorter, longer) >= MIN_SHARED_WORDS * len(shorter.words)


def share_of_words(text: str, other: str) -> float:
    """Return the share of a text's content words that the other text contains; 0 if one of its numbers is missing."""
    words, others = _compared_words(text), _compared_words(other)
    if not words.words or not words.numbers <= others.stems:
        return 0.0
    return _count_shared(words, others) / len(words.words)


@dataclass(frozen=True, slots=True, kw_only=True)
class _ComparedWords:
    """What of a text is compared with another."""

    words: tuple[ContentWord, ...]
    stems: frozenset[str]
    groups: frozenset[int]
    numbers: frozenset[str]
    names: frozenset[str]  #: folded words with a capital, except the first of a sentence
    relations: frozenset[int]
    is_negated: bool


def _count_shared(words: _ComparedWords, others: _ComparedWords) -> int:
    return sum(
        not (word.stems.isdisjoint(others.stems) and word.groups.isdisjoint(others.groups))
        for word in words.words
    )


@lru_cache(maxsize=8_192)
def _compared_words(text: str) -> _ComparedWords:
    words = tuple(content_words(text))
    known = frozenset(word.text for word in words)
    return _ComparedWords(
        words=words,
        stems=frozenset().union(*(word.stems for word in words)),
        groups=frozenset().union(*(word.groups for word in words)),
        numbers=frozenset(word.text for word in words if _NUMBER_PATTERN.search(word.text)),
        names=frozenset(map(fold_text, _NAME_PATTERN.findall(text))) & known,
        relations=relations_in(text),
        is_negated=not _NEGATIONS.isdisjoint(simple_words(text)),
    )


def relations_in(text: str) -> frozenset[int]:
    return frozenset(_RELATION_INDEX[word] for word in simple_words(text) if word in _RELATION_INDEX)


def has_phrase(text: str, phrases: tuple[str, ...]) -> bool:
    spaced = f" {' '.join(simple_words(text))} "
    return any(phrase in spaced for phrase in phrases)


def _analyze(text: str, start: int, end: int) -> Excerpt:
    piece = text[start:end]
    folded_text = fold_text(piece)
    folded = _SIMPLE_WORD_PATTERN.findall(folded_text)
    distinct = frozenset(folded)
    spaced = f" {' '.join(folded)} "
    words = frozenset(_find_content_words(folded_text))
    first_words = [word for word in folded[:4] if word not in _FILLER_WORDS]
    return Excerpt(
        text=piece,
        start=start,
        end=end,
        words=words,
        word_count=len(folded),
        relations=frozenset(_RELATION_INDEX[word] for word in _RELATION_INDEX.keys() & distinct),
        topics=frozenset([topic for word in words for topic in word.topics]),
        facets=statement_facets(folded),
        is_question=_is_question(piece, folded),
        is_request=(bool(first_words) and first_words[0] in REQUEST_WORDS)
        or _has_phrase(spaced[:MAX_REQUEST_CHARS], distinct, _REQUESTS),
        is_offer=_is_offer(folded),
        is_personal=not _FIRST_PERSON_WORDS.isdisjoint(distinct),
        is_negated=not _NEGATIONS.isdisjoint(distinct),
        is_instruction=_has_phrase(spaced, distinct, _INSTRUCTIONS),
        is_constraint=_has_phrase(spaced, distinct, _CONSTRAINTS),
        has_number=_NUMBER_PATTERN.search(piece) is not None or not _NUMBER_WORDS.isdisjoint(distinct),
        has_time=not _TIME_WORDS.isdisjoint(distinct) or _CLOCK_TIME_PATTERN.search(piece) is not None,
        has_name=_NAME_PATTERN.search(piece) is not None,
    )


def _is_question(piece: str, folded: Sequence[str]) -> bool:
    return _ends_with_question_mark(piece) or _begins_with_question(folded)


def _ends_with_question_mark(piece: str) -> bool:
    return piece.rstrip("\"') ").endswith("?")


def _begins_with_question(folded: Sequence[str]) -> bool:
    if len(folded) > MAX_QUESTION_WORDS:
        return False
    words = [word for word in folded[:6] if word not in _QUESTION_FILLERS]
    beginning = f" {' '.join(words)} "
    return bool(words) and any(beginning.startswith(each) for each in _QUESTION_BEGINNINGS.get(words[0], ()))


def _split_question(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """Yield a sentence; of a question that begins with a statement both: "The rent is now 900, should I move?"."""
    clause_end = None
    if _ends_with_question_mark(text[start:end]):
        *_, clause_end = (None, *_CLAUSE_END_PATTERN.finditer(text, start, end))
    if clause_end is None or not _is_statement(text[start : clause_end.start()]):
        yield start, end
    else:
        yield start, clause_end.start()
        yield clause_end.end(), end


def _is_statement(clause: str) -> bool:
    words = simple_words(clause)
    return (
        len(words) >= MIN_STATEMENT_WORDS and words[0] not in REQUEST_WORDS and words[0] not in QUESTION_WORDS
    )


def _is_offer(folded: Sequence[str]) -> bool:
    beginning = f" {' '.join(folded)} "[:MAX_OFFER_START_CHARS]
    return _has_phrase(beginning, frozenset(folded), _OFFERS)


def _has_phrase(spaced: str, distinct: frozenset[str], phrases: Mapping[str, tuple[str, ...]]) -> bool:
    if phrases.keys().isdisjoint(distinct):
        return False
    return any(phrase in spaced for first in phrases.keys() & distinct for phrase in phrases[first])


def _sentence_spans(text: str) -> Iterator[tuple[int, int]]:
    """
    Yield the spans of sentences without surrounding space; very short ones are joined with the next.

    A short statement before a question stays alone, since questions are dropped: "I'm vegetarian. What can I cook?"
    """
    start = 0
    ends = list(_SENTENCE_END_PATTERN.finditer(text))
    for number, match in enumerate((*ends, None)):
        stop = len(text) if match is None else match.start()
        piece = text[start:stop]
        is_short = len(
            piece.split(maxsplit=MIN_SENTENCE_WORDS)
        ) < MIN_SENTENCE_WORDS and not piece.rstrip().endswith("?")
        if match is not None and is_short and "\n" not in match.group():
            next_stop = ends[number + 1].start() if number + 1 < len(ends) else len(text)
            if not text[match.end() : next_stop].rstrip().endswith("?"):
                continue
        begin = start + len(piece) - len(piece.lstrip())
        finish = start + len(piece.rstrip())
        if finish > begin:
            yield begin, finish
        start = len(text) if match is None else match.end()
