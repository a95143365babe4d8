"""
Keeps threads out of onnxruntime and tokenizers while the interpreter finalizes or the process forks.

During finalization Python ends a daemon thread that requests the GIL by unwinding its stack (`pthread_exit`). C++ and
Rust frames do not allow that, and the process aborts with "terminate called without an active exception". So at exit
no other thread may begin a call, and running calls are awaited. A fork waits for them too: locks held inside these
libraries by another thread would stay locked in the child forever.
"""

import atexit
import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager

from recollect.errors import ProviderBusy

#: Time limit for running calls to end. The longest, loading a model, takes about one second.
MAX_WAIT_SECONDS = 10.0


class NativeCalls:
    """Counts calls into native code."""

    def __init__(self) -> None:
        self._changed = threading.Condition(threading.Lock())
        self._running = 0
        self._exiting_thread: int | None = None

    @contextmanager
    def call(self) -> Iterator[None]:
        """Delay exit and fork during the block; refused during exit, except in the exiting thread."""
        with self._changed:
            if self._exiting_thread not in {None, threading.get_ident()}:
                raise ProviderBusy("The program is exiting, so no model can run. The work stays queued.")
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
        # Locked until after the fork, so that no call begins in between.
        self._changed.acquire()
        self._wait()

    def resume_parent(self) -> None:
        self._changed.release()

    def resume_child(self) -> None:
        """Reset the count: the other threads do not exist in the child."""
        self._changed = threading.Condition(threading.Lock())
        self._running = 0

    def _wait(self) -> None:
        self._changed.wait_for(lambda: not self._running, timeout=MAX_WAIT_SECONDS)


native_calls = NativeCalls()
# This module is imported before any worker starts. Exit functions run in reverse order, so a worker can finish its job
# before this one runs.
atexit.register(native_calls.prepare_exit)
if hasattr(os, "register_at_fork"):
    os.register_at_fork(
        before=native_calls.prepare_fork,
        after_in_parent=native_calls.resume_parent,
        after_in_child=native_calls.resume_child,
    )
