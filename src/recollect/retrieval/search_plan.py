"""Plan the search passes of a query: its chat, the whole user, or the rest only if the chat yields too little."""

from collections.abc import Iterable
from dataclasses import dataclass

from recollect.domain.candidate import Source
from recollect.domain.policy import RecallPolicy
from recollect.domain.scope import Scope

NO_SOURCES: frozenset[Source] = frozenset()
MEMORY_SOURCES = frozenset({Source.MEMORY})
MESSAGE_SOURCES = frozenset({Source.MESSAGE, Source.CHUNK})
SUMMARY_SOURCES = frozenset({Source.SUMMARY})
SOURCES_BY_POLICY = {
    "all": MEMORY_SOURCES | MESSAGE_SOURCES,
    "memories": MEMORY_SOURCES,
    "messages": MESSAGE_SOURCES,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchPass:
    """One search of both channels, dense and lexical, over a scope and some sources."""

    scope: Scope
    sources: frozenset[Source]

    @property
    def scope_label(self) -> str:
        """Return the label of the scope in receipts."""
        return "global" if self.scope.chat is None else "conversation"


def primary_passes(scope: Scope, policy: RecallPolicy, *, include_other_chats: bool) -> list[SearchPass]:
    """
    Return the passes that always run, in order.

    Summaries of other chats are searched only with `include_other_chats`.
    """
    sources, summaries = _searched_sources(policy)
    shared = summaries if include_other_chats else NO_SOURCES
    if scope.chat is None:
        passes = [SearchPass(scope=scope, sources=sources | shared)]
    elif policy.other_chats == "always":
        passes = [
            SearchPass(scope=scope.user_scope, sources=sources | shared),
            SearchPass(scope=scope, sources=summaries - shared),
        ]
    else:
        passes = [
            SearchPass(scope=scope, sources=sources & MESSAGE_SOURCES | summaries),
            SearchPass(scope=scope.user_scope, sources=sources & MEMORY_SOURCES),
        ]
    return _drop_empty(passes)


def fallback_passes(scope: Scope, policy: RecallPolicy, *, include_other_chats: bool) -> list[SearchPass]:
    """Return the passes that run only if the chat yielded too few hits."""
    if scope.chat is None or policy.other_chats != "fallback":
        return []
    sources, summaries = _searched_sources(policy)
    return _drop_empty(
        [
            SearchPass(
                scope=scope.user_scope,
                sources=sources & MESSAGE_SOURCES | (summaries if include_other_chats else NO_SOURCES),
            )
        ]
    )


def _searched_sources(policy: RecallPolicy) -> tuple[frozenset[Source], frozenset[Source]]:
    """Return the sources that the policy allows, and the summary source if messages are among them."""
    sources = SOURCES_BY_POLICY[policy.sources]
    return sources, SUMMARY_SOURCES if sources & MESSAGE_SOURCES else NO_SOURCES


def _drop_empty(passes: Iterable[SearchPass]) -> list[SearchPass]:
    return [search_pass for search_pass in passes if search_pass.sources]
