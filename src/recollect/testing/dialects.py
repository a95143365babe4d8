"""The chat API dialects of OpenAI and Anthropic, as the test server encodes them."""

import json
from collections.abc import Iterator, Sequence

from recollect.ports.chat_model import ModelMessage
from recollect.testing.answers import FinishReason, ScriptedReply, count_words, split_tokens
from recollect.testing.faults import Json

_OPENAI_FINISH_REASONS: dict[FinishReason, str] = {
    "filter": "content_filter",
    "tool": "tool_calls",
    "refusal": "stop",
}
_ANTHROPIC_STOP_REASONS: dict[FinishReason, str] = {
    "stop": "end_turn",
    "length": "max_tokens",
    "tool": "tool_use",
    "filter": "refusal",
}
_TOOL_CALL = {"id": "call_1", "type": "function", "function": {"name": "lookup", "arguments": "{}"}}


def parse_openai_messages(body: Json) -> list[ModelMessage] | None:
    """Return the messages of a request; None if it is not in the dialect."""
    return parse_messages(body.get("messages"), ("system", "developer", "user", "assistant", "tool"))


def openai_max_tokens(body: Json) -> int:
    return _max_tokens(body.get("max_completion_tokens", body.get("max_tokens")))


def openai_response(reply: ScriptedReply, model: object) -> Json:
    message: Json = {"role": "assistant", "content": reply.text}
    if reply.finish_reason == "refusal":
        message = {"role": "assistant", "content": None, "refusal": reply.text}
    if reply.finish_reason == "tool":
        message["tool_calls"] = [_TOOL_CALL]
    choice = {"index": 0, "message": message, "finish_reason": _openai_finish_reason(reply)}
    return {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "created": 1_767_225_600,
        "model": model,
        "choices": [choice] * reply.choice_count,
        "usage": _openai_usage(reply),
    }


def openai_stream(reply: ScriptedReply, model: object) -> bytes:
    events = [*_openai_chunks(reply, model), "[DONE]"]
    return b"".join(f"data: {event}\n\n".encode() for event in events)


def _openai_chunks(reply: ScriptedReply, model: object) -> Iterator[str]:
    part = "refusal" if reply.finish_reason == "refusal" else "content"
    deltas: list[Json] = [{"role": "assistant", part: None if reply.text is None else ""}]
    deltas += [{part: piece} for piece in split_tokens(reply.text or "")]
    if reply.finish_reason == "tool":
        deltas.append({"tool_calls": [{"index": 0, **_TOOL_CALL}]})
    for delta in deltas if reply.choice_count else []:
        yield _openai_chunk(model, [{"index": 0, "delta": delta, "finish_reason": None}])
    if reply.choice_count:
        yield _openai_chunk(model, [{"index": 0, "delta": {}, "finish_reason": _openai_finish_reason(reply)}])
    yield _openai_chunk(model, [], usage=_openai_usage(reply))


def _openai_chunk(model: object, choices: list[Json], **more: object) -> str:
    # Unescaped, so that tests can split multi-byte characters between chunks.
    chunk = {
        "id": "chatcmpl-1",
        "object": "chat.completion.chunk",
        "model": model,
        "choices": choices,
        **more,
    }
    return dump_json(chunk)


def dump_json(value: Json) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return text if _is_encodable(text) else json.dumps(value)


def _is_encodable(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def _openai_finish_reason(reply: ScriptedReply) -> str:
    return _OPENAI_FINISH_REASONS.get(reply.finish_reason, reply.finish_reason)


def _openai_usage(reply: ScriptedReply) -> Json:
    token_counts = count_words(reply.prompt), count_words(reply.text or "")
    return {
        "prompt_tokens": token_counts[0],
        "completion_tokens": token_counts[1],
        "total_tokens": sum(token_counts),
    }


def parse_anthropic_messages(body: Json) -> list[ModelMessage] | None:
    """Return the messages of a request; None if it is not in the dialect, e.g. with a system message in the list."""
    system = content_text(body.get("system", ""))
    messages = parse_messages(body.get("messages"), ("user", "assistant"))
    if not messages or system is None or not isinstance(body.get("max_tokens"), int):
        return None
    return [*([ModelMessage(role="system", content=system)] if system else []), *messages]


def anthropic_max_tokens(body: Json) -> int:
    return _max_tokens(body.get("max_tokens"))


def anthropic_response(reply: ScriptedReply, model: object) -> Json:
    return {
        **_anthropic_message(reply, model),
        "content": _anthropic_blocks(reply),
        "stop_reason": _anthropic_stop_reason(reply),
    }


def anthropic_stream(reply: ScriptedReply, model: object) -> bytes:
    return b"".join(
        f"event: {event['type']}\ndata: {dump_json(event)}\n\n".encode()
        for event in _anthropic_events(reply, model)
    )


def _anthropic_events(reply: ScriptedReply, model: object) -> Iterator[Json]:
    yield {
        "type": "message_start",
        "message": {**_anthropic_message(reply, model), "content": [], "stop_reason": None},
    }
    yield {"type": "ping"}
    for index, block in enumerate(_anthropic_blocks(reply)):
        text = block.get("text")
        block_start = {**block, "text": ""} if isinstance(text, str) else block
        yield {"type": "content_block_start", "index": index, "content_block": block_start}
        for piece in split_tokens(text) if isinstance(text, str) else []:
            delta = {"type": "text_delta", "text": piece}
            yield {"type": "content_block_delta", "index": index, "delta": delta}
        yield {"type": "content_block_stop", "index": index}
    usage = {"output_tokens": count_words(reply.text or "")}
    yield {"type": "message_delta", "delta": {"stop_reason": _anthropic_stop_reason(reply)}, "usage": usage}
    yield {"type": "message_stop"}


def _anthropic_message(reply: ScriptedReply, model: object) -> Json:
    usage = {"input_tokens": count_words(reply.prompt), "output_tokens": count_words(reply.text or "")}
    return {"id": "msg_1", "type": "message", "role": "assistant", "model": model, "usage": usage}


def _anthropic_blocks(reply: ScriptedReply) -> list[Json]:
    if reply.finish_reason == "tool":
        return [{"type": "tool_use", "id": "toolu_1", "name": "lookup", "input": {}}]
    if not reply.choice_count or reply.text is None:
        return []
    return [{"type": "text", "text": reply.text}]


def _anthropic_stop_reason(reply: ScriptedReply) -> str:
    return _ANTHROPIC_STOP_REASONS.get(reply.finish_reason, reply.finish_reason)


def models_response(models: Sequence[str]) -> Json:
    data = [{"id": model, "object": "model", "type": "model"} for model in models]
    return {"object": "list", "data": data, "has_more": False}


def parse_messages(messages: object, roles: tuple[str, ...]) -> list[ModelMessage] | None:
    """Parse messages; None if one has an unknown role or unreadable content."""
    if not isinstance(messages, list):
        return None
    parsed_messages = []
    for message in messages:
        role, content = (message.get("role"), message.get("content")) if isinstance(message, dict) else (0, 0)
        text = "" if content is None and message.get("tool_calls") else content_text(content)
        if role not in roles or text is None:
            return None
        parsed_messages.append(ModelMessage(role=str(role), content=text))
    return parsed_messages


def content_text(content: object) -> str | None:
    """Return text content, or the text parts of a list joined by line breaks; None if it is neither."""
    if isinstance(content, str):
        return content
    if not isinstance(content, list) or not all(
        isinstance(part, dict) and part.get("type") for part in content
    ):
        return None
    return "\n".join(part["text"] for part in content if isinstance(part.get("text"), str))


def _max_tokens(value: object) -> int:
    return value if isinstance(value, int) else 1_000_000
