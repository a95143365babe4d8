"""Plan the search of a query: its chat, the whole user, or the rest only if the chat yields too little."""

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from datetime import datetime

from recollect.domain.candidate import SearchFilter, Source
from recollect.domain.metadata import MetadataFilter
from recollect.domain.policy import Policy, RecallPolicy
from recollect.domain.scope import Scope
from recollect.domain.search import DatedSearch, SearchPass
from recollect.retrieval.query import QueryAnalysis
from recollect.retrieval.scoring.table import scorer_of

NO_SOURCES: frozenset[Source] = frozenset()
MEMORY_SOURCES = frozenset({Source.MEMORY})
MESSAGE_SOURCES = frozenset({Source.MESSAGE, Source.CHUNK})
SUMMARY_SOURCES = frozenset({Source.SUMMARY})
SOURCES_BY_POLICY = {
    "all": MEMORY_SOURCES | MESSAGE_SOURCES,
    "memories": MEMORY_SOURCES,
    "messages": MESSAGE_SOURCES,
}
#: Newest messages of a time range in the query that are compared by cosine.
MAX_DATED_MESSAGES = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchPlan:
    """What to search for one query."""

    scope: Scope
    primary: tuple[SearchPass, ...] = ()  #: always run, in this order
    fallback: tuple[SearchPass, ...] = ()  #: run if the chat yields fewer than `fallback_below` relevant hits
    fallback_below: int = 0
    important: SearchPass | None = None  #: instead of a search: the most important passages
    dated: tuple[DatedSearch, ...] = ()  #: messages from times that the query names
    neighbour_filter: SearchFilter = field(default_factory=SearchFilter)
    neighbour_limit: int = 0  #: best candidates whose neighbouring messages are loaded
    includes_neighbours: bool = False  #: whether the position of a message includes those before and after it
    hits_per_channel: int = 0
    centroid_penalty: float = 0.0
    is_hybrid: bool = True  #: without it, lexical search runs only if dense search cannot
    max_all_memories: int = 0  #: a user with at most this many memories gets all of them
    fallback_memories: int = 0  #: recent memories that stand in for an empty result

    @property
    def restricts_kinds(self) -> bool:
        return any(each.search_filter.kinds for each in self.primary)

    def for_all_kinds(self) -> "SearchPlan":
        """Return the plan without the restriction to kinds of memory."""
        return replace(
            self,
            primary=tuple(map(_for_all_kinds, self.primary)),
            fallback=tuple(map(_for_all_kinds, self.fallback)),
        )


def plan_search(
    query: QueryAnalysis,
    scope: Scope,
    policy: Policy,
    *,
    as_of: datetime | None = None,
    metadata: MetadataFilter = (),
) -> SearchPlan:
    recall, scorer = policy.recall, scorer_of(policy.recall)
    search_filter = SearchFilter(
        sources=_passage_sources(policy),
        kinds=query.kinds,
        max_recent_chats=recall.recent_chats,
        min_importance=recall.min_importance,
        as_of=as_of,
        metadata=metadata,
    )
    is_restricted = as_of is not None or bool(metadata)
    searches_memories = Source.MEMORY in search_filter.sources
    common = SearchPlan(
        scope=scope,
        hits_per_channel=recall.candidates_per_channel,
        is_hybrid=recall.hybrid,
        max_all_memories=recall.small_store_size if searches_memories and not is_restricted else 0,
        fallback_memories=recall.fallback_count
        if searches_memories and not metadata and recall.fallback == "recent"
        else 0,
    )
    if scorer.ignores_query:
        return replace(common, important=SearchPass(scope=scope.user_scope, search_filter=search_filter))
    plan = replace(
        common,
        primary=_passes(primary_sources(scope, policy), search_filter),
        fallback=_passes(fallback_sources(scope, policy), search_filter),
        fallback_below=recall.other_chats_below,
    )
    return _with_surroundings(plan, query, recall, search_filter) if scorer.uses_surroundings else plan


def _with_surroundings(
    plan: SearchPlan, query: QueryAnalysis, policy: RecallPolicy, search_filter: SearchFilter
) -> SearchPlan:
    """Add neighbours and dated messages, and more hits, because features besides the match reorder them."""
    # At least as many as results are returned, or none.
    neighbour_limit = max(policy.neighbour_candidates, policy.limit) if policy.neighbour_candidates else 0
    message_filter = replace(search_filter, sources=frozenset({Source.MESSAGE}))
    dated_scope = plan.scope if policy.other_chats == "never" else plan.scope.user_scope
    time_ranges = query.features.time_ranges if MESSAGE_SOURCES & search_filter.sources else ()
    return replace(
        plan,
        hits_per_channel=max(policy.candidates_per_channel, 5 * policy.limit // 2),
        # The other scorers' formulas are defined on the plain cosine.
        centroid_penalty=policy.centroid_penalty,
        neighbour_limit=neighbour_limit,
        neighbour_filter=message_filter,
        includes_neighbours=True,
        dated=tuple(
            DatedSearch(
                scope=dated_scope,
                search_filter=message_filter,
                starts_at=time_range.starts_at,
                ends_at=time_range.ends_at,
                max_compared=MAX_DATED_MESSAGES,
                limit=neighbour_limit,
            )
            for time_range in time_ranges
        ),
    )


def primary_sources(scope: Scope, policy: Policy) -> list[tuple[Scope, frozenset[Source]]]:
    """Return scope and sources of the passes that always run, in order."""
    recall = policy.recall
    sources, summaries, shared = _searched_sources(policy)
    if scope.chat is None or recall.other_chats == "always":
        everywhere = sources | shared
        # With limits of their own, memories and messages must not compete for the hits of one pass.
        has_own_limits = recall.max_memories > 0 or recall.max_messages > 0
        groups = (
            [everywhere & MEMORY_SOURCES, everywhere - MEMORY_SOURCES] if has_own_limits else [everywhere]
        )
        chat_summaries = summaries - shared if scope.chat is not None else NO_SOURCES
        passes = [*((scope.user_scope, group) for group in groups), (scope, chat_summaries)]
    else:
        passes = [
            (scope, sources & MESSAGE_SOURCES | summaries),
            (scope.user_scope, sources & MEMORY_SOURCES),
        ]
    return _drop_empty(passes)


def fallback_sources(scope: Scope, policy: Policy) -> list[tuple[Scope, frozenset[Source]]]:
    """Return scope and sources of the passes that run only if the chat yielded too few hits."""
    if scope.chat is None or policy.recall.other_chats != "fallback":
        return []
    sources, _, shared = _searched_sources(policy)
    return _drop_empty([(scope.user_scope, sources & MESSAGE_SOURCES | shared)])


def _searched_sources(
    policy: Policy,
) -> tuple[frozenset[Source], frozenset[Source], frozenset[Source]]:
    """Return the sources of passages, the summary source if messages are among them, and if chats share summaries."""
    sources = _passage_sources(policy)
    summaries = SUMMARY_SOURCES if sources & MESSAGE_SOURCES else NO_SOURCES
    return sources, summaries, summaries if policy.summaries.scope == "global" else NO_SOURCES


def _passage_sources(policy: Policy) -> frozenset[Source]:
    """Return the sources of the policy; chunks that were stored before chunking was turned off are not searched."""
    sources = SOURCES_BY_POLICY[policy.recall.sources]
    return sources if policy.chunking.enabled else sources - {Source.CHUNK}


def _drop_empty(
    passes: Iterable[tuple[Scope, frozenset[Source]]],
) -> list[tuple[Scope, frozenset[Source]]]:
    return [(scope, sources) for scope, sources in passes if sources]


def _passes(
    parts: Iterable[tuple[Scope, frozenset[Source]]], search_filter: SearchFilter
) -> tuple[SearchPass, ...]:
    return tuple(
        SearchPass(scope=scope, search_filter=replace(search_filter, sources=sources))
        for scope, sources in parts
    )


def _for_all_kinds(search_pass: SearchPass) -> SearchPass:
    return replace(search_pass, search_filter=replace(search_pass.search_filter, kinds=frozenset()))
