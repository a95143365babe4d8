"""
Fine-tuned weights of a bundled network, stored as a small difference (LoRA, low-rank adaptation).

Fine-tuning changed each weight matrix W by a product A·B of low rank and replaced biases and norms, so half a megabyte
holds what it learned instead of a second network of 34 MB. The bundled network contains W as int8 with one scale, at
an offset that is fixed because the file's digest is pinned. W + A·B is quantized again, now with one scale per column,
when the network is loaded; computing takes as long as before.

`evals/train_cross_encoder.py` makes the file and its record.
"""

import json
from importlib.resources import files
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

#: The highest absolute value of a symmetrically quantized weight.
MAX_INT8 = 127


def adapted_weights(adapter_name: str, network: Path) -> dict[str, NDArray[Any]]:
    """Return the initializers of a network that an adapter changes, by name."""
    resource = files("recollect.adapters.onnx").joinpath(adapter_name)
    with resource.open("rb") as file, np.load(file, allow_pickle=False) as arrays:
        index = json.loads(str(arrays["index"]))
        weights: dict[str, NDArray[Any]] = {
            name: arrays[name].astype(np.float32) for name in index["replaced"]
        }
        stored = np.memmap(network, dtype=np.int8, mode="r")
        for name, matrix in index["matrices"].items():
            shape, offset = tuple(matrix["shape"]), matrix["offset"]
            base = stored[offset : offset + shape[0] * shape[1]].reshape(shape) * np.float32(matrix["scale"])
            left = arrays[f"{name}.left"] * np.float32(matrix["left_scale"])
            right = arrays[f"{name}.right"] * np.float32(matrix["right_scale"])
            weights.update(_quantize(name, base + left @ right))
    return weights


def _quantize(name: str, matrix: NDArray[np.float32]) -> dict[str, NDArray[Any]]:
    # One scale per column, though the file has one per matrix: with a common scale most changes are smaller than half
    # a step, and rounding would undo them.
    scales = (np.abs(matrix).max(axis=0) / MAX_INT8).astype(np.float32)
    return {
        f"{name}_quantized": np.rint(matrix / scales).astype(np.int8),
        f"{name}_scale": scales,
    }
