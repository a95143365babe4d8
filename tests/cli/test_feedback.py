import pytest
from tests.cli.runner import InProcessCli

MEMORY_TEXT = "I ride a red bicycle to work every day"


@pytest.mark.spec("K5")
def test_a_passage_of_the_last_recall_is_rated(cli: InProcessCli) -> None:
    memory = cli.add_memory(MEMORY_TEXT)
    cli("search", "bicycle")
    good_result = cli("feedback", "last", memory[:12], "good")
    bad_payload = cli.json("feedback", "last", memory, "bad")
    list_payload = cli.json("feedback")

    assert good_result.stdout == f"Rated {memory} as good for “bicycle”.\n"
    assert (bad_payload["id"], bad_payload["relevant"], bad_payload["query"]) == (memory, False, "bicycle")
    assert [(each["id"], each["relevant"]) for each in list_payload["results"]] == [(memory, False)]
    assert "bad" in cli("feedback").stdout


def test_without_ratings_there_is_a_hint(cli: InProcessCli) -> None:
    result = cli("feedback")

    assert (result.exit_code, result.stdout) == (0, "")
    assert "recollect why" in result.stderr


@pytest.mark.parametrize(
    ("words", "code"),
    [
        (["last"], 2),
        (["last", "x"], 2),
        (["last", "x", "perfect"], 2),
        (["last", "x", "good"], 3),
        (["--export", "no/such/folder.jsonl"], 2),
    ],
)
def test_an_invalid_rating_is_refused(cli: InProcessCli, words: list[str], code: int) -> None:
    assert cli("feedback", *words).exit_code == code


def test_ratings_are_deleted_with_the_memory(cli: InProcessCli) -> None:
    memory = cli.add_memory(MEMORY_TEXT)
    cli("search", "bicycle")
    cli("feedback", "last", memory, "good")
    cli("privacy", "erase", "memory", memory, "--yes")

    assert cli.json("feedback")["results"] == []
