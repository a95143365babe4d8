"""What a hook prints: the recalled text in the agent's JSON, within the sizes that agents pass on unchanged."""

import json
from collections.abc import Mapping
from typing import TypeAlias

#: Agents cut injected text silently: Claude Code at 8,000 characters.
MAX_CONTEXT_CHARS = 7_500
#: Claude Code replaces a longer output with a preview.
MAX_OUTPUT_BYTES = 9_500

JsonValue: TypeAlias = "str | int | bool | list[JsonValue] | Mapping[str, JsonValue] | None"
Answer: TypeAlias = Mapping[str, JsonValue]

#: Nothing to add: agents go on as if there was no hook.
NO_ANSWER: Answer = {}


def hook_specific_output(event_name: str, text: str) -> Answer:
    """Return the answer in the form that Claude Code introduced; Codex and Gemini CLI read the same."""
    return {"hookSpecificOutput": {"hookEventName": event_name, "additionalContext": text}}


def encode_answer(answer: Answer) -> str:
    return json.dumps(answer, ensure_ascii=False, separators=(",", ":"))


def fits(text: str, answer: Answer) -> bool:
    """Return whether an agent passes the text on unchanged."""
    return len(text) <= MAX_CONTEXT_CHARS and len(encode_answer(answer).encode()) <= MAX_OUTPUT_BYTES
