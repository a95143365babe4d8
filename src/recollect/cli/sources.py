"""Source quotes of a memory, and previews of deletions."""

from collections.abc import Callable, Sequence
from contextlib import suppress

from recollect.cli.session import CliSession
from recollect.domain.memory import Memory


def source_quotes(session: CliSession, memory: Memory) -> list[str]:
    """Return the quoted spans of a memory's source messages that still exist."""
    texts = []
    for span in memory.spans:
        if session.services.ingest.message_exists(session.scope(), span.message_id):
            content = session.store.messages.get(session.scope(), span.message_id).content
            texts.append(content[span.start : span.end])
    return texts


class _Rollback(Exception):
    """Rolls back the transaction of a preview."""


def preview_removal(session: CliSession, remove: Callable[[], Sequence[Memory]]) -> Sequence[Memory]:
    """Return the memories that `remove` would delete, by running it in a transaction that is rolled back."""
    memories: Sequence[Memory] = ()
    with suppress(_Rollback), session.store.transaction(session.user):
        memories = remove()
        raise _Rollback
    return memories
