from collections.abc import Iterator
from dataclasses import replace

import pytest

from recollect.domain.policy import PRESETS, Policy, Recall, Value, preset

NAMES = ("default", "smart", "companion", "dev", "facts", "agent")
#: The table says nothing here, or what it says is no number.
UNSAID = None

# One line for each knob behind a row of the table of preset numbers, in its order; columns as in NAMES.
TABLE: list[tuple[str, tuple[Value, ...], tuple[str, ...]]] = [
    # recall on
    ("recall.enabled", (True, False, True, True, True, True), ("C-7",)),
    # funnel layers 1+2; min message chars
    ("funnel.enabled", (True, True, True, False, False, False), ()),
    ("funnel.min_chars", (10, 10, 3, 0, 0, 0), ("C-26",)),
    # extractor mode / roles
    ("extract.mode", ("list", "per_message", "list", "off", "single_fact", "batch"), ()),
    ("extract.batch", (UNSAID, UNSAID, UNSAID, UNSAID, UNSAID, 20), ()),
    (
        "extract.roles",
        ("user+assistant", "user+assistant", "user", UNSAID, "user+assistant", "all"),
        (),
    ),
    # store_raw
    ("collect.store_raw", ("full", "gated", "none", "full", "full", "full"), ()),
    # buffer; 0 leaves it to the host
    ("assemble.buffer", (6, 4, 6, 0, 0, 10), ("C-12",)),
    # tier-2 importance floor
    ("assemble.local_floor", (10, 10, UNSAID, UNSAID, UNSAID, UNSAID), ()),
    # chats scanned; 0 is all
    ("recall.chats", (0, 50, 0, 0, 0, 0), ()),
    # candidates → injected
    ("recall.fetch", (20, UNSAID, 10, 20, 5, UNSAID), ("C-8",)),
    ("recall.limit", (8, 6, 5, 10, 5, 5), ("C-8", "Q13")),
    ("recall.facts", (UNSAID, UNSAID, UNSAID, UNSAID, UNSAID, 3), ("C-8",)),
    ("recall.history", (UNSAID, UNSAID, UNSAID, UNSAID, UNSAID, 2), ("C-8",)),
    # similarity floor; -1 is the embedder's own
    ("recall.floor", (-1.0, UNSAID, UNSAID, UNSAID, 0.5, UNSAID), ("Q8",)),
    # small set = all; 0 is off
    ("recall.small_set", (5, 0, 0, 0, 5, 0), ()),
    # empty policy
    ("recall.empty", ("none", "none", "none", "none", "recent", "none"), ()),
    ("recall.recent", (UNSAID, UNSAID, UNSAID, UNSAID, 10, UNSAID), ()),
    # rank
    ("recall.ranker", ("evidence", "importance", "product", "sum", "cosine", "cosine"), ()),
    ("recall.alpha", (0.6, UNSAID, UNSAID, 0.6, UNSAID, UNSAID), ("Q5",)),
    ("recall.beta", (0.3, UNSAID, UNSAID, 0.3, UNSAID, UNSAID), ("Q5",)),
    ("recall.gamma", (0.1, UNSAID, UNSAID, 0.1, UNSAID, UNSAID), ("Q5",)),
    # dedup
    ("keep.similar", (0.9, UNSAID, UNSAID, UNSAID, 0.9, UNSAID), ("Q12",)),
    ("keep.context_similar", (UNSAID, UNSAID, UNSAID, UNSAID, 0.9, UNSAID), ("Q12",)),
    ("keep.substring", (UNSAID, UNSAID, UNSAID, UNSAID, True, UNSAID), ()),
    # decay
    ("decay.emo_per_week", (0.1, 0.0, 0.1, 0.0, 0.0, 0.0), ()),
    ("decay.archive_below", (0.3, UNSAID, 0.3, UNSAID, UNSAID, UNSAID), ()),
    # summary
    ("summaries.every", (5, UNSAID, UNSAID, 5, 0, 0), ("Q4",)),
    ("summaries.max_tokens", (200, UNSAID, UNSAID, 200, UNSAID, UNSAID), ()),
    ("summaries.working_every", (UNSAID, UNSAID, 4, UNSAID, 0, 0), ()),
    ("summaries.working_max_tokens", (UNSAID, UNSAID, 80, UNSAID, UNSAID, UNSAID), ()),
    ("summaries.working_max_words", (UNSAID, UNSAID, 30, UNSAID, UNSAID, UNSAID), ()),
    # budget
    ("assemble.budget", (1000, 1000, 300, 1000, 1000, 1000), ("C-23", "N1", "Q3")),
    # tool truncation; 0 is off
    ("clip.tool_chars", (2000, 0, 0, 0, 0, 2000), ("Q15",)),
    # format / locale
    ("assemble.format", ("facts", "smart", "companion", "dev", "facts", "agent"), ()),
    ("assemble.locale", ("en", "pt", "pt", "en", "en", "en"), ()),
]


def cells() -> Iterator[object]:
    for knob, values, spec in TABLE:
        for name, value in zip(NAMES, values, strict=True):
            if value is not UNSAID:
                marks = [pytest.mark.spec(*spec)] if spec else []
                yield pytest.param(name, knob, value, id=f"{name}-{knob}", marks=marks)


@pytest.mark.parametrize(("name", "knob", "value"), list(cells()))
def test_a_preset_has_the_numbers_of_its_document(name: str, knob: str, value: Value) -> None:
    assert preset(name).values()[knob] == value


def test_there_are_six_presets_and_each_knows_its_name() -> None:
    assert tuple(PRESETS) == NAMES
    assert [preset(name).preset for name in NAMES] == list(NAMES)


def test_the_default_preset_changes_nothing() -> None:
    assert preset("default") == Policy()


@pytest.mark.parametrize("name", NAMES)
def test_a_preset_repeats_no_default(name: str) -> None:
    defaults = Policy().values()

    assert [knob for knob, value in PRESETS[name].items() if defaults[knob] == value] == []


@pytest.mark.spec("Q11", "C-26")
def test_short_facts_survive_only_with_a_companion() -> None:
    shortest = {name: preset(name).extract.min_fact_chars for name in NAMES}

    assert shortest == dict.fromkeys(NAMES, 10) | {"companion": 3}


@pytest.mark.spec("Q13")
def test_the_extractor_is_shown_eight_known_memories() -> None:
    assert {preset(name).extract.existing_top_k for name in NAMES} == {8}


def test_turning_one_knob_leaves_the_others_alone() -> None:
    turned = Policy().with_values({"recall.alpha": 0.5, "recall.limit": 3})

    assert turned == replace(Policy(), recall=Recall(alpha=0.5, limit=3))


def test_the_values_of_a_policy_make_the_same_policy_again() -> None:
    companion = preset("companion")

    assert preset("default").with_values(companion.values()) == replace(companion, preset="default")
