"""OpenAI's Responses API, as the test server encodes it."""

from collections.abc import Iterator
from itertools import count

from recollect.ports.chat_model import ModelMessage
from recollect.testing.answers import ScriptedReply, count_words, split_tokens
from recollect.testing.dialects import content_text, dump_json, openai_max_tokens, parse_messages
from recollect.testing.faults import Json

_RESPONSE_NUMBERS = count(1)
_FUNCTION_CALL: Json = {
    "type": "function_call",
    "id": "fc_1",
    "call_id": "call_1",
    "name": "lookup",
    "arguments": "{}",
}


def parse_responses_messages(body: Json) -> list[ModelMessage] | None:
    """Return the messages of a request; None if it is not in the dialect."""
    input_value = body.get("input")
    items = [{"role": "user", "content": input_value}] if isinstance(input_value, str) else input_value
    if not isinstance(items, list):
        return None
    messages = parse_messages(
        [_as_message(item) for item in items], ("system", "developer", "user", "assistant", "tool")
    )
    instructions = body.get("instructions")
    system_messages = (
        [ModelMessage(role="system", content=instructions)] if isinstance(instructions, str) else []
    )
    return None if messages is None else [*system_messages, *messages]


def responses_max_tokens(body: Json) -> int:
    return openai_max_tokens({"max_tokens": body.get("max_output_tokens")})


def _as_message(item: object) -> object:
    if not isinstance(item, dict) or "role" in item:
        return item
    output = content_text(item.get("output", ""))
    return {"role": "tool" if "output" in item else "assistant", "content": output}


def responses_response(reply: ScriptedReply, model: object) -> Json:
    return _response(reply, model, "completed", [_completed_item(item) for item in _output_items(reply)])


def responses_stream(reply: ScriptedReply, model: object) -> bytes:
    events = (
        {**event, "sequence_number": number} for number, event in enumerate(_response_events(reply, model))
    )
    return b"".join(f"event: {event['type']}\ndata: {dump_json(event)}\n\n".encode() for event in events)


def _response_events(reply: ScriptedReply, model: object) -> Iterator[Json]:
    initial_response = _response(reply, model, "in_progress", [])
    yield {"type": "response.created", "response": initial_response}
    yield {"type": "response.in_progress", "response": initial_response}
    finished_items = []
    for index, item in enumerate(_output_items(reply)):
        finished_item = _completed_item(item)
        empty: Json = {"content": []} if item["type"] == "message" else {"arguments": ""}
        yield {"type": "response.output_item.added", "output_index": index, "item": {**item, **empty}}
        location = {"item_id": item["id"], "output_index": index}
        yield from _text_events(reply, location) if item["type"] == "message" else _call_events(location)
        yield {"type": "response.output_item.done", "output_index": index, "item": finished_item}
        finished_items.append(finished_item)
    yield {
        "type": "response.completed",
        "response": {**initial_response, "status": "completed", "output": finished_items},
    }


def _text_events(reply: ScriptedReply, location: Json) -> Iterator[Json]:
    content_location = {**location, "content_index": 0}
    yield {"type": "response.content_part.added", **content_location, "part": _text_part("")}
    for piece in split_tokens(reply.text or ""):
        yield {"type": "response.output_text.delta", **content_location, "delta": piece, "logprobs": []}
    yield {"type": "response.output_text.done", **content_location, "text": reply.text or "", "logprobs": []}
    yield {"type": "response.content_part.done", **content_location, "part": _text_part(reply.text or "")}


def _call_events(location: Json) -> Iterator[Json]:
    yield {"type": "response.function_call_arguments.delta", **location, "delta": _FUNCTION_CALL["arguments"]}
    yield {
        "type": "response.function_call_arguments.done",
        **location,
        "name": _FUNCTION_CALL["name"],
        "arguments": _FUNCTION_CALL["arguments"],
    }


def _output_items(reply: ScriptedReply) -> list[Json]:
    if reply.finish_reason == "tool":
        return [{**_FUNCTION_CALL, "status": "in_progress"}]
    content = [_text_part(reply.text or "")]
    return [
        {"type": "message", "id": "msg_1", "role": "assistant", "status": "in_progress", "content": content}
    ]


def _completed_item(item: Json) -> Json:
    return {**item, "status": "completed"}


def _text_part(text: str) -> Json:
    return {"type": "output_text", "text": text, "annotations": [], "logprobs": []}


def _response(reply: ScriptedReply, model: object, status: str, output: list[Json]) -> Json:
    token_counts = count_words(reply.prompt), count_words(reply.text or "")
    return {
        "id": f"resp_{next(_RESPONSE_NUMBERS)}",
        "object": "response",
        "created_at": 1_767_225_600,
        "status": status,
        "model": model,
        "output": output,
        "parallel_tool_calls": True,
        "tool_choice": "auto",
        "tools": [],
        "usage": {
            "input_tokens": token_counts[0],
            "input_tokens_details": {"cached_tokens": 0},
            "output_tokens": token_counts[1],
            "output_tokens_details": {"reasoning_tokens": 0},
            "total_tokens": sum(token_counts),
        },
    }
