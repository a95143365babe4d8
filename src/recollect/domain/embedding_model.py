"""An embedding model and the settings that load it."""

import json
from dataclasses import asdict, dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class EmbeddingModel:
    """The id of a vector space, and the two settings that select its embedder."""

    id: str
    embedder: str  #: a name like `onnx`, or a folder
    model: str  #: the model's name for that embedder

    def to_json(self) -> str:
        return json.dumps(asdict(self), ensure_ascii=False)

    @classmethod
    def from_json(cls, text: str) -> "EmbeddingModel":
        data = json.loads(text)
        return cls(id=data["id"], embedder=data["embedder"], model=data["model"])
