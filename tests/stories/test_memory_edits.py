"""What is remembered can be put away, merged, brought back and undone."""

from datetime import timedelta

import pytest
from tests.stories.results import rows

from recollect import Memory
from recollect.errors import InvalidInput, NotFound, Refused
from recollect.testing.clock import FrozenClock
from recollect.testing.inspection import store_of


def texts(memory: Memory) -> list[str]:
    return sorted(str(each["memory"]) for each in rows(memory.get_all()))


def add_memory(memory: Memory, text: str) -> str:
    return str(rows(memory.add(text))[0]["id"])


def add_message(memory: Memory, text: str) -> None:
    memory.add({"role": "user", "content": text}, chat_id="c", sync=True)


def test_what_was_forgotten_comes_back_by_undo(memory: Memory) -> None:
    name = add_memory(memory, "I love jazz")
    before = memory.get(name)
    memory.delete(name)
    forgotten = texts(memory)
    undone = memory.undo()
    after = memory.get(name)

    assert forgotten == []
    assert (undone["action"], undone["memories"]) == ("forget", [name])
    assert {**after, "version": 1, "updated_at": 0} == {**before, "updated_at": 0}
    assert texts(memory) == ["I love jazz"]


def test_a_correction_is_undone_word_for_word(memory: Memory) -> None:
    name = add_memory(memory, "I love jazz")
    memory.update(name, "I love jaz")
    memory.undo()

    assert memory.get(name)["memory"] == "I love jazz"
    assert [each["event"] for each in memory.history(name)] == ["ADD", "UPDATE", "RESTORE"]


def test_what_was_archived_comes_back_by_undo_or_by_name(memory: Memory) -> None:
    name = add_memory(memory, "I love jazz")
    memory.archive(name)
    away = texts(memory)
    memory.undo()
    back = texts(memory)
    memory.archive(name)
    memory.restore(name)

    assert (away, back, texts(memory)) == ([], ["I love jazz"], ["I love jazz"])


def test_a_merge_keeps_the_fuller_one_with_all_sources_and_is_undone_whole(memory: Memory) -> None:
    one, two = add_memory(memory, "loves jazz"), add_memory(memory, "loves jazz and old vinyl records")
    merged = memory.merge([one, two])
    left = texts(memory)
    memory.undo()

    assert merged["id"] == two
    assert len(rows(merged, "sources")) == 2
    assert left == ["loves jazz and old vinyl records"]
    assert texts(memory) == ["loves jazz", "loves jazz and old vinyl records"]
    assert memory.get(two)["times_stated"] == 1


def test_what_was_just_learned_is_taken_back_and_stays_away(memory: Memory) -> None:
    add_message(memory, "I hate cilantro.")
    learned = texts(memory)
    memory.undo()
    gone = texts(memory)
    store = store_of(memory.application)
    message = rows(memory.messages("c"))[0]["id"]
    memory.edit_message(message, "I hate cilantro. I love jazz.")
    memory.flush()

    assert len(learned) == 1
    assert gone == []
    assert [text for text in texts(memory) if "cilantro" in text] == []
    assert store.memories.count(memory._scope(None)) == 1


def test_undoing_a_move_brings_the_old_town_back(memory: Memory, clock: FrozenClock) -> None:
    add_message(memory, "I live in Lisbon.")
    clock.advance(timedelta(days=1))
    add_message(memory, "I moved to Porto.")
    moved = texts(memory)
    memory.undo()

    assert moved == ["moved to Porto"]
    assert texts(memory) == ["lives in Lisbon"]


def test_things_are_undone_from_the_last_to_the_first(memory: Memory) -> None:
    name = add_memory(memory, "I love jazz")
    memory.update(name, "I love blues")
    memory.delete(name)
    done = [memory.undo()["action"] for _ in range(3)]

    assert done == ["forget", "edit", "learn"]
    with pytest.raises(NotFound, match="nothing to undo"):
        memory.undo()


def test_an_earlier_change_waits_for_the_later_one_to_be_undone(memory: Memory) -> None:
    name = add_memory(memory, "I love jazz")
    memory.update(name, "I love blues")
    [edit, _] = rows(memory.events())
    memory.update(name, "I love soul")

    with pytest.raises(Refused, match="changed after this edit"):
        memory.undo(edit["id"])
    memory.undo()
    memory.undo(edit["id"])
    assert memory.get(name)["memory"] == "I love jazz"
    with pytest.raises(InvalidInput, match="already undone"):
        memory.undo(edit["id"])


def test_a_contradiction_waits_in_the_inbox_and_takes_over_when_accepted(memory: Memory) -> None:
    add_message(memory, "My name is Ana.")
    add_message(memory, "My name is Beatriz.")
    [waiting] = rows(memory.review_queue())
    before = texts(memory)
    memory.restore(waiting["id"])

    assert waiting["status"] == "contested"
    assert (before, texts(memory)) == (["name: Ana"], ["name: Beatriz"])
    memory.undo()
    assert texts(memory) == ["name: Ana"]
    assert len(rows(memory.review_queue())) == 1


def test_there_is_nothing_to_bring_back_of_what_is_in_use(memory: Memory) -> None:
    name = add_memory(memory, "I love jazz")

    with pytest.raises(InvalidInput, match="nothing to restore"):
        memory.restore(name)


def test_one_memory_cannot_be_merged(memory: Memory) -> None:
    name = add_memory(memory, "I love jazz")

    with pytest.raises(InvalidInput, match="at least two"):
        memory.merge([name, name])


@pytest.mark.spec("G2", "G3", "T3")
def test_a_mood_fades_and_is_put_away_and_a_pinned_one_is_not(memory: Memory, clock: FrozenClock) -> None:
    one = add_mood(memory, "anxious about money")
    two = add_mood(memory, "anxious about deadlines")
    memory.pin(two)
    planned = memory.run_maintenance(dry_run=True)
    clock.advance(timedelta(weeks=8))
    seen = memory.run_maintenance(dry_run=True)
    done = memory.run_maintenance()

    assert rows(planned, "put_away") == []
    assert [each["id"] for each in rows(seen, "put_away")] == [one]
    assert [each["id"] for each in rows(done, "put_away")] == [one]
    assert texts(memory) == ["anxious about deadlines"]
    memory.undo()
    assert len(texts(memory)) == 2


@pytest.mark.spec("G1")
def test_the_future_of_the_garden_is_told_without_touching_it(memory: Memory) -> None:
    add_mood(memory, "anxious about money")
    told = rows(memory.forecast_decay(weeks=8), "put_away")

    assert [(each["memory"], each["weeks"]) for each in told] == [("anxious about money", 8)]
    assert texts(memory) == ["anxious about money"]


def test_the_gardener_makes_one_of_what_says_the_same(memory: Memory) -> None:
    first = add_memory(memory, "Sou vegetariana")
    second = add_memory(memory, "Não gosto de carne")

    told = memory.run_maintenance(dry_run=True)
    done = memory.run_maintenance()

    assert rows(told, "merged") == rows(done, "merged")
    assert [each["id"] for each in rows(done, "merged")] == [first]
    assert len(texts(memory)) == 1
    assert memory.get(second)["status"] == "superseded"


def add_mood(memory: Memory, text: str) -> str:
    return str(rows(memory.add(text, kind="emotion"))[0]["id"])
