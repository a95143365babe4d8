"""Embedder that uses fastembed models; needs the extra `fastembed`."""

from collections.abc import Callable, Iterable
from typing import Protocol

from recollect.adapters.embedders.local_model import LocalModelEmbedder, import_package
from recollect.adapters.embedders.probe import translate_errors
from recollect.errors import ModelMissing
from recollect.text.windows import replace_lone_surrogates, split_windows

PACKAGE_NAME = "fastembed"
#: Longer than the input limit of any model that is practical on a CPU.
_OVERLONG_TEXT = "a " * 9000


class EncodingModel(Protocol):
    """The part of a fastembed TextEmbedding that is used here."""

    def passage_embed(self, texts: list[str], /) -> Iterable[Iterable[float]]: ...

    def query_embed(self, texts: list[str], /) -> Iterable[Iterable[float]]: ...

    def token_count(self, texts: str, /) -> int: ...


def load_text_embedding(name: str) -> EncodingModel:
    package = import_package(PACKAGE_NAME, model=name)
    with translate_errors(
        ModelMissing,
        f"fastembed cannot load {name}: the model is unknown, or the download failed. "
        "Check the name and the connection.",
    ):
        # One thread, as for the default embedder: more threads are slower when another core is busy.
        model: EncodingModel = package.TextEmbedding(name, threads=1)
    return model


class FastEmbedEmbedder(LocalModelEmbedder[EncodingModel]):
    """Embeds with a model that fastembed knows by its Hugging Face name."""

    def __init__(
        self,
        model: str = "BAAI/bge-small-en-v1.5",
        *,
        cosine_floor: float | None = None,
        load: Callable[[str], EncodingModel] = load_text_embedding,
    ) -> None:
        super().__init__(PACKAGE_NAME, model, cosine_floor=cosine_floor, load=load)
        self._max_tokens: int | None = None

    def windows(self, text: str) -> list[str]:
        with self._use_model() as model:
            if self._max_tokens is None:
                # `token_count` counts truncated input, so the count of an overlong text is the limit; a text that
                # reaches the limit may have been truncated.
                self._max_tokens = model.token_count(_OVERLONG_TEXT) - 1
            return split_windows(
                text,
                count_tokens=lambda piece: model.token_count(replace_lone_surrogates(piece)),
                limit=self._max_tokens,
            )

    def _encode_passages(self, model: EncodingModel, texts: list[str]) -> Iterable[Iterable[float]]:
        return model.passage_embed(texts)

    def _encode_queries(self, model: EncodingModel, texts: list[str]) -> Iterable[Iterable[float]]:
        return model.query_embed(texts)
