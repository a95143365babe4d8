"""Asks the same question many times over and looks it up once: for trying numbers out."""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from datetime import datetime
from typing import TypeVar

from recollect.domain.candidate import Candidate, Hit, Reach
from recollect.domain.scope import Scope
from recollect.ports.clock import Clock
from recollect.ports.embedder import Embedder, Vector
from recollect.ports.search import SILENT, Search

Found = TypeVar("Found")


@dataclass(slots=True, kw_only=True)
class RehearsedSearch:
    """A search that remembers its answers. It serves one question: its vector is always the same."""

    inner: Search
    _hits: dict[object, list[Hit]] = field(default_factory=dict)
    _said: dict[object, list[int]] = field(default_factory=dict)
    _cosines: dict[object, dict[int, float | None]] = field(default_factory=dict)
    _loaded: dict[object, dict[int, Candidate | None]] = field(default_factory=dict)

    def one_moment(self) -> AbstractContextManager[None]:
        return self.inner.one_moment()

    def lexical(self, scope: Scope, query: str, *, limit: int, reach: Reach) -> list[Hit]:
        return self._once(
            (scope, query, limit, reach), lambda: self.inner.lexical(scope, query, limit=limit, reach=reach)
        )

    def dense(
        self, scope: Scope, vector: Vector, *, model: str, limit: int, reach: Reach, middle: float = 0.0
    ) -> list[Hit]:
        return self._once(
            (scope, model, limit, reach, middle),
            lambda: self.inner.dense(scope, vector, model=model, limit=limit, reach=reach, middle=middle),
        )

    def important(self, scope: Scope, *, limit: int, reach: Reach) -> list[Hit]:
        return self._once(
            (scope, limit, reach), lambda: self.inner.important(scope, limit=limit, reach=reach)
        )

    def cosines(
        self, scope: Scope, passages: Sequence[int], vector: Vector, *, model: str, middle: float = 0.0
    ) -> dict[int, float]:
        known = self._cosines.setdefault((scope, model, middle), {})
        return _lacking(
            known, passages, lambda new: self.inner.cosines(scope, new, vector, model=model, middle=middle)
        )

    def said(self, scope: Scope, begins_at: datetime, ends_at: datetime, *, limit: int) -> list[int]:
        key = (scope, begins_at, ends_at, limit)
        if key not in self._said:
            self._said[key] = self.inner.said(scope, begins_at, ends_at, limit=limit)
        return self._said[key]

    def load(
        self,
        scope: Scope,
        passages: Iterable[int],
        *,
        reach: Reach,
        dense: Mapping[int, float] = SILENT,
        lexical: Mapping[int, float] = SILENT,
        beside: bool = False,
    ) -> dict[int, Candidate]:
        known = self._loaded.setdefault((scope, reach, beside), {})
        found = _lacking(
            known, list(passages), lambda new: self.inner.load(scope, new, reach=reach, beside=beside)
        )
        return {
            passage: candidate._replace(dense=dense.get(passage), lexical=lexical.get(passage))
            for passage, candidate in found.items()
        }

    def _once(self, key: object, look: Callable[[], list[Hit]]) -> list[Hit]:
        if key not in self._hits:
            self._hits[key] = look()
        return self._hits[key]


def _lacking(
    known: dict[int, Found | None],
    passages: Collection[int],
    look: Callable[[Sequence[int]], Mapping[int, Found]],
) -> dict[int, Found]:
    """Look up what is not known yet; also that there is nothing is worth knowing."""
    if new := [passage for passage in passages if passage not in known]:
        found = look(new)
        known.update((passage, found.get(passage)) for passage in new)
    return {passage: value for passage in passages if (value := known[passage]) is not None}


@dataclass(slots=True, kw_only=True)
class RehearsedEmbedder:
    """An embedder that is asked for each question once."""

    inner: Embedder
    _known: dict[str, Vector] = field(default_factory=dict)

    @property
    def model_id(self) -> str:
        return self.inner.model_id

    @property
    def dimension(self) -> int:
        return self.inner.dimension

    @property
    def floor(self) -> float:
        return self.inner.floor

    def embed(self, texts: Sequence[str]) -> list[Vector]:
        return self.inner.embed(texts)

    def embed_query(self, text: str) -> Vector:
        if text not in self._known:
            self._known[text] = self.inner.embed_query(text)
        return self._known[text]

    def windows(self, text: str) -> list[str]:
        return self.inner.windows(text)


@dataclass(frozen=True, slots=True, kw_only=True)
class StoppedClock:
    """The same moment for all, so that what is compared differs in nothing else."""

    inner: Clock
    moment: datetime

    def now(self) -> datetime:
        return self.moment

    def monotonic(self) -> float:
        return self.inner.monotonic()
