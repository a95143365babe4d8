"""An embedding model and the settings that load it."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass

from recollect.domain.candidate import Passage

#: Preference key: the model whose vectors are searched for the user, set by the first re-embedding.
ACTIVE_MODEL_KEY = ".embedder"


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


@dataclass(frozen=True, slots=True, kw_only=True)
class EmbeddingStatus:
    """The models of a user's vectors, and the progress of re-embedding."""

    configured: str | None  #: id of the configured model; None if search is lexical only
    searched: str | None  #: the model whose vectors are searched now
    target: str | None  #: of a running re-embedding
    passages: int  #: passages with or without a vector of the configured model
    missing: int  #: passages without one
    vectors: Mapping[str, int]  #: by model


@dataclass(frozen=True, slots=True, kw_only=True)
class EmbeddingQueue:
    """Passages of a user that wait for their vectors, and the model that is to make them."""

    passages: Sequence[Passage] = ()
    model: EmbeddingModel | None = (
        None  #: that the user's vectors belong to; None before the first re-embedding
    )
