"""Embed with a model that fastembed downloads; needs the extra of the same name."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import lru_cache
from importlib import import_module
from threading import Lock
from typing import Protocol

from recollect.adapters.embedders.space import Space, translated
from recollect.errors import ModelMissing, ProviderError
from recollect.ports.embedder import Vector
from recollect.text.windows import encodable, windows

#: Longer than any model takes whole that is worth running on a processor.
_VERY_LONG = "a " * 9000


class EncodingModel(Protocol):
    """The part of a fastembed TextEmbedding that is used here."""

    def passage_embed(self, texts: list[str], /) -> Iterable[Iterable[float]]: ...

    def query_embed(self, texts: list[str], /) -> Iterable[Iterable[float]]: ...

    def token_count(self, texts: str, /) -> int: ...


def load_text_embedding(name: str) -> EncodingModel:
    try:
        package = import_module("fastembed")
    except ImportError as error:
        raise ModelMissing(
            f"The embedder {name} needs the package fastembed, which is not installed. "
            'Install it with: pip install "recollect[fastembed]"'
        ) from error
    with translated(
        ModelMissing,
        f"fastembed cannot load {name}: it does not know the model, or cannot download it now. "
        "Check the name and the connection.",
    ):
        # One thread, as for the default embedder: more are slower whenever another core is busy.
        model: EncodingModel = package.TextEmbedding(name, threads=1)
    return model


class FastEmbedEmbedder:
    """Embeds with a model that fastembed knows by its Hugging Face name."""

    def __init__(
        self,
        model: str = "BAAI/bge-small-en-v1.5",
        *,
        floor: float | None = None,
        load: Callable[[str], EncodingModel] = load_text_embedding,
    ) -> None:
        self._name = model
        self._load = load
        self._model: EncodingModel | None = None
        self._limit: int | None = None
        self._lock = Lock()
        self._space = Space(self.embed, dimension=None, floor=floor)
        self._query = lru_cache(maxsize=256)(self._embed_query)

    @property
    def model_id(self) -> str:
        return f"fastembed:{self._name}"

    @property
    def dimension(self) -> int:
        return self._space.dimension

    @property
    def floor(self) -> float:
        return self._space.floor

    def embed(self, texts: Sequence[str]) -> list[Vector]:
        if not texts:
            return []
        sendable = [encodable(text) for text in texts]
        with self._using() as model:
            rows = list(model.passage_embed(sendable))
        return self._space.vectors(rows, count=len(texts))

    def embed_query(self, text: str) -> Vector:
        return self._query(text)[:]

    def windows(self, text: str) -> list[str]:
        with self._using() as model:
            if self._limit is None:
                # It counts only what it would read, so that a count that stops growing is the limit, and a text
                # that reaches it may be longer.
                self._limit = model.token_count(_VERY_LONG) - 1
            return windows(text, tokens=lambda piece: model.token_count(encodable(piece)), limit=self._limit)

    def _embed_query(self, text: str) -> Vector:
        with self._using() as model:
            rows = list(model.query_embed([encodable(text)]))
        return self._space.vectors(rows, count=1)[0]

    @contextmanager
    def _using(self) -> Iterator[EncodingModel]:
        with self._lock:
            if self._model is None:
                self._model = self._load(self._name)
        with translated(
            ProviderError, f"{self._name} failed on this text. Try again, or choose another embedder."
        ):
            yield self._model
