"""A language model for tests that needs no server: it says what it is told to, or fails as it is told to."""

from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from threading import Lock

from recollect.ports.chat_model import Completion, Turn
from recollect.testing.answers import Answer, Saying, Script, pieces, words


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """One call, as it was made."""

    turns: tuple[Turn, ...]
    max_tokens: int
    schema: Mapping[str, object] | None = None
    timeout: float | None = None
    streamed: bool = False


class ScriptedChatModel:
    """
    Says its answers in order, then the last of them for good; without any it echoes the last user turn.

    A word is a token, for limits and for counts. Every call is recorded in ``calls``. Who asks for JSON is told
    ``judgement``, if there is one, and takes no answer from the others.
    """

    def __init__(self, *answers: Answer, model_id: str = "scripted", judgement: str | None = None) -> None:
        self._model_id = model_id
        self._judgement = judgement
        self._lock = Lock()
        self._errors: deque[Exception] = deque()
        self._script = Script()
        self.calls: list[Asked] = []
        if answers:
            self._script.answer(answers[-1])
            self._script.answer(answers[:-1])

    @property
    def model_id(self) -> str:
        return self._model_id

    def answer(self, answer: Answer | Sequence[Answer]) -> None:
        """A text, or a function of the turns, is the answer from now on; a list is said in order, once."""
        self._script.answer(answer)

    def fail_next(self, *errors: Exception) -> None:
        with self._lock:
            self._errors.extend(errors)

    def complete(
        self,
        turns: Sequence[Turn],
        *,
        max_tokens: int,
        schema: Mapping[str, object] | None = None,
        timeout: float | None = None,
    ) -> Completion:
        said = self._say(Asked(turns=tuple(turns), max_tokens=max_tokens, schema=schema, timeout=timeout))
        text = said.text or ""
        return Completion(
            text=text,
            model=self._model_id,
            prompt_tokens=words(said.prompt),
            completion_tokens=words(text),
            cut=said.ending == "length",
        )

    def stream(
        self, turns: Sequence[Turn], *, max_tokens: int, timeout: float | None = None
    ) -> Iterator[str]:
        asked = Asked(turns=tuple(turns), max_tokens=max_tokens, timeout=timeout, streamed=True)
        yield from pieces(self._say(asked).text or "")

    def _say(self, asked: Asked) -> Saying:
        with self._lock:
            self.calls.append(asked)
            if self._errors:
                raise self._errors.popleft()
        if asked.schema is not None and self._judgement is not None:
            return Saying(prompt=asked.turns[-1].content, text=self._judgement)
        return self._script.say(asked.turns, asked.max_tokens)
