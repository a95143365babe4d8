"""
Keeps threads out of onnxruntime and tokenizers while the interpreter finalizes or the process forks.

During finalization Python ends a daemon thread that asks for the interpreter lock by unwinding its stack
(`pthread_exit`). Frames of C++ and Rust do not allow that, and the process aborts with "terminate called without an
active exception". So at exit no other thread begins a call, and the calls under way are waited for. A fork waits
for them too: the locks that a thread holds inside these libraries would stay locked in the child for ever.
"""

import atexit
import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager

from recollect.errors import ProviderBusy

#: Seconds to wait for calls under way. The longest is to load a model, about one second.
MAX_WAIT_SECONDS = 10.0


class NativeCalls:
    """Counts calls into native code."""

    def __init__(self) -> None:
        self._changed = threading.Condition(threading.Lock())
        self._running = 0
        self._exiting_thread: int | None = None

    @contextmanager
    def call(self) -> Iterator[None]:
        """Hold back exit and fork meanwhile. Refused when the program ends, except for the thread that ends it."""
        with self._changed:
            if self._exiting_thread not in {None, threading.get_ident()}:
                raise ProviderBusy("The program is ending, so no model runs any more. The work stays queued.")
            self._running += 1
        try:
            yield
        finally:
            with self._changed:
                self._running -= 1
                self._changed.notify_all()

    def prepare_exit(self) -> None:
        with self._changed:
            self._exiting_thread = threading.get_ident()
            self._wait()

    def prepare_fork(self) -> None:
        # Held until after the fork, so that no call begins in between.
        self._changed.acquire()
        self._wait()

    def resume_parent(self) -> None:
        self._changed.release()

    def resume_child(self) -> None:
        """Forget the calls of threads that do not exist here."""
        self._changed = threading.Condition(threading.Lock())
        self._running = 0

    def _wait(self) -> None:
        self._changed.wait_for(lambda: not self._running, timeout=MAX_WAIT_SECONDS)


native_calls = NativeCalls()
# Imported with the embedder and so before any worker starts: exit functions run in reverse order, and a worker that is
# about to end is given the time to finish its job first.
atexit.register(native_calls.prepare_exit)
if hasattr(os, "register_at_fork"):
    os.register_at_fork(
        before=native_calls.prepare_fork,
        after_in_parent=native_calls.resume_parent,
        after_in_child=native_calls.resume_child,
    )
