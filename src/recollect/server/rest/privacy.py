"""Profile, consents, audit log and erasure."""

from fastapi import Response

from recollect.domain.event import ErasurePreview
from recollect.errors import InvalidInput
from recollect.serialization import serializers
from recollect.serialization.serializers import JsonObject
from recollect.server import requests
from recollect.server.dependencies import MemoryDep, UserId
from recollect.server.json_response import json_response
from recollect.server.responses import resources
from recollect.server.rest.routing import IdempotencyKey, Limit, create_router

router = create_router("privacy", "/api/memory")
#: Memories that a preview includes.
MAX_PREVIEW_MEMORIES = 100


@router.get("/profile", response_model=resources.ProfileResponse)
def get_profile(memory: MemoryDep, user: UserId) -> Response:
    """Get the user's profile; empty without consent."""
    return json_response(serializers.serialize_profile(memory.profile.get(user_id=user)))


@router.put("/profile", response_model=resources.ProfileResponse)
def set_profile(memory: MemoryDep, user: UserId, body: requests.UpdateProfileRequest) -> Response:
    """Update the profile. It needs the consent `profile`; fields that are not sent stay unchanged."""
    profile = memory.profile.set(body.model_dump(exclude_unset=True), user_id=user)
    return json_response(serializers.serialize_profile(profile))


@router.get("/consent", response_model=resources.ConsentListResponse)
def list_consents(memory: MemoryDep, user: UserId) -> Response:
    """List the user's consents by category."""
    granted_by_category = memory.privacy.consents(user_id=user)
    return json_response(
        {"consents": dict(granted_by_category), "profileConsent": granted_by_category["profile"]}
    )


@router.post("/consent", response_model=resources.ConsentChangeResponse, dependencies=[IdempotencyKey])
def set_consent(memory: MemoryDep, user: UserId, body: requests.SetConsentRequest) -> Response:
    """Grant or revoke a consent. Revoking it erases the data it covers."""
    change = memory.privacy.consent(body.category, granted=body.granted, user_id=user)
    return json_response(serializers.serialize_consent_change(change))


@router.get("/consent/{category}", response_model=resources.ConsentCoverageResponse)
def get_consent_coverage(memory: MemoryDep, user: UserId, category: str) -> Response:
    """Count the data that revoking a consent would erase."""
    covers = memory.privacy.preview_withdrawal(category, user_id=user)
    granted = memory.privacy.consents(user_id=user)[category]
    return json_response({"category": category, "granted": granted, "covers": dict(covers)})


@router.get("/ledger", response_model=resources.AuditLogResponse)
def get_audit_log(memory: MemoryDep, user: UserId, limit: Limit = 100) -> Response:
    """Return the tamper-evident log of consents and erasures, newest first, and whether it is intact."""
    return json_response(
        serializers.serialize_audit_trail(memory.privacy.audit_log(user_id=user, limit=limit))
    )


@router.post("/erase/preview", response_model=resources.ErasurePreviewResponse)
def preview_erasure(memory: MemoryDep, user: UserId, body: requests.EraseRequest) -> Response:
    """Report what an erasure would delete, without deleting anything."""
    _require_one_target(body)
    preview = memory.privacy.preview_erasure(body.memory_id, chat_id=body.chat_id, user_id=user)
    return json_response(_serialize_preview(preview))


@router.post("/erase", response_model=resources.ErasureCertificateResponse, dependencies=[IdempotencyKey])
def erase(memory: MemoryDep, user: UserId, body: requests.EraseRequest) -> Response:
    """
    Permanently erase a memory, a chat, or all data of the user.

    Returns a certificate: what was deleted, and whether a scan of the file's bytes found no trace of it.
    """
    _require_one_target(body)
    certificate = memory.privacy.erase(body.memory_id, chat_id=body.chat_id, user_id=user)
    return json_response(serializers.serialize_certificate(certificate))


def _require_one_target(body: requests.EraseRequest) -> None:
    if (body.memory_id is not None) + (body.chat_id is not None) + body.everything != 1:
        raise InvalidInput("Send exactly one of memory_id, chat_id, or everything: true.")


def _serialize_preview(value: ErasurePreview) -> JsonObject:
    return {
        "what": value.target,
        "rows": dict(value.rows),
        "memories": [serializers.serialize_memory(each) for each in value.memories[:MAX_PREVIEW_MEMORIES]],
    }
