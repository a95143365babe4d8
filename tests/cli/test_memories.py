import pytest
from tests.cli.runner import InProcessCli

MEMORY_KEYS = {
    "id", "memory", "user_id", "created_at", "updated_at", "seen_at", "chat_id", "kind", "importance", "weight",
    "standing", "origin", "speaker", "tags", "sightings", "version", "pinned", "valid_from", "valid_to", "sources",
}  # fmt: skip
TEA_TEXT = "I like green tea in the morning"
CATS_TEXT = "My two cats are called Pixel and Byte"


def test_what_was_added_is_listed_the_most_recent_first(cli: InProcessCli) -> None:
    cli("add", TEA_TEXT)
    cli("add", CATS_TEXT)
    shown, shaped = cli("list"), cli.json("list")

    assert [each["memory"] for each in shaped["results"]] == [CATS_TEXT, TEA_TEXT]
    assert set(shaped["results"][0]) == MEMORY_KEYS
    assert shown.exit_code == 0
    assert shown.stdout.index(CATS_TEXT) < shown.stdout.index(TEA_TEXT)


def test_a_list_can_be_narrowed_by_kind_tag_chat_and_number(cli: InProcessCli) -> None:
    cli("add", TEA_TEXT, "--kind", "pref", "--tag", "drinks", "--tag", "morning", "--chat", "kitchen")
    cli("add", CATS_TEXT, "--kind", "bio")

    def texts(*words: str) -> list[str]:
        return [each["memory"] for each in cli.json("list", *words)["results"]]

    assert texts("--kind", "pref") == [TEA_TEXT]
    assert texts("--tag", "morning") == [TEA_TEXT]
    assert texts("--chat", "kitchen") == [TEA_TEXT]
    assert texts("--limit", "1") == [CATS_TEXT]
    assert texts("--kind", "evt") == []


def test_an_empty_memory_lists_nothing_and_says_how_to_begin(cli: InProcessCli) -> None:
    answer = cli("list")

    assert (answer.exit_code, answer.stdout) == (0, "")
    assert "recollect add" in answer.stderr


def test_long_texts_are_cut_in_tables_and_whole_in_json(cli: InProcessCli) -> None:
    long = "I walked to the river " * 40
    cli("add", long)

    assert "…" in cli("list").stdout
    assert cli.json("list")["results"][0]["memory"] == long.strip()


def test_a_memory_is_shown_by_the_beginning_of_its_id_with_the_words_it_rests_on(cli: InProcessCli) -> None:
    memory_id = cli.add_memory(TEA_TEXT)
    shown, shaped = cli("show", memory_id[:-2]), cli.json("show", memory_id)

    assert f"“{TEA_TEXT}”" in shown.stdout
    assert shaped["id"] == memory_id
    assert set(shaped) == MEMORY_KEYS


def test_a_message_is_shown_in_full(cli: InProcessCli) -> None:
    said = cli.json("add", "--role", "user", "--chat", "kitchen", "The kettle is broken since Monday")
    message_id = said["messages"][0]["id"]

    assert "The kettle is broken since Monday" in cli("show", message_id).stdout
    assert cli.json("show", message_id)["content"] == "The kettle is broken since Monday"


def test_a_correction_replaces_the_text_and_keeps_the_old_one_in_the_history(cli: InProcessCli) -> None:
    memory_id = cli.add_memory(TEA_TEXT)
    shown = cli("edit", memory_id, "I", "like", "black", "tea")
    versions = cli.json("history", memory_id)["results"]

    assert shown.stdout == "Edited: I like black tea\n"
    assert [(each["event"], each["old_memory"], each["new_memory"]) for each in versions] == [
        ("ADD", None, TEA_TEXT),
        ("UPDATE", TEA_TEXT, "I like black tea"),
    ]
    assert cli.json("search", "black tea")["results"][0]["memory"] == "I like black tea"
    assert "UPDATE" in cli("history", memory_id).stdout


def test_a_correction_can_be_read_from_standard_input(cli: InProcessCli) -> None:
    memory_id = cli.add_memory(TEA_TEXT)
    shaped = cli.json("edit", memory_id, "-", stdin="I like white tea ☕".encode())

    assert shaped["memory"] == "I like white tea ☕"
    assert shaped["version"] == 2


def test_forgetting_without_yes_is_refused_where_nobody_can_be_asked(cli: InProcessCli) -> None:
    memory_id = cli.add_memory(TEA_TEXT)
    answer = cli("forget", memory_id)

    assert (answer.exit_code, answer.stdout) == (4, "")
    assert TEA_TEXT in answer.stderr
    assert "add --yes to confirm" in answer.stderr
    assert len(cli.json("list")["results"]) == 1


def test_what_is_forgotten_is_out_of_use_and_still_has_a_history(cli: InProcessCli) -> None:
    tea, cats = cli.add_memory(TEA_TEXT), cli.add_memory(CATS_TEXT)
    answer = cli("forget", tea, cats, "--yes")

    assert answer.exit_code == 0
    assert answer.stdout == f"Forgotten: {TEA_TEXT}\nForgotten: {CATS_TEXT}\n"
    assert f"recollect history {tea}" in answer.stderr
    assert cli.json("list")["results"] == []
    assert {each["id"] for each in cli.json("list", "--standing", "forgotten")["results"]} == {tea, cats}
    assert len(cli.json("list", "--all")["results"]) == 2
    assert [each["event"] for each in cli.json("history", tea)["results"]] == ["ADD", "DELETE"]


def test_forgetting_with_json_shows_what_went(cli: InProcessCli) -> None:
    memory_id = cli.add_memory(TEA_TEXT)
    [gone] = cli.json("forget", memory_id, "--yes")["results"]

    assert (gone["id"], gone["standing"]) == (memory_id, "forgotten")


def test_if_one_of_several_is_unknown_nothing_is_forgotten(cli: InProcessCli) -> None:
    memory_id = cli.add_memory(TEA_TEXT)

    assert cli("forget", memory_id, "unknown", "--yes").exit_code == 3
    assert len(cli.json("list")["results"]) == 1


@pytest.mark.parametrize(
    "words", [("show", "x"), ("edit", "x", "y"), ("forget", "x", "--yes"), ("history", "x"), ("why", "x")]
)
def test_what_is_not_there_is_exit_code_3(cli: InProcessCli, words: tuple[str, ...]) -> None:
    assert cli(*words).exit_code == 3


def test_the_memories_of_one_user_are_not_those_of_another(cli: InProcessCli) -> None:
    memory_id = cli.add_memory(TEA_TEXT)

    assert cli("show", memory_id, "--user", "somebody").exit_code == 3
    assert cli.json("list", "--user", "somebody")["results"] == []


def test_nothing_a_terminal_would_obey_is_printed(cli: InProcessCli) -> None:
    cli("add", "red \x1b[31malert\x1b]0;title\x07 and \u202eback")

    assert "\x1b" not in cli("list").stdout
    assert "\u202e" not in cli("list").stdout
    assert "\x1b[31m" in cli.json("list")["results"][0]["memory"]
