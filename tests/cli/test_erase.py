import pytest
from tests.cli.runner import InProcessCli, run_on_terminal

SECRET_TEXT = "The treasure is buried under the old walnut tree"


def file_contains(cli: InProcessCli, text: str) -> bool:
    return any(text.encode() in file.read_bytes() for file in cli.folder.glob("memory.db*"))


def test_an_erased_memory_is_in_no_byte_of_the_file(cli: InProcessCli) -> None:
    memory_id = cli.add_memory(SECRET_TEXT)
    cli("search", "treasure")
    before = file_contains(cli, SECRET_TEXT)
    result = cli("privacy", "erase", "memory", memory_id, "--yes")

    assert result.exit_code == 0, result.stderr
    assert (before, file_contains(cli, SECRET_TEXT)) == (True, False)
    assert result.stdout.startswith(f"erased   memory {memory_id}\n")
    assert "removed  from disk\n" in result.stdout
    assert cli("memories", "show", memory_id).exit_code == 3


def test_the_certificate_counts_the_rows_per_table(cli: InProcessCli) -> None:
    memory_id = cli.add_memory(SECRET_TEXT)
    cli("search", "treasure")
    payload = cli.json("privacy", "erase", "memory", memory_id, "--yes")

    assert (payload["what"], payload["physical"]) == (f"memory {memory_id}", True)
    assert {name: payload["rows"][name] for name in ("memories", "messages", "receipt_queries")} == {
        "memories": 1, "messages": 1, "receipt_queries": 1,
    }  # fmt: skip
    assert payload["bytes_scanned"] > 0


def test_erasure_is_degraded_if_the_same_text_is_stored_elsewhere(
    cli: InProcessCli,
) -> None:
    memory_id = cli.add_memory(SECRET_TEXT)
    cli("add", "--role", "user", "--chat", "island", f"{SECRET_TEXT}, they say, and nobody knows.")
    result = cli("privacy", "erase", "memory", memory_id, "--yes")

    assert result.exit_code == 5
    assert "removed  from the tables only\n" in result.stdout
    assert "Only the rows were deleted" in result.stderr


def test_a_source_message_that_is_kept_is_reported(cli: InProcessCli) -> None:
    response = cli.json("add", "--role", "user", "--chat", "home", "I live in Porto and I am vegetarian")
    [memory_id] = [each["id"] for each in response["results"] if each["memory"] == "lives in Porto"]
    result = cli("privacy", "erase", "memory", memory_id, "--yes")

    assert (
        f"Delete it with `recollect chats delete --message {response['messages'][0]['id']}`." in result.stderr
    )
    assert [each["memory"] for each in cli.json("memories", "list", "--all")["results"]] == ["is vegetarian"]


def test_erasing_a_memory_without_a_terminal_needs_yes_and_shows_it(cli: InProcessCli) -> None:
    memory_id = cli.add_memory(SECRET_TEXT)
    result = cli("privacy", "erase", "memory", memory_id)

    assert (result.exit_code, result.stdout) == (4, "")
    assert SECRET_TEXT in result.stderr
    assert "Permanently erase this memory (1 version)?" in result.stderr
    assert file_contains(cli, SECRET_TEXT)


@pytest.mark.spec("V3")
def test_erasing_a_chat_erases_the_memories_learned_only_from_it(cli: InProcessCli) -> None:
    cli("add", "--role", "user", "--chat", "home", "I live in Porto near the river Douro")
    cli("add", "--role", "user", "--chat", "work", "We decided to use PostgreSQL for the billing service")
    refused_result = cli("privacy", "erase", "chat", "home")
    result = cli("privacy", "erase", "chat", "home", "--yes")

    assert refused_result.exit_code == 4
    assert "Permanently erase chat home with 1 message and 1 memory?" in refused_result.stderr
    assert result.exit_code == 0, result.stderr
    assert not file_contains(cli, "Douro")
    assert [each["id"] for each in cli.json("chats")["results"]] == ["work"]
    assert not any("Porto" in each["memory"] for each in cli.json("memories", "list", "--all")["results"])


def test_erasing_a_user_keeps_other_users(cli: InProcessCli) -> None:
    cli("add", SECRET_TEXT, "--user", "ana")
    cli("add", "I like tea a lot", "--user", "bob")
    refused_result = cli("privacy", "erase", "everything", "--user", "ana")
    payload = cli.json("privacy", "erase", "everything", "--user", "ana", "--yes")

    assert refused_result.exit_code == 4
    assert (
        "This permanently erases all data of user ana: 1 memory, 1 message, 1 chat, 0 summaries."
        in refused_result.stderr
    )
    assert (payload["what"], payload["physical"], payload["rows"]["memories"]) == ("user ana", True, 1)
    assert not file_contains(cli, "treasure")
    assert len(cli.json("memories", "list", "--user", "bob")["results"]) == 1


@pytest.mark.parametrize(
    ("keystrokes", "code", "remaining_count"), [(b"default\n", 0, 0), (b"yes\n", 4, 1), (b"\n", 4, 1)]
)
def test_on_a_terminal_the_user_name_must_be_typed(
    cli: InProcessCli, keystrokes: bytes, code: int, remaining_count: int
) -> None:
    cli("add", SECRET_TEXT)
    exit_code, output = run_on_terminal(
        "--db", cli.db, "privacy", "erase", "everything", keystrokes=keystrokes
    )

    assert exit_code == code
    assert "Type default to confirm" in output
    assert len(cli.json("memories", "list")["results"]) == remaining_count


@pytest.mark.parametrize("words", [("memory", "x"), ("chat", "x"), ("everything", "--user", "nobody")])
def test_erasing_something_unknown_is_exit_code_3(cli: InProcessCli, words: tuple[str, ...]) -> None:
    cli("add", SECRET_TEXT)

    assert cli("privacy", "erase", *words, "--yes").exit_code == 3


def test_without_a_subcommand_the_help_page_is_printed(cli: InProcessCli) -> None:
    assert cli("privacy", "erase") == cli("privacy", "erase", "--help")
