"""Streams of answers and of progress: produced in a thread, consumed in the event loop, cancellable at any time."""

import asyncio
import json
import threading
from collections.abc import AsyncGenerator, Callable, Iterator, Mapping, Sequence
from contextvars import copy_context
from dataclasses import dataclass, field
from typing import Generic, TypeVar

from recollect.errors import ProviderBusy
from recollect.ports.chat_model import ChatModel, Completion, ModelMessage

Piece = TypeVar("Piece")
#: Concurrent answers; each has a thread that mostly waits for a model.
MAX_ACTIVE_ANSWERS = 512
#: Time without output after which a heartbeat is sent.
HEARTBEAT_SECONDS = 15.0


class CancelToken:
    """Set when the work is stopped or the client disconnects."""

    def __init__(self) -> None:
        self._event = threading.Event()

    def cancel(self) -> None:
        self._event.set()

    @property
    def is_cancelled(self) -> bool:
        return self._event.is_set()


@dataclass(frozen=True, slots=True)
class CancellableModel:
    """A chat model whose stream ends on cancellation as if the answer were complete."""

    model: ChatModel
    cancel_token: CancelToken

    @property
    def model_id(self) -> str:
        return self.model.model_id

    def complete(
        self,
        messages: Sequence[ModelMessage],
        *,
        max_tokens: int,
        schema: Mapping[str, object] | None = None,
        timeout: float | None = None,
    ) -> Completion:
        return self.model.complete(messages, max_tokens=max_tokens, schema=schema, timeout=timeout)

    def stream(
        self, messages: Sequence[ModelMessage], *, max_tokens: int, timeout: float | None = None
    ) -> Iterator[str]:
        for piece in self.model.stream(messages, max_tokens=max_tokens, timeout=timeout):
            if self.cancel_token.is_cancelled:
                return
            yield piece


@dataclass(frozen=True, slots=True)
class StreamFailure:
    error: Exception


class ThreadStream(Generic[Piece]):
    """Runs a producer in its own thread and passes what it sends to the event loop."""

    def __init__(self, produce: Callable[[Callable[[Piece], None]], None], cancel_token: CancelToken) -> None:
        self._produce = produce
        self._cancel_token = cancel_token
        self._loop = asyncio.get_running_loop()
        self._queue: asyncio.Queue[Piece | StreamFailure | None] = asyncio.Queue()

    @classmethod
    def of_iterator(
        cls, create_iterator: Callable[[], Iterator[Piece]], cancel_token: CancelToken
    ) -> "ThreadStream[Piece]":
        def produce(send: Callable[[Piece], None]) -> None:
            for piece in create_iterator():
                send(piece)

        return cls(produce, cancel_token)

    def start(self) -> None:
        # Context variables, such as the current span, belong to the request.
        run_in_context = copy_context().run
        threading.Thread(
            target=run_in_context, args=(self._run,), name="recollect-stream", daemon=True
        ).start()

    async def next(self) -> Piece | None:
        """Return the next piece, None at the end. Exceptions of the thread are raised here."""
        piece = await self._queue.get()
        if isinstance(piece, StreamFailure):
            raise piece.error
        return piece

    async def pieces(self) -> AsyncGenerator[Piece | None]:
        """Yield all pieces, and None as a heartbeat. Closing the generator cancels the stream."""
        try:
            while True:
                try:
                    piece = await asyncio.wait_for(self.next(), HEARTBEAT_SECONDS)
                except TimeoutError:
                    yield None
                    continue
                if piece is None:
                    return
                yield piece
        finally:
            self._cancel_token.cancel()

    def _run(self) -> None:
        try:
            self._produce(self._enqueue)
            self._enqueue(None)
        except Exception as error:  # noqa: BLE001 - the thread's boundary: raised again in `next`
            self._enqueue(StreamFailure(error))

    def _enqueue(self, piece: Piece | StreamFailure | None) -> None:
        try:
            self._loop.call_soon_threadsafe(self._queue.put_nowait, piece)
        except RuntimeError:
            # The event loop is closed; the partial answer is stored all the same.
            self._cancel_token.cancel()


@dataclass(slots=True)
class ActiveAnswers:
    """Cancel tokens of running answers, by user and chat. Used in the event loop only."""

    runs_worker: bool = True  #: whether this process runs queued jobs
    _cancel_tokens: dict[tuple[str, str], list[CancelToken]] = field(default_factory=dict)

    def start(self, user: str, chat: str) -> CancelToken:
        if sum(map(len, self._cancel_tokens.values())) >= MAX_ACTIVE_ANSWERS:
            raise ProviderBusy(f"{MAX_ACTIVE_ANSWERS} answers are already running. Try again in a moment.")
        cancel_token = CancelToken()
        self._cancel_tokens.setdefault((user, chat), []).append(cancel_token)
        return cancel_token

    def finish(self, user: str, chat: str, cancel_token: CancelToken) -> None:
        active_tokens = self._cancel_tokens.get((user, chat), [])
        if cancel_token in active_tokens:
            active_tokens.remove(cancel_token)
        if not active_tokens:
            self._cancel_tokens.pop((user, chat), None)

    def stop(self, user: str, chat: str) -> int:
        """Cancel the answers of a chat; return how many there were."""
        cancel_tokens = self._cancel_tokens.get((user, chat), [])
        for cancel_token in cancel_tokens:
            cancel_token.cancel()
        return len(cancel_tokens)


def format_event(name: str, data: object) -> bytes:
    """Return a server-sent event. JSON has no raw line breaks, so one data line is enough."""
    text = json.dumps(data, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    return f"event: {name}\ndata: {text}\n\n".encode("utf-8", "replace")


#: A comment, which clients ignore.
HEARTBEAT = b": still here\n\n"
