"""Registry of the embedding models added on this machine, by name (`models.json` in the data folder)."""

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path

from platformdirs import user_data_path

from recollect.domain.embedding_model import EmbeddingModel
from recollect.errors import ConfigError

REGISTRY_FILE_NAME = "models.json"


@dataclass(frozen=True, slots=True, kw_only=True)
class RegisteredModel:
    """An added model that passed the test of `models add`."""

    id: str
    embedder: str
    model: str
    dimension: int
    floor: float  #: cosine of unrelated texts

    @property
    def embedding_model(self) -> EmbeddingModel:
        return EmbeddingModel(id=self.id, embedder=self.embedder, model=self.model)


def registry_file() -> Path:
    return user_data_path("recollect", appauthor=False) / REGISTRY_FILE_NAME


def read_registry() -> dict[str, RegisteredModel]:
    path = registry_file()
    if not path.exists():
        return {}
    try:
        entries = json.loads(path.read_bytes())
        return {name: RegisteredModel(**each) for name, each in entries.items()}
    except (OSError, ValueError, TypeError, AttributeError) as error:
        raise ConfigError(
            f"Cannot read the list of added models in {path} ({error}). Delete the file and add the models again."
        ) from error


def write_registry(models: Mapping[str, RegisteredModel]) -> None:
    path = registry_file()
    text = json.dumps({name: asdict(each) for name, each in models.items()}, ensure_ascii=False, indent=1)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        temporary_path = path.with_suffix(".new")
        temporary_path.write_text(text + "\n", "utf-8")
        temporary_path.replace(path)
    except OSError as error:
        raise ConfigError(f"Cannot write {path}: {error.strerror}.") from error
