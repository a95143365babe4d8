"""Chat model for the Anthropic Messages API and compatible servers."""

from collections.abc import Iterator, Mapping, Sequence

from recollect.adapters.llms.chat_client import ChatClient
from recollect.adapters.llms.http_client import JsonObject, as_object
from recollect.adapters.llms.sse import parse_objects
from recollect.ports.chat_model import ModelMessage
from recollect.text.windows import replace_lone_surrogates

ANTHROPIC_VERSION = "2023-06-01"


class AnthropicChatModel(ChatClient):
    """Calls ``POST {base_url}/v1/messages``; repeats a request once without its JSON schema if that is rejected."""

    completion_path = "/v1/messages"
    models_path = "/v1/models"
    prompt_tokens_key = "input_tokens"
    completion_tokens_key = "output_tokens"

    def _normalize_base_url(self, base_url: str) -> str:
        return base_url.strip().rstrip("/").removesuffix("/v1")

    def _headers(self, key: str | None) -> Mapping[str, str]:
        return {"anthropic-version": ANTHROPIC_VERSION, **({"x-api-key": key} if key else {})}

    def _parse_response(self, response: JsonObject) -> tuple[str, bool]:
        return self._extract_text(response), response.get("stop_reason") == "max_tokens"

    def _parse_stream(self, events: Iterator[str]) -> Iterator[str]:
        is_finished, has_text = False, False
        for event in parse_objects(events):
            kind, delta = event.get("type"), as_object(event.get("delta"))
            if kind == "message":
                yield self._extract_text(event)
                return
            if kind == "error" or event.get("error"):
                raise self._http.reported_error(event.get("error"))
            if kind == "content_block_start":
                has_text = has_text or as_object(event.get("content_block")).get("type") == "text"
            elif kind == "content_block_delta" and isinstance(text := delta.get("text"), str):
                has_text = True
                yield text
            elif kind == "message_delta" and delta.get("stop_reason") == "refusal":
                raise self._http.empty_reply_error("it declined")
            is_finished = is_finished or kind == "message_stop" or bool(delta.get("stop_reason"))
        if not is_finished:
            raise (
                self._http.interrupted_error()
                if has_text
                else self._http.empty_reply_error("the stream is empty")
            )
        if not has_text:
            raise self._http.empty_reply_error("it ended without text")

    def _build_request(
        self, messages: Sequence[ModelMessage], max_tokens: int, schema: Mapping[str, object] | None
    ) -> JsonObject:
        system = "\n\n".join(
            replace_lone_surrogates(turn.content) for turn in messages if turn.role == "system"
        )
        chat_messages = [turn for turn in messages if turn.role != "system"]
        request: JsonObject = {
            "model": self._model,
            "max_tokens": max_tokens,
            "messages": [
                {"role": turn.role, "content": replace_lone_surrogates(turn.content)}
                for turn in chat_messages
            ],
        }
        if system:
            request["system"] = system
        if schema is not None and self._supports_schemas:
            request["output_config"] = {"format": {"type": "json_schema", "schema": schema}}
        return request

    def _adapt_request(self, request: JsonObject, error_text: str) -> bool:
        message = error_text.lower()
        if "output_config" in request and ("output_config" in message or "schema" in message):
            self._supports_schemas = False
            return True
        return False

    def _extract_text(self, response: JsonObject) -> str:
        if response.get("stop_reason") == "refusal":
            raise self._http.empty_reply_error("it declined")
        blocks = response.get("content")
        values = [as_object(block).get("text") for block in blocks] if isinstance(blocks, list) else []
        texts = [text for text in values if isinstance(text, str)]
        if not texts:
            raise (
                self._http.reported_error(response["error"])
                if response.get("error")
                else self._http.empty_reply_error("it has no text")
            )
        return "".join(texts)
