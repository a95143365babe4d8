"""Vectors kept on disk by what they stand for, so that a text is embedded once however often it is measured."""

import hashlib
import sqlite3
from array import array
from collections.abc import Sequence
from pathlib import Path
from typing import Self

from platformdirs import user_cache_path

from recollect.ports.embedder import Embedder, Vector

#: Texts embedded between two writes: what a stopped run loses.
FLUSH = 64
#: Hashes looked up in one query.
ASKED = 500


def default_cache() -> Path:
    return user_cache_path("recollect") / "evals"


class CachedEmbedder:
    """Does as another embedder does, and remembers it."""

    def __init__(self, inner: Embedder, folder: Path) -> None:
        self._inner = inner
        self.model_id = inner.model_id
        self.dimension = inner.dimension
        self.floor = inner.floor
        folder.mkdir(parents=True, exist_ok=True)
        # The engine embeds on one thread at a time, though not always on the one that opened this.
        self._db = sqlite3.connect(
            folder / f"{_plain(inner.model_id)}.db", check_same_thread=False, timeout=60, isolation_level=None
        )
        self._db.execute("PRAGMA journal_mode = WAL")
        self._db.execute("PRAGMA synchronous = NORMAL")
        self._db.execute(
            "CREATE TABLE IF NOT EXISTS vectors (hash BLOB PRIMARY KEY, data BLOB) WITHOUT ROWID"
        )

    def embed(self, texts: Sequence[str]) -> list[Vector]:
        return self._cached("p", texts)

    def embed_query(self, text: str) -> Vector:
        return self._cached("q", [text])[0]

    def windows(self, text: str) -> list[str]:
        return self._inner.windows(text)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        # Not named close: a memory gives its embedder back when it is closed, and there are many memories here.
        self._db.close()

    def _cached(self, use: str, texts: Sequence[str]) -> list[Vector]:
        keys = [_key(use, text) for text in texts]
        known = self._known(keys)
        new = [place for place, key in enumerate(keys) if key not in known]
        for start in range(0, len(new), FLUSH):
            places = new[start : start + FLUSH]
            wanted = [texts[place] for place in places]
            vectors = (
                self._inner.embed(wanted)
                if use == "p"
                else [self._inner.embed_query(text) for text in wanted]
            )
            self._keep({keys[place]: vector for place, vector in zip(places, vectors, strict=True)}, known)
        return [known[key][:] for key in keys]

    def _keep(self, made: dict[bytes, Vector], known: dict[bytes, Vector]) -> None:
        known.update(made)
        rows = [(key, vector.tobytes()) for key, vector in made.items()]
        self._db.execute("BEGIN IMMEDIATE")
        self._db.executemany("INSERT OR REPLACE INTO vectors VALUES (?, ?)", rows)
        self._db.execute("COMMIT")

    def _known(self, keys: Sequence[bytes]) -> dict[bytes, Vector]:
        found: dict[bytes, Vector] = {}
        for start in range(0, len(keys), ASKED):
            some = keys[start : start + ASKED]
            marks = ",".join("?" * len(some))
            rows = self._db.execute(f"SELECT hash, data FROM vectors WHERE hash IN ({marks})", some)
            found.update((key, array("f", data)) for key, data in rows)
        return found


def _key(use: str, text: str) -> bytes:
    return hashlib.blake2b(f"{use}\0{text}".encode("utf-8", "surrogatepass"), digest_size=16).digest()


def _plain(name: str) -> str:
    return "".join(c if c.isalnum() or c in "-._" else "_" for c in name)
