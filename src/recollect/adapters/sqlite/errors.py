"""Translation of SQLite errors to `recollect.errors`."""

from collections.abc import Iterator
from contextlib import contextmanager

import apsw

from recollect.errors import (
    CorruptStore,
    InvalidInput,
    NotAStore,
    StoreBusy,
    StoreError,
    StoreFull,
    StoreReadOnly,
)

STORE_ERRORS: dict[type[apsw.Error], type[StoreError]] = {
    apsw.BusyError: StoreBusy,
    apsw.LockedError: StoreBusy,
    apsw.FullError: StoreFull,
    apsw.ReadOnlyError: StoreReadOnly,
    apsw.CantOpenError: StoreReadOnly,
    apsw.PermissionsError: StoreReadOnly,
    apsw.NotADBError: NotAStore,
    apsw.CorruptError: CorruptStore,
}


@contextmanager
def translate_errors(location: str) -> Iterator[None]:
    try:
        yield
    except UnicodeEncodeError as error:
        raise InvalidInput(
            f"{error.object!r} contains a lone surrogate, which UTF-8 cannot encode. Send valid Unicode text."
        ) from error
    except apsw.Error as error:
        error_class = STORE_ERRORS.get(type(error), StoreError)
        raise error_class(f"{error_class.__doc__} ({location}: {error})") from error
