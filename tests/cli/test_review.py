import json

import pytest
from tests.cli.runner import InProcessCli

from recollect.testing.model_server import ModelServer

TEA_TEXT = "I like green tea in the morning"
CATS_TEXT = "My two cats are called Pixel and Byte"


def texts(cli: InProcessCli, *words: str) -> list[str]:
    return [each["memory"] for each in cli.json("list", *words)["results"]]


@pytest.mark.spec("G3")
def test_what_is_archived_is_out_of_use_until_it_is_restored(cli: InProcessCli) -> None:
    tea, cats = cli.add_memory(TEA_TEXT), cli.add_memory(CATS_TEXT)
    away = cli("archive", tea, cats, tea[:-1])
    between = texts(cli), cli.json("search", "green tea", "--limit", "1")["results"][0]["source"]
    back = cli("restore", tea)

    assert (away.exit_code, away.stdout) == (0, f"Archived: {TEA_TEXT}\nArchived: {CATS_TEXT}\n")
    assert "Revert with `recollect undo`." in away.stderr
    assert between == ([], "message")
    assert back.stdout == f"Restored: {TEA_TEXT}\n"
    assert (texts(cli), texts(cli, "--standing", "archived")) == ([TEA_TEXT], [CATS_TEXT])


def test_if_one_of_several_is_unknown_nothing_is_archived(cli: InProcessCli) -> None:
    tea = cli.add_memory(TEA_TEXT)

    assert cli("archive", tea, "unknown").exit_code == 3
    assert texts(cli) == [TEA_TEXT]


def test_what_is_in_use_cannot_be_brought_back(cli: InProcessCli) -> None:
    answer = cli("restore", cli.add_memory(TEA_TEXT))

    assert answer.exit_code == 2
    assert "there is nothing to restore" in answer.stderr


def test_what_was_forgotten_can_be_restored(cli: InProcessCli) -> None:
    tea = cli.add_memory(TEA_TEXT)
    cli("forget", tea, "--yes")
    [back] = cli.json("restore", tea)["results"]

    assert (back["id"], back["standing"]) == (tea, "active")


def test_a_memory_is_pinned_and_unpinned(cli: InProcessCli) -> None:
    tea = cli.add_memory(TEA_TEXT)
    pinned, unpinned = cli("pin", tea), cli.json("pin", tea, "--off")

    assert pinned.stdout == f"Pinned: {TEA_TEXT}\n"
    assert unpinned["results"][0]["pinned"] is False


def test_several_memories_become_the_one_that_says_most(cli: InProcessCli) -> None:
    short, long = cli.add_memory("Likes tea"), cli.add_memory("Likes green tea with honey in the morning")
    shaped = cli.json("merge", short, long)

    assert (shaped["memory"], len(shaped["sources"])) == ("Likes green tea with honey in the morning", 2)
    assert texts(cli) == ["Likes green tea with honey in the morning"]
    assert cli("undo").stdout == (
        "Undone (merge): Likes green tea with honey in the morning\nUndone (merge): Likes tea\n"
    )
    assert sorted(texts(cli)) == ["Likes green tea with honey in the morning", "Likes tea"]


def test_it_takes_two_to_merge(cli: InProcessCli) -> None:
    tea = cli.add_memory(TEA_TEXT)

    assert cli("merge", tea, tea).exit_code == 2


def test_the_last_change_is_undone_and_the_list_shows_it(cli: InProcessCli) -> None:
    tea = cli.add_memory(TEA_TEXT)
    cli("forget", tea, "--yes")
    shown = cli("undo")
    listed, shaped = cli("undo", "--list"), cli.json("undo", "--list")

    assert (shown.exit_code, shown.stdout) == (0, f"Undone (forget): {TEA_TEXT}\n")
    assert texts(cli) == [TEA_TEXT]
    assert [(each["action"], each["texts"], each["undone"]) for each in shaped["results"]] == [
        ("undo", [TEA_TEXT], False),
        ("forget", [TEA_TEXT], True),
        ("learn", [TEA_TEXT], False),
    ]
    assert listed.stdout.index("forget") < listed.stdout.index("learn")


def test_a_certain_change_is_undone_by_its_id_and_only_once(cli: InProcessCli) -> None:
    tea = cli.add_memory(TEA_TEXT)
    cli("archive", tea)
    cli("add", CATS_TEXT)
    _, archived, _ = cli.json("undo", "--list")["results"]
    shaped = cli.json("undo", archived["id"])

    assert (shaped["id"], shaped["undone"], shaped["texts"]) == (archived["id"], True, [TEA_TEXT])
    assert sorted(texts(cli)) == sorted([TEA_TEXT, CATS_TEXT])
    assert cli("undo", archived["id"]).exit_code == 2


def test_an_undo_is_undone_by_its_own_id(cli: InProcessCli) -> None:
    tea = cli.add_memory(TEA_TEXT)
    cli("archive", tea)
    cli("undo")
    [undone, *_] = cli.json("undo", "--list")["results"]
    cli("undo", undone["id"])

    assert cli.json("show", tea)["standing"] == "archived"


def test_what_was_learned_is_unlearned_by_undo_and_does_not_come_back(cli: InProcessCli) -> None:
    cli("add", "--role", "user", "I live in Porto")
    undone = cli("undo")
    cli("add", "--role", "assistant", "So you live in Porto.")

    assert undone.stdout == "Undone (learn): lives in Porto\n"
    assert texts(cli) == []


def test_with_nothing_done_there_is_nothing_to_undo(cli: InProcessCli) -> None:
    nothing, listed = cli("undo"), cli("undo", "--list")

    assert nothing.exit_code == 3
    assert (listed.exit_code, listed.stdout) == (0, "")
    assert "No changes yet." in listed.stderr


def test_an_empty_inbox_says_so(cli: InProcessCli) -> None:
    answer = cli("inbox")

    assert (answer.exit_code, answer.stdout, cli.json("inbox")) == (0, "", {"results": []})
    assert "The inbox is empty." in answer.stderr


def test_a_contradiction_waits_in_the_inbox_with_its_reason_and_words(cli: InProcessCli) -> None:
    cli("add", "--role", "user", "My name is Ana")
    heard = cli("add", "--role", "user", "My name is Eva")
    shown, [waiting] = cli("inbox"), cli.json("inbox")["results"]

    assert "In `recollect inbox` for review (bio): name: Eva" in heard.stdout
    assert (waiting["memory"], waiting["standing"]) == ("name: Eva", "contested")
    assert (waiting["reason"], waiting["quotes"]) == ("contradicts 'name: Ana'", ["My name is Eva"])
    assert "“My name is Eva”" in shown.stdout
    assert "`recollect restore ID` accepts one, `recollect forget ID` rejects it." in shown.stderr


@pytest.mark.parametrize(
    ("verb", "left"), [(("restore",), ["name: Eva"]), (("forget", "--yes"), ["name: Ana"])]
)
def test_a_contradiction_is_accepted_or_rejected(
    cli: InProcessCli, verb: tuple[str, ...], left: list[str]
) -> None:
    cli("add", "--role", "user", "My name is Ana")
    cli("add", "--role", "user", "My name is Eva")
    [waiting] = cli.json("inbox")["results"]
    answer = cli(*verb, waiting["id"])

    assert answer.exit_code == 0
    assert texts(cli) == left
    assert cli.json("inbox")["results"] == []


def test_what_a_model_made_up_waits_in_the_inbox(cli: InProcessCli, monkeypatch: pytest.MonkeyPatch) -> None:
    facts = [{"text": "lives in Paris", "kind": "bio", "weight": 1.0, "quote": "I work from home on Mondays"}]
    found = {"importance": 80, "type": "chat", "summary": "Works from home.", "facts": facts}
    monkeypatch.setenv("RECOLLECT_MODEL", "echo")
    with ModelServer() as server:
        monkeypatch.setenv("RECOLLECT_MODEL_URL", server.base_url)
        server.answer(json.dumps(found))
        cli("add", "--role", "user", "I work from home on Mondays")
    [waiting] = cli.json("inbox")["results"]

    assert (waiting["memory"], waiting["standing"]) == ("lives in Paris", "quarantined")
    assert waiting["reason"]
    assert texts(cli) == []
