import pytest
from tests.cli.runner import InProcessCli

GUIDE_TEXT = (
    "We write commit messages in the imperative.\nThe deploy key of the lighthouse is kept in the vault.\n"
)


@pytest.fixture
def cli_with_file(cli: InProcessCli) -> InProcessCli:
    (cli.folder / "guide.md").write_text(GUIDE_TEXT, "utf-8")
    assert cli("profile", "context-files", "add", "guide", "guide.md", "--chat", "work").exit_code == 0
    return cli


def test_a_context_file_is_stored_listed_and_shown(cli_with_file: InProcessCli) -> None:
    text_result, [file] = (
        cli_with_file("profile", "context-files"),
        cli_with_file.json("profile", "context-files")["results"],
    )

    assert (file["name"], file["chats"], file["characters"]) == ("guide", ["work"], len(GUIDE_TEXT))
    assert "guide" in text_result.stdout
    assert cli_with_file("profile", "context-files", "show", "guide").stdout == GUIDE_TEXT
    assert cli_with_file.json("profile", "context-files", "show", file["id"])["content"] == GUIDE_TEXT


@pytest.mark.spec("M13")
def test_an_attached_file_is_in_every_prompt_of_its_chat(cli_with_file: InProcessCli) -> None:
    attached_context, other_context = (
        cli_with_file("context", "hello", "--chat", "work"),
        cli_with_file("context", "hello", "--chat", "play"),
    )

    assert "lighthouse" in attached_context.stdout
    assert "lighthouse" not in other_context.stdout


def test_a_file_is_attached_and_detached(cli_with_file: InProcessCli) -> None:
    attach_result = cli_with_file("profile", "context-files", "attach", "guide", "--chat", "play")
    detach_result = cli_with_file("profile", "context-files", "detach", "guide", "--chat", "work")

    assert attach_result.stdout == "guide is attached to work, play.\n"
    assert detach_result.stdout == "guide is detached from work.\n"
    assert cli_with_file.json("profile", "context-files")["results"][0]["chats"] == ["play"]


def test_a_file_is_read_from_standard_input(cli: InProcessCli) -> None:
    result = cli("profile", "context-files", "add", "notes", "-", stdin=b"The harbour opens at nine.")

    assert result.stdout == "Added notes (26 characters).\n"
    assert "attach notes --chat C" in result.stderr


@pytest.mark.spec("F3")
def test_facts_of_a_context_file_are_not_stored_as_memories(cli: InProcessCli) -> None:
    cli("profile", "context-files", "add", "me", "-", stdin=b"Ana lives in Porto. She is a nurse.")
    cli("add", "--role", "user", "I live in Porto")

    assert cli.json("memories", "list")["results"] == []


def test_deleting_a_context_file_needs_confirmation(cli_with_file: InProcessCli) -> None:
    refused_result, result = (
        cli_with_file("profile", "context-files", "delete", "guide"),
        cli_with_file("profile", "context-files", "delete", "guide", "--yes"),
    )

    assert refused_result.exit_code == 4
    assert "Delete context file guide, attached to work?" in refused_result.stderr
    assert result.stdout == "Deleted context file guide.\n"
    assert "No context files yet." in cli_with_file("profile", "context-files").stderr


@pytest.mark.parametrize(
    ("words", "code"),
    [
        (("add", "guide", "guide.md"), 2),
        (("add", "other", "nowhere.md"), 2),
        (("show", "nothing"), 3),
        (("attach", "guide"), 2),
        (("attach", "nothing", "--chat", "work"), 3),
        (("delete", "nothing", "--yes"), 3),
    ],
)
def test_invalid_requests_have_their_exit_code(
    cli_with_file: InProcessCli, words: tuple[str, ...], code: int
) -> None:
    assert cli_with_file("profile", "context-files", *words).exit_code == code
