"""Ask any model that speaks OpenAI's dialect: OpenAI, Groq, Gemini, OpenRouter, Ollama, llama.cpp, vLLM and others."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing

from recollect.adapters.llms.sse import objects, whole
from recollect.adapters.llms.wire import MOST_BYTES, Json, Wire, checked_key, count, listed
from recollect.ports.chat_model import Completion, Turn
from recollect.text.windows import encodable

_CUT = frozenset({"length", "max_tokens"})
#: An empty text with one of these is no answer.
_KEPT_BACK = frozenset({"content_filter", "tool_calls", "function_call"})


class OpenAIChatModel:
    """
    Asks with ``POST {base_url}/chat/completions``. Follows no redirect, and asks no other address.

    ``timeout`` is in seconds, for one request as a whole. An endpoint that does not know JSON schemas, or wants
    its limit under the newer name, is asked again without or with it, once. Close it to give its connections back.
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
            base_url,
            {"Authorization": f"Bearer {key}"} if key else {},
            model=model,
            secret=key,
            timeout=timeout,
            max_bytes=max_bytes,
            proxy=proxy,
        )
        self._schemas = True
        self._limit = "max_tokens"

    @property
    def model_id(self) -> str:
        return self._model

    def models(self) -> list[str]:
        """The models that the endpoint has."""
        return listed(self._wire.get("/models"))

    def complete(
        self,
        turns: Sequence[Turn],
        *,
        max_tokens: int,
        schema: Mapping[str, object] | None = None,
        timeout: float | None = None,
    ) -> Completion:
        answer = self._wire.ask(
            "/chat/completions", lambda: self._question(turns, max_tokens, schema), self._learn, timeout
        )
        choice = self._choice(answer)
        if choice is None:
            raise self._wire.none("the list of choices is empty")
        text = self._words(choice, "message")
        if text is None or (not text and _ending(choice) in _KEPT_BACK):
            raise self._wire.none(f"it ended with {_ending(choice) or 'no words'}")
        usage = answer.get("usage")
        spent = usage if isinstance(usage, dict) else {}
        name = answer.get("model")
        return Completion(
            text="".join(whole([text])),
            model=name if isinstance(name, str) and name else self._model,
            prompt_tokens=count(spent.get("prompt_tokens")),
            completion_tokens=count(spent.get("completion_tokens")),
            cut=_ending(choice) in _CUT,
        )

    def stream(
        self, turns: Sequence[Turn], *, max_tokens: int, timeout: float | None = None
    ) -> Iterator[str]:
        events = self._wire.listen(
            "/chat/completions",
            lambda: {**self._question(turns, max_tokens, None), "stream": True},
            self._learn,
            timeout,
        )
        with closing(events):
            yield from whole(self._spoken(events))

    def close(self) -> None:
        self._wire.close()

    def _spoken(self, events: Iterator[str]) -> Iterator[str]:
        ending, said = "", None
        for event in objects(events):
            choice = self._choice(event)
            if choice is None:
                continue
            text = self._words(choice, "message" if "message" in choice else "delta")
            if text is not None:
                said = bool(said or text)
                yield text
            ending = _ending(choice) or ending
        if not ending:
            # Without a word of how it ended, a stream that stops was cut on its way.
            raise self._wire.none("the stream is empty") if said is None else self._wire.broken_off()
        if said is None or (not said and ending in _KEPT_BACK):
            raise self._wire.none(f"it ended with {ending}")

    def _question(self, turns: Sequence[Turn], max_tokens: int, schema: Mapping[str, object] | None) -> Json:
        question: Json = {
            "model": self._model,
            "messages": [{"role": turn.role, "content": encodable(turn.content)} for turn in turns],
            self._limit: max_tokens,
        }
        if schema is not None and self._schemas:
            form = {"name": "answer", "strict": True, "schema": schema}
            question["response_format"] = {"type": "json_schema", "json_schema": form}
        return question

    def _learn(self, asked: Json, complaint: str) -> bool:
        said = complaint.lower()
        if "response_format" in asked and ("response_format" in said or "json_schema" in said):
            self._schemas = False
            return True
        if "max_tokens" in asked and "max_completion_tokens" in said:
            self._limit = "max_completion_tokens"
            return True
        return False

    def _choice(self, answer: Json) -> Json | None:
        choices = answer.get("choices")
        if isinstance(choices, list) and choices and isinstance(choices[0], dict):
            return choices[0]
        if answer.get("error"):
            raise self._wire.told(answer["error"])
        return None

    def _words(self, choice: Json, name: str) -> str | None:
        """What was said; None if nothing was, which is not the same as an empty text."""
        message = choice.get(name)
        if not isinstance(message, dict):
            return None
        if message.get("refusal"):
            raise self._wire.none("it declined")
        return _text(message.get("content"))


def _text(content: object) -> str | None:
    if isinstance(content, str):
        return content
    if not isinstance(content, list):
        return None
    texts = [part.get("text") for part in content if isinstance(part, dict)]
    return "".join(text for text in texts if isinstance(text, str)) or None


def _ending(choice: Json) -> str:
    ending = choice.get("finish_reason")
    return ending.lower() if isinstance(ending, str) and ending.isidentifier() else ""
