"""`memory.imports`: preview, list and undo imports."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from recollect.domain.import_ledger import ImportRecord
from recollect.domain.import_report import ImportPreview, ImportProgress, ImportUndoReport
from recollect.library.file_imports import open_import, preview_import
from recollect.library.session import LibrarySession


@dataclass(frozen=True, slots=True)
class ImportsNamespace:
    _session: LibrarySession

    def preview(
        self,
        source: str | Path | BinaryIO,
        *,
        branches: bool = False,
        progress: Callable[[ImportProgress], None] | None = None,
        user_id: str | None = None,
    ) -> ImportPreview:
        """Return what `import_from` would add: counts, duplicates, secrets, and the time for embeddings."""
        files, scope = open_import(source), self._session.scope(user_id)
        return preview_import(self._session.application, scope, files, branches=branches, progress=progress)

    def list(self, *, limit: int = 20, user_id: str | None = None) -> Sequence[ImportRecord]:
        """Return imports, newest first, without those that were undone."""
        return self._session.services.imports.list_imports(self._session.scope(user_id), limit=limit)

    def undo(self, import_id: str = "last", *, user_id: str | None = None) -> ImportUndoReport:
        """Delete what an import added, with what was learned from it. What changed since then is kept and named."""
        scope = self._session.scope(user_id)
        report = self._session.services.imports.undo(scope, import_id, self._session.policy(scope))
        self._session.wake_worker()
        return report
