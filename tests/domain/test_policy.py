from collections.abc import Iterator
from dataclasses import replace

import pytest

from recollect.domain.policy import PRESETS, OptionValue, Policy, RecallPolicy, load_preset

PRESET_NAMES = ("default", "smart", "companion", "dev", "facts", "agent")
#: The table has no value here, or the value is not a number.
NOT_SET = None

# One line per setting behind a row of the table of preset values, in its order; columns as in NAMES.
PRESET_TABLE: list[tuple[str, tuple[OptionValue, ...], tuple[str, ...]]] = [
    # recall on
    ("recall.enabled", (True, False, True, True, True, True), ("C-7",)),
    # triage; min message chars
    ("triage.enabled", (True, True, True, False, False, False), ()),
    ("triage.min_chars", (10, 10, 3, 0, 0, 0), ("C-26",)),
    # extractor mode / roles
    ("extraction.mode", ("list", "per_message", "list", "off", "single_fact", "batch"), ()),
    ("extraction.batch_size", (NOT_SET, NOT_SET, NOT_SET, NOT_SET, NOT_SET, 20), ()),
    (
        "extraction.roles",
        ("user+assistant", "user+assistant", "user", NOT_SET, "user+assistant", "all"),
        (),
    ),
    # store_raw
    ("collect.store_raw", ("full", "gated", "none", "full", "full", "full"), ()),
    # recent messages; 0 leaves them to the host
    ("context.recent_messages", (6, 4, 6, 0, 0, 10), ("C-12",)),
    # tier-2 importance floor
    ("context.summary_min_importance", (10, 10, NOT_SET, NOT_SET, NOT_SET, NOT_SET), ()),
    # chats scanned; 0 is all
    ("recall.recent_chats", (0, 50, 0, 0, 0, 0), ()),
    # candidates → injected
    ("recall.candidates_per_channel", (20, NOT_SET, 10, 20, 5, NOT_SET), ("C-8",)),
    ("recall.limit", (8, 6, 5, 10, 5, 5), ("C-8", "Q13")),
    ("recall.max_memories", (NOT_SET, NOT_SET, NOT_SET, NOT_SET, NOT_SET, 3), ("C-8",)),
    ("recall.max_messages", (NOT_SET, NOT_SET, NOT_SET, NOT_SET, NOT_SET, 2), ("C-8",)),
    # similarity floor; -1 is the embedder's own
    ("recall.min_cosine", (-1.0, NOT_SET, NOT_SET, NOT_SET, 0.5, NOT_SET), ("Q8",)),
    # small set = all; 0 is off
    ("recall.small_store_size", (5, 0, 0, 0, 5, 0), ()),
    # empty policy
    ("recall.fallback", ("none", "none", "none", "none", "recent", "none"), ()),
    ("recall.fallback_count", (NOT_SET, NOT_SET, NOT_SET, NOT_SET, 10, NOT_SET), ()),
    # rank
    ("recall.ranker", ("evidence", "importance", "product", "sum", "cosine", "cosine"), ()),
    ("recall.alpha", (0.6, NOT_SET, NOT_SET, 0.6, NOT_SET, NOT_SET), ("Q5",)),
    ("recall.beta", (0.3, NOT_SET, NOT_SET, 0.3, NOT_SET, NOT_SET), ("Q5",)),
    ("recall.gamma", (0.1, NOT_SET, NOT_SET, 0.1, NOT_SET, NOT_SET), ("Q5",)),
    # dedup
    ("consolidation.duplicate_cosine", (0.9, NOT_SET, NOT_SET, NOT_SET, 0.9, NOT_SET), ("Q12",)),
    ("consolidation.context_file_cosine", (NOT_SET, NOT_SET, NOT_SET, NOT_SET, 0.9, NOT_SET), ("Q12",)),
    ("consolidation.context_file_substring", (NOT_SET, NOT_SET, NOT_SET, NOT_SET, True, NOT_SET), ()),
    # decay
    ("decay.emotion_per_week", (0.1, 0.0, 0.1, 0.0, 0.0, 0.0), ()),
    ("decay.archive_below", (0.3, NOT_SET, 0.3, NOT_SET, NOT_SET, NOT_SET), ()),
    # summary
    ("summaries.every_answers", (5, NOT_SET, NOT_SET, 5, 0, 0), ("Q4",)),
    ("summaries.max_tokens", (200, NOT_SET, NOT_SET, 200, NOT_SET, NOT_SET), ()),
    ("summaries.working_every_exchanges", (NOT_SET, NOT_SET, 4, NOT_SET, 0, 0), ()),
    ("summaries.working_max_tokens", (NOT_SET, NOT_SET, 80, NOT_SET, NOT_SET, NOT_SET), ()),
    ("summaries.working_max_words", (NOT_SET, NOT_SET, 30, NOT_SET, NOT_SET, NOT_SET), ()),
    # budget
    ("context.budget", (1000, 1000, 300, 1000, 1000, 1000), ("C-23", "N1", "Q3")),
    # tool truncation; 0 is off
    ("truncation.max_tool_chars", (2000, 0, 0, 0, 0, 2000), ("Q15",)),
    # format / locale
    ("context.format", ("notes", "smart", "companion", "dev", "facts", "agent"), ()),
    ("context.locale", ("en", "pt", "pt", "en", "en", "en"), ()),
]


def table_cells() -> Iterator[object]:
    for knob, values, spec in PRESET_TABLE:
        for name, value in zip(PRESET_NAMES, values, strict=True):
            if value is not NOT_SET:
                marks = [pytest.mark.spec(*spec)] if spec else []
                yield pytest.param(name, knob, value, id=f"{name}-{knob}", marks=marks)


@pytest.mark.parametrize(("name", "knob", "value"), list(table_cells()))
def test_a_preset_has_the_numbers_of_its_document(name: str, knob: str, value: OptionValue) -> None:
    assert load_preset(name).values()[knob] == value


def test_there_are_six_presets_and_each_knows_its_name() -> None:
    assert tuple(PRESETS) == PRESET_NAMES
    assert [load_preset(name).preset for name in PRESET_NAMES] == list(PRESET_NAMES)


def test_the_default_preset_changes_nothing() -> None:
    assert load_preset("default") == Policy()


@pytest.mark.parametrize("name", PRESET_NAMES)
def test_a_preset_repeats_no_default(name: str) -> None:
    defaults = Policy().values()

    assert [knob for knob, value in PRESETS[name].items() if defaults[knob] == value] == []


@pytest.mark.spec("Q11", "C-26")
def test_short_facts_survive_only_with_a_companion() -> None:
    shortest = {name: load_preset(name).extraction.min_fact_chars for name in PRESET_NAMES}

    assert shortest == dict.fromkeys(PRESET_NAMES, 10) | {"companion": 3}


@pytest.mark.spec("Q13")
def test_the_extractor_is_shown_eight_known_memories() -> None:
    assert {load_preset(name).extraction.known_memories for name in PRESET_NAMES} == {8}


def test_turning_one_knob_leaves_the_others_alone() -> None:
    turned = Policy().with_values({"recall.alpha": 0.5, "recall.limit": 3})

    assert turned == replace(Policy(), recall=RecallPolicy(alpha=0.5, limit=3))


def test_the_values_of_a_policy_make_the_same_policy_again() -> None:
    companion = load_preset("companion")

    assert load_preset("default").with_values(companion.values()) == replace(companion, preset="default")
