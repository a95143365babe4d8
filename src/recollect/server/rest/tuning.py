"""Tuning of recall weights: preview, optimize with labelled queries, and save under a name."""

from typing import Annotated

from fastapi import Path, Response

from recollect.domain.recall import RecallRequest
from recollect.domain.scope import MAX_NAME_CHARS, Scope
from recollect.serialization import parsers, serializers
from recollect.server import requests
from recollect.server.dependencies import MemoryDep, UserId
from recollect.server.json_response import json_response
from recollect.server.responses import operations, resources
from recollect.server.rest.routing import IdempotencyKey, create_router

router = create_router("tuning", "/api")


@router.post("/memory/debug/recall", response_model=resources.ReceiptResponse)
def preview_recall(memory: MemoryDep, user: UserId, body: requests.SearchRequest) -> Response:
    """
    Run a recall with the given settings and return its receipt, which is not stored.

    `receipt` is ignored.
    """
    runtime = memory.application
    limit = {"recall.limit": body.limit} if body.limit is not None else {}
    mode = {"memory.mode": body.mode} if body.mode is not None else {}
    policy = runtime.policy(user, {**(body.settings or {}), **limit, **mode}, chat=body.chat_id)
    request = RecallRequest(
        scope=Scope(user, body.chat_id),
        query=parsers.replace_surrogates(body.query),
        policy=policy,
        as_of=parsers.parse_timestamp(body.as_of),
        metadata=parsers.parse_metadata_filter(body.metadata),
        save_receipt=False,
    )
    return json_response(serializers.serialize_receipt(runtime.services.recall.search(request)))


@router.get("/tune/labels", response_model=operations.LabelListResponse)
def list_labels(memory: MemoryDep, user: UserId) -> Response:
    """List labelled queries with their relevant passages, derived from feedback."""
    return json_response(
        serializers.wrap_results(map(serializers.serialize_label, memory.receipts.labels(user_id=user)))
    )


@router.post("/tune", response_model=operations.TuneResponse, dependencies=[IdempotencyKey])
def tune(memory: MemoryDep, user: UserId, body: requests.TuneRequest) -> Response:
    """
    Optimize the recall weights with labelled queries or the user's feedback, and measure the gain.

    The weights become the user's preferences if held-out queries improve, or with `force`.
    """
    label_values = (
        None if body.labels is None else [each.model_dump(exclude_none=True) for each in body.labels]
    )
    result = memory.settings.tune(
        label_values, dry_run=body.dry_run, force=body.force, name=body.name, user_id=user
    )
    return json_response(serializers.serialize_tuning(result))


@router.delete("/tune", response_model=operations.UndoTuningResponse)
def undo_tuning(memory: MemoryDep, user: UserId) -> Response:
    """Restore the values that the last tuning replaced, except those the user has changed since."""
    return json_response({"values": dict(memory.settings.undo_tuning(user_id=user))})


@router.get("/tunings", response_model=operations.TuningListResponse)
def list_tunings(memory: MemoryDep, user: UserId) -> Response:
    """List saved tunings by name."""
    return json_response(serializers.serialize_tunings(memory.settings.tunings(user_id=user)))


@router.put("/tunings/{name}", response_model=operations.TuningResponse)
def save_tuning(
    memory: MemoryDep,
    user: UserId,
    name: Annotated[str, Path(min_length=1, max_length=MAX_NAME_CHARS)],
    body: requests.SaveTuningRequest,
) -> Response:
    """Set recall weights as the user's preferences, and save them under a name."""
    memory.settings.save_tuning(body.values, name=name, user_id=user)
    return json_response({"name": name, "values": body.values})
