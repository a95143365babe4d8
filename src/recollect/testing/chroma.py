"""An in-memory Chroma client with the methods that `ChromaMirror` uses."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from math import hypot
from operator import mul


@dataclass(slots=True)
class FakeCollection:
    name: str
    metadata: Mapping[str, str]
    documents: dict[str, str] = field(default_factory=dict)
    embeddings: dict[str, Sequence[float]] = field(default_factory=dict)

    def upsert(
        self, ids: Sequence[str], embeddings: Sequence[Sequence[float]], documents: Sequence[str]
    ) -> None:
        for name, vector, text in zip(ids, embeddings, documents, strict=True):
            self.documents[name], self.embeddings[name] = text, vector

    def delete(self, ids: Sequence[str]) -> None:
        for name in ids:
            self.documents.pop(name, None)
            self.embeddings.pop(name, None)

    def get(self) -> Mapping[str, Sequence[str]]:
        return {"ids": list(self.documents), "documents": list(self.documents.values())}

    def query(
        self, query_embeddings: Sequence[Sequence[float]], n_results: int
    ) -> Mapping[str, Sequence[Sequence[object]]]:
        [query_vector] = query_embeddings
        distances = {name: 1 - _cosine(query_vector, vector) for name, vector in self.embeddings.items()}
        nearest_ids = sorted(distances, key=lambda name: (distances[name], name))[:n_results]
        return {
            "ids": [nearest_ids],
            "documents": [[self.documents[name] for name in nearest_ids]],
            "distances": [[distances[name] for name in nearest_ids]],
        }


@dataclass(slots=True)
class FakeChroma:
    collections: dict[str, FakeCollection] = field(default_factory=dict)

    def get_or_create_collection(self, name: str, metadata: Mapping[str, str]) -> FakeCollection:
        return self.collections.setdefault(name, FakeCollection(name, metadata))

    def delete_collection(self, name: str) -> None:
        self.collections.pop(name)


def _cosine(one: Sequence[float], other: Sequence[float]) -> float:
    return float(sum(map(mul, one, other))) / (hypot(*one) * hypot(*other) or 1.0)
