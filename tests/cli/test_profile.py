import json

import pytest
from tests.cli.runner import Cli


@pytest.fixture
def agreed(cli: Cli) -> Cli:
    cli("consent", "give", "profile")
    return cli


@pytest.mark.spec("I3")
def test_without_consent_nothing_is_kept_and_the_error_says_how_to_give_it(cli: Cli) -> None:
    answer, shown = cli("profile", "set", "domain", "payments", "--json"), cli("profile")

    assert answer.code == 4
    assert answer.shape["error"]["type"] == "ConsentRequired"
    assert "`recollect consent give profile`" in answer.shape["error"]["message"]
    assert (shown.code, shown.out) == (0, "")
    assert "`recollect consent give profile`" in shown.err


@pytest.mark.spec("I1", "I2")
def test_fields_are_filled_in_one_by_one_and_the_others_stay(agreed: Cli) -> None:
    agreed("profile", "set", "preferredLanguages", "Python,", "Rust")
    agreed("profile", "set", "projectGoals", "ship the billing service")
    agreed("profile", "set", "freeformNotes", "-", given=b"I work at night.")
    agreed("profile", "set", "pronouns", "they")
    shaped = agreed.json("profile")

    assert {key: shaped[key] for key in ("preferences", "context", "freeformNotes", "extra", "consent")} == {
        "preferences": {"preferredLanguages": ["Python", "Rust"]},
        "context": {"projectGoals": "ship the billing service"},
        "freeformNotes": "I work at night.",
        "extra": {"pronouns": "they"},
        "consent": True,
    }
    assert shaped["updatedAt"]
    assert "preferredLanguages  Python, Rust\n" in agreed("profile").out


@pytest.mark.spec("I2")
def test_a_file_fills_in_many_fields_and_what_was_printed_can_be_read_back(agreed: Cli) -> None:
    form = {"domain": "payments", "frameworkExperience": ["FastAPI", "Django"], "freeformNotes": "Be brief."}
    (agreed.folder / "me.json").write_text(json.dumps(form), "utf-8")
    agreed("profile", "set", "--file", "me.json")
    printed = agreed("profile", "--json").out
    agreed("consent", "give", "profile", "--user", "twin")
    again = agreed.json("profile", "set", "--file", "-", "--user", "twin", given=printed.encode())

    assert {key: again[key] for key in ("preferences", "context", "freeformNotes", "extra")} == {
        "preferences": {"frameworkExperience": ["FastAPI", "Django"]},
        "context": {"domain": "payments"},
        "freeformNotes": "Be brief.",
        "extra": {},
    }


def test_a_field_is_taken_out(agreed: Cli) -> None:
    agreed("profile", "set", "domain", "payments")

    assert agreed("profile", "clear", "domain").out == "domain is empty.\n"
    assert agreed.json("profile")["context"] == {}
    assert "The profile is empty." in agreed("profile").err


def test_secrets_are_masked_in_the_profile_too(agreed: Cli) -> None:
    shaped = agreed.json("profile", "set", "freeformNotes", "my card is 4111 1111 1111 1111")

    assert "4111" not in json.dumps(shaped)


@pytest.mark.parametrize(
    "words", [("set",), ("set", "domain"), ("set", "domain", "x", "--file", "f.json"), ("clear",)]
)
def test_what_makes_no_sense_is_a_usage_error(agreed: Cli, words: tuple[str, ...]) -> None:
    assert agreed("profile", *words).code == 2


@pytest.mark.parametrize("content", [b"[1]", b"{nonsense", b'{"domain": 3}'])
def test_a_file_that_is_no_profile_is_refused(agreed: Cli, content: bytes) -> None:
    assert agreed("profile", "set", "--file", "-", given=content).code == 2
    assert agreed("profile", "set", "--file", "nowhere.json").code == 2
