"""Embed text on this machine with an ONNX model: by default a small English one that is installed with recollect."""

from __future__ import annotations

from functools import cached_property, lru_cache
from pathlib import Path
from typing import TYPE_CHECKING
from zlib import crc32

from recollect.adapters.onnx.lazy import LazyNetwork
from recollect.adapters.onnx.model_config import Pooling, Recipe, read_recipe
from recollect.adapters.onnx.model_files import BGE_SMALL, ModelFiles, in_folder, in_wheel, sha256
from recollect.ports.vector_math import unit, unrelated_cosine
from recollect.text.portuguese_gloss import in_english
from recollect.text.windows import windows

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from recollect.ports.embedder import Vector

_BGE_SMALL_RECIPE = Recipe(pooling="cls", max_tokens=512)
_BGE_SMALL_DIMENSION = 384
#: The mean over 58,775 questions and turns from different conversations of LoCoMo is 0.45, their 95th percentile
#: 0.55; of true answers 95 % are above 0.46.
_BGE_SMALL_FLOOR = 0.45


class OnnxEmbedder:
    """
    Embeds with bge-small-en, or with the ONNX model and ``tokenizer.json`` of any ``folder``.

    bge's own query instruction is left out on purpose: with it, turn recall@5 on LoCoMo was 45.9 instead of 46.9.
    Give ``query_prefix`` and ``passage_prefix`` for models that need them.
    """

    def __init__(
        self,
        folder: str | Path | None = None,
        *,
        threads: int = 1,
        batch_tokens: int = 0,
        pooling: Pooling | None = None,
        query_prefix: str = "",
        passage_prefix: str = "",
        floor: float | None = None,
    ) -> None:
        """
        ``batch_tokens`` is how many tokens, padding included, may go through the model at once.

        With 0, texts go one by one: on one thread that is as fast, and the vector of a text does not depend on its
        neighbours, which share one scale in a dynamically quantised model (cosine 0.989 to 0.999 between the two).
        """
        self._folder = None if folder is None else Path(folder)
        self._batch_tokens = batch_tokens
        self._pooling = pooling
        self._query_prefix = query_prefix
        self._passage_prefix = passage_prefix
        self._floor = floor
        self._network = LazyNetwork(self._find, threads=threads)
        self._query = lru_cache(maxsize=256)(self._embed_query)

    @cached_property
    def model_id(self) -> str:
        """The name of the model and what of its use changes the vectors; reads the file for a ``folder``'s digest."""
        variant = f"{self._pooling or ''}|{self._passage_prefix}"
        suffix = "" if variant == "|" else f"-{crc32(variant.encode()):08x}"
        if self._folder is None:
            return BGE_SMALL.model_id + suffix
        digest = sha256(in_folder(self._folder).network)
        return f"{self._folder.resolve().name}-{digest[:12]}{suffix}"

    @cached_property
    def dimension(self) -> int:
        if self._folder is None:
            return _BGE_SMALL_DIMENSION
        return self._network().width or len(self.embed(["dimension"])[0])

    @cached_property
    def floor(self) -> float:
        """As given; else a known constant for the default model, and measured on a few sentences for others."""
        if self._floor is not None:
            return self._floor
        return _BGE_SMALL_FLOOR if self._folder is None else unrelated_cosine(self.embed)

    def embed(self, texts: Sequence[str]) -> list[Vector]:
        return self._embed([self._passage_prefix + self._read(text) for text in texts])

    def embed_query(self, text: str) -> Vector:
        # A copy, since a vector can be written to and this one is kept.
        return self._query(text)[:]

    def windows(self, text: str) -> list[str]:
        network = self._network()
        return windows(
            text,
            tokens=lambda piece: network.tokens(self._passage_prefix + piece),
            limit=self._recipe.max_tokens,
        )

    def _embed_query(self, text: str) -> Vector:
        return self._embed([self._query_prefix + self._read(text)])[0]

    def _read(self, text: str) -> str:
        """The default model reads English alone, so Portuguese is put into English words for it."""
        return in_english(text) if self._folder is None else text

    def _embed(self, texts: Sequence[str]) -> list[Vector]:
        if not texts:
            return []
        network = self._network()
        encodings = [network.encode(text) for text in texts]
        found: dict[int, Vector] = {}
        for batch in _batches([len(encoding.ids) for encoding in encodings], self._batch_tokens):
            rows = network.vectors([encodings[place] for place in batch], self._recipe.pooling)
            found.update(zip(batch, map(unit, rows), strict=True))
        return [found[place] for place in range(len(texts))]

    @cached_property
    def _recipe(self) -> Recipe:
        recipe = _BGE_SMALL_RECIPE if self._folder is None else read_recipe(self._folder)
        return Recipe(pooling=self._pooling or recipe.pooling, max_tokens=recipe.max_tokens)

    def _find(self) -> tuple[ModelFiles, Recipe]:
        files = in_wheel(BGE_SMALL) if self._folder is None else in_folder(self._folder)
        return files, self._recipe


def _batches(lengths: Sequence[int], most: int) -> Iterator[list[int]]:
    """Group the places of texts of like length, each group at most ``most`` tokens when padded, or one text."""
    batch: list[int] = []
    for place in sorted(range(len(lengths)), key=lengths.__getitem__):
        if batch and (len(batch) + 1) * lengths[place] > most:
            yield batch
            batch = []
        batch.append(place)
    if batch:
        yield batch
