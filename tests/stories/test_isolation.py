"""Whatever is asked in whoever's name: nobody is ever shown a word of somebody else."""

import random
from collections.abc import Callable, Iterable, Iterator, Mapping

import pytest
from tests.contract.stores import OpenStore

from recollect import Memory
from recollect.domain.candidate import SearchFilter
from recollect.domain.memory import Memory as StoredMemory
from recollect.domain.scope import Scope
from recollect.errors import InvalidInput, NotFound
from recollect.integrations.designs import build_system_message
from recollect.testing.clock import CountingIds, FrozenClock
from recollect.testing.embedders import LetterEmbedder
from recollect.testing.inspection import store_of

REQUEST_COUNT = 10_000
#: These take longest, so they come up half as often.
SLOW_REQUESTS = frozenset({"search", "as of", "context", "why_not", "system message", "receipts"})
#: Words that nobody else says; the three users talk about the same things in chats of the same names.
CANARIES = {"ana": "quetzalana", "bruno": "quetzalbruno", "carla": "quetzalcarla"}
CHATS = ("kitchen", "garden", "default")
TOPICS = ("soup", "saffron", "bread", "roses", "tea", "cake")
STRANGE_USERS = ("ana' OR '1'='1", "%", "*", "ana\x1f", "1", "0", "ANA", "ana ", "bruno--", '"', "ana;bruno")

UserRequest = Callable[[str], object]


@pytest.fixture(scope="module")
def memory(open_shared_store: OpenStore) -> Iterator[Memory]:
    """Everybody has said something, corrected something, and forgotten something."""
    with Memory(
        store=open_shared_store(),
        embedder=LetterEmbedder(),
        clock=FrozenClock(),
        ids=CountingIds(),
        settings={"worker": False},
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
                memories = memory.add(f"{topic} is what {canary} wants", user_id=user, chat_id=chat)
                memory_id = ids(memories.memories)[0]
                memory.update(memory_id, f"{topic} is what {canary} needs", user_id=user)
                if turn == 0:
                    memory.delete(memory_id, user_id=user)
        for user, canary in CANARIES.items():
            memory.privacy.consent("profile", granted=True, user_id=user)
            memory.profile.set({"projectGoals": f"grow {canary}", "freeformNotes": canary}, user_id=user)
            memory.profile.add_context_file(
                f"file of {user}", f"All about {canary}.", chat_id="garden", user_id=user
            )
            memory.chats.summarize("kitchen", user_id=user)
        memory.flush()
        yield memory


def ids(results: Iterable[StoredMemory]) -> list[str]:
    return [each.id for each in results]


def ids_by_user(memory: Memory) -> dict[str, list[str]]:
    """Ids of messages, memories, receipts, events and files of all users, by user."""
    store = store_of(memory.application)
    return {
        user: [
            *(message.id for message in store.messages.list(Scope(user))),
            *(each.id for each in store.memories.list(Scope(user), status=None)),
            *(receipt.id for receipt in store.receipts.list(Scope(user))),
            *(event.id for event in store.events.list(Scope(user))),
            *(file.id for file in store.context_files.list(Scope(user))),
            *(file.name for file in store.context_files.list(Scope(user))),
        ]
        for user in CANARIES
    }


def make_requests(
    memory: Memory, ids: Mapping[str, list[str]], rng: random.Random
) -> Mapping[str, UserRequest]:
    """One request of each kind, about anything that anybody has."""
    store = store_of(memory.application)
    target_id = rng.choice([name for listed in ids.values() for name in listed])
    chat = rng.choice([*CHATS, None])
    # In capitals they are searched for all the same, but a receipt that repeats the question shows no canary.
    shouted = [canary.upper() for canary in CANARIES.values()]
    query = " ".join(rng.choices([*TOPICS, *shouted, *CANARIES, target_id, "like", "what"], k=4))
    passages = list(range(150))
    vector = LetterEmbedder().embed_query(query)

    def search(user: str) -> object:
        return memory.search(query, user_id=user, chat_id=chat, limit=50)

    def context(user: str) -> object:
        preset = rng.choice(["default", "companion", "dev", "facts", "agent"])
        settings = {"preset": preset, "recall.enabled": True}
        return memory.context(query, user_id=user, chat_id=chat, settings=settings)

    def important(user: str) -> object:
        hits = store.search.most_important(Scope(user), limit=99, search_filter=SearchFilter())
        return store.search.load(Scope(user), [hit.passage_id for hit in hits], search_filter=SearchFilter())

    def is_foreign(user: str) -> bool:
        return target_id not in ids.get(user, [])

    def attach(user: str) -> object:
        if is_foreign(user):
            memory.profile.attach_context_file(target_id, "kitchen", user_id=user)
        return memory.profile.context_files(chat_id="kitchen", user_id=user)

    return {
        "search": search,
        "as of": lambda user: memory.search(query, user_id=user, chat_id=chat, as_of="2026-03-02T09:00:00+00:00"),
        "context": context,
        "get": lambda user: memory.get(target_id, user_id=user),
        "prefix": lambda user: memory.get(target_id[:-1], user_id=user),
        "get_all": lambda user: memory.get_all(user_id=user, chat_id=chat),
        "history": lambda user: memory.history(target_id, user_id=user),
        "why": lambda user: memory.receipts.get(target_id, user_id=user),
        "last receipt": lambda user: memory.receipts.get(user_id=user),
        "why_not": lambda user: memory.receipts.why_not(query, target_id, user_id=user),
        "update": lambda user: is_foreign(user) and memory.update(target_id, "mine now", user_id=user),
        "delete": lambda user: is_foreign(user) and memory.delete(target_id, user_id=user),
        "system message": lambda user: build_system_message(
            rag_query=query, app=memory, user_id=user, chat_id=chat
        ),
        "inbox": lambda user: memory.review.list(user_id=user),
        "events": lambda user: memory.memories.events(user_id=user, limit=200),
        "undo": lambda user: is_foreign(user) and memory.memories.undo(target_id, user_id=user),
        "restore": lambda user: is_foreign(user) and memory.memories.restore(target_id, user_id=user),
        "profile": lambda user: memory.profile.get(user_id=user),
        "consents": lambda user: memory.privacy.consents(user_id=user),
        "ledger": lambda user: memory.privacy.audit_log(user_id=user),
        "files": lambda user: memory.profile.context_files(user_id=user, chat_id=chat),
        "file": lambda user: store.context_files.get(Scope(user), target_id),
        "attach": attach,
        "summaries": lambda user: memory.chats.summaries(user_id=user, chat_id=chat),
        "forecast": lambda user: memory.maintenance.forecast(user_id=user),
        "chat": lambda user: memory.chats.messages(rng.choice(CHATS), user_id=user),
        "edit": lambda user: is_foreign(user) and memory.chats.edit(target_id, "mine now", user_id=user),
        "branch": lambda user: is_foreign(user) and memory.chats.branch(target_id, "my branch", user_id=user),
        "stats": lambda user: memory.maintenance.stats(user_id=user),
        "message": lambda user: store.messages.get(Scope(user), target_id),
        "messages": lambda user: store.messages.list(Scope(user, chat), before=rng.choice([None, target_id])),
        "unextracted": lambda user: store.messages.list_unextracted(Scope(user), limit=99),
        "chunks": lambda user: store.messages.chunks(Scope(user), target_id),
        "chats": lambda user: store.chats.list(Scope(user)),
        "of_messages": lambda user: store.memories.of_messages(Scope(user), [target_id]),
        "load": lambda user: store.search.load(Scope(user, chat), passages, search_filter=SearchFilter()),
        "cosines": lambda user: sorted(
            store.search.load(
                Scope(user),
                store.search.cosines(Scope(user), passages, vector, model="letters"),
                search_filter=SearchFilter(),
            ).items()
        ),
        "important": important,
        "waiting": lambda user: store.vectors.queue(user, limit=99).passages,
        "jobs": lambda user: store.jobs.list(Scope(user)),
        "receipts": lambda user: store.receipts.list(Scope(user)),
    }  # fmt: skip


def find_foreign_canaries(user: str, answer: object) -> list[str]:
    shown = repr(answer)
    return [canary for owner, canary in CANARIES.items() if owner != user and canary in shown]


def run_request(request: UserRequest, user: str) -> object:
    try:
        return request(user)
    except NotFound:
        return None


@pytest.mark.spec("A9", "C-22")
def test_no_request_ever_shows_a_word_of_somebody_else(memory: Memory) -> None:
    dice = random.Random(20260302)
    names = ids_by_user(memory)
    kinds = list(make_requests(memory, names, dice))
    kinds += [kind for kind in kinds if kind not in SLOW_REQUESTS]
    for number in range(REQUEST_COUNT):
        request_kind = kinds[number % len(kinds)]
        user = dice.choice([*CANARIES, *CANARIES, "nobody"])

        shown = run_request(make_requests(memory, names, dice)[request_kind], user)
        assert find_foreign_canaries(user, shown) == [], f"request {number}: {request_kind} of {user}"


@pytest.mark.spec("A9", "C-22")
@pytest.mark.parametrize("name", STRANGE_USERS)
def test_a_strange_name_is_a_name_like_any_other(memory: Memory, name: str) -> None:
    for request_kind, ask in make_requests(memory, ids_by_user(memory), random.Random(7)).items():
        try:
            shown = run_request(ask, name)
        except InvalidInput:
            continue
        assert find_foreign_canaries(name, shown) == [], request_kind


@pytest.mark.spec("A9")
def test_everybody_is_shown_their_own(memory: Memory) -> None:
    """The control: a canary that is never found proves nothing."""
    for user, canary in CANARIES.items():
        shown = [
            memory.search(f"soup {canary}", user_id=user),
            memory.context("what about bread?", user_id=user, chat_id="garden"),
            memory.get_all(user_id=user),
            memory.receipts.get(user_id=user),
            memory.profile.get(user_id=user),
            memory.chats.summaries(user_id=user),
        ]
        assert [canary in repr(answer) for answer in shown] == [True] * 6


@pytest.mark.spec("A9")
def test_nobody_names_themselves_and_it_works(open_store: OpenStore) -> None:
    with Memory(store=open_store(), embedder=LetterEmbedder(), settings={"worker": False}) as memory:
        memory.add("I like saffron")

        assert store_of(memory.application).users() == ["default"]
        assert "saffron" in repr(memory.search("saffron"))


@pytest.mark.spec("C-22")
def test_forgetting_all_of_one_user_leaves_the_others_alone(open_store: OpenStore) -> None:
    with Memory(store=open_store(), embedder=LetterEmbedder(), settings={"worker": False}) as memory:
        for user in CANARIES:
            memory.add(f"{user} likes saffron", user_id=user)
        memory.delete_all(user_id="ana")

        assert [ids(memory.get_all(user_id=user)) != [] for user in CANARIES] == [
            False,
            True,
            True,
        ]
