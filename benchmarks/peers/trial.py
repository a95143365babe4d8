"""One system on one conversation: ingest in one process, search in another, so that results come from disk."""

import time
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import asdict, dataclass
from pathlib import Path

from evals.locomo import MAX_PASSAGES, RECALL_CUTOFFS, Conversation, Question
from evals.measures import RecallMetrics, recall_metrics

from benchmarks.fill import print_progress
from benchmarks.peers.environments import Environment, folder_size
from benchmarks.peers.process import SystemProcess, run_system
from benchmarks.peers.runners.serving import Message
from benchmarks.peers.systems import System
from recollect.adapters.onnx.model_files import ModelFiles

SESSION_CUTOFFS = (10,)
#: First query of a process, not counted, since systems load parts lazily.
WARM_UP_QUERY = "What did we talk about?"


@dataclass(frozen=True, slots=True, kw_only=True)
class IngestMeasurement:
    message_count: int
    message_ids: Mapping[str, str]  #: source message of each id that the system may return
    seconds: float  #: wall-clock time
    cpu_seconds: float
    embedding_seconds: float  #: CPU time in the model
    disk_bytes: int
    peak_bytes: int  #: peak resident memory


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchMeasurement:
    startup_seconds: float  #: from the start of the process to its first response
    recall_metrics: tuple[RecallMetrics, ...]
    wall_ms: tuple[float, ...]  #: wall-clock time
    cpu_ms_besides_embedding: tuple[float, ...]
    disk_bytes: int
    peak_bytes: int


@dataclass(frozen=True, slots=True, kw_only=True)
class TrialResult:
    ingest: IngestMeasurement
    search: SearchMeasurement


@dataclass(frozen=True, slots=True, kw_only=True)
class SystemTrial:
    """A system with its environment and the folder of its store for one conversation."""

    system: System
    environment: Environment
    model: ModelFiles
    folder: Path

    def run(self, conversation: Conversation) -> TrialResult:
        self._store_folder.mkdir(parents=True)
        ingest = self._ingest(conversation)
        return TrialResult(ingest=ingest, search=self._search(conversation, ingest.message_ids))

    @property
    def _store_folder(self) -> Path:
        return self.folder / "store"

    def _ingest(self, conversation: Conversation) -> IngestMeasurement:
        messages = to_messages(conversation)
        print_progress(f"{self.system.label}, {self.folder.name}: ingesting {len(messages)} messages")
        with self._run_system(conversation, "telling") as process:
            response = process.call(ingest=[asdict(message) for message in messages])
            peak_bytes = process.peak_memory_bytes()
        return IngestMeasurement(
            message_count=len(messages),
            message_ids=response["names"],
            seconds=response["seconds"],
            cpu_seconds=response["processor"],
            embedding_seconds=response["embedding"],
            disk_bytes=folder_size(self._store_folder),
            peak_bytes=peak_bytes,
        )

    def _search(self, conversation: Conversation, message_ids: Mapping[str, str]) -> SearchMeasurement:
        questions = conversation.questions
        print_progress(f"{self.system.label}, {self.folder.name}: asking {len(questions)} questions")
        started = time.perf_counter()
        with self._run_system(conversation, "asking") as process:
            process.call(ask=WARM_UP_QUERY, limit=MAX_PASSAGES)
            startup_seconds = time.perf_counter() - started
            responses = [process.call(ask=question.text, limit=MAX_PASSAGES) for question in questions]
            peak_bytes = process.peak_memory_bytes()
        rankings = [[message_ids[id_] for id_ in answer["ids"] if id_ in message_ids] for answer in responses]
        return SearchMeasurement(
            startup_seconds=startup_seconds,
            recall_metrics=tuple(map(score_ranking, questions, rankings)),
            wall_ms=tuple(answer["seconds"] * 1000 for answer in responses),
            cpu_ms_besides_embedding=tuple(
                (each["processor"] - each["embedding"]) * 1000 for each in responses
            ),
            disk_bytes=folder_size(self._store_folder),
            peak_bytes=peak_bytes,
        )

    def _run_system(self, conversation: Conversation, phase: str) -> AbstractContextManager[SystemProcess]:
        options = {
            "folder": str(self._store_folder.resolve()),
            "asked_at": conversation.ends_at.isoformat(),
            "network": str(self.model.network),
            "tokenizer": str(self.model.tokenizer),
            "settings": dict(self.system.settings),
        }
        log, home = self.folder / f"{phase}.log", self.folder / "home"
        return run_system(self.system, self.environment, options, log=log, home=home)


def to_messages(conversation: Conversation) -> list[Message]:
    """Return the messages of a conversation in order: text, role and date only."""
    return [
        Message(id=name, chat=session, role=turn.role, text=turn.text, at=turn.created_at.isoformat())
        for session, turns in conversation.sessions.items()
        for name, turn in turns.items()
        if turn.has_text and turn.created_at
    ]


def score_ranking(question: Question, ranking: Sequence[str]) -> RecallMetrics:
    """Return the recall metrics of a ranking of messages, best first."""
    sessions = [turn.partition(":")[0] for turn in ranking]
    return recall_metrics("turn_", ranking, question.turns, cutoffs=RECALL_CUTOFFS) | recall_metrics(
        "session_", sessions, question.sessions, cutoffs=SESSION_CUTOFFS
    )
