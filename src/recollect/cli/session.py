"""The session of one command: the opened application, its user, and cancellation between batches."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from recollect.bootstrap import Application, make_embedder, open_application
from recollect.cli.options import GlobalOptions
from recollect.domain.policy import Policy
from recollect.domain.scope import Scope
from recollect.errors import NotFound, ProviderBusy, ProviderError
from recollect.ports.chat_model import ChatModel
from recollect.ports.embedder import Embedder, Vector
from recollect.services import Services
from recollect.settings import Settings, load_settings, parse_store_url


def _ignore_batch() -> None:
    """Default of `on_batch`: do nothing."""


@dataclass(slots=True)
class DrainCancellation:
    """Cancellation flag: once set, the current batch is finished and the remaining jobs stay queued."""

    is_cancelled: bool = False

    def cancel(self) -> None:
        self.is_cancelled = True


@dataclass(slots=True)
class CancellableEmbedder:
    """Wraps the configured embedder: counts the embedded texts, and stops between batches when cancelled."""

    inner: Embedder
    cancellation: DrainCancellation
    embedded_count: int = 0
    on_batch: Callable[[], None] = _ignore_batch  #: called after each batch

    @property
    def model_id(self) -> str:
        return self.inner.model_id

    @property
    def dimension(self) -> int:
        return self.inner.dimension

    @property
    def cosine_floor(self) -> float:
        try:
            return self.inner.cosine_floor
        except ProviderError:
            # The model is not available, so nothing is compared with it; recall is lexical only.
            return 0.0

    def embed(self, texts: Sequence[str]) -> list[Vector]:
        if self.cancellation.is_cancelled:
            # ProviderBusy keeps the job queued for a retry; other errors would park it.
            raise ProviderBusy("Interrupted; the remaining passages stay queued.")
        vectors = self.inner.embed(texts)
        self.embedded_count += len(texts)
        self.on_batch()
        return vectors

    def embed_query(self, text: str) -> Vector:
        return self.inner.embed_query(text)

    def windows(self, text: str) -> list[str]:
        return self.inner.windows(text)

    def close(self) -> None:
        # Only embedders with a network connection have a close method.
        close = getattr(self.inner, "close", None)
        if callable(close):
            close()


@dataclass(frozen=True, slots=True, kw_only=True)
class CliSession:
    application: Application
    user: str
    is_new: bool  #: whether this session created the file
    embedder: CancellableEmbedder | None
    cancellation: DrainCancellation = field(default_factory=DrainCancellation)

    @property
    def services(self) -> Services:
        return self.application.services

    @property
    def model(self) -> ChatModel | None:
        """Return the configured language model, if any."""
        return self.application.chat_model

    def scope(self, chat: str | None = None) -> Scope:
        return Scope(self.user, chat)

    def policy(self, overrides: Mapping[str, object] | None = None, *, chat: str | None = None) -> Policy:
        """Resolve the policy for the user and the chat; overrides that are None are ignored."""
        call_settings = {name: value for name, value in (overrides or {}).items() if value is not None}
        return self.application.policy(self.user, call_settings, chat=chat)


def settings_from_options(options: GlobalOptions) -> Settings:
    arguments = {"db": options.db, "user": options.user, **options.settings}
    return load_settings(arguments=arguments, config=options.config)


def missing_file(settings: Settings) -> Path | None:
    """Return the memory file that the settings name, if it does not exist."""
    file = parse_store_url(settings.resolve().machine.db).file
    return None if file is None or file.exists() else file


@contextmanager
def open_session(settings: Settings, *, creates: bool) -> Iterator[CliSession]:
    """Open the store; raise NotFound instead of creating a file unless the command stores something new."""
    file = missing_file(settings)
    if file is not None and not creates:
        raise NotFound(
            f"There is no memory file {file}. Check --db, or store something first: `recollect add` creates it."
        )
    connection = settings.resolve().machine
    scope = Scope(connection.user)
    is_new = file is not None
    cancellation, base_embedder = DrainCancellation(), make_embedder(connection)
    embedder = CancellableEmbedder(base_embedder, cancellation) if base_embedder else None
    application = open_application(settings, embedder=embedder)
    try:
        yield CliSession(
            application=application,
            user=scope.user,
            is_new=is_new,
            embedder=embedder,
            cancellation=cancellation,
        )
    finally:
        application.close()
        if embedder:
            embedder.close()
