"""Determines the user, the conversation and the memory options of a proxied request."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from recollect.domain.access import Principal
from recollect.domain.policy import Policy
from recollect.domain.scope import TEMPORARY_CHAT_PREFIX, validate_name
from recollect.errors import InvalidInput, Refused
from recollect.server.proxy.request_view import RequestView, short_hash

MODE_SETTING = "memory.mode"
#: Chats that Open WebUI does not store either.
UNSAVED_CHAT_PREFIX = "local:"
#: Open WebUI's own requests, such as titles and tags, start with this as a user message.
HOUSEKEEPING_PREFIX = "### Task:"


@dataclass(frozen=True, slots=True)
class MemoryAccess:
    """Whether memory may be read (recall) and written (ingestion)."""

    can_read: bool = True
    can_write: bool = True

    @property
    def mode(self) -> str:
        return {(True, True): "on", (True, False): "read", (False, True): "write"}.get(
            (self.can_read, self.can_write), "off"
        )

    def limit_to(self, policy: Policy) -> "MemoryAccess":
        """Return the access that the user's settings also allow."""
        return MemoryAccess(self.can_read and policy.memory.recalls, self.can_write and policy.collects)

    def restrict_policy(self, policy: Policy) -> Policy:
        names = {"on": "on", "read": "recall_only", "write": "collect_only", "off": "off"}
        return policy.with_values({MODE_SETTING: names[self.limit_to(policy).mode]})


ACCESS_BY_MODE: Mapping[str, MemoryAccess] = {
    "on": MemoryAccess(),
    "read": MemoryAccess(can_write=False),
    "write": MemoryAccess(can_read=False),
    "off": MemoryAccess(can_read=False, can_write=False),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class MemoryOptions:
    """Options that a client sets in `X-Memory` headers."""

    access: MemoryAccess = ACCESS_BY_MODE["on"]
    budget: int | None = None
    verbose: bool = False


def parse_memory_options(headers: Mapping[str, str]) -> MemoryOptions:
    """Parse the headers. Unknown modes are refused: a misspelt `off` must not mean `on`."""
    mode = headers.get("x-memory", "on").strip().lower()
    if mode not in ACCESS_BY_MODE:
        raise InvalidInput(f"X-Memory cannot be {mode[:40]!r}. Use one of: {', '.join(ACCESS_BY_MODE)}.")
    budget = headers.get("x-memory-budget", "").strip()
    if budget and not (budget.isascii() and budget.isdecimal() and len(budget) < 8):
        raise InvalidInput("X-Memory-Budget must be a whole number of tokens below 10,000,000.")
    return MemoryOptions(
        access=ACCESS_BY_MODE[mode],
        budget=int(budget) if budget else None,
        verbose=headers.get("x-memory-verbose", "").strip() == "1",
    )


def resolve_proxy_user(
    headers: Mapping[str, str], view: RequestView, principal: Principal, *, is_authenticated: bool
) -> str:
    """
    Return the user whose memory is used.

    A client without a token acts for the owner, a token for its own user. Only an admin's token may name another user.
    """
    if not is_authenticated:
        return principal.user
    requested_user = headers.get("x-memory-user")
    if requested_user and requested_user != principal.user and not principal.is_admin:
        raise Refused(
            "This token may not access another user's memory. Leave X-Memory-User out, or use an admin's token."
        )
    if requested_user:
        return validate_name("user id", requested_user)
    client_user = headers.get("x-openwebui-user-id") or view.user
    return normalize_name(client_user) if client_user and principal.is_admin else principal.user


def identify_conversation(
    headers: Mapping[str, str],
    view: RequestView,
    chat_for_response: Callable[[str], str | None],
    *,
    is_authenticated: bool,
) -> tuple[str, bool]:
    """
    Return the chat id, and whether it reliably identifies the conversation.

    Only then are messages deleted that a client no longer sends. `chat_for_response` returns the chat of an earlier
    response. Without any id, the chat id is a hash of the system prompt and the first user message.
    """
    if client_name := headers.get("x-memory-conversation"):
        return normalize_name(client_name), is_authenticated and not view.is_continuation
    if client_name := headers.get("x-openwebui-chat-id"):
        name = (
            f"{TEMPORARY_CHAT_PREFIX}{client_name}"
            if client_name.startswith(UNSAVED_CHAT_PREFIX)
            else client_name
        )
        return normalize_name(name), is_authenticated and not view.is_continuation
    previous_chat = chat_for_response(view.previous_response_id) if view.previous_response_id else None
    if client_name := view.conversation_id or previous_chat or view.previous_response_id or view.cache_key:
        return normalize_name(client_name), False
    first = next((message.text for message in view.messages if message.insertion_point), "")
    return "chat-" + short_hash(f"{view.system}\0{first}"), False


def is_housekeeping(headers: Mapping[str, str], view: RequestView) -> bool:
    """Return whether the host application sends a request of its own, such as for a chat title."""
    is_from_host = "x-openwebui-chat-id" in headers or "x-openwebui-user-id" in headers
    return (
        is_from_host
        and len(view.messages) == 1
        and view.messages[0].text.lstrip().startswith(HOUSEKEEPING_PREFIX)
    )


def normalize_name(name: str) -> str:
    """Return a client's name if it is valid, else a hash of it. A temporary chat stays one."""
    try:
        return validate_name("name", name)
    except InvalidInput:
        prefix = TEMPORARY_CHAT_PREFIX if name.startswith(TEMPORARY_CHAT_PREFIX) else ""
        return f"{prefix}name-{short_hash(name)}"
