"""Scoring, ingestion and protocol of the comparison in `benchmarks/peers`."""

import socket
import sys
from contextlib import AbstractContextManager
from dataclasses import asdict
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from benchmarks.peers.__main__ import main
from benchmarks.peers.environments import Environment
from benchmarks.peers.process import SystemFailure, SystemProcess, run_system
from benchmarks.peers.report import REPORT_COLUMNS, format_table, make_failure_row, make_row
from benchmarks.peers.runners.bge import BgeEmbedder
from benchmarks.peers.runners.serving import block_network
from benchmarks.peers.systems import COMPARED_SYSTEMS, Requirements, System
from benchmarks.peers.trial import (
    IngestMeasurement,
    SearchMeasurement,
    SystemTrial,
    TrialResult,
    score_ranking,
    to_messages,
)
from evals.harness import Turn
from evals.locomo import Conversation, Question

from recollect.adapters.onnx.embedder import OnnxEmbedder
from recollect.adapters.onnx.model_files import BGE_SMALL, ModelFiles, find_in_wheel

PEERS_PAGE = Path(__file__).parents[2] / "docs" / "peers.md"
ENVIRONMENT = Environment(python=Path(sys.executable), size=0, versions={})
STARTED_AT = datetime(2023, 5, 8, 13, 56, tzinfo=UTC)
MISSING_MODEL_FILES = ModelFiles(folder=Path("nowhere"), network=Path("nowhere"), tokenizer=Path("nowhere"))


def make_system(runner: str) -> System:
    return System(
        name=runner,
        label=runner.upper(),
        runner=runner,
        requirements=Requirements(name=runner),
        configuration="plain",
    )


def make_question(text: str, *turns: str) -> Question:
    return Question(text=text, category="single-hop", turns=frozenset(turns))


def make_conversation() -> Conversation:
    texts_by_session = {
        "D1": ["Ana: I adopted a greyhound.", "Bruno: What is her name?", "\u200b"],
        "D2": ["Ana: Coriander tastes of soap.", "Bruno: I bake bread on Sundays."],
    }
    return Conversation(
        sessions={
            session: {
                f"{session}:{place}": Turn(text=text, created_at=STARTED_AT + timedelta(minutes=place))
                for place, text in enumerate(texts, start=1)
            }
            for session, texts in texts_by_session.items()
        },
        questions=(
            make_question("Which dog was adopted?", "D1:1"),
            make_question("Who bakes?", "D2:2"),
            make_question("???", "D1:2"),
        ),
    )


def make_trial(*, seconds: float, processor: float, embedding: float) -> TrialResult:
    results = [
        score_ranking(make_question("", "D1:1"), ["D1:1"]),
        score_ranking(make_question("", "D1:1"), ["D2:1"]),
    ]
    return TrialResult(
        ingest=IngestMeasurement(
            message_count=100,
            message_ids={},
            seconds=seconds,
            cpu_seconds=processor,
            embedding_seconds=embedding,
            disk_bytes=3_000_000,
            peak_bytes=50,
        ),
        search=SearchMeasurement(
            startup_seconds=2.0,
            recall_metrics=tuple(results),
            wall_ms=(10.0, 30.0),
            cpu_ms_besides_embedding=(4.0, 6.0),
            disk_bytes=4_000_000,
            peak_bytes=90_000_000,
        ),
    )


def open_process(runner: str, folder: Path, *, most: float = 60.0) -> AbstractContextManager[SystemProcess]:
    runner_config = {
        "folder": str(folder),
        "asked_at": STARTED_AT.isoformat(),
        "network": "nowhere",
        "tokenizer": "nowhere",
        "settings": {},
    }
    return run_system(
        make_system(runner),
        ENVIRONMENT,
        runner_config,
        log=folder / "log",
        home=folder / "home",
        timeout_seconds=most,
    )


def test_a_ranking_is_scored_by_turns_and_sessions() -> None:
    question = make_question("What did Ana adopt, and when?", "D1:1", "D4:2")
    results = ["D1:7", "D2:1", "D2:2", "D2:3", "D2:4", "D1:1", "D1:1"]

    metrics = score_ranking(question, results)

    assert metrics["turn_recall@5"] == 0.0
    assert metrics["turn_recall@10"] == 0.5
    assert metrics["session_recall@10"] == 0.5


def test_turns_without_visible_text_are_not_ingested() -> None:
    messages = to_messages(make_conversation())

    assert [message.id for message in messages] == ["D1:1", "D1:2", "D2:1", "D2:2"]
    assert messages[0].text == "Ana: I adopted a greyhound."
    assert messages[0].at == "2023-05-08T13:57:00+00:00"


def test_a_system_ingests_in_one_process_and_searches_in_another(tmp_path: Path) -> None:
    bench = SystemTrial(
        system=make_system("fts5"),
        environment=ENVIRONMENT,
        model=MISSING_MODEL_FILES,
        folder=tmp_path / "told",
    )

    tried = bench.run(make_conversation())

    assert tried.ingest.message_count == 4
    assert tried.ingest.message_ids == {each.id: each.id for each in to_messages(make_conversation())}
    assert [each["turn_recall@5"] for each in tried.search.recall_metrics] == [1.0, 1.0, 0.0]
    assert len(tried.search.wall_ms) == 3
    assert tried.ingest.disk_bytes > 0


def test_a_system_returns_ids_best_first(tmp_path: Path) -> None:
    with open_process("fts5", tmp_path) as process:
        process.call(ingest=[asdict(message) for message in to_messages(make_conversation())])
        answer = process.call(ask="Does Ana bake bread?", limit=2)

    assert answer["ids"] == ["D2:2", "D1:1"]
    assert answer["seconds"] > 0
    assert answer["processor"] > 0
    assert answer["embedding"] == 0


def test_a_system_that_fails_says_why(tmp_path: Path) -> None:
    with pytest.raises(SystemFailure, match="No module named"), open_process("nobody", tmp_path) as process:
        process.call(ask="Anybody there? " * 100_000, limit=1)


def test_an_invalid_request_ends_the_system(tmp_path: Path) -> None:
    with pytest.raises(SystemFailure, match="not a request"), open_process("fts5", tmp_path) as process:
        process.call(sing="a song")


def test_a_system_that_takes_too_long_is_stopped(tmp_path: Path) -> None:
    with (
        pytest.raises(SystemFailure, match="was stopped"),
        open_process("fts5", tmp_path, most=0.0) as process,
    ):
        process.call(ask="Are you ready?", limit=1)


def test_connections_to_other_hosts_are_refused() -> None:
    with socket.socket() as connection:
        block_network("socket.connect", (connection, ("127.0.0.1", 80)))
        block_network("open", ("telemetry.example", "r", 0))
        with pytest.raises(ConnectionRefusedError, match=r"telemetry\.example"):
            block_network("socket.getaddrinfo", ("telemetry.example", 443, 0, 0, 0))
        with pytest.raises(ConnectionRefusedError, match="runs without a network"):
            block_network("socket.connect", (connection, ("192.0.2.1", 443)))


def test_the_shared_embedder_gives_the_vectors_of_recollect() -> None:
    files = find_in_wheel(BGE_SMALL)
    texts = ["Caroline: I went to a support group yesterday.", "When did Caroline go?", "word " * 600]
    shared = BgeEmbedder(files.network, files.tokenizer)

    for own, theirs in zip(OnnxEmbedder().embed(texts), shared.embed(texts), strict=True):
        assert theirs == pytest.approx(list(own), abs=1e-6)
    assert shared.cpu_seconds > 0


def test_figures_are_aggregated_over_all_conversations() -> None:
    tried = [
        make_trial(seconds=4.0, processor=3.5, embedding=3.0),
        make_trial(seconds=6.0, processor=5.5, embedding=5.0),
    ]

    figures = make_row(make_system("fts5"), {}, tried, installed_bytes=7_000_000).figures

    assert figures["turn_recall@5"] == 50.0
    assert figures["n"] == 4
    assert figures["p50_ms"] == 20.0
    assert figures["question_besides_embedding_p50_ms"] == 5.0
    assert figures["ingest_per_s"] == 20.0
    assert figures["message_besides_embedding_ms"] == 5.0
    assert figures["message_embedding_ms"] == 40.0
    assert (figures["disk_told_mb"], figures["disk_asked_mb"]) == (6.0, 8.0)
    assert (figures["peak_mb"], figures["install_mb"], figures["start_s"]) == (90.0, 7.0, 2.0)


def test_the_table_has_a_row_for_each_and_the_reason_of_a_failure() -> None:
    good = make_row(
        make_system("fts5"),
        {"sqlite": "3.46"},
        [make_trial(seconds=4.0, processor=1.0, embedding=0.0)],
        installed_bytes=0,
    )
    bad = make_failure_row(make_system("mem0"), {}, SystemFailure("needs a|model"))

    [heading, _, first, second, *rest] = format_table([good, bad]).splitlines()

    assert [row.count("|") for row in (heading, first, second)] == [len(REPORT_COLUMNS) + 2] * 3
    assert first.startswith("| FTS5 | 50.0 / 50.0 / 50.0 | 50.0 | 20 / 29 / 30 | 25 | 5.0 / 10.0 |")
    assert second.startswith("| MEM0 | did not run: needs a/model |")
    assert "- FTS5 (sqlite 3.46): plain." in rest


def test_an_unknown_system_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["--data", "locomo.json", "--systems", "fts5,nobody"])

    assert "nobody is not one of recollect, " in capsys.readouterr().err


def test_data_without_a_conversation_is_refused(tmp_path: Path) -> None:
    data = tmp_path / "locomo.json"
    data.write_text("[]", "utf-8")

    with pytest.raises(SystemExit, match="no conversation"):
        main(["--data", str(data)])


def test_the_recorded_table_has_every_system() -> None:
    rows = [
        line.split("|")[1].strip()
        for line in PEERS_PAGE.read_text("utf-8").splitlines()
        if line.startswith("|")
    ]

    assert {each.label for each in COMPARED_SYSTEMS} <= set(rows)
