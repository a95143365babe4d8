import apsw
import pytest
from tests.cli.runner import Cli

WORRY = "I am very anxious about my finances these days"
CATEGORIES = ["profile", "bio", "pref", "emo", "obj", "evt", "dec", "note"]


def answers(cli: Cli) -> dict[str, bool]:
    return {each["category"]: each["granted"] for each in cli.json("consent")["results"]}


@pytest.mark.spec("I3")
def test_the_profile_is_off_until_the_user_says_yes_and_memories_are_on_until_they_say_no(cli: Cli) -> None:
    shown = cli("consent")

    assert answers(cli) == {category: category != "profile" for category in CATEGORIES}
    assert "profile   no " in shown.out
    assert "How you feel; fades unless it is said again." in shown.out


@pytest.mark.spec("I3", "I7")
def test_an_answer_is_kept_and_stands_in_the_ledger(cli: Cli) -> None:
    given = cli("consent", "give", "profile")
    shown, shaped = cli("consent", "ledger"), cli.json("consent", "ledger")

    assert given.out.startswith("Consent given for profile: ")
    assert answers(cli)["profile"] is True
    assert [each["action"] for each in shaped["results"]] == ["consent given"]
    assert shaped["intact"] is True
    assert "consent given  profile\n" in shown.out
    assert "The chain is intact." in shown.err


@pytest.mark.spec("I5", "Y16")
def test_taking_consent_back_erases_the_profile_and_nothing_brings_it_into_a_prompt(cli: Cli) -> None:
    cli("consent", "give", "profile")
    cli("profile", "set", "domain", "submarine cables")
    before = cli("context", "hello there").out
    shaped = cli.json("consent", "revoke", "profile", "--yes")

    assert "submarine cables" in before
    assert shaped == {"category": "profile", "granted": False, "erased": {"profile": 1}, "dry_run": False}
    assert "submarine" not in cli("context", "hello there").out
    assert cli.json("profile")["context"] == {}
    assert answers(cli)["profile"] is False
    assert cli.json("consent", "ledger")["results"][0]["action"] == "consent taken back"


@pytest.mark.spec("I5")
def test_a_preview_shows_what_would_go_and_changes_nothing(cli: Cli) -> None:
    cli("add", "--role", "user", WORRY)
    shown, shaped = (
        cli("consent", "revoke", "emo", "--dry-run"),
        cli.json("consent", "revoke", "emo", "--dry-run"),
    )

    assert (shown.code, shown.out) == (0, "Would erase 1 memory; nothing was changed.\n")
    assert "is very anxious about finances" in shown.err
    assert (shaped["erased"], shaped["dry_run"]) == ({"memories": 1}, True)
    assert answers(cli)["emo"] is True


def test_taking_consent_back_is_refused_where_nobody_can_be_asked(cli: Cli) -> None:
    cli("add", "--role", "user", WORRY)
    answer = cli("consent", "revoke", "emo")

    assert answer.code == 4
    assert "Take consent for emo back and erase 1 memory?" in answer.err
    assert len(cli.json("list")["results"]) == 1


def test_where_nothing_goes_nothing_is_asked(cli: Cli) -> None:
    answer = cli("consent", "revoke", "evt")

    assert (answer.code, answer.out) == (0, "Consent for evt taken back; erased nothing.\n")


def test_a_kind_without_consent_is_neither_learned_nor_remembered(cli: Cli) -> None:
    cli("consent", "revoke", "emo")
    told = cli("add", "I feel so happy today", "--kind", "emo")
    shaped = cli.json("add", "I feel so happy today", "--kind", "emo")
    cli("add", "--role", "user", WORRY)

    assert (told.code, told.out) == (0, "Not stored: the user does not want memories of the kind emo.\n")
    assert (shaped["results"][0]["id"], shaped["results"][0]["event"]) == (None, "NONE")
    assert cli.json("list", "--all")["results"] == []


def test_an_unknown_category_is_refused(cli: Cli) -> None:
    assert (cli("consent", "give", "moon").code, cli("consent", "revoke", "moon").code) == (2, 2)


@pytest.mark.spec("I7")
def test_a_ledger_that_was_changed_is_noticed(cli: Cli) -> None:
    cli("consent", "give", "profile")
    connection = apsw.Connection(str(cli.db))
    connection.execute("UPDATE audit SET action = 'consent taken back'")
    connection.close()
    shown, shaped = cli("consent", "ledger"), cli("consent", "ledger", "--json")

    assert (shown.code, shaped.code, shaped.shape["intact"]) == (5, 5, False)
    assert "The ledger was changed outside of recollect" in shown.err
