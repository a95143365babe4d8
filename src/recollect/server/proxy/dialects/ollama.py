"""Ollama's own chat, for clients that speak nothing else."""

from collections.abc import Mapping

from recollect.server.proxy.dialects import chat_completions
from recollect.server.proxy.dialects.content_parts import Dialect, listed
from recollect.server.proxy.json_splice import Json
from recollect.server.proxy.request_view import Said


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
        return (
            chat_completions.assistant_said({"content": "".join(self._words), "tool_calls": self._calls}),
        )


OLLAMA = Dialect(read=chat_completions.read, fold=OllamaFold)
