"""Everything that speaks for a passage: its own words, the messages around it, its chat, its date, its speaker."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from math import log2
from typing import Final, TypeAlias

from recollect.domain.candidate import Candidate, Recollection, Source
from recollect.domain.message import Role
from recollect.domain.policy import Recall
from recollect.retrieval.query_features import Asked, fits, is_question
from recollect.retrieval.ranking import in_order, recency
from recollect.text.dates import closeness

#: The message before and the one after, by their ids.
Around: TypeAlias = Mapping[str, tuple[str | None, str | None]]

#: The best cosine is at least so far above the floor: where nothing is near, nothing is made to look near.
LEAST_SPAN = 0.05
#: What was said in this many tokens is long enough to say something.
LONG = 64
#: Who is ahead by words has others behind it that have less than this share.
MUCH = 0.7
#: How short a number of tokens is: 1 for one of them, 0 from the long ones on.
SHORTNESS: Final = tuple(1 - log2(max(tokens, 1)) / log2(LONG) for tokens in range(LONG))
NOBODY: Final = (None, None)
SPOKEN: Final = frozenset({Source.MESSAGE, Source.CHUNK})


@dataclass(slots=True)
class Match:
    """How well something fits the question by meaning and by words, each from 0 to 1."""

    dense: float = 0.0
    lexical: float = 0.0

    def take(self, other: "Match") -> None:
        self.dense = max(self.dense, other.dense)
        self.lexical = max(self.lexical, other.lexical)

    def of(self, policy: Recall) -> float:
        return policy.alpha * self.dense + policy.beta * self.lexical


@dataclass(frozen=True, slots=True, kw_only=True)
class Scale:
    """What the channels' numbers are measured by."""

    floor: float  #: the cosine of texts that have nothing to do with each other
    trust: float  #: how far a match of words is believed

    def matches(self, candidates: Sequence[Candidate]) -> list[Match]:
        """How well each fits by itself: a share of the nearest by meaning, and of the strongest by words."""
        floor = self.floor
        nearest = max([floor + LEAST_SPAN, *(c.dense for c in candidates if c.dense is not None)])
        strongest = max((c.lexical for c in candidates if c.lexical), default=1.0)
        return [
            Match(
                0.0 if c.dense is None else min(max((c.dense - floor) / (nearest - floor), 0.0), 1.0),
                self.trust * c.lexical / strongest if c.lexical else 0.0,
            )
            for c in candidates
        ]


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """All candidates together: how well each fits, and the best of each message and chat."""

    each: Sequence[Match]
    messages: Mapping[str, float]
    chats: Mapping[str, float]
    questions: frozenset[str]  #: messages that ask something
    leads: Mapping[str, float]  #: a message that stands alone by its words, and how far


def message_of(candidate: Candidate) -> str:
    return candidate.parent or candidate.id


def surroundings(candidates: Iterable[Candidate]) -> Around:
    """Who of them stands beside whom: as each knows of itself, and the other way round."""
    places = {c.place: message_of(c) for c in candidates if c.place}
    messages: dict[int | None, str] = {place.at: message for place, message in places.items()}
    before: dict[str, str] = {}
    after: dict[str, str] = {}
    for place, message in places.items():
        if previous := messages.get(place.before):
            before[message], after[previous] = previous, message
        if following := messages.get(place.after):
            after[message], before[following] = following, message
    return {message: (before.get(message), after.get(message)) for message in {**before, **after}}


def gathered(candidates: Sequence[Candidate], scale: Scale, policy: Recall) -> Found:
    each = scale.matches(candidates)
    matched = list(zip(candidates, each, strict=True))
    return Found(
        each=each,
        messages=_best(((message_of(c), match) for c, match in matched), policy),
        chats=_best(((c.chat, match) for c, match in matched if c.chat is not None), policy),
        questions=frozenset(c.id for c in candidates if _asks(c)),
        leads=leading(candidates),
    )


def _best(matches: Iterable[tuple[str, Match]], policy: Recall) -> dict[str, float]:
    """The best of each message or chat, by meaning and by words apart, and what that comes to."""
    best: dict[str, Match] = {}
    for name, match in matches:
        if name in best:
            best[name].take(match)
        else:
            best[name] = Match(match.dense, match.lexical)
    whole = policy.alpha + policy.beta or 1.0
    return {name: match.of(policy) / whole for name, match in best.items()}


def _asks(candidate: Candidate) -> bool:
    # Long messages end in a question out of politeness: it is not what they are about.
    return candidate.parent is None and candidate.tokens <= LONG and is_question(candidate.text)


def leading(candidates: Iterable[Candidate]) -> dict[str, float]:
    """The message that holds what hardly another one holds, a name say, by how much; none if several hold it."""
    by_words: dict[str, float] = {}
    for candidate in candidates:
        message = message_of(candidate)
        by_words[message] = max(by_words.get(message, 0.0), candidate.lexical or 0.0)
    first, second = (*sorted(by_words.values(), reverse=True), 0.0, 0.0)[:2]
    if not first or second > MUCH * first:
        return {}
    return {message: 1 - second / first for message, words in by_words.items() if words == first}


def parts(
    candidate: Candidate,
    own: Match,
    found: Found,
    around: Around,
    *,
    question: Asked,
    now: datetime,
    policy: Recall,
) -> dict[str, float]:
    """What there is to say for a candidate and against it, each part from 0 to 1; what is not there is 0."""
    message, text = message_of(candidate), candidate.text
    before, after = around.get(message, NOBODY)
    part = {
        "dense": own.dense,
        "lexical": own.lexical,
        "identifier": float(bool(question.named) and any(map(text.casefold().__contains__, question.named))),
        "weight": candidate.weight if candidate.importance is None else candidate.importance / 100,
        "recency": recency(candidate, now, policy.half_life_days),
        "answer": found.messages.get(before, 0.0) if before in found.questions else 0.0,
    }
    if after and (lent := found.messages.get(after)):
        part["follow"] = lent
    if candidate.chat and (lent := found.chats.get(candidate.chat)):
        part["chat"] = lent
    if message in found.leads:
        part["lead"] = found.leads[message]
    if question.times and (close := closeness(question.times, candidate.created_at)):
        part["date"] = close
    part |= fits(question, text)
    # A memory says all it has to say, however short it is.
    if candidate.tokens < LONG and candidate.source in SPOKEN:
        part["short"] = SHORTNESS[candidate.tokens]
    if candidate.id in found.questions:
        part["asks"] = 1.0
    if candidate.role is Role.ASSISTANT:
        part["assistant"] = 1.0
    if candidate.outdated:
        part["outdated"] = 1.0
    return part


def shares(policy: Recall) -> Mapping[str, float]:
    """What each part counts; weight × recency together count as fresh."""
    return {
        "dense": policy.alpha,
        "lexical": policy.beta,
        "identifier": policy.gamma,
        "answer": policy.answer,
        "follow": policy.follow,
        "chat": policy.chat,
        "lead": policy.lead,
        "date": policy.date,
        "speaker": policy.speaker,
        "sort": policy.sort,
        "personal": policy.personal,
        "short": -policy.short,
        "asks": -policy.asks,
        "assistant": -policy.assistant,
        "outdated": -policy.outdated,
        "fresh": policy.fresh,
    }


def score(part: Mapping[str, float], share: Mapping[str, float]) -> float:
    """What speaks for a passage less what speaks against it, each part by its share."""
    total = share["fresh"] * part["weight"] * part["recency"]
    for name, value in part.items():
        total += share.get(name, 0.0) * value
    return total


def first_look(candidates: Sequence[Candidate], scale: Scale, policy: Recall) -> list[Candidate]:
    """Best first by their own words alone: those whose surroundings are worth a look."""
    scored = zip(scale.matches(candidates), candidates, strict=True)
    return [c for _, c in sorted(scored, key=lambda each: (-each[0].of(policy), each[1].source, each[1].id))]


def rank(
    candidates: Sequence[Candidate],
    around: Around,
    *,
    question: Asked,
    now: datetime,
    policy: Recall,
    scale: Scale,
) -> list[Recollection]:
    """All candidates, best first."""
    found, share = gathered(candidates, scale, policy), shares(policy)
    scored = []
    for candidate, own in zip(candidates, found.each, strict=True):
        part = parts(candidate, own, found, around, question=question, now=now, policy=policy)
        scored.append(Recollection(candidate=candidate, score=score(part, share), parts=part))
    return in_order(scored)
