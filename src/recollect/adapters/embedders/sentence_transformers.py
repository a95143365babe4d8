"""Embed with any sentence-transformers model; needs the extra of the same name."""

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

_USUAL_LIMIT = 512
#: The beginning and end marks, and a little for a prompt that the model may put before a passage.
_RESERVED_TOKENS = 16


class WordSplitter(Protocol):
    def tokenize(self, text: str, /) -> Sequence[str]: ...


class EncodingModel(Protocol):
    """The part of a SentenceTransformer that is used here."""

    @property
    def tokenizer(self) -> WordSplitter: ...

    @property
    def max_seq_length(self) -> int | None: ...

    def encode_document(
        self, texts: list[str], /, *, show_progress_bar: bool
    ) -> Iterable[Iterable[float]]: ...

    def encode_query(self, texts: list[str], /, *, show_progress_bar: bool) -> Iterable[Iterable[float]]: ...


def load_sentence_transformer(name: str) -> EncodingModel:
    try:
        package = import_module("sentence_transformers")
    except ImportError as error:
        raise ModelMissing(
            f"The embedder {name} needs the package sentence-transformers, which is not installed. "
            'Install it with: pip install "recollect[sentence-transformers]"'
        ) from error
    with translated(
        ModelMissing,
        f"sentence-transformers cannot load {name}: it is neither a folder here nor a model that can be "
        "downloaded now. Check the name and the connection.",
    ):
        model: EncodingModel = package.SentenceTransformer(name)
    return model


class SentenceTransformersEmbedder:
    """Embeds with a local model by its Hugging Face name or folder."""

    def __init__(
        self,
        model: str = "BAAI/bge-small-en-v1.5",
        *,
        floor: float | None = None,
        load: Callable[[str], EncodingModel] = load_sentence_transformer,
    ) -> None:
        self._name = model
        self._load = load
        self._model: EncodingModel | None = None
        self._lock = Lock()
        self._space = Space(self.embed, dimension=None, floor=floor)
        self._query = lru_cache(maxsize=256)(self._embed_query)

    @property
    def model_id(self) -> str:
        return f"sentence-transformers:{self._name}"

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
            rows = list(model.encode_document(sendable, show_progress_bar=False))
        return self._space.vectors(rows, count=len(texts))

    def embed_query(self, text: str) -> Vector:
        return self._query(text)[:]

    def windows(self, text: str) -> list[str]:
        with self._using() as model:
            limit = (model.max_seq_length or _USUAL_LIMIT) - _RESERVED_TOKENS
            return windows(
                text, tokens=lambda piece: len(model.tokenizer.tokenize(encodable(piece))), limit=limit
            )

    def _embed_query(self, text: str) -> Vector:
        with self._using() as model:
            rows = list(model.encode_query([encodable(text)], show_progress_bar=False))
        return self._space.vectors(rows, count=1)[0]

    @contextmanager
    def _using(self) -> Iterator[EncodingModel]:
        # One at a time: tokenizers of this package keep state between two calls.
        with self._lock:
            if self._model is None:
                self._model = self._load(self._name)
            with translated(
                ProviderError, f"{self._name} failed on this text. Try again, or choose another embedder."
            ):
                yield self._model
