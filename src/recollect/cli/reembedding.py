"""Re-embeds passages with another embedding model before a command returns, with a progress bar."""

from collections.abc import Sequence

from recollect.bootstrap import built_in_models
from recollect.cli.command import CommandContext
from recollect.cli.drain import QueueDrain, cancel_on_interrupt, make_jobs_due, progress_bar
from recollect.cli.model_registry import read_registry
from recollect.cli.session import CliSession
from recollect.domain.embedding_model import EmbeddingModel
from recollect.domain.job import JobKind
from recollect.domain.scope import Scope
from recollect.errors import ProviderError
from recollect.serialization.reasons import render_reason
from recollect.services.jobs import MAX_JOBS_LISTED

#: Job kinds that create vectors.
VECTOR_JOB_KINDS = frozenset({JobKind.EMBED, JobKind.REEMBED})


def current_model(session: CliSession) -> EmbeddingModel | None:
    """Return the configured embedding model; None if there is none or it is not installed."""
    connection = session.application.settings.resolve().machine
    if session.embedder is None:
        return None
    try:
        model_id = session.embedder.model_id
    except ProviderError:
        return None
    return EmbeddingModel(id=model_id, embedder=connection.embedder, model=connection.embedder_model)


def known_models(session: CliSession) -> list[EmbeddingModel]:
    """Return the models that can serve searches until re-embedding is complete."""
    current = current_model(session)
    registered_models = [each.embedding_model for each in read_registry().values()]
    return [*([current] if current else []), *registered_models, *built_in_models()]


def run_reembedding(ctx: CommandContext, session: CliSession, users: Sequence[str], *, total: int) -> None:
    """Run the queued jobs with a progress bar. Raises ProviderError if passages of a user stay without a vector."""
    _retry_vector_jobs(session, users)
    drain, embedder = QueueDrain(session), session.embedder
    with (
        cancel_on_interrupt(session.cancellation),
        progress_bar(ctx.stderr, "Embedding", total=total) as progress,
    ):

        def update_progress() -> None:
            if progress.is_due and embedder is not None:
                progress.update(done=embedder.embedded_count, total=max(total, embedder.embedded_count))

        if embedder is not None:
            embedder.on_batch = update_progress
        while drain.run_next():
            update_progress()
    unfinished_users = [
        user for user in users if session.services.reembedding.reembedding_target(user) is not None
    ]
    if unfinished_users:
        raise ProviderError(
            f"Some passages could not be embedded. The old vectors were kept and stay in use."
            f" {_failure_reason(session, unfinished_users[0])}"
        )


def _retry_vector_jobs(session: CliSession, users: Sequence[str]) -> None:
    make_jobs_due(session)
    jobs = session.services.jobs
    for user in users:
        for job in jobs.dead(Scope(user)):
            if job.kind in VECTOR_JOB_KINDS:
                jobs.retry(Scope(user), job_id=job.id)


def _failure_reason(session: CliSession, user: str) -> str:
    jobs = session.services.jobs.list(Scope(user), limit=MAX_JOBS_LISTED)
    reasons = [job.reason for job in jobs if job.kind in VECTOR_JOB_KINDS and job.reason]
    return render_reason(reasons[0]) if reasons else "Another process is embedding them."
