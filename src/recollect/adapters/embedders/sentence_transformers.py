"""Embedder that uses sentence-transformers models; needs the extra `sentence-transformers`."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from threading import Lock
from typing import Protocol

from recollect.adapters.embedders.local_model import LocalModelEmbedder, import_package
from recollect.adapters.embedders.probe import translate_errors
from recollect.errors import ModelMissing
from recollect.text.windows import replace_lone_surrogates, split_windows

PACKAGE_NAME = "sentence-transformers"
_DEFAULT_MAX_TOKENS = 512
#: Tokens reserved for the special tokens and for a prompt that the model may add before a passage.
_RESERVED_TOKENS = 16


class ModelTokenizer(Protocol):
    def tokenize(self, text: str, /) -> Sequence[str]: ...


class EncodingModel(Protocol):
    """The part of a SentenceTransformer that is used here."""

    @property
    def tokenizer(self) -> ModelTokenizer: ...

    @property
    def max_seq_length(self) -> int | None: ...

    def encode_document(
        self, texts: list[str], /, *, show_progress_bar: bool
    ) -> Iterable[Iterable[float]]: ...

    def encode_query(self, texts: list[str], /, *, show_progress_bar: bool) -> Iterable[Iterable[float]]: ...


def load_sentence_transformer(name: str) -> EncodingModel:
    package = import_package(PACKAGE_NAME, model=name)
    with translate_errors(
        ModelMissing,
        f"sentence-transformers cannot load {name}: it is not a local folder, and the download failed. "
        "Check the name and the connection.",
    ):
        model: EncodingModel = package.SentenceTransformer(name)
    return model


class SentenceTransformersEmbedder(LocalModelEmbedder[EncodingModel]):
    """Embeds with a local model by its Hugging Face name or folder."""

    def __init__(
        self,
        model: str = "BAAI/bge-small-en-v1.5",
        *,
        cosine_floor: float | None = None,
        load: Callable[[str], EncodingModel] = load_sentence_transformer,
    ) -> None:
        super().__init__(PACKAGE_NAME, model, cosine_floor=cosine_floor, load=load)
        self._inference_lock = Lock()

    def windows(self, text: str) -> list[str]:
        with self._use_model() as model:
            limit = (model.max_seq_length or _DEFAULT_MAX_TOKENS) - _RESERVED_TOKENS
            return split_windows(
                text,
                count_tokens=lambda piece: len(model.tokenizer.tokenize(replace_lone_surrogates(piece))),
                limit=limit,
            )

    def _encode_passages(self, model: EncodingModel, texts: list[str]) -> Iterable[Iterable[float]]:
        return model.encode_document(texts, show_progress_bar=False)

    def _encode_queries(self, model: EncodingModel, texts: list[str]) -> Iterable[Iterable[float]]:
        return model.encode_query(texts, show_progress_bar=False)

    @contextmanager
    def _use_model(self) -> Iterator[EncodingModel]:
        # One call at a time: the tokenizers of this package keep state between calls.
        with self._inference_lock, super()._use_model() as model:
            yield model
