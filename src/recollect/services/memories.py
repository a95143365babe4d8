"""The user decides: what is remembered can be corrected, put away, forgotten, and all of it undone."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from recollect.consolidation.similarity.duplicates import broader, fused
from recollect.domain.event import Action, Event, Step
from recollect.domain.memory import Change, Memory, Standing
from recollect.domain.policy import Policy
from recollect.domain.scope import Scope
from recollect.errors import InvalidInput, NotFound, Refused
from recollect.ingestion.normalization import clean
from recollect.ports.store import ALL
from recollect.services.base import Core
from recollect.services.ingest import EMBED

#: Not in use, but can be again.
AWAY = frozenset({Standing.ARCHIVED, Standing.FORGOTTEN, Standing.QUARANTINED, Standing.CONTESTED})
WAITING = frozenset({Standing.QUARANTINED, Standing.CONTESTED})
#: What becomes of memories that the user takes away.
TAKEN = {
    Action.FORGET: (Standing.FORGOTTEN, Change.DELETE),
    Action.ARCHIVE: (Standing.ARCHIVED, Change.ARCHIVE),
}
BY_THE_USER = "by the user"
MERGED = "merged into {!r}"


@dataclass(frozen=True, kw_only=True)
class Steering(Core):
    def correct(self, scope: Scope, memory_id: str, text: str, policy: Policy) -> Memory:
        """Replace what a memory says; its old words stay in its history."""
        cleaned = clean(text, largest=policy.collect.largest_message).strip()
        with self.store.transaction():
            memory = self.store.memories.get(scope, memory_id)
            saved = self._change(replace(memory, text=cleaned), Change.UPDATE, Action.EDIT)
            self.store.jobs.enqueue(scope.user, EMBED, now=self.clock.now())
        return saved

    def retag(self, scope: Scope, memory_id: str, tags: Sequence[str]) -> Memory:
        """Give a memory other tags."""
        with self.store.transaction():
            memory = self.store.memories.get(scope, memory_id)
            return self._change(replace(memory, tags=tuple(tags)), Change.UPDATE, Action.EDIT)

    def forget(self, scope: Scope, memory_id: str) -> Memory:
        """Take a memory out of use. Its history can still be read, and it does not come back by itself."""
        [gone] = self.take_away(scope, [memory_id], Action.FORGET)
        return gone

    def forget_all(self, scope: Scope) -> int:
        """Take every memory of a user out of use; return how many there were."""
        with self.store.transaction():
            known = self.store.memories.list(scope.everything, limit=ALL)
            for memory in known:
                self.forget(scope, memory.id)
        return len(known)

    def archive(self, scope: Scope, memory_id: str) -> Memory:
        """Put a memory away: it is not recalled, and can be brought back."""
        [away] = self.take_away(scope, [memory_id], Action.ARCHIVE)
        return away

    def take_away(self, scope: Scope, memory_ids: Sequence[str], action: Action) -> Sequence[Memory]:
        """Forget or archive several at once: that is one event, which is undone as one."""
        standing, change, now = *TAKEN[action], self.clock.now()
        with self.store.transaction():
            chosen = {m.id: m for m in (self.store.memories.get(scope, each) for each in memory_ids)}
            leaving = [memory for memory in chosen.values() if memory.standing is not standing]
            for memory in leaving:
                if standing is Standing.FORGOTTEN:
                    self.store.tombstones.add(scope.user, memory.fact_hash, now=now)
                away = replace(memory, standing=standing, reason=BY_THE_USER, updated_at=now)
                chosen[memory.id] = self.store.memories.save(away, change, reason=BY_THE_USER)
            if leaving:
                self.record(scope.user, action, *(Step(memory_id=m.id, before=m.version) for m in leaving))
        return list(chosen.values())

    def restore(self, scope: Scope, memory_id: str) -> Memory:
        """Bring back what was put away or forgotten, or accept what waits for a decision."""
        with self.store.transaction():
            memory = self.store.memories.get(scope, memory_id)
            if memory.standing not in AWAY:
                raise InvalidInput(
                    f"Memory {memory.id} is {memory.standing}: there is nothing to bring back."
                )
            self.store.tombstones.remove(scope.user, memory.fact_hash)
            back = replace(memory, standing=Standing.ACTIVE, reason=None, seen_at=self.clock.now())
            action = Action.ACCEPT if memory.standing in WAITING else Action.RESTORE
            steps = self._make_room(memory) if memory.standing is Standing.CONTESTED else ()
            return self._change(back, Change.RESTORE, action, *steps)

    def pin(self, scope: Scope, memory_id: str, *, pinned: bool = True) -> Memory:
        """Keep a memory from fading, or let it fade again."""
        with self.store.transaction():
            memory = self.store.memories.get(scope, memory_id)
            return self._change(replace(memory, pinned=pinned), Change.UPDATE, Action.PIN)

    def merge(self, scope: Scope, memory_ids: Sequence[str]) -> Memory:
        """Make one memory of several: the one that says most, with the sources of all of them."""
        with self.store.transaction():
            chosen = {m.id: m for m in (self.store.memories.get(scope, each) for each in memory_ids)}
            if len(chosen) < 2:
                raise InvalidInput("It takes at least two memories to make one of them.")
            first, *others = chosen.values()
            best = first
            for other in others:
                best = broader(best, other)
            return self.join(best, [m for m in chosen.values() if m.id != best.id])

    def join(self, kept: Memory, others: Sequence[Memory]) -> Memory:
        """Let one memory take in others, which stay in history. Called inside a transaction."""
        now, whole = self.clock.now(), kept
        for other in others:
            whole = replace(fused(whole, other, now), id=kept.id, version=kept.version, text=kept.text)
        steps = []
        for other in others:
            ended = replace(
                other,
                standing=Standing.SUPERSEDED,
                superseded_by=kept.id,
                reason=MERGED.format(kept.text),
                updated_at=now,
            )
            self.store.memories.save(ended, Change.MERGE, reason=ended.reason)
            steps.append(Step(memory_id=other.id, before=other.version))
        return self._change(whole, Change.MERGE, Action.MERGE, *steps)

    def undo(self, scope: Scope, event_id: str | None = None) -> Event:
        """Take back the last thing that was done to memories, or a certain one; return what was taken back."""
        with self.store.transaction():
            event = self.store.events.get(scope, event_id) if event_id else self._last(scope)
            if event.undone:
                raise InvalidInput(f"Event {event.id} was undone already.")
            undone = tuple(self._undo(scope, step, event) for step in event.steps)
            self.store.events.mark_undone(scope, event.id)
            self.record(scope.user, Action.UNDO, *undone)
            self.store.jobs.enqueue(scope.user, EMBED, now=self.clock.now())
        return event

    def _undo(self, scope: Scope, step: Step, event: Event) -> Step:
        memory = self.store.memories.get(scope, step.memory_id)
        if not self._is_as_left(scope, memory, (step.before or 0) + 1):
            raise Refused(
                f"Memory {memory.id} was changed after this {event.action}. Undo the later change first:"
                " `recollect undo --list` shows it."
            )
        back = self._before(scope, memory, step)
        saved = replace(back, version=memory.version, updated_at=self.clock.now())
        self.store.memories.save(saved, Change.RESTORE, reason=f"undid {event.action}")
        return Step(memory_id=memory.id, before=memory.version)

    def _is_as_left(self, scope: Scope, memory: Memory, version: int) -> bool:
        """Whether a memory is what a change made of it, or is so again."""
        left = self.store.memories.at_version(scope, memory.id, version)
        same = replace(left, version=memory.version, updated_at=memory.updated_at, spans=memory.spans)
        return same == memory

    def _before(self, scope: Scope, memory: Memory, step: Step) -> Memory:
        """What it was before, which for what did not exist means forgotten."""
        if step.before is None:
            self.store.tombstones.add(scope.user, memory.fact_hash, now=self.clock.now())
            return replace(memory, standing=Standing.FORGOTTEN, reason="not wanted by the user")
        before = self.store.memories.at_version(scope, memory.id, step.before)
        if before.standing is Standing.ACTIVE:
            self.store.tombstones.remove(scope.user, before.fact_hash)
        return before

    def _last(self, scope: Scope) -> Event:
        events = self.store.events.list(scope, limit=ALL)
        found = next((event for event in events if self._can_be_undone(scope, event)), None)
        if found is None:
            raise NotFound("There is nothing to undo.")
        return found

    def _can_be_undone(self, scope: Scope, event: Event) -> bool:
        """What went with the message it was learned from is past undoing."""
        return (
            not event.undone
            and event.action is not Action.UNDO
            and all(self._is_there(scope, step.memory_id) for step in event.steps)
        )

    def _is_there(self, scope: Scope, memory_id: str) -> bool:
        try:
            self.store.memories.get(scope, memory_id)
        except NotFound:
            return False
        return True

    def _make_room(self, contested: Memory) -> tuple[Step, ...]:
        """Who accepts a contradiction gives up what it contradicts."""
        steps = []
        scope = Scope(contested.user)
        rivals = self.store.memories.by_attribute(scope, contested.attribute) if contested.attribute else ()
        for rival in rivals:
            ended = replace(
                rival,
                standing=Standing.SUPERSEDED,
                superseded_by=contested.id,
                valid_to=contested.valid_from or contested.seen_at,
                reason=f"superseded by {contested.text!r}",
                updated_at=self.clock.now(),
            )
            self.store.memories.save(ended, Change.SUPERSEDE, reason=ended.reason)
            steps.append(Step(memory_id=rival.id, before=rival.version))
        return tuple(steps)

    def _change(self, memory: Memory, change: Change, action: Action, *further: Step) -> Memory:
        saved = self.store.memories.save(
            replace(memory, updated_at=self.clock.now()), change, reason=memory.reason
        )
        self.record(memory.user, action, Step(memory_id=memory.id, before=memory.version), *further)
        return saved
