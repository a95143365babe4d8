import pytest
from tests.cli.runner import InProcessCli

MEMORY_TEXT = "I ride a red bicycle to work every day"


@pytest.mark.spec("K5")
def test_a_passage_of_the_last_recall_is_said_to_be_good_or_bad(cli: InProcessCli) -> None:
    memory = cli.add_memory(MEMORY_TEXT)
    cli("search", "bicycle")
    good = cli("feedback", "last", memory[:12], "good")
    bad = cli.json("feedback", "last", memory, "bad")
    listed = cli.json("feedback")

    assert good.stdout == f"Rated {memory} as good for “bicycle”.\n"
    assert (bad["id"], bad["relevant"], bad["query"]) == (memory, False, "bicycle")
    assert [(each["id"], each["relevant"]) for each in listed["results"]] == [(memory, False)]
    assert "bad" in cli("feedback").stdout


def test_before_anything_was_said_it_tells_where_to_begin(cli: InProcessCli) -> None:
    answer = cli("feedback")

    assert (answer.exit_code, answer.stdout) == (0, "")
    assert "recollect why" in answer.stderr


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
def test_what_cannot_be_noted_is_refused(cli: InProcessCli, words: list[str], code: int) -> None:
    assert cli("feedback", *words).exit_code == code


def test_what_was_said_goes_with_the_memory(cli: InProcessCli) -> None:
    memory = cli.add_memory(MEMORY_TEXT)
    cli("search", "bicycle")
    cli("feedback", "last", memory, "good")
    cli("erase", "memory", memory, "--yes")

    assert cli.json("feedback")["results"] == []
