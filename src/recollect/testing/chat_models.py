"""A scripted in-process language model for tests, with configurable failures."""

from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from threading import Lock

from recollect.ports.chat_model import Completion, ModelMessage
from recollect.testing.answers import ReplyScript, ReplySource, ScriptedReply, count_words, split_tokens


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordedCall:
    """The arguments of one call."""

    messages: tuple[ModelMessage, ...]
    max_tokens: int
    schema: Mapping[str, object] | None = None
    timeout: float | None = None
    is_streaming: bool = False


class ScriptedChatModel:
    """
    Returns its answers in order, then repeats the last one; without any it echoes the last user message.

    A word is a token, for limits and counts. Every call is recorded in ``calls``. Calls with a JSON schema get
    ``json_reply``, if it is set, and consume no answer.
    """

    def __init__(
        self, *answers: ReplySource, model_id: str = "scripted", json_reply: str | None = None
    ) -> None:
        self._model_id = model_id
        self._json_reply = json_reply
        self._lock = Lock()
        self._errors: deque[Exception] = deque()
        self._script = ReplyScript()
        self.calls: list[RecordedCall] = []
        if answers:
            self._script.set_reply(answers[-1])
            self._script.set_reply(answers[:-1])

    @property
    def model_id(self) -> str:
        return self._model_id

    def answer(self, answer: ReplySource | Sequence[ReplySource]) -> None:
        """Set the answer (a text or a function of the messages); a list is returned once, in order."""
        self._script.set_reply(answer)

    def fail_next(self, *errors: Exception) -> None:
        with self._lock:
            self._errors.extend(errors)

    def complete(
        self,
        messages: Sequence[ModelMessage],
        *,
        max_tokens: int,
        schema: Mapping[str, object] | None = None,
        timeout: float | None = None,
    ) -> Completion:
        reply = self._next_reply(
            RecordedCall(messages=tuple(messages), max_tokens=max_tokens, schema=schema, timeout=timeout)
        )
        text = reply.text or ""
        return Completion(
            text=text,
            model=self._model_id,
            prompt_tokens=count_words(reply.prompt),
            completion_tokens=count_words(text),
            is_truncated=reply.finish_reason == "length",
        )

    def stream(
        self, messages: Sequence[ModelMessage], *, max_tokens: int, timeout: float | None = None
    ) -> Iterator[str]:
        call = RecordedCall(
            messages=tuple(messages), max_tokens=max_tokens, timeout=timeout, is_streaming=True
        )
        yield from split_tokens(self._next_reply(call).text or "")

    def _next_reply(self, call: RecordedCall) -> ScriptedReply:
        with self._lock:
            self.calls.append(call)
            if self._errors:
                raise self._errors.popleft()
        if call.schema is not None and self._json_reply is not None:
            return ScriptedReply(prompt=call.messages[-1].content, text=self._json_reply)
        return self._script.next_reply(call.messages, call.max_tokens)
