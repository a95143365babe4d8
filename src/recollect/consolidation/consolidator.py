"""Apply reconciliation to the store: one new fact, or a replay of all facts that depend on a changed message."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import assert_never

from recollect.consolidation.reconciliation import (
    AddFact,
    ContestMemory,
    ReconciliationDecision,
    ReinforceMemory,
    RepeatMemory,
    ReplaceMemory,
    is_related,
    reconcile,
    reinforce,
)
from recollect.consolidation.replay import (
    DERIVED_STATUSES,
    MemoryDiff,
    SimilarityFunction,
    StatedFact,
    diff_memories,
    is_user_owned,
    replay,
)
from recollect.domain.candidate import SearchFilter, Source
from recollect.domain.extraction import Extraction
from recollect.domain.memory import ChangeKind, Kind, Memory, MemoryStatus, Origin, SourceSpan
from recollect.domain.message import Message
from recollect.domain.outcomes import (
    AlreadyKnown,
    Conflicting,
    FactOutcome,
    New,
    PreviouslyForgotten,
    Reinforced,
    Superseded,
)
from recollect.domain.policy import ConsolidationPolicy
from recollect.domain.scope import Scope
from recollect.ports.clock import Clock, Ids
from recollect.ports.embedder import Vector
from recollect.ports.records import Extractions, Tombstones
from recollect.ports.search import Search
from recollect.ports.store import Memories, Messages

SOURCE_CHANGED_REASON = "a source message was changed"
#: Newest memories of the same kind that are compared by words, besides the nearest by cosine.
MAX_RECENT_OF_KIND = 100


@dataclass(frozen=True, slots=True, kw_only=True)
class Consolidator:
    """Reconcile facts inside the caller's transaction, so that two writers of the same fact create one memory."""

    memories: Memories
    tombstones: Tombstones
    search: Search
    clock: Clock

    def __call__(
        self,
        new_memory: Memory,
        policy: ConsolidationPolicy,
        *,
        negated: bool = False,
        vector: Vector | None = None,
        model: str | None = None,
    ) -> FactOutcome:
        scope = Scope(new_memory.user)
        if (existing_memory := self._find_already_learned(scope, new_memory)) is not None:
            return AlreadyKnown(memory=existing_memory, reason="already learned from this text")
        forgotten_at = self.tombstones.forgotten_at(new_memory.user, new_memory.fact_hash)
        if forgotten_at is not None and new_memory.last_stated_at <= forgotten_at:
            return PreviouslyForgotten(text=new_memory.text, reason="forgotten after it was mentioned")
        decision = reconcile(
            new_memory,
            negated=negated,
            identical=self.memories.by_hash(scope, new_memory.fact_hash),
            same_attribute=self.memories.by_attribute(scope, new_memory.attribute)
            if new_memory.attribute
            else (),
            similar=self.find_similar(scope, new_memory, policy, vector, model),
            policy=policy,
            now=self.clock.now(),
        )
        return self._apply(decision, new_memory)

    def neighbourhood(
        self,
        scope: Scope,
        memories: Sequence[Memory],
        new_memories: Sequence[Memory],
        policy: ConsolidationPolicy,
        vectors: Mapping[str, Vector],
        model: str | None,
    ) -> dict[str, Memory]:
        """Return these memories and all memories that could affect them or the new ones, by id."""
        neighbours = {m.id: m for m in self.memories.related(scope, [*memories, *new_memories])}
        for each in new_memories:
            close = self.find_similar(scope, each, policy, vectors.get(each.text), model)
            # A memory that is superseded now may have been active when this was stated.
            past = ((memory, None) for memory in self._recent_of_kind(scope, each.kind, status=None))
            for near, cosine in (*close, *past):
                if (
                    near.id not in neighbours
                    and near.status in DERIVED_STATUSES
                    and is_related(near, each, cosine, policy)
                ):
                    neighbours[near.id] = near
        return neighbours

    def keep_verbatim(self, new_memory: Memory) -> New | Reinforced:
        """Store a text unchanged, without looking for similar memories. Removes its tombstone."""
        self.tombstones.remove(new_memory.user, new_memory.fact_hash)
        stored_memory, is_new = self.memories.add(new_memory)
        if is_new:
            return New(memory=stored_memory)
        reinforced_memory = reinforce(stored_memory, new_memory, self.clock.now())
        return Reinforced(memory=self.memories.save(reinforced_memory, ChangeKind.REINFORCE))

    def _find_already_learned(self, scope: Scope, new_memory: Memory) -> Memory | None:
        """Return the memory that was already learned from the same source spans, if any."""
        sharing_messages = self.memories.of_messages(scope, [span.message_id for span in new_memory.spans])
        again = (
            m
            for m in sharing_messages
            if m.fact_hash == new_memory.fact_hash or m.attribute == new_memory.attribute is not None
        )
        return next((m for m in again if new_memory.spans and set(new_memory.spans) <= set(m.spans)), None)

    def find_similar(
        self,
        scope: Scope,
        new_memory: Memory,
        policy: ConsolidationPolicy,
        vector: Vector | None,
        model: str | None,
    ) -> Sequence[tuple[Memory, float | None]]:
        """Return similar memories: the nearest by cosine, then the newest of the same kind with None for the cosine."""
        similar: dict[str, tuple[Memory, float | None]] = {}
        if vector is not None and model is not None:
            search_filter = SearchFilter(sources=frozenset({Source.MEMORY}))
            hits = self.search.dense(
                scope, vector, model=model, limit=policy.compared_memories, search_filter=search_filter
            )
            loaded = self.search.load(scope, [hit.passage_id for hit in hits], search_filter=search_filter)
            for hit in hits:
                if hit.passage_id in loaded:
                    memory = self.memories.get(scope, loaded[hit.passage_id].id)
                    similar[memory.id] = (memory, hit.score)
        for memory in self._recent_of_kind(scope, new_memory.kind):
            similar.setdefault(memory.id, (memory, None))
        return list(similar.values())

    def _recent_of_kind(
        self, scope: Scope, kind: Kind, status: MemoryStatus | None = MemoryStatus.ACTIVE
    ) -> list[Memory]:
        """Return the newest memories of a kind; events and goals together, since an event can fulfil a goal."""
        kinds = (Kind.EVENT, Kind.GOAL) if kind in {Kind.EVENT, Kind.GOAL} else (kind,)
        return [
            memory
            for each in kinds
            for memory in self.memories.list(scope, kind=each, status=status, limit=MAX_RECENT_OF_KIND)
        ]

    def _apply(self, decision: ReconciliationDecision, new_memory: Memory) -> FactOutcome:
        match decision:
            case AddFact(memory=memory):
                self.tombstones.remove(memory.user, memory.fact_hash)
                return New(memory=self.memories.add(memory)[0])
            case RepeatMemory(memory=memory):
                return AlreadyKnown(memory=memory, reason="the assistant repeated a known memory")
            case ReinforceMemory(memory=memory):
                return Reinforced(memory=self.memories.save(memory, ChangeKind.REINFORCE))
            case ReplaceMemory(memory=memory, old=old) if old.id == new_memory.id:
                self.memories.add(old)
                return Superseded(memory=memory, old=old)
            case ReplaceMemory(memory=memory, old=old):
                ended = self.memories.save(old, ChangeKind.SUPERSEDE, reason=old.reason)
                added = self.memories.add(memory)[0] if memory is not None else None
                return Superseded(memory=added, old=ended)
            case ContestMemory(memory=memory, against=against):
                return Conflicting(memory=self.memories.add(memory)[0], against=against)
            case _:
                assert_never(decision)


@dataclass(frozen=True, slots=True, kw_only=True)
class ReplaySet:
    """Memories that depend on each other, and all facts stated about them, oldest first."""

    members: tuple[Memory, ...]
    derived_ids: frozenset[str]  #: memories that are recomputed from the stated facts
    user_owned_ids: frozenset[str]  #: memories that the user wrote, corrected, pinned or restored
    stated_facts: tuple[StatedFact, ...]

    @property
    def texts(self) -> list[str]:
        fact_texts = (stated_fact.memory.text for stated_fact in self.stated_facts)
        return list(dict.fromkeys((*fact_texts, *(memory.text for memory in self.members))))


@dataclass(frozen=True, slots=True, kw_only=True)
class Replayer:
    """Recompute memories after a message was edited, deleted or learned out of order; see `replay.py`."""

    consolidator: Consolidator
    memories: Memories
    messages: Messages
    extractions: Extractions
    tombstones: Tombstones
    clock: Clock
    ids: Ids

    def collect(
        self,
        scope: Scope,
        policy: ConsolidationPolicy,
        *,
        seeds: Sequence[Memory],
        stated_facts: Sequence[StatedFact] = (),
        excluded_messages: frozenset[str] = frozenset(),
        vectors: Mapping[str, Vector],
        model: str | None,
    ) -> ReplaySet:
        """Return the transitive closure of the memories and facts that a change affects."""
        replay_set = ReplaySet(
            members=tuple(seeds),
            derived_ids=frozenset(),
            user_owned_ids=frozenset(),
            stated_facts=tuple(stated_facts),
        )
        while True:
            new_memories = [stated_fact.memory for stated_fact in replay_set.stated_facts]
            neighbourhood = self.consolidator.neighbourhood(
                scope, replay_set.members, new_memories, policy, vectors, model
            )
            wider = self._load_replay_set(
                scope, list(neighbourhood.values()), stated_facts, excluded_messages
            )
            if len(wider.members) == len(replay_set.members) and len(wider.stated_facts) == len(
                replay_set.stated_facts
            ):
                return wider
            replay_set = wider

    def __call__(
        self,
        scope: Scope,
        replay_set: ReplaySet,
        policy: ConsolidationPolicy,
        *,
        excluded_messages: frozenset[str] = frozenset(),
        similarity: SimilarityFunction,
    ) -> MemoryDiff:
        """
        Replay the set without the facts of `excluded_messages`, write the difference and return it.

        User-owned memories stay as they are. Archived and forgotten memories keep their status as long as they have a
        source.
        """
        remaining = [
            _without_messages(m, excluded_messages)
            for m in replay_set.members
            if m.id not in replay_set.derived_ids
        ]
        initial_memories = [m for m in remaining if m.spans or m.id in replay_set.user_owned_ids]
        hashes = {stated_fact.memory.fact_hash for stated_fact in replay_set.stated_facts}
        forgotten_at = {each: self.tombstones.forgotten_at(scope.user, each) for each in hashes}
        after = replay(
            initial_memories,
            replay_set.stated_facts,
            forgotten_at={each: at for each, at in forgotten_at.items() if at is not None},
            similarity=similarity,
            policy=policy,
            now=self.clock.now(),
        )
        diff = diff_memories(replay_set.members, after)
        self._write(scope, diff)
        return diff

    def _load_replay_set(
        self,
        scope: Scope,
        members: Sequence[Memory],
        stated_facts: Sequence[StatedFact],
        excluded_messages: frozenset[str],
    ) -> ReplaySet:
        extractions = {
            message_id: self.extractions.get(scope, message_id)
            for message_id in {span.message_id for memory in members for span in memory.spans}
        }
        user_owned_ids = frozenset(m.id for m in members if self._is_user_owned(scope, m))
        derived = [m for m in members if m.id not in user_owned_ids and _is_derived(m, extractions)]
        origins = {span: memory.origin for memory in derived for span in memory.spans}
        new_spans = {stated_fact.memory.spans for stated_fact in stated_facts}
        message_ids = {span.message_id for span in origins} - excluded_messages | {
            s.message_id for (s,) in new_spans
        }
        replayed_facts = [
            stated_fact
            for message in self.messages.get_many(scope, sorted(message_ids))
            for stated_fact in (
                *self._stated_facts(message, extractions.get(message.id), origins, new_spans),
                *(each for each in stated_facts if each.memory.spans[0].message_id == message.id),
            )
        ]
        return ReplaySet(
            members=tuple(members),
            derived_ids=frozenset(m.id for m in derived),
            user_owned_ids=user_owned_ids,
            stated_facts=tuple(replayed_facts),
        )

    def _stated_facts(
        self,
        message: Message,
        extraction: Extraction | None,
        origins: Mapping[SourceSpan, Origin],
        new_spans: Collection[tuple[SourceSpan, ...]],
    ) -> Iterator[StatedFact]:
        for fact in extraction.facts if extraction else ():
            span = SourceSpan(message_id=message.id, start=fact.start, end=fact.end)
            if span in origins and (span,) not in new_spans:
                now = self.clock.now()
                yield StatedFact.from_fact(message, fact, origins[span], memory_id=self.ids.new(), now=now)

    def _is_user_owned(self, scope: Scope, memory: Memory) -> bool:
        history = self.memories.history(scope, memory.id) if memory.version > 1 else ()
        return is_user_owned(memory, [version.change for version in history])

    def _write(self, scope: Scope, diff: MemoryDiff) -> None:
        for memory in diff.to_delete:
            self.memories.erase(scope, memory.id)
        # Deactivate before activating: the store allows one active memory per text (`memories_once`).
        for memory in sorted(diff.to_update, key=lambda m: m.status is MemoryStatus.ACTIVE):
            kind = ChangeKind.SUPERSEDE if memory.status is MemoryStatus.SUPERSEDED else ChangeKind.REPLAY
            self.memories.save(
                memory, kind, reason=SOURCE_CHANGED_REASON if kind is ChangeKind.REPLAY else memory.reason
            )
        for memory in diff.to_add:
            self.memories.add(memory)


def _is_derived(memory: Memory, extractions: Mapping[str, Extraction | None]) -> bool:
    """Whether the memory can be recomputed: all its sources have stored extractions."""
    span_extractions = [extractions.get(span.message_id) for span in memory.spans]
    return memory.status in DERIVED_STATUSES and bool(span_extractions) and None not in span_extractions


def _without_messages(memory: Memory, excluded_messages: frozenset[str]) -> Memory:
    return replace(memory, spans=tuple(s for s in memory.spans if s.message_id not in excluded_messages))
