import pytest
from tests.cli.runner import InProcessCli

from recollect import Memory
from recollect.cli.settings import PRESET_DESCRIPTIONS
from recollect.domain.policy import PRESETS
from recollect.settings import list_specs


def read_setting(cli: InProcessCli, name: str) -> tuple[object, str, str]:
    found = cli.json("settings", "get", name)
    return found["value"], found["source"], found["origin"]


def test_every_setting_is_listed_with_its_value_and_where_it_came_from(
    cli: InProcessCli, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RAG_HYBRID", "false")
    shown, shaped = cli("settings"), cli.json("settings", "list")
    rows = {each["name"]: each for each in shaped["results"]}

    assert set(rows) == {row.name for row in list_specs()}
    assert (rows["recall.hybrid"]["value"], rows["recall.hybrid"]["origin"]) == (False, "RAG_HYBRID")
    assert (rows["db"]["value"], rows["db"]["source"]) == (str(cli.db), "call")
    assert "environment RAG_HYBRID" in shown.stdout


def test_a_secret_is_never_shown(cli: InProcessCli, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RECOLLECT_EMBEDDER_KEY", "sk-secret-123")

    for words in (("settings",), ("settings", "--json"), ("settings", "get", "embedder_key")):
        assert "sk-secret" not in cli(*words).stdout


@pytest.mark.spec("Q16")
def test_a_preference_wins_over_the_environment_until_it_is_taken_back(
    cli: InProcessCli, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RECOLLECT_RECALL_LIMIT", "7")
    shown = cli("settings", "set", "recall.limit", "3")
    preferred = read_setting(cli, "recall.limit")
    cli("settings", "unset", "recall.limit")

    assert (shown.exit_code, shown.stdout) == (0, "recall.limit is now 3 for default.\n")
    assert preferred == (3, "preference", "preferences")
    assert read_setting(cli, "recall.limit") == (7, "environment", "RECOLLECT_RECALL_LIMIT")


@pytest.mark.spec("Q17")
def test_a_flag_set_here_holds_for_the_next_call_of_a_process_that_is_running(cli: InProcessCli) -> None:
    with Memory(cli.db, settings={"worker": False}) as memory:
        memory.add("I ride a red bicycle to work every day")
        memory.search("bicycle")
        before = memory.why()["flags"]
        cli("settings", "set", "recall.hybrid", "off")
        memory.search("bicycle")
        after = memory.why()["flags"]

    assert isinstance(before, dict)
    assert isinstance(after, dict)
    assert (before["hybrid"], after["hybrid"]) == (True, False)


def test_a_preference_is_the_users_own(cli: InProcessCli) -> None:
    cli("settings", "set", "recall.limit", "3", "--user", "ana")

    assert read_setting(cli, "recall.limit")[1] == "default"


def test_another_programs_name_for_a_setting_will_do(cli: InProcessCli) -> None:
    shaped = cli.json("settings", "set", "RAG_HYBRID", "no")

    assert (shaped["name"], shaped["value"], shaped["source"]) == ("recall.hybrid", False, "preference")
    assert read_setting(cli, "RAG_HYBRID")[0] is False
    assert cli.json("settings", "unset", "RAG_HYBRID")["unset"] is True


def test_taking_back_what_was_not_set_says_so(cli: InProcessCli) -> None:
    shown, shaped = cli("settings", "unset", "recall.limit"), cli.json("settings", "unset", "recall.limit")

    assert shown.stdout == "No preference was set. recall.limit is 8 (default).\n"
    assert shaped["unset"] is False


@pytest.mark.parametrize(
    ("words", "hint"),
    [
        (("set", "recal.limit", "3"), "Did you mean recall.limit?"),
        (("get", "recal.limit"), "Did you mean recall.limit?"),
        (("unset", "nonsense-xyz"), "Unknown setting nonsense-xyz."),
        (("set", "recall.limit", "many"), "It takes a whole number"),
        (("set", "db", "other.db"), "is a setting of this machine"),
    ],
)
def test_a_name_or_value_that_makes_no_sense_is_exit_code_2(
    cli: InProcessCli, words: tuple[str, ...], hint: str
) -> None:
    answer = cli("settings", *words)

    assert answer.exit_code == 2
    assert hint in answer.stderr


def test_a_setting_shows_what_it_takes(cli: InProcessCli) -> None:
    shown = cli("settings", "get", "context.format")

    assert "one of: facts, smart" in shown.stdout
    assert "RECOLLECT_CONTEXT_FORMAT" in shown.stdout


def test_settings_that_hardly_make_sense_are_a_warning(
    cli: InProcessCli, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RAG_TOKEN_BUDGET", "10")
    answer = cli("settings")

    assert answer.exit_code == 0
    assert "Warning: context.budget is 10" in answer.stderr


def test_every_preset_is_explained_with_what_it_changes(cli: InProcessCli) -> None:
    shown, shaped = cli("presets"), cli.json("presets")

    assert set(PRESET_DESCRIPTIONS) == set(PRESETS)
    assert [each["name"] for each in shaped["results"]] == list(PRESETS)
    assert shaped["results"][3]["values"]["extraction.mode"] == "off"
    for name in PRESETS:
        assert name in shown.stdout


def test_one_preset_can_be_looked_at_and_chosen(cli: InProcessCli) -> None:
    shown = cli("presets", "dev")
    cli("settings", "set", "preset", "dev")

    assert "extraction.mode" in shown.stdout
    assert read_setting(cli, "extraction.mode") == ("off", "preset", "dev")
    assert cli("presets", "nonsense").exit_code == 2
