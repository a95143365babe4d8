"""Recall gets better by what the user says of it: opinions, labels, and numbers that were chosen by them."""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime

from recollect.domain.candidate import Source
from recollect.domain.feedback import Label, Opinion
from recollect.domain.policy import Policy, Recall
from recollect.domain.receipt import Item, Receipt
from recollect.domain.scope import Scope
from recollect.domain.tuning import Tuned
from recollect.errors import InvalidInput, NotFound, ProviderError, Refused
from recollect.ports.executor import later
from recollect.retrieval import ranking
from recollect.retrieval.retriever import RecallStep
from recollect.retrieval.weight_tuning import (
    FEWEST,
    TUNED,
    Numbers,
    Sheet,
    aged,
    mixture,
    quality,
    sheet,
    tuned,
    with_numbers,
)
from recollect.services.recall import Recalling
from recollect.services.search_cache import RehearsedEmbedder, RehearsedSearch, StoppedClock

#: Opinions that are looked at; more than anybody gives.
ALL = 100_000
#: Kept among the user's preferences: what the last tuning replaced, and each result by its name.
BEFORE_TUNING = ".before_tuning"
TUNING = ".tuning."


@dataclass(frozen=True, slots=True, kw_only=True)
class _Rehearsal:
    """One labelled question, ready to be asked with any numbers."""

    scope: Scope
    label: Label
    policy: Policy
    step: RecallStep
    spare: frozenset[Source]

    def __call__(self, numbers: Numbers) -> Sheet:
        policy = replace(self.policy, recall=with_numbers(self.policy.recall, numbers))
        recalled = self.step(self.scope, self.label.query, policy)
        if recalled.degraded and self.step.embedder is not None:
            raise ProviderError(
                f"Tuning needs a search that works as a whole, and this one did not: {recalled.degraded[0]}"
            )
        # What stands in when nothing was found has no parts, and no place in any order.
        found = [each for each in (*recalled.kept, *(r for r, _ in recalled.dropped)) if each.parts]
        related, _ = ranking.related(found, self._floor, spare=self.spare)
        return sheet(related, self.label)

    @property
    def _floor(self) -> float:
        given = self.policy.recall.floor
        return self.step.embedder.floor if given < 0 and self.step.embedder is not None else given


@dataclass(frozen=True, kw_only=True)
class Tuning(Recalling):
    def say_of(self, scope: Scope, receipt_id: str, item_id: str, *, relevant: bool) -> Opinion:
        """Write down whether a passage of a receipt bore on the question. A beginning of its id will do."""
        receipt = self.store.receipts.get(scope.everything, receipt_id)
        opinion = Opinion(
            user=scope.user,
            receipt_id=receipt.id,
            item_id=_item(receipt, item_id).id,
            relevant=relevant,
            query=receipt.query,
            chat=receipt.chat,
            created_at=self.clock.now(),
        )
        self.store.feedback.add(opinion)
        return opinion

    def labels(self, scope: Scope) -> list[Label]:
        """Questions for which something was said to be relevant, as far as their words are kept; oldest first."""
        wanted: dict[tuple[str, str | None], dict[str, float]] = {}
        for opinion in reversed(self.store.feedback.list(scope.everything, limit=ALL)):
            if opinion.query is not None:
                found = wanted.setdefault((opinion.query, opinion.chat), {})
                found[opinion.item_id] = float(opinion.relevant)
        good = {key: {i: gain for i, gain in items.items() if gain} for key, items in wanted.items()}
        return [
            Label(query=query, chat=chat, relevant=items) for (query, chat), items in good.items() if items
        ]

    def tune(
        self,
        scope: Scope,
        labels: Sequence[Label],
        policy: Policy,
        *,
        watch: Callable[[int], None] | None = None,
    ) -> Tuned:
        """
        Look for better numbers for these questions; nothing is changed, and no receipt is left.

        Each question is looked up once and then ranked anew in memory. `watch` is told how many numbers were tried.
        """
        start, now = _start(policy, labels), self.clock.now()
        stage = _Stage(
            recall=policy.recall,
            rehearsals=[self._rehearsal(scope, label, policy, now) for label in labels],
            watch=watch or (lambda _: None),
            now=now,
        )
        unfound = sum(not any(page.answers) for page in stage.sheets(start))
        found = tuned(start, stage.worth, [label.query for label in labels], unfound=unfound)
        return replace(found, before=_named(found.before), after=_named(found.after))

    def keep_tuning(self, scope: Scope, values: Mapping[str, float], *, name: str) -> None:
        """Make numbers the user's own. What they replace is kept, and the numbers themselves under a name."""
        user, now, preferences = scope.user, self.clock.now(), self.store.preferences
        chosen = {key: f"{value:g}" for key, value in values.items()}
        with self.store.transaction():
            had = preferences.all(user)
            book = {"before": {key: had.get(key) for key in chosen}, "after": chosen}
            preferences.set(user, BEFORE_TUNING, json.dumps(book), now=now)
            preferences.set(user, f"{TUNING}{name}", json.dumps(chosen), now=now)
            for key, value in chosen.items():
                preferences.set(user, key, value, now=now)

    def tunings(self, scope: Scope) -> Mapping[str, Mapping[str, float]]:
        """The numbers that were kept, by their names."""
        kept = sorted(self.store.preferences.all(scope.user).items())
        return {
            key.removeprefix(TUNING): {name: float(value) for name, value in json.loads(text).items()}
            for key, text in kept
            if key.startswith(TUNING)
        }

    def kept_tuning(self, scope: Scope, name: str) -> Mapping[str, float]:
        """The numbers that were kept under a name, or NotFound."""
        kept = self.tunings(scope)
        if name not in kept:
            there = f"There are {', '.join(kept)}." if kept else "Nothing was tuned yet."
            raise NotFound(f"There is no tuning {name!r}. {there}")
        return kept[name]

    def undo_tuning(self, scope: Scope) -> Mapping[str, str | None]:
        """Bring back what the last tuning replaced, except where the user has chosen again since then."""
        user, now, preferences = scope.user, self.clock.now(), self.store.preferences
        with self.store.transaction():
            had = preferences.all(user)
            if BEFORE_TUNING not in had:
                raise NotFound("There is no tuning to undo.")
            book = json.loads(had[BEFORE_TUNING])
            back = {key: old for key, old in book["before"].items() if had.get(key) == book["after"][key]}
            for key, old in back.items():
                preferences.set(user, key, old, now=now)
            preferences.set(user, BEFORE_TUNING, None, now=now)
        return back

    def _rehearsal(self, scope: Scope, label: Label, policy: Policy, now: datetime) -> _Rehearsal:
        step, few = (
            self._asking(scope),
            self.store.memories.count(scope.everything, most=policy.recall.small_set + 1)
            <= policy.recall.small_set,
        )
        step = replace(
            step,
            search=RehearsedSearch(inner=step.search),
            embedder=step.embedder and RehearsedEmbedder(inner=step.embedder),
            clock=StoppedClock(inner=step.clock, moment=now),
            meanwhile=later,
        )
        return _Rehearsal(
            scope=Scope(scope.user, label.chat),
            label=label,
            # Nobody waits for this answer, and the parts that take longest are to be tuned as well.
            policy=replace(policy, recall=replace(policy.recall, deadline_ms=0)),
            step=step,
            spare=frozenset({Source.MEMORY}) if few else frozenset(),
        )


@dataclass(slots=True, kw_only=True)
class _Stage:
    """All questions, asked anew only where numbers change what is said for a passage."""

    recall: Recall
    rehearsals: Sequence[_Rehearsal]
    watch: Callable[[int], None]
    now: datetime
    _asked: dict[float, list[Sheet]] = field(default_factory=dict)
    _aged: dict[tuple[float, float | None], list[Sheet]] = field(default_factory=dict)
    _tried: int = 0

    def sheets(self, numbers: Numbers) -> list[Sheet]:
        mixed, half_life = mixture(numbers, self.recall.ranker), numbers.get("half_life_days")
        if mixed not in self._asked:
            self._asked[mixed] = [rehearsal(numbers) for rehearsal in self.rehearsals]
        if half_life is None:
            return self._asked[mixed]
        key = mixed, half_life
        if key not in self._aged:
            self._aged[key] = [aged(page, self.now, half_life) for page in self._asked[mixed]]
        return self._aged[key]

    def worth(self, numbers: Numbers) -> list[float]:
        recall = with_numbers(self.recall, numbers)
        worth = [quality(page, recall) for page in self.sheets(numbers)]
        self._tried += 1
        self.watch(self._tried)
        return worth


def _start(policy: Policy, labels: Sequence[Label]) -> Numbers:
    if len(labels) < FEWEST:
        raise InvalidInput(
            f"There are {len(labels)} labelled questions. With fewer than {FEWEST} a better number is luck:"
            " label more; 20 to 30 are good."
        )
    names = TUNED.get(policy.recall.ranker)
    if names is None:
        raise Refused(
            f"The ranker {policy.recall.ranker!r} has no numbers to tune."
            f" Set `recall.ranker` to one of {', '.join(TUNED)} first."
        )
    return {name: float(getattr(policy.recall, name)) for name in names}


def _named(numbers: Numbers) -> Numbers:
    return {f"recall.{name}": value for name, value in numbers.items()}


def _item(receipt: Receipt, item_id: str) -> Item:
    found = [item for item in receipt.items if item_id and item.id.startswith(item_id)]
    exact = [item for item in found if item.id == item_id]
    if not found:
        raise NotFound(
            f"Receipt {receipt.id} has no passage {item_id!r}. `recollect why {receipt.id}` lists them."
        )
    if not exact and len({item.id for item in found}) > 1:
        raise InvalidInput(f"Several passages of the receipt begin with {item_id!r}. Give more of the id.")
    return (exact or found)[0]
