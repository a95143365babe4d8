"""
Relevance: which scored candidates have to do with the query at all.

`judge` decides for each candidate whether it is relevant; a judgement may carry a probability. It runs before
`selection`, which only compares relevant candidates with each other.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from statistics import fmean

from recollect.domain.candidate import Candidate, ScoredCandidate, Source
from recollect.domain.message import ChunkKind, Role
from recollect.retrieval import reasons
from recollect.retrieval.centroid import MAX_CENTROID_BONUS
from recollect.retrieval.excerpts import Excerpt, split_excerpts, whole_excerpt
from recollect.retrieval.relevance_model import (
    NO_WORDS,
    Evidence,
    QueryProfile,
    RelevanceModel,
    WordForms,
    extract_features,
    relevance_probability,
)
from recollect.retrieval.scoring.scorer import Scorer
from recollect.text.tokens import estimate_tokens

#: Weight of the centroid correction with which the model was fitted.
FITTED_CENTROID_PENALTY = 0.5
#: Cosines at these ranks show how similar the query is to passages that have nothing to do with it.
BACKGROUND_RANKS = slice(10, 40)
#: The cosine of unrelated passages, if there are too few candidates to measure it.
DEFAULT_BACKGROUND = 0.55
#: Returns whether a message says nothing that a prompt needs: thanks, greetings, small talk.
TrivialityTest = Callable[[Candidate], bool]


@dataclass(frozen=True, slots=True, kw_only=True)
class Judgement:
    """A scored candidate and whether it is relevant to the query."""

    scored: ScoredCandidate
    probability: float | None = None  #: of relevance; None if it was not estimated
    rejection_reason: str | None = None  #: why it is irrelevant; None if it is relevant

    @property
    def is_relevant(self) -> bool:
        return self.rejection_reason is None


def judge(
    scored: Sequence[ScoredCandidate],
    scorer: Scorer,
    *,
    cosine_floor: float,
    exempt_sources: frozenset[Source] = frozenset(),
) -> list[Judgement]:
    """Return every candidate in its order, with the judgement; candidates of `exempt_sources` are relevant."""
    return [
        Judgement(
            scored=each,
            rejection_reason=None
            if each.candidate.source in exempt_sources
            else _rejection_reason(each, scorer, cosine_floor),
        )
        for each in scored
    ]


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgedExcerpt:
    """An excerpt of a candidate with the features of its relevance."""

    position: int  #: of the candidate
    excerpt: Excerpt
    features: dict[str, float]


def estimate_relevance(
    scored: Sequence[ScoredCandidate],
    query: QueryProfile,
    model: RelevanceModel,
    *,
    is_trivial: TrivialityTest,
) -> list[Judgement]:
    """
    Return every candidate in its order, with the probability of its most relevant excerpt.

    The candidate keeps its text; `select_relevant` reduces it to its relevant excerpts.
    """
    probabilities = [0.0] * len(scored)
    for each in judge_excerpts(scored, query, is_trivial=is_trivial):
        probability = relevance_probability(each.features, model)
        probabilities[each.position] = max(probabilities[each.position], probability)
    return [
        Judgement(scored=_with_relevance(each, probability), probability=probability)
        for each, probability in zip(scored, probabilities, strict=True)
    ]


def select_relevant(
    scored: Sequence[ScoredCandidate],
    query: QueryProfile,
    model: RelevanceModel,
    *,
    threshold: float,
    is_trivial: TrivialityTest,
) -> list[Judgement]:
    """Return every candidate in its order, reduced to its relevant excerpts."""
    excerpts: dict[int, list[tuple[float, Excerpt]]] = {}
    for each in judge_excerpts(scored, query, is_trivial=is_trivial):
        probability = relevance_probability(each.features, model)
        excerpts.setdefault(each.position, []).append((probability, each.excerpt))
    judged = []
    for position, candidate in enumerate(scored):
        judgements = excerpts.get(position, [])
        best = max((probability for probability, _ in judgements), default=0.0)
        relevant = [excerpt for probability, excerpt in judgements if probability >= threshold]
        judged.append(
            Judgement(
                scored=_with_relevance(_reduce(candidate, relevant), best),
                probability=best,
                rejection_reason=None if relevant else _irrelevance_reason(judgements, best, threshold),
            )
        )
    # The ranking orders better than the probability does, which only says what has to do with the query.
    return judged


def judge_excerpts(
    scored: Sequence[ScoredCandidate], query: QueryProfile, *, is_trivial: TrivialityTest
) -> Iterator[JudgedExcerpt]:
    """Yield what can be relevant: excerpts, not questions, courtesies and trivial messages."""
    cosines = sorted((c.cosine for each in scored if (c := each.candidate).cosine is not None), reverse=True)
    background = fmean(cosines[BACKGROUND_RANKS] or cosines[-3:] or [DEFAULT_BACKGROUND])
    best_score = max((each.score for each in scored), default=0.0)
    best_centered = max(map(_centered_cosine, (each.candidate for each in scored)), default=background)
    chat_words = _words_by_chat(scored)
    for position, each in enumerate(scored):
        candidate = each.candidate
        if candidate.source is Source.SUMMARY or is_trivial(candidate):
            continue
        cosine = candidate.cosine if candidate.cosine is not None else background
        evidence = Evidence(
            cosine=cosine,
            centered=_centered_cosine(candidate) if candidate.cosine is not None else background,
            background=background,
            is_memory=candidate.source is Source.MEMORY,
            is_assistant=candidate.role is Role.ASSISTANT,
            is_code=candidate.chunk_kind is ChunkKind.CODE or "```" in candidate.text,
            is_outdated=candidate.outdated,
            reply=each.parts.get("answer", 0.0),
            score=each.score,
            score_share=each.score / best_score if best_score > 0 else 0.0,
            rank=position,
            lexical=each.parts.get("lexical", 0.0),
            chat=each.parts.get("chat", 0.0),
            best_centered=best_centered,
            chat_words=chat_words.get(candidate.chat or "", NO_WORDS),
        )
        for excerpt in _excerpts_of(candidate):
            yield JudgedExcerpt(
                position=position,
                excerpt=excerpt,
                features=extract_features(query, excerpt, evidence),
            )


def is_unrelated(candidate: Candidate, cosine_floor: float) -> bool:
    """Whether a candidate was returned by dense search alone, with a cosine below the floor."""
    return candidate.lexical is None and candidate.dense is not None and candidate.dense < cosine_floor


def _rejection_reason(scored: ScoredCandidate, scorer: Scorer, cosine_floor: float) -> str | None:
    candidate, parts = scored.candidate, scored.parts
    if parts.get("answer") or parts.get("date"):
        return None
    if is_unrelated(candidate, cosine_floor):
        return reasons.below_floor(candidate, cosine_floor)
    is_unmatched = candidate.dense is None and candidate.lexical is None
    if scorer.uses_surroundings and is_unmatched and candidate.source is Source.MESSAGE:
        return reasons.ONLY_A_NEIGHBOUR
    return None


def _words_by_chat(scored: Sequence[ScoredCandidate]) -> dict[str, WordForms]:
    by_chat: dict[str, list[Excerpt]] = {}
    for each in scored:
        if each.candidate.chat and each.candidate.source is not Source.SUMMARY:
            by_chat.setdefault(each.candidate.chat, []).append(whole_excerpt(each.candidate.text))
    return {chat: WordForms.union(excerpts) for chat, excerpts in by_chat.items()}


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


def _irrelevance_reason(judgements: Sequence[tuple[float, Excerpt]], best: float, threshold: float) -> str:
    return reasons.below_relevance(best, threshold) if judgements else reasons.STATES_NOTHING
