"""Embed with a model that fastembed downloads; needs the extra of the same name."""

from collections.abc import Callable, Iterable
from typing import Protocol

from recollect.adapters.embedders.local_model import LoadedEmbedder, installed
from recollect.adapters.embedders.probe import translated
from recollect.errors import ModelMissing
from recollect.text.windows import encodable, windows

PACKAGE = "fastembed"
#: Longer than any model takes whole that is worth running on a processor.
_VERY_LONG = "a " * 9000


class EncodingModel(Protocol):
    """The part of a fastembed TextEmbedding that is used here."""

    def passage_embed(self, texts: list[str], /) -> Iterable[Iterable[float]]: ...

    def query_embed(self, texts: list[str], /) -> Iterable[Iterable[float]]: ...

    def token_count(self, texts: str, /) -> int: ...


def load_text_embedding(name: str) -> EncodingModel:
    package = installed(PACKAGE, model=name)
    with translated(
        ModelMissing,
        f"fastembed cannot load {name}: it does not know the model, or cannot download it now. "
        "Check the name and the connection.",
    ):
        # One thread, as for the default embedder: more are slower whenever another core is busy.
        model: EncodingModel = package.TextEmbedding(name, threads=1)
    return model


class FastEmbedEmbedder(LoadedEmbedder[EncodingModel]):
    """Embeds with a model that fastembed knows by its Hugging Face name."""

    def __init__(
        self,
        model: str = "BAAI/bge-small-en-v1.5",
        *,
        floor: float | None = None,
        load: Callable[[str], EncodingModel] = load_text_embedding,
    ) -> None:
        super().__init__(PACKAGE, model, floor=floor, load=load)
        self._limit: int | None = None

    def windows(self, text: str) -> list[str]:
        with self._using() as model:
            if self._limit is None:
                # It counts only what it would read, so that a count that stops growing is the limit, and a text
                # that reaches it may be longer.
                self._limit = model.token_count(_VERY_LONG) - 1
            return windows(text, tokens=lambda piece: model.token_count(encodable(piece)), limit=self._limit)

    def _passages(self, model: EncodingModel, texts: list[str]) -> Iterable[Iterable[float]]:
        return model.passage_embed(texts)

    def _questions(self, model: EncodingModel, texts: list[str]) -> Iterable[Iterable[float]]:
        return model.query_embed(texts)
