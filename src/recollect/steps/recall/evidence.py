"""Everything that speaks for a passage: its own words, the messages around it, its chat, its date, its speaker."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from math import log2
from typing import TypeAlias

from recollect.model.candidate import Candidate, Neighbour, Recollection, Source
from recollect.model.message import Role
from recollect.model.policy import Recall
from recollect.steps.recall.asked import Asked, covered, fits, is_question
from recollect.steps.recall.rank import in_order, recency
from recollect.text.when import closeness

#: The message before and the one after, by their ids.
Around: TypeAlias = Mapping[str, tuple[str | None, str | None]]

#: The best cosine is at least so far above the floor: where nothing is near, nothing is made to look near.
LEAST_SPAN = 0.05
#: A match of words is taken at its word if the best one holds so much of the question.
TRUSTED = 0.5
#: What was said in this many tokens is long enough to say something.
LONG = 64
#: Who is ahead by words has others behind it that have less than this share.
MUCH = 0.7


@dataclass(slots=True)
class Match:
    """How well something fits the question by meaning and by words, each from 0 to 1."""

    dense: float = 0.0
    lexical: float = 0.0

    def take(self, other: "Match") -> None:
        self.dense, self.lexical = max(self.dense, other.dense), max(self.lexical, other.lexical)

    def of(self, policy: Recall) -> float:
        return policy.alpha * self.dense + policy.beta * self.lexical


NOTHING = Match()


@dataclass(slots=True, kw_only=True)
class Found:
    """All candidates together: how well each fits, and the best of each message and chat."""

    each: list[Match]
    messages: dict[str, Match] = field(default_factory=dict)
    chats: dict[str, Match] = field(default_factory=dict)
    questions: set[str] = field(default_factory=set)  #: messages that ask something
    leads: dict[str, float] = field(
        default_factory=dict
    )  #: a message that stands alone by its words, and how far


def message_of(candidate: Candidate) -> str:
    return candidate.parent or candidate.id


def surroundings(
    pairs: Iterable[tuple[Candidate, tuple[Neighbour | None, Neighbour | None]]],
) -> Around:
    """Who stands beside whom: as was found out of each candidate, and the other way round."""
    before: dict[str, str] = {}
    after: dict[str, str] = {}
    for candidate, (previous, following) in pairs:
        message = message_of(candidate)
        if previous is not None:
            before[message], after[previous.message] = previous.message, message
        if following is not None:
            after[message], before[following.message] = following.message, message
    return {message: (before.get(message), after.get(message)) for message in {**before, **after}}


def matches(candidates: Sequence[Candidate], question: Asked, floor: float) -> list[Match]:
    """How well each fits by itself: a share of the nearest by meaning, and of the strongest by words."""
    nearest = max([floor + LEAST_SPAN, *(c.dense for c in candidates if c.dense is not None)])
    by_words = max(candidates, key=lambda c: (c.lexical or 0.0, c.id), default=None)
    strongest = by_words.lexical if by_words is not None and by_words.lexical else 0.0
    # Words that the question shares with a passage by chance say less than those it is made of.
    trust = (
        min(covered(question, by_words.text) / TRUSTED, 1.0) if by_words is not None and strongest else 0.0
    )
    return [
        Match(
            0.0 if c.dense is None else min(max((c.dense - floor) / (nearest - floor), 0.0), 1.0),
            trust * c.lexical / strongest if c.lexical else 0.0,
        )
        for c in candidates
    ]


def gathered(candidates: Sequence[Candidate], question: Asked, floor: float) -> Found:
    found = Found(each=matches(candidates, question, floor))
    for candidate, match in zip(candidates, found.each, strict=True):
        found.messages.setdefault(message_of(candidate), Match()).take(match)
        if candidate.chat is not None:
            found.chats.setdefault(candidate.chat, Match()).take(match)
        # Long messages end in a question out of politeness: it is not what they are about.
        if candidate.parent is None and candidate.tokens <= LONG and is_question(candidate.text):
            found.questions.add(candidate.id)
    found.leads = leading(candidates)
    return found


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
    before, after = around.get(message_of(candidate), (None, None))
    asking = found.messages.get(before, NOTHING) if before in found.questions else NOTHING
    following = found.messages.get(after, NOTHING) if after else NOTHING
    chat = found.chats.get(candidate.chat, NOTHING) if candidate.chat else NOTHING
    whole = policy.alpha + policy.beta or 1.0
    text = candidate.text.casefold() if question.named else ""
    evidence = {
        "follow": following.of(policy) / whole,
        "chat": chat.of(policy) / whole,
        "lead": found.leads.get(message_of(candidate), 0.0),
        "date": closeness(question.times, candidate.created_at) if question.times else 0.0,
        **fits(question, candidate.text),
        "short": _shortness(candidate),
        "asks": float(candidate.id in found.questions),
        "assistant": float(candidate.role is Role.ASSISTANT),
    }
    return {
        "dense": own.dense,
        "lexical": own.lexical,
        "identifier": float(any(name in text for name in question.named)),
        "weight": candidate.weight if candidate.importance is None else candidate.importance / 100,
        "recency": recency(candidate, now, policy.half_life_days),
        "answer": asking.of(policy) / whole,
        **{name: value for name, value in evidence.items() if value},
    }


def score(part: Mapping[str, float], policy: Recall) -> float:
    """What speaks for a passage less what speaks against it, each part by its share."""
    shares = {
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
    }
    total = sum(shares.get(name, 0.0) * value for name, value in part.items())
    return total + policy.fresh * part["weight"] * part["recency"]


def first_look(
    candidates: Iterable[Candidate], *, question: Asked, floor: float, policy: Recall
) -> list[Candidate]:
    """Best first by their own words alone: those whose surroundings are worth a look."""
    listed = list(candidates)
    scored = zip(matches(listed, question, floor), listed, strict=True)
    return [c for _, c in sorted(scored, key=lambda each: (-each[0].of(policy), each[1].source, each[1].id))]


def rank(
    candidates: Iterable[Candidate],
    around: Around,
    *,
    question: Asked,
    now: datetime,
    policy: Recall,
    floor: float,
) -> list[Recollection]:
    """All candidates, best first."""
    listed = list(candidates)
    found = gathered(listed, question, floor)
    scored = []
    for candidate, own in zip(listed, found.each, strict=True):
        part = parts(candidate, own, found, around, question=question, now=now, policy=policy)
        scored.append(Recollection(candidate=candidate, score=score(part, policy), parts=part))
    return in_order(scored)


def _shortness(candidate: Candidate) -> float:
    """Of what was said: a memory says all it has to say, however short it is."""
    if candidate.source not in {Source.MESSAGE, Source.CHUNK}:
        return 0.0
    return 1 - log2(min(max(candidate.tokens, 1), LONG)) / log2(LONG)
