"""doctor: is everything as it should be, and if not, what to do."""

import platform
import shutil
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Literal, TypeAlias

import typer
from rich.table import Table
from rich.text import Text

from recollect.errors import ProviderError, RecollectError, StoreError
from recollect.model.job import Job, JobState
from recollect.model.message import Role
from recollect.model.scope import Scope
from recollect.ports.store import Finding
from recollect.surfaces import shapes
from recollect.surfaces.cli import render
from recollect.surfaces.cli.command import DEGRADED, Call, command, commands, examples
from recollect.surfaces.cli.session import Session
from recollect.surfaces.cli.work import MOST
from recollect.surfaces.shapes import Shape
from recollect.text.language import UNDETERMINED, detect
from recollect.wiring import built_in_models

app = commands()

Level: TypeAlias = Literal["OK", "WARN", "FAIL"]
STYLES = {"OK": "green", "WARN": "yellow", "FAIL": "bold red"}
#: Findings about the truth itself; the rest can be mended or waited for.
GRAVE = frozenset({"integrity", "references"})
#: Messages that are looked at for their language, and how many of them are enough to tell.
SAMPLE = 200
TELLING = 10
#: Bytes; with less left, the next large write may fail.
LITTLE_SPACE = 500_000_000


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
        return {**shapes.finding(finding), "level": self.level.lower()}


@app.command(epilog=examples("recollect doctor", "recollect doctor --deep", "recollect doctor --json"))
@command
def doctor(
    call: Call,
    deep: Annotated[
        bool, typer.Option("--deep", help="Compare every index entry with its text; takes longer.")
    ] = False,
) -> None:
    """
    Check the file, the embedder and the queue.

    One line for each thing looked at: OK, WARN or FAIL, with the command that mends it. Nothing is changed. Exit code 5
    if anything is not well.
    """
    lines = list(_examined(call, deep=deep))
    well = all(line.level == "OK" for line in lines)
    call.answer({"ok": well, "findings": [line.shape() for line in lines]}, _table(lines))
    if not well:
        raise typer.Exit(DEGRADED)


def _table(lines: Sequence[Line]) -> Table:
    rows = [
        (Text(line.level, style=STYLES[line.level]), line.name, line.detail, line.fix or "") for line in lines
    ]
    return render.table("", "!what", "finding", "to do", rows=rows)


def _examined(call: Call, *, deep: bool) -> Iterator[Line]:
    yield Line(level="OK", name="python", detail=platform.python_version())
    try:
        with call.open() as session:
            yield Line(level="OK", name="file", detail=session.store.location())
            yield from _file(session, deep=deep)
            yield _embedder(session)
            yield from _vectors(session)
            yield from _languages(session)
            yield from _jobs(session)
            yield from _settings(session)
            yield _space(session)
    except RecollectError as error:
        yield Line(level="FAIL", name="file", detail=str(error))


def _file(session: Session, *, deep: bool) -> list[Line]:
    try:
        return [Line.of(each) for each in session.store.upkeep.check(deep=deep)]
    except StoreError as error:
        return [Line(level="FAIL", name="integrity", detail=str(error), fix="restore a backup")]


def _embedder(session: Session) -> Line:
    if session.embedder is None:
        detail = "none is configured: search is lexical only"
        return Line(
            level="WARN", name="embedder", detail=detail, fix="set `embedder`; see `recollect settings`"
        )
    clock = session.engine.clock
    begun = clock.monotonic()
    try:
        [vector] = session.embedder.embed(["hello"])
    except ProviderError as error:
        fix = "see `recollect settings get embedder`"
        return Line(level="FAIL", name="embedder", detail=str(error), fix=fix)
    spent = (clock.monotonic() - begun) * 1000
    detail = f"{session.embedder.model_id}, {len(vector)} dimensions, {spent:.0f} ms with loading"
    return Line(level="OK", name="embedder", detail=detail)


def _vectors(session: Session) -> Iterator[Line]:
    vectors = session.store.vectors
    current = session.embedder.model_id if session.embedder else None
    for model, number in vectors.models(session.user).items():
        stale = current is not None and model != current
        yield Line(
            level="WARN" if stale else "OK",
            name="vectors by model",
            detail=f"{number} of {model}" + (f", which is not {current}" if stale else ""),
            fix="recollect reembed" if stale else None,
        )
    pending = sum(vectors.pending(user) for user in session.store.users())
    yield Line(
        level="WARN" if pending else "OK",
        name="pending vectors",
        detail=f"{pending} passages wait for a vector",
        fix="recollect worker --once" if pending else None,
    )


def _languages(session: Session) -> Iterator[Line]:
    """The bundled model knows English; who writes otherwise finds more with another one."""
    bundled = built_in_models()[0].id
    if session.embedder is None or session.embedder.model_id != bundled:
        return
    said = session.store.messages.list(session.scope(), limit=SAMPLE, newest_first=True)
    spoken = Counter(detect(each.content) for each in said if each.role is Role.USER)
    del spoken[UNDETERMINED]
    foreign = spoken.total() - spoken["en"]
    if spoken.total() >= TELLING and foreign * 2 > spoken.total():
        detail = f"{foreign} of the last {spoken.total()} messages are not English, and {bundled} knows English only"
        fix = "add a multilingual model: recollect models add NAME FOLDER"
        yield Line(level="OK", name="language", detail=detail, fix=fix)


def _jobs(session: Session) -> Iterator[Line]:
    parked = [job for user in session.store.users() for job in _parked(session, user)]
    if not parked:
        yield Line(level="OK", name="parked jobs", detail="none")
    for job in parked:
        fix = f"recollect --user {job.user} jobs retry {job.id}"
        yield Line(level="WARN", name="parked job", detail=f"{job.kind}: {job.reason}", fix=fix)


def _parked(session: Session, user: str) -> list[Job]:
    return [job for job in session.store.jobs.list(Scope(user), limit=MOST) if job.state is JobState.PARKED]


def _settings(session: Session) -> Iterator[Line]:
    try:
        warnings = session.runtime.resolve(session.user).warnings
    except RecollectError as error:
        warnings = (str(error),)
    for warning in warnings:
        yield Line(level="WARN", name="settings", detail=warning, fix="recollect settings")
    if not warnings:
        yield Line(level="OK", name="settings", detail="make sense")


def _space(session: Session) -> Line:
    free = shutil.disk_usage(Path(session.store.location()).resolve().parent).free
    little = free < LITTLE_SPACE
    return Line(
        level="WARN" if little else "OK",
        name="disk",
        detail=f"{render.size(free)} free",
        fix="free some space" if little else None,
    )
