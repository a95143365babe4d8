"""Reasons in receipts: why a candidate is not used, and what recall went on without."""

from recollect.domain.candidate import Candidate

ALREADY_IN_PROMPT = "already in the conversation"
ONLY_A_NEIGHBOUR = "only a neighbour of a match"
COVERED_BY_CHUNK = "covered by its chunk"
SAME_AS_MEMORY = "a memory says the same"
STATES_NOTHING = "it states nothing: a question, a greeting or thanks"
NO_EMBEDDER = "lexical only: no embedder is configured"


def below_floor(candidate: Candidate, cosine_floor: float) -> str:
    return f"cosine {candidate.dense:.2f} is below {cosine_floor:.2f}"


def below_relevance(probability: float, threshold: float) -> str:
    return f"relevance {probability:.2f} is below {threshold:.2f}"


def repeats(candidate: Candidate) -> str:
    return f"says the same as {candidate.source} {candidate.id}"


def below_cutoff(relative_cutoff: float) -> str:
    return f"below {relative_cutoff:.0%} of the best score"


def over_limit(position: int, limit: int) -> str:
    return f"ranked {_ordinal(position)}; the limit is {limit}"


def over_source_limit(limit: int, *, is_memory: bool) -> str:
    return f"the limit is {limit} {'memories' if is_memory else 'messages'}"


def not_embedded(count: int) -> str:
    return f"{count} new passages: not embedded yet, searched by words only"


def no_dense_search(error: Exception) -> str:
    return f"lexical only: {error}"


def no_lexical_search(error: Exception) -> str:
    return f"dense only: {error}"


def embedding_late(milliseconds: int) -> str:
    return f"lexical only: dense search took longer than {milliseconds} ms"


def recall_late(milliseconds: int) -> str:
    return f"recall took longer than {milliseconds} ms, so nothing was recalled"


def tiers_late(milliseconds: int) -> str:
    return f"recalled passages only: the rest took longer than {milliseconds} ms"


def tiers_failed(error: Exception) -> str:
    return f"recalled passages only: {error}"


def not_reranked(error: Exception) -> str:
    return f"not reranked: {error}"


def partly_reranked(missing: int, count: int, milliseconds: int) -> str:
    return f"{missing} of {count} not reranked within {milliseconds} ms"


def not_among_hits(limit: int) -> str:
    return f"not among the top {limit} of dense or lexical search"


def _ordinal(number: int) -> str:
    suffixes = {1: "st", 2: "nd", 3: "rd"}
    return f"{number}{'th' if 10 < number % 100 < 14 else suffixes.get(number % 10, 'th')}"
