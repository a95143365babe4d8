"""Embedder shared by all systems: Recollect's default model, run the same way."""

import time
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import onnxruntime
from tokenizers import Tokenizer

EMBEDDING_DIMENSION = 384
MAX_TEXT_TOKENS = 512


class BgeEmbedder:
    """bge-small-en, int8, one thread, one text at a time, CLS pooling, normalized."""

    def __init__(self, network: Path, tokenizer: Path) -> None:
        self._tokenizer = Tokenizer.from_file(str(tokenizer))
        self._tokenizer.no_padding()
        self._tokenizer.enable_truncation(MAX_TEXT_TOKENS)
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = options.inter_op_num_threads = 1
        options.log_severity_level = 3
        self._session = onnxruntime.InferenceSession(
            str(network), options, providers=["CPUExecutionProvider"]
        )
        self._input_names = {model_input.name for model_input in self._session.get_inputs()}
        #: CPU time of `embed` so far; all of it is on the calling thread.
        self.cpu_seconds = 0.0

    def embed(self, texts: Sequence[str]) -> list[list[float]]:
        cpu_start = time.thread_time()
        vectors = [self._embed_text(text) for text in texts]
        self.cpu_seconds += time.thread_time() - cpu_start
        return vectors

    def _embed_text(self, text: str) -> list[float]:
        encoding = self._tokenizer.encode(text)
        inputs = {
            "input_ids": encoding.ids,
            "attention_mask": encoding.attention_mask,
            "token_type_ids": encoding.type_ids,
        }
        rows = {
            name: np.array([value], dtype=np.int64)
            for name, value in inputs.items()
            if name in self._input_names
        }
        first = np.asarray(self._session.run(None, rows)[0][0, 0], dtype=np.float32)
        return [float(number) for number in first / np.linalg.norm(first)]
