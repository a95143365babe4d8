"""Source quotes of a memory."""

from recollect.cli.session import CliSession
from recollect.domain.memory import Memory


def source_quotes(session: CliSession, memory: Memory) -> list[str]:
    """Return the quoted spans of a memory's source messages that still exist."""
    quotes = session.services.memories.source_quotes(session.scope(), memory)
    return [quote.message.content[quote.start : quote.end] for quote in quotes]
