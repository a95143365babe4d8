"""Everything that speaks for a passage: its own words, the messages around it, its chat, its date, its speaker."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from math import log2
from typing import Final, TypeAlias

from recollect.domain.candidate import Candidate, ScoredCandidate, Source
from recollect.domain.message import Role
from recollect.domain.policy import RecallPolicy
from recollect.retrieval.query_features import QueryFeatures, is_question, match_features
from recollect.retrieval.ranking import recency, sort_by_score
from recollect.text.dates import date_match

#: The message before and the one after, by their ids.
Neighbours: TypeAlias = Mapping[str, tuple[str | None, str | None]]

#: The best cosine is at least so far above the floor: where nothing is near, nothing is made to look near.
MIN_COSINE_SPAN = 0.05
#: What was said in this many tokens is long enough to say something.
LONG_MESSAGE_TOKENS = 64
#: Who is ahead by words has others behind it that have less than this share.
LEAD_RATIO = 0.7
#: How short a number of tokens is: 1 for one of them, 0 from the long ones on.
SHORTNESS_BY_TOKENS: Final = tuple(
    1 - log2(max(tokens, 1)) / log2(LONG_MESSAGE_TOKENS) for tokens in range(LONG_MESSAGE_TOKENS)
)
NO_NEIGHBOURS: Final = (None, None)
SPOKEN_SOURCES: Final = frozenset({Source.MESSAGE, Source.CHUNK})


@dataclass(slots=True)
class MatchScore:
    """How well something fits the question by meaning and by words, each from 0 to 1."""

    dense: float = 0.0
    lexical: float = 0.0

    def raise_to(self, other: "MatchScore") -> None:
        self.dense = max(self.dense, other.dense)
        self.lexical = max(self.lexical, other.lexical)

    def weighted_sum(self, policy: RecallPolicy) -> float:
        return policy.alpha * self.dense + policy.beta * self.lexical


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoreScale:
    """What the channels' numbers are measured by."""

    cosine_floor: float  #: the cosine of texts that have nothing to do with each other
    lexical_confidence: float  #: how far a match of words is believed

    def score_matches(self, candidates: Sequence[Candidate]) -> list[MatchScore]:
        """How well each fits by itself: a share of the nearest by meaning, and of the strongest by words."""
        floor = self.cosine_floor
        nearest = max([floor + MIN_COSINE_SPAN, *(c.dense for c in candidates if c.dense is not None)])
        strongest = max((c.lexical for c in candidates if c.lexical), default=1.0)
        return [
            MatchScore(
                0.0 if c.dense is None else min(max((c.dense - floor) / (nearest - floor), 0.0), 1.0),
                self.lexical_confidence * c.lexical / strongest if c.lexical else 0.0,
            )
            for c in candidates
        ]


@dataclass(frozen=True, slots=True, kw_only=True)
class CandidatePool:
    """All candidates together: how well each fits, and the best of each message and chat."""

    match_scores: Sequence[MatchScore]
    message_scores: Mapping[str, float]
    chat_scores: Mapping[str, float]
    question_ids: frozenset[str]  #: messages that ask something
    lexical_leads: Mapping[str, float]  #: a message that stands alone by its words, and how far


def message_id_of(candidate: Candidate) -> str:
    return candidate.parent_id or candidate.id


def find_neighbours(candidates: Iterable[Candidate]) -> Neighbours:
    """Who of them stands beside whom: as each knows of itself, and the other way round."""
    places = {c.position: message_id_of(c) for c in candidates if c.position}
    messages: dict[int | None, str] = {place.passage_id: message for place, message in places.items()}
    before: dict[str, str] = {}
    after: dict[str, str] = {}
    for place, message in places.items():
        if previous := messages.get(place.previous_id):
            before[message], after[previous] = previous, message
        if following := messages.get(place.next_id):
            after[message], before[following] = following, message
    return {message: (before.get(message), after.get(message)) for message in {**before, **after}}


def build_pool(candidates: Sequence[Candidate], scale: ScoreScale, policy: RecallPolicy) -> CandidatePool:
    match_scores = scale.score_matches(candidates)
    scored = list(zip(candidates, match_scores, strict=True))
    return CandidatePool(
        match_scores=match_scores,
        message_scores=_best_scores(((message_id_of(c), match) for c, match in scored), policy),
        chat_scores=_best_scores(((c.chat, match) for c, match in scored if c.chat is not None), policy),
        question_ids=frozenset(c.id for c in candidates if _is_short_question(c)),
        lexical_leads=find_lexical_leads(candidates),
    )


def _best_scores(matches: Iterable[tuple[str, MatchScore]], policy: RecallPolicy) -> dict[str, float]:
    """The best of each message or chat, by meaning and by words apart, and what that comes to."""
    best: dict[str, MatchScore] = {}
    for name, match in matches:
        if name in best:
            best[name].raise_to(match)
        else:
            best[name] = MatchScore(match.dense, match.lexical)
    whole = policy.alpha + policy.beta or 1.0
    return {name: match.weighted_sum(policy) / whole for name, match in best.items()}


def _is_short_question(candidate: Candidate) -> bool:
    # Long messages end in a question out of politeness: it is not what they are about.
    return (
        candidate.parent_id is None
        and candidate.tokens <= LONG_MESSAGE_TOKENS
        and is_question(candidate.text)
    )


def find_lexical_leads(candidates: Iterable[Candidate]) -> dict[str, float]:
    """The message that holds what hardly another one holds, a name say, by how much; none if several hold it."""
    lexical_scores: dict[str, float] = {}
    for candidate in candidates:
        message = message_id_of(candidate)
        lexical_scores[message] = max(lexical_scores.get(message, 0.0), candidate.lexical or 0.0)
    first, second = (*sorted(lexical_scores.values(), reverse=True), 0.0, 0.0)[:2]
    if not first or second > LEAD_RATIO * first:
        return {}
    return {message: 1 - second / first for message, words in lexical_scores.items() if words == first}


def score_parts(
    candidate: Candidate,
    own_match: MatchScore,
    pool: CandidatePool,
    neighbours: Neighbours,
    *,
    query: QueryFeatures,
    now: datetime,
    policy: RecallPolicy,
) -> dict[str, float]:
    """What there is to say for a candidate and against it, each part from 0 to 1; what is not there is 0."""
    message, text = message_id_of(candidate), candidate.text
    before, after = neighbours.get(message, NO_NEIGHBOURS)
    part = {
        "dense": own_match.dense,
        "lexical": own_match.lexical,
        "identifier": float(
            bool(query.identifiers) and any(map(text.casefold().__contains__, query.identifiers))
        ),
        "weight": candidate.weight if candidate.importance is None else candidate.importance / 100,
        "recency": recency(candidate, now, policy.half_life_days),
        "answer": pool.message_scores.get(before, 0.0) if before in pool.question_ids else 0.0,
    }
    if after and (borrowed := pool.message_scores.get(after)):
        part["follow"] = borrowed
    if candidate.chat and (borrowed := pool.chat_scores.get(candidate.chat)):
        part["chat"] = borrowed
    if message in pool.lexical_leads:
        part["lead"] = pool.lexical_leads[message]
    if query.time_ranges and (date_score := date_match(query.time_ranges, candidate.created_at)):
        part["date"] = date_score
    part |= match_features(query, text)
    # A memory says all it has to say, however short it is.
    if candidate.tokens < LONG_MESSAGE_TOKENS and candidate.source in SPOKEN_SOURCES:
        part["short"] = SHORTNESS_BY_TOKENS[candidate.tokens]
    if candidate.id in pool.question_ids:
        part["asks"] = 1.0
    if candidate.role is Role.ASSISTANT:
        part["assistant"] = 1.0
    if candidate.outdated:
        part["outdated"] = 1.0
    return part


def part_weights(policy: RecallPolicy) -> Mapping[str, float]:
    """What each part counts; weight × recency together count as fresh."""
    return {
        "dense": policy.alpha,
        "lexical": policy.beta,
        "identifier": policy.gamma,
        "answer": policy.reply_weight,
        "follow": policy.previous_weight,
        "chat": policy.chat_weight,
        "lead": policy.lexical_lead_weight,
        "date": policy.date_weight,
        "speaker": policy.speaker_weight,
        "sort": policy.answer_type_weight,
        "personal": policy.personal_weight,
        "short": -policy.short_penalty,
        "asks": -policy.question_penalty,
        "assistant": -policy.assistant_penalty,
        "outdated": -policy.outdated_penalty,
        "fresh": policy.freshness_weight,
    }


def score(parts: Mapping[str, float], weights: Mapping[str, float]) -> float:
    """What speaks for a passage less what speaks against it, each part by its share."""
    total = weights["fresh"] * parts["weight"] * parts["recency"]
    for name, value in parts.items():
        total += weights.get(name, 0.0) * value
    return total


def preliminary_rank(
    candidates: Sequence[Candidate], scale: ScoreScale, policy: RecallPolicy
) -> list[Candidate]:
    """Best first by their own words alone: those whose surroundings are worth a look."""
    scored = zip(scale.score_matches(candidates), candidates, strict=True)
    return [
        c
        for _, c in sorted(
            scored, key=lambda each: (-each[0].weighted_sum(policy), each[1].source, each[1].id)
        )
    ]


def rank(
    candidates: Sequence[Candidate],
    neighbours: Neighbours,
    *,
    query: QueryFeatures,
    now: datetime,
    policy: RecallPolicy,
    scale: ScoreScale,
) -> list[ScoredCandidate]:
    """All candidates, best first."""
    pool, weights = build_pool(candidates, scale, policy), part_weights(policy)
    scored = []
    for candidate, own_match in zip(candidates, pool.match_scores, strict=True):
        part = score_parts(candidate, own_match, pool, neighbours, query=query, now=now, policy=policy)
        scored.append(ScoredCandidate(candidate=candidate, score=score(part, weights), parts=part))
    return sort_by_score(scored)
