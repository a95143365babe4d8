"""The library: `from recollect import Memory`."""

from recollect.surfaces.library.asynchronous import AsyncMemory
from recollect.surfaces.library.memory import Memory

__all__ = ["AsyncMemory", "Memory"]
