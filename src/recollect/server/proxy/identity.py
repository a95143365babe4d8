"""Whose memory a request is for, which conversation it belongs to, and what memory may do in it."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from recollect.domain.policy import Policy
from recollect.domain.scope import TEMPORARY_CHAT_PREFIX, validate_name
from recollect.errors import InvalidInput, Refused
from recollect.server.proxy.request_view import RequestView, short_hash
from recollect.server.tokens import Principal

MODE_SETTING = "memory.mode"
#: A chat of Open WebUI that it does not keep either.
UNSAVED_CHAT_PREFIX = "local:"
#: How Open WebUI asks for titles, tags and the like, in the user's name.
HOUSEKEEPING_PREFIX = "### Task:"


@dataclass(frozen=True, slots=True)
class MemoryAccess:
    """What memory may do: recall, learn, both or neither."""

    can_read: bool = True
    can_write: bool = True

    @property
    def mode(self) -> str:
        return {(True, True): "on", (True, False): "read", (False, True): "write"}.get(
            (self.can_read, self.can_write), "off"
        )

    def limit_to(self, policy: Policy) -> "MemoryAccess":
        """What is left of it where the user's own settings allow less."""
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
    """What a client asks of memory, besides what it asks of the model."""

    access: MemoryAccess = ACCESS_BY_MODE["on"]
    budget: int | None = None
    verbose: bool = False


def parse_memory_options(headers: Mapping[str, str]) -> MemoryOptions:
    """What the headers say. A word that is misspelt is refused: nobody wants `of` to mean `on`."""
    name = headers.get("x-memory", "on").strip().lower()
    if name not in ACCESS_BY_MODE:
        raise InvalidInput(f"X-Memory cannot be {name[:40]!r}. Say {', '.join(ACCESS_BY_MODE)}.")
    budget = headers.get("x-memory-budget", "").strip()
    if budget and not (budget.isascii() and budget.isdecimal() and len(budget) < 8):
        raise InvalidInput("X-Memory-Budget is a number of tokens.")
    return MemoryOptions(
        access=ACCESS_BY_MODE[name],
        budget=int(budget) if budget else None,
        verbose=headers.get("x-memory-verbose", "").strip() == "1",
    )


def resolve_proxy_user(
    headers: Mapping[str, str], view: RequestView, principal: Principal, *, is_authenticated: bool
) -> str:
    """
    The user. A client without a token of ours speaks for the owner alone, and so does everybody's token for its own
    user: only an admin's speaks for whom it says.
    """
    if not is_authenticated:
        return principal.user
    requested_user = headers.get("x-memory-user")
    if requested_user and requested_user != principal.user and not principal.is_admin:
        raise Refused("This token is for another user's memory. Ask for your own, or use an admin's token.")
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
    The conversation's name, and whether whoever named it may be believed: what is no longer in a conversation is taken
    out of memory only if it is surely the same one. `chat_of` knows which conversation an answer belongs to.
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
    first = next((said.text for said in view.messages if said.insertion_point), "")
    return "chat-" + short_hash(f"{view.system}\0{first}"), False


def is_housekeeping(headers: Mapping[str, str], view: RequestView) -> bool:
    """Whether a host asks for something of its own, which nobody said."""
    from_host = "x-openwebui-chat-id" in headers or "x-openwebui-user-id" in headers
    return (
        from_host
        and len(view.messages) == 1
        and view.messages[0].text.lstrip().startswith(HOUSEKEEPING_PREFIX)
    )


def normalize_name(name: str) -> str:
    """A name that somebody else gave, or one that stands for it."""
    try:
        return validate_name("name", name)
    except InvalidInput:
        prefix = TEMPORARY_CHAT_PREFIX if name.startswith(TEMPORARY_CHAT_PREFIX) else ""
        return f"{prefix}name-{short_hash(name)}"
