"""Where a memory comes from, and what would go with a message or a chat."""

from collections.abc import Callable, Sequence
from contextlib import suppress

from recollect.cli.session import CliSession
from recollect.domain.memory import Memory


def source_quotes(session: CliSession, memory: Memory) -> list[str]:
    """The words a memory rests on, of messages that still exist."""
    texts = []
    for span in memory.spans:
        if session.engine.message_exists(session.scope(), span.message_id):
            content = session.store.messages.get(session.scope(), span.message_id).content
            texts.append(content[span.start : span.end])
    return texts


class _Rollback(Exception):
    """Ends a transaction that was only a rehearsal."""


def preview_removal(session: CliSession, remove: Callable[[], Sequence[Memory]]) -> Sequence[Memory]:
    """Which memories something would take away: it is done, and taken back before anybody sees it."""
    memories: Sequence[Memory] = ()
    with suppress(_Rollback), session.store.transaction():
        memories = remove()
        raise _Rollback
    return memories
