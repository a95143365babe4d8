"""Synthetic chats with Zipf-distributed words and a unique fact in every fiftieth message."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from itertools import islice

import numpy as np
from numpy.typing import NDArray

from benchmarks.vocabulary import (
    COLOURS,
    FUNCTION_WORDS,
    PLACES,
    RELATIVES,
    THINGS,
    TOPICS,
    VERBS,
    generate_names,
    inflect,
)

CORPUS_START = datetime(2024, 1, 1, tzinfo=UTC)
CORPUS_DURATION = timedelta(days=730)
CHAT_COUNT = 200
MESSAGES_PER_BATCH = 100
WORDS_PER_MESSAGE = 150  #: about 1 KB
VOCABULARY_SIZE = 20_000
TOPIC_WORD_SHARE = 0.25
RARE_WORDS_PER_TOPIC = 300
MESSAGES_PER_FACT = 50
MESSAGES_PER_CODE_MENTION = 20
#: Phrasings of a question, so that a repeated question is not answered from a cache.
QUERY_TEMPLATES = ("{}", "Do you remember: {}", "I forgot again, {}", "Tell me please, {}", "By the way, {}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Fact:
    """A fact stated once in the corpus; `answer` occurs nowhere else."""

    text: str
    query: str
    answer: str

    def phrase_query(self, variant: int) -> str:
        return QUERY_TEMPLATES[variant % len(QUERY_TEMPLATES)].format(self.query)


@dataclass(frozen=True, slots=True, kw_only=True)
class Batch:
    """Consecutive messages of one chat, in the format of a chat API."""

    chat: str
    messages: list[dict[str, object]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Corpus:
    size: int
    seed: int = 7

    @property
    def facts(self) -> list[Fact]:
        return list(islice(_generate_facts(), self.size // MESSAGES_PER_FACT))

    def batches(self) -> Iterator[Batch]:
        facts, topics, language = iter(self.facts), list(TOPICS), _TextGenerator()
        for start in range(0, self.size, MESSAGES_PER_BATCH):
            # Chats alternate; each has one or two topics.
            chat = (start // MESSAGES_PER_BATCH) % CHAT_COUNT
            topic = topics[(chat + (start // MESSAGES_PER_BATCH // CHAT_COUNT) % 2) % len(topics)]
            size = min(MESSAGES_PER_BATCH, self.size - start)
            texts = language.draw_texts(np.random.default_rng((self.seed, start)), topic, size)
            messages = [self._message(start + i, text, facts) for i, text in enumerate(texts)]
            yield Batch(chat=f"chat-{chat:03}", messages=messages)

    def _message(self, position: int, text: str, facts: Iterator[Fact]) -> dict[str, object]:
        role = "assistant" if position % 2 else "user"
        if position % MESSAGES_PER_FACT == MESSAGES_PER_FACT - 1:
            # Only user messages state facts about the user.
            text, role = _insert_sentence(text, next(facts).text), "user"
        elif position % MESSAGES_PER_CODE_MENTION == 0:
            text = _insert_sentence(
                text,
                f"Look at `{VERBS[position // MESSAGES_PER_CODE_MENTION % len(VERBS)]}Report{position}()` again.",
            )
        return {
            "role": role,
            "content": text,
            "created_at": CORPUS_START + CORPUS_DURATION * (position / self.size),
        }


class _TextGenerator:
    """Draws words by Zipf's law, partly from the general vocabulary and partly from the chat's topic."""

    def __init__(self) -> None:
        topic_words = sorted({word for words in TOPICS.values() for word in words})
        vocabulary = dict.fromkeys(
            (*FUNCTION_WORDS, *inflect(topic_words), *islice(generate_names(), VOCABULARY_SIZE))
        )
        self._words = np.array(list(islice(vocabulary, VOCABULARY_SIZE)), dtype=object)
        self._word_distribution = _zipf_cumulative(VOCABULARY_SIZE, shift=2.7)
        rare = islice(generate_names(), VOCABULARY_SIZE, None)
        self._topics = {
            topic: np.array([*inflect(words), *islice(rare, RARE_WORDS_PER_TOPIC)], dtype=object)
            for topic, words in TOPICS.items()
        }

    def draw_texts(self, rng: np.random.Generator, topic: str, count: int) -> list[str]:
        shape = (count, WORDS_PER_MESSAGE)
        words = self._words[np.searchsorted(self._word_distribution, rng.random(shape))]
        topical = rng.random(shape) < TOPIC_WORD_SHARE
        topic_words = self._topics[topic]
        words[topical] = topic_words[
            np.searchsorted(_zipf_cumulative(len(topic_words), shift=10), rng.random(int(topical.sum())))
        ]
        return [_join_sentences(list(row)) for row in words]


def _zipf_cumulative(size: int, *, shift: float) -> NDArray[np.float64]:
    """Return the cumulative distribution over words; the nth word has weight 1 / (n + shift)."""
    weights = 1 / (np.arange(1, size + 1) + shift)
    cumulative: NDArray[np.float64] = np.cumsum(weights) / weights.sum()
    return cumulative


def _join_sentences(words: list[str]) -> str:
    return " ".join(" ".join(words[i : i + 14]).capitalize() + "." for i in range(0, len(words), 14))


def _insert_sentence(text: str, sentence: str) -> str:
    head, _, tail = text.partition(". ")
    return f"{head}. {sentence} {tail}"


def _generate_facts() -> Iterator[Fact]:
    """Yield facts, alternately with a unique name and with everyday words only."""
    rare = islice(generate_names(), 5 * VOCABULARY_SIZE, None, 17)
    number = 0
    while True:
        name, relative = next(rare).capitalize(), RELATIVES[number % len(RELATIVES)]
        answer = f"{1000 + number} {PLACES[number % len(PLACES)]} street"
        yield Fact(
            text=f"My {relative} {name} moved to {answer}.",
            query=f"where does my {relative} {name} live now?",
            answer=answer,
        )
        thing, colour = THINGS[number % len(THINGS)], COLOURS[number // len(THINGS) % len(COLOURS)]
        answer = f"for {2000 + number} crowns"
        place = PLACES[number // (len(THINGS) * len(COLOURS)) % len(PLACES)]
        yield Fact(
            text=f"The {colour} {thing} in the {place} was bought {answer}.",
            query=f"how much did the {colour} {thing} in the {place} cost?",
            answer=answer,
        )
        number += 1
