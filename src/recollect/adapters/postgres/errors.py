"""Translation of PostgreSQL errors to `recollect.errors`, by SQLSTATE only: Citus changes names and texts."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager

import psycopg
from psycopg_pool import PoolClosed, PoolTimeout

from recollect.errors import (
    CorruptStore,
    InvalidInput,
    NotAStore,
    StoreBusy,
    StoreError,
    StoreFull,
    StoreReadOnly,
)

#: By SQLSTATE, or its class of two characters.
STORE_ERRORS: Mapping[str, type[StoreError]] = {
    "08": StoreBusy,  # connection lost; with Citus, also one between its nodes
    "40": StoreBusy,  # serialization failure or deadlock
    "53300": StoreBusy,  # too many connections
    "53100": StoreFull,
    "53200": StoreBusy,  # out of memory
    "55P03": StoreBusy,  # lock timeout
    "57014": StoreBusy,  # statement timeout
    "57P01": StoreBusy,  # the server shuts down
    "57P02": StoreBusy,  # the server crashed
    "57P03": StoreBusy,  # the server starts
    "25006": StoreReadOnly,  # a standby
    "XX001": CorruptStore,
    "XX002": CorruptStore,
    "3D000": NotAStore,  # the database does not exist
    "28": StoreReadOnly,  # the login was refused
    "42501": StoreReadOnly,
}


@contextmanager
def translate_errors(location: str) -> Iterator[None]:
    try:
        yield
    except UnicodeEncodeError as error:
        raise InvalidInput(
            f"{error.object!r} contains a lone surrogate, which UTF-8 cannot encode. Send valid Unicode text."
        ) from error
    except (PoolTimeout, PoolClosed) as error:
        raise StoreBusy(f"{StoreBusy.__doc__} ({location}: {error})") from error
    except psycopg.Error as error:
        raise to_store_error(error, location) from error


def to_store_error(error: psycopg.Error, location: str) -> StoreError | InvalidInput:
    code = error.sqlstate
    if code is None and isinstance(error, psycopg.DataError):
        return InvalidInput(
            f"PostgreSQL cannot store this text: {error}. Remove the character U+0000 from it."
        )
    if code is None:
        # The server could not be reached, or closed the connection.
        error_class = StoreBusy if isinstance(error, psycopg.OperationalError) else StoreError
    else:
        error_class = STORE_ERRORS.get(code) or STORE_ERRORS.get(code[:2], StoreError)
    return error_class(f"{error_class.__doc__} ({location}: {error})")
