"""
Connections to the coding agents and chat clients of the machine that the server runs on.

They edit configuration files in the home folder of the server's user. Therefore they are for admins only, and only if
the server listens on loopback: elsewhere the files would be those of another machine.
"""

from typing import Annotated, TypeAlias

from fastapi import Depends, Path, Response

from recollect.errors import NotFound, Refused
from recollect.hosts.programs import PROGRAMS, ConnectCommands, Program
from recollect.library.connection_setup import make_commands, open_connections, run_probe
from recollect.library.connections import Connections, FileChange
from recollect.library.memory import Memory
from recollect.serialization.serializers import JsonObject, wrap_results
from recollect.server.dependencies import MemoryDep
from recollect.server.json_response import json_response
from recollect.server.responses import operations
from recollect.server.rest.routing import AdminPrincipal, IdempotencyKey, LocalServer, create_router
from recollect.settings import MachineSettings


async def _find_program(program: Annotated[str, Path(max_length=40)]) -> Program:
    if program not in PROGRAMS:
        raise NotFound(f"There is no program {program!r}. Use one of: {', '.join(PROGRAMS)}.")
    return PROGRAMS[program]


router = create_router("connections", "/api/connections")
KnownProgram: TypeAlias = Annotated[Program, Depends(_find_program)]


@router.get("", response_model=operations.ConnectionListResponse, dependencies=[LocalServer])
def list_connections(memory: MemoryDep, _: AdminPrincipal) -> Response:
    """List known programs and whether they are installed and connected. Admins of a local server only."""
    connections, commands = open_connections(), _commands(memory)
    return json_response(
        wrap_results(_serialize_program(each, connections, commands) for each in PROGRAMS.values())
    )


@router.get("/{program}", response_model=operations.ConnectionPlanResponse, dependencies=[LocalServer])
def preview_connection(memory: MemoryDep, _: AdminPrincipal, program: KnownProgram) -> Response:
    """Return what connecting a program would change in its configuration files; nothing is written."""
    connections, commands = open_connections(), _commands(memory)
    changes = connections.plan_connect(program, commands)
    return json_response(
        {**_serialize_program(program, connections, commands), **_serialize_changes(changes)}
    )


@router.post(
    "/{program}",
    response_model=operations.ConnectionResponse,
    dependencies=[LocalServer, IdempotencyKey],
)
def connect_program(memory: MemoryDep, _: AdminPrincipal, program: KnownProgram) -> Response:
    """
    Write the configuration files of a program, keep the previous ones beside them, and run its hook once.

    `problem` says why the hook failed. Connecting again replaces the entries of an earlier connection.
    """
    connections, commands = open_connections(), _commands(memory)
    changes = connections.plan_connect(program, commands)
    if not changes:
        raise Refused(f"{program.title} is set up in its own pages. {' '.join(program.notes)}")
    connections.apply(program, changes)
    problem = run_probe(program.name, _machine(memory), commands) if program.has_hooks else None
    return json_response(
        {
            **_serialize_program(program, connections, commands),
            **_serialize_changes(changes),
            "problem": problem,
        }
    )


@router.delete("/{program}", response_model=operations.ConnectionPlanResponse, dependencies=[LocalServer])
def disconnect_program(memory: MemoryDep, _: AdminPrincipal, program: KnownProgram) -> Response:
    """Remove what was added to a program's files; files that nobody changed since then get their old bytes back."""
    connections, commands = open_connections(), _commands(memory)
    changes = connections.plan_disconnect(program)
    if changes:
        connections.apply(program, changes)
    return json_response(
        {**_serialize_program(program, connections, commands), **_serialize_changes(changes)}
    )


def _machine(memory: Memory) -> MachineSettings:
    return memory.application.settings.resolve().machine


def _commands(memory: Memory) -> ConnectCommands:
    return make_commands(_machine(memory), with_mcp=True)


def _serialize_program(program: Program, connections: Connections, commands: ConnectCommands) -> JsonObject:
    return {
        "program": program.name,
        "title": program.title,
        "state": connections.state(program, commands),
        "hooks": program.has_hooks,
        "notes": [*program.notes],
    }


def _serialize_changes(changes: list[FileChange]) -> JsonObject:
    return {
        "files": [str(each.path) for each in changes],
        "diff": "".join(each.diff for each in changes),
    }
