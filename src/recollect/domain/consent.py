"""Categories of consent."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from recollect.domain.memory import Kind

PROFILE_CATEGORY: Final = "profile"
#: The profile needs consent first (opt-in); kinds of memories are allowed until revoked (opt-out).
DEFAULT_CONSENTS: Final[Mapping[str, bool]] = {
    PROFILE_CATEGORY: False,
    **dict.fromkeys((kind.value for kind in Kind), True),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class ConsentChange:
    """A recorded decision of the user."""

    category: str
    granted: bool
    erased: Mapping[str, int]  #: rows by kind that a withdrawal erased
