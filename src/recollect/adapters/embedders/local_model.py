"""Base of embedders that run a model through a Python package; the model is loaded on first use."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import lru_cache
from importlib import import_module
from threading import Lock
from types import ModuleType
from typing import Generic, TypeVar

from recollect.adapters.embedders.probe import VectorSpace, translate_errors
from recollect.errors import ModelMissing, ProviderError
from recollect.ports.embedder import Vector
from recollect.text.windows import replace_lone_surrogates

Model = TypeVar("Model")


class LocalModelEmbedder(ABC, Generic[Model]):
    """Embeds with a model that ``package`` loads by name."""

    def __init__(
        self, package: str, name: str, *, cosine_floor: float | None, load: Callable[[str], Model]
    ) -> None:
        self._package = package
        self._name = name
        self._load = load
        self._model: Model | None = None
        self._lock = Lock()
        self._space = VectorSpace(self.embed, dimension=None, cosine_floor=cosine_floor)
        self._cached_query = lru_cache(maxsize=256)(self._embed_query)

    @property
    def model_id(self) -> str:
        return f"{self._package}:{self._name}"

    @property
    def dimension(self) -> int:
        return self._space.dimension

    @property
    def cosine_floor(self) -> float:
        return self._space.cosine_floor

    def embed(self, texts: Sequence[str]) -> list[Vector]:
        return self._compute_vectors(self._encode_passages, texts) if texts else []

    def embed_query(self, text: str) -> Vector:
        return self._cached_query(text)[:]

    @abstractmethod
    def windows(self, text: str) -> list[str]: ...

    @abstractmethod
    def _encode_passages(self, model: Model, texts: list[str]) -> Iterable[Iterable[float]]: ...

    @abstractmethod
    def _encode_queries(self, model: Model, texts: list[str]) -> Iterable[Iterable[float]]: ...

    def _embed_query(self, text: str) -> Vector:
        return self._compute_vectors(self._encode_queries, [text])[0]

    def _compute_vectors(
        self, encode: Callable[[Model, list[str]], Iterable[Iterable[float]]], texts: Sequence[str]
    ) -> list[Vector]:
        encodable_texts = [replace_lone_surrogates(text) for text in texts]
        with self._use_model() as model:
            rows = list(encode(model, encodable_texts))
        return self._space.make_vectors(rows, count=len(texts))

    @contextmanager
    def _use_model(self) -> Iterator[Model]:
        with self._lock:
            if self._model is None:
                self._model = self._load(self._name)
        with translate_errors(
            ProviderError, f"{self._name} failed on this text. Try again, or choose another embedder."
        ):
            yield self._model


def import_package(package: str, *, model: str) -> ModuleType:
    """Import an optional package; the extra that installs it has the same name."""
    try:
        return import_module(package.replace("-", "_"))
    except ImportError as error:
        raise ModelMissing(
            f"The embedder {model} needs the package {package}, which is not installed. "
            f'Install it with: pip install "recollect[{package}]"'
        ) from error
