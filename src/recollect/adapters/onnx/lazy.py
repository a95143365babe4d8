"""Thread-safe lazy loading of an ONNX model."""

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
    """Callable that returns the network; the first call loads it, and concurrent calls wait."""

    def __init__(
        self,
        find_model: Callable[[], tuple[ModelFiles, ModelConfig]],
        *,
        threads: int,
        adapter: str | None = None,
    ) -> None:
        """``adapter`` names a file of fine-tuned weights in this package."""
        self._find_model = find_model
        self._threads = threads
        self._adapter = adapter
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
        # onnxruntime 1.31 starts a telemetry thread with an HTTP client at import; a forked child waits for that thread
        # forever at exit.
        os.environ.setdefault("ORT_DISABLE_TELEMETRY", "1")  # noqa: TID251 - read by onnxruntime, not a setting of ours
        # Imported here, since onnxruntime and numpy take half a second to import, which only embedding needs.
        try:
            module = import_module("recollect.adapters.onnx.session")
            adapters = import_module("recollect.adapters.onnx.weight_adapter")
        except ImportError as error:
            if (interrupt := _find_interrupt(error)) is not None:
                raise interrupt from None
            raise ModelMissing(
                f"The local model cannot run: {error.name or 'a package'} cannot be imported ({error}). "
                "Install it with: pip install onnxruntime tokenizers numpy, or choose another embedder."
            ) from error
        weights = None if self._adapter is None else adapters.adapted_weights(self._adapter, files.network)
        network: Network = module.Network(
            files, max_tokens=config.max_tokens, threads=self._threads, weights=weights
        )
        return network


def _find_interrupt(error: BaseException | None) -> KeyboardInterrupt | None:
    """Find a Ctrl-C in an error's causes: during the import of a C++ module pybind11 turns it into an ImportError."""
    while error is not None and not isinstance(error, KeyboardInterrupt):
        error = error.__cause__ or error.__context__
    return error
