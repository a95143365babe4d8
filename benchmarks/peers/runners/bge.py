"""The embedder that all share: the model that Recollect takes by default, run in the same way."""

import time
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import onnxruntime
from tokenizers import Tokenizer

DIMENSION = 384
MAX_TOKENS = 512


class Bge:
    """bge-small-en, int8, on one thread, a text at a time: the vector of its first token, of unit length."""

    def __init__(self, network: Path, tokenizer: Path) -> None:
        self._tokenizer = Tokenizer.from_file(str(tokenizer))
        self._tokenizer.no_padding()
        self._tokenizer.enable_truncation(MAX_TOKENS)
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = options.inter_op_num_threads = 1
        options.log_severity_level = 3
        self._session = onnxruntime.InferenceSession(
            str(network), options, providers=["CPUExecutionProvider"]
        )
        self._inputs = {wanted.name for wanted in self._session.get_inputs()}
        #: Of processor time, spent in here so far: all of it on the thread that calls.
        self.seconds = 0.0

    def embed(self, texts: Sequence[str]) -> list[list[float]]:
        begun = time.thread_time()
        vectors = [self._vector(text) for text in texts]
        self.seconds += time.thread_time() - begun
        return vectors

    def _vector(self, text: str) -> list[float]:
        encoded = self._tokenizer.encode(text)
        given = {
            "input_ids": encoded.ids,
            "attention_mask": encoded.attention_mask,
            "token_type_ids": encoded.type_ids,
        }
        rows = {
            name: np.array([value], dtype=np.int64) for name, value in given.items() if name in self._inputs
        }
        first = np.asarray(self._session.run(None, rows)[0][0, 0], dtype=np.float32)
        return [float(number) for number in first / np.linalg.norm(first)]
