"""An import file in memory, and damaged variants of files."""

import random
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


def damage_file(content: bytes, seed: int) -> bytes:
    """Return a variant of a file as broken downloads, editors and other programs leave it."""
    choose = random.Random(seed)
    start, end = sorted(choose.randrange(len(content) + 1) for _ in range(2))
    match seed % 6:
        case 0:  # truncated
            return content[:start]
        case 1:  # a part is missing
            return content[:start] + content[end:]
        case 2:  # a part is there twice
            return content[:end] + content[start:]
        case 3:  # bytes are replaced
            return content[:start] + choose.randbytes(8) + content[start + 8 :]
        case 4:  # the beginning is missing
            return content[start:]
        case _:  # something is inserted
            inserted = choose.choice([b"\0", b"[", b"}", b'"', b"null", b"\xff\xfe", b"\n\n"])
            return content[:start] + inserted + content[start:]
