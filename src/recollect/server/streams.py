"""Answers that come piece by piece: a thread makes them, the event loop hands them on, anybody may stop them."""

import asyncio
import json
import threading
from collections.abc import AsyncGenerator, Callable, Iterator, Mapping, Sequence
from contextvars import copy_context
from dataclasses import dataclass, field
from typing import Generic, TypeVar

from recollect.errors import ProviderBusy
from recollect.ports.chat_model import ChatModel, Completion, Turn

Piece = TypeVar("Piece")
#: Answers under way at once; each has a thread that mostly waits for a model.
MOST = 512
#: Seconds of silence after which a client is told that somebody is still there.
PATIENCE = 15.0


class Brake:
    """Pulled by whoever stops an answer, or leaves."""

    def __init__(self) -> None:
        self._pulled = threading.Event()

    def pull(self) -> None:
        self._pulled.set()

    @property
    def pulled(self) -> bool:
        return self._pulled.is_set()


@dataclass(frozen=True, slots=True)
class Braked:
    """A chat model that ends its answer when the brake is pulled, as if it had said all it wanted."""

    model: ChatModel
    brake: Brake

    @property
    def model_id(self) -> str:
        return self.model.model_id

    def complete(
        self,
        turns: Sequence[Turn],
        *,
        max_tokens: int,
        schema: Mapping[str, object] | None = None,
        timeout: float | None = None,
    ) -> Completion:
        return self.model.complete(turns, max_tokens=max_tokens, schema=schema, timeout=timeout)

    def stream(
        self, turns: Sequence[Turn], *, max_tokens: int, timeout: float | None = None
    ) -> Iterator[str]:
        for piece in self.model.stream(turns, max_tokens=max_tokens, timeout=timeout):
            if self.brake.pulled:
                return
            yield piece


@dataclass(frozen=True, slots=True)
class Failure:
    error: Exception


class Flow(Generic[Piece]):
    """What an iterator yields in a thread of its own, for the event loop."""

    def __init__(self, make: Callable[[], Iterator[Piece]], brake: Brake) -> None:
        self._make = make
        self._brake = brake
        self._loop = asyncio.get_running_loop()
        self._queue: asyncio.Queue[Piece | Failure | None] = asyncio.Queue()

    def start(self) -> None:
        # What is done there belongs to the request that asked for it.
        whole = copy_context().run
        threading.Thread(target=whole, args=(self._run,), name="recollect-answer", daemon=True).start()

    async def next(self) -> Piece | None:
        """The next piece; None at the end. What went wrong in the thread is raised here."""
        piece = await self._queue.get()
        if isinstance(piece, Failure):
            raise piece.error
        return piece

    async def pieces(self) -> AsyncGenerator[Piece | None]:
        """All pieces, and None now and then while nothing comes. Who stops listening pulls the brake."""
        try:
            while True:
                try:
                    piece = await asyncio.wait_for(self.next(), PATIENCE)
                except TimeoutError:
                    yield None
                    continue
                if piece is None:
                    return
                yield piece
        finally:
            self._brake.pull()

    def _run(self) -> None:
        try:
            for piece in self._make():
                self._hand_over(piece)
            self._hand_over(None)
        except Exception as error:  # noqa: BLE001 - the thread's boundary: whoever listens gets it
            self._hand_over(Failure(error))

    def _hand_over(self, piece: Piece | Failure | None) -> None:
        try:
            self._loop.call_soon_threadsafe(self._queue.put_nowait, piece)
        except RuntimeError:
            # The server is gone; what was said is kept all the same.
            self._brake.pull()


@dataclass(slots=True)
class Conversations:
    """The answers under way, by user and chat. Used in the event loop alone."""

    works: bool = True  #: whether queued work is done in this process
    _brakes: dict[tuple[str, str], list[Brake]] = field(default_factory=dict)

    def begin(self, user: str, chat: str) -> Brake:
        if sum(map(len, self._brakes.values())) >= MOST:
            raise ProviderBusy(f"{MOST} answers are under way already. Try again in a moment.")
        brake = Brake()
        self._brakes.setdefault((user, chat), []).append(brake)
        return brake

    def end(self, user: str, chat: str, brake: Brake) -> None:
        here = self._brakes.get((user, chat), [])
        if brake in here:
            here.remove(brake)
        if not here:
            self._brakes.pop((user, chat), None)

    def stop(self, user: str, chat: str) -> int:
        """Stop what is said in a chat; return how many answers that were."""
        brakes = self._brakes.get((user, chat), [])
        for brake in brakes:
            brake.pull()
        return len(brakes)


def event(name: str, data: object) -> bytes:
    """A server-sent event. JSON has no line breaks of its own, so one line of data is enough."""
    text = json.dumps(data, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    return f"event: {name}\ndata: {text}\n\n".encode("utf-8", "replace")


#: A comment, which clients pass over.
STILL_HERE = b": still here\n\n"
