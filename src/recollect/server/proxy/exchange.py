"""One request from beginning to end: recalled for, passed on, handed back, learned from."""

import asyncio
from dataclasses import dataclass

import httpx2
from starlette.requests import Request
from starlette.types import Send

from recollect.domain.scope import Scope
from recollect.server.proxy import memory_headers
from recollect.server.proxy.conversation_cache import Threads
from recollect.server.proxy.dialects.content_parts import Dialect
from recollect.server.proxy.forward import Line, Outgoing, Pairs, Unreachable, ask, hand_back
from recollect.server.proxy.identity import USES, Use, Wish, conversation, is_chore, who
from recollect.server.proxy.ingest import Learner, noted
from recollect.server.proxy.json_splice import spliced
from recollect.server.proxy.recall import Recaller
from recollect.server.proxy.tee import Listener
from recollect.server.proxy.turn import Found, Turn, begun
from recollect.server.proxy.upstream import Upstream, passed_back, passed_on
from recollect.server.tokens import Person

#: Bytes of a request whose reading would hold up everybody else.
LARGE = 200_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Desk:
    """What all requests share."""

    line: Line
    threads: Threads
    recall: Recaller
    learner: Learner


@dataclass(frozen=True, slots=True, kw_only=True)
class Exchange:
    desk: Desk
    request: Request
    send: Send
    service: Upstream
    url: httpx2.URL
    body: bytes

    async def plain(self) -> None:
        """What memory has nothing to do with."""
        await self._handed_back(await self._asked(self.body), ())

    async def talked(self, dialect: Dialect, wish: Wish) -> None:
        turn = await self._read(dialect, wish) if wish.use.name != "off" else None
        if turn is None:
            skipped = "nothing said" if wish.use.name != "off" else None
            told = memory_headers.headers(USES["off"], Found(skipped=skipped))
            await self._handed_back(await self._asked(self.body), told)
            return
        found = await self.desk.recall(turn) if wish.use.reads else Found()
        noted(turn, found.new)
        additions = found.additions(turn)
        sent = spliced(turn.text, additions).encode() if additions else self.body
        await self._learned_from(dialect, turn, found, sent)

    async def _read(self, dialect: Dialect, wish: Wish) -> Turn | None:
        if len(self.body) < LARGE:
            return self._turn(dialect, wish)
        return await asyncio.to_thread(self._turn, dialect, wish)

    def _turn(self, dialect: Dialect, wish: Wish) -> Turn | None:
        """What memory makes of a request; None if it cannot be read, which is for the service to say, or is a chore."""
        headers = self.request.headers
        try:
            text = self.body.decode()
            asked = dialect.read(text)
        except (ValueError, RecursionError):
            return None
        if is_chore(headers, asked):
            return None
        person: Person = self.request.state.person
        trusted: bool = self.request.state.trusted
        user = who(headers, asked, person, trusted=trusted)

        def chat_of(answer: str) -> str | None:
            return self.desk.threads.chat_of(user, answer)

        chat, firm = conversation(headers, asked, chat_of, trusted=trusted)
        scope = Scope(user, chat)
        return begun(text, asked, scope, wish, self.desk.threads.of(scope), firm=firm)

    async def _learned_from(self, dialect: Dialect, turn: Turn, found: Found, sent: bytes) -> None:
        use = found.use or turn.wish.use
        try:
            response = await self._asked(sent, plainly=True)
        except asyncio.CancelledError:
            self._learn(turn, found, None)
            raise
        headers = response.headers
        heard = Listener(dialect.fold(), headers.get("content-type", ""), headers.get("content-encoding", ""))
        try:
            if turn.wish.verbose and _is_plain_json(response):
                await self._with_account(response, use, found, heard)
            else:
                await self._handed_back(response, memory_headers.headers(use, found), heard)
        finally:
            if response.is_success:
                self._learn(turn, found, heard)

    def _learn(self, turn: Turn, found: Found, heard: Listener | None) -> None:
        said = heard.said() if heard else ()
        if heard and heard.response_id:
            turn.thread.answer_id = heard.response_id
            self.desk.threads.note_answer(turn.scope, heard.response_id)
        if turn.wish.use.writes:
            turn.thread.learning = self.desk.learner.later(turn, said, found.blocks)

    async def _asked(self, body: bytes, *, plainly: bool = False) -> httpx2.Response:
        """The beginning of an answer; `plainly` asks for one that is not compressed, since it is listened to."""
        state = self.request.state
        headers = passed_on(self.request.headers, self.service, trusted=state.trusted, token=state.token)
        if plainly:
            headers = [
                *((n, v) for n, v in headers if n != "accept-encoding"),
                ("accept-encoding", "identity"),
            ]
        outgoing = Outgoing(method=self.request.method, url=self.url, headers=headers, body=body)
        return await ask(self.desk.line, outgoing)

    async def _handed_back(
        self, response: httpx2.Response, told: Pairs, heard: Listener | None = None
    ) -> None:
        headers = [*passed_back(response.headers), *told]
        try:
            await hand_back(response, headers, self.send, heard.hear if heard else _unheard)
        finally:
            await response.aclose()

    async def _with_account(self, response: httpx2.Response, use: Use, found: Found, heard: Listener) -> None:
        """The client asked for an account in the body, so that has to be whole first."""
        try:
            body = b"".join([piece async for piece in response.aiter_raw()])
        except httpx2.HTTPError as error:
            raise Unreachable.broken(self.url.host) from error
        finally:
            await response.aclose()
        heard.hear(body)
        whole = memory_headers.with_account(body, use, found)
        kept = [pair for pair in passed_back(response.headers) if pair[0] != b"content-length"]
        headers = [*kept, *memory_headers.headers(use, found), (b"content-length", str(len(whole)).encode())]
        start = {"type": "http.response.start", "status": response.status_code, "headers": headers}
        await self.send(start)
        await self.send({"type": "http.response.body", "body": whole})


def _unheard(_: bytes) -> None:
    """Nobody listens."""


def _is_plain_json(response: httpx2.Response) -> bool:
    kind = response.headers.get("content-type", "").partition(";")[0].strip().lower()
    return bool(
        response.is_success and kind == "application/json" and not response.headers.get("content-encoding")
    )
