"""Ask Anthropic's models, or a server that speaks their dialect."""

from collections.abc import Iterator, Mapping, Sequence

from recollect.adapters.llms.chat_client import Dialect
from recollect.adapters.llms.http_client import Json, fields
from recollect.adapters.llms.sse import objects
from recollect.ports.chat_model import Turn
from recollect.text.windows import encodable

VERSION = "2023-06-01"


class AnthropicChatModel(Dialect):
    """
    Asks with ``POST {base_url}/v1/messages``. An endpoint that does not know JSON schemas is asked again without,
    once.
    """

    asking = "/v1/messages"
    listing = "/v1/models"
    heard = "input_tokens"
    spoken = "output_tokens"

    def _base(self, base_url: str) -> str:
        return base_url.strip().rstrip("/").removesuffix("/v1")

    def _headers(self, key: str | None) -> Mapping[str, str]:
        return {"anthropic-version": VERSION, **({"x-api-key": key} if key else {})}

    def _said(self, answer: Json) -> tuple[str, bool]:
        return self._words(answer), answer.get("stop_reason") == "max_tokens"

    def _pieces(self, events: Iterator[str]) -> Iterator[str]:
        ended, said = False, False
        for event in objects(events):
            kind, delta = event.get("type"), fields(event.get("delta"))
            if kind == "message":
                yield self._words(event)
                return
            if kind == "error" or event.get("error"):
                raise self._wire.told(event.get("error"))
            if kind == "content_block_start":
                said = said or fields(event.get("content_block")).get("type") == "text"
            elif kind == "content_block_delta" and isinstance(text := delta.get("text"), str):
                said = True
                yield text
            elif kind == "message_delta" and delta.get("stop_reason") == "refusal":
                raise self._wire.none("it declined")
            ended = ended or kind == "message_stop" or bool(delta.get("stop_reason"))
        if not ended:
            raise self._wire.broken_off() if said else self._wire.none("the stream is empty")
        if not said:
            raise self._wire.none("it ended without words")

    def _question(self, turns: Sequence[Turn], max_tokens: int, schema: Mapping[str, object] | None) -> Json:
        system = "\n\n".join(encodable(turn.content) for turn in turns if turn.role == "system")
        said = [turn for turn in turns if turn.role != "system"]
        question: Json = {
            "model": self._model,
            "max_tokens": max_tokens,
            "messages": [{"role": turn.role, "content": encodable(turn.content)} for turn in said],
        }
        if system:
            question["system"] = system
        if schema is not None and self._schemas:
            question["output_config"] = {"format": {"type": "json_schema", "schema": schema}}
        return question

    def _learn(self, asked: Json, complaint: str) -> bool:
        said = complaint.lower()
        if "output_config" in asked and ("output_config" in said or "schema" in said):
            self._schemas = False
            return True
        return False

    def _words(self, answer: Json) -> str:
        if answer.get("stop_reason") == "refusal":
            raise self._wire.none("it declined")
        blocks = answer.get("content")
        found = [fields(block).get("text") for block in blocks] if isinstance(blocks, list) else []
        texts = [text for text in found if isinstance(text, str)]
        if not texts:
            raise (
                self._wire.told(answer["error"])
                if answer.get("error")
                else self._wire.none("it has no words")
            )
        return "".join(texts)
