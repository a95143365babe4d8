"""Health checks with suggested fixes, and recall analytics."""

import platform
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import timedelta
from typing import Literal, TypeAlias

from recollect.bootstrap import Application, built_in_models
from recollect.domain.diagnostics import CheckResult
from recollect.domain.message import Role
from recollect.domain.scope import Scope
from recollect.errors import ProviderError, RecollectError, StoreError
from recollect.library.base import MemoryBase
from recollect.library.hook_failures import read_failures
from recollect.serialization import serializers
from recollect.serialization.serializers import JsonObject
from recollect.text.language import UNDETERMINED, detect_language

DiagnosticLevel: TypeAlias = Literal["OK", "WARN", "FAIL"]
#: The check that fails if the file has been deleted, moved or replaced.
FILE_MOVED_CHECK = "file in place"
#: Checks of the primary data; everything else can be repaired or resolves itself.
CRITICAL_CHECKS = frozenset({FILE_MOVED_CHECK, "integrity", "references"})
#: Messages sampled for their language, and the minimum for a finding.
LANGUAGE_SAMPLE_MESSAGES = 200
MIN_LANGUAGE_MESSAGES = 10
#: Older failures of agent hooks are not reported.
HOOK_FAILURE_AGE = timedelta(days=7)


@dataclass(frozen=True, slots=True, kw_only=True)
class Diagnostic:
    level: DiagnosticLevel
    name: str
    detail: str
    fix: str | None = None

    @classmethod
    def from_check(cls, check: CheckResult) -> "Diagnostic":
        failure_level: DiagnosticLevel = "FAIL" if check.name in CRITICAL_CHECKS else "WARN"
        level: DiagnosticLevel = "OK" if check.ok else failure_level
        return cls(level=level, name=check.name, detail=check.detail, fix=check.fix)

    def serialize(self) -> JsonObject:
        check = CheckResult(name=self.name, ok=self.level == "OK", detail=self.detail, fix=self.fix)
        return {**serializers.serialize_check_result(check), "level": self.level.lower()}


class DiagnosticsMixin(MemoryBase):
    def check(self, *, deep: bool = False, user_id: str | None = None) -> JsonObject:
        """Check the file, the embedder and the queue without changes. ``deep`` compares every index entry."""
        scope = self._scope(user_id)
        diagnostics = [*check_python(), *run_checks(self._application, scope.user, deep=deep)]
        findings = [line.serialize() for line in diagnostics]
        return {"ok": all(line.level == "OK" for line in diagnostics), "findings": [*findings]}

    def analytics(
        self, *, hours: int = 168, interval_count: int = 28, user_id: str | None = None
    ) -> JsonObject:
        """
        Return recall metrics of the last hours by interval: quality, latency, budgets, reasons for exclusion, triage
        counts, and each recall with its receipt.
        """
        analytics = self._application.services.analytics.analyze(
            self._scope(user_id), hours=hours, interval_count=interval_count
        )
        return {
            "since": serializers.serialize_timestamp(analytics.since),
            "until": serializers.serialize_timestamp(analytics.until),
            "complete": analytics.is_complete,
            "whole": serializers.serialize_metrics(analytics.metrics, recommended_budget=None),
            "steps": [serializers.serialize_interval(each) for each in analytics.intervals],
            "recalls": [serializers.serialize_recall(each) for each in analytics.receipts],
            "left_out": dict(analytics.exclusion_reasons),
            "verdicts": dict(analytics.triage_counts),
            "model_today": {"calls": analytics.calls_today, "tokens": analytics.tokens_today},
        }


def check_python() -> Iterator[Diagnostic]:
    yield Diagnostic(level="OK", name="python", detail=platform.python_version())


def run_checks(application: Application, user: str, *, deep: bool) -> Iterator[Diagnostic]:
    """Yield one diagnostic per check."""
    yield Diagnostic(level="OK", name="file", detail=application.services.maintenance.location())
    file = _check_file(application, deep=deep)
    yield from file
    if any(line.name == FILE_MOVED_CHECK for line in file):
        # The other checks need new connections, which would open another file or none.
        return
    yield _describe_capabilities(application)
    yield _check_embedder(application)
    yield from _check_vectors(application, user)
    yield from _check_languages(application, user)
    yield from _check_jobs(application)
    yield from _check_settings(application, user)
    yield _check_hooks(application)


def _check_file(application: Application, *, deep: bool) -> list[Diagnostic]:
    try:
        return [Diagnostic.from_check(each) for each in application.services.maintenance.check(deep=deep)]
    except StoreError as error:
        return [Diagnostic(level="FAIL", name="integrity", detail=str(error), fix="restore a backup")]


def _describe_capabilities(application: Application) -> Diagnostic:
    available = application.services.maintenance.capabilities()
    present = ", ".join(name for name, is_available in available.items() if is_available)
    missing = ", ".join(name for name, is_available in available.items() if not is_available)
    detail = f"{present or 'none'}" + (f"; not available with this database: {missing}" if missing else "")
    return Diagnostic(level="OK", name="capabilities", detail=detail)


def _check_embedder(application: Application) -> Diagnostic:
    if application.embedder is None:
        detail = "not configured: search is lexical only"
        return Diagnostic(
            level="WARN", name="embedder", detail=detail, fix="set `embedder`; see `recollect settings`"
        )
    clock = application.clock
    started_at = clock.monotonic()
    try:
        [vector] = application.embedder.embed(["hello"])
    except ProviderError as error:
        fix = "see `recollect settings get embedder`"
        return Diagnostic(level="FAIL", name="embedder", detail=str(error), fix=fix)
    elapsed_ms = (clock.monotonic() - started_at) * 1000
    detail = f"{application.embedder.model_id}, {len(vector)} dimensions, {elapsed_ms:.0f} ms with loading"
    return Diagnostic(level="OK", name="embedder", detail=detail)


def _check_vectors(application: Application, user: str) -> Iterator[Diagnostic]:
    reembedding = application.services.reembedding
    current = application.embedder.model_id if application.embedder else None
    for model, number in reembedding.vector_counts(user).items():
        is_stale = current is not None and model != current
        yield Diagnostic(
            level="WARN" if is_stale else "OK",
            name="vectors by model",
            detail=f"{number} of {model}" + (f"; the current model is {current}" if is_stale else ""),
            fix="recollect reembed" if is_stale else None,
        )
    pending = sum(map(reembedding.queued_count, application.services.maintenance.users()))
    yield Diagnostic(
        level="WARN" if pending else "OK",
        name="pending vectors",
        detail=f"{pending} passages are queued for embedding",
        fix="recollect worker --once" if pending else None,
    )


def _check_languages(application: Application, user: str) -> Iterator[Diagnostic]:
    """Suggest a multilingual model if most messages are not English, which is all the bundled model knows."""
    bundled = built_in_models()[0].id
    if application.embedder is None or application.embedder.model_id != bundled:
        return
    messages = application.services.chats.messages(
        Scope(user), limit=LANGUAGE_SAMPLE_MESSAGES, newest_first=True
    )
    languages = Counter(detect_language(each.content) for each in messages if each.role is Role.USER)
    del languages[UNDETERMINED]
    foreign_count = languages.total() - languages["en"]
    if languages.total() >= MIN_LANGUAGE_MESSAGES and foreign_count * 2 > languages.total():
        detail = (
            f"{foreign_count} of the last {languages.total()} messages are not English, and"
            f" {bundled} supports only English"
        )
        fix = "add a multilingual model: recollect models add NAME FOLDER"
        yield Diagnostic(level="OK", name="language", detail=detail, fix=fix)


def _check_jobs(application: Application) -> Iterator[Diagnostic]:
    dead_jobs = [
        job
        for user in application.services.maintenance.users()
        for job in application.services.jobs.dead(Scope(user))
    ]
    if not dead_jobs:
        yield Diagnostic(level="OK", name="parked jobs", detail="none")
    for job in dead_jobs:
        fix = f"recollect --user {job.user} jobs retry {job.id}"
        yield Diagnostic(level="WARN", name="parked job", detail=f"{job.kind}: {job.reason}", fix=fix)


def _check_settings(application: Application, user: str) -> Iterator[Diagnostic]:
    try:
        warnings = application.resolve(user).warnings
    except RecollectError as error:
        warnings = (str(error),)
    for warning in warnings:
        yield Diagnostic(level="WARN", name="settings", detail=warning, fix="recollect settings")
    if not warnings:
        yield Diagnostic(level="OK", name="settings", detail="valid")


def _check_hooks(application: Application) -> Diagnostic:
    """Report the newest failure of an agent's hook in the last week; the agent itself shows none."""
    since = application.clock.now() - HOOK_FAILURE_AGE
    failures = [
        failure
        for failure in read_failures(application.settings.resolve().machine.db)
        if isinstance(failure.get("at"), int) and int(str(failure["at"])) >= since.timestamp()
    ]
    if not failures:
        return Diagnostic(level="OK", name="agent hooks", detail="no failures in the last week")
    newest = failures[-1]
    detail = f"{len(failures)} failures in the last week; the newest, of {newest.get('host')}: {newest.get('error')}"
    return Diagnostic(level="WARN", name="agent hooks", detail=detail, fix="recollect connect --list")
