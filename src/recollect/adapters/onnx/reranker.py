"""Local reranker with an ONNX cross-encoder."""

from __future__ import annotations

from math import exp
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING

from recollect.adapters.onnx.lazy import LazyNetwork
from recollect.adapters.onnx.model_config import ModelConfig
from recollect.adapters.onnx.model_files import (
    MINILM_RERANKER,
    ModelFiles,
    file_sha256,
    find_in_folder,
    find_in_wheel,
)
from recollect.text.portuguese_gloss import gloss_in_english

if TYPE_CHECKING:
    from collections.abc import Sequence


#: The changes of the weights that make the bundled cross-encoder say whether an excerpt is relevant.
RELEVANCE_ADAPTER = "relevance_adapter.npz"


class OnnxReranker:
    """Scores with the cross-encoder that is installed with recollect, or with one from a ``folder``."""

    def __init__(
        self,
        folder: str | Path | None = None,
        *,
        adapter: str | None = None,
        threads: int = 1,
        max_tokens: int = 256,
    ) -> None:
        """
        ``adapter`` names a file of fine-tuned weights; ``max_tokens`` truncates the pair of query and passage.

        The truncation bounds the time of one pair, and so how far a deadline can be exceeded.
        """
        self._folder = None if folder is None else Path(folder)
        self._adapter = adapter
        self._config = ModelConfig(pooling="cls", max_tokens=max_tokens)
        self._network = LazyNetwork(self._find_model, threads=threads, adapter=adapter)

    @property
    def model_id(self) -> str:
        if self._adapter is not None:
            return f"{MINILM_RERANKER.model_id}-{self._adapter.partition('.')[0]}"
        if self._folder is None:
            return MINILM_RERANKER.model_id
        return f"{self._folder.resolve().name}-{file_sha256(find_in_folder(self._folder).network)[:12]}"

    def scores(
        self, query: str, passages: Sequence[str], *, deadline: float | None = None
    ) -> list[float | None]:
        started = monotonic()
        scores: list[float | None] = [None] * len(passages)
        if not passages:
            return scores
        network, query_text = self._network(), self._to_model_language(query)
        # One pair at a time: batches are no faster here, they change the scores of a quantized model, and the deadline
        # could not be checked between pairs.
        for position, passage in enumerate(passages):
            if deadline is not None and monotonic() - started >= deadline:
                break
            scores[position] = _sigmoid(
                network.compute_logit(network.encode(query_text, self._to_model_language(passage)))
            )
        return scores

    def _to_model_language(self, text: str) -> str:
        """Translate Portuguese words to English for the default model, which is English only."""
        return gloss_in_english(text) if self._folder is None else text

    def _find_model(self) -> tuple[ModelFiles, ModelConfig]:
        return find_in_wheel(MINILM_RERANKER) if self._folder is None else find_in_folder(
            self._folder
        ), self._config


def _sigmoid(logit: float) -> float:
    # Beyond ±60 the score is 0 or 1 in double precision, and exp would overflow for larger values.
    return 1 / (1 + exp(-max(-60.0, min(60.0, logit))))
