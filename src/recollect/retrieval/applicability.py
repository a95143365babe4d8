"""
Lasting instructions and constraints that apply to a task, though the query does not mention them.

"Write me a script" shares no word with "always use type hints", nor "suggest a dinner" with "I'm lactose intolerant".
What counts is that the query is a task (its intent), and that its topic is one of the statement's. Applicability is the
product of both probabilities. It is 0 for questions of fact, arithmetic and small talk, which are no tasks. The most
applicable statements come first, up to a number of tokens; the others stay ordinary passages.
"""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Final

from recollect.domain.candidate import Candidate, ScoredCandidate, Source
from recollect.domain.message import ChunkKind, Role
from recollect.domain.reason import ReasonCode
from recollect.retrieval.excerpts import whole_excerpt
from recollect.retrieval.provenance import states
from recollect.retrieval.relevance_model import MIN_APPLICABILITY, QueryProfile
from recollect.retrieval.selection import SelectedCandidates

#: The newest memories among which lasting statements are looked for.
MAX_STANDING_MEMORIES: Final = 200
#: A day of the week, a price or a relative is in too many statements to say that one applies.
STANDING_TOPICS: Final = frozenset({"food", "health", "code", "writing", "travel"})
#: A message that is longer is about something else, too.
MAX_STANDING_WORDS: Final = 60


def may_apply(query: QueryProfile) -> bool:
    """Return whether a query is a task, for which lasting statements are looked up."""
    best_topic = max((query.topics[name] for name in STANDING_TOPICS), default=0.0)
    return query.intents["task"] * best_topic >= MIN_APPLICABILITY


def applicability(candidate: Candidate, query: QueryProfile) -> float:
    """Return from 0 to 1 how likely a passage is a lasting statement of the user that applies to the query."""
    if candidate.role is Role.ASSISTANT or candidate.source in {
        Source.SUMMARY,
        Source.PROFILE,
        Source.CONTEXT,
    }:
        return 0.0
    if candidate.chunk_kind is ChunkKind.CODE or "```" in candidate.text or candidate.outdated:
        return 0.0
    excerpt = whole_excerpt(candidate.text)
    if not (excerpt.is_instruction or excerpt.is_constraint) or excerpt.word_count > MAX_STANDING_WORDS:
        return 0.0
    topic = max((query.topics[name] for name in excerpt.topics & STANDING_TOPICS), default=0.0)
    return query.intents["task"] * topic


def select_standing(
    selection: SelectedCandidates,
    more: Iterable[ScoredCandidate],
    query: QueryProfile,
    *,
    max_tokens: int,
) -> SelectedCandidates:
    """Return the selection with the statements that apply first, up to `max_tokens`; `more` are not found by search."""
    candidates = (*selection.candidates, *_unknown(more, selection))
    rated = [(applicability(each.candidate, query), place, each) for place, each in enumerate(candidates)]
    remaining = max_tokens
    standing: list[ScoredCandidate] = []
    for value, _, scored in sorted(rated, key=lambda each: (-each[0], each[1])):
        if value < MIN_APPLICABILITY or scored.candidate.tokens > remaining:
            continue
        remaining -= scored.candidate.tokens
        standing.append(
            replace(
                scored,
                candidate=scored.candidate._replace(is_standing=True),
                parts={**scored.parts, "applicability": value},
            )
        )
    keys = {each.candidate.key for each in standing}
    others = [each for each in selection.candidates if each.candidate.key not in keys]
    return replace(selection, candidates=(*standing, *others))


def _unknown(more: Iterable[ScoredCandidate], selection: SelectedCandidates) -> Sequence[ScoredCandidate]:
    # What was found and folded into another passage is not added again.
    folded = (
        each.scored.candidate.key
        for each in selection.rejections
        if each.reason.code is ReasonCode.SAYS_THE_SAME
    )
    known = {*(each.candidate.key for each in selection.candidates), *folded}
    texts = [each.candidate.text for each in selection.candidates]
    return [
        each
        for each in more
        if each.candidate.key not in known and not any(states(text, each.candidate.text) for text in texts)
    ]
