"""Results of moving a database to another kind of store."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class MoveProgress:
    user: str
    users_done: int
    users: int
    rows: int  #: of this user, so far


@dataclass(frozen=True, slots=True, kw_only=True)
class MoveReport:
    """The result of a move. The rows of every user were read from both stores afterwards and are equal."""

    moved_users: int
    known_users: int  #: users that the target had already, with equal rows, from an earlier run
    rows: int
    vectors: int
    digest: str  #: hash of all rows of all users
