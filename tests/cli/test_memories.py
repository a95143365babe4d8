import pytest
from tests.cli.runner import InProcessCli

MEMORY_KEYS = {
    "id", "memory", "user_id", "created_at", "updated_at", "last_stated_at", "chat_id", "kind", "importance", "weight",
    "status", "origin", "speaker", "tags", "times_stated", "version", "pinned", "valid_from", "valid_to", "sources",
    "metadata",
}  # fmt: skip
TEA_TEXT = "I like green tea in the morning"
CATS_TEXT = "My two cats are called Pixel and Byte"


def test_memories_are_listed_most_recent_first(cli: InProcessCli) -> None:
    cli("add", TEA_TEXT)
    cli("add", CATS_TEXT)
    text_result, payload = cli("memories", "list"), cli.json("memories", "list")

    assert [each["memory"] for each in payload["results"]] == [CATS_TEXT, TEA_TEXT]
    assert set(payload["results"][0]) == MEMORY_KEYS
    assert text_result.exit_code == 0
    assert text_result.stdout.index(CATS_TEXT) < text_result.stdout.index(TEA_TEXT)


def test_a_list_is_filtered_by_kind_tag_chat_and_limit(cli: InProcessCli) -> None:
    cli("add", TEA_TEXT, "--kind", "preference", "--tag", "drinks", "--tag", "morning", "--chat", "kitchen")
    cli("add", CATS_TEXT, "--kind", "biography")

    def texts(*words: str) -> list[str]:
        return [each["memory"] for each in cli.json("memories", "list", *words)["results"]]

    assert texts("--kind", "preference") == [TEA_TEXT]
    assert texts("--tag", "morning") == [TEA_TEXT]
    assert texts("--chat", "kitchen") == [TEA_TEXT]
    assert texts("--limit", "1") == [CATS_TEXT]
    assert texts("--kind", "event") == []


def test_without_memories_there_is_a_hint(cli: InProcessCli) -> None:
    result = cli("memories", "list")

    assert (result.exit_code, result.stdout) == (0, "")
    assert "recollect add" in result.stderr


def test_long_texts_are_truncated_in_tables_but_not_in_json(cli: InProcessCli) -> None:
    long_text = "I walked to the river " * 40
    cli("add", long_text)

    assert "…" in cli("memories", "list").stdout
    assert cli.json("memories", "list")["results"][0]["memory"] == long_text.strip()


def test_a_memory_is_shown_by_id_prefix_with_its_source_quotes(cli: InProcessCli) -> None:
    memory_id = cli.add_memory(TEA_TEXT)
    text_result, payload = cli("memories", "show", memory_id[:-2]), cli.json("memories", "show", memory_id)

    assert f"“{TEA_TEXT}”" in text_result.stdout
    assert payload["id"] == memory_id
    assert set(payload) == MEMORY_KEYS


def test_a_message_is_shown_in_full(cli: InProcessCli) -> None:
    response = cli.json("add", "--role", "user", "--chat", "kitchen", "The kettle is broken since Monday")
    message_id = response["messages"][0]["id"]

    assert "The kettle is broken since Monday" in cli("memories", "show", message_id).stdout
    assert cli.json("memories", "show", message_id)["content"] == "The kettle is broken since Monday"


def test_an_edit_replaces_the_text_and_keeps_the_old_one_in_the_history(cli: InProcessCli) -> None:
    memory_id = cli.add_memory(TEA_TEXT)
    text_result = cli("memories", "edit", memory_id, "I", "like", "black", "tea")
    versions = cli.json("memories", "history", memory_id)["results"]

    assert text_result.stdout == "Edited: I like black tea\n"
    assert [(each["event"], each["old_memory"], each["new_memory"]) for each in versions] == [
        ("ADD", None, TEA_TEXT),
        ("UPDATE", TEA_TEXT, "I like black tea"),
    ]
    assert cli.json("search", "black tea")["results"][0]["memory"] == "I like black tea"
    assert "updated" in cli("memories", "history", memory_id).stdout


def test_the_new_text_of_an_edit_is_read_from_standard_input(cli: InProcessCli) -> None:
    memory_id = cli.add_memory(TEA_TEXT)
    payload = cli.json("memories", "edit", memory_id, "-", stdin="I like white tea ☕".encode())

    assert payload["memory"] == "I like white tea ☕"
    assert payload["version"] == 2


def test_forgetting_without_a_terminal_needs_yes(cli: InProcessCli) -> None:
    memory_id = cli.add_memory(TEA_TEXT)
    result = cli("memories", "forget", memory_id)

    assert (result.exit_code, result.stdout) == (4, "")
    assert TEA_TEXT in result.stderr
    assert "add --yes to confirm" in result.stderr
    assert len(cli.json("memories", "list")["results"]) == 1


def test_a_forgotten_memory_is_not_listed_but_has_a_history(cli: InProcessCli) -> None:
    tea, cats = cli.add_memory(TEA_TEXT), cli.add_memory(CATS_TEXT)
    result = cli("memories", "forget", tea, cats, "--yes")

    assert result.exit_code == 0
    assert result.stdout == f"Forgotten: {TEA_TEXT}\nForgotten: {CATS_TEXT}\n"
    assert f"recollect memories history {tea}" in result.stderr
    assert cli.json("memories", "list")["results"] == []
    assert {each["id"] for each in cli.json("memories", "list", "--status", "forgotten")["results"]} == {
        tea,
        cats,
    }
    assert len(cli.json("memories", "list", "--all")["results"]) == 2
    assert [each["event"] for each in cli.json("memories", "history", tea)["results"]] == ["ADD", "DELETE"]


def test_forgetting_with_json_prints_the_memories(cli: InProcessCli) -> None:
    memory_id = cli.add_memory(TEA_TEXT)
    [memory] = cli.json("memories", "forget", memory_id, "--yes")["results"]

    assert (memory["id"], memory["status"]) == (memory_id, "forgotten")


def test_if_one_of_several_is_unknown_nothing_is_forgotten(cli: InProcessCli) -> None:
    memory_id = cli.add_memory(TEA_TEXT)

    assert cli("memories", "forget", memory_id, "unknown", "--yes").exit_code == 3
    assert len(cli.json("memories", "list")["results"]) == 1


@pytest.mark.parametrize(
    "words",
    [
        ("memories", *words)
        for words in (("show", "x"), ("edit", "x", "y"), ("forget", "x", "--yes"), ("history", "x"))
    ]
    + [("why", "x")],
)
def test_an_unknown_id_is_exit_code_3(cli: InProcessCli, words: tuple[str, ...]) -> None:
    assert cli(*words).exit_code == 3


def test_users_do_not_see_each_others_memories(cli: InProcessCli) -> None:
    memory_id = cli.add_memory(TEA_TEXT)

    assert cli("memories", "show", memory_id, "--user", "somebody").exit_code == 3
    assert cli.json("memories", "list", "--user", "somebody")["results"] == []


def test_control_characters_are_not_printed(cli: InProcessCli) -> None:
    cli("add", "red \x1b[31malert\x1b]0;title\x07 and \u202eback")

    assert "\x1b" not in cli("memories", "list").stdout
    assert "\u202e" not in cli("memories", "list").stdout
    assert "\x1b[31m" in cli.json("memories", "list")["results"][0]["memory"]
