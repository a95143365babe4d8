"""Opening, closing and backup of a memory."""

import logging
from collections.abc import Mapping
from pathlib import Path
from types import TracebackType
from typing import Self

from recollect.bootstrap import MODE_SETTING, Application, open_application
from recollect.domain.policy import Policy
from recollect.domain.scope import Scope
from recollect.ports.backup import ProgressCallback
from recollect.ports.chat_model import ChatModel
from recollect.ports.clock import Clock, Ids
from recollect.ports.embedder import Embedder
from recollect.ports.store import Store
from recollect.serialization import serializers
from recollect.serialization.serializers import JsonObject
from recollect.settings import load_settings

log = logging.getLogger("recollect.settings")


class MemoryBase:
    def __init__(
        self,
        db: str | Path | None = None,
        *,
        user_id: str | None = None,
        store: Store | None = None,
        embedder: Embedder | None = None,
        chat_model: ChatModel | None = None,
        clock: Clock | None = None,
        ids: Ids | None = None,
        settings: Mapping[str, object] | None = None,
    ) -> None:
        arguments = {
            **(settings or {}),
            **({"db": str(db)} if db else {}),
            **({"user": user_id} if user_id else {}),
        }
        loaded = load_settings(arguments=arguments)
        for warning in loaded.warnings:
            log.warning("%s", warning)
        self._application = open_application(
            loaded, store=store, embedder=embedder, chat_model=chat_model, clock=clock, ids=ids
        )
        self._machine = self._application.settings.resolve().machine

    @classmethod
    def from_application(cls, application: Application) -> Self:
        """Wrap an open application, which its opener must close."""
        memory = cls.__new__(cls)
        memory._application = application  # noqa: SLF001 - another constructor
        memory._machine = application.settings.resolve().machine  # noqa: SLF001
        return memory

    @property
    def application(self) -> Application:
        """The application behind this object, for uses that this class does not cover."""
        return self._application

    def flush(self, *, seconds: float = 60.0) -> bool:
        """Run due jobs and return whether none is left. Failed jobs wait for their retry or become dead letters."""
        self._application.services.jobs.run_now()
        return self._application.worker.drain(seconds=seconds)

    def stats(self, *, user_id: str | None = None) -> JsonObject:
        return serializers.serialize_stats(self._application.services.analytics.stats(self._scope(user_id)))

    def backup(self, destination: str | Path, *, progress: ProgressCallback | None = None) -> JsonObject:
        """
        Copy the data of all users into a file that can be opened like any memory; others may write meanwhile.

        The copy is checked before it is renamed to its destination, and a manifest with its hash is written next to
        it. If the destination is a folder, the file name contains the time. Existing files are not overwritten.
        `progress` is called with the bytes done and the total.
        """
        backup = self._application.services.maintenance.backup(str(destination), progress=progress)
        return serializers.serialize_backup(backup)

    def close(self) -> None:
        self._application.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _scope(self, user_id: str | None, chat_id: str | None = None) -> Scope:
        return Scope(user_id if user_id is not None else self._machine.user, chat_id)

    def _wake_worker(self) -> None:
        if self._machine.worker:
            self._application.worker.start()
            self._application.worker.wake()

    def _policy(
        self, scope: Scope, settings: Mapping[str, object] | None = None, mode: str | None = None
    ) -> Policy:
        call = {**(settings or {}), **({MODE_SETTING: mode} if mode is not None else {})}
        return self._application.policy(scope.user, call, chat=scope.chat)
