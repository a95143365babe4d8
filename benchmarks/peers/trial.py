"""One system, one conversation: told in one process, asked in another, so that it answers from what is on disk."""

import time
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import asdict, dataclass
from pathlib import Path

from evals.locomo import AT, PASSAGES, Conversation, Question
from evals.measures import Marks, marks

from benchmarks.fill import said
from benchmarks.peers.environments import Environment, size
from benchmarks.peers.process import Process, running
from benchmarks.peers.runners.serving import Message
from benchmarks.peers.systems import System
from recollect.adapters.onnx.model_files import ModelFiles

SESSIONS_AT = (10,)
#: Asked first, and not counted: it brings up what a system loads when it is first needed.
OPENING = "What did we talk about?"


@dataclass(frozen=True, slots=True, kw_only=True)
class Told:
    messages: int
    names: Mapping[str, str]  #: the message behind each id that the system may answer with
    seconds: float  #: by the clock
    processor: float  #: seconds
    embedding: float  #: seconds of those in the model
    on_disk: int  #: bytes
    peak: int  #: bytes of memory at most


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    started_in: float  #: seconds from the start of the process to its first answer
    marks: tuple[Marks, ...]
    milliseconds: tuple[float, ...]  #: by the clock
    besides_embedding: tuple[float, ...]  #: milliseconds of processor time
    on_disk: int
    peak: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Trial:
    told: Told
    asked: Asked


@dataclass(frozen=True, slots=True, kw_only=True)
class Bench:
    """A system, what it runs on, and a folder for what it keeps of one conversation."""

    system: System
    environment: Environment
    model: ModelFiles
    folder: Path

    def run(self, conversation: Conversation) -> Trial:
        self._store.mkdir(parents=True)
        told = self._tell(conversation)
        return Trial(told=told, asked=self._ask(conversation, told.names))

    @property
    def _store(self) -> Path:
        return self.folder / "store"

    def _tell(self, conversation: Conversation) -> Told:
        messages = spoken(conversation)
        said(f"{self.system.label}, {self.folder.name}: telling {len(messages)} messages")
        with self._process(conversation, "telling") as process:
            answer = process.call(ingest=[asdict(message) for message in messages])
            peak = process.peak()
        return Told(
            messages=len(messages),
            names=answer["names"],
            seconds=answer["seconds"],
            processor=answer["processor"],
            embedding=answer["embedding"],
            on_disk=size(self._store),
            peak=peak,
        )

    def _ask(self, conversation: Conversation, names: Mapping[str, str]) -> Asked:
        questions = conversation.questions
        said(f"{self.system.label}, {self.folder.name}: asking {len(questions)} questions")
        begun = time.perf_counter()
        with self._process(conversation, "asking") as process:
            process.call(ask=OPENING, limit=PASSAGES)
            started_in = time.perf_counter() - begun
            answers = [process.call(ask=question.text, limit=PASSAGES) for question in questions]
            peak = process.peak()
        found = [[names[id_] for id_ in answer["ids"] if id_ in names] for answer in answers]
        return Asked(
            started_in=started_in,
            marks=tuple(map(marked, questions, found)),
            milliseconds=tuple(answer["seconds"] * 1000 for answer in answers),
            besides_embedding=tuple((each["processor"] - each["embedding"]) * 1000 for each in answers),
            on_disk=size(self._store),
            peak=peak,
        )

    def _process(self, conversation: Conversation, doing: str) -> AbstractContextManager[Process]:
        given = {
            "folder": str(self._store.resolve()),
            "asked_at": conversation.ends_at.isoformat(),
            "network": str(self.model.network),
            "tokenizer": str(self.model.tokenizer),
            "settings": dict(self.system.settings),
        }
        log, home = self.folder / f"{doing}.log", self.folder / "home"
        return running(self.system, self.environment, given, log=log, home=home)


def spoken(conversation: Conversation) -> list[Message]:
    """What is told of a conversation, in order: nothing but text, role and date."""
    return [
        Message(id=name, chat=session, role=turn.role, text=turn.text, at=turn.said_at.isoformat())
        for session, turns in conversation.sessions.items()
        for name, turn in turns.items()
        if turn.visible and turn.said_at
    ]


def marked(question: Question, found: Sequence[str]) -> Marks:
    """How well the messages found, best first, answer a question."""
    sessions = [turn.partition(":")[0] for turn in found]
    return marks("turn_", found, question.turns, at=AT) | marks(
        "session_", sessions, question.sessions, at=SESSIONS_AT
    )
