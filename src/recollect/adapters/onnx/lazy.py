"""Load a model when it is first needed, once, whoever asks."""

from __future__ import annotations

import os
from importlib import import_module
from threading import Lock
from typing import TYPE_CHECKING

from recollect.adapters.onnx.native_calls import native_calls
from recollect.errors import ModelMissing

if TYPE_CHECKING:
    from collections.abc import Callable

    from recollect.adapters.onnx.model_config import ModelConfig
    from recollect.adapters.onnx.model_files import ModelFiles
    from recollect.adapters.onnx.session import Network


class LazyNetwork:
    """Call it to get the network; the first call loads it, and others wait meanwhile."""

    def __init__(self, find_model: Callable[[], tuple[ModelFiles, ModelConfig]], *, threads: int) -> None:
        self._find_model = find_model
        self._threads = threads
        self._lock = Lock()
        self._network: Network | None = None

    def __call__(self) -> Network:
        with self._lock:
            if self._network is None:
                with native_calls.call():
                    self._network = self._load()
            return self._network

    def _load(self) -> Network:
        files, config = self._find_model()
        # Its telemetry would start a thread with an HTTP client at the import, and a forked child waits for that thread
        # for ever when it ends (onnxruntime 1.31).
        os.environ.setdefault("ORT_DISABLE_TELEMETRY", "1")  # noqa: TID251 - said to onnxruntime, not a setting of ours
        # By name, since importing onnxruntime and numpy takes half a second that only those who embed should pay.
        try:
            module = import_module("recollect.adapters.onnx.session")
        except ImportError as error:
            if (interrupt := _find_interrupt(error)) is not None:
                raise interrupt from None
            raise ModelMissing(
                f"The local model cannot run here, since {error.name or 'a package'} cannot be imported ({error}). "
                "Install it with: pip install onnxruntime tokenizers numpy, or choose another embedder."
            ) from error
        network: Network = module.Network(files, max_tokens=config.max_tokens, threads=self._threads)
        return network


def _find_interrupt(error: BaseException | None) -> KeyboardInterrupt | None:
    """Ctrl-C while a C++ module is imported: pybind11 makes an ImportError of it."""
    while error is not None and not isinstance(error, KeyboardInterrupt):
        error = error.__cause__ or error.__context__
    return error
