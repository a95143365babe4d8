import pytest
from tests.cli.runner import Cli

from recollect.cli.demo import script


@pytest.fixture
def _real_model(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("RECOLLECT_EMBEDDER")


@pytest.mark.usefixtures("_real_model")
def test_each_question_is_answered_from_what_was_said(cli: Cli) -> None:
    answer = cli.bare("demo", "--json")
    dinner, code, now, then = answer.shape["questions"]

    def best(asked: dict[str, dict[str, list[dict[str, str]]]]) -> str:
        return asked["receipt"]["items"][0]["memory"]

    assert answer.code == 0
    assert answer.shape["messages"] == len(script()["messages"])
    assert answer.shape["memories"] >= 15
    assert "vegetarian" in best(dinner)
    assert "calculateTotal" in best(code)
    assert "Porto" in best(now)
    assert "Lisbon" in best(then)
    for asked in (dinner, code, now):
        assert asked["text"] == asked["receipt"]["text"]
    assert answer.shape["forgotten"]["missing"] is answer.shape["forgotten"]["back"] is True
    assert "profile: no consent" in answer.shape["consent"]["skipped"]


def test_people_see_the_funnel_three_blocks_and_their_receipts(cli: Cli) -> None:
    answer = cli.bare("demo", "--no-page")

    assert answer.code == 0
    assert answer.out.startswith(f"{len(script()['messages'])} messages -> ")
    assert answer.out.count("\nQ: ") == 3
    assert answer.out.count("\nreceipt ") == 3
    assert answer.out.count("Injected ") == 3
    assert answer.out.count("Left out ") == 3
    assert "█" in answer.out
    assert "\nForget: " in answer.out
    assert "\nConsent: " in answer.out


def test_the_demo_leaves_no_file_behind(cli: Cli) -> None:
    cli.bare("demo", "--no-page")

    assert [path for path in cli.folder.rglob("*") if path.is_file()] == []


def test_in_a_named_file_the_sample_belongs_to_a_user_of_its_own_and_is_stored_once(cli: Cli) -> None:
    cli("add", "I ride a red bicycle to work every day")
    cli("demo", "--no-page")
    cli("demo", "--no-page")

    assert cli.json("stats")["messages"] == 1
    assert cli.json("stats", "--user", "demo")["messages"] == len(script()["messages"])


def test_the_sample_is_a_conversation_in_two_languages() -> None:
    messages = script()["messages"]

    assert len(messages) >= 100
    assert max(each["days_ago"] for each in messages) > 350
    assert {each["role"] for each in messages} == {"user", "assistant"}
    assert any("comboio" in each["content"] for each in messages)
