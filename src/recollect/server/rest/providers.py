"""The configured language model and embedder, and tests of them. The API cannot change them."""

from typing import Literal
from urllib.parse import urlsplit

from fastapi import Response

from recollect.domain.scope import Scope
from recollect.errors import CapReached, ProviderError
from recollect.library.memory import Memory
from recollect.ports.chat_model import ModelMessage
from recollect.serialization.serializers import JsonObject, wrap_results
from recollect.server.dependencies import MemoryDep
from recollect.server.json_response import json_response
from recollect.server.responses import operations
from recollect.server.rest.routing import AdminPrincipal, create_router

router = create_router("providers", "/api/providers")
TEST_PROMPT = "Answer with the one word: ready"
#: Limits of a test call.
MAX_TEST_TOKENS = 16
TEST_TIMEOUT_SECONDS = 20.0
NOT_CONFIGURED_DETAILS = {
    "model": "No language model is configured, so rules extract facts. Set `model` and `model_url` to use one.",
    "embedder": "No embedder is configured, so search is lexical only. Set `embedder` to use one.",
}


@router.get("", response_model=operations.ProviderListResponse)
def list_providers(memory: MemoryDep, _: AdminPrincipal) -> Response:
    """List the language model and the embedder of this server, without their keys. Admins only."""
    runtime = memory.application
    connection = runtime.settings.resolve().machine
    model, embedder = runtime.chat_model, runtime.embedder
    rows: list[JsonObject] = [
        {"name": "model", "id": model.model_id if model else None, "address": _host(connection.model_url)},
        {
            "name": "embedder",
            "id": embedder.model_id if embedder else None,
            "address": _host(connection.embedder_url),
        },
    ]
    return json_response(wrap_results(rows))


@router.post("/{name}/test", response_model=operations.ProviderTestResponse)
def test_provider(memory: MemoryDep, admin: AdminPrincipal, name: Literal["model", "embedder"]) -> Response:
    """Send a short test request to a provider. Its tokens count towards the caps. Admins only."""
    clock = memory.application.clock
    started = clock.monotonic()
    try:
        detail = _test_model(memory, admin.user) if name == "model" else _test_embedder(memory)
        is_ok = detail is not None
    except (ProviderError, CapReached) as error:
        detail, is_ok = str(error), False
    elapsed_ms = round((clock.monotonic() - started) * 1000, 1)
    return json_response(
        {
            "name": name,
            "ok": is_ok,
            "milliseconds": elapsed_ms,
            "detail": detail or NOT_CONFIGURED_DETAILS[name],
        }
    )


def _test_model(memory: Memory, user: str) -> str | None:
    runtime = memory.application
    if runtime.chat_model is None:
        return None
    metered = runtime.services.turns.metered(runtime.chat_model, Scope(user), runtime.policy(user))
    completion = metered.complete(
        [ModelMessage(role="user", content=TEST_PROMPT)],
        max_tokens=MAX_TEST_TOKENS,
        timeout=TEST_TIMEOUT_SECONDS,
    )
    return f"{completion.model}: {completion.text.strip()[:200]}"


def _test_embedder(memory: Memory) -> str | None:
    embedder = memory.application.embedder
    if embedder is None:
        return None
    [vector] = embedder.embed(["hello"])
    return f"{embedder.model_id}, {len(vector)} dimensions"


def _host(address: str) -> str | None:
    """Return the host of a URL; path, query and credentials may be secret."""
    return urlsplit(address).netloc.rpartition("@")[2] or None
