import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.cli.runner import InProcessCli
from tests.stories import labelled_queries
from tests.stories.labelled_queries import FACTS, LETTER_RANKING_SETTINGS

from recollect.testing.model_server import ModelServer


@pytest.fixture
def cli_with_memories(cli: InProcessCli, monkeypatch: pytest.MonkeyPatch) -> Iterator[InProcessCli]:
    monkeypatch.setenv("RECOLLECT_EMBEDDER", "openai")
    monkeypatch.setenv("RECOLLECT_EMBEDDER_MODEL", "letters")
    with ModelServer() as server:
        monkeypatch.setenv("RECOLLECT_EMBEDDER_URL", server.base_url)
        for text in FACTS.values():
            cli("add", "--no-wait", text)
        cli("worker", "--once")
        for name, value in LETTER_RANKING_SETTINGS.items():
            cli("settings", "set", name, str(value))
        yield cli


@pytest.fixture
def labels(cli: InProcessCli) -> Path:
    return write_labels(cli, labelled_queries.make_labels())


def write_labels(cli: InProcessCli, lines: list[dict[str, object]]) -> Path:
    path = cli.folder / "labels.jsonl"
    path.write_text("\n".join(map(json.dumps, lines)) + "\n\n", "utf-8")
    return path


def read_setting(cli: InProcessCli, name: str) -> float:
    return float(cli.json("settings", "get", name)["value"])


@pytest.mark.spec("K5")
def test_tuning_shows_before_and_after_and_can_be_undone(
    cli_with_memories: InProcessCli, labels: Path
) -> None:
    shown = cli_with_memories("tune", "--labels", labels)
    tuned = read_setting(cli_with_memories, "recall.beta")
    undone = cli_with_memories("tune", "--undo")

    assert shown.exit_code == 0
    assert shown.stdout.splitlines()[0].split() == ["NDCG@5", "before", "after"]
    assert "12 queries" in shown.stdout
    assert "held out" in shown.stdout
    assert "recall.beta" in shown.stdout
    assert "recollect tune --undo" in shown.stderr
    assert tuned > 0
    assert undone.exit_code == 0
    assert read_setting(cli_with_memories, "recall.beta") == 0
    assert cli_with_memories("tune", "--undo").exit_code != 0


def test_a_dry_run_changes_nothing(cli_with_memories: InProcessCli, labels: Path) -> None:
    shaped = cli_with_memories.json("tune", "--labels", labels, "--dry-run")

    assert (shaped["is_real"], shaped["kept"]) == (True, False)
    assert read_setting(cli_with_memories, "recall.beta") == 0
    assert "dry run" in cli_with_memories("tune", "--labels", labels, "--dry-run").stderr


def test_the_result_can_be_lines_for_the_settings_file(cli_with_memories: InProcessCli, labels: Path) -> None:
    shown = cli_with_memories("tune", "--labels", labels, "--file")

    assert shown.stdout.startswith("[recall]\n")
    assert "beta = " in shown.stdout
    assert read_setting(cli_with_memories, "recall.beta") == 0


def test_a_tuning_kept_under_a_name_can_be_taken_again(cli_with_memories: InProcessCli, labels: Path) -> None:
    cli_with_memories("tune", "--labels", labels, "--preset-name", "work")
    tuned = read_setting(cli_with_memories, "recall.beta")
    cli_with_memories("tune", "--undo")
    again = cli_with_memories("tune", "--preset-name", "work")

    assert again.exit_code == 0
    assert read_setting(cli_with_memories, "recall.beta") == tuned > 0
    assert "Saved tunings: work." in cli_with_memories("tune", "--preset-name", "play").stderr


def test_a_gain_that_does_not_hold_is_warned_of_and_not_kept(cli_with_memories: InProcessCli) -> None:
    cli_with_memories("settings", "set", "recall.alpha", "0.3")
    cli_with_memories("settings", "set", "recall.beta", "0.7")
    path = write_labels(cli_with_memories, labelled_queries.make_conflicting_labels())
    shaped = cli_with_memories.json("tune", "--labels", path)
    shown = cli_with_memories("tune", "--labels", path)

    assert (shaped["is_real"], shaped["kept"]) == (False, False)
    assert shaped["values"] == {"recall.alpha": 0.0}
    assert "No improvement on held-out queries" in shown.stderr
    assert read_setting(cli_with_memories, "recall.alpha") == 0.3
    assert cli_with_memories.json("tune", "--labels", path, "--force")["kept"] is True
    assert read_setting(cli_with_memories, "recall.alpha") == 0


@pytest.mark.parametrize(
    ("content", "complaint"),
    [
        ('{"query": "a", "relevant": ["b"]}\nnonsense', "Line 2"),
        ('{"query": "a"}', "Label 1"),
        ('{"query": "a", "relevant": ["b"]}', "at least 10"),
        ("", "labelled queries; there are 0"),
    ],
)
def test_labels_that_cannot_be_used_are_refused(cli: InProcessCli, content: str, complaint: str) -> None:
    (cli.folder / "labels.jsonl").write_text(content, "utf-8")
    answer = cli("tune", "--labels", "labels.jsonl")

    assert answer.exit_code == 2
    assert complaint in answer.stderr


@pytest.mark.parametrize("words", [[], ["--undo", "--from-feedback"], ["--labels", "x", "--undo"]])
def test_one_thing_at_a_time_is_tuned_by(cli: InProcessCli, words: list[str]) -> None:
    answer = cli("tune", *words)

    assert answer.exit_code == 2
    assert "--from-feedback" in answer.stderr


@pytest.mark.spec("K5")
def test_what_was_said_of_recalls_becomes_labels(cli_with_memories: InProcessCli) -> None:
    for word in FACTS:
        found = cli_with_memories.json("search", word, "--limit", "3")
        best = next(each for each in found["results"] if word in each["memory"])
        cli_with_memories("feedback", found["receipt"], best["id"], "good")
    exported = cli_with_memories("feedback", "--export", "-")
    written = cli_with_memories.json("feedback", "--export", "labels.jsonl")
    shaped = cli_with_memories.json("tune", "--from-feedback", "--dry-run")

    assert [json.loads(line)["query"] for line in exported.stdout.splitlines()] == list(FACTS)
    assert written["labels"] == shaped["questions"] == 12
    assert (cli_with_memories.folder / "labels.jsonl").read_text("utf-8") == exported.stdout
