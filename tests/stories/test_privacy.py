"""Consent, profile and erasure as a user meets them, and what must never happen in any order of things."""

import random
from collections.abc import Sequence
from contextlib import nullcontext, suppress
from datetime import timedelta
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.contract.stores import STORE_FACTORIES, open_stores
from tests.stories.results import texts

from recollect import Memory
from recollect.domain.outcomes import Rejected
from recollect.domain.reason import Reason, ReasonCode
from recollect.domain.summary import Profile
from recollect.errors import ConsentRequired, InvalidInput, NotFound, Refused
from recollect.testing.clock import FrozenClock
from recollect.testing.embedders import LetterEmbedder
from recollect.testing.inspection import store_of

SECRET_WORD = "Quetzalcoatl"
PROFILE_FIELDS = {
    "codingStyle": "small functions",
    "preferredLanguages": ["Python", "Rust"],
    "projectGoals": f"ship {SECRET_WORD} this year",
    "freeformNotes": "I answer on Mondays.",
    "pronouns": "she/her",
}


def context_text(memory: Memory, query: str = "what are we building?") -> str:
    return memory.context(query, chat_id="c").text


def stored_profile(memory: Memory) -> Profile:
    profile = memory.profile.get()
    assert profile is not None
    return profile


@pytest.mark.spec("I1", "I2", "I4", "I6", "X1")
def test_a_profile_is_kept_with_consent_and_stands_in_every_prompt(memory: Memory) -> None:
    empty = context_text(memory)
    memory.privacy.consent("profile", granted=True)
    unfilled = context_text(memory)
    memory.profile.set(PROFILE_FIELDS)
    shown = context_text(memory)

    assert empty == unfilled == ""
    assert stored_profile(memory).preferences == {
        "codingStyle": "small functions",
        "preferredLanguages": ("Python", "Rust"),
    }
    assert stored_profile(memory).extra == {"pronouns": "she/her"}
    assert "Preferred languages: Python, Rust" in shown
    assert f"Project goals: ship {SECRET_WORD} this year" in shown
    assert "Notes: I answer on Mondays." in shown


def test_a_field_is_changed_or_emptied_by_itself(memory: Memory) -> None:
    memory.privacy.consent("profile", granted=True)
    memory.profile.set(PROFILE_FIELDS)
    memory.profile.set({"codingStyle": "", "freeformNotes": "Call me Ana."})

    assert stored_profile(memory).preferences == {"preferredLanguages": ("Python", "Rust")}
    assert stored_profile(memory).notes == "Call me Ana."


@pytest.mark.spec("I3")
def test_without_consent_no_profile_is_kept(memory: Memory) -> None:
    with pytest.raises(ConsentRequired):
        memory.profile.set(PROFILE_FIELDS)
    assert memory.privacy.consents()["profile"] is False
    assert memory.profile.get() is None


@pytest.mark.spec("I5", "I7", "W2", "Y14", "Y16")
def test_taking_consent_back_says_what_goes_and_erases_it_byte_by_byte(file_memory: Memory) -> None:
    file_memory.privacy.consent("profile", granted=True)
    file_memory.profile.set(PROFILE_FIELDS)
    block = file_memory.context("goals?", chat_id="c")
    preview = file_memory.privacy.preview_withdrawal("profile")
    gone = file_memory.privacy.consent("profile", granted=False)
    ledger = file_memory.privacy.audit_log()
    path = Path(store_of(file_memory.application).location())
    file_memory.close()
    written = b"".join(p.read_bytes() for p in path.parent.iterdir() if p.is_file())

    assert SECRET_WORD in str(block)
    assert preview == gone.erased == {"profile": 1}
    assert [each.action for each in ledger.entries] == [
        "consent taken back",
        "profile changed",
        "consent given",
    ]
    assert ledger.is_intact is True
    assert SECRET_WORD.lower().encode() not in written.lower()


@pytest.mark.spec("I7")
def test_a_receipt_says_that_the_profile_was_not_asked(memory: Memory) -> None:
    skipped_sources = memory.context("goals?").receipt.skipped_sources
    assert Reason(ReasonCode.NO_CONSENT, {"category": "profile"}) in skipped_sources


def test_a_kind_of_memory_nobody_wants_is_erased_and_not_learned_again(
    memory: Memory, clock: FrozenClock
) -> None:
    memory.add({"role": "user", "content": "I always get anxious when deadlines come up."}, sync=True)
    memory.add({"role": "user", "content": "I live in Lisbon."}, sync=True)
    kinds = {each.kind for each in memory.get_all()}
    gone = memory.privacy.consent("emotion", granted=False)
    clock.advance(timedelta(hours=1))
    memory.add({"role": "user", "content": "I always get anxious when deadlines come up."}, sync=True)
    [declined] = memory.add("I feel sad", kind="emotion").results

    assert "emotion" in kinds
    assert gone.erased == {"memories": 1}
    assert {each.kind for each in memory.get_all()} == {"biography"}
    assert isinstance(declined, Rejected)
    assert declined.memory is None
    memory.privacy.consent("emotion", granted=True)
    memory.add({"role": "user", "content": "I always get anxious when deadlines come up."}, sync=True)
    assert "emotion" in {each.kind for each in memory.get_all()}


def test_an_unknown_category_is_refused(memory: Memory) -> None:
    with pytest.raises(InvalidInput, match="profile"):
        memory.privacy.consent("everything", granted=True)


@pytest.mark.spec("M13")
def test_a_file_is_shown_where_it_is_attached_and_nowhere_else(memory: Memory) -> None:
    memory.profile.add_context_file("style", "We write tests first and deploy on Fridays.", chat_id="c")
    elsewhere = str(memory.context("hello", chat_id="d").text)
    memory.profile.attach_context_file("style", "d")

    assert "deploy on Fridays" in context_text(memory)
    assert "deploy on Fridays" not in elsewhere
    assert "deploy on Fridays" in str(memory.context("hello", chat_id="d").text)
    memory.profile.detach_context_file("style", "c")
    assert "deploy on Fridays" not in context_text(memory)
    named = memory.context("hello", chat_id="c", context_ids=["style"])
    assert "deploy on Fridays" in named.text
    with pytest.raises(InvalidInput, match="already"):
        memory.profile.add_context_file("style", "again")
    memory.profile.delete_context_file("style")
    assert memory.profile.context_files() == []


@pytest.mark.spec("F3", "D8")
def test_what_stands_in_any_context_file_is_not_remembered_again(memory: Memory) -> None:
    memory.profile.add_context_file(
        "about me", "Ana works as a nurse.\nShe lives in Lisbon with two cats.", chat_id="other"
    )
    memory.add({"role": "user", "content": "I live in Lisbon."}, chat_id="c", sync=True)
    memory.add({"role": "user", "content": "I love jazz."}, chat_id="c", sync=True)

    assert texts(memory.get_all()) == ["loves jazz"]


@pytest.mark.spec("V3")
def test_an_erased_chat_leaves_a_certificate_and_not_a_byte(file_memory: Memory) -> None:
    file_memory.add({"role": "user", "content": f"I live in {SECRET_WORD}."}, chat_id="c", sync=True)
    file_memory.add({"role": "user", "content": "I love jazz."}, chat_id="d", sync=True)
    file_memory.search("where do I live?")
    [known] = [each for each in file_memory.get_all() if SECRET_WORD in each.text]
    file_memory.update(known.id, f"lives near {SECRET_WORD}")
    certificate = file_memory.privacy.erase(chat_id="c")
    path = Path(store_of(file_memory.application).location())
    left = texts(file_memory.get_all())
    file_memory.close()
    written = b"".join(p.read_bytes() for p in path.parent.iterdir() if p.is_file())

    assert (certificate.target, certificate.is_physical) == ("chat c", True)
    assert left == ["loves jazz"]
    assert SECRET_WORD.lower().encode() not in written.lower()


def test_an_erased_memory_does_not_come_back(memory: Memory) -> None:
    memory.add(
        {"role": "user", "content": f"I love {SECRET_WORD}. Thanks for asking me about it!"}, sync=True
    )
    [known] = memory.get_all()
    certificate = memory.privacy.erase(known.id)

    assert certificate.rows["memories"] == 1
    assert memory.get_all() == []
    with pytest.raises(NotFound):
        memory.get(known.id)


def test_everything_about_a_user_is_erased_only_by_name(file_memory: Memory) -> None:
    file_memory.add(f"I love {SECRET_WORD}", user_id="ana")
    file_memory.add("I love jazz", user_id="bruno")
    with pytest.raises(Refused, match="Name the user"):
        file_memory.privacy.erase()
    certificate = file_memory.privacy.erase(user_id="ana")

    assert certificate.is_physical is True
    assert file_memory.get_all(user_id="ana") == []
    assert texts(file_memory.get_all(user_id="bruno")) == ["I love jazz"]


steps = st.lists(
    st.sampled_from(["give", "revoke", "profile", "say", "ask", "search", "summarise", "garden"]),
    min_size=3,
    max_size=12,
)


@pytest.mark.spec("Y2", "Y15")
@pytest.mark.parametrize("kind", STORE_FACTORIES)
@settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
@given(sequence=steps)
def test_no_word_of_the_profile_is_ever_shown_without_consent(kind: str, sequence: Sequence[str]) -> None:
    with (
        TemporaryDirectory() as folder,
        open_stores(kind, Path(folder)) as open_store,
        Memory(
            store=open_store(), embedder=LetterEmbedder(), clock=FrozenClock(), settings={"worker": False}
        ) as memory,
    ):
        granted = False
        for number, step in enumerate(sequence):
            granted = _run_step(memory, step, number, granted=granted)
            context, passages = context_text(memory, "what are my goals?"), memory.search("goals ship year")
            assert granted or SECRET_WORD not in f"{context}{passages}{memory.profile.get()}"


@pytest.mark.spec("Y2", "Y14")
def test_a_thousand_users_each_in_an_order_of_their_own_are_shown_nothing_they_did_not_agree_to(
    memory: Memory,
) -> None:
    dice = random.Random(20260302)
    for number in range(1000):
        user, granted = f"user-{number}", False
        for step in dice.choices(
            ("give", "revoke", "profile", "profile", "say", "ask"), k=dice.randint(2, 6)
        ):
            granted = _run_user_step(memory, user, step, granted=granted)
        block = memory.context("what are my goals?", user_id=user, chat_id="c")

        assert granted or SECRET_WORD not in f"{block}{memory.profile.get(user_id=user)}", user


def _run_user_step(memory: Memory, user: str, step: str, *, granted: bool) -> bool:
    """One step of one user among many; whether they agree after it."""
    match step:
        case "give" | "revoke":
            memory.privacy.consent("profile", granted=step == "give", user_id=user)
            return step == "give"
        case "profile":
            with nullcontext() if granted else pytest.raises(ConsentRequired):
                memory.profile.set({"projectGoals": f"ship {SECRET_WORD} this year"}, user_id=user)
        case "say":
            memory.add({"role": "user", "content": "I want to ship it."}, chat_id="c", user_id=user)
        case _:
            shown = memory.context("goals?", user_id=user, chat_id="c")
            assert granted or SECRET_WORD not in str(shown)
    return granted


def _run_step(memory: Memory, step: str, number: int, *, granted: bool) -> bool:
    match step:
        case "give" | "revoke":
            memory.privacy.consent("profile", granted=step == "give")
            return step == "give"
        case "profile":
            try:
                memory.profile.set(PROFILE_FIELDS)
            except ConsentRequired:
                assert not granted
        case "say":
            memory.add({"role": "user", "content": f"I live in town {number}."}, chat_id="c", sync=True)
        case "ask":
            memory.context("what are my goals?", chat_id="c")
        case "search":
            memory.search("goals")
        case "summarise":
            with suppress(NotFound):  # nothing was said yet
                memory.chats.summarize("c")
        case _:
            memory.maintenance.run()
    return granted
