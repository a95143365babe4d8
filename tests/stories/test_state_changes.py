"""Changes of state, told to the memory one week after the other."""

from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest

from recollect import Memory
from recollect.adapters.onnx.embedder import OnnxEmbedder
from recollect.domain.memory import MemoryStatus
from recollect.domain.scope import Scope
from recollect.testing.clock import FrozenClock
from recollect.testing.inspection import store_of

WEEK = timedelta(days=7)


@pytest.fixture(scope="module")
def embedder() -> OnnxEmbedder:
    return OnnxEmbedder()


@pytest.fixture
def memory(tmp_path: Path, clock: FrozenClock, embedder: OnnxEmbedder) -> Iterator[Memory]:
    with Memory(tmp_path / "m.db", embedder=embedder, clock=clock, settings={"worker": False}) as opened:
        yield opened


@pytest.mark.parametrize(
    ("before", "after", "ended", "holds"),
    [
        ("I'm vegetarian.", "I'm not vegetarian any more, I eat fish.", "is vegetarian", "I eat fish"),
        ("My dog is called Rex.", "Rex died last week.", "dog: Rex", "Rex died"),
        (
            "Our API uses GraphQL.",
            "We're dropping GraphQL and going back to REST.",
            "API uses GraphQL",
            "going back to REST",
        ),
        ("My exam is on Friday.", "My exam is not on Friday, it's on Saturday.", "on Friday", "on Saturday"),
        ("My exam is on Friday.", "Not Friday, my exam is on Saturday.", "on Friday", "on Saturday"),
        ("I take 20 mg of sertraline.", "I take 50 mg of sertraline.", "20 mg", "50 mg"),
        ("I like coffee.", "I don't like coffee.", "likes coffee", "doesn't like coffee"),
        ("Sou vegetariana.", "Não sou mais vegetariana, como peixe.", "é vegetariana", "como peixe"),
        ("Meu cachorro se chama Rex.", "O Rex morreu semana passada.", "cachorro: Rex", "Rex morreu"),
        (
            "A nossa API usa GraphQL.",
            "Estamos largando o GraphQL e voltando pro REST.",
            "API usa GraphQL",
            "voltando pro REST",
        ),
        ("Minha prova é na sexta.", "Minha prova não é na sexta, é no sábado.", "na sexta", "no sábado"),
        ("Tomo losartana de 25 mg.", "Tomo losartana de 50 mg.", "25 mg", "50 mg"),
    ],
)
def test_the_old_fact_ends_with_a_date_and_the_new_one_holds(
    memory: Memory, clock: FrozenClock, before: str, after: str, ended: str, holds: str
) -> None:
    memory.add([{"role": "user", "content": before}], user_id="u", sync=True)
    clock.advance(WEEK)
    memory.add([{"role": "user", "content": after}], user_id="u", sync=True)

    [active] = memory.get_all(user_id="u")
    [old] = store_of(memory.application).memories.list(Scope(user="u"), status=MemoryStatus.SUPERSEDED)
    assert holds in active.text
    assert ended in old.text
    assert old.valid_to is not None


@pytest.mark.parametrize(
    ("one", "other", "count"),
    [
        ("I have a cat called Tom.", "I have a cat named Tom.", 1),
        ("I have a cat called Tom.", "I have a cat named Tim.", 2),
        ("Tenho um gato chamado Tom.", "Tenho um gato que se chama Tom.", 1),
        ("Tenho um gato chamado Tom.", "Tenho um gato chamado Tim.", 2),
    ],
)
def test_another_wording_is_one_memory_and_another_name_is_two(
    memory: Memory, clock: FrozenClock, one: str, other: str, count: int
) -> None:
    memory.add([{"role": "user", "content": one}], user_id="u", sync=True)
    clock.advance(WEEK)
    memory.add([{"role": "user", "content": other}], user_id="u", sync=True)

    assert len(memory.get_all(user_id="u")) == count


@pytest.mark.parametrize(
    ("statement", "echo", "query"),
    [
        (
            "I'm allergic to peanuts.",
            "Noted: you are allergic to peanuts, so no satay.",
            "Are peanuts fine for me?",
        ),
        ("Moro em Recife.", "Como você mora em Recife, leve guarda-chuva.", "Chove em Recife?"),
    ],
)
def test_neither_the_message_nor_the_echo_of_a_forgotten_fact_is_injected(
    memory: Memory, statement: str, echo: str, query: str
) -> None:
    memory.add(
        [{"role": "user", "content": statement}, {"role": "assistant", "content": echo}],
        user_id="u",
        chat_id="c",
        sync=True,
    )
    found = [hit.text for hit in memory.search(query, user_id="u")]
    for fact in memory.get_all(user_id="u"):
        memory.delete(fact.id, user_id="u")

    assert {statement, echo} & set(found)
    assert memory.context(query, user_id="u", chat_id="other").text == ""
    assert [hit.text for hit in memory.search(query, user_id="u")] == []
