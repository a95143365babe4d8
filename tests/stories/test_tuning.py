"""Recall gets better by what the user says of it, and that can be taken back."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
from tests.stories.labelled_queries import (
    FACTS,
    LETTER_RANKING_SETTINGS,
    make_conflicting_labels,
    make_labels,
)

from recollect import Memory
from recollect.domain.scope import Scope
from recollect.errors import InvalidInput, NotFound, ProviderBusy, ProviderError, Refused
from recollect.retrieval.scoring.table import SCORERS
from recollect.retrieval.weight_tuning import ndcg
from recollect.serialization.serializers import JsonObject
from recollect.testing.clock import CountingIds, FrozenClock
from recollect.testing.embedders import FailingEmbedder, LetterEmbedder
from recollect.testing.inspection import store_of


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    with Memory(
        tmp_path / "memory.db",
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
    kept = store_of(memory.application).preferences.all("ana")
    return {name: value for name, value in kept.items() if not name.startswith(".")}


def measure_ndcg(memory: Memory) -> float:
    """NDCG@5 as a user sees it: by asking."""
    total = 0.0
    for label in make_labels():
        results = memory.search(label["query"], limit=5)["results"]
        assert isinstance(results, list)
        gains = [float(isinstance(each, dict) and each["memory"] in label["relevant"]) for each in results]
        total += ndcg(gains, [1.0])
    return total / len(FACTS)


def get_path(result: JsonObject, *path: str) -> Any:  # noqa: ANN401 - a number somewhere in an answer
    value: Any = result
    for name in path:
        value = value[name]
    return value


@pytest.mark.spec("K5")
def test_tuning_finds_the_numbers_that_put_what_is_relevant_first_and_keeps_them(memory: Memory) -> None:
    before = measure_ndcg(memory)
    found = memory.tune(make_labels())
    after = measure_ndcg(memory)

    assert get_path(found, "chosen_by") == {"before": round(before, 4), "after": round(after, 4)}
    assert after > before
    assert get_path(found, "held_out", "after") > get_path(found, "held_out", "before")
    assert (found["is_real"], found["kept"], found["questions"], found["unfound"]) == (True, True, 12, 0)
    assert float(preferences(memory)["recall.beta"]) == get_path(found, "values", "recall.beta") > 0


@pytest.mark.spec("K5")
def test_a_tuning_can_be_undone(memory: Memory) -> None:
    before = preferences(memory)
    memory.tune(make_labels())
    back = memory.undo_tuning()

    assert get_path(back, "values", "recall.beta") == "0.0"
    assert preferences(memory) == before
    with pytest.raises(NotFound, match="no tuning to undo"):
        memory.undo_tuning()


def test_what_the_user_chose_since_the_tuning_is_not_undone(memory: Memory) -> None:
    memory.tune(make_labels())
    store_of(memory.application).preferences.set(
        "ana", "recall.beta", "0.42", now=memory.application.clock.now()
    )
    memory.undo_tuning()

    assert preferences(memory)["recall.beta"] == "0.42"


def test_a_dry_run_changes_nothing_and_leaves_no_receipt(memory: Memory) -> None:
    before = preferences(memory)
    found = memory.tune(make_labels(), dry_run=True)

    assert (found["is_real"], found["kept"]) == (True, False)
    assert preferences(memory) == before
    assert store_of(memory.application).receipts.list(Scope("ana")) == []


def test_numbers_that_are_the_best_already_are_left_alone(memory: Memory) -> None:
    memory.tune(make_labels())
    tuned = preferences(memory)
    again = memory.tune(make_labels())

    assert (again["values"], again["kept"]) == ({}, False)
    assert preferences(memory) == tuned


@pytest.mark.spec("K5")
def test_a_gain_that_does_not_hold_elsewhere_is_not_kept_unless_forced(memory: Memory) -> None:
    before = preferences(memory)
    settings = {"recall.alpha": "0.3", "recall.beta": "0.7"}
    for name, value in settings.items():
        store_of(memory.application).preferences.set("ana", name, value, now=memory.application.clock.now())
    found = memory.tune(make_conflicting_labels())
    kept = preferences(memory)
    forced = memory.tune(make_conflicting_labels(), force=True)

    assert (found["is_real"], found["kept"]) == (False, False)
    assert get_path(found, "chosen_by", "after") > get_path(found, "chosen_by", "before")
    assert kept == {**before, **settings}
    assert (forced["is_real"], forced["kept"]) == (False, True)
    assert preferences(memory) == {**kept, "recall.alpha": "0"}


def test_fewer_than_ten_questions_are_refused(memory: Memory) -> None:
    with pytest.raises(InvalidInput, match="at least 10 labelled queries; there are 9"):
        memory.tune(make_labels(9))


@pytest.mark.parametrize("ranker", ["cosine", "importance"])
def test_a_ranker_without_numbers_is_not_tuned(memory: Memory, ranker: str) -> None:
    store_of(memory.application).preferences.set(
        "ana", "recall.ranker", ranker, now=memory.application.clock.now()
    )

    with pytest.raises(Refused, match="has no weights to tune"):
        memory.tune(make_labels())


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
        memory.tune([{"query": "q", "relevant": {"x": 2}}, label])


def test_an_embedder_that_fails_stops_the_tuning(tmp_path: Path) -> None:
    failing = FailingEmbedder(ProviderBusy("It is asleep."))
    with (
        Memory(tmp_path / "memory.db", embedder=failing, settings={"worker": False}) as opened,
        pytest.raises(ProviderError, match="asleep"),
    ):
        opened.tune(make_labels())


@pytest.mark.parametrize("ranker", [name for name, scorer in SCORERS.items() if scorer.tuned_weights])
def test_what_is_said_to_come_of_the_numbers_is_what_comes_of_them(memory: Memory, ranker: str) -> None:
    store_of(memory.application).preferences.set(
        "ana", "recall.ranker", ranker, now=memory.application.clock.now()
    )
    before = measure_ndcg(memory)
    found = memory.tune(make_labels(), force=True)

    assert get_path(found, "chosen_by", "before") == round(before, 4)
    assert get_path(found, "chosen_by", "after") == pytest.approx(measure_ndcg(memory), abs=0.02)


@pytest.mark.spec("K5")
def test_opinions_about_receipts_become_labels(memory: Memory) -> None:
    found = memory.search("saffron and soup", limit=5)
    results = found["results"]
    assert isinstance(results, list)
    [good, bad, *_] = [each for each in results if isinstance(each, dict)]
    memory.feedback("last", str(good["id"])[:21])
    memory.feedback(str(found["receipt"]), str(bad["id"]), relevant=False)

    assert memory.labels() == [{"query": "saffron and soup", "relevant": [good["id"]]}]
    assert len(get_path(memory.feedback_list(), "results")) == 2
    with pytest.raises(InvalidInput, match=r"at least 10 labelled queries; there are 1\."):
        memory.tune()


def test_a_question_that_is_not_kept_makes_no_label(memory: Memory) -> None:
    found = memory.search("saffron", limit=1, settings={"receipts.query": "off"})
    memory.feedback("last", get_path(found, "results")[0]["id"])

    assert memory.labels() == []
    assert len(get_path(memory.feedback_list(), "results")) == 1


@pytest.mark.parametrize(("item", "error"), [("nothing", NotFound), ("", NotFound), ("id0", InvalidInput)])
def test_an_opinion_is_about_one_passage_of_the_receipt(
    memory: Memory, item: str, error: type[Exception]
) -> None:
    memory.search("the house")

    with pytest.raises(error):
        memory.feedback("last", item)


def test_a_tuning_is_kept_under_a_name(memory: Memory) -> None:
    memory.tune(make_labels(), name="work")
    services = memory.application.services
    values = services.tuning.get_tuning(Scope("ana"), "work")

    assert values["recall.beta"] > 0
    with pytest.raises(NotFound, match=r"no tuning 'play'. Saved tunings: work\."):
        services.tuning.get_tuning(Scope("ana"), "play")


def test_a_question_without_anything_to_find_is_counted(memory: Memory) -> None:
    lost = {"query": "the moon", "relevant": {"the moon is made of cheese": 2}, "chat_id": "kitchen"}

    assert memory.tune([*make_labels(), lost], dry_run=True)["unfound"] == 1
