import json
from pathlib import Path
from typing import Any

import pytest

from recollect.errors import InvalidInput
from recollect.hosts.answers import MAX_CONTEXT_CHARS, fits, hook_specific_output
from recollect.hosts.events import chat_id
from recollect.hosts.hooks import HOOK_FORMATS

PAYLOADS = Path(__file__).parent / "payloads"
CASES = [
    pytest.param(file.stem, case, id=f"{file.stem}: {case['name']}")
    for file in sorted(PAYLOADS.glob("*.json"))
    for case in json.loads(file.read_text("utf-8"))
]
#: What Codex accepts; it refuses an output with any other key.
CODEX_KEYS = {
    "continue",
    "decision",
    "hookSpecificOutput",
    "reason",
    "stopReason",
    "suppressOutput",
    "systemMessage",
}


@pytest.mark.parametrize(("host", "case"), CASES)
def test_a_payload_becomes_an_event_and_a_text_an_answer(host: str, case: dict[str, Any]) -> None:
    hook = HOOK_FORMATS[host]

    event = hook.parse_event(case["payload"])

    assert type(event).__name__ == case["event"]
    if "fields" in case:
        assert {name: getattr(event, name) for name in case["fields"]} == case["fields"]
    assert hook.format_answer(case["payload"], "TEXT") == case["answer"]


def test_every_host_has_golden_payloads() -> None:
    assert {file.stem for file in PAYLOADS.glob("*.json")} == set(HOOK_FORMATS)


@pytest.mark.parametrize(("host", "case"), CASES)
def test_without_a_text_nothing_is_answered(host: str, case: dict[str, Any]) -> None:
    assert HOOK_FORMATS[host].format_answer(case["payload"], "") == {}


@pytest.mark.parametrize("case", json.loads((PAYLOADS / "codex.json").read_text("utf-8")))
def test_codex_gets_only_keys_that_it_accepts(case: dict[str, Any]) -> None:
    answer = HOOK_FORMATS["codex"].format_answer(case["payload"], "TEXT")

    assert set(answer) <= CODEX_KEYS


@pytest.mark.parametrize("host", HOOK_FORMATS)
@pytest.mark.parametrize("payload", [{}, {"session_id": 1}, {"session_id": "", "hook_event_name": "Stop"}])
def test_a_payload_of_another_form_is_refused(host: str, payload: dict[str, Any]) -> None:
    with pytest.raises(InvalidInput):
        HOOK_FORMATS[host].parse_event(payload)


def test_a_text_fits_up_to_the_limits_of_characters_and_bytes() -> None:
    def text_fits(text: str) -> bool:
        return fits(text, hook_specific_output("UserPromptSubmit", text))

    assert text_fits("a" * MAX_CONTEXT_CHARS)
    assert not text_fits("a" * (MAX_CONTEXT_CHARS + 1))
    assert not text_fits("ж" * 6_000)


def test_a_temporary_session_is_a_temporary_chat() -> None:
    assert chat_id("codex", "0199") == "codex-0199"
    assert chat_id("codex", "temporary-1") == "temporary-1"
