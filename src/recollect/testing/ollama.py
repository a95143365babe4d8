"""Ollama's own chat, as the model server speaks it."""

from recollect.testing.answers import Saying, pieces
from recollect.testing.dialects import dumped
from recollect.testing.faults import Json


def ollama_answer(saying: Saying, model: object) -> Json:
    return _line(saying.text or "", model, done=True)


def ollama_stream(saying: Saying, model: object) -> bytes:
    lines = [_line(piece, model, done=False) for piece in pieces(saying.text or "")]
    return b"".join(f"{dumped(line)}\n".encode() for line in [*lines, _line("", model, done=True)])


def _line(text: str, model: object, *, done: bool) -> Json:
    return {
        "model": model,
        "created_at": "2026-01-01T00:00:00Z",
        "message": {"role": "assistant", "content": text},
        "done": done,
        **({"done_reason": "stop"} if done else {}),
    }
