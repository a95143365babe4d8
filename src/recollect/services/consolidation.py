"""
Consolidation and replay in the store: read what the pure rules compare, call them, write what they decide.

Used by other services inside their transactions, so that two writers of the same fact create one memory.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from recollect.consolidation.consolidator import consolidate
from recollect.consolidation.known_memories import MAX_RECENT_OF_KIND, KnownMemories, compared_kinds
from recollect.consolidation.replay import (
    MemoryDiff,
    ReplaySet,
    ReplaySources,
    build_replay_set,
    diff_memories,
    neighbours,
    replay,
    source_message_ids,
)
from recollect.consolidation.stated_fact import StatedFact
from recollect.domain.memory import ChangeKind, Memory, MemoryStatus
from recollect.domain.outcomes import FactOutcome, New
from recollect.domain.policy import ConsolidationPolicy
from recollect.domain.reason import Reason, ReasonCode
from recollect.domain.scope import Scope
from recollect.ports.clock import Clock, Ids
from recollect.ports.store import Store
from recollect.services.embedders import TextVectors

SOURCE_CHANGED_REASON = Reason(ReasonCode.SOURCE_CHANGED)


@dataclass(frozen=True, slots=True, kw_only=True)
class ConsolidationService:
    store: Store
    clock: Clock
    ids: Ids

    def consolidate(
        self,
        scope: Scope,
        facts: Sequence[StatedFact],
        vectors: TextVectors,
        policy: ConsolidationPolicy,
        *,
        forgotten_at: Mapping[str, datetime],
    ) -> list[FactOutcome]:
        """Consolidate the facts of a message and write the outcomes; see `consolidate`."""
        if not facts:
            return []
        outcomes = consolidate(
            facts,
            self._read_known(scope, [fact.memory for fact in facts], vectors, policy),
            policy,
            forgotten_at=forgotten_at,
            now=self.clock.now(),
        )
        self.store.memories.apply(outcomes)
        for outcome in outcomes:
            match outcome:
                case New(memory=memory) if memory.status is MemoryStatus.ACTIVE:
                    if memory.fact_hash in forgotten_at:
                        # The user stated it again after forgetting it.
                        self.store.tombstones.remove(scope.user, memory.fact_hash)
                case _:
                    pass
        return outcomes

    def find_similar(
        self, scope: Scope, memory: Memory, vectors: TextVectors, policy: ConsolidationPolicy
    ) -> list[tuple[Memory, float | None]]:
        """Return the memories that consolidation would compare with this one, with their cosines."""
        return self._read_known(scope, [memory], vectors, policy).similar(memory, policy)

    def collect_replay(
        self,
        scope: Scope,
        policy: ConsolidationPolicy,
        *,
        vectors: TextVectors,
        seeds: Sequence[Memory] = (),
        new_facts: Sequence[StatedFact] = (),
        excluded_messages: frozenset[str] = frozenset(),
    ) -> ReplaySet:
        """Return the transitive closure of the memories and facts that a change affects."""
        replay_set = ReplaySet(members=tuple(seeds), stated_facts=tuple(new_facts))
        while True:
            related = self.store.memories.related(scope, [*replay_set.members, *replay_set.fact_memories])
            similar = self._replay_pairs(scope, replay_set.fact_memories, vectors, policy)
            members = neighbours(related, similar, policy)
            wider = build_replay_set(
                members,
                new_facts,
                self._read_sources(scope, members, new_facts),
                excluded_messages=excluded_messages,
                new_id=self.ids.new,
                now=self.clock.now(),
            )
            if wider.size == replay_set.size:
                return wider
            replay_set = wider

    def replay(
        self,
        scope: Scope,
        replay_set: ReplaySet,
        policy: ConsolidationPolicy,
        *,
        vectors: TextVectors,
        excluded_messages: frozenset[str] = frozenset(),
    ) -> MemoryDiff:
        """Replay the set without the facts of `excluded_messages`, write the difference and return it."""
        hashes = {memory.fact_hash for memory in replay_set.fact_memories}
        after = replay(
            replay_set.without_messages(excluded_messages),
            replay_set.stated_facts,
            forgotten_at=self.store.tombstones.forgotten_at(scope.user, hashes),
            similarity=vectors.similarity,
            policy=policy,
            now=self.clock.now(),
        )
        diff = diff_memories(replay_set.members, after)
        self._write_diff(scope, diff)
        return diff

    def _read_known(
        self, scope: Scope, memories: Sequence[Memory], vectors: TextVectors, policy: ConsolidationPolicy
    ) -> KnownMemories:
        # Each fact can supersede one memory and add one: so many more are read, for the next facts of the message.
        surplus = len(memories) - 1
        related = self.store.memories.related_to(
            scope,
            memories,
            kinds={kind for memory in memories for kind in compared_kinds(memory.kind)},
            newest=MAX_RECENT_OF_KIND + surplus,
            vectors=vectors.by_text,
            model=vectors.model,
            nearest=policy.compared_memories + surplus,
        )
        return KnownMemories.from_related(related)

    def _replay_pairs(
        self, scope: Scope, memories: Sequence[Memory], vectors: TextVectors, policy: ConsolidationPolicy
    ) -> Iterator[tuple[Memory, Memory, float | None]]:
        """Yield the memories that could affect each of these, with their cosines."""
        if not memories:
            return
        known = self._read_known(scope, memories, vectors, policy)
        # A memory that is superseded now may have been active when a fact was stated.
        past = {
            kind: self.store.memories.list(scope, kind=kind, status=None, limit=MAX_RECENT_OF_KIND)
            for kind in {kind for memory in memories for kind in compared_kinds(memory.kind)}
        }
        for memory in memories:
            for near, similarity in known.similar(memory, policy):
                yield near, memory, similarity
            for kind in compared_kinds(memory.kind):
                yield from ((earlier, memory, None) for earlier in past[kind])

    def _read_sources(
        self, scope: Scope, members: Sequence[Memory], new_facts: Sequence[StatedFact]
    ) -> ReplaySources:
        message_ids = source_message_ids(members)
        new_message_ids = source_message_ids(fact.memory for fact in new_facts)
        return ReplaySources(
            messages=self.store.messages.get_many(scope, list({*message_ids, *new_message_ids})),
            extractions=self.store.extractions.get_many(scope, message_ids),
            changes=self.store.memories.change_kinds(scope, [m.id for m in members if m.version > 1]),
        )

    def _write_diff(self, scope: Scope, diff: MemoryDiff) -> None:
        for memory in diff.to_delete:
            self.store.memories.erase(scope, memory.id)
        # Deactivate before activating: the store allows one active memory per text (`memories_once`).
        for memory in sorted(diff.to_update, key=lambda m: m.status is MemoryStatus.ACTIVE):
            kind = ChangeKind.SUPERSEDE if memory.status is MemoryStatus.SUPERSEDED else ChangeKind.REPLAY
            self.store.memories.save(
                memory, kind, reason=SOURCE_CHANGED_REASON if kind is ChangeKind.REPLAY else memory.reason
            )
        for memory in diff.to_add:
            self.store.memories.add(memory)
