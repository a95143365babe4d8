"""A request with an `Idempotency-Key` is done once: who sends it again gets the same answer."""

import asyncio
import hashlib
from collections import OrderedDict
from collections.abc import Callable, Coroutine
from dataclasses import dataclass, field
from typing import Any

from fastapi import Request
from fastapi.routing import APIRoute
from starlette.responses import Response, StreamingResponse

from recollect.server.problems import problem
from recollect.server.tokens import Person

HEADER = "idempotency-key"
#: Answers that are remembered, by this process and as long as it runs, and the longest key.
MOST = 1_000
LONGEST = 255


@dataclass(slots=True)
class Told:
    """One answer, while it is made and after."""

    digest: bytes
    lock: asyncio.Lock = field(default_factory=asyncio.Lock)
    answer: Response | None = None


class Answers:
    """The answers to requests with a key, the oldest forgotten first."""

    def __init__(self) -> None:
        self._told: OrderedDict[tuple[str, str, str], Told] = OrderedDict()

    def told(self, key: tuple[str, str, str], digest: bytes) -> Told:
        told = self._told.setdefault(key, Told(digest))
        self._told.move_to_end(key)
        while len(self._told) > MOST:
            self._told.popitem(last=False)
        return told


class Once(APIRoute):
    """A route that heeds the key. Answers that stream are not remembered: they go by the id of their message."""

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        do = super().get_route_handler()

        async def once(request: Request) -> Response:
            key = request.headers.get(HEADER)
            if key is None or request.method != "POST":
                return await do(request)
            if not 0 < len(key) <= LONGEST:
                return problem(422, "invalid_input", f"An Idempotency-Key has 1 to {LONGEST} characters.")
            return await _once(request, key, do)

        return once


async def _once(
    request: Request, key: str, do: Callable[[Request], Coroutine[Any, Any, Response]]
) -> Response:
    answers: Answers = request.app.state.answers
    person: Person = request.state.person
    digest = hashlib.sha256(request.url.query.encode() + b"\n" + await request.body()).digest()
    told = answers.told((person.name, request.url.path, key), digest)
    if told.digest != digest:
        return problem(
            409,
            "key_used",
            "This Idempotency-Key came with another body before. Use a new key for a new request.",
        )
    async with told.lock:
        if told.answer is not None:
            return _replayed(told.answer)
        made = await do(request)
        if not isinstance(made, StreamingResponse) and made.status_code < 500:
            told.answer = made
        return made


def _replayed(told: Response) -> Response:
    headers = {name: value for name, value in told.headers.items() if name != "content-length"}
    return Response(told.body, told.status_code, {**headers, "Idempotency-Replayed": "true"})
