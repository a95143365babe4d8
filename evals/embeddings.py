"""On-disk cache of embeddings, so that each text is embedded once across runs."""

import hashlib
import sqlite3
from array import array
from collections.abc import Sequence
from pathlib import Path
from typing import Self

from platformdirs import user_cache_path

from recollect.ports.embedder import Embedder, Vector

#: Texts embedded between two writes; an interrupted run loses at most these.
TEXTS_PER_WRITE = 64
#: Hashes per lookup query.
KEYS_PER_QUERY = 500


def default_cache_folder() -> Path:
    return user_cache_path("recollect") / "evals"


class CachedEmbedder:
    """Wraps an embedder and caches its vectors."""

    def __init__(self, inner: Embedder, folder: Path) -> None:
        self._inner = inner
        self.model_id = inner.model_id
        self.dimension = inner.dimension
        self.cosine_floor = inner.cosine_floor
        folder.mkdir(parents=True, exist_ok=True)
        # Only one thread at a time embeds, but not always the one that opened the database.
        self._db = sqlite3.connect(
            folder / f"{_safe_file_name(inner.model_id)}.db",
            check_same_thread=False,
            timeout=60,
            isolation_level=None,
        )
        self._db.execute("PRAGMA journal_mode = WAL")
        self._db.execute("PRAGMA synchronous = NORMAL")
        self._db.execute(
            "CREATE TABLE IF NOT EXISTS vectors (hash BLOB PRIMARY KEY, data BLOB) WITHOUT ROWID"
        )

    def embed(self, texts: Sequence[str]) -> list[Vector]:
        return self._embed_cached("p", texts)

    def embed_query(self, text: str) -> Vector:
        return self._embed_cached("q", [text])[0]

    def windows(self, text: str) -> list[str]:
        return self._inner.windows(text)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        # Not named `close`: each Memory closes its embedder, and several of them share this one.
        self._db.close()

    def _embed_cached(self, purpose: str, texts: Sequence[str]) -> list[Vector]:
        keys = [_key(purpose, text) for text in texts]
        cached = self._read_cached(keys)
        missing_positions = [place for place, key in enumerate(keys) if key not in cached]
        for start in range(0, len(missing_positions), TEXTS_PER_WRITE):
            positions = missing_positions[start : start + TEXTS_PER_WRITE]
            missing_texts = [texts[place] for place in positions]
            vectors = (
                self._inner.embed(missing_texts)
                if purpose == "p"
                else [self._inner.embed_query(text) for text in missing_texts]
            )
            self._store(
                {keys[place]: vector for place, vector in zip(positions, vectors, strict=True)}, cached
            )
        return [cached[key][:] for key in keys]

    def _store(self, new_vectors: dict[bytes, Vector], cached: dict[bytes, Vector]) -> None:
        cached.update(new_vectors)
        rows = [(key, vector.tobytes()) for key, vector in new_vectors.items()]
        self._db.execute("BEGIN IMMEDIATE")
        self._db.executemany("INSERT OR REPLACE INTO vectors VALUES (?, ?)", rows)
        self._db.execute("COMMIT")

    def _read_cached(self, keys: Sequence[bytes]) -> dict[bytes, Vector]:
        cached: dict[bytes, Vector] = {}
        for start in range(0, len(keys), KEYS_PER_QUERY):
            batch = keys[start : start + KEYS_PER_QUERY]
            placeholders = ",".join("?" * len(batch))
            rows = self._db.execute(f"SELECT hash, data FROM vectors WHERE hash IN ({placeholders})", batch)
            cached.update((key, array("f", data)) for key, data in rows)
        return cached


def _key(purpose: str, text: str) -> bytes:
    return hashlib.blake2b(f"{purpose}\0{text}".encode("utf-8", "surrogatepass"), digest_size=16).digest()


def _safe_file_name(name: str) -> str:
    return "".join(c if c.isalnum() or c in "-._" else "_" for c in name)
