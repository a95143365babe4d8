"""Whose memory a request is for, which conversation it belongs to, and what memory may do in it."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from recollect.domain.policy import Policy
from recollect.domain.scope import TEMPORARY, valid_name
from recollect.errors import InvalidInput, Refused
from recollect.server.proxy.request_view import Asked, short_hash
from recollect.server.tokens import Person

MODE = "memory.mode"
#: A chat of Open WebUI that it does not keep either.
UNKEPT = "local:"
#: How Open WebUI asks for titles, tags and the like, in the user's name.
CHORE = "### Task:"


@dataclass(frozen=True, slots=True)
class Use:
    """What memory may do: recall, learn, both or neither."""

    reads: bool = True
    writes: bool = True

    @property
    def name(self) -> str:
        return {(True, True): "on", (True, False): "read", (False, True): "write"}.get(
            (self.reads, self.writes), "off"
        )

    def within(self, policy: Policy) -> "Use":
        """What is left of it where the user's own settings allow less."""
        return Use(self.reads and policy.memory.recalls, self.writes and policy.listens)

    def narrowed(self, policy: Policy) -> Policy:
        names = {"on": "on", "read": "recall_only", "write": "collect_only", "off": "off"}
        return policy.with_values({MODE: names[self.within(policy).name]})


USES: Mapping[str, Use] = {
    "on": Use(),
    "read": Use(writes=False),
    "write": Use(reads=False),
    "off": Use(reads=False, writes=False),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Wish:
    """What a client asks of memory, besides what it asks of the model."""

    use: Use = USES["on"]
    budget: int | None = None
    verbose: bool = False


def wish(headers: Mapping[str, str]) -> Wish:
    """What the headers say. A word that is misspelt is refused: nobody wants `of` to mean `on`."""
    name = headers.get("x-memory", "on").strip().lower()
    if name not in USES:
        raise InvalidInput(f"X-Memory cannot be {name[:40]!r}. Say {', '.join(USES)}.")
    budget = headers.get("x-memory-budget", "").strip()
    if budget and not (budget.isascii() and budget.isdecimal() and len(budget) < 8):
        raise InvalidInput("X-Memory-Budget is a number of tokens.")
    return Wish(
        use=USES[name],
        budget=int(budget) if budget else None,
        verbose=headers.get("x-memory-verbose", "").strip() == "1",
    )


def who(headers: Mapping[str, str], asked: Asked, person: Person, *, trusted: bool) -> str:
    """
    The user. A client without a token of ours speaks for the owner alone, and so does everybody's token for its own
    user: only an admin's speaks for whom it says.
    """
    if not trusted:
        return person.user
    named = headers.get("x-memory-user")
    if named and named != person.user and not person.admin:
        raise Refused("This token is for another user's memory. Ask for your own, or use an admin's token.")
    if named:
        return valid_name("user id", named)
    told = headers.get("x-openwebui-user-id") or asked.user
    return fitting(told) if told and person.admin else person.user


def conversation(
    headers: Mapping[str, str], asked: Asked, chat_of: Callable[[str], str | None], *, trusted: bool
) -> tuple[str, bool]:
    """
    The conversation's name, and whether whoever named it may be believed: what is no longer in a conversation is taken
    out of memory only if it is surely the same one. `chat_of` knows which conversation an answer belongs to.
    """
    if named := headers.get("x-memory-conversation"):
        return fitting(named), trusted and not asked.is_continued
    if named := headers.get("x-openwebui-chat-id"):
        name = f"{TEMPORARY}{named}" if named.startswith(UNKEPT) else named
        return fitting(name), trusted and not asked.is_continued
    followed = chat_of(asked.follows) if asked.follows else None
    if named := asked.conversation or followed or asked.follows or asked.cache_key:
        return fitting(named), False
    first = next((said.text for said in asked.said if said.slot), "")
    return "chat-" + short_hash(f"{asked.system}\0{first}"), False


def is_chore(headers: Mapping[str, str], asked: Asked) -> bool:
    """Whether a host asks for something of its own, which nobody said."""
    from_host = "x-openwebui-chat-id" in headers or "x-openwebui-user-id" in headers
    return from_host and len(asked.said) == 1 and asked.said[0].text.lstrip().startswith(CHORE)


def fitting(name: str) -> str:
    """A name that somebody else gave, or one that stands for it."""
    try:
        return valid_name("name", name)
    except InvalidInput:
        kept = TEMPORARY if name.startswith(TEMPORARY) else ""
        return f"{kept}name-{short_hash(name)}"
