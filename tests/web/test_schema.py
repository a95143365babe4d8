"""The web app knows the API as it is."""

from scripts.web_schema import is_current


def test_the_app_is_written_against_the_api_of_today() -> None:
    assert is_current(), "Run `python scripts/web_schema.py --write`: the API has changed."
