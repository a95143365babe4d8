import pytest
from tests.cli.runner import InProcessCli, run_on_terminal

SECRET_TEXT = "The treasure is buried under the old walnut tree"


def file_contains(cli: InProcessCli, text: str) -> bool:
    return any(text.encode() in file.read_bytes() for file in cli.folder.glob("memory.db*"))


def test_an_erased_memory_is_in_no_byte_of_the_file(cli: InProcessCli) -> None:
    memory_id = cli.add_memory(SECRET_TEXT)
    cli("search", "treasure")
    before = file_contains(cli, SECRET_TEXT)
    answer = cli("erase", "memory", memory_id, "--yes")

    assert answer.exit_code == 0, answer.stderr
    assert (before, file_contains(cli, SECRET_TEXT)) == (True, False)
    assert answer.stdout.startswith(f"erased   memory {memory_id}\n")
    assert "removed  from disk\n" in answer.stdout
    assert cli("show", memory_id).exit_code == 3


def test_the_certificate_says_what_went_from_which_table(cli: InProcessCli) -> None:
    memory_id = cli.add_memory(SECRET_TEXT)
    cli("search", "treasure")
    shaped = cli.json("erase", "memory", memory_id, "--yes")

    assert (shaped["what"], shaped["physical"]) == (f"memory {memory_id}", True)
    assert {name: shaped["rows"][name] for name in ("memories", "messages", "receipts")} == {
        "memories": 1, "messages": 1, "receipts": 1,
    }  # fmt: skip
    assert shaped["bytes_scanned"] > 0


def test_where_the_same_words_stand_elsewhere_only_the_rows_are_gone_and_it_says_so(
    cli: InProcessCli,
) -> None:
    memory_id = cli.add_memory(SECRET_TEXT)
    cli("add", "--role", "user", "--chat", "island", f"{SECRET_TEXT}, they say, and nobody knows.")
    answer = cli("erase", "memory", memory_id, "--yes")

    assert answer.exit_code == 5
    assert "removed  from the tables only\n" in answer.stdout
    assert "Only the rows were deleted" in answer.stderr


def test_the_message_a_memory_was_learned_from_is_named_if_it_stays(cli: InProcessCli) -> None:
    said = cli.json("add", "--role", "user", "--chat", "home", "I live in Porto and I am vegetarian")
    [memory_id] = [each["id"] for each in said["results"] if each["memory"] == "lives in Porto"]
    answer = cli("erase", "memory", memory_id, "--yes")

    assert f"Delete it with `recollect chats delete {said['messages'][0]['id']}`." in answer.stderr
    assert [each["memory"] for each in cli.json("list", "--all")["results"]] == ["is vegetarian"]


def test_erasing_a_memory_shows_it_and_is_refused_where_nobody_can_be_asked(cli: InProcessCli) -> None:
    memory_id = cli.add_memory(SECRET_TEXT)
    answer = cli("erase", "memory", memory_id)

    assert (answer.exit_code, answer.stdout) == (4, "")
    assert SECRET_TEXT in answer.stderr
    assert "Permanently erase this memory (1 version)?" in answer.stderr
    assert file_contains(cli, SECRET_TEXT)


@pytest.mark.spec("V3")
def test_an_erased_chat_goes_with_what_was_learned_in_it_alone(cli: InProcessCli) -> None:
    cli("add", "--role", "user", "--chat", "home", "I live in Porto near the river Douro")
    cli("add", "--role", "user", "--chat", "work", "We decided to use PostgreSQL for the billing service")
    refused = cli("erase", "chat", "home")
    answer = cli("erase", "chat", "home", "--yes")

    assert refused.exit_code == 4
    assert "Permanently erase chat home with 1 message and 1 memory?" in refused.stderr
    assert answer.exit_code == 0, answer.stderr
    assert not file_contains(cli, "Douro")
    assert [each["id"] for each in cli.json("chats")["results"]] == ["work"]
    assert not any("Porto" in each["memory"] for each in cli.json("list", "--all")["results"])


def test_everything_about_a_user_goes_and_others_stay(cli: InProcessCli) -> None:
    cli("add", SECRET_TEXT, "--user", "ana")
    cli("add", "I like tea a lot", "--user", "bob")
    refused = cli("erase", "everything", "--user", "ana")
    shaped = cli.json("erase", "everything", "--user", "ana", "--yes")

    assert refused.exit_code == 4
    assert (
        "This permanently erases all data of user ana: 1 memory, 1 message, 1 chat, 0 summaries."
        in refused.stderr
    )
    assert (shaped["what"], shaped["physical"], shaped["rows"]["memories"]) == ("user ana", True, 1)
    assert not file_contains(cli, "treasure")
    assert len(cli.json("list", "--user", "bob")["results"]) == 1


@pytest.mark.parametrize(("typed", "code", "left"), [(b"default\n", 0, 0), (b"yes\n", 4, 1), (b"\n", 4, 1)])
def test_at_a_terminal_the_users_name_is_to_be_typed(
    cli: InProcessCli, typed: bytes, code: int, left: int
) -> None:
    cli("add", SECRET_TEXT)
    ended, seen = run_on_terminal("--db", cli.db, "erase", "everything", keystrokes=typed)

    assert ended == code
    assert "Type default to confirm" in seen
    assert len(cli.json("list")["results"]) == left


@pytest.mark.parametrize("words", [("memory", "x"), ("chat", "x"), ("everything", "--user", "nobody")])
def test_what_is_not_there_cannot_be_erased(cli: InProcessCli, words: tuple[str, ...]) -> None:
    cli("add", SECRET_TEXT)

    assert cli("erase", *words, "--yes").exit_code == 3


def test_erase_alone_does_nothing(cli: InProcessCli) -> None:
    assert cli("erase").exit_code == 2
