"""Is everything as it should be, and if not, what to do; and how recall went over time."""

import platform
import shutil
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import Literal, TypeAlias

from recollect.bootstrap import Runtime, built_in_models
from recollect.domain.analytics import reasons, steps
from recollect.domain.job import Job, JobState
from recollect.domain.message import Role
from recollect.domain.metrics import measured
from recollect.domain.scope import Scope
from recollect.errors import ProviderError, RecollectError, StoreError
from recollect.library.base import Door
from recollect.ports.store import Finding
from recollect.serialization import serializers
from recollect.serialization.serializers import Shape
from recollect.text.language import UNDETERMINED, detect

Level: TypeAlias = Literal["OK", "WARN", "FAIL"]
#: The finding that the file has been deleted, moved or replaced.
MOVED = "file in place"
#: Findings about the truth itself; the rest can be mended or waited for.
GRAVE = frozenset({MOVED, "integrity", "references"})
#: Messages that are looked at for their language, and how many of them are enough to tell.
SAMPLE = 200
TELLING = 10
#: Bytes; with less left, the next large write may fail.
LITTLE_SPACE = 500_000_000
#: Jobs of a user that are looked through.
MOST_JOBS = 10_000
#: Recalls and summaries that are counted at most, and recalls that are told of one by one.
COUNTED = 5000
TOLD = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    level: Level
    name: str
    detail: str
    fix: str | None = None

    @classmethod
    def of(cls, finding: Finding) -> "Line":
        trouble: Level = "FAIL" if finding.name in GRAVE else "WARN"
        level: Level = "OK" if finding.ok else trouble
        return cls(level=level, name=finding.name, detail=finding.detail, fix=finding.fix)

    def shape(self) -> Shape:
        finding = Finding(name=self.name, ok=self.level == "OK", detail=self.detail, fix=self.fix)
        return {**serializers.finding(finding), "level": self.level.lower()}


class Examining(Door):
    def examine(self, *, deep: bool = False, user_id: str | None = None) -> Shape:
        """Look at the file, the embedder and the queue; nothing is changed. ``deep`` compares every index entry."""
        scope = self._scope(user_id)
        lines = [*python(), *examined(self._runtime, scope.user, deep=deep)]
        found = [line.shape() for line in lines]
        return {"ok": all(line.level == "OK" for line in lines), "findings": [*found]}

    def insights(self, *, hours: int = 168, number: int = 28, user_id: str | None = None) -> Shape:
        """
        How recall went over the last hours, in so many steps: quality, speed, budgets, why passages were left out,
        why messages were judged or not, and each recall with its receipt.
        """
        scope, store, now = self._scope(user_id), self._runtime.store, self._runtime.engine.clock.now()
        since = now - timedelta(hours=hours)
        listed = store.receipts.list(scope, limit=COUNTED)
        receipts = [each for each in listed if since <= each.created_at <= now]
        summarised = [each.created_at for each in store.summaries.list(scope, limit=COUNTED)]
        calls, tokens = store.spending.spent(scope, now=now)
        return {
            "since": serializers.time(since),
            "until": serializers.time(now),
            "complete": len(listed) < COUNTED or listed[-1].created_at < since,
            "whole": serializers.metrics(measured(receipts), advised=None),
            "steps": [
                serializers.step(each)
                for each in steps(receipts, summarised, since=since, until=now, number=number)
            ],
            "recalls": [serializers.recalled(each) for each in receipts[:TOLD]],
            "left_out": dict(reasons(receipts)),
            "verdicts": dict(store.verdicts.all(scope.user)),
            "model_today": {"calls": calls, "tokens": tokens},
        }


def python() -> Iterator[Line]:
    yield Line(level="OK", name="python", detail=platform.python_version())


def examined(runtime: Runtime, user: str, *, deep: bool) -> Iterator[Line]:
    """One line for each thing looked at."""
    yield Line(level="OK", name="file", detail=runtime.store.location())
    file = _file(runtime, deep=deep)
    yield from file
    if any(line.name == MOVED for line in file):
        # What else is looked at needs new connections, which would find another file or none.
        return
    yield _embedder(runtime)
    yield from _vectors(runtime, user)
    yield from _languages(runtime, user)
    yield from _jobs(runtime)
    yield from _settings(runtime, user)
    yield _space(runtime)


def _file(runtime: Runtime, *, deep: bool) -> list[Line]:
    try:
        return [Line.of(each) for each in runtime.store.upkeep.check(deep=deep)]
    except StoreError as error:
        return [Line(level="FAIL", name="integrity", detail=str(error), fix="restore a backup")]


def _embedder(runtime: Runtime) -> Line:
    if runtime.embedder is None:
        detail = "none is configured: search is lexical only"
        return Line(
            level="WARN", name="embedder", detail=detail, fix="set `embedder`; see `recollect settings`"
        )
    clock = runtime.engine.clock
    begun = clock.monotonic()
    try:
        [vector] = runtime.embedder.embed(["hello"])
    except ProviderError as error:
        fix = "see `recollect settings get embedder`"
        return Line(level="FAIL", name="embedder", detail=str(error), fix=fix)
    spent = (clock.monotonic() - begun) * 1000
    detail = f"{runtime.embedder.model_id}, {len(vector)} dimensions, {spent:.0f} ms with loading"
    return Line(level="OK", name="embedder", detail=detail)


def _vectors(runtime: Runtime, user: str) -> Iterator[Line]:
    vectors = runtime.store.vectors
    current = runtime.embedder.model_id if runtime.embedder else None
    for model, number in vectors.models(user).items():
        stale = current is not None and model != current
        yield Line(
            level="WARN" if stale else "OK",
            name="vectors by model",
            detail=f"{number} of {model}" + (f", which is not {current}" if stale else ""),
            fix="recollect reembed" if stale else None,
        )
    pending = sum(vectors.pending(each) for each in runtime.store.users())
    yield Line(
        level="WARN" if pending else "OK",
        name="pending vectors",
        detail=f"{pending} passages wait for a vector",
        fix="recollect worker --once" if pending else None,
    )


def _languages(runtime: Runtime, user: str) -> Iterator[Line]:
    """The bundled model knows English; who writes otherwise finds more with another one."""
    bundled = built_in_models()[0].id
    if runtime.embedder is None or runtime.embedder.model_id != bundled:
        return
    said = runtime.store.messages.list(Scope(user), limit=SAMPLE, newest_first=True)
    spoken = Counter(detect(each.content) for each in said if each.role is Role.USER)
    del spoken[UNDETERMINED]
    foreign = spoken.total() - spoken["en"]
    if spoken.total() >= TELLING and foreign * 2 > spoken.total():
        detail = f"{foreign} of the last {spoken.total()} messages are not English, and {bundled} knows English only"
        fix = "add a multilingual model: recollect models add NAME FOLDER"
        yield Line(level="OK", name="language", detail=detail, fix=fix)


def _jobs(runtime: Runtime) -> Iterator[Line]:
    parked = [job for user in runtime.store.users() for job in _parked(runtime, user)]
    if not parked:
        yield Line(level="OK", name="parked jobs", detail="none")
    for job in parked:
        fix = f"recollect --user {job.user} jobs retry {job.id}"
        yield Line(level="WARN", name="parked job", detail=f"{job.kind}: {job.reason}", fix=fix)


def _parked(runtime: Runtime, user: str) -> list[Job]:
    listed = runtime.store.jobs.list(Scope(user), limit=MOST_JOBS)
    return [job for job in listed if job.state is JobState.PARKED]


def _settings(runtime: Runtime, user: str) -> Iterator[Line]:
    try:
        warnings = runtime.resolve(user).warnings
    except RecollectError as error:
        warnings = (str(error),)
    for warning in warnings:
        yield Line(level="WARN", name="settings", detail=warning, fix="recollect settings")
    if not warnings:
        yield Line(level="OK", name="settings", detail="make sense")


def _space(runtime: Runtime) -> Line:
    free = shutil.disk_usage(Path(runtime.store.location()).resolve().parent).free
    little = free < LITTLE_SPACE
    return Line(
        level="WARN" if little else "OK",
        name="disk",
        detail=f"{free / 1e9:.1f} GB free",
        fix="free some space" if little else None,
    )
