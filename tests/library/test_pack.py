"""A pack contains all data of a user, and export followed by import preserves it."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from recollect import Memory
from recollect.domain.reason import Reason, ReasonCode
from recollect.domain.scope import Scope
from recollect.errors import InvalidInput
from recollect.interchange.pack import Pack
from recollect.interchange.pack_format import PACK_FORMAT, PACK_PARTS, format_pack, parse_pack
from recollect.testing.clock import FrozenClock
from recollect.testing.embedders import LetterEmbedder
from recollect.testing.inspection import store_of

ANA = "ana"


def open_memory(path: Path) -> Memory:
    return Memory(
        path, user_id=ANA, embedder=LetterEmbedder(), clock=FrozenClock(), settings={"worker": False}
    )


@pytest.fixture
def full_memory(tmp_path: Path) -> Iterator[Memory]:
    """Open a memory with at least one value of every part."""
    with open_memory(tmp_path / "full.db") as memory:
        memory.add(
            [
                {"role": "user", "content": "I live in Lisbon.", "id": "mine-1"},
                {"role": "assistant", "content": "Lovely! What do you do there?"},
                {"role": "user", "content": "I moved to Porto. I'm vegetarian."},
            ],
            chat_id="c",
            sync=True,
        )
        memory.chats.set_mode("c", "collect_only")
        memory.chats.rename("c", "Moving")
        memory.chats.set_mode("empty", "off")
        [tea] = memory.add("I like tea.", tags=["drinks"]).memories
        memory.update(tea.id, "I like green tea.")
        [gone] = memory.add("I fear cats.").memories
        memory.delete(gone.id)
        memory.chats.summarize("c")
        memory.profile.add_context_file("plan", "We ship on Fridays.", chat_id="c")
        memory.privacy.consent("profile", granted=True)
        memory.profile.set({"codingStyle": "functional", "freeformNotes": "Short answers."})
        memory.privacy.consent("emotion", granted=False)
        store_of(memory.application).preferences.set(ANA, "recall.limit", "5", now=FrozenClock().now())
        memory.flush()
        yield memory


def export_pack(memory: Memory, user: str = ANA) -> str:
    pack, now = collect_pack(memory, user), memory.application.clock.now()
    return "".join(format_pack(pack, user=user, created_at=now))


def collect_pack(memory: Memory, user: str = ANA) -> Pack:
    return memory.application.services.packs.collect(user)


def test_a_pack_has_a_manifest_with_the_hash_and_length_of_each_part(full_memory: Memory) -> None:
    first, *lines = export_pack(full_memory).splitlines()
    manifest = json.loads(first)

    assert (manifest["recollect"], manifest["user"]) == (PACK_FORMAT, ANA)
    assert tuple(manifest["parts"]) == PACK_PARTS
    assert all(part["lines"] > 0 and len(part["sha256"]) == 64 for part in manifest["parts"].values())
    assert sum(part["lines"] for part in manifest["parts"].values()) == len(lines)


def test_export_and_import_preserve_everything(full_memory: Memory, tmp_path: Path) -> None:
    text = export_pack(full_memory)
    with open_memory(tmp_path / "new.db") as new:
        arrival = new.application.import_pack(ANA, parse_pack(text))
        new.flush()
        before, after = (
            collect_pack(full_memory),
            collect_pack(new),
        )

        assert arrival.skipped_items == []
        for part in PACK_PARTS:
            assert sorted(map(str, getattr(after, part))) == sorted(map(str, getattr(before, part))), part
        assert new.search("vegetarian").results


def test_the_same_pack_twice_changes_nothing(full_memory: Memory) -> None:
    text = export_pack(full_memory)
    arrival = full_memory.application.import_pack(ANA, parse_pack(text))

    assert not +arrival.imported_counts
    assert arrival.skipped_items == []
    assert export_pack(full_memory) == text


def test_a_dry_run_reports_the_import_and_changes_nothing(full_memory: Memory, tmp_path: Path) -> None:
    with open_memory(tmp_path / "new.db") as new:
        arrival = new.application.import_pack(ANA, parse_pack(export_pack(full_memory)), dry_run=True)

        assert arrival.imported_counts["messages"] == len(collect_pack(full_memory).messages)
        assert new.get_all() == []
        assert store_of(new.application).chats.list(Scope(ANA)) == []


def test_a_pack_can_be_imported_for_another_user(full_memory: Memory) -> None:
    full_memory.application.import_pack("bruno", parse_pack(export_pack(full_memory)))
    mine, theirs = (
        collect_pack(full_memory),
        collect_pack(full_memory, "bruno"),
    )

    assert len(theirs.memories) == len(mine.memories)
    assert {message.user for message in theirs.messages} == {"bruno"}


def test_forgotten_facts_are_not_imported(full_memory: Memory, tmp_path: Path) -> None:
    with open_memory(tmp_path / "new.db") as new:
        [kept] = new.add("I like green tea.").memories
        new.delete(kept.id)
        arrival = new.application.import_pack(ANA, parse_pack(export_pack(full_memory)))

        assert ("memories", "I like green tea.", Reason(ReasonCode.FORGOTTEN_HERE)) in arrival.skipped_items
        assert "I like green tea." not in str(new.get_all())


def test_known_facts_are_not_duplicated(full_memory: Memory, tmp_path: Path) -> None:
    with open_memory(tmp_path / "new.db") as new:
        new.add("I like green tea.")
        new.application.import_pack(ANA, parse_pack(export_pack(full_memory)))

        texts = [each.text for each in new.get_all()]
        assert texts.count("I like green tea.") == 1


def test_an_import_does_not_override_a_withdrawn_consent(full_memory: Memory, tmp_path: Path) -> None:
    with open_memory(tmp_path / "new.db") as new:
        new.privacy.consent("profile", granted=True)
        new.privacy.consent("profile", granted=False)
        new.privacy.consent("preference", granted=False)
        new.add("I feel anxious today.", kind="emotion")
        arrival = new.application.import_pack(ANA, parse_pack(export_pack(full_memory)))
        reasons = {(part, why) for part, _, why in arrival.skipped_items}

        assert ("consents", Reason(ReasonCode.CONSENT_WITHDRAWN)) in reasons
        assert ("consents", Reason(ReasonCode.WOULD_ERASE_DATA)) in reasons
        assert ("memories", Reason(ReasonCode.NO_CONSENT, {"category": "preference"})) in reasons
        assert new.profile.get() is None
        assert "anxious" in str(new.get_all())


@pytest.mark.parametrize(
    ("spoil", "said"),
    [
        (lambda text: "", "not valid JSON"),
        (lambda text: "[]", "not a JSON object"),
        (lambda text: '{"recollect": 99}', "not a recollect pack of format 1"),
        (lambda text: '{"recollect": 1}', "names no parts"),
        (lambda text: text.replace("Lisbon", "London"), "damaged or incomplete"),
        (lambda text: "\n".join(text.splitlines()[:-1]) + "\n", "damaged or incomplete"),
        (lambda text: text + '{"part": "secrets", "value": 1}\n', "an unknown part"),
        (lambda text: text + '{"part": "chats", "value": {"id": 1}}\n', "not a valid entry of chats"),
        (lambda text: text + "[" * 100_000 + "\n", "not valid JSON"),
        (lambda text: text.replace('"weight":1.0', '"weight":7.0'), "a weight must be from 0 to 1"),
        (
            lambda text: text.replace('"times_stated":1,', '"times_stated":1e300,'),
            "not a valid entry of memories",
        ),
        (lambda text: text.replace("2026-03-02T09:00:00Z", "2026-03-02T09:00:00"), "a time needs a timezone"),
        (lambda text: text.replace("I live in Lisbon.", "\\ud800"), "a lone surrogate"),
    ],
)
def test_a_pack_that_is_not_whole_is_refused(full_memory: Memory, spoil: object, said: str) -> None:
    assert callable(spoil)
    with pytest.raises(InvalidInput, match=said):
        parse_pack(spoil(export_pack(full_memory)))
