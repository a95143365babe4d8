import json

import pytest
from tests.cli.runner import InProcessCli


@pytest.fixture
def cli_with_consent(cli: InProcessCli) -> InProcessCli:
    cli("consent", "give", "profile")
    return cli


@pytest.mark.spec("I3")
def test_without_consent_nothing_is_kept_and_the_error_says_how_to_give_it(cli: InProcessCli) -> None:
    answer, shown = cli("profile", "set", "domain", "payments", "--json"), cli("profile")

    assert answer.exit_code == 4
    assert answer.payload["error"]["type"] == "ConsentRequired"
    assert "`recollect consent give profile`" in answer.payload["error"]["message"]
    assert (shown.exit_code, shown.stdout) == (0, "")
    assert "`recollect consent give profile`" in shown.stderr


@pytest.mark.spec("I1", "I2")
def test_fields_are_filled_in_one_by_one_and_the_others_stay(cli_with_consent: InProcessCli) -> None:
    cli_with_consent("profile", "set", "preferredLanguages", "Python,", "Rust")
    cli_with_consent("profile", "set", "projectGoals", "ship the billing service")
    cli_with_consent("profile", "set", "freeformNotes", "-", stdin=b"I work at night.")
    cli_with_consent("profile", "set", "pronouns", "they")
    shaped = cli_with_consent.json("profile")

    assert {key: shaped[key] for key in ("preferences", "context", "freeformNotes", "extra", "consent")} == {
        "preferences": {"preferredLanguages": ["Python", "Rust"]},
        "context": {"projectGoals": "ship the billing service"},
        "freeformNotes": "I work at night.",
        "extra": {"pronouns": "they"},
        "consent": True,
    }
    assert shaped["updatedAt"]
    assert "preferredLanguages  Python, Rust\n" in cli_with_consent("profile").stdout


@pytest.mark.spec("I2")
def test_a_file_fills_in_many_fields_and_what_was_printed_can_be_read_back(
    cli_with_consent: InProcessCli,
) -> None:
    form = {"domain": "payments", "frameworkExperience": ["FastAPI", "Django"], "freeformNotes": "Be brief."}
    (cli_with_consent.folder / "me.json").write_text(json.dumps(form), "utf-8")
    cli_with_consent("profile", "set", "--file", "me.json")
    printed = cli_with_consent("profile", "--json").stdout
    cli_with_consent("consent", "give", "profile", "--user", "twin")
    again = cli_with_consent.json("profile", "set", "--file", "-", "--user", "twin", stdin=printed.encode())

    assert {key: again[key] for key in ("preferences", "context", "freeformNotes", "extra")} == {
        "preferences": {"frameworkExperience": ["FastAPI", "Django"]},
        "context": {"domain": "payments"},
        "freeformNotes": "Be brief.",
        "extra": {},
    }


def test_a_field_is_taken_out(cli_with_consent: InProcessCli) -> None:
    cli_with_consent("profile", "set", "domain", "payments")

    assert cli_with_consent("profile", "clear", "domain").stdout == "Removed domain.\n"
    assert cli_with_consent.json("profile")["context"] == {}
    assert "The profile is empty." in cli_with_consent("profile").stderr


def test_secrets_are_masked_in_the_profile_too(cli_with_consent: InProcessCli) -> None:
    shaped = cli_with_consent.json("profile", "set", "freeformNotes", "my card is 4111 1111 1111 1111")

    assert "4111" not in json.dumps(shaped)


@pytest.mark.parametrize(
    "words", [("set",), ("set", "domain"), ("set", "domain", "x", "--file", "f.json"), ("clear",)]
)
def test_what_makes_no_sense_is_a_usage_error(cli_with_consent: InProcessCli, words: tuple[str, ...]) -> None:
    assert cli_with_consent("profile", *words).exit_code == 2


@pytest.mark.parametrize("content", [b"[1]", b"{nonsense", b'{"domain": 3}'])
def test_a_file_that_is_no_profile_is_refused(cli_with_consent: InProcessCli, content: bytes) -> None:
    assert cli_with_consent("profile", "set", "--file", "-", stdin=content).exit_code == 2
    assert cli_with_consent("profile", "set", "--file", "nowhere.json").exit_code == 2
