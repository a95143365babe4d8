import os
import signal
from collections.abc import Sequence
from pathlib import Path

import apsw
import pytest
from tests.cli.runner import InProcessCli

from recollect.ports.embedder import Vector
from recollect.testing.embedders import LetterEmbedder
from recollect.testing.model_server import ModelServer

MEMORY_TEXTS = ("I ride a red bicycle to work every day", "My two cats are called Pixel and Byte")


@pytest.fixture
def cli_with_memories(cli: InProcessCli) -> InProcessCli:
    for text in MEMORY_TEXTS:
        cli("add", text)
    return cli


def execute_sql(db: Path, *statements: str) -> None:
    """Modify a memory file outside of recollect."""
    connection = apsw.Connection(str(db))
    connection.register_fts5_tokenizer("recollect", lambda *_: lambda *_: [])
    for statement in statements:
        connection.execute(statement)
    connection.close()


def count_rows(db: Path, table: str) -> int:
    connection = apsw.Connection(str(db))
    [(number,)] = connection.execute(f"SELECT count(*) FROM {table}").fetchall()
    connection.close()
    return int(str(number))


def test_stats_show_counts_and_sizes(cli_with_memories: InProcessCli) -> None:
    text_result, payload = (
        cli_with_memories("maintenance", "stats"),
        cli_with_memories.json("maintenance", "stats"),
    )

    assert (payload["memories"], payload["messages"], payload["chats"], payload["vectors"]) == (2, 2, 1, 4)
    assert payload["db"] == str(cli_with_memories.db)
    assert payload["sizes"]["total"] == sum(
        size for part, size in payload["sizes"].items() if part != "total"
    )
    assert "2 in 1 chat" in text_result.stdout
    assert "total" in text_result.stdout


@pytest.mark.spec("B4")
def test_stats_show_triage_reasons_and_the_model_usage_of_today(
    cli: InProcessCli, monkeypatch: pytest.MonkeyPatch
) -> None:
    cli("add", "--role", "user", "ok")
    monkeypatch.setenv("RECOLLECT_MODEL", "echo")
    with ModelServer() as server:
        monkeypatch.setenv("RECOLLECT_MODEL_URL", server.base_url)
        server.answer('{"importance": 0, "type": "chat", "summary": "", "facts": []}')
        cli("add", "--role", "user", "I ride a red bicycle to work every day")
        text_result, payload = cli("maintenance", "stats"), cli.json("maintenance", "stats")

    assert {each["code"]: each["count"] for each in payload["verdicts"]} == {"too_short": 1, "not_trivial": 1}
    assert payload["model_today"]["calls"] == 1
    assert payload["model_today"]["tokens"] > 0
    assert "model today  1 call, " in text_result.stdout
    assert "\ntriage" in text_result.stdout


def test_a_healthy_file_has_nothing_to_repair(cli_with_memories: InProcessCli) -> None:
    text_result, payload = (
        cli_with_memories("maintenance", "repair"),
        cli_with_memories.json("maintenance", "repair"),
    )

    assert (text_result.exit_code, text_result.stdout) == (
        0,
        "The indexes match the text; nothing to repair.\n",
    )
    assert payload == {"differences": 0, "degraded": []}


@pytest.mark.spec("U3", "X8")
def test_an_index_that_lost_its_entries_is_repaired_from_the_text(cli_with_memories: InProcessCli) -> None:
    execute_sql(cli_with_memories.db, "INSERT INTO passages_fts (passages_fts) VALUES ('delete-all')")
    doctor_result = cli_with_memories("doctor")
    text_result = cli_with_memories("maintenance", "repair")

    assert doctor_result.exit_code == 5
    assert "recollect maintenance repair" in doctor_result.stdout
    assert text_result.exit_code == 0
    assert text_result.stdout.startswith("Repaired ")
    assert cli_with_memories("doctor", "--deep").exit_code == 0
    assert cli_with_memories.json("search", "bicycle")["results"][0]["parts"]["lexical"] == 1


def test_a_corrupted_index_is_rebuilt(cli_with_memories: InProcessCli) -> None:
    execute_sql(cli_with_memories.db, "DELETE FROM passages_fts_data WHERE id > 10")
    doctor_result = cli_with_memories("doctor", "--deep")
    repair_result = cli_with_memories("maintenance", "repair")

    assert doctor_result.exit_code == 5
    assert "Rebuilt fulltext for 4 passages." in repair_result.stdout
    assert cli_with_memories("doctor", "--deep").exit_code == 0


@pytest.mark.parametrize("index", ["fulltext", "vectors"])
def test_an_index_can_be_rebuilt(cli_with_memories: InProcessCli, index: str) -> None:
    text_result, payload = (
        cli_with_memories("maintenance", "repair", "--rebuild", index),
        cli_with_memories.json("maintenance", "repair", "--rebuild", index),
    )

    assert (text_result.exit_code, text_result.stdout) == (0, f"Rebuilt {index} for 4 passages.\n")
    assert payload == {index: 4, "degraded": []}
    assert cli_with_memories.json("maintenance", "stats")["vectors"] == 4
    assert cli_with_memories("doctor", "--deep").exit_code == 0


def test_lost_vectors_are_embedded_again(cli_with_memories: InProcessCli) -> None:
    execute_sql(cli_with_memories.db, "DELETE FROM vectors")
    payload = cli_with_memories.json("maintenance", "repair")

    assert payload["differences"] == 4
    assert cli_with_memories.json("maintenance", "stats")["vectors"] == 4


@pytest.mark.parametrize("table", ["messages", "memories"])
def test_a_repair_that_would_lose_rows_is_rolled_back(cli_with_memories: InProcessCli, table: str) -> None:
    execute_sql(
        cli_with_memories.db,
        "DELETE FROM vectors",
        f"CREATE TRIGGER thief AFTER INSERT ON embedding_queue BEGIN DELETE FROM {table}; END",
    )
    result = cli_with_memories("maintenance", "repair")

    assert result.exit_code == 1
    assert f"would have lost 2 {table}" in result.stderr
    assert count_rows(cli_with_memories.db, table) == 2
    assert count_rows(cli_with_memories.db, "embedding_queue") == 0


def test_a_repair_without_its_model_is_degraded(
    cli_with_memories: InProcessCli, monkeypatch: pytest.MonkeyPatch
) -> None:
    execute_sql(cli_with_memories.db, "DELETE FROM vectors")
    monkeypatch.setenv("RECOLLECT_EMBEDDER", "fastembed")
    result = cli_with_memories("maintenance", "repair", "--json")

    assert result.exit_code == 5
    assert result.payload["differences"] == 4


@pytest.mark.spec("U4")
def test_a_dry_run_of_reembedding_counts_and_changes_nothing(
    cli_with_memories: InProcessCli, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RECOLLECT_EMBEDDER", "onnx")
    text_result, payload = (
        cli_with_memories("maintenance", "reembed", "--dry-run"),
        cli_with_memories.json("maintenance", "reembed", "--dry-run"),
    )

    assert text_result.stdout == (
        "4 passages would be embedded with bge-small-en-v1.5-int8.\n4 vectors of hashing-256 would be deleted.\n"
    )
    assert payload == {
        "model": "bge-small-en-v1.5-int8", "passages": 4, "models": {"hashing-256": 4}, "retired": {}, "dry_run": True,
    }  # fmt: skip
    assert cli_with_memories.json("maintenance", "stats")["pending_vectors"] == 0


@pytest.mark.spec("U4", "U5")
def test_reembedding_replaces_the_vectors_of_every_passage(
    cli_with_memories: InProcessCli, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RECOLLECT_EMBEDDER", "onnx")
    before = cli_with_memories("doctor")
    payload = cli_with_memories.json("maintenance", "reembed")

    assert "recollect maintenance reembed" in before.stdout
    assert payload["retired"] == {"hashing-256": 4}
    assert cli_with_memories.json("maintenance", "reembed", "--dry-run")["models"] == {
        "bge-small-en-v1.5-int8": 4
    }
    assert cli_with_memories("doctor").exit_code == 0
    assert cli_with_memories("maintenance", "reembed").stdout == (
        "0 passages were embedded with bge-small-en-v1.5-int8.\n4 vectors of bge-small-en-v1.5-int8 are kept.\n"
    )


def test_reembedding_that_fails_keeps_the_old_vectors(
    cli_with_memories: InProcessCli, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RECOLLECT_EMBEDDER", "fastembed")
    result = cli_with_memories("maintenance", "reembed")

    assert result.exit_code == 1
    assert "The old vectors were kept" in result.stderr
    assert cli_with_memories.json("maintenance", "stats")["vectors"] == 4


def test_reembedding_without_an_embedder_is_a_settings_error(
    cli_with_memories: InProcessCli, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RECOLLECT_EMBEDDER", "none")

    assert cli_with_memories("maintenance", "reembed").exit_code == 2


class InterruptingEmbedder(LetterEmbedder):
    """Sends SIGINT to this process during the first large batch."""

    def embed(self, texts: Sequence[str]) -> list[Vector]:
        if len(texts) > 20:
            os.kill(os.getpid(), signal.SIGINT)
        return super().embed(texts)


@pytest.mark.spec("U5")
def test_ctrl_c_finishes_the_current_batch_and_the_next_run_continues(
    cli: InProcessCli, monkeypatch: pytest.MonkeyPatch
) -> None:
    lines = "\n".join(f'{{"role": "user", "content": "ok {number}"}}' for number in range(80))
    (cli.folder / "many.jsonl").write_text(lines, "utf-8")
    cli("add", "--file", "many.jsonl")
    monkeypatch.setenv("RECOLLECT_EMBEDDER", "openai")
    monkeypatch.setenv("RECOLLECT_EMBEDDER_MODEL", "letters")
    with ModelServer(InterruptingEmbedder()) as server:
        monkeypatch.setenv("RECOLLECT_EMBEDDER_URL", server.base_url)
        interrupted_result = cli("maintenance", "reembed")
        stats_between = cli.json("maintenance", "stats")
        search_result = cli("search", "ok 7", "--json")
    with ModelServer() as server:
        monkeypatch.setenv("RECOLLECT_EMBEDDER_URL", server.base_url)
        payload = cli.json("maintenance", "reembed")

    assert interrupted_result.exit_code == 130
    assert "Run `recollect maintenance reembed` again to continue." in interrupted_result.stderr
    assert (stats_between["pending_vectors"], stats_between["vectors"]) == (0, 80 + 32)
    assert (search_result.exit_code, search_result.payload["results"][0]["memory"]) == (0, "ok 7")
    assert search_result.payload["results"][0]["parts"]["dense"] == 1
    assert payload["passages"] == 80 - 32
    assert payload["retired"] == {"hashing-256": 80}


@pytest.mark.spec("U2")
def test_backfill_chunks_messages_stored_while_chunking_was_off(
    cli: InProcessCli, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RAG_CHUNKING", "false")
    paragraphs = "\n\n".join(f"Paragraph {number} is about bridges and rivers. " * 20 for number in range(6))
    cli("add", "--role", "user", "-", stdin=paragraphs.encode())
    monkeypatch.delenv("RAG_CHUNKING")
    cli("add", "--role", "user", "ok")
    before = cli.json("maintenance", "stats")["chunks"]
    text_result, second_payload = cli("maintenance", "backfill"), cli.json("maintenance", "backfill")

    assert before == 0
    assert text_result.stdout == f"Created {cli.json('maintenance', 'stats')['chunks']} chunks.\n"
    assert cli.json("maintenance", "stats")["chunks"] > 1
    assert second_payload == {"chunks": 0, "degraded": []}
    assert cli.json("maintenance", "stats")["pending_vectors"] == 0
