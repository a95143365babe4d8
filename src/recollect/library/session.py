"""What `Memory` and its namespaces share: the open application, and defaults for the arguments of calls."""

from collections.abc import Mapping
from dataclasses import dataclass

from recollect.bootstrap import MODE_SETTING, Application
from recollect.domain.policy import Policy
from recollect.domain.scope import Scope
from recollect.services import Services
from recollect.settings import MachineSettings


@dataclass(frozen=True, slots=True, kw_only=True)
class LibrarySession:
    application: Application
    machine: MachineSettings

    @property
    def services(self) -> Services:
        return self.application.services

    def scope(self, user_id: str | None, chat_id: str | None = None) -> Scope:
        return Scope(user_id if user_id is not None else self.machine.user, chat_id)

    def policy(
        self, scope: Scope, settings: Mapping[str, object] | None = None, mode: str | None = None
    ) -> Policy:
        call = {**(settings or {}), **({MODE_SETTING: mode} if mode is not None else {})}
        return self.application.policy(scope.user, call, chat=scope.chat)

    def wake_worker(self) -> None:
        if self.machine.worker:
            self.application.worker.start()
            self.application.worker.wake()
