"""What a model for tests says: a script if there is one, else an echo."""

import re
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from threading import Lock
from typing import Literal, TypeAlias

from recollect.ports.chat_model import Turn

Answer: TypeAlias = str | Callable[[Sequence[Turn]], str]
Ending: TypeAlias = Literal["stop", "length", "refusal", "filter", "tool"]

_WORD = re.compile(r"\s*\S+\s*")


@dataclass(frozen=True, slots=True, kw_only=True)
class Saying:
    """One answer of a model, before it is put into a dialect."""

    prompt: str  #: what it was asked, all turns
    text: str | None
    ending: Ending = "stop"
    choices: int = 1  #: 0 leaves the list of answers empty


class Script:
    """Gives one answer after the other; when they have run out, says again what it was told last."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._answers: deque[Answer] = deque()
        self._standing: Answer = echo

    def answer(self, answer: Answer | Sequence[Answer]) -> None:
        """A text or a function is the answer from now on; a list is said in order, then the old one again."""
        with self._lock:
            if isinstance(answer, str) or callable(answer):
                self._answers.clear()
                self._standing = answer
            else:
                self._answers = deque(answer)

    def say(self, turns: Sequence[Turn], max_tokens: int) -> Saying:
        with self._lock:
            answer = self._answers.popleft() if self._answers else self._standing
        whole = answer if isinstance(answer, str) else answer(turns)
        text = "".join(pieces(whole)[:max_tokens])
        prompt = "\n".join(turn.content for turn in turns)
        return Saying(prompt=prompt, text=text, ending="stop" if text == whole else "length")


def echo(turns: Sequence[Turn]) -> str:
    last = next((turn.content for turn in reversed(turns) if turn.role == "user"), "nothing")
    return f"You said: {last}"


def pieces(text: str) -> list[str]:
    """A word is a token; the pieces join back to the text."""
    return _WORD.findall(text) or ([text] if text else [])


def words(text: str) -> int:
    return len(text.split())
