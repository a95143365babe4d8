"""The models that are asked: which they are, and whether they answer. They are chosen on the machine, not from here."""

from typing import Literal
from urllib.parse import urlsplit

from fastapi import Response

from recollect.domain.scope import Scope
from recollect.errors import CapReached, ProviderError
from recollect.library.memory import Memory
from recollect.ports.chat_model import Turn
from recollect.serialization.serializers import Shape, results
from recollect.server.dependencies import MemoryDoor
from recollect.server.json_response import answer
from recollect.server.responses import operations
from recollect.server.rest.routing import Admin, subject
from recollect.services.spending import Metered

router = subject("providers", "/api/providers")
ASKED = "Answer with the one word: ready"
#: Tokens and seconds a test may take.
SHORT = 16
PATIENCE = 20.0
NONE_SET = {
    "model": "There is no language model: the rules judge messages. Set `model` and `model_url` to have one.",
    "embedder": "There is no embedder: search is by words alone. Set `embedder` to have one.",
}


@router.get("", response_model=operations.Providers)
def providers(memory: MemoryDoor, _: Admin) -> Response:
    """The language model and the embedder of this machine, without their keys; for admins."""
    runtime = memory.runtime
    connection = runtime.settings.resolve().connection
    model, embedder = runtime.chat_model, runtime.embedder
    shown: list[Shape] = [
        {"name": "model", "id": model.model_id if model else None, "address": _host(connection.model_url)},
        {
            "name": "embedder",
            "id": embedder.model_id if embedder else None,
            "address": _host(connection.embedder_url),
        },
    ]
    return answer(results(shown))


@router.post("/{name}/test", response_model=operations.Tested)
def test_provider(memory: MemoryDoor, admin: Admin, name: Literal["model", "embedder"]) -> Response:
    """Ask it something small and say what came of it, for admins. What a model costs counts as always."""
    clock = memory.runtime.engine.clock
    begun = clock.monotonic()
    try:
        detail = _asked_model(memory, admin.user) if name == "model" else _asked_embedder(memory)
        well = detail is not None
    except (ProviderError, CapReached) as error:
        detail, well = str(error), False
    spent = round((clock.monotonic() - begun) * 1000, 1)
    return answer({"name": name, "ok": well, "milliseconds": spent, "detail": detail or NONE_SET[name]})


def _asked_model(memory: Memory, user: str) -> str | None:
    runtime = memory.runtime
    if runtime.chat_model is None:
        return None
    metered = Metered.over(
        runtime.chat_model, runtime.store.spending, runtime.policy(user), Scope(user), runtime.engine.clock
    )
    said = metered.complete([Turn(role="user", content=ASKED)], max_tokens=SHORT, timeout=PATIENCE)
    return f"{said.model}: {said.text.strip()[:200]}"


def _asked_embedder(memory: Memory) -> str | None:
    embedder = memory.runtime.embedder
    if embedder is None:
        return None
    [vector] = embedder.embed(["hello"])
    return f"{embedder.model_id}, {len(vector)} dimensions"


def _host(address: str) -> str | None:
    """Of an address its host: what stands behind it may be nobody's business."""
    return urlsplit(address).netloc.rpartition("@")[2] or None
