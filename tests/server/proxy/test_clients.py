"""The clients that people use, as they are published, with nothing changed but an address."""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import anthropic
import ollama
import openai
import pytest
from pydantic import BaseModel
from tests.server.proxy.live_proxy import OWN_KEY, QUESTION, Bench

from recollect.testing import faults

NODE = Path(__file__).parent.parent / "node"
PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
ANSWER = "Your dog is called Bolt, as you told me. 🐕"


class Dog(BaseModel):
    name: str


def knows(proxy: Bench) -> bool:
    """Whether the model was told."""
    return b"<memory nonce=" in proxy.asked().raw and b"Bolt" in proxy.asked().raw


@pytest.fixture
def told(proxy: Bench) -> Bench:
    proxy.remember()
    proxy.upstream.answer(ANSWER)
    return proxy


class TestOpenAI:
    @pytest.fixture
    def client(self, told: Bench) -> Iterator[openai.OpenAI]:
        with openai.OpenAI(base_url=told.base_url, api_key=OWN_KEY, max_retries=0) as client:
            yield client

    def test_chat(self, told: Bench, client: openai.OpenAI) -> None:
        raw = client.chat.completions.with_raw_response.create(
            model="echo", messages=[{"role": "user", "content": QUESTION}], n=1, logprobs=True
        )

        assert raw.parse().choices[0].message.content == ANSWER
        assert raw.headers["x-memory-used"] == "1"
        assert knows(told)

    def test_streams(self, told: Bench, client: openai.OpenAI) -> None:
        chunks = client.chat.completions.create(
            model="echo",
            messages=[{"role": "user", "content": QUESTION}],
            stream=True,
            stream_options={"include_usage": True},
        )

        assert "".join(c.choices[0].delta.content or "" for c in chunks if c.choices) == ANSWER
        assert knows(told)

    def test_the_helper_for_streams(self, told: Bench, client: openai.OpenAI) -> None:
        with client.chat.completions.stream(
            model="echo", messages=[{"role": "user", "content": QUESTION}]
        ) as stream:
            final = stream.get_final_completion()

        assert final.choices[0].message.content == ANSWER

    def test_tools(self, told: Bench, client: openai.OpenAI) -> None:
        told.upstream.fail_next(faults.TOOL_CALL)
        asked: list[Any] = [{"role": "user", "content": QUESTION}]
        tools: list[Any] = [
            {"type": "function", "function": {"name": "lookup", "parameters": {"type": "object"}}}
        ]
        called = client.chat.completions.create(model="echo", messages=asked, tools=tools).choices[0]
        first = told.asked().body["messages"]
        output = {"role": "tool", "tool_call_id": "call_1", "content": "Bolt"}
        history: list[Any] = [*asked, called.message.model_dump(exclude_none=True), output]
        final = client.chat.completions.create(model="echo", messages=history, tools=tools)

        assert called.finish_reason == "tool_calls"
        assert final.choices[0].message.content == ANSWER
        assert told.asked().body["messages"] == [*first, *history[1:]]  # type: ignore[misc]

    def test_images(self, told: Bench, client: openai.OpenAI) -> None:
        image = {"type": "image_url", "image_url": {"url": f"data:image/png;base64,{PIXEL}"}}
        asked: list[Any] = [{"role": "user", "content": [{"type": "text", "text": QUESTION}, image]}]
        client.chat.completions.create(model="echo", messages=asked)

        assert knows(told)
        assert PIXEL.encode() in told.asked().raw

    def test_structured_output(self, told: Bench, client: openai.OpenAI) -> None:
        told.upstream.answer('{"name": "Bolt"}')
        parsed = client.chat.completions.parse(
            model="echo", messages=[{"role": "user", "content": QUESTION}], response_format=Dog
        )

        assert parsed.choices[0].message.parsed == Dog(name="Bolt")
        assert knows(told)

    def test_responses(self, told: Bench, client: openai.OpenAI) -> None:
        first = client.responses.create(model="echo", input=QUESTION)
        with client.responses.stream(model="echo", input="And now?", previous_response_id=first.id) as stream:
            final = stream.get_final_response()

        assert [first.output_text, final.output_text] == [ANSWER, ANSWER]
        assert [text for _, text in told.heard(5)][-2:] == ["And now?", ANSWER]

    def test_responses_with_tools(self, told: Bench, client: openai.OpenAI) -> None:
        told.upstream.fail_next(faults.TOOL_CALL)
        tool = {"type": "function", "name": "lookup", "parameters": {"type": "object"}, "strict": False}
        called = client.responses.create(model="echo", input=QUESTION, tools=[tool])  # type: ignore[list-item]
        output = {"type": "function_call_output", "call_id": "call_1", "output": "Bolt"}
        final = client.responses.create(model="echo", input=[output], previous_response_id=called.id)  # type: ignore[list-item]

        assert called.output[0].type == "function_call"
        assert final.output_text == ANSWER

    def test_models_and_vectors(self, client: openai.OpenAI) -> None:
        assert [model.id for model in client.models.list()] == ["letters", "echo"]
        assert len(client.embeddings.create(model="letters", input=["dog"]).data) == 1

    def test_errors(self, told: Bench, client: openai.OpenAI) -> None:
        told.upstream.fail_next(faults.RATE_LIMITED)

        with pytest.raises(openai.RateLimitError, match="this is rate_limit_exceeded") as raised:
            client.chat.completions.create(model="echo", messages=[{"role": "user", "content": QUESTION}])
        assert raised.value.response.headers["retry-after"] == "7"


class TestAnthropic:
    @pytest.fixture
    def client(self, told: Bench) -> Iterator[anthropic.Anthropic]:
        with anthropic.Anthropic(base_url=told.url, api_key=OWN_KEY, max_retries=0) as client:
            yield client

    def test_messages(self, told: Bench, client: anthropic.Anthropic) -> None:
        raw = client.messages.with_raw_response.create(
            model="echo", max_tokens=50, system="Be kind.", messages=[{"role": "user", "content": QUESTION}]
        )

        assert raw.parse().content[0].text == ANSWER  # type: ignore[union-attr]
        assert raw.headers["x-memory-used"] == "1"
        assert knows(told)
        assert told.asked().headers["authorization"] == f"Bearer {OWN_KEY}"
        assert told.asked().body["system"] == "Be kind."

    def test_streams(self, told: Bench, client: anthropic.Anthropic) -> None:
        with client.messages.stream(
            model="echo", max_tokens=50, messages=[{"role": "user", "content": QUESTION}]
        ) as stream:
            text = "".join(stream.text_stream)

        assert text == ANSWER
        assert knows(told)

    def test_tools_and_images(self, told: Bench, client: anthropic.Anthropic) -> None:
        told.upstream.fail_next(faults.TOOL_CALL)
        image = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": PIXEL}}
        asked: Any = {"role": "user", "content": [image, {"type": "text", "text": QUESTION}]}
        tools: list[Any] = [{"name": "lookup", "input_schema": {"type": "object"}}]
        called = client.messages.create(model="echo", max_tokens=50, messages=[asked], tools=tools)
        first = told.asked().body["messages"]
        result: Any = {
            "role": "user",
            "content": [{"type": "tool_result", "tool_use_id": "toolu_1", "content": "7"}],
        }
        use: Any = {"role": "assistant", "content": [block.model_dump() for block in called.content]}
        client.messages.create(model="echo", max_tokens=50, messages=[asked, use, result], tools=tools)

        assert called.stop_reason == "tool_use"
        assert told.asked().body["messages"] == [*first, use, result]  # type: ignore[misc]

    def test_errors(self, told: Bench, client: anthropic.Anthropic) -> None:
        told.upstream.fail_next(faults.OVERLOADED)

        with pytest.raises(anthropic.APIStatusError) as raised:
            client.messages.create(
                model="echo", max_tokens=5, messages=[{"role": "user", "content": QUESTION}]
            )
        assert raised.value.status_code == 529


class TestOllama:
    @pytest.fixture
    def client(self, told: Bench) -> Iterator[ollama.Client]:
        with ollama.Client(host=told.base_url) as client:
            yield client

    def test_chat(self, told: Bench, client: ollama.Client) -> None:
        answer = client.chat(model="echo", messages=[{"role": "user", "content": QUESTION}])

        assert answer.message.content == ANSWER
        assert knows(told)

    def test_streams(self, told: Bench, client: ollama.Client) -> None:
        lines = client.chat(model="echo", messages=[{"role": "user", "content": QUESTION}], stream=True)

        assert "".join(line.message.content or "" for line in lines) == ANSWER
        assert told.heard(3)[-1] == ("assistant", ANSWER)


@pytest.mark.skipif(shutil.which("node") is None, reason="Node is not installed")
@pytest.mark.skipif(
    not (NODE / "node_modules" / "openai").is_dir(),
    reason="openai for Node is not installed: run `npm ci` in tests/server/node",
)
def test_openai_for_node(told: Bench) -> None:
    as_usual = faults.Misspeak(change=lambda saying: saying)
    told.upstream.fail_next(*[as_usual] * 5, faults.TOOL_CALL)
    done = subprocess.run(
        ["node", "client.mjs", told.base_url, OWN_KEY],
        cwd=NODE,
        env={"PATH": os.environ["PATH"]},
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )

    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert found == {
        "chat": [ANSWER, True],
        "stream": ANSWER,
        "helper": ANSWER,
        "image": 1,
        "structured": 1,
        "tool": ["tool_calls", "lookup"],
        "responses": ANSWER,
        "models": 2,
        "vectors": 26,
        "error": 400,
    }


def test_an_address_is_all_a_client_needs(told: Bench) -> None:
    """Nothing but the two variables that the client reads itself."""
    code = (
        "import openai\n"
        "client = openai.OpenAI()\n"
        f"asked = [{{'role': 'user', 'content': {QUESTION!r}}}]\n"
        "print(client.chat.completions.create(model='echo', messages=asked).choices[0].message.content)\n"
    )
    named = {"OPENAI_BASE_URL": told.base_url, "OPENAI_API_KEY": OWN_KEY}
    done = subprocess.run(
        [sys.executable, "-c", code],
        env={**os.environ, **named},
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )

    assert done.stdout.strip() == ANSWER, done.stderr
    assert knows(told)
