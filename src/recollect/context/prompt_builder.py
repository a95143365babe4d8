"""Join the host's system prompt, the memory block and the conversation into one prompt."""

from dataclasses import dataclass

from recollect.context.labels import AGENT_LABELS
from recollect.context.sections import build_sections
from recollect.domain.context import ContextBlock, Tiers
from recollect.domain.message import CHAT_ROLES, Message


def build_system_message(system: str, block: str, rules_for_request: str | None = None) -> str:
    """Return the host's system prompt, unchanged, then the memory block, then the rules for this request."""
    parts = (system, block, rules_for_request or "")
    return "\n\n".join(part for part in parts if part)


@dataclass(frozen=True, slots=True, kw_only=True)
class ContextBuilder:
    """
    Merge system prompt, memory block and history, in that order.

    If the block already shows recent messages, only the messages after them are added.
    """

    system: str = ""
    knowledge: ContextBlock
    history: tuple[Message, ...] = ()  #: oldest first
    rules_for_request: str | None = None
    locale: str = "en"

    def system_message(self) -> str:
        return build_system_message(self.system, self.knowledge.text, self.rules_for_request)

    def messages(self) -> list[dict[str, str]]:
        """Return the messages for a chat API: one system message, unless it is empty, then the conversation."""
        system = self.system_message()
        first = [{"role": "system", "content": system}] if system else []
        chat_messages = (message for message in self._messages_after_block() if message.role in CHAT_ROLES)
        return [*first, *({"role": m.role.value, "content": m.content} for m in chat_messages)]

    def prompt(self) -> str:
        """Return the prompt as one text, with the conversation at the end."""
        recent = build_sections(
            [], Tiers(recent_messages=self._messages_after_block()), AGENT_LABELS[self.locale], "• "
        )
        parts = (self.system_message(), *(section.text for section in recent))
        return "\n\n".join(part for part in parts if part)

    def _messages_after_block(self) -> tuple[Message, ...]:
        shown_ids = {message.id for message in self.knowledge.tiers.recent_messages}
        positions = [index for index, message in enumerate(self.history) if message.id in shown_ids]
        return self.history[max(positions, default=-1) + 1 :]
