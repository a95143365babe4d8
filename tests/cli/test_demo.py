import pytest
from tests.cli.runner import InProcessCli

from recollect.cli.demo import load_script


@pytest.fixture
def _real_model(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("RECOLLECT_EMBEDDER")


@pytest.mark.usefixtures("_real_model")
def test_each_demo_query_recalls_the_expected_passage(cli: InProcessCli) -> None:
    result = cli.run_raw("demo", "--json")
    dinner, code, now, then = result.payload["questions"]

    def best(entry: dict[str, dict[str, list[dict[str, str]]]]) -> str:
        return entry["receipt"]["items"][0]["memory"]

    assert result.exit_code == 0
    assert result.payload["messages"] == len(load_script()["messages"])
    assert result.payload["memories"] >= 15
    assert "vegetarian" in best(dinner)
    assert "calculateTotal" in best(code)
    assert "Porto" in best(now)
    assert "Lisbon" in best(then)
    for entry in (dinner, code, now):
        assert entry["text"] == entry["receipt"]["text"]
    assert result.payload["forgotten"]["missing"] is result.payload["forgotten"]["back"] is True
    assert "profile: no consent" in result.payload["consent"]["skipped"]


def test_the_demo_prints_triage_three_blocks_and_their_receipts(cli: InProcessCli) -> None:
    result = cli.run_raw("demo", "--no-page")

    assert result.exit_code == 0
    assert result.stdout.startswith(f"{len(load_script()['messages'])} messages -> ")
    assert result.stdout.count("\nQ: ") == 3
    assert result.stdout.count("\nreceipt ") == 3
    assert result.stdout.count("Injected ") == 3
    assert result.stdout.count("Left out ") == 3
    assert "█" in result.stdout
    assert "\nForget: " in result.stdout
    assert "\nConsent: " in result.stdout


def test_the_demo_leaves_no_file_behind(cli: InProcessCli) -> None:
    cli.run_raw("demo", "--no-page")

    assert [path for path in cli.folder.rglob("*") if path.is_file()] == []


def test_in_an_existing_file_the_sample_has_its_own_user_and_is_stored_once(
    cli: InProcessCli,
) -> None:
    cli("add", "I ride a red bicycle to work every day")
    cli("demo", "--no-page")
    cli("demo", "--no-page")

    assert cli.json("stats")["messages"] == 1
    assert cli.json("stats", "--user", "demo")["messages"] == len(load_script()["messages"])


def test_the_sample_is_a_conversation_in_two_languages() -> None:
    messages = load_script()["messages"]

    assert len(messages) >= 100
    assert max(each["days_ago"] for each in messages) > 350
    assert {each["role"] for each in messages} == {"user", "assistant"}
    assert any("comboio" in each["content"] for each in messages)
