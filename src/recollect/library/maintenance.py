"""`memory.maintenance`: upkeep, health checks, backups, jobs and statistics."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from recollect.domain.analytics import RecallAnalytics
from recollect.domain.diagnostics import DoctorReport, StoreStats
from recollect.domain.embedding_model import EmbeddingStatus
from recollect.domain.job import Job
from recollect.domain.maintenance import MaintenanceReport
from recollect.domain.metrics import MetricsReport
from recollect.library.diagnostics import check_python, run_checks
from recollect.library.embedding import read_embedding_status, start_reembedding
from recollect.library.session import LibrarySession
from recollect.ports.backup import Backup, ProgressCallback


@dataclass(frozen=True, slots=True)
class MaintenanceNamespace:
    _session: LibrarySession

    def run(self, *, dry_run: bool = False, user_id: str | None = None) -> MaintenanceReport:
        """Archive decayed memories and merge duplicates, or with ``dry_run`` only report them."""
        scope = self._session.scope(user_id)
        policy = self._session.policy(scope)
        return self._session.services.maintenance.run_maintenance(scope, policy, dry_run=dry_run)

    def forecast(self, *, weeks: int = 8, user_id: str | None = None) -> MaintenanceReport:
        """Return the memories that will be archived within some weeks unless they are mentioned again."""
        scope = self._session.scope(user_id)
        policy = self._session.policy(scope)
        return self._session.services.maintenance.forecast_decay(scope, policy, weeks=weeks)

    def reembed(self, *, user_id: str | None = None) -> EmbeddingStatus:
        """
        Embed all passages with the configured model, in the background.

        The old model is used for search until all vectors exist; `settings.models` shows the progress.
        """
        scope = self._session.scope(user_id)
        start_reembedding(self._session.application, scope)
        self._session.wake_worker()
        return read_embedding_status(self._session.application, scope.user)

    def repair(self, *, rebuild: str | None = None) -> Mapping[str, int]:
        """Repair the differences between text and indexes, or rebuild one index: ``fulltext`` or ``vectors``."""
        maintenance = self._session.services.maintenance
        counts = maintenance.rebuild_index(rebuild) if rebuild else maintenance.repair()
        maintenance.enqueue_embedding()
        self._session.wake_worker()
        return counts

    def doctor(self, *, deep: bool = False, user_id: str | None = None) -> DoctorReport:
        """Check the file, the embedder and the queue without changes. ``deep`` compares every index entry."""
        checks = run_checks(self._session.application, self._session.scope(user_id).user, deep=deep)
        return DoctorReport(findings=(*check_python(), *checks))

    def backup(self, destination: str | Path, *, progress: ProgressCallback | None = None) -> Backup:
        """
        Copy the data of all users into a file that can be opened like any memory; others may write meanwhile.

        The copy is checked before it is renamed to its destination, and a manifest with its hash is written next to
        it. If the destination is a folder, the file name contains the time. Existing files are not overwritten.
        `progress` is called with the bytes done and the total.
        """
        return self._session.services.maintenance.backup(str(destination), progress=progress)

    def jobs(self, *, user_id: str | None = None, limit: int = 100) -> Sequence[Job]:
        """Return queued, running and failed jobs, oldest first."""
        return self._session.services.jobs.list(self._session.scope(user_id), limit=limit)

    def retry_jobs(self, job_id: int | None = None, *, user_id: str | None = None) -> int:
        """Queue a failed job again, or all; return how many."""
        count = self._session.services.jobs.retry(self._session.scope(user_id), job_id=job_id)
        self._session.wake_worker()
        return count

    def stats(self, *, user_id: str | None = None) -> StoreStats:
        """Return how many rows and bytes are stored."""
        return self._session.services.analytics.stats(self._session.scope(user_id))

    def metrics(self, *, user_id: str | None = None, limit: int = 1000) -> MetricsReport:
        """Return metrics of the last recalls, in total and with each receipt."""
        scope = self._session.scope(user_id)
        budget = self._session.policy(scope).context.budget
        return self._session.services.analytics.report_metrics(scope, limit=limit, budget=budget)

    def analytics(
        self, *, hours: int = 168, interval_count: int = 28, user_id: str | None = None
    ) -> RecallAnalytics:
        """
        Return recall metrics of the last hours by interval: quality, latency, budgets, reasons for exclusion, triage
        counts, and each recall with its receipt.
        """
        return self._session.services.analytics.analyze(
            self._session.scope(user_id), hours=hours, interval_count=interval_count
        )
