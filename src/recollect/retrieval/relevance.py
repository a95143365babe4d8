"""
Relevance: which scored candidates have to do with the query at all.

`judge` decides for each candidate whether it is relevant; a judgement may carry a probability. It runs before
`selection`, which only compares relevant candidates with each other.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from statistics import fmean

from recollect.domain.candidate import Candidate, ScoredCandidate, Source
from recollect.domain.memory import Kind
from recollect.domain.message import ChunkKind, Role
from recollect.domain.reason import Reason
from recollect.retrieval import reasons
from recollect.retrieval.centroid import MAX_CENTROID_BONUS
from recollect.retrieval.excerpts import (
    ContentWord,
    Excerpt,
    best_matches,
    match_words,
    split_excerpts,
    whole_excerpt,
    word_set,
)
from recollect.retrieval.relevance_model import (
    DEFAULT_ANSWER_LOGIT,
    Evidence,
    QueryProfile,
    RelevanceModel,
    extract_features,
    read_probability,
    relevance_probability,
)
from recollect.retrieval.scoring.scorer import Scorer
from recollect.retrieval.topics import Topic
from recollect.text.tokens import estimate_tokens

#: Weight of the centroid correction with which the model was fitted.
FITTED_CENTROID_PENALTY = 0.5
#: Cosines at these ranks show how similar the query is to passages that have nothing to do with it.
BACKGROUND_RANKS = slice(10, 40)
#: The cosine of unrelated passages, if there are too few candidates to measure it.
DEFAULT_BACKGROUND = 0.55
#: Important passages whose cosine is farther below the best one are on another topic. With bge-small, passages on the
#: topic of a question are within 0.1 of each other.
MAX_COSINE_GAP = 0.12
#: Share of a memory's words in the sentence that it was learned from.
MIN_LEARNED_SHARE = 0.6
#: Share of the best probability below which nothing else is injected.
MIN_SHARE_OF_BEST = 1 / 2
#: The cross-encoder does not read excerpts that are less probable.
MIN_DOUBTFUL_PROBABILITY = 0.02
#: Each entry of a list needs less evidence: "which rules did we set?", "list my jobs so far".
LIST_FACTOR = 1 / 2
#: Returns whether a message says nothing that a prompt needs: thanks, greetings, small talk.
TrivialityTest = Callable[[Candidate], bool]


@dataclass(frozen=True, slots=True, kw_only=True)
class Judgement:
    """A scored candidate and whether it is relevant to the query."""

    scored: ScoredCandidate
    probability: float | None = None  #: of relevance; None if it was not estimated
    rejection_reason: Reason | None = None  #: why it is irrelevant; None if it is relevant

    @property
    def is_relevant(self) -> bool:
        return self.rejection_reason is None


def judge(
    scored: Sequence[ScoredCandidate],
    scorer: Scorer,
    *,
    cosine_floor: float,
    exempt_sources: frozenset[Source] = frozenset(),
    topic: Topic | None = None,
    requires_word: bool = False,
) -> list[Judgement]:
    """
    Return every candidate in its order, with the judgement; candidates of `exempt_sources` are relevant.

    With `requires_word` a candidate that shares no word with the query is not relevant. With a topic, memories on other
    topics are not. If importance selects the candidates, those that are much farther from the query than the nearest
    one are not either.
    """
    judged = [
        Judgement(
            scored=each,
            rejection_reason=reasons.SHARES_NO_WORD
            if requires_word and each.candidate.lexical is None
            else None
            if each.candidate.source in exempt_sources
            else _rejection_reason(each, scorer, cosine_floor),
        )
        for each in scored
    ]
    if scorer.ignores_query:
        return _restrict_to_nearest(judged)
    return judged if topic is None else list(_restrict_to_topic(judged, topic))


def _restrict_to_nearest(judged: Sequence[Judgement]) -> list[Judgement]:
    """Reject what is much farther from the query than the nearest candidate: asked about a database, CSS."""
    cosines = [cosine for each in judged if (cosine := each.scored.candidate.cosine) is not None]
    min_cosine = max(cosines, default=0.0) - MAX_COSINE_GAP
    return [
        replace(each, rejection_reason=reasons.OTHER_TOPIC)
        if (cosine := each.scored.candidate.cosine) is not None and cosine < min_cosine
        else each
        for each in judged
    ]


def _restrict_to_topic(judged: Sequence[Judgement], topic: Topic) -> Iterator[Judgement]:
    """Yield the judgements without memories on other topics; the best mood stays, for the tone of the answer."""
    has_mood = False
    for each in judged:
        candidate = each.scored.candidate
        if not each.is_relevant or candidate.kind is None or topic.includes(candidate.kind, candidate.text):
            yield each
        elif candidate.kind is Kind.EMOTION and not has_mood:
            has_mood = True
            yield each
        else:
            yield replace(each, rejection_reason=reasons.OTHER_TOPIC)


@dataclass(frozen=True, slots=True, kw_only=True)
class ExcerptFeatures:
    """An excerpt of a candidate with the features of its relevance."""

    position: int  #: of the candidate
    excerpt: Excerpt
    features: dict[str, float]


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgedExcerpt:
    """An excerpt of a candidate with the probability that it is relevant."""

    position: int  #: of the candidate
    text: str  #: with its speaker, as the cross-encoder reads it
    excerpt: Excerpt
    features: Mapping[str, float]
    probability: float


def judge_excerpts(
    scored: Sequence[ScoredCandidate],
    query: QueryProfile,
    model: RelevanceModel,
    *,
    is_trivial: TrivialityTest,
) -> list[JudgedExcerpt]:
    """Return the excerpts that can be relevant with their probability, the most probable first."""
    judged = [
        JudgedExcerpt(
            position=each.position,
            text=attribute_text(scored[each.position].candidate, each.excerpt.text),
            excerpt=each.excerpt,
            features=each.features,
            probability=relevance_probability(each.features, model),
        )
        for each in describe_excerpts(scored, query, is_trivial=is_trivial)
    ]
    return sorted(judged, key=lambda each: -each.probability)


def attribute_text(candidate: Candidate, text: str) -> str:
    """Return a text with its speaker: whose words they are decides what "I" and "you" mean."""
    if candidate.source is Source.MEMORY:
        return f"memory: {text}"
    return f"{'assistant' if candidate.role is Role.ASSISTANT else 'user'}: {text}"


def doubtful_excerpts(judged: Sequence[JudgedExcerpt], count: int) -> list[JudgedExcerpt]:
    """Return the most probable excerpts, each statement once, without those that no cross-encoder would save."""
    statements: dict[frozenset[ContentWord], JudgedExcerpt] = {}
    for each in judged:
        if len(statements) == count or each.probability < MIN_DOUBTFUL_PROBABILITY:
            break
        statements.setdefault(each.excerpt.words, each)
    return list(statements.values())


def apply_readings(
    judged: Sequence[JudgedExcerpt],
    doubtful: Sequence[JudgedExcerpt],
    scores: Sequence[float | None],
    model: RelevanceModel,
) -> list[JudgedExcerpt]:
    """
    Return the excerpts with the probability that follows from the features and the cross-encoder's score.

    A memory and the message that it was learned from share a score. What was not read because other excerpts are more
    probable does not become more probable than these.
    """
    score_of = {
        each.excerpt.words: score for each, score in zip(doubtful, scores, strict=True) if score is not None
    }
    read = {
        place: read_probability(each.features, score_of[each.excerpt.words], model)
        for place, each in enumerate(judged)
        if each.excerpt.words in score_of
    }
    highest = min(read.values(), default=1.0) if len(score_of) == len(doubtful) else 1.0
    return [
        replace(each, probability=read.get(place, min(each.probability, highest)))
        for place, each in enumerate(judged)
    ]


def rate_relevance(
    scored: Sequence[ScoredCandidate], judged: Sequence[JudgedExcerpt]
) -> list[ScoredCandidate]:
    """Return every candidate in its order and with its text, with the probability of its best excerpt."""
    probabilities = [0.0] * len(scored)
    for each in judged:
        probabilities[each.position] = max(probabilities[each.position], each.probability)
    return [
        _with_relevance(each, probability) for each, probability in zip(scored, probabilities, strict=True)
    ]


def select_relevant(
    scored: Sequence[ScoredCandidate],
    judged: Sequence[JudgedExcerpt],
    query: QueryProfile,
    *,
    threshold: float,
) -> list[Judgement]:
    """
    Return every candidate in its order, reduced to its relevant excerpts.

    The order is that of the ranking: the probability only says what is relevant to the query at all.
    """
    excerpts: dict[int, list[JudgedExcerpt]] = {}
    for each in judged:
        excerpts.setdefault(each.position, []).append(each)
    most = max((each.probability for each in judged), default=0.0)
    threshold = max(threshold, MIN_SHARE_OF_BEST * most) * (LIST_FACTOR if query.asks_history else 1.0)
    judgements = []
    for position, candidate in enumerate(scored):
        found = excerpts.get(position, [])
        best = max((each.probability for each in found), default=0.0)
        relevant = [each.excerpt for each in found if each.probability >= threshold]
        judgements.append(
            Judgement(
                scored=_with_relevance(_reduce(candidate, relevant), best),
                probability=best,
                rejection_reason=None if relevant else _irrelevance_reason(found, best, threshold),
            )
        )
    return judgements


def describe_excerpts(
    scored: Sequence[ScoredCandidate], query: QueryProfile, *, is_trivial: TrivialityTest
) -> Iterator[ExcerptFeatures]:
    """Yield the excerpts that can be relevant; questions, courtesies and trivial messages cannot."""
    cosines = sorted((c.cosine for each in scored if (c := each.candidate).cosine is not None), reverse=True)
    background = fmean(cosines[BACKGROUND_RANKS] or cosines[-3:] or [DEFAULT_BACKGROUND])
    excerpts = [
        ()
        if each.candidate.source is Source.SUMMARY or is_trivial(each.candidate)
        else _excerpts_of(each.candidate)
        for each in scored
    ]
    # The same question, asked before, is nearer to the query than any answer to it.
    stating = [each.candidate for each, found in zip(scored, excerpts, strict=True) if found]
    best_centered = max(map(_centered_cosine, stating), default=background)
    logits = [each.answer_logit for each in stating if each.answer_logit is not None]
    best_logit = max(logits, default=DEFAULT_ANSWER_LOGIT)
    chat_words = _words_by_chat(scored, excerpts)
    surroundings = _surroundings(scored, stating)
    memory_words = _memory_words_by_chat(scored)
    words: frozenset[ContentWord] = frozenset().union(
        *chat_words.values(), *(excerpt.words for each in excerpts for excerpt in each)
    )
    matches = match_words(query.words, words)
    chat_matches = {chat: best_matches(query.words, matches, words) for chat, words in chat_words.items()}
    for position, each in enumerate(scored):
        candidate = each.candidate
        if not excerpts[position]:
            continue
        cosine = candidate.cosine if candidate.cosine is not None else background
        evidence = Evidence(
            cosine=cosine,
            centered=_centered_cosine(candidate) if candidate.cosine is not None else background,
            background=background,
            answer_logit=DEFAULT_ANSWER_LOGIT if candidate.answer_logit is None else candidate.answer_logit,
            best_answer_logit=best_logit,
            is_memory=candidate.source is Source.MEMORY,
            is_assistant=candidate.role is Role.ASSISTANT,
            is_code=candidate.chunk_kind is ChunkKind.CODE or "```" in candidate.text,
            reply=each.parts.get("answer", 0.0),
            lexical=each.parts.get("lexical", 0.0),
            best_centered=best_centered,
            chat_matches=chat_matches.get(candidate.chat or "", ()),
            near_matches=best_matches(query.words, matches, surroundings.near_words(candidate)),
            near_centered=surroundings.near_centered(candidate),
            chat_centered=surroundings.best_by_chat.get(candidate.chat or "", 0.0),
        )
        for excerpt in excerpts[position]:
            excerpt_matches = best_matches(query.words, matches, excerpt.words)
            # A copy takes longer than the features, and few excerpts need one.
            is_learned = _is_learned(excerpt, memory_words.get(candidate.chat or "", ()))
            excerpt_evidence = replace(evidence, is_learned=True) if is_learned else evidence
            features = extract_features(query, excerpt, excerpt_evidence, excerpt_matches)
            yield ExcerptFeatures(position=position, excerpt=excerpt, features=features)


def is_unrelated(candidate: Candidate, cosine_floor: float) -> bool:
    """Whether a candidate was returned by dense search alone, with a cosine below the floor."""
    return candidate.lexical is None and candidate.dense is not None and candidate.dense < cosine_floor


def _rejection_reason(scored: ScoredCandidate, scorer: Scorer, cosine_floor: float) -> Reason | None:
    candidate, parts = scored.candidate, scored.parts
    if parts.get("answer") or parts.get("date"):
        return None
    if is_unrelated(candidate, cosine_floor):
        return reasons.below_floor(candidate, cosine_floor)
    is_unmatched = candidate.dense is None and candidate.lexical is None
    if scorer.uses_surroundings and is_unmatched and candidate.source is Source.MESSAGE:
        return reasons.ONLY_A_NEIGHBOUR
    return None


@dataclass(frozen=True, slots=True, kw_only=True)
class Surroundings:
    """Retrieved passages by their place: the messages before and after a passage, and its chat."""

    by_passage: Mapping[int, Candidate]
    best_by_chat: Mapping[str, float]  #: the highest centered cosine of what states something

    def near_words(self, candidate: Candidate) -> frozenset[ContentWord]:
        near = (word_set(each.text) for each in self._neighbours(candidate))
        return word_set(candidate.text).union(*near)

    def near_centered(self, candidate: Candidate) -> float:
        return max((_centered_cosine(each) for each in self._neighbours(candidate)), default=0.0)

    def _neighbours(self, candidate: Candidate) -> list[Candidate]:
        place = candidate.position
        ids = (place.previous_id, place.next_id) if place else ()
        return [self.by_passage[each] for each in ids if each is not None and each in self.by_passage]


def _surroundings(scored: Sequence[ScoredCandidate], stating: Sequence[Candidate]) -> Surroundings:
    by_passage: dict[int, Candidate] = {}
    best: dict[str, float] = {}
    for each in scored:
        candidate = each.candidate
        if candidate.position is not None and candidate.source is Source.MESSAGE:
            by_passage[candidate.position.passage_id] = candidate
    for candidate in stating:
        chat = candidate.chat or ""
        best[chat] = max(best.get(chat, 0.0), _centered_cosine(candidate))
    return Surroundings(by_passage=by_passage, best_by_chat=best)


def _memory_words_by_chat(scored: Sequence[ScoredCandidate]) -> dict[str, list[frozenset[ContentWord]]]:
    by_chat: dict[str, list[frozenset[ContentWord]]] = {}
    for each in scored:
        if each.candidate.source is Source.MEMORY:
            by_chat.setdefault(each.candidate.chat or "", []).append(word_set(each.candidate.text))
    return by_chat


def _is_learned(excerpt: Excerpt, memories: Sequence[frozenset[ContentWord]]) -> bool:
    """Whether most words of a memory are in the excerpt."""
    return any(len(words & excerpt.words) >= MIN_LEARNED_SHARE * len(words) > 0 for words in memories)


def _words_by_chat(
    scored: Sequence[ScoredCandidate], excerpts: Sequence[Sequence[Excerpt]]
) -> dict[str, frozenset[ContentWord]]:
    words: dict[str, set[ContentWord]] = {}
    for each, found in zip(scored, excerpts, strict=True):
        if each.candidate.chat:
            words.setdefault(each.candidate.chat, set()).update(*(excerpt.words for excerpt in found))
    return {chat: frozenset(each) for chat, each in words.items()}


def _excerpts_of(candidate: Candidate) -> Sequence[Excerpt]:
    if candidate.source is Source.MEMORY or candidate.chunk_kind is ChunkKind.CODE:
        return (whole_excerpt(candidate.text),)
    return split_excerpts(candidate.text, by_assistant=candidate.role is Role.ASSISTANT)


def _centered_cosine(candidate: Candidate) -> float:
    if candidate.cosine is None:
        return 0.0
    excess = max(candidate.centroid_excess or 0.0, -MAX_CENTROID_BONUS)
    return candidate.cosine - FITTED_CENTROID_PENALTY * excess


def _reduce(scored: ScoredCandidate, excerpts: Sequence[Excerpt]) -> ScoredCandidate:
    """Return the candidate with the text from its first to its last relevant excerpt."""
    if not excerpts:
        return scored
    candidate = scored.candidate
    text = candidate.text[min(s.start for s in excerpts) : max(s.end for s in excerpts)]
    if text == candidate.text:
        return scored
    return replace(scored, candidate=candidate._replace(text=text, tokens=estimate_tokens(text)))


def _with_relevance(scored: ScoredCandidate, probability: float) -> ScoredCandidate:
    return replace(scored, parts={**scored.parts, "relevance": probability})


def _irrelevance_reason(judged: Sequence[JudgedExcerpt], best: float, threshold: float) -> Reason:
    return reasons.below_relevance(best, threshold) if judged else reasons.STATES_NOTHING
