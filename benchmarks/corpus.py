"""Made-up chats: words as frequent as in real ones, and now and then a fact that somebody may ask for."""

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
    inflected,
    names,
)

BEGUN_AT = datetime(2024, 1, 1, tzinfo=UTC)
LASTS = timedelta(days=730)
CHATS = 200
BATCH = 100
WORDS_OF_A_MESSAGE = 150  #: with these words about 1 KB
VOCABULARY = 20_000
TOPIC_SHARE = 0.25
RARE_OF_A_TOPIC = 300
FACT_EVERY = 50
CODE_EVERY = 20
#: Ways to ask the same, so that a question asked twice is not answered from a cache.
PHRASINGS = ("{}", "Do you remember: {}", "I forgot again, {}", "Tell me please, {}", "By the way, {}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Fact:
    """Said once in the whole corpus; `answer` stands nowhere else."""

    text: str
    question: str
    answer: str

    def asked(self, turn: int) -> str:
        return PHRASINGS[turn % len(PHRASINGS)].format(self.question)


@dataclass(frozen=True, slots=True, kw_only=True)
class Batch:
    """Some messages of one chat, in the shape of a chat API."""

    chat: str
    messages: list[dict[str, object]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Corpus:
    size: int
    seed: int = 7

    @property
    def facts(self) -> list[Fact]:
        return list(islice(_facts(), self.size // FACT_EVERY))

    def batches(self) -> Iterator[Batch]:
        facts, topics, language = iter(self.facts), list(TOPICS), _Language()
        for start in range(0, self.size, BATCH):
            # Chats take turns, each with a topic or two of its own.
            chat = (start // BATCH) % CHATS
            topic = topics[(chat + (start // BATCH // CHATS) % 2) % len(topics)]
            size = min(BATCH, self.size - start)
            texts = language.texts(np.random.default_rng((self.seed, start)), topic, size)
            messages = [self._message(start + i, text, facts) for i, text in enumerate(texts)]
            yield Batch(chat=f"chat-{chat:03}", messages=messages)

    def _message(self, place: int, text: str, facts: Iterator[Fact]) -> dict[str, object]:
        role = "assistant" if place % 2 else "user"
        if place % FACT_EVERY == FACT_EVERY - 1:
            # People tell about themselves; assistants do not.
            text, role = _inserted(text, next(facts).text), "user"
        elif place % CODE_EVERY == 0:
            text = _inserted(
                text, f"Look at `{VERBS[place // CODE_EVERY % len(VERBS)]}Report{place}()` again."
            )
        return {
            "role": role,
            "content": text,
            "created_at": BEGUN_AT + LASTS * (place / self.size),
        }


class _Language:
    """Draws words by Zipf's law: some from everywhere, some from the topic at hand."""

    def __init__(self) -> None:
        known = sorted({word for words in TOPICS.values() for word in words})
        everything = dict.fromkeys((*FUNCTION_WORDS, *inflected(known), *islice(names(), VOCABULARY)))
        self._words = np.array(list(islice(everything, VOCABULARY)), dtype=object)
        self._everywhere = _zipf(VOCABULARY, shift=2.7)
        rare = islice(names(), VOCABULARY, None)
        self._topics = {
            topic: np.array([*inflected(words), *islice(rare, RARE_OF_A_TOPIC)], dtype=object)
            for topic, words in TOPICS.items()
        }

    def texts(self, rng: np.random.Generator, topic: str, count: int) -> list[str]:
        shape = (count, WORDS_OF_A_MESSAGE)
        drawn = self._words[np.searchsorted(self._everywhere, rng.random(shape))]
        topical = rng.random(shape) < TOPIC_SHARE
        own = self._topics[topic]
        drawn[topical] = own[np.searchsorted(_zipf(len(own), shift=10), rng.random(int(topical.sum())))]
        return [_sentences(list(row)) for row in drawn]


def _zipf(size: int, *, shift: float) -> NDArray[np.float64]:
    """How often one of the first words is drawn, word by word: the nth has weight 1 / (n + shift)."""
    weights = 1 / (np.arange(1, size + 1) + shift)
    cumulated: NDArray[np.float64] = np.cumsum(weights) / weights.sum()
    return cumulated


def _sentences(words: list[str]) -> str:
    return " ".join(" ".join(words[i : i + 14]).capitalize() + "." for i in range(0, len(words), 14))


def _inserted(text: str, sentence: str) -> str:
    head, _, tail = text.partition(". ")
    return f"{head}. {sentence} {tail}"


def _facts() -> Iterator[Fact]:
    """By turns one that names somebody nobody else is called, and one of everyday words alone."""
    rare = islice(names(), 5 * VOCABULARY, None, 17)
    number = 0
    while True:
        name, relative = next(rare).capitalize(), RELATIVES[number % len(RELATIVES)]
        answer = f"{1000 + number} {PLACES[number % len(PLACES)]} street"
        yield Fact(
            text=f"My {relative} {name} moved to {answer}.",
            question=f"where does my {relative} {name} live now?",
            answer=answer,
        )
        thing, colour = THINGS[number % len(THINGS)], COLOURS[number // len(THINGS) % len(COLOURS)]
        answer = f"for {2000 + number} crowns"
        place = PLACES[number // (len(THINGS) * len(COLOURS)) % len(PLACES)]
        yield Fact(
            text=f"The {colour} {thing} in the {place} was bought {answer}.",
            question=f"how much did the {colour} {thing} in the {place} cost?",
            answer=answer,
        )
        number += 1
