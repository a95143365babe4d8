"""Recall gets better by what the user says of it, and that can be taken back."""

from collections.abc import Iterator, Mapping
from typing import Any

import pytest
from tests.contract.stores import OpenStore
from tests.stories.labelled_queries import (
    FACTS,
    LETTER_RANKING_SETTINGS,
    make_conflicting_labels,
    make_labels,
)

from recollect import Memory
from recollect.domain.feedback import RelevanceLabel
from recollect.domain.scope import Scope
from recollect.errors import InvalidInput, NotFound, ProviderBusy, ProviderError, Refused
from recollect.retrieval.scoring.table import SCORERS
from recollect.retrieval.weight_tuning import ndcg
from recollect.testing.clock import CountingIds, FrozenClock
from recollect.testing.embedders import FailingEmbedder, LetterEmbedder
from recollect.testing.inspection import store_of


@pytest.fixture
def memory(open_store: OpenStore) -> Iterator[Memory]:
    with Memory(
        store=open_store(),
        user_id="ana",
        embedder=LetterEmbedder(),
        clock=FrozenClock(),
        ids=CountingIds(),
        settings={"worker": False},
    ) as opened:
        for text in FACTS.values():
            opened.add(text)
        opened.flush()
        for name, value in LETTER_RANKING_SETTINGS.items():
            store_of(opened.application).preferences.set(
                "ana", name, str(value), now=opened.application.clock.now()
            )
        yield opened


def preferences(memory: Memory) -> Mapping[str, str]:
    stored = store_of(memory.application).preferences.all("ana")
    return {name: value for name, value in stored.items() if not name.startswith(".")}


def measure_ndcg(memory: Memory) -> float:
    """NDCG@5 as a user sees it: by asking."""
    total = 0.0
    for label in make_labels():
        results = memory.search(label["query"], limit=5).results
        gains = [float(each.text in label["relevant"]) for each in results]
        total += ndcg(gains, [1.0])
    return total / len(FACTS)


@pytest.mark.spec("K5")
def test_tuning_finds_the_numbers_that_put_what_is_relevant_first_and_keeps_them(memory: Memory) -> None:
    before = measure_ndcg(memory)
    found = memory.settings.tune(make_labels())
    after = measure_ndcg(memory)

    assert (found.training_ndcg.before, found.training_ndcg.after) == pytest.approx((before, after))
    assert after > before
    assert found.held_out_ndcg.after > found.held_out_ndcg.before
    assert (found.is_improvement, found.is_saved, found.query_count, found.unanswerable_count) == (
        True,
        True,
        12,
        0,
    )
    assert float(preferences(memory)["recall.beta"]) == found.changed_values["recall.beta"] > 0


@pytest.mark.spec("K5")
def test_a_tuning_can_be_undone(memory: Memory) -> None:
    before = preferences(memory)
    memory.settings.tune(make_labels())
    back = memory.settings.undo_tuning()

    assert back["recall.beta"] == "0.0"
    assert preferences(memory) == before
    with pytest.raises(NotFound, match="no tuning to undo"):
        memory.settings.undo_tuning()


def test_what_the_user_chose_since_the_tuning_is_not_undone(memory: Memory) -> None:
    memory.settings.tune(make_labels())
    store_of(memory.application).preferences.set(
        "ana", "recall.beta", "0.42", now=memory.application.clock.now()
    )
    memory.settings.undo_tuning()

    assert preferences(memory)["recall.beta"] == "0.42"


def test_a_dry_run_changes_nothing_and_leaves_no_receipt(memory: Memory) -> None:
    before = preferences(memory)
    found = memory.settings.tune(make_labels(), dry_run=True)

    assert (found.is_improvement, found.is_saved) == (True, False)
    assert preferences(memory) == before
    assert store_of(memory.application).receipts.list(Scope("ana")) == []


def test_numbers_that_are_the_best_already_are_left_alone(memory: Memory) -> None:
    memory.settings.tune(make_labels())
    tuned = preferences(memory)
    again = memory.settings.tune(make_labels())

    assert (again.changed_values, again.is_saved) == ({}, False)
    assert preferences(memory) == tuned


@pytest.mark.spec("K5")
def test_a_gain_that_does_not_hold_elsewhere_is_not_kept_unless_forced(memory: Memory) -> None:
    before = preferences(memory)
    settings = {"recall.alpha": "0.3", "recall.beta": "0.7"}
    for name, value in settings.items():
        store_of(memory.application).preferences.set("ana", name, value, now=memory.application.clock.now())
    found = memory.settings.tune(make_conflicting_labels())
    stored = preferences(memory)
    forced = memory.settings.tune(make_conflicting_labels(), force=True)

    assert (found.is_improvement, found.is_saved) == (False, False)
    assert found.training_ndcg.after > found.training_ndcg.before
    assert stored == {**before, **settings}
    assert (forced.is_improvement, forced.is_saved) == (False, True)
    assert preferences(memory) == {**stored, "recall.alpha": "0"}


def test_fewer_than_ten_questions_are_refused(memory: Memory) -> None:
    with pytest.raises(InvalidInput, match="at least 10 labelled queries; there are 9"):
        memory.settings.tune(make_labels(9))


@pytest.mark.parametrize("ranker", ["cosine", "importance"])
def test_a_ranker_without_numbers_is_not_tuned(memory: Memory, ranker: str) -> None:
    store_of(memory.application).preferences.set(
        "ana", "recall.ranker", ranker, now=memory.application.clock.now()
    )

    with pytest.raises(Refused, match="has no weights to tune"):
        memory.settings.tune(make_labels())


@pytest.mark.parametrize(
    "label",
    [
        "a question",
        {"relevant": ["x"]},
        {"query": " ", "relevant": ["x"]},
        {"query": "q"},
        {"query": "q", "relevant": []},
        {"query": "q", "relevant": [3]},
        {"query": "q", "relevant": {"x": 0}},
        {"query": "q", "relevant": {"x": True}},
        {"query": "q", "relevant": {"x": float("nan")}},
    ],
    ids=str,
)
def test_labels_that_make_no_sense_are_refused_by_number(memory: Memory, label: Any) -> None:  # noqa: ANN401
    with pytest.raises(InvalidInput, match="Label 2"):
        memory.settings.tune([{"query": "q", "relevant": {"x": 2}}, label])


def test_an_embedder_that_fails_stops_the_tuning(open_store: OpenStore) -> None:
    failing = FailingEmbedder(ProviderBusy("It is asleep."))
    with (
        Memory(store=open_store(), embedder=failing, settings={"worker": False}) as opened,
        pytest.raises(ProviderError, match="asleep"),
    ):
        opened.settings.tune(make_labels())


@pytest.mark.parametrize("ranker", [name for name, scorer in SCORERS.items() if scorer.tuned_weights])
def test_what_is_said_to_come_of_the_numbers_is_what_comes_of_them(memory: Memory, ranker: str) -> None:
    store_of(memory.application).preferences.set(
        "ana", "recall.ranker", ranker, now=memory.application.clock.now()
    )
    before = measure_ndcg(memory)
    found = memory.settings.tune(make_labels(), force=True)

    assert found.training_ndcg.before == pytest.approx(before)
    assert found.training_ndcg.after == pytest.approx(measure_ndcg(memory), abs=0.02)


@pytest.mark.spec("K5")
def test_opinions_about_receipts_become_labels(memory: Memory) -> None:
    found = memory.search("saffron and soup", limit=5)
    good, bad, *_ = found.results
    memory.receipts.feedback("last", good.id[:21])
    memory.receipts.feedback(found.receipt.id, bad.id, relevant=False)

    assert memory.receipts.labels() == [RelevanceLabel(query="saffron and soup", gains={good.id: 1.0})]
    assert len(memory.receipts.list_feedback()) == 2
    with pytest.raises(InvalidInput, match=r"at least 10 labelled queries; there are 1\."):
        memory.settings.tune()


def test_a_question_that_is_not_kept_makes_no_label(memory: Memory) -> None:
    found = memory.search("saffron", limit=1, settings={"receipts.query": "off"})
    memory.receipts.feedback("last", found.results[0].id)

    assert memory.receipts.labels() == []
    assert len(memory.receipts.list_feedback()) == 1


@pytest.mark.parametrize(("item", "error"), [("nothing", NotFound), ("", NotFound), ("id0", InvalidInput)])
def test_an_opinion_is_about_one_passage_of_the_receipt(
    memory: Memory, item: str, error: type[Exception]
) -> None:
    memory.search("the house")

    with pytest.raises(error):
        memory.receipts.feedback("last", item)


def test_a_tuning_is_kept_under_a_name(memory: Memory) -> None:
    memory.settings.tune(make_labels(), name="work")
    services = memory.application.services
    values = services.tuning.get_tuning(Scope("ana"), "work")

    assert values["recall.beta"] > 0
    with pytest.raises(NotFound, match=r"no tuning 'play'. Saved tunings: work\."):
        services.tuning.get_tuning(Scope("ana"), "play")


def test_a_question_without_anything_to_find_is_counted(memory: Memory) -> None:
    lost = {"query": "the moon", "relevant": {"the moon is made of cheese": 2}, "chat_id": "kitchen"}

    assert memory.settings.tune([*make_labels(), lost], dry_run=True).unanswerable_count == 1
