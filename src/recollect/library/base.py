"""Opens a memory, and closes it."""

import logging
from collections.abc import Mapping
from pathlib import Path
from types import TracebackType
from typing import Self

from recollect.bootstrap import MODE, Runtime, open_runtime
from recollect.domain.policy import Policy
from recollect.domain.scope import Scope
from recollect.ports.backup import Watch
from recollect.ports.chat_model import ChatModel
from recollect.ports.clock import Clock, Ids
from recollect.ports.embedder import Embedder
from recollect.serialization import serializers
from recollect.serialization.serializers import Shape
from recollect.settings import load

log = logging.getLogger("recollect.settings")


class Door:
    def __init__(
        self,
        db: str | Path | None = None,
        *,
        user_id: str | None = None,
        embedder: Embedder | None = None,
        chat_model: ChatModel | None = None,
        clock: Clock | None = None,
        ids: Ids | None = None,
        settings: Mapping[str, object] | None = None,
    ) -> None:
        given = {
            **(settings or {}),
            **({"db": str(db)} if db else {}),
            **({"user": user_id} if user_id else {}),
        }
        loaded = load(arguments=given)
        for warning in loaded.warnings:
            log.warning("%s", warning)
        self._runtime = open_runtime(loaded, embedder=embedder, chat_model=chat_model, clock=clock, ids=ids)
        self._connection = self._runtime.settings.resolve().connection

    @classmethod
    def over(cls, runtime: Runtime) -> Self:
        """The same verbs over a memory that is open already; whoever opened it closes it."""
        door = cls.__new__(cls)
        door._runtime = runtime  # noqa: SLF001 - another constructor
        door._connection = runtime.settings.resolve().connection  # noqa: SLF001
        return door

    @property
    def runtime(self) -> Runtime:
        """The engine and what it runs on, for those who need more than these verbs."""
        return self._runtime

    def flush(self, *, seconds: float = 60.0) -> bool:
        """Do the work that is due; whether none of it is left. What failed waits for its next try, or for `jobs`."""
        self._runtime.store.jobs.hurry(now=self._runtime.engine.clock.now())
        return self._runtime.worker.drain(seconds=seconds)

    def stats(self, *, user_id: str | None = None) -> Shape:
        return serializers.stats(self._runtime.store.upkeep.stats(self._scope(user_id)))

    def backup(self, destination: str | Path, *, watch: Watch | None = None) -> Shape:
        """
        Copy everything, of all users, into a file that can be opened like any memory; others may write meanwhile.

        The copy is looked through before it gets its name, and a manifest with its hash is put beside it. In a folder
        it gets a name by the time. Nothing is overwritten. `watch` is told how many bytes are done, of how many.
        """
        store, now = self._runtime.store, self._runtime.engine.clock.now()
        target = Path(destination)
        if target.is_dir():
            own = Path(store.location())
            target /= f"{own.stem}-{now:%Y%m%dT%H%M%SZ}{own.suffix}"
        return serializers.backup(store.upkeep.backup(str(target), now=now, watch=watch))

    def close(self) -> None:
        self._runtime.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _scope(self, user_id: str | None, chat_id: str | None = None) -> Scope:
        return Scope(user_id if user_id is not None else self._connection.user, chat_id)

    def _wake(self) -> None:
        if self._connection.worker:
            self._runtime.worker.start()
            self._runtime.worker.wake()

    def _policy(
        self, scope: Scope, settings: Mapping[str, object] | None = None, mode: str | None = None
    ) -> Policy:
        call = {**(settings or {}), **({MODE: mode} if mode is not None else {})}
        return self._runtime.policy(scope.user, call, chat=scope.chat)
