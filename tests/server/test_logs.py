"""Logs and spans: enough to diagnose errors, without user text."""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx2
import pytest
from opentelemetry import trace
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from tests.cli.runner import run_process
from tests.server.proxy.live_proxy import LiveProxy, chat_request, run_proxy, wait_until

CANARY = "saffron-canary"


@contextmanager
def run_server_process(folder: Path, **settings: str) -> Iterator[tuple[httpx2.Client, list[str]]]:
    """Run a server process; yield the owner's client and the log lines, which are complete after the exit."""
    words = ["--db", str(folder / "m.db"), "--json", "up", "--port", "0", "--no-browser"]
    overrides = {
        f"RECOLLECT_{name.upper()}": value for name, value in {"embedder": "hashing", **settings}.items()
    }
    environ = {**os.environ, "HOME": str(folder), "XDG_CONFIG_HOME": str(folder), **overrides}
    lines: list[str] = []
    with subprocess.Popen(
        [sys.executable, "-m", "recollect", *words],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=environ,
        cwd=folder,
        text=True,
    ) as running:
        assert running.stdout is not None
        body = json.loads(running.stdout.readline())
        owner = subprocess.run(
            [sys.executable, "-m", "recollect", "--db", "m.db", "tokens", "own"],
            capture_output=True,
            env=environ,
            cwd=folder,
            text=True,
            check=True,
        )
        token = owner.stdout.strip()
        with httpx2.Client(base_url=body["url"], headers={"Authorization": f"Bearer {token}"}) as client:
            yield client, lines
        running.send_signal(signal.SIGTERM)
        _, remaining_log = running.communicate(timeout=60)
        lines += remaining_log.splitlines()


def test_every_request_is_logged_as_json_without_user_text(tmp_path: Path) -> None:
    with run_server_process(tmp_path, log_format="json") as (client, lines):
        creation = client.post("/api/memory", json={"content": f"I like {CANARY}."})
        client.get(f"/api/memory/{creation.json()['id']}", params={"user_id": "default"})
        client.get("/api/memory/debug/retrieval", params={"q": CANARY})
        client.get(f"/nothing/{CANARY}")
        client.post(f"/chats/{CANARY}/messages", json={"content": f"What is {CANARY}?"})
        token = client.headers["Authorization"].partition(" ")[2]

    records: list[dict[str, Any]] = [json.loads(line) for line in lines]
    requests = [each for each in records if each["event"] == "request"]
    assert [(each["method"], each["route"], each["status"]) for each in requests] == [
        ("POST", "/api/memory", 201),
        ("GET", "/api/memory/{memory_id}", 200),
        ("GET", "/api/memory/debug/retrieval", 200),
        ("GET", "(none)", 404),
        ("POST", "/chats/{chat_id}/messages", 200),
    ]
    assert requests[0]["request_id"] == creation.headers["x-request-id"]
    assert {each["level"] for each in requests} == {"info"}
    assert len({each["user"] for each in requests}) == 1
    assert all(each["ms"] >= each["first_byte_ms"] >= 0 for each in requests)
    everything = "\n".join(lines)
    for secret in (CANARY, token, creation.json()["id"], "user_id", '"default"'):
        assert secret not in everything


def test_a_job_that_fails_is_logged_with_its_id_and_reason(tmp_path: Path) -> None:
    unused_url = "http://127.0.0.1:9"
    with run_server_process(tmp_path, log_format="json", model="gone", model_url=unused_url) as (
        client,
        lines,
    ):
        client.post(
            "/chats/c/listen",
            json={"messages": [{"role": "user", "content": f"I always cook with {CANARY}."}]},
        )
        wait_until(lambda: any(job["reason"] for job in client.get("/api/jobs").json()["results"]))
        jobs = client.get("/api/jobs").json()["results"]

    records = [json.loads(line) for line in lines]
    failed = next(each for each in records if each["event"].startswith("job "))
    assert failed["job"] in {job["id"] for job in jobs}
    assert failed["kind"] == "extract"
    assert failed["reason"].startswith("ProviderBusy")
    assert failed["level"] == "warning"
    assert CANARY not in "\n".join(lines)


def test_the_text_log_has_a_line_per_request(tmp_path: Path) -> None:
    with run_server_process(tmp_path) as (client, lines):
        client.get("/health")

    assert any(" INFO    request " in line and "route=/health status=200" in line for line in lines)


def test_the_log_level_warning_logs_no_requests(tmp_path: Path) -> None:
    with run_server_process(tmp_path, log_level="warning") as (client, lines):
        client.get("/health")

    assert [line for line in lines if "request" in line] == []


@pytest.fixture(scope="module")
def exporter() -> InMemorySpanExporter:
    """OpenTelemetry allows one tracer provider per process."""
    collected = InMemorySpanExporter()
    provider = TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(collected))
    trace.set_tracer_provider(provider)
    return collected


@pytest.fixture
def traced_proxy(tmp_path: Path, exporter: InMemorySpanExporter) -> Iterator[LiveProxy]:
    exporter.clear()
    with run_proxy(tmp_path, settings={"otel": True}) as running:
        running.add_memory()
        yield running


def find_span(exporter: InMemorySpanExporter, name: str) -> ReadableSpan:
    wait_until(lambda: any(span.name == name for span in exporter.get_finished_spans()))
    return next(span for span in exporter.get_finished_spans() if span.name == name)


def test_a_recall_is_a_child_span_of_its_request(
    traced_proxy: LiveProxy, exporter: InMemorySpanExporter
) -> None:
    with traced_proxy.client(traceparent="00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01") as client:
        answer = client.post("/api/memory/search", json={"query": "What is my dog called?"})
    request, recall = find_span(exporter, "POST /api/memory/search"), find_span(exporter, "recall")

    assert request.attributes is not None
    assert recall.attributes is not None
    assert dict(request.attributes) == {
        "http.request.method": "POST",
        "http.route": "/api/memory/search",
        "http.response.status_code": 200,
        "recollect.request_id": answer.headers["x-request-id"],
    }
    assert request.parent is not None
    assert request.context is not None
    assert recall.parent is not None
    assert f"{request.context.trace_id:032x}" == "0af7651916cd43dd8448eb211c80319c"
    assert recall.parent.span_id == request.context.span_id
    assert recall.attributes["recollect.recall.kept"] == 1
    assert {"recollect.recall.embed_ms", "recollect.recall.rank_ms"} <= set(recall.attributes)


def test_a_recall_of_the_proxy_is_a_child_span_of_its_request(
    traced_proxy: LiveProxy, exporter: InMemorySpanExporter
) -> None:
    with traced_proxy.client() as client:
        client.post("/v1/chat/completions", json=chat_request("What is my dog called?"))
    request, recall = find_span(exporter, "POST /v1/chat/completions"), find_span(exporter, "recall")

    assert request.context is not None
    assert recall.parent is not None
    assert recall.parent.span_id == request.context.span_id


def test_a_job_is_a_span_and_spans_contain_no_user_text(
    traced_proxy: LiveProxy, exporter: InMemorySpanExporter
) -> None:
    with traced_proxy.client() as client:
        client.post("/chats/c/listen", json={"messages": [{"role": "user", "content": f"I like {CANARY}."}]})
        client.post("/api/memory/search", json={"query": CANARY})
        assert traced_proxy.application.worker.drain(seconds=30)
        token = client.headers["Authorization"]
    job = find_span(exporter, "job extract")

    assert job.attributes is not None
    assert job.attributes["recollect.job.attempts"] == 1
    everything = "".join(span.to_json() for span in exporter.get_finished_spans())
    assert CANARY not in everything
    assert token.partition(" ")[2] not in everything


def test_without_the_setting_there_are_no_spans(tmp_path: Path, exporter: InMemorySpanExporter) -> None:
    exporter.clear()
    with run_proxy(tmp_path) as running, running.client() as client:
        client.post("/api/memory/search", json={"query": "anything"})

    assert exporter.get_finished_spans() == ()


def test_tracing_without_the_package_says_what_to_install(tmp_path: Path) -> None:
    hidden = tmp_path / "opentelemetry"
    hidden.mkdir()
    (hidden / "__init__.py").write_text("raise ModuleNotFoundError('opentelemetry')", "utf-8")
    environ = {**os.environ, "PYTHONPATH": str(tmp_path), "RECOLLECT_OTEL": "yes"}

    done = run_process("--db", tmp_path / "m.db", "add", "I like tea", env=environ)

    assert done.returncode == 2
    assert b"recollect[otel]" in done.stderr
