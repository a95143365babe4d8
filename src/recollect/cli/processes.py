"""
Several processes of one command. The parent starts them, starts another in place of one that ends, and stops them all.

A child's standard input is a pipe from the parent, so that it notices when the parent is killed and stops as well.
"""

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from types import FrameType

from recollect.cli.options import GlobalOptions

#: Wait before a process that ended is replaced: doubled each time, up to the maximum, unless it ran for a while.
MIN_RESTART_SECONDS = 0.5
MAX_RESTART_SECONDS = 30.0
STABLE_SECONDS = 60.0
#: Time between two checks of the processes.
POLL_SECONDS = 0.1
#: Time that processes have to stop before they are killed.
STOP_SECONDS = 20.0


def child_command(options: GlobalOptions, *arguments: str) -> list[str]:
    """Return the command line of a child with the same global options."""
    given = {"--db": options.db, "--user": options.user, "--config": options.config}
    flags = [word for name, value in given.items() if value is not None for word in (name, value)]
    debug = ["--debug"] if options.debug else []
    return [sys.executable, "-m", "recollect", *flags, *debug, *arguments]


def stop_with_parent() -> None:
    """Stop this process, as with SIGTERM, when its parent ends."""

    def wait_for_end() -> None:
        while os.read(sys.stdin.fileno(), 1):
            pass
        os.kill(os.getpid(), signal.SIGTERM)

    threading.Thread(target=wait_for_end, name="recollect-parent", daemon=True).start()


@dataclass(slots=True)
class _Child:
    process: "subprocess.Popen[bytes] | None" = None
    started_at: float = 0.0
    restart_at: float = 0.0
    wait_seconds: float = MIN_RESTART_SECONDS


class ProcessGroup:
    def __init__(
        self,
        command: Sequence[str],
        count: int,
        *,
        inherited_files: Sequence[int] = (),
        on_replaced: Callable[[int], None] | None = None,
    ) -> None:
        """`on_replaced` is called with the exit code of a process that ended without being stopped."""
        self._command = list(command)
        self._inherited_files = tuple(inherited_files)
        self._on_replaced = on_replaced
        self._children = [_Child() for _ in range(count)]
        self._is_stopping = False

    def run_until_stopped(self) -> None:
        """Run until SIGINT or SIGTERM; then stop all processes."""
        with self._handle_signals():
            try:
                while not self._is_stopping:
                    for child in self._children:
                        self._keep_running(child)
                    time.sleep(POLL_SECONDS)
            finally:
                self._stop_all()

    def _keep_running(self, child: _Child) -> None:
        now = time.monotonic()
        if child.process is not None:
            code = child.process.poll()
            if code is None:
                return
            if self._on_replaced:
                self._on_replaced(code)
            is_stable = now - child.started_at >= STABLE_SECONDS
            child.wait_seconds = (
                MIN_RESTART_SECONDS if is_stable else min(2 * child.wait_seconds, MAX_RESTART_SECONDS)
            )
            child.process, child.restart_at = None, now + child.wait_seconds
        if now >= child.restart_at:
            child.started_at = now
            child.process = subprocess.Popen(  # noqa: S603 - our own command
                self._command,
                stdin=subprocess.PIPE,
                pass_fds=self._inherited_files,
                # Ctrl-C in a terminal goes to the parent alone, which stops the children in order.
                start_new_session=True,
            )

    def _stop_all(self) -> None:
        running = [child.process for child in self._children if child.process is not None]
        for process in running:
            process.terminate()
        end = time.monotonic() + STOP_SECONDS
        for process in running:
            try:
                process.wait(max(0.0, end - time.monotonic()))
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()

    @contextmanager
    def _handle_signals(self) -> Iterator[None]:
        def stop(_signal: int, _frame: FrameType | None) -> None:
            self._is_stopping = True

        previous = {number: signal.signal(number, stop) for number in (signal.SIGINT, signal.SIGTERM)}
        try:
            yield
        finally:
            for number, handler in previous.items():
                signal.signal(number, handler)
