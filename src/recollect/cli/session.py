"""An open memory, for the length of one command."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from recollect.bootstrap import Runtime, make_embedder, open_runtime
from recollect.cli.options import Asked
from recollect.domain.policy import Policy
from recollect.domain.scope import Scope
from recollect.errors import ProviderBusy, ProviderError
from recollect.ports.chat_model import ChatModel
from recollect.ports.embedder import Embedder, Vector
from recollect.ports.store import Store
from recollect.services import Engine
from recollect.settings import Settings, load


def _nobody() -> None:
    """Nobody watches."""


@dataclass(slots=True)
class Brake:
    """Once pulled, the batch in hand is finished and the rest stays queued."""

    pulled: bool = False

    def pull(self) -> None:
        self.pulled = True


@dataclass(slots=True)
class BrakedEmbedder:
    """The embedder of the settings, between whose batches a command can stop, and which counts them."""

    inner: Embedder
    brake: Brake
    embedded: int = 0
    watch: Callable[[], None] = _nobody  #: called after each batch

    @property
    def model_id(self) -> str:
        return self.inner.model_id

    @property
    def dimension(self) -> int:
        return self.inner.dimension

    @property
    def floor(self) -> float:
        try:
            return self.inner.floor
        except ProviderError:
            # A model that is not here has no floor and compares nothing; recall goes on by words.
            return 0.0

    def embed(self, texts: Sequence[str]) -> list[Vector]:
        if self.brake.pulled:
            # Busy is the one failure that is tried again as it stands.
            raise ProviderBusy("Stopped by hand; the rest stays queued.")
        vectors = self.inner.embed(texts)
        self.embedded += len(texts)
        self.watch()
        return vectors

    def embed_query(self, text: str) -> Vector:
        return self.inner.embed_query(text)

    def windows(self, text: str) -> list[str]:
        return self.inner.windows(text)

    def close(self) -> None:
        # Only an embedder that holds a connection has something to close.
        close = getattr(self.inner, "close", None)
        if callable(close):
            close()


@dataclass(frozen=True, slots=True, kw_only=True)
class Session:
    runtime: Runtime
    user: str
    is_new: bool  #: whether the file was not there before
    embedder: BrakedEmbedder | None
    brake: Brake = field(default_factory=Brake)

    @property
    def store(self) -> Store:
        return self.runtime.store

    @property
    def engine(self) -> Engine:
        return self.runtime.engine

    @property
    def model(self) -> ChatModel | None:
        """The language model of the settings, if there is one."""
        return self.engine.judge_step.model

    def scope(self, chat: str | None = None) -> Scope:
        return Scope(self.user, chat)

    def policy(self, wishes: Mapping[str, object] | None = None, *, chat: str | None = None) -> Policy:
        """What holds for this user, and in this chat; wishes that are None were not expressed."""
        call = {name: value for name, value in (wishes or {}).items() if value is not None}
        return self.runtime.policy(self.user, call, chat=chat)


def load_settings(asked: Asked) -> Settings:
    given = {"db": asked.db, "user": asked.user, **asked.settings}
    return load(arguments=given, config=asked.config)


@contextmanager
def opened(settings: Settings) -> Iterator[Session]:
    connection = settings.resolve().connection
    scope = Scope(connection.user)
    is_new = not Path(connection.db).exists()
    brake, inner = Brake(), make_embedder(connection)
    embedder = BrakedEmbedder(inner, brake) if inner else None
    runtime = open_runtime(settings, embedder=embedder)
    try:
        yield Session(runtime=runtime, user=scope.user, is_new=is_new, embedder=embedder, brake=brake)
    finally:
        runtime.close()
        if embedder:
            embedder.close()
