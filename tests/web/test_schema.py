"""The generated API types are up to date."""

from scripts.web_schema import is_current


def test_the_generated_types_match_the_api() -> None:
    assert is_current(), "Run `python scripts/web_schema.py --write`: the API has changed."
