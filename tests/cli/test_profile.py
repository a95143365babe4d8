import json

import pytest
from tests.cli.runner import InProcessCli


@pytest.fixture
def cli_with_consent(cli: InProcessCli) -> InProcessCli:
    cli("privacy", "consent", "give", "profile")
    return cli


@pytest.mark.spec("I3")
def test_without_consent_nothing_is_stored_and_the_error_says_how_to_give_it(cli: InProcessCli) -> None:
    result, text_result = cli("profile", "set", "domain", "payments", "--json"), cli("profile")

    assert result.exit_code == 4
    assert result.payload["error"]["type"] == "ConsentRequired"
    assert "`recollect privacy consent give profile`" in result.payload["error"]["message"]
    assert (text_result.exit_code, text_result.stdout) == (0, "")
    assert "`recollect privacy consent give profile`" in text_result.stderr


@pytest.mark.spec("I1", "I2")
def test_setting_a_field_keeps_the_others(cli_with_consent: InProcessCli) -> None:
    cli_with_consent("profile", "set", "preferredLanguages", "Python,", "Rust")
    cli_with_consent("profile", "set", "projectGoals", "ship the billing service")
    cli_with_consent("profile", "set", "freeformNotes", "-", stdin=b"I work at night.")
    cli_with_consent("profile", "set", "pronouns", "they")
    payload = cli_with_consent.json("profile")

    assert {key: payload[key] for key in ("preferences", "context", "freeformNotes", "extra", "consent")} == {
        "preferences": {"preferredLanguages": ["Python", "Rust"]},
        "context": {"projectGoals": "ship the billing service"},
        "freeformNotes": "I work at night.",
        "extra": {"pronouns": "they"},
        "consent": True,
    }
    assert payload["updatedAt"]
    assert "preferredLanguages  Python, Rust\n" in cli_with_consent("profile").stdout


@pytest.mark.spec("I2")
def test_fields_are_set_from_a_file_and_the_json_output_can_be_read_back(
    cli_with_consent: InProcessCli,
) -> None:
    form = {"domain": "payments", "frameworkExperience": ["FastAPI", "Django"], "freeformNotes": "Be brief."}
    (cli_with_consent.folder / "me.json").write_text(json.dumps(form), "utf-8")
    cli_with_consent("profile", "set", "--file", "me.json")
    printed = cli_with_consent("profile", "--json").stdout
    cli_with_consent("privacy", "consent", "give", "profile", "--user", "twin")
    copied_profile = cli_with_consent.json(
        "profile", "set", "--file", "-", "--user", "twin", stdin=printed.encode()
    )

    assert {key: copied_profile[key] for key in ("preferences", "context", "freeformNotes", "extra")} == {
        "preferences": {"frameworkExperience": ["FastAPI", "Django"]},
        "context": {"domain": "payments"},
        "freeformNotes": "Be brief.",
        "extra": {},
    }


def test_a_field_is_removed(cli_with_consent: InProcessCli) -> None:
    cli_with_consent("profile", "set", "domain", "payments")

    assert cli_with_consent("profile", "clear", "domain").stdout == "Removed domain.\n"
    assert cli_with_consent.json("profile")["context"] == {}
    assert "The profile is empty." in cli_with_consent("profile").stderr


def test_secrets_in_the_profile_are_redacted(cli_with_consent: InProcessCli) -> None:
    payload = cli_with_consent.json("profile", "set", "freeformNotes", "my card is 4111 1111 1111 1111")

    assert "4111" not in json.dumps(payload)


@pytest.mark.parametrize(
    "words", [("set",), ("set", "domain"), ("set", "domain", "x", "--file", "f.json"), ("clear",)]
)
def test_invalid_arguments_are_a_usage_error(cli_with_consent: InProcessCli, words: tuple[str, ...]) -> None:
    assert cli_with_consent("profile", *words).exit_code == 2


@pytest.mark.parametrize("content", [b"[1]", b"{nonsense", b'{"domain": 3}'])
def test_an_invalid_profile_file_is_refused(cli_with_consent: InProcessCli, content: bytes) -> None:
    assert cli_with_consent("profile", "set", "--file", "-", stdin=content).exit_code == 2
    assert cli_with_consent("profile", "set", "--file", "nowhere.json").exit_code == 2
