import json

import pytest
from tests.cli.runner import InProcessCli

from recollect.testing.model_server import ModelServer

TEA_TEXT = "I like green tea in the morning"
CATS_TEXT = "My two cats are called Pixel and Byte"


def texts(cli: InProcessCli, *words: str) -> list[str]:
    return [each["memory"] for each in cli.json("memories", "list", *words)["results"]]


@pytest.mark.spec("G3")
def test_archived_memories_are_not_used_until_restored(cli: InProcessCli) -> None:
    tea, cats = cli.add_memory(TEA_TEXT), cli.add_memory(CATS_TEXT)
    archive_result = cli("memories", "archive", tea, cats, tea[:-1])
    between = texts(cli), cli.json("search", "green tea", "--limit", "1")["results"][0]["source"]
    restore_result = cli("memories", "restore", tea)

    assert (archive_result.exit_code, archive_result.stdout) == (
        0,
        f"Archived: {TEA_TEXT}\nArchived: {CATS_TEXT}\n",
    )
    assert "Revert with `recollect memories undo`." in archive_result.stderr
    assert between == ([], "message")
    assert restore_result.stdout == f"Restored: {TEA_TEXT}\n"
    assert (texts(cli), texts(cli, "--status", "archived")) == ([TEA_TEXT], [CATS_TEXT])


def test_if_one_of_several_is_unknown_nothing_is_archived(cli: InProcessCli) -> None:
    tea = cli.add_memory(TEA_TEXT)

    assert cli("memories", "archive", tea, "unknown").exit_code == 3
    assert texts(cli) == [TEA_TEXT]


def test_an_active_memory_cannot_be_restored(cli: InProcessCli) -> None:
    result = cli("memories", "restore", cli.add_memory(TEA_TEXT))

    assert result.exit_code == 2
    assert "there is nothing to restore" in result.stderr


def test_a_forgotten_memory_can_be_restored(cli: InProcessCli) -> None:
    tea = cli.add_memory(TEA_TEXT)
    cli("memories", "forget", tea, "--yes")
    [memory] = cli.json("memories", "restore", tea)["results"]

    assert (memory["id"], memory["status"]) == (tea, "active")


def test_a_memory_is_pinned_and_unpinned(cli: InProcessCli) -> None:
    tea = cli.add_memory(TEA_TEXT)
    pinned, unpinned = cli("memories", "pin", tea), cli.json("memories", "pin", tea, "--off")

    assert pinned.stdout == f"Pinned: {TEA_TEXT}\n"
    assert unpinned["results"][0]["pinned"] is False


def test_merging_keeps_the_most_detailed_memory(cli: InProcessCli) -> None:
    short, long = cli.add_memory("Likes tea"), cli.add_memory("Likes green tea with honey in the morning")
    payload = cli.json("memories", "merge", short, long)

    assert (payload["memory"], len(payload["sources"])) == ("Likes green tea with honey in the morning", 2)
    assert texts(cli) == ["Likes green tea with honey in the morning"]
    assert cli("memories", "undo").stdout == (
        "Undone (merge): Likes green tea with honey in the morning\nUndone (merge): Likes tea\n"
    )
    assert sorted(texts(cli)) == ["Likes green tea with honey in the morning", "Likes tea"]


def test_merging_needs_two_memories(cli: InProcessCli) -> None:
    tea = cli.add_memory(TEA_TEXT)

    assert cli("memories", "merge", tea, tea).exit_code == 2


def test_the_last_change_is_undone_and_the_list_shows_it(cli: InProcessCli) -> None:
    tea = cli.add_memory(TEA_TEXT)
    cli("memories", "forget", tea, "--yes")
    text_result = cli("memories", "undo")
    list_result, payload = cli("memories", "events"), cli.json("memories", "events")

    assert (text_result.exit_code, text_result.stdout) == (0, f"Undone (forget): {TEA_TEXT}\n")
    assert texts(cli) == [TEA_TEXT]
    assert [(each["action"], each["texts"], each["undone"]) for each in payload["results"]] == [
        ("undo", [TEA_TEXT], False),
        ("forget", [TEA_TEXT], True),
        ("learn", [TEA_TEXT], False),
    ]
    assert list_result.stdout.index("forget") < list_result.stdout.index("learn")


def test_a_change_is_undone_by_its_id_only_once(cli: InProcessCli) -> None:
    tea = cli.add_memory(TEA_TEXT)
    cli("memories", "archive", tea)
    cli("add", CATS_TEXT)
    _, archive_event, _ = cli.json("memories", "events")["results"]
    payload = cli.json("memories", "undo", archive_event["id"])

    assert (payload["id"], payload["undone"], payload["texts"]) == (archive_event["id"], True, [TEA_TEXT])
    assert sorted(texts(cli)) == sorted([TEA_TEXT, CATS_TEXT])
    assert cli("memories", "undo", archive_event["id"]).exit_code == 2


def test_an_undo_is_undone_by_its_own_id(cli: InProcessCli) -> None:
    tea = cli.add_memory(TEA_TEXT)
    cli("memories", "archive", tea)
    cli("memories", "undo")
    [undo_event, *_] = cli.json("memories", "events")["results"]
    cli("memories", "undo", undo_event["id"])

    assert cli.json("memories", "show", tea)["status"] == "archived"


def test_an_undone_memory_is_not_learned_again_from_the_assistant(cli: InProcessCli) -> None:
    cli("add", "--role", "user", "I live in Porto")
    undo_result = cli("memories", "undo")
    cli("add", "--role", "assistant", "So you live in Porto.")

    assert undo_result.stdout == "Undone (learn): lives in Porto\n"
    assert texts(cli) == []


def test_without_changes_there_is_nothing_to_undo(cli: InProcessCli) -> None:
    undo_result, list_result = cli("memories", "undo"), cli("memories", "events")

    assert undo_result.exit_code == 3
    assert (list_result.exit_code, list_result.stdout) == (0, "")
    assert "No changes yet." in list_result.stderr


def test_an_empty_review_queue_says_so(cli: InProcessCli) -> None:
    result = cli("review")

    assert (result.exit_code, result.stdout, cli.json("review")) == (0, "", {"results": []})
    assert "Nothing needs your decision." in result.stderr


def test_a_contradiction_is_in_the_review_queue_with_reason_and_quote(cli: InProcessCli) -> None:
    cli("add", "--role", "user", "My name is Ana")
    add_result = cli("add", "--role", "user", "My name is Eva")
    text_result, [memory] = cli("review"), cli.json("review")["results"]

    assert "Awaits your decision in `recollect review` (biography): name: Eva" in add_result.stdout
    assert (memory["memory"], memory["status"]) == ("name: Eva", "contested")
    assert (memory["reason"]["text"], memory["quotes"]) == ("contradicts “name: Ana”", ["My name is Eva"])
    assert "“My name is Eva”" in text_result.stdout
    assert (
        "`recollect review accept ID` accepts one, `recollect review reject ID` rejects it."
        in text_result.stderr
    )


@pytest.mark.parametrize(
    ("verb", "label", "remaining_texts"),
    [("accept", "Accepted", ["name: Eva"]), ("reject", "Rejected", ["name: Ana"])],
)
def test_a_contradiction_is_accepted_or_rejected(
    cli: InProcessCli, verb: str, label: str, remaining_texts: list[str]
) -> None:
    cli("add", "--role", "user", "My name is Ana")
    cli("add", "--role", "user", "My name is Eva")
    [memory] = cli.json("review")["results"]
    result = cli("review", verb, memory["id"])

    assert (result.exit_code, result.stdout) == (0, f"{label}: name: Eva\n")
    assert texts(cli) == remaining_texts
    assert cli.json("review")["results"] == []


@pytest.mark.parametrize("verb", ["accept", "reject"])
def test_only_memories_of_the_queue_can_be_decided(cli: InProcessCli, verb: str) -> None:
    tea = cli.add_memory(TEA_TEXT)
    result = cli("review", verb, tea)

    assert result.exit_code == 4
    assert "is active: there is nothing to decide" in result.stderr
    assert texts(cli) == [TEA_TEXT]


def test_an_unsupported_model_fact_is_in_the_review_queue(
    cli: InProcessCli, monkeypatch: pytest.MonkeyPatch
) -> None:
    facts = [
        {"text": "lives in Paris", "kind": "biography", "weight": 1.0, "quote": "I work from home on Mondays"}
    ]
    reply = {"importance": 80, "type": "chat", "summary": "Works from home.", "facts": facts}
    monkeypatch.setenv("RECOLLECT_MODEL", "echo")
    with ModelServer() as server:
        monkeypatch.setenv("RECOLLECT_MODEL_URL", server.base_url)
        server.answer(json.dumps(reply))
        cli("add", "--role", "user", "I work from home on Mondays")
    [memory] = cli.json("review")["results"]

    assert (memory["memory"], memory["status"]) == ("lives in Paris", "quarantined")
    assert memory["reason"]
    assert texts(cli) == []
