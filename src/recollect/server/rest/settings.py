"""Settings with their sources. Users can change their own; changes apply immediately."""

from fastapi import Response
from starlette.exceptions import HTTPException

from recollect.domain.access import Principal
from recollect.domain.policy import PRESETS, OptionValue
from recollect.domain.setting import (
    CAP_SETTING_PREFIX,
    MAX_SETTING_VALUE,
    Setting,
    SettingSpec,
    preference_text,
)
from recollect.errors import NotFound
from recollect.library.memory import Memory
from recollect.serialization.serializers import JsonObject, JsonValue
from recollect.server import requests
from recollect.server.dependencies import CurrentPrincipal, MemoryDep, UserId
from recollect.server.json_response import json_response
from recollect.server.responses import reports
from recollect.server.rest.routing import create_router
from recollect.settings import find_setting, list_specs

router = create_router("settings", "/api")


@router.get("/settings", response_model=reports.SettingListResponse)
def list_settings(memory: MemoryDep, principal: CurrentPrincipal, user: UserId) -> Response:
    """List settings with the user's value, its source and the accepted values. Admins also see server settings."""
    resolved = memory.application.resolve(user)
    rows = [row for row in list_specs() if principal.is_admin or is_personal(row)]
    settings = [_serialize_setting(row, resolved.settings[row.name]) for row in rows]
    return json_response({"results": settings, "warnings": list(resolved.warnings)})


@router.get("/settings/{name}", response_model=reports.SettingResponse)
def get_setting(memory: MemoryDep, principal: CurrentPrincipal, user: UserId, name: str) -> Response:
    """Get a setting. Server settings are for admins only."""
    row = _find_setting(name)
    if not (principal.is_admin or is_personal(row)):
        raise HTTPException(403, f"{row.name} is a server setting. Use an admin's token.")
    return json_response(_serialize_current(memory, user, row))


@router.put("/settings/{name}", response_model=reports.SettingResponse)
def set_preference(
    memory: MemoryDep,
    principal: CurrentPrincipal,
    user: UserId,
    name: str,
    body: requests.SetPreferenceRequest,
) -> Response:
    """
    Set a preference of the user, which takes precedence over the environment.

    Server settings cannot be set here; cost caps only by an admin.
    """
    row, runtime = _find_setting(name), memory.application
    _require_admin_for_cap(principal, row)
    value = preference_text(tuple(body.value) if isinstance(body.value, list) else body.value)
    # Raises if the value is invalid, or if the setting is not a preference.
    runtime.settings.resolve(preferences={row.name: value})
    runtime.services.preferences.set(user, row.name, value)
    return json_response(_serialize_current(memory, user, row))


@router.delete("/settings/{name}", response_model=reports.SettingResponse)
def unset_preference(memory: MemoryDep, principal: CurrentPrincipal, user: UserId, name: str) -> Response:
    """Remove a preference of the user; the setting falls back to its next source."""
    row, runtime = _find_setting(name), memory.application
    _require_admin_for_cap(principal, row)
    runtime.services.preferences.set(user, row.name, None)
    return json_response(_serialize_current(memory, user, row))


@router.get("/presets", response_model=reports.PresetListResponse)
def list_presets() -> Response:
    """List the presets and the settings that each changes."""
    presets = [
        {"name": name, "values": {key: _json_value(value) for key, value in values.items()}}
        for name, values in PRESETS.items()
    ]
    return json_response({"results": presets})


def _find_setting(name: str) -> SettingSpec:
    row = find_setting(name)
    if row is None:
        raise NotFound(f"There is no setting {name!r}. GET /api/settings lists all settings.")
    return row


def _require_admin_for_cap(principal: Principal, row: SettingSpec) -> None:
    if row.name.startswith(CAP_SETTING_PREFIX) and not principal.is_admin:
        raise HTTPException(
            403, f"{row.name} is a cost cap, which only admins may change. Use an admin's token."
        )


def _serialize_current(memory: Memory, user: str, row: SettingSpec) -> JsonObject:
    return _serialize_setting(row, memory.application.resolve(user).settings[row.name])


def _serialize_setting(row: SettingSpec, setting: Setting) -> JsonObject:
    return {
        "name": row.name,
        "value": _json_value(setting.value),
        "source": setting.layer,
        "origin": setting.origin,
        "doc": row.doc,
        "takes": row.accepted_values,
        "personal": is_personal(row),
        "kind": row.kind,
        "choices": list(row.choices),
        **_serialize_bounds(row),
        "default": _json_value(row.default),
        "environment": list(row.environment),
        "secret": row.is_secret,
    }


def _serialize_bounds(row: SettingSpec) -> JsonObject:
    if row.kind not in {"number", "whole number"}:
        return {"low": None, "high": None}
    return {"low": row.low, "high": row.high if row.high < MAX_SETTING_VALUE else None}


def is_personal(row: SettingSpec) -> bool:
    """Return whether a user may set it; the others are server settings."""
    return row.name == "preset" or "." in row.name


def _json_value(value: OptionValue) -> JsonValue:
    return list(value) if isinstance(value, tuple) else value
