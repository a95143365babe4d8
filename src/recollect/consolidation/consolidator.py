"""Keep: put a fact where it belongs among what is known."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import assert_never

from recollect.consolidation.reconciliation import (
    Contest,
    Decision,
    Echo,
    Join,
    Reinforce,
    Replace,
    decide,
    reinforced,
    related,
)
from recollect.consolidation.replay import HEARD, Difference, Likeness, Saying, difference, is_theirs, replay
from recollect.domain.candidate import Reach, Source
from recollect.domain.extraction import Judgement
from recollect.domain.memory import Change, Kind, Memory, Origin, Span, Standing
from recollect.domain.message import Message
from recollect.domain.outcomes import Buried, Contested, Kept, Known, New, Reinforces, Supersedes
from recollect.domain.policy import Keep
from recollect.domain.scope import Scope
from recollect.ports.clock import Clock, Ids
from recollect.ports.embedder import Vector
from recollect.ports.records import Judgements, Tombstones
from recollect.ports.search import Search
from recollect.ports.store import Memories, Messages

FOLLOWS = "a message it rests on was changed"
#: Memories of one kind that are compared word by word, besides the nearest by meaning.
KINDRED = 100


@dataclass(frozen=True, slots=True, kw_only=True)
class KeepStep:
    """Runs inside the transaction that stores the fact, so that two who say the same at once agree."""

    memories: Memories
    tombstones: Tombstones
    search: Search
    clock: Clock

    def __call__(
        self,
        said: Memory,
        policy: Keep,
        *,
        negated: bool = False,
        vector: Vector | None = None,
        model: str | None = None,
    ) -> Kept:
        scope = Scope(said.user)
        if (known := self._learned_already(scope, said)) is not None:
            return Known(memory=known, reason="already learned from these words")
        buried_at = self.tombstones.buried_at(said.user, said.fact_hash)
        if buried_at is not None and said.seen_at <= buried_at:
            return Buried(text=said.text, reason="it was forgotten after it was said")
        decision = decide(
            said,
            negated=negated,
            equal=self.memories.by_hash(scope, said.fact_hash),
            slot=self.memories.by_attribute(scope, said.attribute) if said.attribute else (),
            near=self.near(scope, said, policy, vector, model),
            policy=policy,
            now=self.clock.now(),
        )
        return self._apply(decision, said)

    def around(
        self,
        scope: Scope,
        memories: Sequence[Memory],
        said: Sequence[Memory],
        policy: Keep,
        vectors: Mapping[str, Vector],
        model: str | None,
    ) -> dict[str, Memory]:
        """These memories, and all that had or would have a say in them or in what is said now."""
        found = {m.id: m for m in self.memories.connected(scope, [*memories, *said])}
        for each in said:
            close = self.near(scope, each, policy, vectors.get(each.text), model)
            # What has lost its place since had one when this was said.
            past = ((memory, None) for memory in self._kindred(scope, each.kind, standing=None))
            for near, cosine in (*close, *past):
                if near.id not in found and near.standing in HEARD and related(near, each, cosine, policy):
                    found[near.id] = near
        return found

    def verbatim(self, said: Memory) -> New | Reinforces:
        """Keep a text as it is, whatever resembles it. Saying it anew digs up what was buried."""
        self.tombstones.remove(said.user, said.fact_hash)
        known, new = self.memories.add(said)
        if new:
            return New(memory=known)
        grown = reinforced(known, said, self.clock.now())
        return Reinforces(memory=self.memories.save(grown, Change.REINFORCE))

    def _learned_already(self, scope: Scope, said: Memory) -> Memory | None:
        """Learning from the same words twice teaches nothing."""
        resting = self.memories.of_messages(scope, [span.message_id for span in said.spans])
        again = (
            m for m in resting if m.fact_hash == said.fact_hash or m.attribute == said.attribute is not None
        )
        return next((m for m in again if said.spans and set(said.spans) <= set(m.spans)), None)

    def near(
        self, scope: Scope, said: Memory, policy: Keep, vector: Vector | None, model: str | None
    ) -> Sequence[tuple[Memory, float | None]]:
        """What resembles it: the nearest by meaning, with their cosine, then the newest of its kind."""
        found: dict[str, tuple[Memory, float | None]] = {}
        if vector is not None and model is not None:
            reach = Reach(sources=frozenset({Source.MEMORY}))
            hits = self.search.dense(scope, vector, model=model, limit=policy.similar_top_k, reach=reach)
            loaded = self.search.load(scope, [hit.passage for hit in hits], reach=reach)
            for hit in hits:
                if hit.passage in loaded:
                    memory = self.memories.get(scope, loaded[hit.passage].id)
                    found[memory.id] = (memory, hit.score)
        for memory in self._kindred(scope, said.kind):
            found.setdefault(memory.id, (memory, None))
        return list(found.values())

    def _kindred(self, scope: Scope, kind: Kind, standing: Standing | None = Standing.ACTIVE) -> list[Memory]:
        """The newest of a kind. What happened may be what somebody wanted, and the other way round."""
        kinds = (Kind.EVT, Kind.OBJ) if kind in {Kind.EVT, Kind.OBJ} else (kind,)
        return [
            memory
            for each in kinds
            for memory in self.memories.list(scope, kind=each, standing=standing, limit=KINDRED)
        ]

    def _apply(self, decision: Decision, said: Memory) -> Kept:
        match decision:
            case Join(memory=memory):
                self.tombstones.remove(memory.user, memory.fact_hash)
                return New(memory=self.memories.add(memory)[0])
            case Echo(memory=memory):
                return Known(memory=memory, reason="the assistant repeats what is known")
            case Reinforce(memory=memory):
                return Reinforces(memory=self.memories.save(memory, Change.REINFORCE))
            case Replace(memory=memory, old=old) if old.id == said.id:
                self.memories.add(old)
                return Supersedes(memory=memory, old=old)
            case Replace(memory=memory, old=old):
                ended = self.memories.save(old, Change.SUPERSEDE, reason=old.reason)
                kept = self.memories.add(memory)[0] if memory is not None else None
                return Supersedes(memory=kept, old=ended)
            case Contest(memory=memory, against=against):
                return Contested(memory=self.memories.add(memory)[0], against=against)
            case _:
                assert_never(decision)


@dataclass(frozen=True, slots=True, kw_only=True)
class Survey:
    """Memories that had a say in each other, and everything that was said of what they say, in order."""

    members: tuple[Memory, ...]
    derived: frozenset[str]  #: the ids of those that are just what was said
    theirs: frozenset[str]  #: the ids of those that the user wrote or made their own
    sayings: tuple[Saying, ...]

    @property
    def texts(self) -> list[str]:
        told = (saying.memory.text for saying in self.sayings)
        return list(dict.fromkeys((*told, *(memory.text for memory in self.members))))


@dataclass(frozen=True, slots=True, kw_only=True)
class RelearnStep:
    """Makes what is known follow what was said, when that changes after the fact or is heard out of order."""

    keep: KeepStep
    memories: Memories
    messages: Messages
    judgements: Judgements
    tombstones: Tombstones
    clock: Clock
    ids: Ids

    def survey(
        self,
        scope: Scope,
        policy: Keep,
        *,
        seeds: Sequence[Memory],
        said: Sequence[Saying] = (),
        without: frozenset[str] = frozenset(),
        vectors: Mapping[str, Vector],
        model: str | None,
    ) -> Survey:
        """All that a change reaches: from these seeds and sayings on until nothing more has to do with it."""
        survey = Survey(members=tuple(seeds), derived=frozenset(), theirs=frozenset(), sayings=tuple(said))
        while True:
            told = [saying.memory for saying in survey.sayings]
            around = self.keep.around(scope, survey.members, told, policy, vectors, model)
            wider = self._told(scope, list(around.values()), said, without)
            if len(wider.members) == len(survey.members) and len(wider.sayings) == len(survey.sayings):
                return wider
            survey = wider

    def __call__(
        self,
        scope: Scope,
        survey: Survey,
        policy: Keep,
        *,
        without: frozenset[str] = frozenset(),
        likeness: Likeness,
    ) -> Difference:
        """
        Work out anew what the members come to; messages in `without` no longer count. What is the user's own stays
        as it is, and what was put away stays away as long as anything speaks for it.
        """
        left = [_unsaid(m, without) for m in survey.members if m.id not in survey.derived]
        stays = [m for m in left if m.spans or m.id in survey.theirs]
        hashes = {saying.memory.fact_hash for saying in survey.sayings}
        buried = {each: self.tombstones.buried_at(scope.user, each) for each in hashes}
        after = replay(
            stays,
            survey.sayings,
            buried={each: at for each, at in buried.items() if at is not None},
            likeness=likeness,
            policy=policy,
            now=self.clock.now(),
        )
        change = difference(survey.members, after)
        self._write(scope, change)
        return change

    def _told(
        self, scope: Scope, members: Sequence[Memory], said: Sequence[Saying], without: frozenset[str]
    ) -> Survey:
        judged = {
            message_id: self.judgements.get(scope, message_id)
            for message_id in {span.message_id for memory in members for span in memory.spans}
        }
        theirs = frozenset(m.id for m in members if self._is_theirs(scope, m))
        derived = [m for m in members if m.id not in theirs and _is_heard(m, judged)]
        origins = {span: memory.origin for memory in derived for span in memory.spans}
        new = {saying.memory.spans for saying in said}
        wanted = {span.message_id for span in origins} - without | {s.message_id for (s,) in new}
        sayings = [
            saying
            for message in self.messages.in_order(scope, sorted(wanted))
            for saying in (
                *self._facts(message, judged.get(message.id), origins, new),
                *(each for each in said if each.memory.spans[0].message_id == message.id),
            )
        ]
        return Survey(
            members=tuple(members),
            derived=frozenset(m.id for m in derived),
            theirs=theirs,
            sayings=tuple(sayings),
        )

    def _facts(
        self,
        message: Message,
        judged: Judgement | None,
        origins: Mapping[Span, Origin],
        new: Collection[tuple[Span, ...]],
    ) -> Iterator[Saying]:
        for fact in judged.facts if judged else ():
            span = Span(message_id=message.id, start=fact.start, end=fact.end)
            if span in origins and (span,) not in new:
                now = self.clock.now()
                yield Saying.of(message, fact, origins[span], name=self.ids.new(), now=now)

    def _is_theirs(self, scope: Scope, memory: Memory) -> bool:
        history = self.memories.history(scope, memory.id) if memory.version > 1 else ()
        return is_theirs(memory, [version.change for version in history])

    def _write(self, scope: Scope, change: Difference) -> None:
        for memory in change.gone:
            self.memories.erase(scope, memory.id)
        # What loses its place must have lost it before another takes it.
        for memory in sorted(change.changed, key=lambda m: m.standing is Standing.ACTIVE):
            kind = Change.SUPERSEDE if memory.standing is Standing.SUPERSEDED else Change.RELEARN
            self.memories.save(memory, kind, reason=FOLLOWS if kind is Change.RELEARN else memory.reason)
        for memory in change.new:
            self.memories.add(memory)


def _is_heard(memory: Memory, judged: Mapping[str, Judgement | None]) -> bool:
    """Whether it can be worked out from what was said."""
    known = [judged.get(span.message_id) for span in memory.spans]
    return memory.standing in HEARD and bool(known) and None not in known


def _unsaid(memory: Memory, without: frozenset[str]) -> Memory:
    return replace(memory, spans=tuple(s for s in memory.spans if s.message_id not in without))
