import json
import re
from pathlib import Path

import pytest
from scripts.reference_pages import list_commands
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
def test_the_index_has_the_summary_of_each_command(name: str, summary: str) -> None:
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
    [tuple(path.split()[1:]) for path, _ in list_commands() if path.count(" ") > 1],
    ids=" ".join,
)
def test_every_subcommand_has_a_help_page(cli: InProcessCli, words: tuple[str, ...]) -> None:
    page = cli.run_raw(*words, "-h")

    assert page.exit_code == 0
    assert f"Usage: recollect {' '.join(words)}" in page.stdout
    assert "Examples:" in page.stdout


@pytest.mark.parametrize("words", [(name,) for name in COMMAND_NAMES] + [("settings", "models"), ("review",)])
def test_no_summary_of_a_subcommand_is_cut(cli: InProcessCli, words: tuple[str, ...]) -> None:
    assert not re.findall(r"\w\.\.\.$", cli.run_raw(*words, "-h").stdout, re.MULTILINE)


def test_the_help_page_lists_every_command_and_the_exit_codes(cli: InProcessCli) -> None:
    page = cli.run_raw("--help")

    assert page.exit_code == 0
    for name, _, summary in COMMAND_ROWS:
        assert f"  {name} " in page.stdout
        assert summary in page.stdout
    assert "Exit codes: 0 success" in page.stdout


def test_without_arguments_the_help_page_is_printed(cli: InProcessCli) -> None:
    assert cli.run_raw() == cli.run_raw("--help")


def test_the_version_option_prints_the_version(cli: InProcessCli) -> None:
    assert cli.run_raw("--version").stdout == f"recollect {__version__}\n"


def test_global_options_work_before_and_after_the_command(cli: InProcessCli) -> None:
    before = cli.run_raw("--db", cli.db, "--user", "ana", "--json", "add", "I like tea a lot")
    after = cli.run_raw("add", "I like tea a lot", "--db", cli.db, "--user", "ana", "--json")
    mixed = cli.run_raw("--db", "other.db", "memories", "list", "--db", cli.db, "--user", "ana", "--json")

    assert before.payload["results"][0]["event"] == "ADD"
    assert after.payload["results"][0]["event"] == "REINFORCE"
    assert [each["memory"] for each in mixed.payload["results"]] == ["I like tea a lot"]
    assert not Path("other.db").exists()


def test_an_empty_user_is_refused(cli: InProcessCli) -> None:
    assert cli("memories", "list", "--user", "").exit_code == 2


def test_without_db_the_file_in_the_data_folder_is_used_and_reported(cli: InProcessCli) -> None:
    first = cli.run_raw("add", "I like tea a lot")
    second = cli.run_raw("memories", "list")

    assert first.stderr.startswith(f"Created memory file {cli.folder / 'home'}")
    assert "I like tea a lot" in second.stdout
    assert "Created memory file" not in second.stderr


@pytest.mark.parametrize(
    "words",
    [
        ["memories", "list"], ["search", "tea"], ["context", "tea"], ["chats", "list"], ["receipts"], ["why"],
        ["export"], ["memories", "forget", "01k9", "--yes"], ["privacy", "consent", "list"],
        ["maintenance", "forecast"], ["add", " "],
    ],
)  # fmt: skip
def test_reading_a_mistyped_file_creates_nothing(cli: InProcessCli, words: list[str]) -> None:
    result = cli.run_raw("--db", cli.folder / "typo" / "memory.db", *words)

    assert result.exit_code != 0
    assert not (cli.folder / "typo").exists()


def test_previews_and_settings_need_no_file(cli: InProcessCli) -> None:
    file = cli.folder / "typo" / "memory.db"
    notes = cli.folder / "notes.md"
    notes.write_text("- I like tea a lot\n- I hate cilantro\n", "utf-8")

    assert str(file) in cli.run_raw("--db", file, "settings", "get", "db").stdout
    assert cli.run_raw("--db", file, "settings", "list").exit_code == 0
    assert cli.run_raw("--db", file, "settings", "models").exit_code == 0
    assert cli.run_raw("--db", file, "import", notes, "--dry-run").exit_code == 0
    assert not file.parent.exists()


def test_the_store_may_be_named_by_a_url(cli: InProcessCli) -> None:
    cli.run_raw("--db", f"sqlite:///{cli.db}", "add", "I like tea a lot")

    assert "I like tea a lot" in cli("memories", "list").stdout


def test_an_unreachable_server_is_named_without_its_password(cli: InProcessCli) -> None:
    result = cli.run_raw("--db", "postgresql://ana:hunter2@127.0.0.1:1/memory", "memories", "list")

    assert result.exit_code == 1
    assert "cannot be reached" in result.stderr
    assert "postgresql://127.0.0.1/memory" in result.stderr
    assert "hunter2" not in result.stderr


@pytest.mark.parametrize("kind", ERROR_CLASSES, ids=lambda kind: kind.__name__)
def test_every_error_has_the_exit_code_of_its_base_class(kind: type[RecollectError]) -> None:
    codes = {errors.InvalidInput: 2, errors.ConfigError: 2, errors.NotFound: 3, errors.Refused: 4}
    expected = [code for family, code in codes.items() if family in kind.__mro__] or [1]

    assert [exit_code(kind())] == expected


def test_an_error_is_printed_to_standard_error_without_a_traceback(cli: InProcessCli) -> None:
    result = cli("memories", "show", "nothing-like-it")

    assert (result.exit_code, result.stdout) == (3, "")
    assert result.stderr.splitlines()[-1] == (
        "Error: There is no memory 'nothing-like-it' for this user. `recollect memories list` shows what there is."
    )
    assert "Traceback" not in result.stderr


def test_with_json_an_error_is_printed_as_an_object(cli: InProcessCli) -> None:
    result = cli("memories", "show", "nothing-like-it", "--json")

    assert result.exit_code == 3
    assert result.payload == {
        "error": {
            "type": "NotFound",
            "message": "There is no memory 'nothing-like-it' for this user."
            " `recollect memories list` shows what there is.",
        }
    }
    assert result.stderr.startswith("Error: ")


@pytest.mark.parametrize(
    "words",
    [
        (),
        ("serch", "x"),
        ("search",),
        ("search", "x", "--nonsense"),
        ("memories", "list", "--kind", "nonsense"),
        ("memories", "list", "--limit", "0"),
        ("maintenance", "repair", "--rebuild", "everything"),
        ("maintenance", "jobs", "retry"),
        ("maintenance", "jobs", "retry", "1", "--all"),
        ("chats", "delete"),
        ("chats", "delete", "trip", "--message", "x"),
        ("add",),
        ("add", "text", "--file", "f.jsonl"),
    ],
)
def test_an_invalid_command_line_is_a_usage_error(cli: InProcessCli, words: tuple[str, ...]) -> None:
    plain, before, after = cli(*words), cli("--json", *words), cli(*words, "--json")

    assert (plain.exit_code, plain.stdout) == (2, "")
    assert "Error: " in plain.stderr
    assert (before.exit_code, after.exit_code) == (2, 2)
    assert list(before.payload) == list(after.payload) == ["error"]


def test_an_invalid_choice_names_the_choices_only(cli: InProcessCli) -> None:
    result = cli("add", "some words", "--kind", "hobby")

    assert "Invalid value for '--kind': 'hobby' is not one of 'biography'" in result.stderr


def test_an_unanswered_question_is_not_the_error(cli: InProcessCli) -> None:
    memory_id = cli.add_memory("I like tea a lot")
    result = cli("memories", "forget", memory_id)

    assert result.exit_code == 4
    assert result.stderr.endswith(
        "Forget 1 memory?\nError: Not an interactive terminal: add --yes to confirm.\n"
    )


@pytest.mark.parametrize("words", [("context", " "), ("search", ""), ("explain", "\n"), ("add", "")])
def test_an_empty_text_is_refused(cli: InProcessCli, words: tuple[str, ...]) -> None:
    result = cli(*words)

    assert (result.exit_code, result.stdout) == (2, "")
    assert "The text is empty" in result.stderr


def test_a_folder_is_no_memory_file(cli: InProcessCli) -> None:
    result = cli.run_raw("--db", cli.folder, "memories")

    assert result.exit_code == 2
    assert "is a folder. Give the path of a memory file." in result.stderr


def test_arguments_after_two_dashes_are_not_options(cli: InProcessCli) -> None:
    result = cli("add", "--", "--json")

    assert result.stdout == "Remembered (note): --json\n"


def test_a_mistyped_command_gets_a_suggestion(cli: InProcessCli) -> None:
    assert "Did you mean 'search'?" in cli("serch", "x").stderr


def test_a_subcommand_without_its_group_gets_a_suggestion(cli: InProcessCli) -> None:
    assert "Did you mean 'privacy erase'?" in cli("erase", "everything").stderr
    assert "Did you mean 'settings tune'?" in cli("tune").stderr
    assert "'memories list', 'review list', 'chats list'" in cli("list").stderr
    assert "Did you mean" not in cli("garden").stderr


def test_a_group_without_a_subcommand_lists_or_shows(cli: InProcessCli) -> None:
    cli("add", "I like tea a lot", "--chat", "kitchen")

    for group, default in (
        ("memories", "list"),
        ("chats", "list"),
        ("profile", "show"),
        ("settings", "list"),
    ):
        assert cli.json(group) == cli.json(group, default)
    assert cli.json("memories", "--limit", "1") == cli.json("memories", "list", "--limit", "1")
    assert cli("maintenance") == cli("maintenance", "--help")


@pytest.mark.parametrize("debug", [False, True])
def test_an_unexpected_error_is_one_line_and_a_traceback_only_with_debug(
    cli: InProcessCli, debug: bool
) -> None:
    # A path with a NUL is refused by Python itself, before any of our code can translate it.
    result = cli.run_raw(*(["--debug"] if debug else []), "--db", "nul\0.db", "add", "some words")

    assert (result.exit_code, result.stdout) == (1, "")
    assert ("Traceback" in result.stderr) is debug
    assert ("run with --debug" in result.stderr) is not debug
    assert result.stderr.splitlines()[-1].startswith("Error: ValueError: embedded null byte")


@pytest.mark.parametrize(
    ("argument", "expected"),
    [
        ("plain", "plain"),
        ("caf\udce9", "caf\ufffd"),
        ("\ud800x", "\ufffdx"),
        ("\ud83e\udd84", "🦄"),
        ("ação", "ação"),
    ],
)
def test_invalid_utf8_becomes_replacement_characters(argument: str, expected: str) -> None:
    assert decode_argument(argument) == expected


@pytest.mark.parametrize("query", ["caf\udce9", "\ud800", "a\udcff\udcfeb"])
def test_a_query_with_invalid_utf8_is_searched(cli: InProcessCli, query: str) -> None:
    cli("add", "The café opens at nine o'clock")
    result = cli("search", query, "--json")

    assert result.exit_code == 0
    json.loads(result.stdout)
