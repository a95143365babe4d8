"""The gardener: what was not said again grows light and is put away, and what says the same becomes one."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import UTC, datetime

from recollect.consolidation.similarity.duplicates import broader, same
from recollect.domain.decay import WEEK
from recollect.domain.event import Action, Step
from recollect.domain.maintenance import Merged, PutAway, Tended
from recollect.domain.memory import Change, Memory, Standing
from recollect.domain.memory_details import Account, Point, Quote
from recollect.domain.policy import Policy
from recollect.domain.scope import Scope
from recollect.maintenance.decay import Keep as Stay
from recollect.maintenance.decay import Outlook, decayed, effective_weight, fate, forecast
from recollect.ports.store import ALL
from recollect.services.ingest import Listening
from recollect.services.memories import Steering

#: Memories compared with their neighbours in one go: a few seconds of work.
BATCH = 200
#: Recalls that an account of a memory tells of.
USES = 200
#: Points of the line along which it fades, before today and after.
POINTS = 12
#: Kept among the user's preferences: up to where memories were compared.
COMPARED = ".compared_until"


@dataclass(frozen=True, kw_only=True)
class Tending(Listening, Steering):
    def tend(self, scope: Scope, policy: Policy, *, dry_run: bool = False) -> Tended:
        """Do what is due in the garden, or only say what that would be."""
        scope, now = scope.everything, self.clock.now()
        known = self.store.memories.list(scope, limit=ALL)
        outlooks = [(memory, fate(memory, now, policy.decay)) for memory in known]
        due = [(memory, outlook) for memory, outlook in outlooks if not isinstance(outlook, Stay)]
        if not dry_run:
            for memory, _ in due:
                self._put_away(memory, policy)
        merged = tuple(self._merge_alike(scope, policy, {memory.id for memory, _ in due}, dry_run=dry_run))
        return Tended(
            at=now,
            put_away=tuple(PutAway(memory=memory, reason=_why(outlook)) for memory, outlook in due),
            merged=merged,
        )

    def foresee(self, scope: Scope, policy: Policy, *, weeks: int) -> Tended:
        """What will be put away within so many weeks if nothing is said again."""
        memories = self.store.memories.list(scope.everything, limit=ALL)
        lines = forecast(memories, self.clock.now(), weeks, policy.decay)
        return Tended(
            at=self.clock.now(),
            put_away=tuple(PutAway(memory=m, reason=_why(o), weeks=week) for week, m, o in lines),
        )

    def account(self, scope: Scope, memory_id: str, policy: Policy, *, weeks: int) -> Account:
        """What a memory rests on, when it was recalled, and how it fades within so many weeks."""
        memory, now = self.store.memories.get(scope, memory_id), self.clock.now()
        said = self.store.messages.in_order(scope.everything, [span.message_id for span in memory.spans])
        messages = {message.id: message for message in said}
        later = (now + week * WEEK for week in range(weeks + 1))
        leaves = next(
            ((at, why) for at in later if (why := _why(fate(memory, at, policy.decay)))), (None, None)
        )
        return Account(
            quotes=[
                Quote(message=messages[span.message_id], start=span.start, end=span.end)
                for span in memory.spans
                if span.message_id in messages
            ],
            uses=self.store.browsing.uses(scope, memory.id, limit=USES),
            fading=[
                Point(at=at, weight=effective_weight(memory, at, policy.decay))
                for at in _moments(memory.seen_at, now, weeks)
            ],
            archive_below=policy.decay.archive_below,
            leaves_at=leaves[0],
            reason=leaves[1],
        )

    def _put_away(self, memory: Memory, policy: Policy) -> None:
        """Each by itself: somebody may say it again at this moment, and then it stays."""
        with self.store.transaction():
            current = self.store.memories.get(Scope(memory.user), memory.id)
            after = decayed(current, self.clock.now(), policy.decay)
            if after.standing is not current.standing:
                self.store.memories.save(
                    replace(after, updated_at=self.clock.now()), Change.ARCHIVE, reason=after.reason
                )
                self.record(memory.user, Action.ARCHIVE, Step(memory_id=memory.id, before=current.version))

    def _merge_alike(
        self, scope: Scope, policy: Policy, leaving: set[str], *, dry_run: bool
    ) -> Iterator[Merged]:
        """Compare what is new since the last time with its neighbours."""
        batch = self._uncompared(scope)
        gone = set(leaving)
        model = self._model(scope.user)
        vectors = self.vectors(scope.user, [memory.text for memory in batch])
        for memory in batch:
            near = self.keep.near(scope, memory, policy.keep, vectors.get(memory.text), model)
            for other, cosine in near:
                if other.id == memory.id or {memory.id, other.id} & gone:
                    continue
                if same(other, memory, cosine, policy.keep):
                    kept = broader(memory, other)
                    lost = other if kept.id == memory.id else memory
                    gone.add(lost.id)
                    yield Merged(kept=kept, others=(lost,))
                    if not dry_run:
                        self._join(scope, kept.id, lost.id)
        if batch and not dry_run:
            last = f"{batch[-1].updated_at:%Y-%m-%dT%H:%M:%S.%f}"
            self.store.preferences.set(scope.user, COMPARED, last, now=self.clock.now())

    def _join(self, scope: Scope, kept_id: str, lost_id: str) -> None:
        with self.store.transaction():
            kept = self.store.memories.get(scope, kept_id)
            lost = self.store.memories.get(scope, lost_id)
            if kept.standing is lost.standing is Standing.ACTIVE:
                self.join(kept, [lost])

    def _uncompared(self, scope: Scope) -> list[Memory]:
        last = self.store.preferences.all(scope.user).get(COMPARED)
        since = datetime.fromisoformat(last).replace(tzinfo=UTC) if last else None
        known = self.store.memories.list(scope, limit=ALL)
        new = [memory for memory in known if since is None or memory.updated_at > since]
        return sorted(new, key=lambda memory: (memory.updated_at, memory.id))[:BATCH]


def _moments(begun: datetime, now: datetime, weeks: int) -> Iterator[datetime]:
    """From when it was last said until so many weeks from now, evenly, today among them."""
    yield from (begun + (now - begun) * step / POINTS for step in range(POINTS) if now > begun)
    yield from (now + weeks * WEEK * step / POINTS for step in range(POINTS + 1))


def _why(outlook: Outlook) -> str:
    return "" if isinstance(outlook, Stay) else outlook.reason
