"""Ollama's native chat API, as the test server encodes it."""

from recollect.testing.answers import ScriptedReply, split_tokens
from recollect.testing.dialects import dump_json
from recollect.testing.faults import Json


def ollama_response(reply: ScriptedReply, model: object) -> Json:
    return _ollama_line(reply.text or "", model, done=True)


def ollama_stream(reply: ScriptedReply, model: object) -> bytes:
    lines = [_ollama_line(piece, model, done=False) for piece in split_tokens(reply.text or "")]
    return b"".join(f"{dump_json(line)}\n".encode() for line in [*lines, _ollama_line("", model, done=True)])


def _ollama_line(text: str, model: object, *, done: bool) -> Json:
    return {
        "model": model,
        "created_at": "2026-01-01T00:00:00Z",
        "message": {"role": "assistant", "content": text},
        "done": done,
        **({"done_reason": "stop"} if done else {}),
    }
