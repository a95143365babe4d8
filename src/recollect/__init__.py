"""
Recollect: long-term memory for LLM chat applications.

    from recollect import Memory

    memory = Memory()
    memory.add("I'm vegetarian and hate cilantro")
    print(memory.context("what can I cook tonight?").text)
"""

from importlib import import_module

#: Type checkers read it as true. Importing `typing` for it would be a third of the time that `recollect-hook` takes.
TYPE_CHECKING = False

if TYPE_CHECKING:
    from recollect.domain.policy import Policy
    from recollect.library.async_memory import AsyncMemory
    from recollect.library.memory import Memory

__all__ = ["AsyncMemory", "Memory", "Policy", "errors"]
__version__ = "0.1.0"

_LAZY_IMPORTS = {
    "AsyncMemory": "recollect.library.async_memory",
    "Memory": "recollect.library.memory",
    "Policy": "recollect.domain.policy",
    "errors": "recollect.errors",
}


def __getattr__(name: str) -> object:
    """Import public names on first use, so that a process that needs only the version starts fast."""
    if name not in _LAZY_IMPORTS:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    module = import_module(_LAZY_IMPORTS[name])
    return module if name == "errors" else getattr(module, name)
