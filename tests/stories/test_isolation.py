"""Whatever is asked in whoever's name: nobody is ever shown a word of somebody else."""

import random
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import pytest

from recollect import Memory
from recollect.domain.candidate import Reach
from recollect.domain.scope import Scope
from recollect.errors import InvalidInput, NotFound
from recollect.testing.clock import CountingIds, FrozenClock
from recollect.testing.embedders import LetterEmbedder

REQUESTS = 10_000
#: These take longest, so they come up half as often.
SLOW = frozenset({"search", "as of", "context", "why_not", "system message", "receipts"})
#: Words that nobody else says; the three users talk about the same things in chats of the same names.
CANARIES = {"ana": "quetzalana", "bruno": "quetzalbruno", "carla": "quetzalcarla"}
CHATS = ("kitchen", "garden", "default")
TOPICS = ("soup", "saffron", "bread", "roses", "tea", "cake")
STRANGE = ("ana' OR '1'='1", "%", "*", "ana\x1f", "1", "0", "ANA", "ana ", "bruno--", '"', "ana;bruno")

Ask = Callable[[str], object]


@pytest.fixture(scope="module")
def memory(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Memory]:
    """Everybody has said something, corrected something, and forgotten something."""
    path: Path = tmp_path_factory.mktemp("shared") / "memory.db"
    with Memory(
        path, embedder=LetterEmbedder(), clock=FrozenClock(), ids=CountingIds(), settings={"worker": False}
    ) as memory:
        for turn, topic in enumerate(TOPICS):
            for user, canary in CANARIES.items():
                chat = CHATS[turn % len(CHATS)]
                said = f"I like {topic} with {canary} and I live in {topic}town {canary}."
                memory.add(
                    [
                        {"role": "user", "content": said},
                        {"role": "assistant", "content": f"Noted, {canary}."},
                    ],
                    user_id=user,
                    chat_id=chat,
                )
                kept = memory.add(f"{topic} is what {canary} wants", user_id=user, chat_id=chat)
                memory_id = ids(kept["results"])[0]
                memory.update(memory_id, f"{topic} is what {canary} needs", user_id=user)
                if turn == 0:
                    memory.delete(memory_id, user_id=user)
        for user, canary in CANARIES.items():
            memory.consent("profile", granted=True, user_id=user)
            memory.set_profile({"projectGoals": f"grow {canary}", "freeformNotes": canary}, user_id=user)
            memory.add_context(f"file of {user}", f"All about {canary}.", chat_id="garden", user_id=user)
            memory.summarise("kitchen", user_id=user)
        memory.flush()
        yield memory


def ids(results: object) -> list[str]:
    assert isinstance(results, list)
    return [str(each["id"]) for each in results]


def everything_with_a_name(memory: Memory) -> dict[str, list[str]]:
    """Ids of messages, memories, receipts, events and files of all users, by user."""
    store = memory.runtime.store
    return {
        user: [
            *(message.id for message in store.messages.list(Scope(user))),
            *(each.id for each in store.memories.list(Scope(user), standing=None)),
            *(receipt.id for receipt in store.receipts.list(Scope(user))),
            *(event.id for event in store.events.list(Scope(user))),
            *(file.id for file in store.contexts.list(Scope(user))),
            *(file.name for file in store.contexts.list(Scope(user))),
        ]
        for user in CANARIES
    }


def requests(memory: Memory, names: Mapping[str, list[str]], dice: random.Random) -> Mapping[str, Ask]:
    """One request of each kind, about anything that anybody has."""
    store = memory.runtime.store
    wanted = dice.choice([name for listed in names.values() for name in listed])
    chat = dice.choice([*CHATS, None])
    # In capitals they are searched for all the same, but a receipt that repeats the question shows no canary.
    shouted = [canary.upper() for canary in CANARIES.values()]
    query = " ".join(dice.choices([*TOPICS, *shouted, *CANARIES, wanted, "like", "what"], k=4))
    passages = list(range(150))
    vector = LetterEmbedder().embed_query(query)

    def searched(user: str) -> object:
        return memory.search(query, user_id=user, chat_id=chat, limit=50)

    def context(user: str) -> object:
        preset = dice.choice(["default", "companion", "dev", "facts", "agent"])
        settings = {"preset": preset, "recall.enabled": True}
        return memory.context(query, user_id=user, chat_id=chat, settings=settings)

    def important(user: str) -> object:
        hits = store.search.important(Scope(user), limit=99, reach=Reach())
        return store.search.load(Scope(user), [hit.passage for hit in hits], reach=Reach())

    def theirs_not_mine(user: str) -> bool:
        return wanted not in names.get(user, [])

    def attached(user: str) -> object:
        if theirs_not_mine(user):
            memory.attach_context(wanted, "kitchen", user_id=user)
        return memory.contexts(chat_id="kitchen", user_id=user)

    return {
        "search": searched,
        "as of": lambda user: memory.search(query, user_id=user, chat_id=chat, as_of="2026-03-02T09:00:00+00:00"),
        "context": context,
        "get": lambda user: memory.get(wanted, user_id=user),
        "prefix": lambda user: memory.get(wanted[:-1], user_id=user),
        "get_all": lambda user: memory.get_all(user_id=user, chat_id=chat),
        "history": lambda user: memory.history(wanted, user_id=user),
        "why": lambda user: memory.why(wanted, user_id=user),
        "last receipt": lambda user: memory.why(user_id=user),
        "why_not": lambda user: memory.why_not(query, wanted, user_id=user),
        "update": lambda user: theirs_not_mine(user) and memory.update(wanted, "mine now", user_id=user),
        "delete": lambda user: theirs_not_mine(user) and memory.delete(wanted, user_id=user),
        "system message": lambda user: memory.build_system_message(rag_query=query, user_id=user, chat_id=chat),
        "inbox": lambda user: memory.inbox(user_id=user),
        "events": lambda user: memory.events(user_id=user, limit=200),
        "undo": lambda user: theirs_not_mine(user) and memory.undo(wanted, user_id=user),
        "restore": lambda user: theirs_not_mine(user) and memory.restore(wanted, user_id=user),
        "profile": lambda user: memory.profile(user_id=user),
        "consents": lambda user: memory.consents(user_id=user),
        "ledger": lambda user: memory.ledger(user_id=user),
        "files": lambda user: memory.contexts(user_id=user, chat_id=chat),
        "file": lambda user: store.contexts.get(Scope(user), wanted),
        "attach": attached,
        "summaries": lambda user: memory.summaries(user_id=user, chat_id=chat),
        "forecast": lambda user: memory.forecast(user_id=user),
        "chat": lambda user: memory.messages(dice.choice(CHATS), user_id=user),
        "edit": lambda user: theirs_not_mine(user) and memory.edit_message(wanted, "mine now", user_id=user),
        "branch": lambda user: theirs_not_mine(user) and memory.branch(wanted, "my branch", user_id=user),
        "stats": lambda user: memory.stats(user_id=user),
        "message": lambda user: store.messages.get(Scope(user), wanted),
        "messages": lambda user: store.messages.list(Scope(user, chat), before=dice.choice([None, wanted])),
        "unextracted": lambda user: store.messages.unextracted(Scope(user), limit=99),
        "chunks": lambda user: store.messages.chunks(Scope(user), wanted),
        "chats": lambda user: store.chats.list(Scope(user)),
        "of_messages": lambda user: store.memories.of_messages(Scope(user), [wanted]),
        "load": lambda user: store.search.load(Scope(user, chat), passages, reach=Reach()),
        "cosines": lambda user: sorted(
            store.search.load(
                Scope(user),
                store.search.cosines(Scope(user), passages, vector, model="letters"),
                reach=Reach(),
            ).items()
        ),
        "important": important,
        "waiting": lambda user: store.vectors.missing(user, limit=99),
        "jobs": lambda user: store.jobs.list(Scope(user)),
        "receipts": lambda user: store.receipts.list(Scope(user)),
    }  # fmt: skip


def foreign(user: str, answer: object) -> list[str]:
    shown = repr(answer)
    return [canary for owner, canary in CANARIES.items() if owner != user and canary in shown]


def answered(ask: Ask, user: str) -> object:
    try:
        return ask(user)
    except NotFound:
        return None


@pytest.mark.spec("A9", "C-22")
def test_no_request_ever_shows_a_word_of_somebody_else(memory: Memory) -> None:
    dice = random.Random(20260302)
    names = everything_with_a_name(memory)
    kinds = list(requests(memory, names, dice))
    kinds += [kind for kind in kinds if kind not in SLOW]
    for number in range(REQUESTS):
        asked = kinds[number % len(kinds)]
        user = dice.choice([*CANARIES, *CANARIES, "nobody"])

        shown = answered(requests(memory, names, dice)[asked], user)
        assert foreign(user, shown) == [], f"request {number}: {asked} of {user}"


@pytest.mark.spec("A9", "C-22")
@pytest.mark.parametrize("name", STRANGE)
def test_a_strange_name_is_a_name_like_any_other(memory: Memory, name: str) -> None:
    for asked, ask in requests(memory, everything_with_a_name(memory), random.Random(7)).items():
        try:
            shown = answered(ask, name)
        except InvalidInput:
            continue
        assert foreign(name, shown) == [], asked


@pytest.mark.spec("A9")
def test_everybody_is_shown_their_own(memory: Memory) -> None:
    """The control: a canary that is never found proves nothing."""
    for user, canary in CANARIES.items():
        shown = [
            memory.search(f"soup {canary}", user_id=user),
            memory.context("what about bread?", user_id=user, chat_id="garden"),
            memory.get_all(user_id=user),
            memory.why(user_id=user),
            memory.profile(user_id=user),
            memory.summaries(user_id=user),
        ]
        assert [canary in repr(answer) for answer in shown] == [True] * 6


@pytest.mark.spec("A9")
def test_nobody_names_themselves_and_it_works(tmp_path: Path) -> None:
    with Memory(tmp_path / "memory.db", embedder=LetterEmbedder(), settings={"worker": False}) as memory:
        memory.add("I like saffron")

        assert memory.runtime.store.users() == ["default"]
        assert "saffron" in repr(memory.search("saffron"))


@pytest.mark.spec("C-22")
def test_forgetting_all_of_one_user_leaves_the_others_alone(tmp_path: Path) -> None:
    with Memory(tmp_path / "memory.db", embedder=LetterEmbedder(), settings={"worker": False}) as memory:
        for user in CANARIES:
            memory.add(f"{user} likes saffron", user_id=user)
        memory.delete_all(user_id="ana")

        assert [ids(memory.get_all(user_id=user)["results"]) != [] for user in CANARIES] == [
            False,
            True,
            True,
        ]
