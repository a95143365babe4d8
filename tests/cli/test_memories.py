import pytest
from tests.cli.runner import Cli

KEYS = {
    "id", "memory", "user_id", "created_at", "updated_at", "seen_at", "chat_id", "kind", "importance", "weight",
    "standing", "origin", "speaker", "tags", "sightings", "version", "pinned", "valid_from", "valid_to", "sources",
}  # fmt: skip
TEA = "I like green tea in the morning"
CATS = "My two cats are called Pixel and Byte"


def test_what_was_added_is_listed_the_most_recent_first(cli: Cli) -> None:
    cli("add", TEA)
    cli("add", CATS)
    shown, shaped = cli("list"), cli.json("list")

    assert [each["memory"] for each in shaped["results"]] == [CATS, TEA]
    assert set(shaped["results"][0]) == KEYS
    assert shown.code == 0
    assert shown.out.index(CATS) < shown.out.index(TEA)


def test_a_list_can_be_narrowed_by_kind_tag_chat_and_number(cli: Cli) -> None:
    cli("add", TEA, "--kind", "pref", "--tag", "drinks", "--tag", "morning", "--chat", "kitchen")
    cli("add", CATS, "--kind", "bio")

    def texts(*words: str) -> list[str]:
        return [each["memory"] for each in cli.json("list", *words)["results"]]

    assert texts("--kind", "pref") == [TEA]
    assert texts("--tag", "morning") == [TEA]
    assert texts("--chat", "kitchen") == [TEA]
    assert texts("--limit", "1") == [CATS]
    assert texts("--kind", "evt") == []


def test_an_empty_memory_lists_nothing_and_says_how_to_begin(cli: Cli) -> None:
    answer = cli("list")

    assert (answer.code, answer.out) == (0, "")
    assert "recollect add" in answer.err


def test_long_texts_are_cut_in_tables_and_whole_in_json(cli: Cli) -> None:
    long = "I walked to the river " * 40
    cli("add", long)

    assert "…" in cli("list").out
    assert cli.json("list")["results"][0]["memory"] == long.strip()


def test_a_memory_is_shown_by_the_beginning_of_its_id_with_the_words_it_rests_on(cli: Cli) -> None:
    memory_id = cli.id_of(TEA)
    shown, shaped = cli("show", memory_id[:-2]), cli.json("show", memory_id)

    assert f"“{TEA}”" in shown.out
    assert shaped["id"] == memory_id
    assert set(shaped) == KEYS


def test_a_message_is_shown_in_full(cli: Cli) -> None:
    said = cli.json("add", "--role", "user", "--chat", "kitchen", "The kettle is broken since Monday")
    message_id = said["messages"][0]["id"]

    assert "The kettle is broken since Monday" in cli("show", message_id).out
    assert cli.json("show", message_id)["content"] == "The kettle is broken since Monday"


def test_a_correction_replaces_the_text_and_keeps_the_old_one_in_the_history(cli: Cli) -> None:
    memory_id = cli.id_of(TEA)
    shown = cli("edit", memory_id, "I", "like", "black", "tea")
    versions = cli.json("history", memory_id)["results"]

    assert shown.out == "Corrected: I like black tea\n"
    assert [(each["event"], each["old_memory"], each["new_memory"]) for each in versions] == [
        ("ADD", None, TEA),
        ("UPDATE", TEA, "I like black tea"),
    ]
    assert cli.json("search", "black tea")["results"][0]["memory"] == "I like black tea"
    assert "UPDATE" in cli("history", memory_id).out


def test_a_correction_can_be_read_from_standard_input(cli: Cli) -> None:
    memory_id = cli.id_of(TEA)
    shaped = cli.json("edit", memory_id, "-", given="I like white tea ☕".encode())

    assert shaped["memory"] == "I like white tea ☕"
    assert shaped["version"] == 2


def test_forgetting_without_yes_is_refused_where_nobody_can_be_asked(cli: Cli) -> None:
    memory_id = cli.id_of(TEA)
    answer = cli("forget", memory_id)

    assert (answer.code, answer.out) == (4, "")
    assert TEA in answer.err
    assert "repeat the command with --yes" in answer.err
    assert len(cli.json("list")["results"]) == 1


def test_what_is_forgotten_is_out_of_use_and_still_has_a_history(cli: Cli) -> None:
    tea, cats = cli.id_of(TEA), cli.id_of(CATS)
    answer = cli("forget", tea, cats, "--yes")

    assert answer.code == 0
    assert answer.out == f"Forgotten: {TEA}\nForgotten: {CATS}\n"
    assert f"recollect history {tea}" in answer.err
    assert cli.json("list")["results"] == []
    assert {each["id"] for each in cli.json("list", "--standing", "forgotten")["results"]} == {tea, cats}
    assert len(cli.json("list", "--all")["results"]) == 2
    assert [each["event"] for each in cli.json("history", tea)["results"]] == ["ADD", "DELETE"]


def test_forgetting_with_json_shows_what_went(cli: Cli) -> None:
    memory_id = cli.id_of(TEA)
    [gone] = cli.json("forget", memory_id, "--yes")["results"]

    assert (gone["id"], gone["standing"]) == (memory_id, "forgotten")


def test_if_one_of_several_is_unknown_nothing_is_forgotten(cli: Cli) -> None:
    memory_id = cli.id_of(TEA)

    assert cli("forget", memory_id, "unknown", "--yes").code == 3
    assert len(cli.json("list")["results"]) == 1


@pytest.mark.parametrize(
    "words", [("show", "x"), ("edit", "x", "y"), ("forget", "x", "--yes"), ("history", "x"), ("why", "x")]
)
def test_what_is_not_there_is_exit_code_3(cli: Cli, words: tuple[str, ...]) -> None:
    assert cli(*words).code == 3


def test_the_memories_of_one_user_are_not_those_of_another(cli: Cli) -> None:
    memory_id = cli.id_of(TEA)

    assert cli("show", memory_id, "--user", "somebody").code == 3
    assert cli.json("list", "--user", "somebody")["results"] == []


def test_nothing_a_terminal_would_obey_is_printed(cli: Cli) -> None:
    cli("add", "red \x1b[31malert\x1b]0;title\x07 and \u202eback")

    assert "\x1b" not in cli("list").out
    assert "\u202e" not in cli("list").out
    assert "\x1b[31m" in cli.json("list")["results"][0]["memory"]
