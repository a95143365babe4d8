"""Where a memory comes from, and what would go with a message or a chat."""

from collections.abc import Callable, Sequence
from contextlib import suppress

from recollect.cli.session import Session
from recollect.domain.memory import Memory


def quotes(session: Session, memory: Memory) -> list[str]:
    """The words a memory rests on, of messages that still exist."""
    found = []
    for span in memory.spans:
        if session.engine.exists(session.scope(), span.message_id):
            content = session.store.messages.get(session.scope(), span.message_id).content
            found.append(content[span.start : span.end])
    return found


class _Rehearsed(Exception):
    """Ends a transaction that was only a rehearsal."""


def rehearsed(session: Session, deed: Callable[[], Sequence[Memory]]) -> Sequence[Memory]:
    """Which memories something would take away: it is done, and taken back before anybody sees it."""
    gone: Sequence[Memory] = ()
    with suppress(_Rehearsed), session.store.transaction():
        gone = deed()
        raise _Rehearsed
    return gone
