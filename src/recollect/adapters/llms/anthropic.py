"""Ask Anthropic's models, or a server that speaks their dialect."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing

from recollect.adapters.llms.sse import objects, whole
from recollect.adapters.llms.wire import MOST_BYTES, Json, Wire, checked_key, count, listed
from recollect.ports.chat_model import Completion, Turn
from recollect.text.windows import encodable

VERSION = "2023-06-01"


class AnthropicChatModel:
    """
    Asks with ``POST {base_url}/v1/messages``. Follows no redirect, and asks no other address.

    ``timeout`` is in seconds, for one request as a whole. An endpoint that does not know JSON schemas is asked
    again without, once. Close it to give its connections back.
    """

    def __init__(
        self,
        base_url: str,
        model: str,
        api_key: str | None = None,
        *,
        timeout: float = 60.0,
        max_bytes: int = MOST_BYTES,
        proxy: str | None = None,
    ) -> None:
        key = checked_key(api_key)
        self._model = model
        self._wire = Wire(
            base_url.strip().rstrip("/").removesuffix("/v1"),
            {"anthropic-version": VERSION, **({"x-api-key": key} if key else {})},
            model=model,
            secret=key,
            timeout=timeout,
            max_bytes=max_bytes,
            proxy=proxy,
        )
        self._schemas = True

    @property
    def model_id(self) -> str:
        return self._model

    def models(self) -> list[str]:
        """The models that the endpoint has."""
        return listed(self._wire.get("/v1/models"))

    def complete(
        self,
        turns: Sequence[Turn],
        *,
        max_tokens: int,
        schema: Mapping[str, object] | None = None,
        timeout: float | None = None,
    ) -> Completion:
        answer = self._wire.ask(
            "/v1/messages", lambda: self._question(turns, max_tokens, schema), self._learn, timeout
        )
        text = self._words(answer)
        usage = answer.get("usage")
        spent = usage if isinstance(usage, dict) else {}
        name = answer.get("model")
        return Completion(
            text="".join(whole([text])),
            model=name if isinstance(name, str) and name else self._model,
            prompt_tokens=count(spent.get("input_tokens")),
            completion_tokens=count(spent.get("output_tokens")),
            cut=answer.get("stop_reason") == "max_tokens",
        )

    def stream(
        self, turns: Sequence[Turn], *, max_tokens: int, timeout: float | None = None
    ) -> Iterator[str]:
        events = self._wire.listen(
            "/v1/messages",
            lambda: {**self._question(turns, max_tokens, None), "stream": True},
            self._learn,
            timeout,
        )
        with closing(events):
            yield from whole(self._spoken(events))

    def close(self) -> None:
        self._wire.close()

    def _spoken(self, events: Iterator[str]) -> Iterator[str]:
        ended, said = False, False
        for event in objects(events):
            kind, delta = event.get("type"), _object(event.get("delta"))
            if kind == "message":
                yield self._words(event)
                return
            if kind == "error" or event.get("error"):
                raise self._wire.told(event.get("error"))
            if kind == "content_block_start":
                said = said or _object(event.get("content_block")).get("type") == "text"
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
        found = [_object(block).get("text") for block in blocks] if isinstance(blocks, list) else []
        texts = [text for text in found if isinstance(text, str)]
        if not texts:
            raise (
                self._wire.told(answer["error"])
                if answer.get("error")
                else self._wire.none("it has no words")
            )
        return "".join(texts)


def _object(value: object) -> Json:
    return value if isinstance(value, dict) else {}
