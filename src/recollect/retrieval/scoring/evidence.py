"""
The scorer `evidence`, the default: a linear model over features of a candidate, its neighbours, its chat, its date and
its speaker.

    score = Σ weight(feature) · feature + freshness_weight · weight · recency

| feature    | formula                                                                  | range  | setting `recall.…`  |
| ---------- | ------------------------------------------------------------------------ | ------ | ------------------- |
| dense      | (cosine - floor) / (max(best cosine, floor + 0.05) - floor), clamped     | 0…1    | alpha               |
| lexical    | confidence · BM25 / best BM25; confidence = min(query coverage / 0.5, 1) | 0…1    | beta                |
| identifier | 1 if the text contains an identifier of the query                        | 0 or 1 | gamma               |
| answer     | match of the message before it, if that is a short question              | 0…1    | reply_weight        |
| follow     | match of the message after it                                            | 0…1    | previous_weight     |
| chat       | best match of its chat                                                   | 0…1    | chat_weight         |
| lead       | 1 - second best BM25 / best BM25, for the best message, if at least 0.3  | 0…1    | lexical_lead_weight |
| date       | how well its date fits a time range in the query                         | 0…1    | date_weight         |
| speaker    | 1 if the text begins with the name of a speaker in the query             | 0 or 1 | speaker_weight      |
| sort       | 1 if the query asks for a time or number and the text contains one       | 0 or 1 | answer_type_weight  |
| personal   | 1 if query and text are both in the first person                         | 0 or 1 | personal_weight     |
| short      | 1 - log2(tokens) / 6 for messages and chunks of fewer than 64 tokens     | 0…1    | -short_penalty      |
| asks       | 1 for a question of at most 64 tokens                                    | 0 or 1 | -question_penalty   |
| assistant  | 1 for messages of the assistant                                          | 0 or 1 | -assistant_penalty  |
| outdated   | 1 if a memory made from the message was superseded                       | 0 or 1 | -outdated_penalty   |
| weight     | memory weight, or importance / 100                                       | 0…1    | freshness_weight    |
| recency    | 0.5 ^ (age / half_life_days)                                             | 0…1    | freshness_weight    |

`weight` and `recency` count as their product. A match is (alpha · dense + beta · lexical) / (alpha + beta), from the
best dense and the best lexical score of the message or chat. Absent features count 0. Ties break by source and id.
Cost: O(n · features) for n candidates, about 60.

Example with the defaults: dense 0.8, lexical 0.5, chat 0.9, weight 1, recency 0.5, all else 0:
0.6 · 0.8 + 0.3 · 0.5 + 0.5 · 0.9 + 0.05 · 1 · 0.5 = 1.105.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import log2
from typing import Final

from recollect.domain.candidate import Candidate, Source
from recollect.domain.message import Role
from recollect.domain.policy import RecallPolicy
from recollect.retrieval.query_features import is_question, match_text
from recollect.retrieval.scoring.scorer import (
    Features,
    Formula,
    Neighbours,
    ScoringContext,
    memory_weight,
    recency,
)
from recollect.text.dates import date_match

#: Minimum distance between the cosine floor and the best cosine: without it, normalization would turn weak matches
#: into strong ones when no candidate is close.
MIN_COSINE_SPAN = 0.05
#: Messages of at least this many tokens get no penalty for being short.
LONG_MESSAGE_TOKENS = 64
#: A message leads lexically if the second best has at most this share of its BM25 score.
LEAD_RATIO = 0.7
#: Penalty by token count: 1 for a single token, falling to 0 at `LONG_MESSAGE_TOKENS`.
SHORTNESS_BY_TOKENS: Final = tuple(
    1 - log2(max(tokens, 1)) / log2(LONG_MESSAGE_TOKENS) for tokens in range(LONG_MESSAGE_TOKENS)
)
NO_NEIGHBOURS: Final = (None, None)
SPOKEN_SOURCES: Final = frozenset({Source.MESSAGE, Source.CHUNK})


@dataclass(frozen=True, slots=True)
class EvidenceScorer:
    tuned_weights: tuple[str, ...] = (
        "alpha",
        "beta",
        "gamma",
        "centroid_penalty",
        "chat_weight",
        "reply_weight",
        "previous_weight",
        "lexical_lead_weight",
        "date_weight",
        "speaker_weight",
        "answer_type_weight",
        "personal_weight",
        "short_penalty",
        "question_penalty",
        "assistant_penalty",
        "outdated_penalty",
        "freshness_weight",
        "half_life_days",
        "relative_cutoff",
    )
    uses_surroundings: bool = True
    ignores_query: bool = False

    def features(self, candidates: Sequence[Candidate], context: ScoringContext) -> list[Features]:
        pool = build_pool(candidates, context)
        return [
            _features(candidate, own_match, pool, context)
            for candidate, own_match in zip(candidates, pool.match_scores, strict=True)
        ]

    def formula(self, policy: RecallPolicy) -> Formula:
        weights, freshness_weight = _weights(policy), policy.freshness_weight

        def weighted_sum(features: Mapping[str, float]) -> float:
            """Return the weighted sum of the features; penalties have negative weights."""
            total = freshness_weight * features["weight"] * features["recency"]
            for name, value in features.items():
                total += weights.get(name, 0.0) * value
            return total

        return weighted_sum


@dataclass(slots=True)
class MatchScore:
    """Normalized dense and lexical scores, each from 0 to 1."""

    dense: float = 0.0
    lexical: float = 0.0

    def raise_to(self, other: "MatchScore") -> None:
        self.dense = max(self.dense, other.dense)
        self.lexical = max(self.lexical, other.lexical)

    def weighted_sum(self, policy: RecallPolicy) -> float:
        return policy.alpha * self.dense + policy.beta * self.lexical


@dataclass(frozen=True, slots=True, kw_only=True)
class CandidatePool:
    """Scores over the whole candidate set: per candidate, per message and per chat."""

    match_scores: Sequence[MatchScore]
    message_scores: Mapping[str, float]
    chat_scores: Mapping[str, float]
    question_ids: frozenset[str]  #: short messages that are questions
    lexical_leads: Mapping[str, float]  #: message id to its BM25 lead over the second best


def message_id_of(candidate: Candidate) -> str:
    return candidate.parent_id or candidate.id


def find_neighbours(candidates: Iterable[Candidate]) -> Neighbours:
    """Return the previous and next message of each candidate, linked from either side."""
    positions = {c.position: message_id_of(c) for c in candidates if c.position}
    messages: dict[int | None, str] = {
        position.passage_id: message for position, message in positions.items()
    }
    before: dict[str, str] = {}
    after: dict[str, str] = {}
    for position, message in positions.items():
        if previous := messages.get(position.previous_id):
            before[message], after[previous] = previous, message
        if following := messages.get(position.next_id):
            after[message], before[following] = following, message
    return {message: (before.get(message), after.get(message)) for message in {**before, **after}}


def score_matches(candidates: Sequence[Candidate], context: ScoringContext) -> list[MatchScore]:
    """Return each candidate's scores relative to the best cosine and the best BM25 score of the set."""
    floor = context.cosine_floor
    nearest = max([floor + MIN_COSINE_SPAN, *(c.dense for c in candidates if c.dense is not None)])
    strongest = max((c.lexical for c in candidates if c.lexical), default=1.0)
    return [
        MatchScore(
            0.0 if c.dense is None else min(max((c.dense - floor) / (nearest - floor), 0.0), 1.0),
            context.lexical_confidence * c.lexical / strongest if c.lexical else 0.0,
        )
        for c in candidates
    ]


def build_pool(candidates: Sequence[Candidate], context: ScoringContext) -> CandidatePool:
    match_scores, policy = score_matches(candidates, context), context.policy
    scored = list(zip(candidates, match_scores, strict=True))
    return CandidatePool(
        match_scores=match_scores,
        message_scores=_best_scores(((message_id_of(c), match) for c, match in scored), policy),
        chat_scores=_best_scores(((c.chat, match) for c, match in scored if c.chat is not None), policy),
        question_ids=frozenset(c.id for c in candidates if _is_short_question(c)),
        lexical_leads=find_lexical_leads(candidates),
    )


def _best_scores(matches: Iterable[tuple[str, MatchScore]], policy: RecallPolicy) -> dict[str, float]:
    """Return the weighted match of each message or chat, from its best dense and its best lexical score."""
    best: dict[str, MatchScore] = {}
    for group_id, match in matches:
        if group_id in best:
            best[group_id].raise_to(match)
        else:
            best[group_id] = MatchScore(match.dense, match.lexical)
    total_weight = policy.alpha + policy.beta or 1.0
    return {group_id: match.weighted_sum(policy) / total_weight for group_id, match in best.items()}


def _is_short_question(candidate: Candidate) -> bool:
    # Long messages often end in a polite question that is not their subject.
    return (
        candidate.parent_id is None
        and candidate.tokens <= LONG_MESSAGE_TOKENS
        and is_question(candidate.text)
    )


def find_lexical_leads(candidates: Iterable[Candidate]) -> dict[str, float]:
    """Return the message that alone contains a rare term, such as a name, with its lead; empty if several match."""
    lexical_scores: dict[str, float] = {}
    for candidate in candidates:
        message = message_id_of(candidate)
        lexical_scores[message] = max(lexical_scores.get(message, 0.0), candidate.lexical or 0.0)
    first, second = (*sorted(lexical_scores.values(), reverse=True), 0.0, 0.0)[:2]
    if not first or second > LEAD_RATIO * first:
        return {}
    return {message: 1 - second / first for message, lexical in lexical_scores.items() if lexical == first}


def _features(
    candidate: Candidate, own_match: MatchScore, pool: CandidatePool, context: ScoringContext
) -> Features:
    """Return the features of a candidate; an absent feature counts 0."""
    query, neighbours = context.query, context.neighbours or {}
    message, text = message_id_of(candidate), candidate.text
    before, after = neighbours.get(message, NO_NEIGHBOURS)
    features = {
        "dense": own_match.dense,
        "lexical": own_match.lexical,
        "identifier": float(
            bool(query.identifiers) and any(map(text.casefold().__contains__, query.identifiers))
        ),
        "weight": memory_weight(candidate),
        "recency": recency(candidate, context.now, context.policy.half_life_days),
        "answer": pool.message_scores.get(before, 0.0) if before in pool.question_ids else 0.0,
    }
    if after and (next_score := pool.message_scores.get(after)):
        features["follow"] = next_score
    if candidate.chat and (chat_score := pool.chat_scores.get(candidate.chat)):
        features["chat"] = chat_score
    if message in pool.lexical_leads:
        features["lead"] = pool.lexical_leads[message]
    if query.time_ranges and (date_score := date_match(query.time_ranges, candidate.created_at)):
        features["date"] = date_score
    features |= match_text(query, text)
    # Memories are short by design, so only messages and chunks are penalized.
    if candidate.tokens < LONG_MESSAGE_TOKENS and candidate.source in SPOKEN_SOURCES:
        features["short"] = SHORTNESS_BY_TOKENS[candidate.tokens]
    if candidate.id in pool.question_ids:
        features["asks"] = 1.0
    if candidate.role is Role.ASSISTANT:
        features["assistant"] = 1.0
    if candidate.outdated:
        features["outdated"] = 1.0
    return features


def _weights(policy: RecallPolicy) -> Mapping[str, float]:
    """Return the weight of each feature; features without a weight here count in the product only."""
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
    }


def preliminary_rank(candidates: Sequence[Candidate], context: ScoringContext) -> list[Candidate]:
    """Return candidates by their own match alone, best first: the first of them get their neighbours loaded."""
    scored = zip(score_matches(candidates, context), candidates, strict=True)
    return [
        c
        for _, c in sorted(
            scored, key=lambda each: (-each[0].weighted_sum(context.policy), each[1].source, each[1].id)
        )
    ]
