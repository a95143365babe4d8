import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.cli.runner import Cli
from tests.stories import labelled_queries
from tests.stories.labelled_queries import BY_LETTERS, FACTS

from recollect.testing.model_server import ModelServer


@pytest.fixture
def told(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> Iterator[Cli]:
    monkeypatch.setenv("RECOLLECT_EMBEDDER", "openai")
    monkeypatch.setenv("RECOLLECT_EMBEDDER_MODEL", "letters")
    with ModelServer() as server:
        monkeypatch.setenv("RECOLLECT_EMBEDDER_URL", server.base_url)
        for text in FACTS.values():
            cli("add", "--no-wait", text)
        cli("worker", "--once")
        for name, value in BY_LETTERS.items():
            cli("settings", "set", name, str(value))
        yield cli


@pytest.fixture
def labels(cli: Cli) -> Path:
    return written(cli, labelled_queries.labels())


def written(cli: Cli, lines: list[dict[str, object]]) -> Path:
    path = cli.folder / "labels.jsonl"
    path.write_text("\n".join(map(json.dumps, lines)) + "\n\n", "utf-8")
    return path


def setting(cli: Cli, name: str) -> float:
    return float(cli.json("settings", "get", name)["value"])


@pytest.mark.spec("K5")
def test_tuning_shows_before_and_after_and_can_be_undone(told: Cli, labels: Path) -> None:
    shown = told("tune", "--labels", labels)
    tuned = setting(told, "recall.beta")
    undone = told("tune", "--undo")

    assert shown.code == 0
    assert shown.out.splitlines()[0].split() == ["NDCG@5", "before", "after"]
    assert "12 questions" in shown.out
    assert "held out" in shown.out
    assert "recall.beta" in shown.out
    assert "recollect tune --undo" in shown.err
    assert tuned > 0
    assert undone.code == 0
    assert setting(told, "recall.beta") == 0
    assert told("tune", "--undo").code != 0


def test_a_dry_run_changes_nothing(told: Cli, labels: Path) -> None:
    shaped = told.json("tune", "--labels", labels, "--dry-run")

    assert (shaped["is_real"], shaped["kept"]) == (True, False)
    assert setting(told, "recall.beta") == 0
    assert "dry run" in told("tune", "--labels", labels, "--dry-run").err


def test_the_result_can_be_lines_for_the_settings_file(told: Cli, labels: Path) -> None:
    shown = told("tune", "--labels", labels, "--file")

    assert shown.out.startswith("[recall]\n")
    assert "beta = " in shown.out
    assert setting(told, "recall.beta") == 0


def test_a_tuning_kept_under_a_name_can_be_taken_again(told: Cli, labels: Path) -> None:
    told("tune", "--labels", labels, "--preset-name", "work")
    tuned = setting(told, "recall.beta")
    told("tune", "--undo")
    again = told("tune", "--preset-name", "work")

    assert again.code == 0
    assert setting(told, "recall.beta") == tuned > 0
    assert "There are work." in told("tune", "--preset-name", "play").err


def test_a_gain_that_does_not_hold_is_warned_of_and_not_kept(told: Cli) -> None:
    told("settings", "set", "recall.alpha", "0.3")
    told("settings", "set", "recall.beta", "0.7")
    path = written(told, labelled_queries.misled())
    shaped = told.json("tune", "--labels", path)
    shown = told("tune", "--labels", path)

    assert (shaped["is_real"], shaped["kept"]) == (False, False)
    assert shaped["values"] == {"recall.alpha": 0.0}
    assert "do not gain" in shown.err
    assert setting(told, "recall.alpha") == 0.3
    assert told.json("tune", "--labels", path, "--force")["kept"] is True
    assert setting(told, "recall.alpha") == 0


@pytest.mark.parametrize(
    ("content", "complaint"),
    [
        ('{"query": "a", "relevant": ["b"]}\nnonsense', "Line 2"),
        ('{"query": "a"}', "Label 1"),
        ('{"query": "a", "relevant": ["b"]}', "fewer than 10"),
        ("", "0 labelled questions"),
    ],
)
def test_labels_that_cannot_be_used_are_refused(cli: Cli, content: str, complaint: str) -> None:
    (cli.folder / "labels.jsonl").write_text(content, "utf-8")
    answer = cli("tune", "--labels", "labels.jsonl")

    assert answer.code == 2
    assert complaint in answer.err


@pytest.mark.parametrize("words", [[], ["--undo", "--from-feedback"], ["--labels", "x", "--undo"]])
def test_one_thing_at_a_time_is_tuned_by(cli: Cli, words: list[str]) -> None:
    answer = cli("tune", *words)

    assert answer.code == 2
    assert "--from-feedback" in answer.err


@pytest.mark.spec("K5")
def test_what_was_said_of_recalls_becomes_labels(told: Cli) -> None:
    for word in FACTS:
        found = told.json("search", word, "--limit", "3")
        best = next(each for each in found["results"] if word in each["memory"])
        told("feedback", found["receipt"], best["id"], "good")
    exported = told("feedback", "--export", "-")
    written = told.json("feedback", "--export", "labels.jsonl")
    shaped = told.json("tune", "--from-feedback", "--dry-run")

    assert [json.loads(line)["query"] for line in exported.out.splitlines()] == list(FACTS)
    assert written["labels"] == shaped["questions"] == 12
    assert (told.folder / "labels.jsonl").read_text("utf-8") == exported.out
