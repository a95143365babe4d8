"""ONNX model with its tokenizer, run on the CPU."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from math import isnan
from typing import Any

import numpy as np
import onnxruntime
from numpy.typing import NDArray
from tokenizers import Encoding, Tokenizer

from recollect.adapters.onnx.model_config import Pooling
from recollect.adapters.onnx.model_files import ModelFiles
from recollect.adapters.onnx.native_calls import native_calls
from recollect.errors import ModelMissing, ProviderError
from recollect.text.windows import replace_lone_surrogates


class Network:
    """A loaded model and its tokenizer. Thread-safe, since it is immutable."""

    def __init__(
        self,
        files: ModelFiles,
        *,
        max_tokens: int,
        threads: int,
        weights: Mapping[str, NDArray[Any]] | None = None,
    ) -> None:
        """``weights`` replace those of the same name in the file."""
        with _translate_errors(ModelMissing, f"The model in {files.folder} cannot be loaded"):
            self._tokenizer = Tokenizer.from_file(str(files.tokenizer))
            self._tokenizer.no_padding()
            self._tokenizer.enable_truncation(max_tokens)
            options = _session_options(threads)
            # The session refers to their memory without owning it.
            self._weights = {
                name: onnxruntime.OrtValue.ortvalue_from_numpy(array)
                for name, array in (weights or {}).items()
            }
            for name, value in self._weights.items():
                options.add_initializer(name, value)
            self._session = onnxruntime.InferenceSession(
                str(files.network), options, providers=["CPUExecutionProvider"]
            )
        self._input_names = {wanted.name for wanted in self._session.get_inputs()}
        outputs = {output.name: output.shape for output in self._session.get_outputs()}
        self._output_name = "sentence_embedding" if "sentence_embedding" in outputs else next(iter(outputs))
        #: The size of the output's last axis, None if the model does not say.
        self.width = width if isinstance(width := outputs[self._output_name][-1], int) else None

    def encode(self, text: str, second: str | None = None) -> Encoding:
        """Tokenize a text or a pair of texts, truncated to the model's limit."""
        with native_calls.call():
            return self._tokenizer.encode(
                replace_lone_surrogates(text), None if second is None else replace_lone_surrogates(second)
            )

    def count_tokens(self, text: str) -> int:
        """Count the tokens of a text without truncation."""
        encoding = self.encode(text)
        return len(encoding.ids) + sum(len(rest.ids) for rest in encoding.overflowing)

    def compute_vectors(self, batch: Sequence[Encoding], pooling: Pooling) -> list[list[float]]:
        """Return one vector per text of a batch, not normalized."""
        mask = _pad([encoding.attention_mask for encoding in batch])
        output = self._run(batch, mask)
        if output.ndim == 3:
            output = _pool(output, mask, pooling)
        rows: list[list[float]] = output.tolist()
        return rows

    def compute_logit(self, pair: Encoding) -> float:
        """Return the first logit of a classifier for a pair."""
        logit = float(self._run([pair], _pad([pair.attention_mask])).flat[0])
        if isnan(logit):
            raise ProviderError(
                "The reranker returned a score that is not a number. Check its files with `recollect doctor`."
            )
        return logit

    def _run(self, batch: Sequence[Encoding], mask: NDArray[np.int64]) -> NDArray[np.float32]:
        inputs = {
            "input_ids": _pad([encoding.ids for encoding in batch]),
            "attention_mask": mask,
            "token_type_ids": _pad([encoding.type_ids for encoding in batch]),
        }
        with native_calls.call(), _translate_errors(ProviderError, "The model failed on this text"):
            [output] = self._session.run(
                [self._output_name],
                {name: value for name, value in inputs.items() if name in self._input_names},
            )
        return np.asarray(output, dtype=np.float32)


def _session_options(threads: int) -> onnxruntime.SessionOptions:
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    options.inter_op_num_threads = 1
    options.log_severity_level = 3
    # Otherwise waiting threads would busy-wait and occupy a core that the application needs.
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    return options


def _pad(rows: Sequence[Sequence[int]]) -> NDArray[np.int64]:
    """Pad rows with zeros to the longest; masked positions may have any token."""
    padded = np.zeros((len(rows), max(map(len, rows))), dtype=np.int64)
    for target, row in zip(padded, rows, strict=True):
        target[: len(row)] = row
    return padded


def _pool(hidden: NDArray[np.float32], mask: NDArray[np.int64], pooling: Pooling) -> NDArray[np.float32]:
    if pooling == "cls":
        return hidden[:, 0]
    weights = mask[:, :, np.newaxis].astype(np.float32)
    pooled: NDArray[np.float32] = (hidden * weights).sum(axis=1) / weights.sum(axis=1)
    return pooled


@contextmanager
def _translate_errors(error_class: type[ProviderError], message: str) -> Iterator[None]:
    try:
        yield
    # onnxruntime and tokenizers derive their errors directly from Exception.
    except Exception as error:
        raise error_class(
            f"{message} ({type(error).__name__}: {error}). "
            "Check the model's files with `recollect doctor`, or choose another embedder."
        ) from error
