"""
The exceptions of recollect.

RecollectError
├── InvalidInput            the input is invalid
│   ├── EmptyText           the text is empty
│   ├── TextTooLong         the text exceeds the maximum size of a message
│   └── UnknownRole         the role is unknown
├── NotFound                no such object in this scope
├── Refused                 the operation is not allowed in the current state
│   └── ConsentRequired     the user's consent is missing
├── ConfigError             a setting is invalid
├── StoreError              the database failed (see __cause__)
│   ├── StoreBusy           the database is locked or unreachable; the same call may work later
│   ├── StoreFull           the disk is full
│   ├── StoreReadOnly       the file or its folder is not writable
│   ├── StoreMoved          the file was deleted, moved or replaced while open
│   ├── NotAStore           the file is not a recollect database
│   ├── NewerStore          the file was written by a newer recollect
│   ├── OutdatedStore       the file was written by a recollect before 0.1
│   └── CorruptStore        the file is damaged
└── ProviderError           an embedder or a language model failed
    ├── ProviderBusy        the provider is busy or unreachable; the same call may work later
    ├── ModelMissing        the model's files or package are not installed
    ├── AnswerUnreadable    the model's reply could not be parsed
    └── CapReached          the call would exceed a token cap

A `…Busy` error means that the same call may work later. The worker retries jobs that fail with one of these, with
StoreFull or with StoreMoved until they succeed; any other RecollectError makes a job a dead letter.
"""


class RecollectError(Exception):
    """Recollect failed. This is the base class of all its errors."""

    def __init__(self, message: str | None = None) -> None:
        super().__init__(message or self.__doc__)


class InvalidInput(RecollectError):
    """The input is invalid. Correct it and try again."""


class EmptyText(InvalidInput):
    """The text is empty. Give at least one visible character."""


class TextTooLong(InvalidInput):
    """The text exceeds the maximum size of a message. Split it, or raise `collect.max_message_bytes`."""


class UnknownRole(InvalidInput):
    """The role is unknown. Use user, assistant, system or tool."""


class NotFound(RecollectError):
    """Not found for this user. `recollect memories list` shows the user's memories."""


class Refused(RecollectError):
    """The operation is not allowed in the current state. The message says what is required."""


class ConsentRequired(Refused):
    """The user has not consented to this. Record their consent first with `recollect privacy consent`."""


class ConfigError(RecollectError):
    """A setting is invalid. `recollect settings` shows each value and its source."""


class StoreError(RecollectError):
    """The database failed. Run `recollect doctor` to find the cause."""


class StoreBusy(StoreError):
    """The database is locked by another process or cannot be reached. Try again in a moment."""


class StoreFull(StoreError):
    """The disk is full, and the change was rolled back. Free some space and try again."""


class StoreReadOnly(StoreError):
    """The memory file or its folder is not writable. Check permissions, or choose another file with --db."""


class StoreMoved(StoreError):
    """The memory file was deleted, moved or replaced while open. Save its contents with `memory.maintenance.backup`."""


class NotAStore(StoreError):
    """The file is not a recollect database and was not changed. Choose another file with --db."""


class NewerStore(StoreError):
    """The file was written by a newer version and was not changed. Upgrade recollect."""


class OutdatedStore(StoreError):
    """A version before 0.1 wrote the file; it was not changed. Export it with that version, and import it here."""


class CorruptStore(StoreError):
    """The file is damaged. `recollect doctor` shows where; `recollect maintenance repair` rebuilds derived data."""


class ProviderError(RecollectError):
    """An embedder or a language model failed. The message says why."""


class ProviderBusy(ProviderError):
    """The provider is busy or unreachable. The job stays queued and is retried."""

    def __init__(self, message: str | None = None, *, retry_after: float | None = None) -> None:
        super().__init__(message)
        self.retry_after = retry_after  #: seconds, from the provider's Retry-After; None if absent


class ModelMissing(ProviderError):
    """The model's files or package are not installed. `recollect doctor` says what to install."""


class AnswerUnreadable(ProviderError):
    """The model's reply could not be parsed, so nothing was learned. Retry the job, or choose another model."""


class CapReached(ProviderError):
    """The call would exceed a token cap. Raise `spending.max_tokens_per_day` or `spending.max_tokens_per_chat`."""
