"""The dialects of chat that most servers speak: OpenAI's and Anthropic's."""

import json
from collections.abc import Iterator, Sequence

from recollect.ports.chat_model import Turn
from recollect.testing.answers import Ending, Saying, pieces, words
from recollect.testing.faults import Json

_OPENAI_ENDINGS: dict[Ending, str] = {"filter": "content_filter", "tool": "tool_calls", "refusal": "stop"}
_ANTHROPIC_ENDINGS: dict[Ending, str] = {
    "stop": "end_turn",
    "length": "max_tokens",
    "tool": "tool_use",
    "filter": "refusal",
}
_TOOL_CALL = {"id": "call_1", "type": "function", "function": {"name": "lookup", "arguments": "{}"}}


def openai_turns(body: Json) -> list[Turn] | None:
    """The turns of a request; None if it is not in the dialect."""
    return turns(body.get("messages"), ("system", "developer", "user", "assistant", "tool"))


def openai_limit(body: Json) -> int:
    return _limit(body.get("max_completion_tokens", body.get("max_tokens")))


def openai_answer(saying: Saying, model: object) -> Json:
    message: Json = {"role": "assistant", "content": saying.text}
    if saying.ending == "refusal":
        message = {"role": "assistant", "content": None, "refusal": saying.text}
    if saying.ending == "tool":
        message["tool_calls"] = [_TOOL_CALL]
    choice = {"index": 0, "message": message, "finish_reason": _openai_ending(saying)}
    return {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "created": 1_767_225_600,
        "model": model,
        "choices": [choice] * saying.choices,
        "usage": _openai_usage(saying),
    }


def openai_stream(saying: Saying, model: object) -> bytes:
    events = [*_openai_chunks(saying, model), "[DONE]"]
    return b"".join(f"data: {event}\n\n".encode() for event in events)


def _openai_chunks(saying: Saying, model: object) -> Iterator[str]:
    part = "refusal" if saying.ending == "refusal" else "content"
    deltas: list[Json] = [{"role": "assistant", part: None if saying.text is None else ""}]
    deltas += [{part: piece} for piece in pieces(saying.text or "")]
    if saying.ending == "tool":
        deltas.append({"tool_calls": [{"index": 0, **_TOOL_CALL}]})
    for delta in deltas if saying.choices else []:
        yield _chunk(model, [{"index": 0, "delta": delta, "finish_reason": None}])
    if saying.choices:
        yield _chunk(model, [{"index": 0, "delta": {}, "finish_reason": _openai_ending(saying)}])
    yield _chunk(model, [], usage=_openai_usage(saying))


def _chunk(model: object, choices: list[Json], **more: object) -> str:
    # Unescaped, so that letters of several bytes can be torn apart on the way.
    chunk = {
        "id": "chatcmpl-1",
        "object": "chat.completion.chunk",
        "model": model,
        "choices": choices,
        **more,
    }
    return dumped(chunk)


def dumped(value: Json) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return text if _encodes(text) else json.dumps(value)


def _encodes(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def _openai_ending(saying: Saying) -> str:
    return _OPENAI_ENDINGS.get(saying.ending, saying.ending)


def _openai_usage(saying: Saying) -> Json:
    spent = words(saying.prompt), words(saying.text or "")
    return {"prompt_tokens": spent[0], "completion_tokens": spent[1], "total_tokens": sum(spent)}


def anthropic_turns(body: Json) -> list[Turn] | None:
    """The turns of a request; None if it is not in the dialect, as with a system turn among the messages."""
    system = words_of(body.get("system", ""))
    said = turns(body.get("messages"), ("user", "assistant"))
    if not said or system is None or not isinstance(body.get("max_tokens"), int):
        return None
    return [*([Turn(role="system", content=system)] if system else []), *said]


def anthropic_limit(body: Json) -> int:
    return _limit(body.get("max_tokens"))


def anthropic_answer(saying: Saying, model: object) -> Json:
    return {**_opening(saying, model), "content": _blocks(saying), "stop_reason": _anthropic_ending(saying)}


def anthropic_stream(saying: Saying, model: object) -> bytes:
    return b"".join(
        f"event: {event['type']}\ndata: {dumped(event)}\n\n".encode()
        for event in _anthropic_events(saying, model)
    )


def _anthropic_events(saying: Saying, model: object) -> Iterator[Json]:
    yield {
        "type": "message_start",
        "message": {**_opening(saying, model), "content": [], "stop_reason": None},
    }
    yield {"type": "ping"}
    for index, block in enumerate(_blocks(saying)):
        text = block.get("text")
        begun = {**block, "text": ""} if isinstance(text, str) else block
        yield {"type": "content_block_start", "index": index, "content_block": begun}
        for piece in pieces(text) if isinstance(text, str) else []:
            delta = {"type": "text_delta", "text": piece}
            yield {"type": "content_block_delta", "index": index, "delta": delta}
        yield {"type": "content_block_stop", "index": index}
    spent = {"output_tokens": words(saying.text or "")}
    yield {"type": "message_delta", "delta": {"stop_reason": _anthropic_ending(saying)}, "usage": spent}
    yield {"type": "message_stop"}


def _opening(saying: Saying, model: object) -> Json:
    spent = {"input_tokens": words(saying.prompt), "output_tokens": words(saying.text or "")}
    return {"id": "msg_1", "type": "message", "role": "assistant", "model": model, "usage": spent}


def _blocks(saying: Saying) -> list[Json]:
    if saying.ending == "tool":
        return [{"type": "tool_use", "id": "toolu_1", "name": "lookup", "input": {}}]
    if not saying.choices or saying.text is None:
        return []
    return [{"type": "text", "text": saying.text}]


def _anthropic_ending(saying: Saying) -> str:
    return _ANTHROPIC_ENDINGS.get(saying.ending, saying.ending)


def models_answer(models: Sequence[str]) -> Json:
    data = [{"id": model, "object": "model", "type": "model"} for model in models]
    return {"object": "list", "data": data, "has_more": False}


def turns(messages: object, roles: tuple[str, ...]) -> list[Turn] | None:
    """Messages as turns; None if one of them is in no role of these, or says nothing that can be read."""
    if not isinstance(messages, list):
        return None
    found = []
    for message in messages:
        role, content = (message.get("role"), message.get("content")) if isinstance(message, dict) else (0, 0)
        text = "" if content is None and message.get("tool_calls") else words_of(content)
        if role not in roles or text is None:
            return None
        found.append(Turn(role=str(role), content=text))
    return found


def words_of(content: object) -> str | None:
    """Text as it is; of a list of parts those with words, one to a line. None if it is neither."""
    if isinstance(content, str):
        return content
    if not isinstance(content, list) or not all(
        isinstance(part, dict) and part.get("type") for part in content
    ):
        return None
    return "\n".join(part["text"] for part in content if isinstance(part.get("text"), str))


def _limit(value: object) -> int:
    return value if isinstance(value, int) else 1_000_000
