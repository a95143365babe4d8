"""Join the host's system prompt, the memory block and the conversation into one prompt."""

from dataclasses import dataclass

from recollect.context.labels import AGENT
from recollect.context.sections import around
from recollect.domain.context import Block, Tiers
from recollect.domain.message import SPEAKERS, Message


def build_system_message(system: str, block: str, rules_for_request: str | None = None) -> str:
    """The host's system prompt, untouched and first, then the memory block, then rules for this request."""
    parts = (system, block, rules_for_request or "")
    return "\n\n".join(part for part in parts if part)


@dataclass(frozen=True, slots=True, kw_only=True)
class ContextBuilder:
    """
    Merges system prompt, knowledge and history, in that order.

    When the block shows the conversation itself, only what was said after that is added.
    """

    system: str = ""
    knowledge: Block
    history: tuple[Message, ...] = ()  #: oldest first
    rules_for_request: str | None = None
    locale: str = "en"

    def system_message(self) -> str:
        return build_system_message(self.system, self.knowledge.text, self.rules_for_request)

    def messages(self) -> list[dict[str, str]]:
        """The prompt for a chat API: one system message if there is anything to say, then what was said."""
        system = self.system_message()
        first = [{"role": "system", "content": system}] if system else []
        said = (message for message in self._unshown() if message.role in SPEAKERS)
        return [*first, *({"role": m.role.value, "content": m.content} for m in said)]

    def prompt(self) -> str:
        """The prompt as one text, with the conversation at its end."""
        recent = around([], Tiers(buffer=self._unshown()), AGENT[self.locale], "• ")
        parts = (self.system_message(), *(section.text for section in recent))
        return "\n\n".join(part for part in parts if part)

    def _unshown(self) -> tuple[Message, ...]:
        shown = {message.id for message in self.knowledge.shown.buffer}
        places = [place for place, message in enumerate(self.history) if message.id in shown]
        return self.history[max(places, default=-1) + 1 :]
