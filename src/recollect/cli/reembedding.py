"""Moves vectors to another embedding model before a command returns, and shows how far it is."""

from collections.abc import Sequence

from recollect.bootstrap import built_in_models
from recollect.cli.command import Call
from recollect.cli.drain import MOST, Shift, bar, braking, make_due
from recollect.cli.model_registry import read_registry
from recollect.cli.session import Session
from recollect.domain.embedding_model import KnownModel
from recollect.domain.job import JobKind, JobState
from recollect.domain.scope import Scope
from recollect.errors import ProviderError

#: Kinds of work that a move waits for.
VECTORS = frozenset({JobKind.EMBED, JobKind.REEMBED})


def current_model(session: Session) -> KnownModel | None:
    """The model of the settings; None if there is none, or if it is not here."""
    connection = session.runtime.settings.resolve().connection
    if session.embedder is None:
        return None
    try:
        model_id = session.embedder.model_id
    except ProviderError:
        return None
    return KnownModel(id=model_id, embedder=connection.embedder, model=connection.embedder_model)


def known_models(session: Session) -> list[KnownModel]:
    """All that could go on answering while others are made."""
    current = current_model(session)
    added = [each.known for each in read_registry().values()]
    return [*([current] if current else []), *added, *built_in_models()]


def move(call: Call, session: Session, users: Sequence[str], *, total: int) -> None:
    """Do what is queued, with a bar; ProviderError if somebody's vectors could not all be made."""
    _make_due(session, users)
    shift, embedder = Shift(session), session.embedder
    with braking(session.brake), bar(call.aside, "Embedding", total=total) as shown:

        def look() -> None:
            if shown.is_due and embedder is not None:
                shown.move(done=embedder.embedded, total=max(total, embedder.embedded))

        if embedder is not None:
            embedder.watch = look
        while shift.step():
            look()
    unmoved = [user for user in users if session.engine.moving_to(user) is not None]
    if unmoved:
        raise ProviderError(
            f"Not everything could be embedded, so the old vectors were kept and stay in use."
            f" {_why(session, unmoved[0])}"
        )


def _make_due(session: Session, users: Sequence[str]) -> None:
    make_due(session)
    now = session.engine.clock.now()
    for user in users:
        for job in session.store.jobs.list(Scope(user), limit=MOST):
            if job.state is JobState.PARKED and job.kind in VECTORS:
                session.store.jobs.retry(Scope(user), job_id=job.id, now=now)


def _why(session: Session, user: str) -> str:
    jobs = session.store.jobs.list(Scope(user), limit=MOST)
    reasons = [job.reason for job in jobs if job.kind in VECTORS and job.reason]
    return reasons[0] if reasons else "Another process has the work in hand."
