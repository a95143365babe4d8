"""Hooks of coding agents: each posts its JSON and gets the answer in its own form."""

from typing import Any

from fastapi import Response

from recollect.library.agent_hooks import answer_hook
from recollect.server.dependencies import MemoryDep, RecallSlot, UserId
from recollect.server.json_response import json_response
from recollect.server.responses import operations
from recollect.server.rest.routing import create_router

router = create_router("hooks", "/api/hooks")


@router.post("/{host}", response_model=operations.HookResponse, dependencies=[RecallSlot])
def answer(memory: MemoryDep, user: UserId, host: str, body: dict[str, Any]) -> Response:
    """Answer a hook of claude-code, codex, gemini, cursor or opencode: store its message, return what to inject."""
    return json_response(answer_hook(memory.application, user, host, body).answer)
