"""The web app's texts of reasons are up to date."""

from scripts.web_reasons import is_current


def test_the_web_app_has_the_texts_of_the_server() -> None:
    assert is_current(), "Run `python scripts/web_reasons.py --write`: the texts have changed."
