"""Reasons in receipts: why a candidate is not used, and what recall went on without."""

from recollect.domain.candidate import Candidate
from recollect.domain.reason import Reason, ReasonCode

#: Decimals of scores in reasons.
SCORE_DIGITS = 2

ALREADY_IN_PROMPT = Reason(ReasonCode.IN_CONVERSATION)
OTHER_TOPIC = Reason(ReasonCode.OTHER_TOPIC)
ONLY_A_NEIGHBOUR = Reason(ReasonCode.NEIGHBOUR_ONLY)
SHARES_NO_WORD = Reason(ReasonCode.SHARES_NO_WORD)
COVERED_BY_CHUNK = Reason(ReasonCode.COVERED_BY_CHUNK)
SAME_AS_MEMORY = Reason(ReasonCode.SAME_AS_MEMORY)
STATES_NOTHING = Reason(ReasonCode.STATES_NOTHING)
NO_EMBEDDER = Reason(ReasonCode.NO_EMBEDDER)
RECALLED = Reason(ReasonCode.RECALLED)


def below_floor(candidate: Candidate, cosine_floor: float) -> Reason:
    cosine = round(candidate.dense or 0.0, SCORE_DIGITS)
    return Reason(
        ReasonCode.BELOW_COSINE_FLOOR, {"cosine": cosine, "floor": round(cosine_floor, SCORE_DIGITS)}
    )


def below_relevance(probability: float, threshold: float) -> Reason:
    relevance = round(probability, SCORE_DIGITS)
    return Reason(
        ReasonCode.BELOW_RELEVANCE, {"relevance": relevance, "threshold": round(threshold, SCORE_DIGITS)}
    )


def says_the_same(candidate: Candidate) -> Reason:
    return Reason(ReasonCode.SAYS_THE_SAME, {"source": candidate.source.value, "id": candidate.id})


def below_cutoff(relative_cutoff: float) -> Reason:
    return Reason(ReasonCode.BELOW_CUTOFF, {"share": relative_cutoff})


def over_limit(rank: int, limit: int) -> Reason:
    return Reason(ReasonCode.OVER_LIMIT, {"rank": rank, "limit": limit})


def over_source_limit(limit: int, *, is_memory: bool) -> Reason:
    code = ReasonCode.OVER_MEMORY_LIMIT if is_memory else ReasonCode.OVER_MESSAGE_LIMIT
    return Reason(code, {"count": limit})


def not_embedded(count: int) -> Reason:
    return Reason(ReasonCode.NOT_EMBEDDED, {"count": count})


def more_candidates(count: int) -> Reason:
    return Reason(ReasonCode.MORE_CANDIDATES, {"count": count})


def no_consent(category: str) -> Reason:
    return Reason(ReasonCode.NO_CONSENT, {"category": category})


def recall_off(mode: str) -> Reason:
    return Reason(ReasonCode.RECALL_OFF, {"mode": mode})


def no_dense_search(error: Exception) -> Reason:
    return Reason(ReasonCode.DENSE_SEARCH_FAILED, {"detail": str(error)})


def no_lexical_search(error: Exception) -> Reason:
    return Reason(ReasonCode.LEXICAL_SEARCH_FAILED, {"detail": str(error)})


def dense_search_late(milliseconds: int) -> Reason:
    return Reason(ReasonCode.DENSE_SEARCH_LATE, {"milliseconds": milliseconds})


def recall_late(milliseconds: int) -> Reason:
    return Reason(ReasonCode.RECALL_LATE, {"milliseconds": milliseconds})


def tiers_late(milliseconds: int) -> Reason:
    return Reason(ReasonCode.TIERS_LATE, {"milliseconds": milliseconds})


def tiers_failed(error: Exception) -> Reason:
    return Reason(ReasonCode.TIERS_FAILED, {"detail": str(error)})


def not_reranked(error: Exception) -> Reason:
    return Reason(ReasonCode.RERANK_FAILED, {"detail": str(error)})


def partly_reranked(missing: int, total: int, milliseconds: int) -> Reason:
    params = {"missing": missing, "total": total, "milliseconds": milliseconds}
    return Reason(ReasonCode.RERANK_INCOMPLETE, params)


def receipt_not_stored(error: Exception) -> Reason:
    return Reason(ReasonCode.RECEIPT_NOT_STORED, {"detail": str(error)})


def not_among_hits(limit: int) -> Reason:
    return Reason(ReasonCode.NOT_AMONG_HITS, {"limit": limit})


def not_active(status: str) -> Reason:
    return Reason(ReasonCode.NOT_ACTIVE, {"status": status})
