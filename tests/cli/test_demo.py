import pytest
from tests.cli.runner import InProcessCli

from recollect.cli.demo import load_script


@pytest.fixture
def _real_model(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("RECOLLECT_EMBEDDER")


@pytest.mark.usefixtures("_real_model")
def test_each_question_is_answered_from_what_was_said(cli: InProcessCli) -> None:
    answer = cli.run_raw("demo", "--json")
    dinner, code, now, then = answer.payload["questions"]

    def best(asked: dict[str, dict[str, list[dict[str, str]]]]) -> str:
        return asked["receipt"]["items"][0]["memory"]

    assert answer.exit_code == 0
    assert answer.payload["messages"] == len(load_script()["messages"])
    assert answer.payload["memories"] >= 15
    assert "vegetarian" in best(dinner)
    assert "calculateTotal" in best(code)
    assert "Porto" in best(now)
    assert "Lisbon" in best(then)
    for asked in (dinner, code, now):
        assert asked["text"] == asked["receipt"]["text"]
    assert answer.payload["forgotten"]["missing"] is answer.payload["forgotten"]["back"] is True
    assert "profile: no consent" in answer.payload["consent"]["skipped"]


def test_people_see_the_funnel_three_blocks_and_their_receipts(cli: InProcessCli) -> None:
    answer = cli.run_raw("demo", "--no-page")

    assert answer.exit_code == 0
    assert answer.stdout.startswith(f"{len(load_script()['messages'])} messages -> ")
    assert answer.stdout.count("\nQ: ") == 3
    assert answer.stdout.count("\nreceipt ") == 3
    assert answer.stdout.count("Injected ") == 3
    assert answer.stdout.count("Left out ") == 3
    assert "█" in answer.stdout
    assert "\nForget: " in answer.stdout
    assert "\nConsent: " in answer.stdout


def test_the_demo_leaves_no_file_behind(cli: InProcessCli) -> None:
    cli.run_raw("demo", "--no-page")

    assert [path for path in cli.folder.rglob("*") if path.is_file()] == []


def test_in_a_named_file_the_sample_belongs_to_a_user_of_its_own_and_is_stored_once(
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
