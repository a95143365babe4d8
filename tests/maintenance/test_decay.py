from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recollect.domain.memory import Kind, Memory, MemoryStatus
from recollect.domain.policy import DecayPolicy, RecallPolicy
from recollect.domain.reason import Reason, ReasonCode
from recollect.maintenance.decay import (
    Archive,
    Expire,
    Forget,
    Retain,
    apply_decay,
    decay_outcome,
    effective_weight,
    forecast_decay,
)
from recollect.retrieval.scoring.table import SCORERS

MONDAY = datetime(2024, 1, 1, 12, tzinfo=UTC)
WEEK = timedelta(weeks=1)
DEFAULT_POLICY = DecayPolicy()


def memory(kind: Kind = Kind.EMOTION, weight: float = 0.9, name: str = "m1") -> Memory:
    return Memory(
        id=name,
        user="ana",
        text="ansiosa com prazos",
        kind=kind,
        weight=weight,
        created_at=MONDAY,
        updated_at=MONDAY,
        last_stated_at=MONDAY,
    )


@pytest.mark.spec("G2")
@pytest.mark.parametrize(
    ("weeks", "weight"), [(0, 0.9), (1, 0.8), (1.5, 0.75), (3, 0.6), (6, 0.3), (9, 0.0), (50, 0.0)]
)
def test_a_mood_loses_a_tenth_of_a_weight_each_week(weeks: float, weight: float) -> None:
    assert effective_weight(memory(), MONDAY + weeks * WEEK, DEFAULT_POLICY) == weight


@pytest.mark.spec("G2")
def test_a_mood_that_is_mentioned_again_regains_its_weight() -> None:
    mentioned_again = replace(memory(), last_stated_at=MONDAY + 5 * WEEK, times_stated=2)

    assert effective_weight(mentioned_again, MONDAY + 6 * WEEK, DEFAULT_POLICY) == 0.8


@pytest.mark.spec("G3", "C-18")
@pytest.mark.parametrize(
    ("weeks", "expected"),
    [
        (5.9, Retain()),
        (6, Retain()),
        (6.1, Archive(Reason(ReasonCode.WEIGHT_BELOW_MINIMUM, {"floor": 0.3, "day": "2024-01-01"}))),
        (60, Archive(Reason(ReasonCode.WEIGHT_BELOW_MINIMUM, {"floor": 0.3, "day": "2024-01-01"}))),
    ],
)
def test_a_mood_below_the_minimum_weight_is_archived(weeks: float, expected: object) -> None:
    assert decay_outcome(memory(), MONDAY + weeks * WEEK, DEFAULT_POLICY) == expected


@pytest.mark.spec("G3", "C-18")
def test_the_policy_can_delete_instead_of_archive() -> None:
    outcome = decay_outcome(memory(), MONDAY + 7 * WEEK, DecayPolicy(action="delete"))

    assert outcome == Forget(Reason(ReasonCode.WEIGHT_BELOW_MINIMUM, {"floor": 0.3, "day": "2024-01-01"}))


@pytest.mark.spec("G3", "C-18")
def test_an_archived_memory_keeps_its_weight_and_has_a_reason() -> None:
    archived = apply_decay(memory(), MONDAY + 7 * WEEK, DEFAULT_POLICY)

    assert archived == replace(
        memory(),
        status=MemoryStatus.ARCHIVED,
        reason=Reason(ReasonCode.WEIGHT_BELOW_MINIMUM, {"floor": 0.3, "day": "2024-01-01"}),
    )


def test_a_deleted_memory_is_marked_as_forgotten() -> None:
    assert (
        apply_decay(memory(), MONDAY + 7 * WEEK, DecayPolicy(action="delete")).status
        is MemoryStatus.FORGOTTEN
    )


@pytest.mark.spec("G4", "C-3")
def test_biography_always_weighs_one() -> None:
    biography = memory(Kind.BIOGRAPHY, 0.9)
    years_later = MONDAY + 1000 * WEEK

    assert effective_weight(biography, years_later, DEFAULT_POLICY) == 1.0
    assert decay_outcome(biography, years_later, DEFAULT_POLICY) == Retain()
    assert apply_decay(biography, years_later, DEFAULT_POLICY) == replace(biography, weight=1.0)


@pytest.mark.spec("C-3")
def test_biography_keeps_its_stored_weight_if_the_policy_does_not_fix_it() -> None:
    biography = memory(Kind.BIOGRAPHY, 0.9)

    assert apply_decay(biography, MONDAY + 1000 * WEEK, DecayPolicy(biography_fixed=False)) == biography


@pytest.mark.spec("G5")
@pytest.mark.parametrize("kind", [Kind.PREFERENCE, Kind.GOAL, Kind.EVENT, Kind.DECISION, Kind.NOTE])
def test_other_kinds_do_not_decay_by_default(kind: Kind) -> None:
    stored = memory(kind, 0.5)

    assert effective_weight(stored, MONDAY + 100 * WEEK, DEFAULT_POLICY) == 0.5
    assert decay_outcome(stored, MONDAY + 100 * WEEK, DEFAULT_POLICY) == Retain()


@pytest.mark.spec("G5")
@pytest.mark.parametrize(
    ("kind", "policy"),
    [(Kind.PREFERENCE, DecayPolicy(preference_per_week=0.05)), (Kind.GOAL, DecayPolicy(goal_per_week=0.05))],
)
def test_preferences_and_goals_decay_at_their_own_rates(kind: Kind, policy: DecayPolicy) -> None:
    stored = memory(kind, 0.8)

    assert effective_weight(stored, MONDAY + 2 * WEEK, policy) == 0.7
    assert decay_outcome(stored, MONDAY + 11 * WEEK, policy) == Archive(
        Reason(ReasonCode.WEIGHT_BELOW_MINIMUM, {"floor": 0.3, "day": "2024-01-01"})
    )


@pytest.mark.spec("G5")
def test_a_goal_is_archived_on_its_due_date() -> None:
    goal = replace(memory(Kind.GOAL, 0.8), valid_to=MONDAY + WEEK)

    assert decay_outcome(goal, MONDAY + 0.9 * WEEK, DEFAULT_POLICY) == Retain()
    assert decay_outcome(goal, MONDAY + WEEK, DEFAULT_POLICY) == Archive(
        Reason(ReasonCode.GOAL_DUE, {"day": "2024-01-08"})
    )


@pytest.mark.parametrize("weeks", [0, 7, 500])
def test_a_pinned_memory_never_decays(weeks: int) -> None:
    pinned = replace(memory(), pinned=True)

    assert effective_weight(pinned, MONDAY + weeks * WEEK, DEFAULT_POLICY) == 0.9
    assert decay_outcome(pinned, MONDAY + weeks * WEEK, DEFAULT_POLICY) == Retain()


@pytest.mark.spec("G8")
@pytest.mark.parametrize(
    ("weight", "days", "expected"),
    [
        (0.2, 6.9, Retain()),
        (0.2, 7, Expire(Reason(ReasonCode.TEMPORARY, {"days": 7, "day": "2024-01-01"}))),
        (0.01, 8, Expire(Reason(ReasonCode.TEMPORARY, {"days": 7, "day": "2024-01-01"}))),
        (0.3, 8, Expire(Reason(ReasonCode.TEMPORARY, {"days": 7, "day": "2024-01-01"}))),
        (0.31, 8, Retain()),
        (0.0, 8, Retain()),
    ],
)
def test_a_temporary_memory_expires_after_a_week(weight: float, days: float, expected: object) -> None:
    assert decay_outcome(memory(Kind.NOTE, weight), MONDAY + timedelta(days=days), DEFAULT_POLICY) == expected


@pytest.mark.spec("G8")
def test_temporary_memories_expire_before_heavier_ones_are_archived() -> None:
    memories = [
        memory(Kind.NOTE, 0.2, "parking"),
        memory(Kind.EMOTION, 0.9, "mood"),
        memory(Kind.PREFERENCE, 0.6, "tea"),
    ]

    forecast = forecast_decay(memories, MONDAY, 8, DEFAULT_POLICY)

    assert [(week, changed.id) for week, changed, _ in forecast] == [(1, "parking"), (7, "mood")]


def test_zero_days_keep_temporary_memories() -> None:
    assert (
        decay_outcome(memory(Kind.NOTE, 0.2), MONDAY + 99 * WEEK, DecayPolicy(temporary_days=0)) == Retain()
    )


def test_nothing_is_archived_for_its_weight_when_the_threshold_is_zero() -> None:
    assert decay_outcome(memory(), MONDAY + 99 * WEEK, DecayPolicy(archive_below=0.0)) == Retain()


def test_a_memory_expires_on_its_expiry_date_even_when_pinned() -> None:
    stored = replace(memory(Kind.NOTE), pinned=True, expires_at=MONDAY + WEEK)

    assert decay_outcome(stored, MONDAY + WEEK, DEFAULT_POLICY) == Expire(
        Reason(ReasonCode.EXPIRED, {"day": "2024-01-08"})
    )


@pytest.mark.parametrize("status", [MemoryStatus.SUPERSEDED, MemoryStatus.ARCHIVED, MemoryStatus.FORGOTTEN])
def test_inactive_memories_are_unchanged(status: MemoryStatus) -> None:
    inactive = replace(memory(), status=status, reason=Reason(ReasonCode.BY_USER))

    assert apply_decay(inactive, MONDAY + 99 * WEEK, DEFAULT_POLICY) == inactive


@pytest.mark.spec("TR-17")
def test_decay_and_recency_together_never_push_a_match_below_the_minimum_boost() -> None:
    old_mood = effective_weight(memory(), MONDAY + 8 * WEEK, DEFAULT_POLICY)
    match = {"dense": 1.0, "lexical": 1.0, "identifier": 1.0}

    total = SCORERS["blend"].formula(RecallPolicy())(match | {"weight": old_mood, "recency": 0.05})

    assert total == pytest.approx(RecallPolicy().boost_min * 1.0)


def test_a_forecast_names_the_week_and_omits_memories_that_stay() -> None:
    memories = [
        memory(Kind.EMOTION, 0.5, "b"),
        memory(Kind.EMOTION, 0.5, "a"),
        memory(Kind.BIOGRAPHY, 0.9, "c"),
    ]

    forecast = forecast_decay(memories, MONDAY, 8, DEFAULT_POLICY)

    light = Archive(Reason(ReasonCode.WEIGHT_BELOW_MINIMUM, {"floor": 0.3, "day": "2024-01-01"}))
    assert forecast == [(3, memories[1], light), (3, memories[0], light)]


def test_a_forecast_of_zero_weeks_is_about_today() -> None:
    assert forecast_decay([memory(weight=0.2), memory(name="m2")], MONDAY, 0, DEFAULT_POLICY) == [
        (
            0,
            memory(weight=0.2),
            Archive(Reason(ReasonCode.WEIGHT_BELOW_MINIMUM, {"floor": 0.3, "day": "2024-01-01"})),
        )
    ]


_rates = st.integers(0, 1000).map(lambda thousandths: thousandths / 1000)
_policies = st.builds(
    DecayPolicy,
    emotion_per_week=_rates,
    preference_per_week=_rates,
    goal_per_week=_rates,
    biography_fixed=st.booleans(),
    archive_below=_rates,
    action=st.sampled_from(["archive", "delete"]),
    temporary_days=st.integers(0, 30),
)
_later = st.integers(0, 60 * 24 * 400).map(lambda minutes: MONDAY + timedelta(minutes=minutes))
_memories = st.builds(
    lambda kind, weight, pinned, expires_at, valid_to: replace(
        memory(kind, weight), pinned=pinned, expires_at=expires_at, valid_to=valid_to
    ),
    st.sampled_from(Kind),
    _rates,
    st.booleans(),
    st.none() | _later,
    st.none() | _later,
)


@pytest.mark.spec("G2", "G4")
@given(_memories, _policies, _later, _later)
def test_a_weight_never_grows_with_time_and_never_falls_below_zero(
    stored: Memory, policy: DecayPolicy, first: datetime, second: datetime
) -> None:
    early, late = sorted((first, second))

    weights = effective_weight(stored, early, policy), effective_weight(stored, late, policy)

    assert 0 <= weights[1] <= weights[0] <= 1


@given(_memories, _policies, _later)
def test_applying_decay_is_idempotent(stored: Memory, policy: DecayPolicy, now: datetime) -> None:
    once = apply_decay(stored, now, policy)

    assert apply_decay(once, now, policy) == once


@given(_memories, _policies, st.lists(_later, min_size=1, max_size=5))
def test_the_result_does_not_depend_on_when_and_in_what_order_decay_runs(
    stored: Memory, policy: DecayPolicy, runs: list[datetime]
) -> None:
    def apply_in_order(order: list[datetime]) -> Memory:
        current = stored
        for run in order:
            current = apply_decay(current, run, policy)
        return current

    once = apply_decay(stored, max(runs), policy)

    assert apply_in_order(runs) == apply_in_order(runs[::-1]) == apply_in_order(sorted(runs)) == once


def test_a_tiny_decay_rate_causes_no_error() -> None:
    stored = memory(weight=0.9)

    assert decay_outcome(stored, MONDAY + 500 * WEEK, DecayPolicy(emotion_per_week=1e-300)) == Retain()
