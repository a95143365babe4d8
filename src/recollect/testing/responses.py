"""OpenAI's responses, as the model server speaks them."""

from collections.abc import Iterator
from itertools import count

from recollect.ports.chat_model import Turn
from recollect.testing.answers import Saying, pieces, words
from recollect.testing.dialects import dumped, openai_limit, turns, words_of
from recollect.testing.faults import Json

_NUMBERS = count(1)
_CALL: Json = {
    "type": "function_call",
    "id": "fc_1",
    "call_id": "call_1",
    "name": "lookup",
    "arguments": "{}",
}


def responses_turns(body: Json) -> list[Turn] | None:
    """The turns of a request; None if it is not in the dialect."""
    given = body.get("input")
    items = [{"role": "user", "content": given}] if isinstance(given, str) else given
    if not isinstance(items, list):
        return None
    said = turns([_message(item) for item in items], ("system", "developer", "user", "assistant", "tool"))
    instructions = body.get("instructions")
    first = [Turn(role="system", content=instructions)] if isinstance(instructions, str) else []
    return None if said is None else [*first, *said]


def responses_limit(body: Json) -> int:
    return openai_limit({"max_tokens": body.get("max_output_tokens")})


def _message(item: object) -> object:
    if not isinstance(item, dict) or "role" in item:
        return item
    output = words_of(item.get("output", ""))
    return {"role": "tool" if "output" in item else "assistant", "content": output}


def responses_answer(saying: Saying, model: object) -> Json:
    return _response(saying, model, "completed", [_finished(item) for item in _items(saying)])


def responses_stream(saying: Saying, model: object) -> bytes:
    events = ({**event, "sequence_number": number} for number, event in enumerate(_events(saying, model)))
    return b"".join(f"event: {event['type']}\ndata: {dumped(event)}\n\n".encode() for event in events)


def _events(saying: Saying, model: object) -> Iterator[Json]:
    begun = _response(saying, model, "in_progress", [])
    yield {"type": "response.created", "response": begun}
    yield {"type": "response.in_progress", "response": begun}
    done = []
    for place, item in enumerate(_items(saying)):
        whole = _finished(item)
        empty: Json = {"content": []} if item["type"] == "message" else {"arguments": ""}
        yield {"type": "response.output_item.added", "output_index": place, "item": {**item, **empty}}
        at = {"item_id": item["id"], "output_index": place}
        yield from _text_events(saying, at) if item["type"] == "message" else _call_events(at)
        yield {"type": "response.output_item.done", "output_index": place, "item": whole}
        done.append(whole)
    yield {"type": "response.completed", "response": {**begun, "status": "completed", "output": done}}


def _text_events(saying: Saying, at: Json) -> Iterator[Json]:
    here = {**at, "content_index": 0}
    yield {"type": "response.content_part.added", **here, "part": _text("")}
    for piece in pieces(saying.text or ""):
        yield {"type": "response.output_text.delta", **here, "delta": piece, "logprobs": []}
    yield {"type": "response.output_text.done", **here, "text": saying.text or "", "logprobs": []}
    yield {"type": "response.content_part.done", **here, "part": _text(saying.text or "")}


def _call_events(at: Json) -> Iterator[Json]:
    yield {"type": "response.function_call_arguments.delta", **at, "delta": _CALL["arguments"]}
    yield {
        "type": "response.function_call_arguments.done",
        **at,
        "name": _CALL["name"],
        "arguments": _CALL["arguments"],
    }


def _items(saying: Saying) -> list[Json]:
    if saying.ending == "tool":
        return [{**_CALL, "status": "in_progress"}]
    content = [_text(saying.text or "")]
    return [
        {"type": "message", "id": "msg_1", "role": "assistant", "status": "in_progress", "content": content}
    ]


def _finished(item: Json) -> Json:
    return {**item, "status": "completed"}


def _text(text: str) -> Json:
    return {"type": "output_text", "text": text, "annotations": [], "logprobs": []}


def _response(saying: Saying, model: object, status: str, output: list[Json]) -> Json:
    spent = words(saying.prompt), words(saying.text or "")
    return {
        "id": f"resp_{next(_NUMBERS)}",
        "object": "response",
        "created_at": 1_767_225_600,
        "status": status,
        "model": model,
        "output": output,
        "parallel_tool_calls": True,
        "tool_choice": "auto",
        "tools": [],
        "usage": {
            "input_tokens": spent[0],
            "input_tokens_details": {"cached_tokens": 0},
            "output_tokens": spent[1],
            "output_tokens_details": {"reasoning_tokens": 0},
            "total_tokens": sum(spent),
        },
    }
