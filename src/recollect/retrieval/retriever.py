"""Recall: from a question to the few passages that bear on it, and what became of the others."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import partial

from recollect.domain.candidate import Candidate, Reach, Recollection, Source
from recollect.domain.memory import Memory
from recollect.domain.policy import Policy
from recollect.domain.scope import Scope
from recollect.errors import ProviderError, StoreError
from recollect.ports.clock import Clock
from recollect.ports.embedder import Embedder
from recollect.ports.executor import Meanwhile, later
from recollect.ports.reranker import Reranker
from recollect.ports.search import Search
from recollect.ports.store import Memories
from recollect.retrieval import evidence, query_expansion, ranking
from recollect.retrieval.query_features import asked
from recollect.retrieval.search_plan import FACTS, SOURCES, WORDS, Look, if_too_little, in_any_case
from recollect.retrieval.search_state import Errand, LookUp, Recalled
from recollect.retrieval.topics import topic
from recollect.text.dates import Stretch
from recollect.text.identifiers import identifiers
from recollect.text.tokens import estimate

SPOKEN = frozenset({Source.MESSAGE})
#: Messages of a time that the question names which are looked at, the newest first.
OF_THEN = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class RecallStep:
    search: Search
    memories: Memories
    embedder: Embedder | None
    clock: Clock
    reranker: Reranker | None = None
    meanwhile: Meanwhile = later

    def __call__(
        self,
        scope: Scope,
        question: str,
        policy: Policy,
        *,
        visible: frozenset[str] = frozenset(),
        sent: frozenset[str] = frozenset(),
        cliff: float = 0.0,
        as_of: datetime | None = None,
    ) -> Recalled:
        """
        `visible` are messages the model sees anyway, `sent` those that stand in the prompt word for word and take
        nobody's place here; `cliff` is the share of the best score that is asked for.
        """
        errand = self._errand(scope, question, policy, visible | sent, as_of)
        if not errand.question:
            return Recalled()
        self._begin_with_words(errand)
        self._embed(errand)
        now = as_of or self.clock.now()
        with self.search.one_moment():
            spare = FACTS if self._search(errand) else frozenset()
            told = errand.drop(sent)
            errand.fade(now, policy.decay)
            ranked = self._ranked(errand, now=now)
        begun = self.clock.monotonic()
        related, beyond = ranking.related(ranked, errand.floor, spare=spare)
        near, far = ranking.above_cliff(related, cliff, spare=spare)
        single, doubled = ranking.collapsed(near)
        errand.spend("rank_ms", self.clock.monotonic() - begun)
        kept, dropped = ranking.cut(self._reread(errand, single), policy.recall)
        kept = kept or self._recent(errand)
        return Recalled(
            kept=tuple(kept),
            dropped=(*dropped, *doubled, *far, *beyond, *told),
            degraded=tuple(errand.degraded),
            sources=errand.sources,
            timings=errand.timings,
        )

    def _search(self, errand: Errand) -> bool:
        """Take what may bear on the question; whether there were so few memories that all were taken."""
        if errand.policy.ranker == "importance":
            self._take_the_important(errand)
        else:
            self._climb(errand)
            if not errand.found and errand.reach.kinds:
                # Nothing of the kinds that its topic asks for: whatever there is may do.
                errand.reach = replace(errand.reach, kinds=frozenset())
                self._climb(errand)
        return self._take_all_if_few(errand)

    def _errand(
        self, scope: Scope, question: str, whole: Policy, visible: frozenset[str], as_of: datetime | None
    ) -> Errand:
        policy = whole.recall
        about = topic(question) if policy.topics else None
        return Errand(
            scope=scope,
            question=query_expansion.stripped(question),
            topic=about,
            policy=policy,
            across=whole.summaries.scope == "global",
            reach=Reach(
                sources=SOURCES[policy.sources],
                kinds=about.kinds if about else frozenset(),
                chats=policy.chats,
                importance_floor=policy.importance_floor,
                as_of=as_of,
            ),
            floor=policy.floor,
            visible=visible,
        )

    def _embed(self, errand: Errand) -> None:
        if self.embedder is None:
            errand.degrade("lexical only: no embedder is configured")
            return
        text = errand.question
        if errand.policy.expand:
            text = query_expansion.expanded(text, longest=errand.policy.expand_chars)
        if errand.topic is not None:
            text = " ".join((text, *errand.topic.words))
        begun = self.clock.monotonic()
        try:
            errand.vector = self.embedder.embed_query(text)
            if errand.floor < 0:
                errand.floor = self.embedder.floor
        except ProviderError as error:
            errand.degrade(f"lexical only: {error}")
        errand.spend("embed_ms", self.clock.monotonic() - begun)

    def _begin_with_words(self, errand: Errand) -> None:
        """
        While the model reads the question, its words can be looked up: a moment earlier than all the rest, which does
        no harm, since what they point at is read later.
        """
        if self.embedder is not None and errand.policy.hybrid and errand.policy.ranker != "importance":
            for look in in_any_case(errand.scope, errand.policy, across=errand.across):
                reach = errand.among(look.sources)
                errand.begun[look.scope, reach] = self.meanwhile(self._by_words(errand, look.scope, reach))

    def _by_words(self, errand: Errand, scope: Scope, reach: Reach) -> LookUp:
        return partial(self.search.lexical, scope, errand.question, limit=errand.fetch, reach=reach)

    def _climb(self, errand: Errand) -> None:
        """This chat first; everything else when it gave too little, or always, or never: as the policy says."""
        here = 0
        for look in in_any_case(errand.scope, errand.policy, across=errand.across):
            found = self._gather(errand, look)
            if look.scope.chat is not None:
                here += errand.bearing(found)
        if here < errand.policy.reach_below:
            for look in if_too_little(errand.scope, errand.policy, across=errand.across):
                self._gather(errand, look)

    def _gather(self, errand: Errand, look: Look) -> Collection[Candidate]:
        """Ask both channels side by side; a passage that only one of them knows is as good as any."""
        scope, reach = look.scope, errand.among(look.sources)
        dense = self._dense(errand, scope, reach)
        errand.count(f"{look.where}_dense", len(dense))
        lexical = self._lexical(errand, scope, reach) if errand.policy.hybrid or errand.vector is None else {}
        errand.count("lexical", len(lexical))
        dense |= self._cosines(errand, scope, [passage for passage in lexical if passage not in dense])
        loaded = self.search.load(
            scope,
            {*dense, *lexical},
            reach=reach,
            dense=dense,
            lexical=lexical,
            beside=errand.policy.ranker == "evidence",
        )
        errand.numbers.update((candidate.key, passage) for passage, candidate in loaded.items())
        if Source.SUMMARY in look.sources:
            errand.count("summaries", sum(c.source is Source.SUMMARY for c in loaded.values()))
        errand.take(loaded.values())
        return loaded.values()

    def _dense(self, errand: Errand, scope: Scope, reach: Reach) -> dict[int, float]:
        if errand.vector is None or self.embedder is None:
            return {}
        begun = self.clock.monotonic()
        try:
            hits = self.search.dense(
                scope,
                errand.vector,
                model=self.embedder.model_id,
                limit=errand.fetch,
                reach=reach,
                middle=errand.middle,
            )
        except StoreError as error:
            errand.degrade(f"lexical only: {error}")
            # Without it the words are asked, whatever the policy says, and no cosine is looked up.
            errand.vector = None
            return {}
        errand.spend("dense_ms", self.clock.monotonic() - begun)
        return {hit.passage: hit.score for hit in hits}

    def _cosines(self, errand: Errand, scope: Scope, passages: Collection[int]) -> dict[int, float]:
        if not passages or errand.vector is None or self.embedder is None:
            return {}
        return self.search.cosines(
            scope, list(passages), errand.vector, model=self.embedder.model_id, middle=errand.middle
        )

    def _lexical(self, errand: Errand, scope: Scope, reach: Reach) -> dict[int, float]:
        begun = self.clock.monotonic()
        try:
            look_up = errand.begun.get((scope, reach)) or self._by_words(errand, scope, reach)
            hits = look_up()
        except StoreError as error:
            errand.degrade(f"dense only: {error}")
            return {}
        errand.spend("lexical_ms", self.clock.monotonic() - begun)
        if hits and (errand.by_words is None or hits[0].score > errand.by_words.score):
            errand.by_words = hits[0]
        return {hit.passage: hit.score for hit in hits}

    def _ranked(self, errand: Errand, *, now: datetime) -> list[Recollection]:
        policy, floor = errand.policy, errand.floor
        if policy.ranker == "evidence":
            question = asked(errand.question, now)
            self._take_of_then(errand, question.times)
            around = self._look_around(errand)
            begun = self.clock.monotonic()
            ranked = evidence.rank(
                list(errand.found.values()),
                around,
                question=question,
                now=now,
                policy=policy,
                scale=errand.scale,
            )
        else:
            begun = self.clock.monotonic()
            named = identifiers(errand.question)
            ranked = ranking.rank(errand.found.values(), named=named, now=now, policy=policy, floor=floor)
        errand.spend("rank_ms", self.clock.monotonic() - begun)
        return ranked

    def _reread(self, errand: Errand, ranked: list[Recollection]) -> list[Recollection]:
        """The first of them once more, each together with the question, as far as the time allows."""
        policy, first = errand.policy, ranked[: errand.policy.rerank]
        if self.reranker is None or not first:
            return ranked
        begun = self.clock.monotonic()
        try:
            texts = [recollection.candidate.text for recollection in first]
            scores = self.reranker.scores(errand.question, texts, deadline=policy.rerank_ms / 1000)
        except ProviderError as error:
            errand.degrade(f"not read again: {error}")
            return ranked
        finally:
            errand.spend("reread_ms", self.clock.monotonic() - begun)
        if None in scores:
            errand.degrade(f"{scores.count(None)} of {len(first)} not read again in {policy.rerank_ms} ms")
        return ranking.reread(ranked, scores, policy.reread)

    def _look_around(self, errand: Errand) -> evidence.Around:
        """Which messages stand beside those found; beside the most promising ones they are taken as well."""
        begun = self.clock.monotonic()
        promising = evidence.first_look(list(errand.found.values()), errand.scale, errand.policy)
        places = [c.place for c in promising if c.place][: errand.around]
        beside = {each for place in places for each in (place.before, place.after) if each is not None}
        self._take_beside(errand, beside - set(errand.numbers.values()))
        errand.spend("around_ms", self.clock.monotonic() - begun)
        return evidence.surroundings(errand.found.values())

    def _take_of_then(self, errand: Errand, times: Sequence[Stretch]) -> None:
        """What was said at a time that the question names may share nothing else with it."""
        if errand.vector is None or self.embedder is None or not WORDS & errand.reach.sources:
            return
        begun = self.clock.monotonic()
        scope = errand.scope if errand.policy.reach == "never" else errand.scope.everything
        for time in times:
            said = self.search.said(scope, time.begins_at, time.ends_at, limit=OF_THEN)
            new = list(set(said) - set(errand.numbers.values()))
            cosines = self._cosines(errand, scope, new)
            nearest = dict(sorted(cosines.items(), key=lambda each: -each[1])[: errand.around])
            self._take(errand, scope, nearest, nearest, "then", beside=True)
        errand.spend("around_ms", self.clock.monotonic() - begun)

    def _take_beside(self, errand: Errand, passages: Collection[int]) -> None:
        if not passages:
            return
        scope = errand.scope.everything
        self._take(errand, scope, passages, self._cosines(errand, scope, passages), "neighbours")

    def _take(
        self,
        errand: Errand,
        scope: Scope,
        passages: Collection[int],
        cosines: Mapping[int, float],
        where: str,
        *,
        beside: bool = False,
    ) -> None:
        """Take messages that neither channel brought."""
        reach = errand.among(SPOKEN)
        loaded = self.search.load(scope, passages, reach=reach, dense=cosines, beside=beside)
        errand.numbers.update((candidate.key, passage) for passage, candidate in loaded.items())
        errand.count(where, len(loaded))
        errand.take(loaded.values())

    def _take_the_important(self, errand: Errand) -> None:
        scope = errand.scope.everything
        hits = self.search.important(scope, limit=errand.fetch, reach=errand.reach)
        errand.count("important", len(hits))
        loaded = self.search.load(scope, [hit.passage for hit in hits], reach=errand.reach)
        # What is important in this chat is shown by its own tier.
        elsewhere = [c for c in loaded.values() if c.chat is None or c.chat != errand.scope.chat]
        errand.take(elsewhere)

    def _take_all_if_few(self, errand: Errand) -> bool:
        """A handful of memories is used whole: there is too little to search in."""
        most = errand.policy.small_set
        scope = errand.scope.everything
        if not most or Source.MEMORY not in errand.reach.sources or errand.reach.as_of is not None:
            return False
        if not 0 < self.memories.count(scope, most=most + 1) <= most:
            return False
        errand.take([_candidate(memory) for memory in self.memories.list(scope, limit=most)])
        return True

    def _recent(self, errand: Errand) -> list[Recollection]:
        """What stands in when nothing was found."""
        if errand.policy.empty == "none" or Source.MEMORY not in errand.reach.sources:
            return []
        recent = self.memories.list(errand.scope.everything, limit=errand.policy.recent)
        errand.count("recent", len(recent))
        return [Recollection(candidate=_candidate(memory), score=0.0) for memory in recent]


def _candidate(memory: Memory) -> Candidate:
    return Candidate(
        source=Source.MEMORY,
        id=memory.id,
        chat=memory.chat,
        role=memory.speaker,
        text=memory.text,
        created_at=memory.created_at,
        seen_at=memory.seen_at,
        tokens=estimate(memory.text),
        kind=memory.kind,
        weight=memory.weight,
        importance=memory.importance,
        pinned=memory.pinned,
    )
