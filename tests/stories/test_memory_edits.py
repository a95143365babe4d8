"""What is remembered can be put away, merged, brought back and undone."""

from dataclasses import replace
from datetime import timedelta

import pytest

from recollect import Memory
from recollect.domain.scope import Scope
from recollect.errors import InvalidInput, NotFound, Refused
from recollect.testing.clock import FrozenClock
from recollect.testing.inspection import store_of


def texts(memory: Memory) -> list[str]:
    return sorted(each.text for each in memory.get_all())


def add_memory(memory: Memory, text: str) -> str:
    return str(memory.add(text).memories[0].id)


def add_message(memory: Memory, text: str) -> None:
    memory.add({"role": "user", "content": text}, chat_id="c", sync=True)


def test_what_was_forgotten_comes_back_by_undo(memory: Memory) -> None:
    name = add_memory(memory, "I love jazz")
    before = memory.get(name)
    memory.delete(name)
    forgotten = texts(memory)
    undone = memory.memories.undo()
    after = memory.get(name)

    assert forgotten == []
    assert (undone.action, [each.memory_id for each in undone.changes]) == ("forget", [name])
    assert replace(after, version=1, updated_at=before.updated_at) == before
    assert texts(memory) == ["I love jazz"]


def test_a_correction_is_undone_word_for_word(memory: Memory) -> None:
    name = add_memory(memory, "I love jazz")
    memory.update(name, "I love jaz")
    memory.memories.undo()

    assert memory.get(name).text == "I love jazz"
    assert [each.change for each in memory.history(name)] == ["ADD", "UPDATE", "RESTORE"]


def test_what_was_archived_comes_back_by_undo_or_by_name(memory: Memory) -> None:
    name = add_memory(memory, "I love jazz")
    memory.memories.archive(name)
    away = texts(memory)
    memory.memories.undo()
    back = texts(memory)
    memory.memories.archive(name)
    memory.memories.restore(name)

    assert (away, back, texts(memory)) == ([], ["I love jazz"], ["I love jazz"])


def test_a_merge_keeps_the_fuller_one_with_all_sources_and_is_undone_whole(memory: Memory) -> None:
    one, two = add_memory(memory, "loves jazz"), add_memory(memory, "loves jazz and old vinyl records")
    merged = memory.memories.merge([one, two])
    left = texts(memory)
    memory.memories.undo()

    assert merged.id == two
    assert len(merged.spans) == 2
    assert left == ["loves jazz and old vinyl records"]
    assert texts(memory) == ["loves jazz", "loves jazz and old vinyl records"]
    assert memory.get(two).times_stated == 1


def test_what_was_just_learned_is_taken_back_and_stays_away(memory: Memory) -> None:
    add_message(memory, "I hate cilantro.")
    learned = texts(memory)
    memory.memories.undo()
    gone = texts(memory)
    store = store_of(memory.application)
    message = memory.chats.messages("c")[0].id
    memory.chats.edit(message, "I hate cilantro. I love jazz.")
    memory.flush()

    assert len(learned) == 1
    assert gone == []
    assert [text for text in texts(memory) if "cilantro" in text] == []
    assert store.memories.count(Scope("default")) == 1


def test_undoing_a_move_brings_the_old_town_back(memory: Memory, clock: FrozenClock) -> None:
    add_message(memory, "I live in Lisbon.")
    clock.advance(timedelta(days=1))
    add_message(memory, "I moved to Porto.")
    moved = texts(memory)
    memory.memories.undo()

    assert moved == ["moved to Porto"]
    assert texts(memory) == ["lives in Lisbon"]


def test_things_are_undone_from_the_last_to_the_first(memory: Memory) -> None:
    name = add_memory(memory, "I love jazz")
    memory.update(name, "I love blues")
    memory.delete(name)
    done = [memory.memories.undo().action for _ in range(3)]

    assert done == ["forget", "edit", "learn"]
    with pytest.raises(NotFound, match="nothing to undo"):
        memory.memories.undo()


def test_an_earlier_change_waits_for_the_later_one_to_be_undone(memory: Memory) -> None:
    name = add_memory(memory, "I love jazz")
    memory.update(name, "I love blues")
    [edit, _] = memory.memories.events()
    memory.update(name, "I love soul")

    with pytest.raises(Refused, match="changed after this edit"):
        memory.memories.undo(edit.id)
    memory.memories.undo()
    memory.memories.undo(edit.id)
    assert memory.get(name).text == "I love jazz"
    with pytest.raises(InvalidInput, match="already undone"):
        memory.memories.undo(edit.id)


def test_a_contradiction_waits_in_the_inbox_and_takes_over_when_accepted(memory: Memory) -> None:
    add_message(memory, "My name is Ana.")
    add_message(memory, "My name is Beatriz.")
    [waiting] = memory.review.list()
    before = texts(memory)
    memory.memories.restore(waiting.id)

    assert waiting.status == "contested"
    assert (before, texts(memory)) == (["name: Ana"], ["name: Beatriz"])
    memory.memories.undo()
    assert texts(memory) == ["name: Ana"]
    assert len(memory.review.list()) == 1


def test_there_is_nothing_to_bring_back_of_what_is_in_use(memory: Memory) -> None:
    name = add_memory(memory, "I love jazz")

    with pytest.raises(InvalidInput, match="nothing to restore"):
        memory.memories.restore(name)


def test_one_memory_cannot_be_merged(memory: Memory) -> None:
    name = add_memory(memory, "I love jazz")

    with pytest.raises(InvalidInput, match="at least two"):
        memory.memories.merge([name, name])


@pytest.mark.spec("G2", "G3", "T3")
def test_a_mood_fades_and_is_put_away_and_a_pinned_one_is_not(memory: Memory, clock: FrozenClock) -> None:
    one = add_mood(memory, "anxious about money")
    two = add_mood(memory, "anxious about deadlines")
    memory.memories.pin(two)
    planned = memory.maintenance.run(dry_run=True)
    clock.advance(timedelta(weeks=8))
    seen = memory.maintenance.run(dry_run=True)
    done = memory.maintenance.run()

    assert planned.archived_memories == ()
    assert [each.memory.id for each in seen.archived_memories] == [one]
    assert [each.memory.id for each in done.archived_memories] == [one]
    assert texts(memory) == ["anxious about deadlines"]
    memory.memories.undo()
    assert len(texts(memory)) == 2


@pytest.mark.spec("G1")
def test_the_future_of_the_garden_is_told_without_touching_it(memory: Memory) -> None:
    add_mood(memory, "anxious about money")
    report = memory.maintenance.forecast(weeks=8).archived_memories

    assert [(each.memory.text, each.due_in_weeks) for each in report] == [("anxious about money", 8)]
    assert texts(memory) == ["anxious about money"]


def test_the_gardener_makes_one_of_what_says_the_same(memory: Memory) -> None:
    first = add_memory(memory, "Sou vegetariana")
    second = add_memory(memory, "Não gosto de carne")

    report = memory.maintenance.run(dry_run=True)
    done = memory.maintenance.run()

    assert report.merges == done.merges
    assert [each.target.id for each in done.merges] == [first]
    assert len(texts(memory)) == 1
    assert memory.get(second).status == "superseded"


def add_mood(memory: Memory, text: str) -> str:
    return str(memory.add(text, kind="emotion").memories[0].id)
