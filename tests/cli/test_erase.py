import pytest
from tests.cli.runner import Cli, on_a_terminal

SECRET = "The treasure is buried under the old walnut tree"


def in_the_file(cli: Cli, text: str) -> bool:
    return any(text.encode() in file.read_bytes() for file in cli.folder.glob("memory.db*"))


def test_an_erased_memory_is_in_no_byte_of_the_file(cli: Cli) -> None:
    memory_id = cli.id_of(SECRET)
    cli("search", "treasure")
    before = in_the_file(cli, SECRET)
    answer = cli("erase", "memory", memory_id, "--yes")

    assert answer.code == 0, answer.err
    assert (before, in_the_file(cli, SECRET)) == (True, False)
    assert answer.out.startswith(f"erased     memory {memory_id}\n")
    assert "gone       from the disk\n" in answer.out
    assert cli("show", memory_id).code == 3


def test_the_certificate_says_what_went_from_which_table(cli: Cli) -> None:
    memory_id = cli.id_of(SECRET)
    cli("search", "treasure")
    shaped = cli.json("erase", "memory", memory_id, "--yes")

    assert (shaped["what"], shaped["physical"]) == (f"memory {memory_id}", True)
    assert {name: shaped["rows"][name] for name in ("memories", "messages", "receipts")} == {
        "memories": 1, "messages": 1, "receipts": 1,
    }  # fmt: skip
    assert shaped["bytes_scanned"] > 0


def test_where_the_same_words_stand_elsewhere_only_the_rows_are_gone_and_it_says_so(cli: Cli) -> None:
    memory_id = cli.id_of(SECRET)
    cli("add", "--role", "user", "--chat", "island", f"{SECRET}, they say, and nobody knows.")
    answer = cli("erase", "memory", memory_id, "--yes")

    assert answer.code == 5
    assert "gone       from the tables only\n" in answer.out
    assert "Only the rows are gone" in answer.err


def test_the_message_a_memory_was_learned_from_is_named_if_it_stays(cli: Cli) -> None:
    said = cli.json("add", "--role", "user", "--chat", "home", "I live in Porto and I am vegetarian")
    [memory_id] = [each["id"] for each in said["results"] if each["memory"] == "lives in Porto"]
    answer = cli("erase", "memory", memory_id, "--yes")

    assert f"`recollect chats delete {said['messages'][0]['id']}` deletes that." in answer.err
    assert [each["memory"] for each in cli.json("list", "--all")["results"]] == ["is vegetarian"]


def test_erasing_a_memory_shows_it_and_is_refused_where_nobody_can_be_asked(cli: Cli) -> None:
    memory_id = cli.id_of(SECRET)
    answer = cli("erase", "memory", memory_id)

    assert (answer.code, answer.out) == (4, "")
    assert SECRET in answer.err
    assert "Erase this memory and its 1 version for good?" in answer.err
    assert in_the_file(cli, SECRET)


@pytest.mark.spec("V3")
def test_an_erased_chat_goes_with_what_was_learned_in_it_alone(cli: Cli) -> None:
    cli("add", "--role", "user", "--chat", "home", "I live in Porto near the river Douro")
    cli("add", "--role", "user", "--chat", "work", "We decided to use PostgreSQL for the billing service")
    refused = cli("erase", "chat", "home")
    answer = cli("erase", "chat", "home", "--yes")

    assert refused.code == 4
    assert "Erase chat home with 1 message and 1 memory for good?" in refused.err
    assert answer.code == 0, answer.err
    assert not in_the_file(cli, "Douro")
    assert [each["id"] for each in cli.json("chats")["results"]] == ["work"]
    assert not any("Porto" in each["memory"] for each in cli.json("list", "--all")["results"])


def test_everything_about_a_user_goes_and_others_stay(cli: Cli) -> None:
    cli("add", SECRET, "--user", "ana")
    cli("add", "I like tea a lot", "--user", "bob")
    refused = cli("erase", "everything", "--user", "ana")
    shaped = cli.json("erase", "everything", "--user", "ana", "--yes")

    assert refused.code == 4
    assert "This erases everything about ana: 1 memory, 1 message, 1 chat, 0 summaries." in refused.err
    assert (shaped["what"], shaped["physical"], shaped["rows"]["memories"]) == ("user ana", True, 1)
    assert not in_the_file(cli, "treasure")
    assert len(cli.json("list", "--user", "bob")["results"]) == 1


@pytest.mark.parametrize(("typed", "code", "left"), [(b"default\n", 0, 0), (b"yes\n", 4, 1), (b"\n", 4, 1)])
def test_at_a_terminal_the_users_name_is_to_be_typed(cli: Cli, typed: bytes, code: int, left: int) -> None:
    cli("add", SECRET)
    ended, seen = on_a_terminal("--db", cli.db, "erase", "everything", typed=typed)

    assert ended == code
    assert "Type default to go on" in seen
    assert len(cli.json("list")["results"]) == left


@pytest.mark.parametrize("words", [("memory", "x"), ("chat", "x"), ("everything", "--user", "nobody")])
def test_what_is_not_there_cannot_be_erased(cli: Cli, words: tuple[str, ...]) -> None:
    cli("add", SECRET)

    assert cli("erase", *words, "--yes").code == 3


def test_erase_alone_does_nothing(cli: Cli) -> None:
    assert cli("erase").code == 2
