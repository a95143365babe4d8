"""Run an ONNX model with its own tokenizer, on the processor."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from math import isnan

import numpy as np
import onnxruntime
from numpy.typing import NDArray
from tokenizers import Encoding, Tokenizer

from recollect.adapters.onnx.model_config import Pooling
from recollect.adapters.onnx.model_files import ModelFiles
from recollect.adapters.onnx.native_calls import native_calls
from recollect.errors import ModelMissing, ProviderError
from recollect.text.windows import encodable


class Network:
    """A model and its tokenizer, loaded. Safe to call from several threads: nothing in it changes."""

    def __init__(self, files: ModelFiles, *, max_tokens: int, threads: int) -> None:
        with _translated(ModelMissing, f"The model in {files.folder} cannot be loaded"):
            self._tokenizer = Tokenizer.from_file(str(files.tokenizer))
            self._tokenizer.no_padding()
            self._tokenizer.enable_truncation(max_tokens)
            self._session = onnxruntime.InferenceSession(
                str(files.network), _options(threads), providers=["CPUExecutionProvider"]
            )
        self._inputs = {wanted.name for wanted in self._session.get_inputs()}
        outputs = {output.name: output.shape for output in self._session.get_outputs()}
        self._output = "sentence_embedding" if "sentence_embedding" in outputs else next(iter(outputs))
        #: The size of the output's last axis, None if the model does not say.
        self.width = width if isinstance(width := outputs[self._output][-1], int) else None

    def encode(self, text: str, second: str | None = None) -> Encoding:
        """Turn a text, or a pair of texts, into tokens; what is too long for the model is cut off."""
        with native_calls.call():
            return self._tokenizer.encode(encodable(text), None if second is None else encodable(second))

    def tokens(self, text: str) -> int:
        """Count the tokens of a text that may be longer than the model takes."""
        encoding = self.encode(text)
        return len(encoding.ids) + sum(len(rest.ids) for rest in encoding.overflowing)

    def vectors(self, batch: Sequence[Encoding], pooling: Pooling) -> list[list[float]]:
        """One vector for each text of a batch, not yet of unit length."""
        mask = _padded([encoding.attention_mask for encoding in batch])
        output = self._run(batch, mask)
        if output.ndim == 3:
            output = _pooled(output, mask, pooling)
        rows: list[list[float]] = output.tolist()
        return rows

    def logit(self, pair: Encoding) -> float:
        """The first number that a classifier says about a pair."""
        logit = float(self._run([pair], _padded([pair.attention_mask])).flat[0])
        if isnan(logit):
            raise ProviderError(
                "The reranker said that a score is not a number. Check its files with `recollect doctor`."
            )
        return logit

    def _run(self, batch: Sequence[Encoding], mask: NDArray[np.int64]) -> NDArray[np.float32]:
        given = {
            "input_ids": _padded([encoding.ids for encoding in batch]),
            "attention_mask": mask,
            "token_type_ids": _padded([encoding.type_ids for encoding in batch]),
        }
        with native_calls.call(), _translated(ProviderError, "The model failed on this text"):
            [output] = self._session.run(
                [self._output], {name: value for name, value in given.items() if name in self._inputs}
            )
        return np.asarray(output, dtype=np.float32)


def _options(threads: int) -> onnxruntime.SessionOptions:
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    options.inter_op_num_threads = 1
    options.log_severity_level = 3
    # Waiting threads would otherwise burn a core that the application wants.
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    return options


def _padded(rows: Sequence[Sequence[int]]) -> NDArray[np.int64]:
    """Zeros to the longest row: what the mask hides may hold any token."""
    padded = np.zeros((len(rows), max(map(len, rows))), dtype=np.int64)
    for target, row in zip(padded, rows, strict=True):
        target[: len(row)] = row
    return padded


def _pooled(hidden: NDArray[np.float32], mask: NDArray[np.int64], pooling: Pooling) -> NDArray[np.float32]:
    if pooling == "cls":
        return hidden[:, 0]
    weights = mask[:, :, np.newaxis].astype(np.float32)
    pooled: NDArray[np.float32] = (hidden * weights).sum(axis=1) / weights.sum(axis=1)
    return pooled


@contextmanager
def _translated(ours: type[ProviderError], what: str) -> Iterator[None]:
    try:
        yield
    # onnxruntime and tokenizers derive all of their errors from Exception itself.
    except Exception as error:
        raise ours(
            f"{what} ({type(error).__name__}: {error}). "
            "Check the model's files with `recollect doctor`, or choose another embedder."
        ) from error
