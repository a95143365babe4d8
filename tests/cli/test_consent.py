import apsw
import pytest
from tests.cli.runner import InProcessCli

WORRY_TEXT = "I am very anxious about my finances these days"
CATEGORIES = ["profile", "bio", "pref", "emo", "obj", "evt", "dec", "note"]


def read_consents(cli: InProcessCli) -> dict[str, bool]:
    return {each["category"]: each["granted"] for each in cli.json("consent")["results"]}


@pytest.mark.spec("I3")
def test_the_profile_is_off_until_the_user_says_yes_and_memories_are_on_until_they_say_no(
    cli: InProcessCli,
) -> None:
    shown = cli("consent")

    assert read_consents(cli) == {category: category != "profile" for category in CATEGORIES}
    assert "profile   no " in shown.stdout
    assert "Emotions and moods; they decay unless stated again." in shown.stdout


@pytest.mark.spec("I3", "I7")
def test_an_answer_is_kept_and_stands_in_the_ledger(cli: InProcessCli) -> None:
    given = cli("consent", "give", "profile")
    shown, shaped = cli("consent", "ledger"), cli.json("consent", "ledger")

    assert given.stdout.startswith("Consent given for profile: ")
    assert read_consents(cli)["profile"] is True
    assert [each["action"] for each in shaped["results"]] == ["consent given"]
    assert shaped["intact"] is True
    assert "consent given  profile\n" in shown.stdout
    assert "The hash chain is intact." in shown.stderr


@pytest.mark.spec("I5", "Y16")
def test_taking_consent_back_erases_the_profile_and_nothing_brings_it_into_a_prompt(
    cli: InProcessCli,
) -> None:
    cli("consent", "give", "profile")
    cli("profile", "set", "domain", "submarine cables")
    before = cli("context", "hello there").stdout
    shaped = cli.json("consent", "revoke", "profile", "--yes")

    assert "submarine cables" in before
    assert shaped == {"category": "profile", "granted": False, "erased": {"profile": 1}, "dry_run": False}
    assert "submarine" not in cli("context", "hello there").stdout
    assert cli.json("profile")["context"] == {}
    assert read_consents(cli)["profile"] is False
    assert cli.json("consent", "ledger")["results"][0]["action"] == "consent taken back"


@pytest.mark.spec("I5")
def test_a_preview_shows_what_would_go_and_changes_nothing(cli: InProcessCli) -> None:
    cli("add", "--role", "user", WORRY_TEXT)
    shown, shaped = (
        cli("consent", "revoke", "emo", "--dry-run"),
        cli.json("consent", "revoke", "emo", "--dry-run"),
    )

    assert (shown.exit_code, shown.stdout) == (0, "Would erase 1 memory; nothing was changed.\n")
    assert "is very anxious about finances" in shown.stderr
    assert (shaped["erased"], shaped["dry_run"]) == ({"memories": 1}, True)
    assert read_consents(cli)["emo"] is True


def test_taking_consent_back_is_refused_where_nobody_can_be_asked(cli: InProcessCli) -> None:
    cli("add", "--role", "user", WORRY_TEXT)
    answer = cli("consent", "revoke", "emo")

    assert answer.exit_code == 4
    assert "Revoke consent for emo and erase 1 memory?" in answer.stderr
    assert len(cli.json("list")["results"]) == 1


def test_where_nothing_goes_nothing_is_asked(cli: InProcessCli) -> None:
    answer = cli("consent", "revoke", "evt")

    assert (answer.exit_code, answer.stdout) == (0, "Consent for evt revoked; erased nothing.\n")


def test_a_kind_without_consent_is_neither_learned_nor_remembered(cli: InProcessCli) -> None:
    cli("consent", "revoke", "emo")
    told = cli("add", "I feel so happy today", "--kind", "emo")
    shaped = cli.json("add", "I feel so happy today", "--kind", "emo")
    cli("add", "--role", "user", WORRY_TEXT)

    assert (told.exit_code, told.stdout) == (
        0,
        "Not stored: no consent for memories of the kind emo.\n",
    )
    assert (shaped["results"][0]["id"], shaped["results"][0]["event"]) == (None, "NONE")
    assert cli.json("list", "--all")["results"] == []


def test_an_unknown_category_is_refused(cli: InProcessCli) -> None:
    assert (cli("consent", "give", "moon").exit_code, cli("consent", "revoke", "moon").exit_code) == (2, 2)


@pytest.mark.spec("I7")
def test_a_ledger_that_was_changed_is_noticed(cli: InProcessCli) -> None:
    cli("consent", "give", "profile")
    connection = apsw.Connection(str(cli.db))
    connection.execute("UPDATE audit SET action = 'consent taken back'")
    connection.close()
    shown, shaped = cli("consent", "ledger"), cli("consent", "ledger", "--json")

    assert (shown.exit_code, shaped.exit_code, shaped.payload["intact"]) == (5, 5, False)
    assert "The audit log was modified outside of recollect" in shown.stderr
