import os
import signal
from collections.abc import Sequence
from pathlib import Path

import apsw
import pytest
from tests.cli.runner import Cli

from recollect.ports.embedder import Vector
from recollect.testing.embedders import LetterEmbedder
from recollect.testing.model_server import ModelServer

TEXTS = ("I ride a red bicycle to work every day", "My two cats are called Pixel and Byte")


@pytest.fixture
def told(cli: Cli) -> Cli:
    for text in TEXTS:
        cli("add", text)
    return cli


def changed(db: Path, *statements: str) -> None:
    """Change a file behind recollect's back."""
    connection = apsw.Connection(str(db))
    connection.register_fts5_tokenizer("recollect", lambda *_: lambda *_: [])
    for statement in statements:
        connection.execute(statement)
    connection.close()


def counted(db: Path, table: str) -> int:
    connection = apsw.Connection(str(db))
    [(number,)] = connection.execute(f"SELECT count(*) FROM {table}").fetchall()
    connection.close()
    return int(str(number))


def test_stats_count_what_is_stored_and_what_it_weighs(told: Cli) -> None:
    shown, shaped = told("stats"), told.json("stats")

    assert (shaped["memories"], shaped["messages"], shaped["chats"], shaped["vectors"]) == (2, 2, 1, 4)
    assert shaped["db"] == str(told.db)
    assert shaped["sizes"]["total"] == sum(size for part, size in shaped["sizes"].items() if part != "total")
    assert "2 in 1 chat" in shown.out
    assert "total" in shown.out


@pytest.mark.spec("B4")
def test_stats_say_why_messages_were_judged_or_not_and_what_a_model_cost_today(
    cli: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    cli("add", "--role", "user", "ok")
    monkeypatch.setenv("RECOLLECT_MODEL", "echo")
    with ModelServer() as server:
        monkeypatch.setenv("RECOLLECT_MODEL_URL", server.base_url)
        server.answer('{"importance": 0, "type": "chat", "summary": "", "facts": []}')
        cli("add", "--role", "user", "I ride a red bicycle to work every day")
        shown, shaped = cli("stats"), cli.json("stats")

    assert sum(shaped["verdicts"].values()) == 2
    assert shaped["model_today"]["calls"] == 1
    assert shaped["model_today"]["tokens"] > 0
    assert "model today  1 call, " in shown.out
    assert "\nverdict" in shown.out


def test_a_sound_file_has_nothing_to_repair(told: Cli) -> None:
    shown, shaped = told("repair"), told.json("repair")

    assert (shown.code, shown.out) == (0, "Indexes and text agree; nothing to mend.\n")
    assert shaped == {"differences": 0, "degraded": []}


@pytest.mark.spec("U3", "X8")
def test_an_index_that_lost_its_entries_is_repaired_from_the_text(told: Cli) -> None:
    changed(told.db, "INSERT INTO passages_fts (passages_fts) VALUES ('delete-all')")
    sick = told("doctor")
    shown = told("repair")

    assert sick.code == 5
    assert "recollect repair" in sick.out
    assert shown.code == 0
    assert shown.out.startswith("Mended ")
    assert told("doctor", "--deep").code == 0
    assert told.json("search", "bicycle")["results"][0]["parts"]["lexical"] == 1


def test_an_index_whose_words_are_wrong_is_rebuilt(told: Cli) -> None:
    changed(told.db, "DELETE FROM passages_fts_data WHERE id > 10")
    sick = told("doctor", "--deep")
    mended = told("repair")

    assert sick.code == 5
    assert "Rebuilt fulltext for 4 passages." in mended.out
    assert told("doctor", "--deep").code == 0


@pytest.mark.parametrize("shadow", ["fulltext", "vectors"])
def test_an_index_can_be_made_anew(told: Cli, shadow: str) -> None:
    shown, shaped = told("repair", "--rebuild", shadow), told.json("repair", "--rebuild", shadow)

    assert (shown.code, shown.out) == (0, f"Rebuilt {shadow} for 4 passages.\n")
    assert shaped == {shadow: 4, "degraded": []}
    assert told.json("stats")["vectors"] == 4
    assert told("doctor", "--deep").code == 0


def test_lost_vectors_are_made_again(told: Cli) -> None:
    changed(told.db, "DELETE FROM vectors")
    shaped = told.json("repair")

    assert shaped["differences"] == 4
    assert told.json("stats")["vectors"] == 4


@pytest.mark.parametrize("table", ["messages", "memories"])
def test_a_repair_that_would_lose_something_is_taken_back(told: Cli, table: str) -> None:
    changed(
        told.db,
        "DELETE FROM vectors",
        f"CREATE TRIGGER thief AFTER INSERT ON unembedded BEGIN DELETE FROM {table}; END",
    )
    answer = told("repair")

    assert answer.code == 1
    assert f"would have lost 2 {table}" in answer.err
    assert counted(told.db, table) == 2
    assert counted(told.db, "unembedded") == 0


def test_a_repair_without_its_model_mends_the_rest_and_is_degraded(
    told: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    changed(told.db, "DELETE FROM vectors")
    monkeypatch.setenv("RECOLLECT_EMBEDDER", "fastembed")
    answer = told("repair", "--json")

    assert answer.code == 5
    assert answer.shape["differences"] == 4


@pytest.mark.spec("U4")
def test_a_rehearsal_of_reembedding_counts_and_changes_nothing(
    told: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RECOLLECT_EMBEDDER", "onnx")
    shown, shaped = told("reembed", "--dry-run"), told.json("reembed", "--dry-run")

    assert shown.out == (
        "4 passages would be embedded with bge-small-en-v1.5-int8.\n4 vectors of hashing-256 would be deleted.\n"
    )
    assert shaped == {
        "model": "bge-small-en-v1.5-int8", "passages": 4, "models": {"hashing-256": 4}, "retired": {}, "dry_run": True,
    }  # fmt: skip
    assert told.json("stats")["pending_vectors"] == 0


@pytest.mark.spec("U4", "U5")
def test_reembedding_moves_every_passage_to_the_new_model(told: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RECOLLECT_EMBEDDER", "onnx")
    before = told("doctor")
    shaped = told.json("reembed")

    assert "recollect reembed" in before.out
    assert shaped["retired"] == {"hashing-256": 4}
    assert told.json("reembed", "--dry-run")["models"] == {"bge-small-en-v1.5-int8": 4}
    assert told("doctor").code == 0
    assert told("reembed").out == (
        "0 passages were embedded with bge-small-en-v1.5-int8.\n4 vectors of bge-small-en-v1.5-int8 stay.\n"
    )


def test_reembedding_that_fails_keeps_the_old_vectors(told: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RECOLLECT_EMBEDDER", "fastembed")
    answer = told("reembed")

    assert answer.code == 1
    assert "the old vectors were kept" in answer.err
    assert told.json("stats")["vectors"] == 4


def test_reembedding_without_an_embedder_is_a_matter_of_settings(
    told: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RECOLLECT_EMBEDDER", "none")

    assert told("reembed").code == 2


class Interrupting(LetterEmbedder):
    """Somebody presses Ctrl-C while the first large batch is embedded."""

    def embed(self, texts: Sequence[str]) -> list[Vector]:
        if len(texts) > 20:
            os.kill(os.getpid(), signal.SIGINT)
        return super().embed(texts)


@pytest.mark.spec("U5")
def test_ctrl_c_finishes_the_batch_in_hand_and_the_next_run_goes_on(
    cli: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    lines = "\n".join(f'{{"role": "user", "content": "ok {number}"}}' for number in range(80))
    (cli.folder / "many.jsonl").write_text(lines, "utf-8")
    cli("add", "--file", "many.jsonl")
    monkeypatch.setenv("RECOLLECT_EMBEDDER", "openai")
    monkeypatch.setenv("RECOLLECT_EMBEDDER_MODEL", "letters")
    with ModelServer(Interrupting()) as server:
        monkeypatch.setenv("RECOLLECT_EMBEDDER_URL", server.base_url)
        stopped = cli("reembed")
        between = cli.json("stats")
        meanwhile = cli("search", "ok 7", "--json")
    with ModelServer() as server:
        monkeypatch.setenv("RECOLLECT_EMBEDDER_URL", server.base_url)
        resumed = cli.json("reembed")

    assert stopped.code == 130
    assert "`recollect reembed` goes on where it stopped." in stopped.err
    assert (between["pending_vectors"], between["vectors"]) == (0, 80 + 32)
    assert (meanwhile.code, meanwhile.shape["results"][0]["memory"]) == (0, "ok 7")
    assert meanwhile.shape["results"][0]["parts"]["dense"] == 1
    assert resumed["passages"] == 80 - 32
    assert resumed["retired"] == {"hashing-256": 80}


@pytest.mark.spec("U2")
def test_backfilling_cuts_messages_stored_while_chunking_was_off(
    cli: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RAG_CHUNKING", "false")
    paragraphs = "\n\n".join(f"Paragraph {number} is about bridges and rivers. " * 20 for number in range(6))
    cli("add", "--role", "user", "-", given=paragraphs.encode())
    monkeypatch.delenv("RAG_CHUNKING")
    cli("add", "--role", "user", "ok")
    before = cli.json("stats")["chunks"]
    shown, again = cli("backfill"), cli.json("backfill")

    assert before == 0
    assert shown.out == f"{cli.json('stats')['chunks']} chunks made.\n"
    assert cli.json("stats")["chunks"] > 1
    assert again == {"chunks": 0, "degraded": []}
    assert cli.json("stats")["pending_vectors"] == 0
