import json
from pathlib import Path

import pytest
from tests.cli.runner import Cli
from typer.main import get_command

from recollect import __version__, errors
from recollect.cli.app import app, exit_code, mended
from recollect.cli.index import SECTIONS, Commands
from recollect.errors import RecollectError

ROWS = [row for rows in SECTIONS.values() for row in rows]
NAMES = [name for name, _, _ in ROWS]
TREE = [kind for kind in vars(errors).values() if isinstance(kind, type) and issubclass(kind, RecollectError)]


def commands() -> Commands:
    group = get_command(app)
    assert isinstance(group, Commands)
    return group


@pytest.mark.parametrize(("name", "summary"), [(name, summary) for name, _, summary in ROWS])
def test_the_index_says_of_a_command_what_the_command_says_of_itself(name: str, summary: str) -> None:
    command = commands().get_command(None, name)

    assert command is not None
    assert (command.help or "").split("\n\n")[0].strip() == summary


@pytest.mark.parametrize("name", NAMES)
def test_every_command_has_a_help_page_with_an_example_and_the_global_options(cli: Cli, name: str) -> None:
    page = cli.bare(name, "--help")

    assert page.code == 0
    assert f"Usage: recollect {name}" in page.out
    assert "Examples:" in page.out
    assert f"\n    recollect {name}" in page.out
    for option in ("--db FILE", "--user U", "--json"):
        assert option in page.out


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
def test_a_command_of_a_command_has_a_help_page_too(cli: Cli, words: tuple[str, ...]) -> None:
    page = cli.bare(*words, "-h")

    assert page.code == 0
    assert f"Usage: recollect {' '.join(words)}" in page.out
    assert "Examples:" in page.out


def test_the_help_page_lists_every_command_and_the_exit_codes(cli: Cli) -> None:
    page = cli.bare("--help")

    assert page.code == 0
    for name, _, summary in ROWS:
        assert f"  {name} " in page.out
        assert summary in page.out
    assert "Exit codes: 0 done" in page.out


def test_who_says_nothing_gets_the_help_page(cli: Cli) -> None:
    assert cli.bare() == cli.bare("--help")


def test_the_version_can_be_asked_for_with_an_option(cli: Cli) -> None:
    assert cli.bare("--version").out == f"recollect {__version__}\n"


def test_global_options_may_stand_before_or_after_the_command(cli: Cli) -> None:
    before = cli.bare("--db", cli.db, "--user", "ana", "--json", "add", "I like tea a lot")
    after = cli.bare("add", "I like tea a lot", "--db", cli.db, "--user", "ana", "--json")
    mixed = cli.bare("--db", "other.db", "list", "--db", cli.db, "--user", "ana", "--json")

    assert before.shape["results"][0]["event"] == "ADD"
    assert after.shape["results"][0]["event"] == "REINFORCE"
    assert [each["memory"] for each in mixed.shape["results"]] == ["I like tea a lot"]
    assert not Path("other.db").exists()


def test_an_empty_user_after_the_command_is_not_taken_for_the_default_one(cli: Cli) -> None:
    assert cli("list", "--user", "").code == 2


def test_without_a_file_the_one_in_the_data_folder_is_used_and_named(cli: Cli) -> None:
    first = cli.bare("add", "I like tea a lot")
    second = cli.bare("list")

    assert first.err.startswith(f"New memory file: {cli.folder / 'home'}")
    assert "I like tea a lot" in second.out
    assert "New memory file" not in second.err


@pytest.mark.parametrize("kind", TREE, ids=lambda kind: kind.__name__)
def test_every_error_has_an_exit_code_by_its_family(kind: type[RecollectError]) -> None:
    codes = {errors.InvalidInput: 2, errors.ConfigError: 2, errors.NotFound: 3, errors.Refused: 4}
    expected = [code for family, code in codes.items() if family in kind.__mro__] or [1]

    assert [exit_code(kind())] == expected


def test_an_error_is_told_on_standard_error_without_a_traceback(cli: Cli) -> None:
    answer = cli("show", "nothing-like-it")

    assert (answer.code, answer.out) == (3, "")
    assert answer.err.splitlines()[-1] == (
        "Error: There is no memory 'nothing-like-it' for this user. `recollect list` shows what there is."
    )
    assert "Traceback" not in answer.err


def test_with_json_an_error_is_an_object_as_well(cli: Cli) -> None:
    answer = cli("show", "nothing-like-it", "--json")

    assert answer.code == 3
    assert answer.shape == {
        "error": {
            "type": "NotFound",
            "message": "There is no memory 'nothing-like-it' for this user."
            " `recollect list` shows what there is.",
        }
    }
    assert answer.err.startswith("Error: ")


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
def test_what_makes_no_sense_as_a_command_is_a_usage_error(cli: Cli, words: tuple[str, ...]) -> None:
    plain, before, after = cli(*words), cli("--json", *words), cli(*words, "--json")

    assert (plain.code, plain.out) == (2, "")
    assert "Error: " in plain.err
    assert (before.code, after.code) == (2, 2)
    assert list(before.shape) == list(after.shape) == ["error"]


def test_a_text_that_looks_like_an_option_is_a_text_after_two_dashes(cli: Cli) -> None:
    answer = cli("add", "--", "--json")

    assert answer.out == "Remembered (note): --json\n"


def test_a_mistyped_command_is_guessed(cli: Cli) -> None:
    assert "Did you mean 'search'?" in cli("serch", "x").err


@pytest.mark.parametrize("debug", [False, True])
def test_an_unexpected_error_is_one_line_and_a_traceback_only_with_debug(cli: Cli, debug: bool) -> None:
    # A path with a NUL is refused by Python itself, before any of our code can translate it.
    answer = cli.bare(*(["--debug"] if debug else []), "--db", "nul\0.db", "list")

    assert (answer.code, answer.out) == (1, "")
    assert ("Traceback" in answer.err) is debug
    assert ("run with --debug" in answer.err) is not debug
    assert answer.err.splitlines()[-1].startswith("Error: ValueError: embedded null byte")


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
    assert mended(given) == expected


@pytest.mark.parametrize("query", ["caf\udce9", "\ud800", "a\udcff\udcfeb"])
def test_a_question_that_is_no_utf8_is_asked_all_the_same(cli: Cli, query: str) -> None:
    cli("add", "The café opens at nine o'clock")
    answer = cli("search", query, "--json")

    assert answer.code == 0
    json.loads(answer.out)
