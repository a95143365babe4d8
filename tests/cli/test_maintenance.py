import json
from datetime import UTC, datetime, timedelta

import pytest
from tests.cli.runner import InProcessCli

WORRY_TEXT = "I am very anxious about my finances these days"
WORRY_MEMORY = "is very anxious about finances these days"


@pytest.fixture
def cli_with_old_mood(cli: InProcessCli) -> InProcessCli:
    """A mood stated ten weeks ago and not again since."""
    said_at = datetime.now(UTC) - timedelta(weeks=10)
    lines = [{"role": "user", "content": WORRY_TEXT}, {"role": "user", "content": "I live in Porto"}]
    lines_text = "\n".join(json.dumps({**line, "created_at": said_at.isoformat()}) for line in lines)
    (cli.folder / "past.jsonl").write_text(lines_text, "utf-8")
    cli("add", "--file", "past.jsonl")
    return cli


def texts(cli: InProcessCli, *words: str) -> list[str]:
    return [each["memory"] for each in cli.json("memories", "list", *words)["results"]]


@pytest.mark.spec("G1", "G2", "G3", "G4")
def test_a_decayed_mood_is_archived_with_its_reason(
    cli_with_old_mood: InProcessCli,
) -> None:
    text_result = cli_with_old_mood("maintenance", "run")

    assert text_result.exit_code == 0
    assert text_result.stdout.startswith("Archived: 1\n")
    assert f"{WORRY_MEMORY}  weight below 0.30: last mentioned on " in text_result.stdout
    assert (texts(cli_with_old_mood), texts(cli_with_old_mood, "--status", "archived")) == (
        ["lives in Porto"],
        [WORRY_MEMORY],
    )
    assert cli_with_old_mood("maintenance", "run").stdout == "Nothing to archive and nothing to merge.\n"


def test_the_list_shows_the_weight_that_is_left(cli_with_old_mood: InProcessCli) -> None:
    listed = cli_with_old_mood.json("memories", "list")["results"]

    assert {each["memory"]: each["weight"] for each in listed} == {"lives in Porto": 1.0, WORRY_MEMORY: 0.0}


@pytest.mark.spec("G1")
def test_a_dry_run_shows_what_would_be_archived_and_changes_nothing(cli_with_old_mood: InProcessCli) -> None:
    text_result, payload = (
        cli_with_old_mood("maintenance", "run", "--dry-run"),
        cli_with_old_mood.json("maintenance", "run", "--dry-run"),
    )

    assert text_result.stdout.startswith("Would archive: 1\n")
    assert [(each["memory"], each["weeks"]) for each in payload["put_away"]] == [(WORRY_MEMORY, 0)]
    assert (payload["merged"], payload["dry_run"]) == ([], True)
    assert WORRY_MEMORY in texts(cli_with_old_mood)


def test_archiving_by_maintenance_can_be_undone(cli_with_old_mood: InProcessCli) -> None:
    cli_with_old_mood("maintenance", "run")

    assert cli_with_old_mood("memories", "undo").stdout == f"Undone (archive): {WORRY_MEMORY}\n"
    assert WORRY_MEMORY in texts(cli_with_old_mood)


@pytest.mark.parametrize(
    ("time_span", "weeks"), [("8w", [6]), ("42d", [6]), ("36d", [6]), ("5w", []), ("30d", [])]
)
@pytest.mark.spec("G2")
def test_decay_is_forecast_for_weeks_and_days(cli: InProcessCli, time_span: str, weeks: list[int]) -> None:
    soon = datetime.now(UTC) + timedelta(hours=1)
    line = {"role": "user", "content": WORRY_TEXT, "created_at": soon.isoformat()}
    (cli.folder / "now.jsonl").write_text(json.dumps(line), "utf-8")
    cli("add", "--file", "now.jsonl")
    payload = cli.json("maintenance", "forecast", time_span)

    assert [each["weeks"] for each in payload["put_away"]] == weeks
    assert texts(cli) == [WORRY_MEMORY]


def test_the_forecast_shows_the_week(cli: InProcessCli) -> None:
    cli("add", "--role", "user", WORRY_TEXT)

    assert "\nweek 5  emotion  " in cli("maintenance", "forecast", "8w").stdout


def test_a_pinned_memory_is_not_archived(cli_with_old_mood: InProcessCli) -> None:
    [mood] = cli_with_old_mood.json("memories", "list", "--kind", "emotion")["results"]
    cli_with_old_mood("memories", "pin", mood["id"])

    assert cli_with_old_mood.json("maintenance", "run")["put_away"] == []


@pytest.mark.parametrize("time_span", ["8", "w", "-1w", "8 w", "2m", "9999w", ""])
def test_an_invalid_time_span_is_refused(cli: InProcessCli, time_span: str) -> None:
    assert cli("maintenance", "forecast", time_span).exit_code == 2


@pytest.mark.spec("F1")
def test_duplicates_are_merged(cli: InProcessCli) -> None:
    cli("add", "Likes green tea in the morning")
    cli("add", "likes GREEN TEA, in the morning")
    payload = cli.json("maintenance", "run")

    assert [each["others"] for each in payload["merged"]] == [["likes GREEN TEA, in the morning"]]
    assert len(texts(cli)) == 1
