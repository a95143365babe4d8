import json

import pytest
from tests.cli.runner import Cli

from recollect.testing.model_server import ModelServer

TEA = "I like green tea in the morning"
CATS = "My two cats are called Pixel and Byte"


def texts(cli: Cli, *words: str) -> list[str]:
    return [each["memory"] for each in cli.json("list", *words)["results"]]


@pytest.mark.spec("G3")
def test_what_is_archived_is_out_of_use_until_it_is_restored(cli: Cli) -> None:
    tea, cats = cli.id_of(TEA), cli.id_of(CATS)
    away = cli("archive", tea, cats, tea[:-1])
    between = texts(cli), cli.json("search", "green tea", "--limit", "1")["results"][0]["source"]
    back = cli("restore", tea)

    assert (away.code, away.out) == (0, f"Put away: {TEA}\nPut away: {CATS}\n")
    assert "`recollect undo` takes it back." in away.err
    assert between == ([], "message")
    assert back.out == f"Back in use: {TEA}\n"
    assert (texts(cli), texts(cli, "--standing", "archived")) == ([TEA], [CATS])


def test_if_one_of_several_is_unknown_nothing_is_archived(cli: Cli) -> None:
    tea = cli.id_of(TEA)

    assert cli("archive", tea, "unknown").code == 3
    assert texts(cli) == [TEA]


def test_what_is_in_use_cannot_be_brought_back(cli: Cli) -> None:
    answer = cli("restore", cli.id_of(TEA))

    assert answer.code == 2
    assert "there is nothing to bring back" in answer.err


def test_what_was_forgotten_can_be_restored(cli: Cli) -> None:
    tea = cli.id_of(TEA)
    cli("forget", tea, "--yes")
    [back] = cli.json("restore", tea)["results"]

    assert (back["id"], back["standing"]) == (tea, "active")


def test_a_memory_is_pinned_and_unpinned(cli: Cli) -> None:
    tea = cli.id_of(TEA)
    pinned, unpinned = cli("pin", tea), cli.json("pin", tea, "--off")

    assert pinned.out == f"Pinned: {TEA}\n"
    assert unpinned["results"][0]["pinned"] is False


def test_several_memories_become_the_one_that_says_most(cli: Cli) -> None:
    short, long = cli.id_of("Likes tea"), cli.id_of("Likes green tea with honey in the morning")
    shaped = cli.json("merge", short, long)

    assert (shaped["memory"], len(shaped["sources"])) == ("Likes green tea with honey in the morning", 2)
    assert texts(cli) == ["Likes green tea with honey in the morning"]
    assert cli("undo").out == (
        "Undone (merge): Likes green tea with honey in the morning\nUndone (merge): Likes tea\n"
    )
    assert sorted(texts(cli)) == ["Likes green tea with honey in the morning", "Likes tea"]


def test_it_takes_two_to_merge(cli: Cli) -> None:
    tea = cli.id_of(TEA)

    assert cli("merge", tea, tea).code == 2


def test_the_last_change_is_undone_and_the_list_shows_it(cli: Cli) -> None:
    tea = cli.id_of(TEA)
    cli("forget", tea, "--yes")
    shown = cli("undo")
    listed, shaped = cli("undo", "--list"), cli.json("undo", "--list")

    assert (shown.code, shown.out) == (0, f"Undone (forget): {TEA}\n")
    assert texts(cli) == [TEA]
    assert [(each["action"], each["texts"], each["undone"]) for each in shaped["results"]] == [
        ("undo", [TEA], False),
        ("forget", [TEA], True),
        ("learn", [TEA], False),
    ]
    assert listed.out.index("forget") < listed.out.index("learn")


def test_a_certain_change_is_undone_by_its_id_and_only_once(cli: Cli) -> None:
    tea = cli.id_of(TEA)
    cli("archive", tea)
    cli("add", CATS)
    _, archived, _ = cli.json("undo", "--list")["results"]
    shaped = cli.json("undo", archived["id"])

    assert (shaped["id"], shaped["undone"], shaped["texts"]) == (archived["id"], True, [TEA])
    assert sorted(texts(cli)) == sorted([TEA, CATS])
    assert cli("undo", archived["id"]).code == 2


def test_an_undo_is_undone_by_its_own_id(cli: Cli) -> None:
    tea = cli.id_of(TEA)
    cli("archive", tea)
    cli("undo")
    [undone, *_] = cli.json("undo", "--list")["results"]
    cli("undo", undone["id"])

    assert cli.json("show", tea)["standing"] == "archived"


def test_what_was_learned_is_unlearned_by_undo_and_does_not_come_back(cli: Cli) -> None:
    cli("add", "--role", "user", "I live in Porto")
    undone = cli("undo")
    cli("add", "--role", "assistant", "So you live in Porto.")

    assert undone.out == "Undone (learn): lives in Porto\n"
    assert texts(cli) == []


def test_with_nothing_done_there_is_nothing_to_undo(cli: Cli) -> None:
    nothing, listed = cli("undo"), cli("undo", "--list")

    assert nothing.code == 3
    assert (listed.code, listed.out) == (0, "")
    assert "Nothing was done to memories yet." in listed.err


def test_an_empty_inbox_says_so(cli: Cli) -> None:
    answer = cli("inbox")

    assert (answer.code, answer.out, cli.json("inbox")) == (0, "", {"results": []})
    assert "Nothing waits for your decision." in answer.err


def test_a_contradiction_waits_in_the_inbox_with_its_reason_and_words(cli: Cli) -> None:
    cli("add", "--role", "user", "My name is Ana")
    heard = cli("add", "--role", "user", "My name is Eva")
    shown, [waiting] = cli("inbox"), cli.json("inbox")["results"]

    assert "Waits in `recollect inbox` (bio): name: Eva" in heard.out
    assert (waiting["memory"], waiting["standing"]) == ("name: Eva", "contested")
    assert (waiting["reason"], waiting["quotes"]) == ("contradicts 'name: Ana'", ["My name is Eva"])
    assert "“My name is Eva”" in shown.out
    assert "`recollect restore ID` accepts one, `recollect forget ID` rejects it." in shown.err


@pytest.mark.parametrize(
    ("verb", "left"), [(("restore",), ["name: Eva"]), (("forget", "--yes"), ["name: Ana"])]
)
def test_a_contradiction_is_accepted_or_rejected(cli: Cli, verb: tuple[str, ...], left: list[str]) -> None:
    cli("add", "--role", "user", "My name is Ana")
    cli("add", "--role", "user", "My name is Eva")
    [waiting] = cli.json("inbox")["results"]
    answer = cli(*verb, waiting["id"])

    assert answer.code == 0
    assert texts(cli) == left
    assert cli.json("inbox")["results"] == []


def test_what_a_model_made_up_waits_in_the_inbox(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
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
