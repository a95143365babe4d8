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
    text_result = cli_with_memories("settings", "tune", "--labels", labels)
    tuned_value = read_setting(cli_with_memories, "recall.beta")
    undo_result = cli_with_memories("settings", "tune", "--undo")

    assert text_result.exit_code == 0
    assert text_result.stdout.splitlines()[0].split() == ["NDCG@5", "before", "after"]
    assert "12 queries" in text_result.stdout
    assert "held out" in text_result.stdout
    assert "recall.beta" in text_result.stdout
    assert "recollect settings tune --undo" in text_result.stderr
    assert tuned_value > 0
    assert undo_result.exit_code == 0
    assert read_setting(cli_with_memories, "recall.beta") == 0
    assert cli_with_memories("settings", "tune", "--undo").exit_code != 0


def test_a_dry_run_changes_nothing(cli_with_memories: InProcessCli, labels: Path) -> None:
    payload = cli_with_memories.json("settings", "tune", "--labels", labels, "--dry-run")

    assert (payload["is_real"], payload["kept"]) == (True, False)
    assert read_setting(cli_with_memories, "recall.beta") == 0
    assert "dry run" in cli_with_memories("settings", "tune", "--labels", labels, "--dry-run").stderr


def test_the_weights_can_be_printed_for_the_settings_file(
    cli_with_memories: InProcessCli, labels: Path
) -> None:
    text_result = cli_with_memories("settings", "tune", "--labels", labels, "--file")

    assert text_result.stdout.startswith("[recall]\n")
    assert "beta = " in text_result.stdout
    assert read_setting(cli_with_memories, "recall.beta") == 0


def test_a_named_tuning_can_be_applied_again(cli_with_memories: InProcessCli, labels: Path) -> None:
    cli_with_memories("settings", "tune", "--labels", labels, "--preset-name", "work")
    tuned_value = read_setting(cli_with_memories, "recall.beta")
    cli_with_memories("settings", "tune", "--undo")
    second_result = cli_with_memories("settings", "tune", "--preset-name", "work")

    assert second_result.exit_code == 0
    assert read_setting(cli_with_memories, "recall.beta") == tuned_value > 0
    assert "Saved tunings: work." in cli_with_memories("settings", "tune", "--preset-name", "play").stderr


def test_without_held_out_improvement_weights_are_not_saved(cli_with_memories: InProcessCli) -> None:
    cli_with_memories("settings", "set", "recall.alpha", "0.3")
    cli_with_memories("settings", "set", "recall.beta", "0.7")
    path = write_labels(cli_with_memories, labelled_queries.make_conflicting_labels())
    payload = cli_with_memories.json("settings", "tune", "--labels", path)
    text_result = cli_with_memories("settings", "tune", "--labels", path)

    assert (payload["is_real"], payload["kept"]) == (False, False)
    assert payload["values"] == {"recall.alpha": 0.0}
    assert "No improvement on held-out queries" in text_result.stderr
    assert read_setting(cli_with_memories, "recall.alpha") == 0.3
    assert cli_with_memories.json("settings", "tune", "--labels", path, "--force")["kept"] is True
    assert read_setting(cli_with_memories, "recall.alpha") == 0


@pytest.mark.parametrize(
    ("content", "error"),
    [
        ('{"query": "a", "relevant": ["b"]}\nnonsense', "Line 2"),
        ('{"query": "a"}', "Label 1"),
        ('{"query": "a", "relevant": ["b"]}', "at least 10"),
        ("", "labelled queries; there are 0"),
    ],
)
def test_invalid_labels_are_refused(cli: InProcessCli, content: str, error: str) -> None:
    (cli.folder / "labels.jsonl").write_text(content, "utf-8")
    result = cli("settings", "tune", "--labels", "labels.jsonl")

    assert result.exit_code == 2
    assert error in result.stderr


@pytest.mark.parametrize("words", [[], ["--undo", "--from-feedback"], ["--labels", "x", "--undo"]])
def test_exactly_one_source_of_labels_is_required(cli: InProcessCli, words: list[str]) -> None:
    result = cli("settings", "tune", *words)

    assert result.exit_code == 2
    assert "--from-feedback" in result.stderr


@pytest.mark.spec("K5")
def test_ratings_become_labels(cli_with_memories: InProcessCli) -> None:
    for word in FACTS:
        search_payload = cli_with_memories.json("search", word, "--limit", "3")
        best = next(each for each in search_payload["results"] if word in each["memory"])
        cli_with_memories("feedback", search_payload["receipt"], best["id"], "good")
    export_result = cli_with_memories("feedback", "--export", "-")
    export_payload = cli_with_memories.json("feedback", "--export", "labels.jsonl")
    payload = cli_with_memories.json("settings", "tune", "--from-feedback", "--dry-run")

    assert [json.loads(line)["query"] for line in export_result.stdout.splitlines()] == list(FACTS)
    assert export_payload["labels"] == payload["questions"] == 12
    assert (cli_with_memories.folder / "labels.jsonl").read_text("utf-8") == export_result.stdout
