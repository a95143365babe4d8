"""Relevance feedback, labels, and tuning of the ranking weights."""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime

from recollect.domain.feedback import RelevanceFeedback, RelevanceLabel
from recollect.domain.policy import Policy, RecallPolicy
from recollect.domain.receipt import Receipt, ReceiptItem
from recollect.domain.scope import Scope
from recollect.domain.tuning import TuningResult
from recollect.errors import InvalidInput, NotFound, ProviderError, Refused
from recollect.ports.clock import Clock
from recollect.ports.embedder import Embedder
from recollect.ports.store import Store
from recollect.retrieval.query import analyze
from recollect.retrieval.relevance import judge
from recollect.retrieval.scoring.scorer import score_candidates
from recollect.retrieval.scoring.table import SCORERS, scorer_of
from recollect.retrieval.search_plan import plan_search
from recollect.retrieval.weight_tuning import (
    MIN_LABELS,
    LabelledQuery,
    Weights,
    alpha_share,
    label_candidates,
    query_ndcg,
    tune_weights,
    with_half_life,
    with_weights,
)
from recollect.services.candidate_search import CandidateSearch, SearchInput
from recollect.services.embedders import EmbedderRegistry
from recollect.services.search_cache import CachedQueryEmbedder, CachedSearch

#: Upper bound on feedback items read; far above real use.
MAX_FEEDBACK_ITEMS = 100_000
#: Preference keys: the values before the last tuning, and the saved tunings by name.
PREVIOUS_VALUES_KEY = ".before_tuning"
TUNING_KEY_PREFIX = ".tuning."


@dataclass(frozen=True, slots=True, kw_only=True)
class _LabelledSearch:
    """One labelled query that can be searched with any weights."""

    label: RelevanceLabel
    scope: Scope
    policy: Policy
    now: datetime
    embedder: Embedder | None
    candidate_search: CandidateSearch

    def __call__(self, weights: Weights) -> LabelledQuery:
        policy = replace(self.policy, recall=with_weights(self.policy.recall, weights))
        query, scorer = (
            analyze(self.label.query, now=self.now, policy=policy.recall),
            scorer_of(policy.recall),
        )
        search_input = SearchInput(
            query=query,
            plan=plan_search(query, self.scope, policy),
            policy=policy,
            now=self.now,
            embedder=self.embedder,
        )
        found = self.candidate_search.find(search_input, None)
        if found.degradations and self.embedder is not None:
            raise ProviderError(
                f"Tuning needs all search channels, but this search was degraded: {found.degradations[0]}"
            )
        judged = judge(
            score_candidates(found.candidates.candidates, scorer, found.context),
            scorer,
            cosine_floor=found.context.cosine_floor,
            exempt_sources=found.exempt_sources,
        )
        return label_candidates([each.scored for each in judged if each.is_relevant], self.label)


@dataclass(frozen=True, slots=True, kw_only=True)
class TuningService:
    store: Store
    clock: Clock
    embedders: EmbedderRegistry

    def add_feedback(
        self, scope: Scope, receipt_id: str, item_id: str, *, relevant: bool
    ) -> RelevanceFeedback:
        """Store whether a passage of a receipt was relevant. A unique prefix of its id is enough."""
        receipt = self.store.receipts.get(scope.user_scope, receipt_id)
        feedback = RelevanceFeedback(
            user=scope.user,
            receipt_id=receipt.id,
            item_id=_find_item(receipt, item_id).id,
            relevant=relevant,
            query=receipt.query,
            chat=receipt.chat,
            created_at=self.clock.now(),
        )
        self.store.feedback.add(feedback)
        return feedback

    def list_feedback(self, scope: Scope, *, limit: int) -> Sequence[RelevanceFeedback]:
        """Return relevance feedback, newest first."""
        return self.store.feedback.list(scope, limit=limit)

    def labels(self, scope: Scope) -> list[RelevanceLabel]:
        """Return queries with at least one relevant passage, oldest first, if the receipts kept their text."""
        relevance_by_query: dict[tuple[str, str | None], dict[str, float]] = {}
        for feedback in reversed(self.store.feedback.list(scope.user_scope, limit=MAX_FEEDBACK_ITEMS)):
            if feedback.query is not None:
                relevance = relevance_by_query.setdefault((feedback.query, feedback.chat), {})
                relevance[feedback.item_id] = float(feedback.relevant)
        relevant_by_query = {
            key: {i: gain for i, gain in items.items() if gain} for key, items in relevance_by_query.items()
        }
        return [
            RelevanceLabel(query=query, chat=chat, gains=items)
            for (query, chat), items in relevant_by_query.items()
            if items
        ]

    def tune(
        self,
        scope: Scope,
        labels: Sequence[RelevanceLabel],
        policy: Policy,
        *,
        progress: Callable[[int], None] | None = None,
    ) -> TuningResult:
        """
        Search better weights for these queries; changes no setting and leaves no receipt.

        Each query is searched once and then ranked again in memory. `progress` receives the number of trials so far.
        """
        start, now = _start_weights(policy, labels), self.clock.now()
        run = _TuningRun(
            recall_policy=policy.recall,
            searches=[self._labelled_search(scope, label, policy, now) for label in labels],
            progress=progress or (lambda _: None),
            now=now,
        )
        unanswerable = sum(not any(query.label_matches) for query in run.labelled_queries(start))
        result = tune_weights(
            start, run.objective, [label.query for label in labels], unanswerable=unanswerable
        )
        return replace(result, before=_setting_values(result.before), after=_setting_values(result.after))

    def save_tuning(self, scope: Scope, values: Mapping[str, float], *, name: str) -> None:
        """Save weights as the user's settings and under a name; the previous values are kept for undo."""
        user, now, preferences = scope.user, self.clock.now(), self.store.preferences
        new_values = {key: f"{value:g}" for key, value in values.items()}
        with self.store.transaction(user):
            previous = preferences.all(user)
            undo_record = {"before": {key: previous.get(key) for key in new_values}, "after": new_values}
            preferences.set(user, PREVIOUS_VALUES_KEY, json.dumps(undo_record), now=now)
            preferences.set(user, f"{TUNING_KEY_PREFIX}{name}", json.dumps(new_values), now=now)
            for key, value in new_values.items():
                preferences.set(user, key, value, now=now)

    def list_tunings(self, scope: Scope) -> Mapping[str, Mapping[str, float]]:
        """Return the saved tunings by name."""
        preferences = sorted(self.store.preferences.all(scope.user).items())
        return {
            key.removeprefix(TUNING_KEY_PREFIX): {
                name: float(value) for name, value in json.loads(text).items()
            }
            for key, text in preferences
            if key.startswith(TUNING_KEY_PREFIX)
        }

    def get_tuning(self, scope: Scope, name: str) -> Mapping[str, float]:
        """Return a saved tuning, or raise NotFound."""
        tunings = self.list_tunings(scope)
        if name not in tunings:
            available = f"Saved tunings: {', '.join(tunings)}." if tunings else "No tuning was saved yet."
            raise NotFound(f"There is no tuning {name!r}. {available}")
        return tunings[name]

    def undo_tuning(self, scope: Scope) -> Mapping[str, str | None]:
        """Restore the values before the last tuning, except those that the user changed since."""
        user, now, preferences = scope.user, self.clock.now(), self.store.preferences
        with self.store.transaction(user):
            current = preferences.all(user)
            if PREVIOUS_VALUES_KEY not in current:
                raise NotFound("There is no tuning to undo.")
            undo_record = json.loads(current[PREVIOUS_VALUES_KEY])
            restored = {
                key: old
                for key, old in undo_record["before"].items()
                if current.get(key) == undo_record["after"][key]
            }
            for key, old in restored.items():
                preferences.set(user, key, old, now=now)
            preferences.set(user, PREVIOUS_VALUES_KEY, None, now=now)
        return restored

    def _labelled_search(
        self, scope: Scope, label: RelevanceLabel, policy: Policy, now: datetime
    ) -> _LabelledSearch:
        embedder = self.embedders.for_user(scope.user)
        return _LabelledSearch(
            label=label,
            scope=Scope(scope.user, label.chat),
            policy=policy,
            now=now,
            embedder=embedder and CachedQueryEmbedder(inner=embedder),
            candidate_search=CandidateSearch(search=CachedSearch(inner=self.store.search), clock=self.clock),
        )


@dataclass(slots=True, kw_only=True)
class _TuningRun:
    """All labelled queries; searched again only if the weights change features."""

    recall_policy: RecallPolicy
    searches: Sequence[_LabelledSearch]
    progress: Callable[[int], None]
    now: datetime
    _by_alpha_share: dict[float, list[LabelledQuery]] = field(default_factory=dict)
    _by_half_life: dict[tuple[float, float | None], list[LabelledQuery]] = field(default_factory=dict)
    _trial_count: int = 0

    def labelled_queries(self, weights: Weights) -> list[LabelledQuery]:
        alpha, half_life = alpha_share(weights, scorer_of(self.recall_policy)), weights.get("half_life_days")
        if alpha not in self._by_alpha_share:
            self._by_alpha_share[alpha] = [search(weights) for search in self.searches]
        if half_life is None:
            return self._by_alpha_share[alpha]
        key = alpha, half_life
        if key not in self._by_half_life:
            self._by_half_life[key] = [
                with_half_life(query, self.now, half_life) for query in self._by_alpha_share[alpha]
            ]
        return self._by_half_life[key]

    def objective(self, weights: Weights) -> list[float]:
        recall_policy = with_weights(self.recall_policy, weights)
        scores = [query_ndcg(query, recall_policy) for query in self.labelled_queries(weights)]
        self._trial_count += 1
        self.progress(self._trial_count)
        return scores


def _start_weights(policy: Policy, labels: Sequence[RelevanceLabel]) -> Weights:
    if len(labels) < MIN_LABELS:
        raise InvalidInput(
            f"Tuning needs at least {MIN_LABELS} labelled queries; there are {len(labels)}."
            " Label more: 20 to 30 give a reliable result."
        )
    names = scorer_of(policy.recall).tuned_weights
    if not names:
        tunable = ", ".join(name for name, scorer in SCORERS.items() if scorer.tuned_weights)
        raise Refused(
            f"The ranker {policy.recall.ranker!r} has no weights to tune."
            f" Set `recall.ranker` to one of {tunable} first."
        )
    return {name: float(getattr(policy.recall, name)) for name in names}


def _setting_values(weights: Weights) -> Weights:
    return {f"recall.{name}": value for name, value in weights.items()}


def _find_item(receipt: Receipt, item_id: str) -> ReceiptItem:
    matches = [item for item in receipt.items if item_id and item.id.startswith(item_id)]
    exact = [item for item in matches if item.id == item_id]
    if not matches:
        raise NotFound(
            f"Receipt {receipt.id} has no passage {item_id!r}. `recollect why {receipt.id}` lists them."
        )
    if not exact and len({item.id for item in matches}) > 1:
        raise InvalidInput(
            f"Several passages of the receipt have ids that begin with {item_id!r}. Give more of the id."
        )
    return (exact or matches)[0]
