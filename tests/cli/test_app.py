import json
from pathlib import Path

import pytest
from tests.cli.runner import InProcessCli
from typer.main import get_command

from recollect import __version__, errors
from recollect.cli.app import app, decode_argument, exit_code
from recollect.cli.index import COMMAND_SECTIONS, LazyCommandGroup
from recollect.errors import RecollectError

COMMAND_ROWS = [row for rows in COMMAND_SECTIONS.values() for row in rows]
COMMAND_NAMES = [name for name, _, _ in COMMAND_ROWS]
ERROR_CLASSES = [
    kind for kind in vars(errors).values() if isinstance(kind, type) and issubclass(kind, RecollectError)
]


def load_commands() -> LazyCommandGroup:
    group = get_command(app)
    assert isinstance(group, LazyCommandGroup)
    return group


@pytest.mark.parametrize(("name", "summary"), [(name, summary) for name, _, summary in COMMAND_ROWS])
def test_the_index_says_of_a_command_what_the_command_says_of_itself(name: str, summary: str) -> None:
    command = load_commands().get_command(None, name)

    assert command is not None
    assert (command.help or "").split("\n\n")[0].strip() == summary


@pytest.mark.parametrize("name", COMMAND_NAMES)
def test_every_command_has_a_help_page_with_an_example_and_the_global_options(
    cli: InProcessCli, name: str
) -> None:
    page = cli.run_raw(name, "--help")

    assert page.exit_code == 0
    assert f"Usage: recollect {name}" in page.stdout
    assert "Examples:" in page.stdout
    assert f"\n    recollect {name}" in page.stdout
    for option in ("--db FILE", "--user U", "--json"):
        assert option in page.stdout


@pytest.mark.parametrize(
    "words",
    [("jobs", verb) for verb in ("list", "retry")]
    + [("chats", verb) for verb in ("show", "mode", "edit", "delete", "branch", "forget")]
    + [("settings", verb) for verb in ("list", "get", "set", "unset")]
    + [("erase", verb) for verb in ("memory", "chat", "everything")]
    + [("profile", verb) for verb in ("set", "clear")]
    + [("consent", verb) for verb in ("give", "revoke", "ledger")]
    + [("context-files", verb) for verb in ("add", "show", "attach", "detach", "delete")],
)  # fmt: skip
def test_a_command_of_a_command_has_a_help_page_too(cli: InProcessCli, words: tuple[str, ...]) -> None:
    page = cli.run_raw(*words, "-h")

    assert page.exit_code == 0
    assert f"Usage: recollect {' '.join(words)}" in page.stdout
    assert "Examples:" in page.stdout


def test_the_help_page_lists_every_command_and_the_exit_codes(cli: InProcessCli) -> None:
    page = cli.run_raw("--help")

    assert page.exit_code == 0
    for name, _, summary in COMMAND_ROWS:
        assert f"  {name} " in page.stdout
        assert summary in page.stdout
    assert "Exit codes: 0 success" in page.stdout


def test_who_says_nothing_gets_the_help_page(cli: InProcessCli) -> None:
    assert cli.run_raw() == cli.run_raw("--help")


def test_the_version_can_be_asked_for_with_an_option(cli: InProcessCli) -> None:
    assert cli.run_raw("--version").stdout == f"recollect {__version__}\n"


def test_global_options_may_stand_before_or_after_the_command(cli: InProcessCli) -> None:
    before = cli.run_raw("--db", cli.db, "--user", "ana", "--json", "add", "I like tea a lot")
    after = cli.run_raw("add", "I like tea a lot", "--db", cli.db, "--user", "ana", "--json")
    mixed = cli.run_raw("--db", "other.db", "list", "--db", cli.db, "--user", "ana", "--json")

    assert before.payload["results"][0]["event"] == "ADD"
    assert after.payload["results"][0]["event"] == "REINFORCE"
    assert [each["memory"] for each in mixed.payload["results"]] == ["I like tea a lot"]
    assert not Path("other.db").exists()


def test_an_empty_user_after_the_command_is_not_taken_for_the_default_one(cli: InProcessCli) -> None:
    assert cli("list", "--user", "").exit_code == 2


def test_without_a_file_the_one_in_the_data_folder_is_used_and_named(cli: InProcessCli) -> None:
    first = cli.run_raw("add", "I like tea a lot")
    second = cli.run_raw("list")

    assert first.stderr.startswith(f"Created memory file {cli.folder / 'home'}")
    assert "I like tea a lot" in second.stdout
    assert "Created memory file" not in second.stderr


@pytest.mark.parametrize("kind", ERROR_CLASSES, ids=lambda kind: kind.__name__)
def test_every_error_has_an_exit_code_by_its_family(kind: type[RecollectError]) -> None:
    codes = {errors.InvalidInput: 2, errors.ConfigError: 2, errors.NotFound: 3, errors.Refused: 4}
    expected = [code for family, code in codes.items() if family in kind.__mro__] or [1]

    assert [exit_code(kind())] == expected


def test_an_error_is_told_on_standard_error_without_a_traceback(cli: InProcessCli) -> None:
    answer = cli("show", "nothing-like-it")

    assert (answer.exit_code, answer.stdout) == (3, "")
    assert answer.stderr.splitlines()[-1] == (
        "Error: There is no memory 'nothing-like-it' for this user. `recollect list` shows what there is."
    )
    assert "Traceback" not in answer.stderr


def test_with_json_an_error_is_an_object_as_well(cli: InProcessCli) -> None:
    answer = cli("show", "nothing-like-it", "--json")

    assert answer.exit_code == 3
    assert answer.payload == {
        "error": {
            "type": "NotFound",
            "message": "There is no memory 'nothing-like-it' for this user."
            " `recollect list` shows what there is.",
        }
    }
    assert answer.stderr.startswith("Error: ")


@pytest.mark.parametrize(
    "words",
    [
        (),
        ("serch", "x"),
        ("search",),
        ("search", "x", "--nonsense"),
        ("list", "--kind", "nonsense"),
        ("list", "--limit", "0"),
        ("repair", "--rebuild", "everything"),
        ("jobs", "retry"),
        ("jobs", "retry", "1", "--all"),
        ("add",),
        ("add", "text", "--file", "f.jsonl"),
    ],
)
def test_what_makes_no_sense_as_a_command_is_a_usage_error(cli: InProcessCli, words: tuple[str, ...]) -> None:
    plain, before, after = cli(*words), cli("--json", *words), cli(*words, "--json")

    assert (plain.exit_code, plain.stdout) == (2, "")
    assert "Error: " in plain.stderr
    assert (before.exit_code, after.exit_code) == (2, 2)
    assert list(before.payload) == list(after.payload) == ["error"]


def test_a_text_that_looks_like_an_option_is_a_text_after_two_dashes(cli: InProcessCli) -> None:
    answer = cli("add", "--", "--json")

    assert answer.stdout == "Remembered (note): --json\n"


def test_a_mistyped_command_is_guessed(cli: InProcessCli) -> None:
    assert "Did you mean 'search'?" in cli("serch", "x").stderr


@pytest.mark.parametrize("debug", [False, True])
def test_an_unexpected_error_is_one_line_and_a_traceback_only_with_debug(
    cli: InProcessCli, debug: bool
) -> None:
    # A path with a NUL is refused by Python itself, before any of our code can translate it.
    answer = cli.run_raw(*(["--debug"] if debug else []), "--db", "nul\0.db", "list")

    assert (answer.exit_code, answer.stdout) == (1, "")
    assert ("Traceback" in answer.stderr) is debug
    assert ("run with --debug" in answer.stderr) is not debug
    assert answer.stderr.splitlines()[-1].startswith("Error: ValueError: embedded null byte")


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ("plain", "plain"),
        ("caf\udce9", "caf\ufffd"),
        ("\ud800x", "\ufffdx"),
        ("\ud83e\udd84", "🦄"),
        ("ação", "ação"),
    ],
)
def test_bytes_that_are_no_utf8_become_replacement_characters(given: str, expected: str) -> None:
    assert decode_argument(given) == expected


@pytest.mark.parametrize("query", ["caf\udce9", "\ud800", "a\udcff\udcfeb"])
def test_a_question_that_is_no_utf8_is_asked_all_the_same(cli: InProcessCli, query: str) -> None:
    cli("add", "The café opens at nine o'clock")
    answer = cli("search", query, "--json")

    assert answer.exit_code == 0
    json.loads(answer.stdout)
