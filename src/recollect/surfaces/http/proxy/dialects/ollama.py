"""Ollama's own chat, for clients that speak nothing else."""

from collections.abc import Mapping

from recollect.surfaces.http.proxy.dialects import chat
from recollect.surfaces.http.proxy.dialects.parts import Dialect, listed
from recollect.surfaces.http.proxy.said import Said
from recollect.surfaces.http.proxy.splice import Json


class OllamaFold:
    """Each line is a piece of the answer, and so is an answer that comes at once."""

    def __init__(self) -> None:
        self._words: list[str] = []
        self._calls: list[Mapping[str, object]] = []

    @property
    def response_id(self) -> str | None:
        return None

    def event(self, event: Json) -> None:
        message = event.get("message")
        if isinstance(message, dict):
            words = message.get("content")
            self._words.append(words if isinstance(words, str) else "")
            self._calls += listed(message.get("tool_calls"))

    def whole(self, answer: Json) -> None:
        self.event(answer)

    def said(self) -> tuple[Said, ...]:
        return (chat.assistant_said({"content": "".join(self._words), "tool_calls": self._calls}),)


OLLAMA = Dialect(read=chat.read, fold=OllamaFold)
