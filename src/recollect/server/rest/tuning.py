"""Trying numbers of recall out, choosing them by labelled questions, and keeping them under a name."""

from typing import Annotated

from fastapi import Path, Response

from recollect.domain.scope import LONGEST_NAME, Scope
from recollect.serialization import parsers, serializers
from recollect.server import requests
from recollect.server.dependencies import MemoryDoor, UserId
from recollect.server.json_response import answer
from recollect.server.responses import operations, resources
from recollect.server.rest.routing import OnceOnly, subject

router = subject("tuning", "/api")


@router.post("/memory/debug/recall", response_model=resources.Receipt)
def rehearse(memory: MemoryDoor, user: UserId, body: requests.Question) -> Response:
    """
    A recall with settings of its own, told as a receipt that is not kept: what was found, what was left out and why.

    `receipt` is not used.
    """
    runtime = memory.runtime
    limit = {"recall.limit": body.limit} if body.limit is not None else {}
    mode = {"memory.mode": body.mode} if body.mode is not None else {}
    policy = runtime.policy(user, {**(body.settings or {}), **limit, **mode}, chat=body.chat_id)
    found = runtime.engine.recall(
        Scope(user, body.chat_id),
        parsers.question(body.query),
        policy,
        as_of=parsers.moment(body.as_of),
        keep=False,
    )
    return answer(serializers.receipt(found))


@router.get("/tune/labels", response_model=operations.Labels)
def labels(memory: MemoryDoor, user: UserId) -> Response:
    """Questions with what was said to bear on them, made from feedback."""
    return answer(serializers.results(memory.labels(user_id=user)))


@router.post("/tune", response_model=operations.Tuned, dependencies=[OnceOnly])
def tune(memory: MemoryDoor, user: UserId, body: requests.Tune) -> Response:
    """
    Choose the numbers of recall by labelled questions, or by the user's feedback, and say what they are worth.

    They become the user's preferences if questions gain that they were not chosen by, or with `force`.
    """
    given_labels = (
        None if body.labels is None else [each.model_dump(exclude_none=True) for each in body.labels]
    )
    return answer(
        memory.tune(given_labels, dry_run=body.dry_run, force=body.force, name=body.name, user_id=user)
    )


@router.delete("/tune", response_model=operations.Untuned)
def undo(memory: MemoryDoor, user: UserId) -> Response:
    """Bring back what the last tuning replaced, except where the user has chosen again since then."""
    return answer(memory.undo_tuning(user_id=user))


@router.get("/tunings", response_model=operations.Tunings)
def tunings(memory: MemoryDoor, user: UserId) -> Response:
    """The numbers that were kept, by their names."""
    return answer(memory.tunings(user_id=user))


@router.put("/tunings/{name}", response_model=operations.Tuning)
def keep(
    memory: MemoryDoor,
    user: UserId,
    name: Annotated[str, Path(min_length=1, max_length=LONGEST_NAME)],
    body: requests.Numbers,
) -> Response:
    """Make numbers of recall the user's own, and keep them under a name."""
    return answer(memory.keep_tuning(body.values, name=name, user_id=user))
