"""Published LLM clients work with the proxy by changing only their base URL."""

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
from tests.server.proxy.live_proxy import DOG_QUESTION, OWN_KEY, LiveProxy

from recollect.testing import faults

NODE_FOLDER = Path(__file__).parent.parent / "node"
PIXEL_PNG_BASE64 = (
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
)
ANSWER_TEXT = "Your dog is called Bolt, as you told me. 🐕"


class Dog(BaseModel):
    name: str


def was_memory_sent(proxy: LiveProxy) -> bool:
    """Return whether the model received the memory."""
    return b"<memory nonce=" in proxy.last_request().raw and b"Bolt" in proxy.last_request().raw


@pytest.fixture
def proxy_with_memory(proxy: LiveProxy) -> LiveProxy:
    proxy.add_memory()
    proxy.upstream.answer(ANSWER_TEXT)
    return proxy


class TestOpenAI:
    @pytest.fixture
    def client(self, proxy_with_memory: LiveProxy) -> Iterator[openai.OpenAI]:
        with openai.OpenAI(base_url=proxy_with_memory.base_url, api_key=OWN_KEY, max_retries=0) as client:
            yield client

    def test_chat(self, proxy_with_memory: LiveProxy, client: openai.OpenAI) -> None:
        raw = client.chat.completions.with_raw_response.create(
            model="echo", messages=[{"role": "user", "content": DOG_QUESTION}], n=1, logprobs=True
        )

        assert raw.parse().choices[0].message.content == ANSWER_TEXT
        assert raw.headers["x-memory-used"] == "1"
        assert was_memory_sent(proxy_with_memory)

    def test_streams(self, proxy_with_memory: LiveProxy, client: openai.OpenAI) -> None:
        chunks = client.chat.completions.create(
            model="echo",
            messages=[{"role": "user", "content": DOG_QUESTION}],
            stream=True,
            stream_options={"include_usage": True},
        )

        assert "".join(c.choices[0].delta.content or "" for c in chunks if c.choices) == ANSWER_TEXT
        assert was_memory_sent(proxy_with_memory)

    def test_the_helper_for_streams(self, proxy_with_memory: LiveProxy, client: openai.OpenAI) -> None:
        with client.chat.completions.stream(
            model="echo", messages=[{"role": "user", "content": DOG_QUESTION}]
        ) as stream:
            final = stream.get_final_completion()

        assert final.choices[0].message.content == ANSWER_TEXT

    def test_tools(self, proxy_with_memory: LiveProxy, client: openai.OpenAI) -> None:
        proxy_with_memory.upstream.fail_next(faults.TOOL_CALL)
        messages: list[Any] = [{"role": "user", "content": DOG_QUESTION}]
        tools: list[Any] = [
            {"type": "function", "function": {"name": "lookup", "parameters": {"type": "object"}}}
        ]
        called = client.chat.completions.create(model="echo", messages=messages, tools=tools).choices[0]
        first = proxy_with_memory.last_request().body["messages"]
        output = {"role": "tool", "tool_call_id": "call_1", "content": "Bolt"}
        history: list[Any] = [*messages, called.message.model_dump(exclude_none=True), output]
        final = client.chat.completions.create(model="echo", messages=history, tools=tools)

        assert called.finish_reason == "tool_calls"
        assert final.choices[0].message.content == ANSWER_TEXT
        assert proxy_with_memory.last_request().body["messages"] == [*first, *history[1:]]  # type: ignore[misc]

    def test_images(self, proxy_with_memory: LiveProxy, client: openai.OpenAI) -> None:
        image = {"type": "image_url", "image_url": {"url": f"data:image/png;base64,{PIXEL_PNG_BASE64}"}}
        messages: list[Any] = [{"role": "user", "content": [{"type": "text", "text": DOG_QUESTION}, image]}]
        client.chat.completions.create(model="echo", messages=messages)

        assert was_memory_sent(proxy_with_memory)
        assert PIXEL_PNG_BASE64.encode() in proxy_with_memory.last_request().raw

    def test_structured_output(self, proxy_with_memory: LiveProxy, client: openai.OpenAI) -> None:
        proxy_with_memory.upstream.answer('{"name": "Bolt"}')
        parsed = client.chat.completions.parse(
            model="echo", messages=[{"role": "user", "content": DOG_QUESTION}], response_format=Dog
        )

        assert parsed.choices[0].message.parsed == Dog(name="Bolt")
        assert was_memory_sent(proxy_with_memory)

    def test_responses(self, proxy_with_memory: LiveProxy, client: openai.OpenAI) -> None:
        first = client.responses.create(model="echo", input=DOG_QUESTION)
        with client.responses.stream(model="echo", input="And now?", previous_response_id=first.id) as stream:
            final = stream.get_final_response()

        assert [first.output_text, final.output_text] == [ANSWER_TEXT, ANSWER_TEXT]
        assert [text for _, text in proxy_with_memory.wait_for_messages(5)][-2:] == ["And now?", ANSWER_TEXT]

    def test_responses_with_tools(self, proxy_with_memory: LiveProxy, client: openai.OpenAI) -> None:
        proxy_with_memory.upstream.fail_next(faults.TOOL_CALL)
        tool = {"type": "function", "name": "lookup", "parameters": {"type": "object"}, "strict": False}
        called = client.responses.create(model="echo", input=DOG_QUESTION, tools=[tool])  # type: ignore[list-item]
        output = {"type": "function_call_output", "call_id": "call_1", "output": "Bolt"}
        final = client.responses.create(model="echo", input=[output], previous_response_id=called.id)  # type: ignore[list-item]

        assert called.output[0].type == "function_call"
        assert final.output_text == ANSWER_TEXT

    def test_models_and_vectors(self, client: openai.OpenAI) -> None:
        assert [model.id for model in client.models.list()] == ["letters", "echo"]
        assert len(client.embeddings.create(model="letters", input=["dog"]).data) == 1

    def test_errors(self, proxy_with_memory: LiveProxy, client: openai.OpenAI) -> None:
        proxy_with_memory.upstream.fail_next(faults.RATE_LIMITED)

        with pytest.raises(openai.RateLimitError, match="this is rate_limit_exceeded") as raised:
            client.chat.completions.create(model="echo", messages=[{"role": "user", "content": DOG_QUESTION}])
        assert raised.value.response.headers["retry-after"] == "7"


class TestAnthropic:
    @pytest.fixture
    def client(self, proxy_with_memory: LiveProxy) -> Iterator[anthropic.Anthropic]:
        with anthropic.Anthropic(base_url=proxy_with_memory.url, api_key=OWN_KEY, max_retries=0) as client:
            yield client

    def test_messages(self, proxy_with_memory: LiveProxy, client: anthropic.Anthropic) -> None:
        raw = client.messages.with_raw_response.create(
            model="echo",
            max_tokens=50,
            system="Be kind.",
            messages=[{"role": "user", "content": DOG_QUESTION}],
        )

        assert raw.parse().content[0].text == ANSWER_TEXT  # type: ignore[union-attr]
        assert raw.headers["x-memory-used"] == "1"
        assert was_memory_sent(proxy_with_memory)
        assert proxy_with_memory.last_request().headers["authorization"] == f"Bearer {OWN_KEY}"
        assert proxy_with_memory.last_request().body["system"] == "Be kind."

    def test_streams(self, proxy_with_memory: LiveProxy, client: anthropic.Anthropic) -> None:
        with client.messages.stream(
            model="echo", max_tokens=50, messages=[{"role": "user", "content": DOG_QUESTION}]
        ) as stream:
            text = "".join(stream.text_stream)

        assert text == ANSWER_TEXT
        assert was_memory_sent(proxy_with_memory)

    def test_tools_and_images(self, proxy_with_memory: LiveProxy, client: anthropic.Anthropic) -> None:
        proxy_with_memory.upstream.fail_next(faults.TOOL_CALL)
        image = {
            "type": "image",
            "source": {"type": "base64", "media_type": "image/png", "data": PIXEL_PNG_BASE64},
        }
        messages: Any = {"role": "user", "content": [image, {"type": "text", "text": DOG_QUESTION}]}
        tools: list[Any] = [{"name": "lookup", "input_schema": {"type": "object"}}]
        called = client.messages.create(model="echo", max_tokens=50, messages=[messages], tools=tools)
        first = proxy_with_memory.last_request().body["messages"]
        result: Any = {
            "role": "user",
            "content": [{"type": "tool_result", "tool_use_id": "toolu_1", "content": "7"}],
        }
        use: Any = {"role": "assistant", "content": [block.model_dump() for block in called.content]}
        client.messages.create(model="echo", max_tokens=50, messages=[messages, use, result], tools=tools)

        assert called.stop_reason == "tool_use"
        assert proxy_with_memory.last_request().body["messages"] == [*first, use, result]  # type: ignore[misc]

    def test_errors(self, proxy_with_memory: LiveProxy, client: anthropic.Anthropic) -> None:
        proxy_with_memory.upstream.fail_next(faults.OVERLOADED)

        with pytest.raises(anthropic.APIStatusError) as raised:
            client.messages.create(
                model="echo", max_tokens=5, messages=[{"role": "user", "content": DOG_QUESTION}]
            )
        assert raised.value.status_code == 529


class TestOllama:
    @pytest.fixture
    def client(self, proxy_with_memory: LiveProxy) -> Iterator[ollama.Client]:
        with ollama.Client(host=proxy_with_memory.base_url) as client:
            yield client

    def test_chat(self, proxy_with_memory: LiveProxy, client: ollama.Client) -> None:
        answer = client.chat(model="echo", messages=[{"role": "user", "content": DOG_QUESTION}])

        assert answer.message.content == ANSWER_TEXT
        assert was_memory_sent(proxy_with_memory)

    def test_streams(self, proxy_with_memory: LiveProxy, client: ollama.Client) -> None:
        lines = client.chat(model="echo", messages=[{"role": "user", "content": DOG_QUESTION}], stream=True)

        assert "".join(line.message.content or "" for line in lines) == ANSWER_TEXT
        assert proxy_with_memory.wait_for_messages(3)[-1] == ("assistant", ANSWER_TEXT)


@pytest.mark.skipif(shutil.which("node") is None, reason="Node is not installed")
@pytest.mark.skipif(
    not (NODE_FOLDER / "node_modules" / "openai").is_dir(),
    reason="openai for Node is not installed: run `npm ci` in tests/server/node",
)
def test_openai_for_node(proxy_with_memory: LiveProxy) -> None:
    as_usual = faults.ModifyReply(change=lambda saying: saying)
    proxy_with_memory.upstream.fail_next(*[as_usual] * 5, faults.TOOL_CALL)
    done = subprocess.run(
        ["node", "client.mjs", proxy_with_memory.base_url, OWN_KEY],
        cwd=NODE_FOLDER,
        env={"PATH": os.environ["PATH"]},
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )

    assert done.returncode == 0, done.stderr
    output = json.loads(done.stdout)
    assert output == {
        "chat": [ANSWER_TEXT, True],
        "stream": ANSWER_TEXT,
        "helper": ANSWER_TEXT,
        "image": 1,
        "structured": 1,
        "tool": ["tool_calls", "lookup"],
        "responses": ANSWER_TEXT,
        "models": 2,
        "vectors": 26,
        "error": 400,
    }


def test_a_client_only_needs_a_base_url(proxy_with_memory: LiveProxy) -> None:
    """Only the two environment variables that the client reads are set."""
    code = (
        "import openai\n"
        "client = openai.OpenAI()\n"
        f"messages = [{{'role': 'user', 'content': {DOG_QUESTION!r}}}]\n"
        "print(client.chat.completions.create(model='echo', messages=messages).choices[0].message.content)\n"
    )
    named = {"OPENAI_BASE_URL": proxy_with_memory.base_url, "OPENAI_API_KEY": OWN_KEY}
    done = subprocess.run(
        [sys.executable, "-c", code],
        env={**os.environ, **named},
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )

    assert done.stdout.strip() == ANSWER_TEXT, done.stderr
    assert was_memory_sent(proxy_with_memory)
