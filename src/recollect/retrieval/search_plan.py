"""Where a question is looked up: this chat first, everything else too, or only if this chat gave too little."""

from collections.abc import Iterable
from dataclasses import dataclass

from recollect.domain.candidate import Source
from recollect.domain.policy import Recall
from recollect.domain.scope import Scope

NOTHING: frozenset[Source] = frozenset()
FACTS = frozenset({Source.MEMORY})
WORDS = frozenset({Source.MESSAGE, Source.CHUNK})
SUMMARIES = frozenset({Source.SUMMARY})
SOURCES = {"all": FACTS | WORDS, "memories": FACTS, "messages": WORDS}


@dataclass(frozen=True, slots=True, kw_only=True)
class Look:
    """One search through both channels."""

    scope: Scope
    sources: frozenset[Source]

    @property
    def where(self) -> str:
        """As a receipt calls it."""
        return "global" if self.scope.chat is None else "conversation"


def in_any_case(scope: Scope, policy: Recall, *, across: bool) -> list[Look]:
    """
    What is looked up whatever is found, in order.

    What chats came to is their own, unless summaries count `across` all of them.
    """
    sources, summaries = _sources(policy)
    shared = summaries if across else NOTHING
    if scope.chat is None:
        looks = [Look(scope=scope, sources=sources | shared)]
    elif policy.reach == "always":
        looks = [
            Look(scope=scope.everything, sources=sources | shared),
            Look(scope=scope, sources=summaries - shared),
        ]
    else:
        looks = [
            Look(scope=scope, sources=sources & WORDS | summaries),
            Look(scope=scope.everything, sources=sources & FACTS),
        ]
    return _possible(looks)


def if_too_little(scope: Scope, policy: Recall, *, across: bool) -> list[Look]:
    """What is looked up besides if this chat gave too little."""
    if scope.chat is None or policy.reach != "fallback":
        return []
    sources, summaries = _sources(policy)
    return _possible(
        [Look(scope=scope.everything, sources=sources & WORDS | (summaries if across else NOTHING))]
    )


def _sources(policy: Recall) -> tuple[frozenset[Source], frozenset[Source]]:
    """What may be recalled, and the summaries that go with it."""
    sources = SOURCES[policy.sources]
    return sources, SUMMARIES if sources & WORDS else NOTHING


def _possible(looks: Iterable[Look]) -> list[Look]:
    return [look for look in looks if look.sources]
