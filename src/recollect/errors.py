"""
Everything that can go wrong, in one page.

RecollectError
├── InvalidInput            what you gave us cannot be stored or understood
│   ├── EmptyText           ... it holds no text
│   ├── TextTooLong         ... it is larger than a message may be
│   └── UnknownRole         ... nobody speaks in that role
├── NotFound                no such thing in this scope
├── Refused                 we could, but we will not
│   └── ConsentRequired     ... the user has not agreed to this
├── ConfigError             the settings do not make sense
├── StoreError              the database said no (see __cause__)
│   ├── StoreBusy           ... but may say yes if asked again
│   ├── StoreFull           ... the disk is full
│   ├── StoreReadOnly       ... the file or its folder cannot be written
│   ├── StoreMoved          ... the file was deleted, moved or replaced while it was open
│   ├── NotAStore           ... the file is something else
│   ├── NewerStore          ... the file was written by a newer recollect
│   └── CorruptStore        ... the file is damaged
└── ProviderError           an embedder or a language model said no
    ├── ProviderBusy        ... but may say yes if asked again
    ├── ModelMissing        ... its files or its package are not here
    ├── AnswerUnreadable    ... it answered, but not with what was asked for
    └── CapReached          ... it was not asked: it would cost more than is allowed

A `...Busy` error means that the same call may work later; retry looks at nothing else.
"""


class RecollectError(Exception):
    """Something in recollect went wrong."""

    def __init__(self, message: str | None = None) -> None:
        super().__init__(message or self.__doc__)


class InvalidInput(RecollectError):
    """The input cannot be stored or understood. Change it and try again."""


class EmptyText(InvalidInput):
    """There is no text to store. Give at least one visible character."""


class TextTooLong(InvalidInput):
    """The text is larger than one message may be. Split it and try again."""


class UnknownRole(InvalidInput):
    """Nobody speaks in that role. Use user, assistant, system or tool."""


class NotFound(RecollectError):
    """There is no such thing for this user. `recollect list` shows what there is."""


class Refused(RecollectError):
    """This was refused on purpose. The message says what would be needed."""


class ConsentRequired(Refused):
    """The user has not agreed to this, and it is done only with their consent."""


class ConfigError(RecollectError):
    """The settings do not make sense. `recollect settings` shows each value and its source."""


class StoreError(RecollectError):
    """The database said no. `recollect doctor` looks for the reason."""


class StoreBusy(StoreError):
    """Another process holds the file. Try again in a moment."""


class StoreFull(StoreError):
    """The disk is full. Nothing was half written; free some space and try again."""


class StoreReadOnly(StoreError):
    """The memory file or its folder cannot be written. Check permissions, or choose another file with --db."""


class StoreMoved(StoreError):
    """The memory file was deleted, moved or replaced while open. Save what is left with `Memory.backup`."""


class NotAStore(StoreError):
    """The file is not a recollect memory. Choose another file with --db; this one was left as it was."""


class NewerStore(StoreError):
    """The file was written by a newer recollect. Upgrade recollect; the file was left as it was."""


class CorruptStore(StoreError):
    """The file is damaged. `recollect doctor` says where, `recollect repair` rebuilds what can be rebuilt."""


class ProviderError(RecollectError):
    """An embedder or a language model said no."""


class ProviderBusy(ProviderError):
    """The provider is busy or cannot be reached. The work stays queued and is tried again."""

    def __init__(self, message: str | None = None, *, retry_after: float | None = None) -> None:
        super().__init__(message)
        self.retry_after = retry_after  #: seconds the provider asked us to wait; None if it did not say


class ModelMissing(ProviderError):
    """The model's files or package are not here. `recollect doctor` says what to install."""


class AnswerUnreadable(ProviderError):
    """The model's answer could not be read. Nothing was learned; retry the job, or choose another model."""


class CapReached(ProviderError):
    """
    The call would exceed the user's cap on model tokens. Raise `spending.max_tokens_per_day` or
    `spending.max_tokens_per_chat`.
    """
