"""Embed with any sentence-transformers model; needs the extra of the same name."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from threading import Lock
from typing import Protocol

from recollect.adapters.embedders.local_model import LoadedEmbedder, installed
from recollect.adapters.embedders.probe import translated
from recollect.errors import ModelMissing
from recollect.text.windows import encodable, windows

PACKAGE = "sentence-transformers"
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
    package = installed(PACKAGE, model=name)
    with translated(
        ModelMissing,
        f"sentence-transformers cannot load {name}: it is neither a folder here nor a model that can be "
        "downloaded now. Check the name and the connection.",
    ):
        model: EncodingModel = package.SentenceTransformer(name)
    return model


class SentenceTransformersEmbedder(LoadedEmbedder[EncodingModel]):
    """Embeds with a local model by its Hugging Face name or folder."""

    def __init__(
        self,
        model: str = "BAAI/bge-small-en-v1.5",
        *,
        floor: float | None = None,
        load: Callable[[str], EncodingModel] = load_sentence_transformer,
    ) -> None:
        super().__init__(PACKAGE, model, floor=floor, load=load)
        self._turn = Lock()

    def windows(self, text: str) -> list[str]:
        with self._using() as model:
            limit = (model.max_seq_length or _USUAL_LIMIT) - _RESERVED_TOKENS
            return windows(
                text, tokens=lambda piece: len(model.tokenizer.tokenize(encodable(piece))), limit=limit
            )

    def _passages(self, model: EncodingModel, texts: list[str]) -> Iterable[Iterable[float]]:
        return model.encode_document(texts, show_progress_bar=False)

    def _questions(self, model: EncodingModel, texts: list[str]) -> Iterable[Iterable[float]]:
        return model.encode_query(texts, show_progress_bar=False)

    @contextmanager
    def _using(self) -> Iterator[EncodingModel]:
        # One at a time: tokenizers of this package keep state between two calls.
        with self._turn, super()._using() as model:
            yield model
