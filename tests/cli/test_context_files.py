import pytest
from tests.cli.runner import Cli

GUIDE = (
    "We write commit messages in the imperative.\nThe deploy key of the lighthouse is kept in the vault.\n"
)


@pytest.fixture
def kept(cli: Cli) -> Cli:
    (cli.folder / "guide.md").write_text(GUIDE, "utf-8")
    assert cli("context-files", "add", "guide", "guide.md", "--chat", "work").code == 0
    return cli


def test_a_file_is_kept_listed_and_shown(kept: Cli) -> None:
    shown, [listed] = kept("context-files"), kept.json("context-files")["results"]

    assert (listed["name"], listed["chats"], listed["characters"]) == ("guide", ["work"], len(GUIDE))
    assert "guide" in shown.out
    assert kept("context-files", "show", "guide").out == GUIDE
    assert kept.json("context-files", "show", listed["id"])["content"] == GUIDE


@pytest.mark.spec("M13")
def test_an_attached_file_stands_in_every_prompt_of_its_chat(kept: Cli) -> None:
    here, elsewhere = kept("context", "hello", "--chat", "work"), kept("context", "hello", "--chat", "play")

    assert "lighthouse" in here.out
    assert "lighthouse" not in elsewhere.out


def test_a_file_is_attached_and_detached(kept: Cli) -> None:
    attached = kept("context-files", "attach", "guide", "--chat", "play")
    detached = kept("context-files", "detach", "guide", "--chat", "work")

    assert attached.out == "guide is at hand in work, play.\n"
    assert detached.out == "guide is no longer at hand in work.\n"
    assert kept.json("context-files")["results"][0]["chats"] == ["play"]


def test_a_file_is_read_from_standard_input(cli: Cli) -> None:
    answer = cli("context-files", "add", "notes", "-", given=b"The harbour opens at nine.")

    assert answer.out == "Kept notes (26 characters).\n"
    assert "attach notes --chat C" in answer.err


@pytest.mark.spec("F3")
def test_what_a_context_file_says_is_not_remembered_a_second_time(cli: Cli) -> None:
    cli("context-files", "add", "me", "-", given=b"Ana lives in Porto. She is a nurse.")
    cli("add", "--role", "user", "I live in Porto")

    assert cli.json("list")["results"] == []


def test_a_file_is_deleted_when_somebody_agrees(kept: Cli) -> None:
    refused, answer = (
        kept("context-files", "delete", "guide"),
        kept("context-files", "delete", "guide", "--yes"),
    )

    assert refused.code == 4
    assert "Delete context file guide, which is at hand in work?" in refused.err
    assert answer.out == "Deleted context file guide.\n"
    assert "No context files yet." in kept("context-files").err


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
def test_what_cannot_be_done_says_so(kept: Cli, words: tuple[str, ...], code: int) -> None:
    assert kept("context-files", *words).code == code
