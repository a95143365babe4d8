import re

import pytest
from tests.cli.runner import InProcessCli, run_on_terminal

from recollect import Memory
from recollect.cli.settings import PRESET_DESCRIPTIONS
from recollect.domain.policy import PRESETS
from recollect.settings import list_specs


def read_setting(cli: InProcessCli, name: str) -> tuple[object, str, str]:
    payload = cli.json("settings", "get", name)
    return payload["value"], payload["source"], payload["origin"]


def test_every_setting_is_listed_with_value_and_source(
    cli: InProcessCli, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RAG_HYBRID", "false")
    text_result, payload = cli("settings"), cli.json("settings", "list")
    rows = {each["name"]: each for each in payload["results"]}

    assert set(rows) == {row.name for row in list_specs()}
    assert (rows["recall.hybrid"]["value"], rows["recall.hybrid"]["origin"]) == (False, "RAG_HYBRID")
    assert (rows["db"]["value"], rows["db"]["source"]) == (str(cli.db), "call")
    assert "environment RAG_HYBRID" in text_result.stdout


def test_on_a_terminal_each_setting_has_its_description_below(cli: InProcessCli) -> None:
    code, output = run_on_terminal("--db", cli.db, "settings", "list", env={"COLUMNS": "80", "NO_COLOR": "1"})
    lines = re.sub(r"\x1b\[[0-9;]*m", "", output).splitlines()

    assert code == 0
    assert lines[lines.index("recall.limit = 8  (default)") + 1].startswith("    Maximum passages")


def test_a_secret_is_never_shown(cli: InProcessCli, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RECOLLECT_EMBEDDER_KEY", "sk-secret-123")

    for words in (("settings",), ("settings", "--json"), ("settings", "get", "embedder_key")):
        assert "sk-secret" not in cli(*words).stdout


@pytest.mark.spec("Q16")
def test_a_preference_overrides_the_environment_until_it_is_unset(
    cli: InProcessCli, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RECOLLECT_RECALL_LIMIT", "7")
    text_result = cli("settings", "set", "recall.limit", "3")
    preference = read_setting(cli, "recall.limit")
    cli("settings", "unset", "recall.limit")

    assert (text_result.exit_code, text_result.stdout) == (0, "recall.limit is now 3 for default.\n")
    assert preference == (3, "preference", "preferences")
    assert read_setting(cli, "recall.limit") == (7, "environment", "RECOLLECT_RECALL_LIMIT")


@pytest.mark.spec("Q17")
def test_a_changed_setting_applies_to_the_next_call_of_a_running_process(cli: InProcessCli) -> None:
    with Memory(cli.db, settings={"worker": False}) as memory:
        memory.add("I ride a red bicycle to work every day")
        memory.search("bicycle")
        before = memory.receipts.get()
        cli("settings", "set", "recall.hybrid", "off")
        memory.search("bicycle")
        after = memory.receipts.get()

    assert (before.hybrid, after.hybrid) == (True, False)


def test_a_preference_applies_to_its_user_only(cli: InProcessCli) -> None:
    cli("settings", "set", "recall.limit", "3", "--user", "ana")

    assert read_setting(cli, "recall.limit")[1] == "default"


def test_an_alias_of_a_setting_is_accepted(cli: InProcessCli) -> None:
    payload = cli.json("settings", "set", "RAG_HYBRID", "no")

    assert (payload["name"], payload["value"], payload["source"]) == ("recall.hybrid", False, "preference")
    assert read_setting(cli, "RAG_HYBRID")[0] is False
    assert cli.json("settings", "unset", "RAG_HYBRID")["unset"] is True


def test_unsetting_a_preference_that_is_not_set_is_reported(cli: InProcessCli) -> None:
    text_result, payload = (
        cli("settings", "unset", "recall.limit"),
        cli.json("settings", "unset", "recall.limit"),
    )

    assert text_result.stdout == "No preference was set. recall.limit is 8 (default).\n"
    assert payload["unset"] is False


@pytest.mark.parametrize(
    ("words", "hint"),
    [
        (("set", "recal.limit", "3"), "Did you mean recall.limit?"),
        (("get", "recal.limit"), "Did you mean recall.limit?"),
        (("unset", "nonsense-xyz"), "Unknown setting nonsense-xyz."),
        (("set", "recall.limit", "many"), "It takes a whole number"),
        (("set", "recall.limit", "-1"), "recall.limit cannot be '-1'"),
        (("set", "db", "other.db"), "is a setting of this machine"),
    ],
)
def test_an_invalid_name_or_value_is_exit_code_2(
    cli: InProcessCli, words: tuple[str, ...], hint: str
) -> None:
    result = cli("settings", *words)

    assert result.exit_code == 2
    assert hint in result.stderr


def test_a_setting_shows_its_accepted_values(cli: InProcessCli) -> None:
    text_result = cli("settings", "get", "context.format")

    assert "one of: notes, facts, smart" in text_result.stdout
    assert "RECOLLECT_CONTEXT_FORMAT" in text_result.stdout


def test_questionable_settings_are_a_warning(cli: InProcessCli, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RAG_TOKEN_BUDGET", "10")
    result = cli("settings")

    assert result.exit_code == 0
    assert "Warning: context.budget is 10" in result.stderr


def test_every_preset_is_explained_with_what_it_changes(cli: InProcessCli) -> None:
    text_result, payload = cli("settings", "presets"), cli.json("settings", "presets")

    assert set(PRESET_DESCRIPTIONS) == set(PRESETS)
    assert [each["name"] for each in payload["results"]] == list(PRESETS)
    assert payload["results"][3]["values"]["extraction.mode"] == "off"
    for name in PRESETS:
        assert name in text_result.stdout


def test_a_preset_can_be_shown_and_selected(cli: InProcessCli) -> None:
    text_result = cli("settings", "presets", "dev")
    cli("settings", "set", "preset", "dev")

    assert "extraction.mode" in text_result.stdout
    assert read_setting(cli, "extraction.mode") == ("off", "preset", "dev")
    assert cli("settings", "presets", "nonsense").exit_code == 2
