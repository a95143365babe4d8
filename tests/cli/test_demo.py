import re

import pytest
from tests.cli.runner import InProcessCli

from recollect.cli.demo import load_script


@pytest.fixture
def _real_model(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("RECOLLECT_EMBEDDER")


@pytest.mark.usefixtures("_real_model")
def test_each_moment_of_the_demo_shows_what_it_says(cli: InProcessCli) -> None:
    payload = cli.run_raw("demo", "--json").payload

    assert payload["messages"] == len(load_script()["messages"]) == payload["trivial"] + payload["judged"]
    assert payload["memories"] >= 15
    assert "vegetarian" in payload["question"]["text"]
    assert payload["question"]["text"] == payload["question"]["receipt"]["text"]
    assert "Porto" in payload["changed"]["now"]["items"][0]["memory"]
    assert "Lisbon" in payload["changed"]["then"]["items"][0]["memory"]
    assert payload["forgotten"]["missing"] is payload["forgotten"]["back"] is True
    assert "no_consent" in [each["code"] for each in payload["consent"]["skipped"]]
    assert (payload["irrelevant"]["text"], payload["irrelevant"]["receipt"]["tokens"]) == ("", 0)


def test_the_demo_prints_one_short_receipt_and_counts_that_add_up(cli: InProcessCli) -> None:
    result = cli.run_raw("demo", "--no-page")
    first, reasons, *_ = result.stdout.splitlines()
    messages, skipped, searched, _ = map(int, re.findall(r"\d+", first))

    assert result.exit_code == 0
    assert messages == len(load_script()["messages"]) == skipped + searched
    assert sum(map(int, re.findall(r"\d+", reasons))) == skipped
    assert result.stdout.count("\nQ: ") == result.stdout.count("\nReceipt: ") == 1
    for moment in ("\nWhere do I live?", "\nForget: ", "\nConsent: ", "\ntell me a joke"):
        assert moment in result.stdout


def test_the_demo_leaves_no_file_behind(cli: InProcessCli) -> None:
    cli.db.unlink()

    cli.run_raw("demo", "--no-page")

    assert [path for path in cli.folder.rglob("*") if path.is_file()] == []


def test_in_an_existing_file_the_sample_has_its_own_user_and_is_stored_once(
    cli: InProcessCli,
) -> None:
    cli("add", "I ride a red bicycle to work every day")
    cli("demo", "--no-page")
    cli("demo", "--no-page")

    assert cli.json("maintenance", "stats")["messages"] == 1
    assert cli.json("maintenance", "stats", "--user", "demo")["messages"] == len(load_script()["messages"])


def test_the_sample_is_a_conversation_in_two_languages() -> None:
    messages = load_script()["messages"]

    assert len(messages) >= 100
    assert max(each["days_ago"] for each in messages) > 350
    assert {each["role"] for each in messages} == {"user", "assistant"}
    assert any("comboio" in each["content"] for each in messages)
