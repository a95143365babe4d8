"""An embedding model by name: whose vectors they are, and what brings it."""

import json
from dataclasses import asdict, dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class KnownModel:
    """The id of a vector space, and the two settings that bring the embedder for it."""

    id: str
    embedder: str  #: a name like `onnx`, or a folder
    model: str  #: what is asked of it

    def to_text(self) -> str:
        return json.dumps(asdict(self), ensure_ascii=False)

    @classmethod
    def from_text(cls, text: str) -> "KnownModel":
        given = json.loads(text)
        return cls(id=given["id"], embedder=given["embedder"], model=given["model"])
