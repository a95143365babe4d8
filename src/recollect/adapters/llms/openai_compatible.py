"""Chat model for OpenAI-compatible APIs: OpenAI, Groq, Gemini, OpenRouter, Ollama, llama.cpp, vLLM and others."""

from collections.abc import Iterator, Mapping, Sequence

from recollect.adapters.llms.chat_client import ChatClient
from recollect.adapters.llms.http_client import JsonObject
from recollect.adapters.llms.sse import parse_objects
from recollect.ports.chat_model import ModelMessage
from recollect.text.windows import replace_lone_surrogates

_TRUNCATED_FINISH_REASONS = frozenset({"length", "max_tokens"})
#: An empty text with one of these finish reasons is an error.
_WITHHELD_FINISH_REASONS = frozenset({"content_filter", "tool_calls", "function_call"})


class OpenAIChatModel(ChatClient):
    """
    Calls ``POST {base_url}/chat/completions``. If an endpoint rejects JSON schemas or requires
    ``max_completion_tokens``, the request is adapted and repeated once.
    """

    completion_path = "/chat/completions"
    models_path = "/models"
    prompt_tokens_key = "prompt_tokens"
    completion_tokens_key = "completion_tokens"
    _max_tokens_key = "max_tokens"

    def _headers(self, key: str | None) -> Mapping[str, str]:
        return {"Authorization": f"Bearer {key}"} if key else {}

    def _parse_response(self, response: JsonObject) -> tuple[str, bool]:
        choice = self._first_choice(response)
        if choice is None:
            raise self._http.empty_reply_error("the list of choices is empty")
        text, finish_reason = self._extract_text(choice, "message"), _finish_reason(choice)
        if text is None or (not text and finish_reason in _WITHHELD_FINISH_REASONS):
            raise self._http.empty_reply_error(f"it ended with {finish_reason or 'no text'}")
        return text, finish_reason in _TRUNCATED_FINISH_REASONS

    def _parse_stream(self, events: Iterator[str]) -> Iterator[str]:
        finish_reason, has_text = "", None
        for event in parse_objects(events):
            choice = self._first_choice(event)
            if choice is None:
                continue
            text = self._extract_text(choice, "message" if "message" in choice else "delta")
            if text is not None:
                has_text = bool(has_text or text)
                yield text
            finish_reason = _finish_reason(choice) or finish_reason
        if not finish_reason:
            # A stream that ends without a finish reason was interrupted.
            raise (
                self._http.empty_reply_error("the stream is empty")
                if has_text is None
                else self._http.interrupted_error()
            )
        if has_text is None or (not has_text and finish_reason in _WITHHELD_FINISH_REASONS):
            raise self._http.empty_reply_error(f"it ended with {finish_reason}")

    def _build_request(
        self, messages: Sequence[ModelMessage], max_tokens: int, schema: Mapping[str, object] | None
    ) -> JsonObject:
        request: JsonObject = {
            "model": self._model,
            "messages": [
                {"role": message.role, "content": replace_lone_surrogates(message.content)}
                for message in messages
            ],
            self._max_tokens_key: max_tokens,
        }
        if schema is not None and self._supports_schemas:
            json_schema = {"name": "answer", "strict": True, "schema": schema}
            request["response_format"] = {"type": "json_schema", "json_schema": json_schema}
        return request

    def _adapt_request(self, request: JsonObject, error_text: str) -> bool:
        message = error_text.lower()
        if "response_format" in request and ("response_format" in message or "json_schema" in message):
            self._supports_schemas = False
            return True
        if "max_tokens" in request and "max_completion_tokens" in message:
            self._max_tokens_key = "max_completion_tokens"
            return True
        return False

    def _first_choice(self, response: JsonObject) -> JsonObject | None:
        choices = response.get("choices")
        if isinstance(choices, list) and choices and isinstance(choices[0], dict):
            return choices[0]
        if response.get("error"):
            raise self._http.reported_error(response["error"])
        return None

    def _extract_text(self, choice: JsonObject, name: str) -> str | None:
        """Return the text of a choice; None if it has none, which differs from an empty text."""
        message = choice.get(name)
        if not isinstance(message, dict):
            return None
        if message.get("refusal"):
            raise self._http.empty_reply_error("it declined")
        return _content_text(message.get("content"))


def _content_text(content: object) -> str | None:
    if isinstance(content, str):
        return content
    if not isinstance(content, list):
        return None
    texts = [part.get("text") for part in content if isinstance(part, dict)]
    return "".join(text for text in texts if isinstance(text, str)) or None


def _finish_reason(choice: JsonObject) -> str:
    finish_reason = choice.get("finish_reason")
    return finish_reason.lower() if isinstance(finish_reason, str) and finish_reason.isidentifier() else ""
