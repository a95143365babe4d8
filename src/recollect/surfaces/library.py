"""The library: `from recollect import Memory`."""

import asyncio
from collections.abc import Callable, Coroutine, Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Concatenate, ParamSpec, Self, TypeAlias, TypeVar

from recollect.errors import InvalidInput, Refused
from recollect.model.memory import Change, Kind, Span
from recollect.model.scope import Scope
from recollect.ports.chat_model import ChatModel
from recollect.ports.clock import Clock, Ids
from recollect.ports.embedder import Embedder
from recollect.settings import load
from recollect.surfaces import incoming, shapes
from recollect.surfaces.shapes import Shape
from recollect.wiring import Runtime, open_runtime

Messages: TypeAlias = str | Mapping[str, object] | Sequence[Mapping[str, object]]
Arguments = ParamSpec("Arguments")
Result = TypeVar("Result")


class Memory:
    """
    A memory in one file. Safe to share between threads; several processes may open the same file.

    Settings can be given by name, as in ``Memory("me.db", settings={"preset": "companion", "recall.limit": 5})``;
    those of a call win over those given here.
    """

    def __init__(
        self,
        db: str | Path | None = None,
        *,
        user_id: str | None = None,
        embedder: Embedder | None = None,
        chat_model: ChatModel | None = None,
        clock: Clock | None = None,
        ids: Ids | None = None,
        settings: Mapping[str, object] | None = None,
    ) -> None:
        given = {
            **(settings or {}),
            **({"db": str(db)} if db else {}),
            **({"user": user_id} if user_id else {}),
        }
        self._runtime = open_runtime(
            load(arguments=given), embedder=embedder, chat_model=chat_model, clock=clock, ids=ids
        )
        self._connection = self._runtime.settings.resolve().connection

    @property
    def runtime(self) -> Runtime:
        """The engine and what it runs on, for those who need more than these verbs."""
        return self._runtime

    def add(
        self,
        messages: Messages,
        *,
        user_id: str | None = None,
        chat_id: str | None = None,
        tags: str | Sequence[str] = (),
        kind: str | None = None,
        sync: bool = False,
        settings: Mapping[str, object] | None = None,
    ) -> Shape:
        """
        Remember a text as it is, or listen to messages and learn from them.

        What comes back is on disk. Facts are extracted from messages in the background; with ``sync`` they
        are in the answer.
        """
        scope = self._scope(user_id, chat_id)
        policy = self._runtime.policy(scope.user, settings)
        engine = self._runtime.engine
        if isinstance(messages, str):
            marks, wanted = incoming.tags(tags), _kind(kind)
            answer = shapes.results(
                [shapes.kept(engine.remember(scope, messages, policy, tags=marks, kind=wanted))]
            )
        else:
            observed = engine.observe(scope, incoming.drafts(messages), policy)
            answer = shapes.results([])
            answer["messages"] = [shapes.observed(each) for each in observed]
        self._wake()
        if sync and not isinstance(messages, str):
            self.flush()
            learned = self._runtime.store.memories.of_messages(scope, [each.message.id for each in observed])
            fresh = frozenset(each.message.id for each in observed if each.new)
            answer["results"] = [
                {**shapes.memory(each), "event": _event(each.spans, fresh)} for each in learned
            ]
        return answer

    def search(
        self,
        query: str,
        *,
        user_id: str | None = None,
        chat_id: str | None = None,
        limit: int | None = None,
        as_of: object = None,
        settings: Mapping[str, object] | None = None,
    ) -> Shape:
        """What bears on a question, best first, each with its score and the parts it is made of."""
        scope = self._scope(user_id, chat_id)
        call = {**(settings or {}), **({"recall.limit": limit} if limit is not None else {})}
        policy = self._runtime.policy(scope.user, call)
        asked, then = incoming.question(query), incoming.moment(as_of)
        return shapes.found(self._runtime.engine.recall(scope, asked, policy, as_of=then))

    def context(
        self,
        query: str,
        *,
        user_id: str | None = None,
        chat_id: str | None = None,
        budget: int | None = None,
        settings: Mapping[str, object] | None = None,
    ) -> Shape:
        """The block for the next prompt under ``text``, and its receipt: what is in it, what is not, and why."""
        scope = self._scope(user_id, chat_id)
        call = {**(settings or {}), **({"assemble.budget": budget} if budget is not None else {})}
        policy = self._runtime.policy(scope.user, call)
        receipt = self._runtime.engine.context(scope, incoming.question(query), policy)
        return {"text": receipt.text, "tokens": receipt.tokens, "receipt": shapes.receipt(receipt)}

    def get(self, memory_id: str, *, user_id: str | None = None) -> Shape:
        return shapes.memory(self._runtime.store.memories.get(self._scope(user_id), memory_id))

    def get_all(
        self,
        *,
        user_id: str | None = None,
        chat_id: str | None = None,
        limit: int = 100,
        offset: int = 0,
        tag: str | None = None,
    ) -> Shape:
        """Active memories, the most recently seen first."""
        scope = self._scope(user_id, chat_id)
        listed = self._runtime.store.memories.list(scope, limit=limit, offset=offset, tag=tag)
        return shapes.results(shapes.memory(each) for each in listed)

    def update(self, memory_id: str, data: str, *, user_id: str | None = None) -> Shape:
        """Correct a memory; its old words stay in its history."""
        scope = self._scope(user_id)
        saved = self._runtime.engine.correct(scope, memory_id, data, self._runtime.policy(scope.user))
        self._wake()
        return shapes.memory(saved)

    def delete(self, memory_id: str, *, user_id: str | None = None) -> Shape:
        """Forget a memory."""
        return shapes.memory(self._runtime.engine.forget(self._scope(user_id), memory_id))

    def delete_all(self, *, user_id: str | None = None) -> Shape:
        """Forget all memories of a user, who must be named: there is no default here."""
        if user_id is None:
            raise Refused("delete_all forgets everything about a user. Say whose: delete_all(user_id=...).")
        return {"deleted": self._runtime.engine.forget_all(Scope(user_id))}

    def history(self, memory_id: str, *, user_id: str | None = None) -> list[Shape]:
        """Every version of a memory, oldest first."""
        versions = self._runtime.store.memories.history(self._scope(user_id), memory_id)
        return [shapes.version(each) for each in versions]

    def why(self, receipt_id: str = "last", *, user_id: str | None = None) -> Shape:
        """The receipt of a recall: what was injected, what was left out and why, scores, timings."""
        return shapes.receipt(self._runtime.store.receipts.get(self._scope(user_id), receipt_id))

    def why_not(
        self, query: str, memory_id: str, *, user_id: str | None = None, chat_id: str | None = None
    ) -> Shape:
        """Why a memory or message would not be recalled for a question."""
        scope = self._scope(user_id, chat_id)
        policy = self._runtime.policy(scope.user)
        asked = incoming.question(query)
        return shapes.absence(self._runtime.engine.why_not(scope, asked, memory_id, policy))

    def flush(self, *, seconds: float = 60.0) -> bool:
        """Do the queued work now; whether all of it was done in time."""
        return self._runtime.worker.drain(seconds=seconds)

    def stats(self, *, user_id: str | None = None) -> Shape:
        return shapes.stats(self._runtime.store.upkeep.stats(self._scope(user_id)))

    def close(self) -> None:
        self._runtime.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _scope(self, user_id: str | None, chat_id: str | None = None) -> Scope:
        return Scope(user_id if user_id is not None else self._connection.user, chat_id)

    def _wake(self) -> None:
        if self._connection.worker:
            self._runtime.worker.start()
            self._runtime.worker.wake()


def _in_thread(
    verb: Callable[Concatenate[Memory, Arguments], Result],
) -> Callable[Concatenate["AsyncMemory", Arguments], Coroutine[None, None, Result]]:
    async def call(self: "AsyncMemory", /, *args: Arguments.args, **kwargs: Arguments.kwargs) -> Result:
        return await asyncio.to_thread(verb, self.memory, *args, **kwargs)

    call.__doc__ = verb.__doc__
    return call


class AsyncMemory:
    """The same verbs for asyncio: each runs in a thread."""

    def __init__(
        self,
        db: str | Path | None = None,
        *,
        user_id: str | None = None,
        embedder: Embedder | None = None,
        chat_model: ChatModel | None = None,
        clock: Clock | None = None,
        ids: Ids | None = None,
        settings: Mapping[str, object] | None = None,
    ) -> None:
        self.memory = Memory(
            db,
            user_id=user_id,
            embedder=embedder,
            chat_model=chat_model,
            clock=clock,
            ids=ids,
            settings=settings,
        )

    add = _in_thread(Memory.add)
    search = _in_thread(Memory.search)
    context = _in_thread(Memory.context)
    get = _in_thread(Memory.get)
    get_all = _in_thread(Memory.get_all)
    update = _in_thread(Memory.update)
    delete = _in_thread(Memory.delete)
    delete_all = _in_thread(Memory.delete_all)
    history = _in_thread(Memory.history)
    why = _in_thread(Memory.why)
    why_not = _in_thread(Memory.why_not)
    flush = _in_thread(Memory.flush)
    stats = _in_thread(Memory.stats)
    close = _in_thread(Memory.close)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()


def _event(spans: Sequence[Span], fresh: frozenset[str]) -> str:
    """What new messages did for a memory that rests on these words: brought it, confirmed it, or nothing."""
    sources = [span.message_id for span in spans]
    if fresh.isdisjoint(sources):
        return "NONE"
    return Change.ADD.value if sources[0] in fresh else Change.REINFORCE.value


def _kind(name: str | None) -> Kind | None:
    try:
        return None if name is None else Kind(name)
    except ValueError as error:
        raise InvalidInput(f"There is no kind {name!r}. Choose one of {', '.join(Kind)}.") from error
