"""Load a model when it is first needed, once, whoever asks."""

from __future__ import annotations

from importlib import import_module
from threading import Lock
from typing import TYPE_CHECKING

from recollect.errors import ModelMissing

if TYPE_CHECKING:
    from collections.abc import Callable

    from recollect.adapters.onnx.model_config import Recipe
    from recollect.adapters.onnx.model_files import ModelFiles
    from recollect.adapters.onnx.session import Network


class LazyNetwork:
    """Call it to get the network; the first call loads it, and others wait meanwhile."""

    def __init__(self, find: Callable[[], tuple[ModelFiles, Recipe]], *, threads: int) -> None:
        self._find = find
        self._threads = threads
        self._lock = Lock()
        self._network: Network | None = None

    def __call__(self) -> Network:
        with self._lock:
            if self._network is None:
                self._network = self._load()
            return self._network

    def _load(self) -> Network:
        files, recipe = self._find()
        # By name, since importing onnxruntime and numpy takes half a second that only those who embed should pay.
        try:
            module = import_module("recollect.adapters.onnx.session")
        except ImportError as error:
            raise ModelMissing(
                f"The local model cannot run here, since {error.name or 'a package'} cannot be imported ({error}). "
                "Install it with: pip install onnxruntime tokenizers numpy, or choose another embedder."
            ) from error
        network: Network = module.Network(files, max_tokens=recipe.max_tokens, threads=self._threads)
        return network
