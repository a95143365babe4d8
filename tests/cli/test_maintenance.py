import json
from datetime import UTC, datetime, timedelta

import pytest
from tests.cli.runner import Cli

WORRY = "I am very anxious about my finances these days"
WORRIED = "is very anxious about finances these days"


@pytest.fixture
def worried(cli: Cli) -> Cli:
    """Somebody who worried ten weeks ago and has not said so since."""
    said_at = datetime.now(UTC) - timedelta(weeks=10)
    lines = [{"role": "user", "content": WORRY}, {"role": "user", "content": "I live in Porto"}]
    written = "\n".join(json.dumps({**line, "created_at": said_at.isoformat()}) for line in lines)
    (cli.folder / "past.jsonl").write_text(written, "utf-8")
    cli("add", "--file", "past.jsonl")
    return cli


def texts(cli: Cli, *words: str) -> list[str]:
    return [each["memory"] for each in cli.json("list", *words)["results"]]


@pytest.mark.spec("G1", "G2", "G3", "G4")
def test_a_mood_that_was_not_mentioned_again_is_put_away_with_its_reason(worried: Cli) -> None:
    shown = worried("garden")

    assert shown.code == 0
    assert shown.out.startswith("Were put away: 1\n")
    assert f"{WORRIED}  weight under 0.3: last said on " in shown.out
    assert (texts(worried), texts(worried, "--standing", "archived")) == (["lives in Porto"], [WORRIED])
    assert worried("garden").out == "Nothing to put away and nothing to merge.\n"


@pytest.mark.spec("G1")
def test_a_rehearsal_says_what_would_go_and_changes_nothing(worried: Cli) -> None:
    shown, shaped = worried("garden", "--dry-run"), worried.json("garden", "--dry-run")

    assert shown.out.startswith("Would be put away: 1\n")
    assert [(each["memory"], each["weeks"]) for each in shaped["put_away"]] == [(WORRIED, 0)]
    assert (shaped["merged"], shaped["dry_run"]) == ([], True)
    assert WORRIED in texts(worried)


def test_what_was_put_away_comes_back_by_undo(worried: Cli) -> None:
    worried("garden")

    assert worried("undo").out == f"Undone (archive): {WORRIED}\n"
    assert WORRIED in texts(worried)


@pytest.mark.parametrize(
    ("ahead", "weeks"), [("8w", [6]), ("42d", [6]), ("36d", [6]), ("5w", []), ("30d", [])]
)
@pytest.mark.spec("G2")
def test_the_future_can_be_looked_at_in_weeks_and_days(cli: Cli, ahead: str, weeks: list[int]) -> None:
    soon = datetime.now(UTC) + timedelta(hours=1)
    line = {"role": "user", "content": WORRY, "created_at": soon.isoformat()}
    (cli.folder / "now.jsonl").write_text(json.dumps(line), "utf-8")
    cli("add", "--file", "now.jsonl")
    shaped = cli.json("garden", "--simulate", ahead)

    assert [each["weeks"] for each in shaped["put_away"]] == weeks
    assert texts(cli) == [WORRIED]


def test_the_week_of_each_is_shown(cli: Cli) -> None:
    cli("add", "--role", "user", WORRY)

    assert "\nweek 5  emo   " in cli("garden", "--simulate", "8w").out


def test_what_is_pinned_stays(worried: Cli) -> None:
    [mood] = worried.json("list", "--kind", "emo")["results"]
    worried("pin", mood["id"])

    assert worried.json("garden")["put_away"] == []


@pytest.mark.parametrize("span", ["8", "w", "-1w", "8 w", "2m", "9999w", ""])
def test_a_time_that_makes_no_sense_is_refused(cli: Cli, span: str) -> None:
    assert cli("garden", "--simulate", span).code == 2


@pytest.mark.spec("F1")
def test_what_says_the_same_becomes_one(cli: Cli) -> None:
    cli("add", "Likes green tea in the morning")
    cli("add", "likes GREEN TEA, in the morning")
    shaped = cli.json("garden")

    assert [each["others"] for each in shaped["merged"]] == [["likes GREEN TEA, in the morning"]]
    assert len(texts(cli)) == 1
