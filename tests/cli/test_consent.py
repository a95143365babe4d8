import apsw
import pytest
from tests.cli.runner import InProcessCli

WORRY_TEXT = "I am very anxious about my finances these days"
CATEGORIES = ["profile", "biography", "preference", "emotion", "goal", "event", "decision", "note"]


def read_consents(cli: InProcessCli) -> dict[str, bool]:
    return {each["category"]: each["granted"] for each in cli.json("privacy", "consent")["results"]}


@pytest.mark.spec("I3")
def test_the_profile_is_opt_in_and_memories_are_opt_out(
    cli: InProcessCli,
) -> None:
    text_result = cli("privacy", "consent")

    assert read_consents(cli) == {category: category != "profile" for category in CATEGORIES}
    assert "profile     no " in text_result.stdout
    assert "Emotions and moods; they decay unless stated again." in text_result.stdout


@pytest.mark.spec("I3", "I7")
def test_giving_consent_is_stored_and_logged(cli: InProcessCli) -> None:
    consent_result = cli("privacy", "consent", "give", "profile")
    text_result, payload = cli("privacy", "audit-log"), cli.json("privacy", "audit-log")

    assert consent_result.stdout.startswith("Consent given for profile: ")
    assert read_consents(cli)["profile"] is True
    assert [each["action"] for each in payload["results"]] == ["consent given"]
    assert payload["intact"] is True
    assert "consent given  profile\n" in text_result.stdout
    assert "The hash chain is intact." in text_result.stderr


@pytest.mark.spec("I5", "Y16")
def test_revoking_consent_erases_the_profile_and_keeps_it_out_of_prompts(
    cli: InProcessCli,
) -> None:
    cli("privacy", "consent", "give", "profile")
    cli("profile", "set", "domain", "submarine cables")
    before = cli("context", "hello there").stdout
    payload = cli.json("privacy", "consent", "revoke", "profile", "--yes")

    assert "submarine cables" in before
    assert payload == {"category": "profile", "granted": False, "erased": {"profile": 1}, "dry_run": False}
    assert "submarine" not in cli("context", "hello there").stdout
    assert cli.json("profile")["context"] == {}
    assert read_consents(cli)["profile"] is False
    assert cli.json("privacy", "audit-log")["results"][0]["action"] == "consent taken back"


@pytest.mark.spec("I5")
def test_a_dry_run_shows_what_would_be_erased_and_changes_nothing(cli: InProcessCli) -> None:
    cli("add", "--role", "user", WORRY_TEXT)
    text_result, payload = (
        cli("privacy", "consent", "revoke", "emotion", "--dry-run"),
        cli.json("privacy", "consent", "revoke", "emotion", "--dry-run"),
    )

    assert (text_result.exit_code, text_result.stdout) == (0, "Would erase 1 memory; nothing was changed.\n")
    assert "is very anxious about finances" in text_result.stderr
    assert (payload["erased"], payload["dry_run"]) == ({"memories": 1}, True)
    assert read_consents(cli)["emotion"] is True


def test_revoking_consent_without_a_terminal_needs_yes(cli: InProcessCli) -> None:
    cli("add", "--role", "user", WORRY_TEXT)
    result = cli("privacy", "consent", "revoke", "emotion")

    assert result.exit_code == 4
    assert "Revoke consent for emotion and erase 1 memory?" in result.stderr
    assert len(cli.json("memories", "list")["results"]) == 1


def test_revoking_consent_without_stored_data_needs_no_confirmation(cli: InProcessCli) -> None:
    result = cli("privacy", "consent", "revoke", "event")

    assert (result.exit_code, result.stdout) == (0, "Consent for event revoked; erased nothing.\n")


def test_a_kind_without_consent_is_not_stored(cli: InProcessCli) -> None:
    cli("privacy", "consent", "revoke", "emotion")
    text_result = cli("add", "I feel so happy today", "--kind", "emotion")
    payload = cli.json("add", "I feel so happy today", "--kind", "emotion")
    cli("add", "--role", "user", WORRY_TEXT)

    assert (text_result.exit_code, text_result.stdout) == (
        0,
        "Not stored: no consent for feelings.\n",
    )
    assert (payload["results"][0]["id"], payload["results"][0]["event"]) == (None, "NONE")
    assert cli.json("memories", "list", "--all")["results"] == []


def test_an_unknown_category_is_refused(cli: InProcessCli) -> None:
    assert (
        cli("privacy", "consent", "give", "moon").exit_code,
        cli("privacy", "consent", "revoke", "moon").exit_code,
    ) == (2, 2)


@pytest.mark.spec("I7")
def test_tampering_with_the_audit_log_is_detected(cli: InProcessCli) -> None:
    cli("privacy", "consent", "give", "profile")
    connection = apsw.Connection(str(cli.db))
    connection.execute("UPDATE audit_log SET action = 'consent taken back'")
    connection.close()
    text_result, payload = cli("privacy", "audit-log"), cli("privacy", "audit-log", "--json")

    assert (text_result.exit_code, payload.exit_code, payload.payload["intact"]) == (5, 5, False)
    assert "The audit log was modified outside of recollect" in text_result.stderr
