"""Settings with where each came from; a user's own can be changed here, and hold at once."""

from fastapi import Response
from starlette.exceptions import HTTPException

from recollect.domain.policy import PRESETS, OptionValue
from recollect.domain.setting import CAP_SETTING_PREFIX, MAX_SETTING_VALUE, Setting, SettingSpec
from recollect.errors import ConfigError, NotFound
from recollect.library.memory import Memory
from recollect.serialization.serializers import JsonObject, JsonValue
from recollect.server import requests
from recollect.server.dependencies import CurrentPrincipal, MemoryDep, UserId
from recollect.server.json_response import json_response
from recollect.server.responses import reports
from recollect.server.rest.routing import create_router
from recollect.server.tokens import Principal
from recollect.settings import list_specs

router = create_router("settings", "/api")


@router.get("/settings", response_model=reports.SettingListResponse)
def list_settings(memory: MemoryDep, principal: CurrentPrincipal, user: UserId) -> Response:
    """Every setting: its value for this user, where it came from, and what it takes; admins see the machine's."""
    resolved = memory.application.resolve(user)
    rows = [row for row in list_specs() if principal.is_admin or is_personal(row)]
    settings = [_serialize_setting(row, resolved.settings[row.name]) for row in rows]
    return json_response({"results": settings, "warnings": list(resolved.warnings)})


@router.get("/settings/{name}", response_model=reports.SettingResponse)
def get_setting(memory: MemoryDep, principal: CurrentPrincipal, user: UserId, name: str) -> Response:
    """One setting; those of the machine are for admins."""
    row = _find_setting(name)
    if not (principal.is_admin or is_personal(row)):
        raise HTTPException(403, f"{row.name} belongs to the machine. Ask with an admin's token.")
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
    Set a preference of the user: it wins over the environment. What belongs to the machine is not set here, and what
    caps a user's costs only by an admin.
    """
    row, runtime = _find_setting(name), memory.application
    _require_admin_for_cap(principal, row)
    value = _preference_text(body.value)
    # Raises if the value makes no sense, or is not the user's to choose.
    runtime.settings.resolve(preferences={row.name: value})
    runtime.store.preferences.set(user, row.name, value, now=runtime.engine.clock.now())
    return json_response(_serialize_current(memory, user, row))


@router.delete("/settings/{name}", response_model=reports.SettingResponse)
def unset_preference(memory: MemoryDep, principal: CurrentPrincipal, user: UserId, name: str) -> Response:
    """Take a preference of the user back; what held before it holds again."""
    row, runtime = _find_setting(name), memory.application
    _require_admin_for_cap(principal, row)
    runtime.store.preferences.set(user, row.name, None, now=runtime.engine.clock.now())
    return json_response(_serialize_current(memory, user, row))


@router.get("/presets", response_model=reports.PresetListResponse)
def list_presets() -> Response:
    """The presets and what each changes."""
    shown = [
        {"name": name, "values": {key: _json_value(value) for key, value in values.items()}}
        for name, values in PRESETS.items()
    ]
    return json_response({"results": shown})


def _find_setting(name: str) -> SettingSpec:
    row = next((row for row in list_specs() if name in {row.name, *row.environment}), None)
    if row is None:
        raise NotFound(f"There is no setting {name!r}. GET /api/settings lists them all.")
    return row


def _require_admin_for_cap(principal: Principal, row: SettingSpec) -> None:
    if row.name.startswith(CAP_SETTING_PREFIX) and not principal.is_admin:
        raise HTTPException(403, f"{row.name} caps what a user costs. Ask with an admin's token.")


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
    """Whether a user may choose it; the rest belongs to the machine."""
    return row.name == "preset" or "." in row.name


def _json_value(value: OptionValue) -> JsonValue:
    return list(value) if isinstance(value, tuple) else value


def _preference_text(value: bool | float | str | list[str]) -> str:
    """As a preference is kept: in words."""
    match value:
        case bool():
            return "true" if value else "false"
        case list():
            if any("," in each for each in value):
                raise ConfigError("A word of a list holds no comma.")
            return ",".join(value)
        case _:
            return str(value)
