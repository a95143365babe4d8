"""Settings with where each came from; a user's own can be changed here, and hold at once."""

from fastapi import Response
from starlette.exceptions import HTTPException

from recollect.domain.policy import PRESETS, Value
from recollect.domain.setting import CAPS, MOST, Described, Setting
from recollect.errors import ConfigError, NotFound
from recollect.library.memory import Memory
from recollect.serialization.serializers import Json, Shape
from recollect.server import requests
from recollect.server.dependencies import Asker, MemoryDoor, UserId
from recollect.server.json_response import answer
from recollect.server.responses import reports
from recollect.server.rest.routing import subject
from recollect.server.tokens import Person
from recollect.settings import describe

router = subject("settings", "/api")


@router.get("/settings", response_model=reports.SettingsList)
def list_settings(memory: MemoryDoor, asker: Asker, user: UserId) -> Response:
    """Every setting: its value for this user, where it came from, and what it takes; admins see the machine's."""
    resolved = memory.runtime.resolve(user)
    rows = [row for row in describe() if asker.admin or is_personal(row)]
    shown = [_shape(row, resolved.sources[row.name]) for row in rows]
    return answer({"results": shown, "warnings": list(resolved.warnings)})


@router.get("/settings/{name}", response_model=reports.Setting)
def get_setting(memory: MemoryDoor, asker: Asker, user: UserId, name: str) -> Response:
    """One setting; those of the machine are for admins."""
    row = _known(name)
    if not (asker.admin or is_personal(row)):
        raise HTTPException(403, f"{row.name} belongs to the machine. Ask with an admin's token.")
    return answer(_now(memory, user, row))


@router.put("/settings/{name}", response_model=reports.Setting)
def set_preference(
    memory: MemoryDoor, asker: Asker, user: UserId, name: str, body: requests.SettingValue
) -> Response:
    """
    Set a preference of the user: it wins over the environment. What belongs to the machine is not set here, and what
    caps a user's costs only by an admin.
    """
    row, runtime = _known(name), memory.runtime
    _may_change(asker, row)
    value = _written(body.value)
    # Raises if the value makes no sense, or is not the user's to choose.
    runtime.settings.resolve(preferences={row.name: value})
    runtime.store.preferences.set(user, row.name, value, now=runtime.engine.clock.now())
    return answer(_now(memory, user, row))


@router.delete("/settings/{name}", response_model=reports.Setting)
def unset_preference(memory: MemoryDoor, asker: Asker, user: UserId, name: str) -> Response:
    """Take a preference of the user back; what held before it holds again."""
    row, runtime = _known(name), memory.runtime
    _may_change(asker, row)
    runtime.store.preferences.set(user, row.name, None, now=runtime.engine.clock.now())
    return answer(_now(memory, user, row))


@router.get("/presets", response_model=reports.Presets)
def presets() -> Response:
    """The presets and what each changes."""
    shown = [
        {"name": name, "values": {key: _json(value) for key, value in values.items()}}
        for name, values in PRESETS.items()
    ]
    return answer({"results": shown})


def _known(name: str) -> Described:
    row = next((row for row in describe() if name in {row.name, *row.environment}), None)
    if row is None:
        raise NotFound(f"There is no setting {name!r}. GET /api/settings lists them all.")
    return row


def _may_change(asker: Person, row: Described) -> None:
    if row.name.startswith(CAPS) and not asker.admin:
        raise HTTPException(403, f"{row.name} caps what a user costs. Ask with an admin's token.")


def _now(memory: Memory, user: str, row: Described) -> Shape:
    return _shape(row, memory.runtime.resolve(user).sources[row.name])


def _shape(row: Described, found: Setting) -> Shape:
    return {
        "name": row.name,
        "value": _json(found.value),
        "source": found.source,
        "origin": found.origin,
        "doc": row.doc,
        "takes": row.takes,
        "personal": is_personal(row),
        "kind": row.kind,
        "choices": list(row.choices),
        **_bounds(row),
        "default": _json(row.default),
        "environment": list(row.environment),
        "secret": row.secret,
    }


def _bounds(row: Described) -> Shape:
    if row.kind not in {"number", "whole number"}:
        return {"low": None, "high": None}
    return {"low": row.low, "high": row.high if row.high < MOST else None}


def is_personal(row: Described) -> bool:
    """Whether a user may choose it; the rest belongs to the machine."""
    return row.name == "preset" or "." in row.name


def _json(value: Value) -> Json:
    return list(value) if isinstance(value, tuple) else value


def _written(value: bool | float | str | list[str]) -> str:
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
