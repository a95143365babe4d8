"""Configuration of a model in a folder: its input limit and its pooling."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, TypeAlias

from recollect.errors import ModelMissing

Pooling: TypeAlias = Literal["cls", "mean"]

_DEFAULT_MAX_TOKENS = 512
#: Model types with positions starting at 2, so that 514 positions hold 512 tokens.
_MODELS_WITH_POSITION_OFFSET = frozenset({"camembert", "mpnet", "roberta", "xlm-roberta"})


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelConfig:
    pooling: Pooling
    max_tokens: int


def read_model_config(folder: Path) -> ModelConfig:
    """Read the configuration files of a model; the defaults are mean pooling and 512 tokens."""
    return ModelConfig(pooling=_read_pooling(folder), max_tokens=_read_max_tokens(folder))


def _read_pooling(folder: Path) -> Pooling:
    settings = _read_json(folder / "1_Pooling" / "config.json")
    cls = settings.get("pooling_mode_cls_token") is True or settings.get("pooling_mode") == "cls"
    return "cls" if cls else "mean"


def _read_max_tokens(folder: Path) -> int:
    config = _read_json(folder / "config.json")
    offset = 2 if config.get("model_type") in _MODELS_WITH_POSITION_OFFSET else 0
    positions = config.get("max_position_embeddings")
    limits = (
        positions - offset if isinstance(positions, int) else None,
        _read_json(folder / "sentence_bert_config.json").get("max_seq_length"),
        _read_json(folder / "tokenizer_config.json").get("model_max_length"),
    )
    return min(
        (limit for limit in limits if isinstance(limit, int) and limit > 8), default=_DEFAULT_MAX_TOKENS
    )


def _read_json(path: Path) -> Mapping[str, object]:
    if not path.is_file():
        return {}
    try:
        settings = json.loads(path.read_bytes())
    except ValueError as error:
        raise ModelMissing(
            f"The model configuration {path} is not valid JSON. Copy the model's folder again."
        ) from error
    return settings if isinstance(settings, dict) else {}
