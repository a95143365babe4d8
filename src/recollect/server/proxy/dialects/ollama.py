"""Ollama's native chat API, for clients without OpenAI support."""

from collections.abc import Mapping

from recollect.server.proxy.dialects import chat_completions
from recollect.server.proxy.dialects.content_parts import Dialect, list_mappings
from recollect.server.proxy.json_splice import JsonDict
from recollect.server.proxy.request_view import ProxyMessage


class OllamaAccumulator:
    """Collects the answer. Lines of a stream and whole responses have the same format."""

    def __init__(self) -> None:
        self._text_pieces: list[str] = []
        self._calls: list[Mapping[str, object]] = []

    @property
    def response_id(self) -> str | None:
        return None

    def add_event(self, event: JsonDict) -> None:
        message = event.get("message")
        if isinstance(message, dict):
            text = message.get("content")
            self._text_pieces.append(text if isinstance(text, str) else "")
            self._calls += list_mappings(message.get("tool_calls"))

    def add_response(self, response: JsonDict) -> None:
        self.add_event(response)

    def messages(self) -> tuple[ProxyMessage, ...]:
        return (
            chat_completions.parse_assistant_message(
                {"content": "".join(self._text_pieces), "tool_calls": self._calls}
            ),
        )


OLLAMA_DIALECT = Dialect(parse_request=chat_completions.parse_request, create_accumulator=OllamaAccumulator)
