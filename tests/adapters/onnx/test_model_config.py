import json
from pathlib import Path

import pytest

from recollect.adapters.onnx.model_config import ModelConfig, read_model_config
from recollect.errors import ModelMissing


@pytest.mark.parametrize(
    ("settings", "expected"),
    [
        ({}, ModelConfig(pooling="mean", max_tokens=512)),
        (
            {"1_Pooling/config.json": {"pooling_mode_cls_token": True}},
            ModelConfig(pooling="cls", max_tokens=512),
        ),
        ({"1_Pooling/config.json": {"pooling_mode": "cls"}}, ModelConfig(pooling="cls", max_tokens=512)),
        (
            {"1_Pooling/config.json": {"pooling_mode_mean_tokens": True}, "config.json": {}},
            ModelConfig(pooling="mean", max_tokens=512),
        ),
        (
            {"config.json": {"model_type": "bert", "max_position_embeddings": 1024}},
            ModelConfig(pooling="mean", max_tokens=1024),
        ),
        (
            {"config.json": {"model_type": "xlm-roberta", "max_position_embeddings": 514}},
            ModelConfig(pooling="mean", max_tokens=512),
        ),
        (
            {
                "config.json": {"max_position_embeddings": 512},
                "sentence_bert_config.json": {"max_seq_length": 128},
                "tokenizer_config.json": {"model_max_length": 1e30},
            },
            ModelConfig(pooling="mean", max_tokens=128),
        ),
        ({"config.json": ["odd"]}, ModelConfig(pooling="mean", max_tokens=512)),
    ],
)
def test_the_configuration_files_of_a_model_are_applied(
    tmp_path: Path, settings: dict[str, object], expected: ModelConfig
) -> None:
    for name, value in settings.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(json.dumps(value))

    assert read_model_config(tmp_path) == expected


def test_an_invalid_configuration_file_is_named(tmp_path: Path) -> None:
    (tmp_path / "config.json").write_text("{")

    with pytest.raises(ModelMissing, match=r"config\.json is not valid JSON"):
        read_model_config(tmp_path)
