"""An import file in memory."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True, kw_only=True)
class InMemoryImportSource:
    """A text, read in small parts, or the tables of a database."""

    name: str = "export.json"
    text: str = ""
    database: Mapping[str, Sequence[Mapping[str, object]]] = field(default_factory=dict)
    chunk_chars: int = 37

    def tables(self) -> frozenset[str]:
        return frozenset(self.database)

    def rows(self, table: str) -> Iterable[Mapping[str, object]]:
        return self.database[table]

    def chunks(self) -> Iterator[str]:
        for start in range(0, len(self.text), self.chunk_chars):
            yield self.text[start : start + self.chunk_chars]
