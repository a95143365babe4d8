"""Health checks with suggested fixes."""

import platform
from collections import Counter
from collections.abc import Iterator, Sequence
from datetime import timedelta

from recollect.bootstrap import Application, built_in_models
from recollect.domain.diagnostics import CheckResult, Diagnostic, DiagnosticLevel
from recollect.domain.message import Role
from recollect.domain.scope import Scope
from recollect.errors import ProviderError, RecollectError, StoreError
from recollect.library.hook_failures import read_failures
from recollect.serialization.reasons import render_reason

#: The check that fails if the file has been deleted, moved or replaced.
FILE_MOVED_CHECK = "file in place"
#: Checks of the primary data; everything else can be repaired or resolves itself.
CRITICAL_CHECKS = frozenset({FILE_MOVED_CHECK, "integrity", "references"})
#: Messages sampled for their language, and the minimum for a finding.
LANGUAGE_SAMPLE_MESSAGES = 200
MIN_LANGUAGE_MESSAGES = 10
#: Minimum number and share of messages in languages without rules for a finding; detection errs on short messages.
MIN_UNLEARNED_MESSAGES = 3
MIN_UNLEARNED_SHARE = 0.1
#: Older failures of agent hooks are not reported.
HOOK_FAILURE_AGE = timedelta(days=7)


def diagnose(check: CheckResult) -> Diagnostic:
    """Return a check of the store with its level."""
    failure_level: DiagnosticLevel = "FAIL" if check.name in CRITICAL_CHECKS else "WARN"
    level: DiagnosticLevel = "OK" if check.ok else failure_level
    return Diagnostic(level=level, name=check.name, detail=check.detail, fix=check.fix)


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
        return [diagnose(each) for each in application.services.maintenance.check(deep=deep)]
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
            fix="recollect maintenance reembed" if is_stale else None,
        )
    pending = sum(map(reembedding.queued_count, application.services.maintenance.users()))
    yield Diagnostic(
        level="WARN" if pending else "OK",
        name="pending vectors",
        detail=f"{pending} passages are queued for embedding",
        fix="recollect worker --once" if pending else None,
    )


def _check_languages(application: Application, user: str) -> Iterator[Diagnostic]:
    sample = application.services.chats.messages(
        Scope(user), limit=LANGUAGE_SAMPLE_MESSAGES, newest_first=True
    )
    texts = [message.content for message in sample if message.role is Role.USER]
    yield from _check_embedded_languages(application, texts)
    yield from _check_learned_languages(application, user, texts)


def _check_embedded_languages(application: Application, texts: Sequence[str]) -> Iterator[Diagnostic]:
    """Suggest a multilingual model if most messages are not English, which is all the bundled model knows."""
    bundled = built_in_models()[0].id
    if application.embedder is None or application.embedder.model_id != bundled:
        return
    # Imported here, as below: of all functions, only these need the words of the languages.
    from recollect.text.language import UNDETERMINED, detect_language  # noqa: PLC0415

    languages = Counter(map(detect_language, texts))
    del languages[UNDETERMINED]
    foreign_count = languages.total() - languages["en"]
    if languages.total() >= MIN_LANGUAGE_MESSAGES and foreign_count * 2 > languages.total():
        detail = (
            f"{foreign_count} of the last {languages.total()} messages are not English, and"
            f" {bundled} supports only English"
        )
        fix = "add a multilingual model: recollect settings models add NAME FOLDER"
        yield Diagnostic(level="OK", name="language", detail=detail, fix=fix)


def _check_learned_languages(
    application: Application, user: str, texts: Sequence[str]
) -> Iterator[Diagnostic]:
    """Warn if messages are in languages that the rules do not know, and no model reads them instead."""
    try:
        policy = application.policy(user)
    except RecollectError:
        return  # reported by `_check_settings`
    if application.chat_model is not None or not policy.extracts or policy.extraction.mode == "off":
        return
    from recollect.extraction.local_extractor import supported_language  # noqa: PLC0415
    from recollect.text.language import detect_language  # noqa: PLC0415

    languages = Counter(detect_language(text) for text in texts if supported_language(text) is None)
    count = languages.total()
    if count >= max(MIN_UNLEARNED_MESSAGES, MIN_UNLEARNED_SHARE * len(texts)):
        detail = (
            f"{count} of the last {len(texts)} messages are in languages without extraction rules"
            f" ({', '.join(sorted(languages))}), so nothing is learned from them"
        )
        fix = "set `model`; see `recollect settings`"
        yield Diagnostic(level="WARN", name="languages learned", detail=detail, fix=fix)


def _check_jobs(application: Application) -> Iterator[Diagnostic]:
    dead_jobs = [
        job
        for user in application.services.maintenance.users()
        for job in application.services.jobs.dead(Scope(user))
    ]
    if not dead_jobs:
        yield Diagnostic(level="OK", name="failed jobs", detail="none")
    for job in dead_jobs:
        fix = f"recollect --user {job.user} maintenance jobs retry {job.id}"
        reason = render_reason(job.reason) if job.reason else ""
        yield Diagnostic(level="WARN", name="failed job", detail=f"{job.kind}: {reason}", fix=fix)


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
