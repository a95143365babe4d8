"""Ask any model that speaks OpenAI's dialect: OpenAI, Groq, Gemini, OpenRouter, Ollama, llama.cpp, vLLM and others."""

from collections.abc import Iterator, Mapping, Sequence

from recollect.adapters.llms.chat_client import Dialect
from recollect.adapters.llms.http_client import Json
from recollect.adapters.llms.sse import objects
from recollect.ports.chat_model import Turn
from recollect.text.windows import encodable

_CUT = frozenset({"length", "max_tokens"})
#: An empty text with one of these is no answer.
_KEPT_BACK = frozenset({"content_filter", "tool_calls", "function_call"})


class OpenAIChatModel(Dialect):
    """
    Asks with ``POST {base_url}/chat/completions``. An endpoint that does not know JSON schemas, or wants its limit
    under the newer name, is asked again without or with it, once.
    """

    asking = "/chat/completions"
    listing = "/models"
    heard = "prompt_tokens"
    spoken = "completion_tokens"
    _limit = "max_tokens"

    def _headers(self, key: str | None) -> Mapping[str, str]:
        return {"Authorization": f"Bearer {key}"} if key else {}

    def _said(self, answer: Json) -> tuple[str, bool]:
        choice = self._choice(answer)
        if choice is None:
            raise self._wire.none("the list of choices is empty")
        text, ending = self._words(choice, "message"), _ending(choice)
        if text is None or (not text and ending in _KEPT_BACK):
            raise self._wire.none(f"it ended with {ending or 'no words'}")
        return text, ending in _CUT

    def _pieces(self, events: Iterator[str]) -> Iterator[str]:
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
