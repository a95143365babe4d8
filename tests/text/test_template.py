import pytest
from hypothesis import given
from hypothesis import strategies as st

from recollect.text.template import Template, select_template


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("---\nversion: 3\n---\nHello {name}\n", Template(text="Hello {name}", version="3")),
        ("---\r\ntitle: x\r\nversion: a-1\r\n---\r\nHello", Template(text="Hello", version="a-1")),
        ("---\ntitle: x\n---\nHello", Template(text="Hello", version="unversioned")),
        ("Hello\n---\nversion: 3\n---", Template(text="Hello\n---\nversion: 3\n---", version="unversioned")),
        ("---\nnever closed", Template(text="---\nnever closed", version="unversioned")),
        ("", Template(text="", version="unversioned")),
    ],
)
def test_the_version_is_read_from_the_front_matter(source: str, expected: Template) -> None:
    assert Template.parse(source) == expected


@pytest.mark.parametrize(
    ("text", "filled"),
    [
        ("{{A}} and {a}", "x and y"),
        ('{"t": "type"} {a}', '{"t": "type"} y'),
        ("{unknown} {{UNKNOWN}} {}", "{unknown} {{UNKNOWN}} {}"),
        ("{{{a}}}", "{y}"),
    ],
)
def test_only_gaps_that_have_a_value_are_filled(text: str, filled: str) -> None:
    assert Template(text=text, version="1").fill({"A": "x", "a": "y"}) == filled


@given(value=st.text())
def test_inserted_values_are_not_expanded(value: str) -> None:
    template = Template(text="<{a}>{b}<{{A}}>", version="1")

    assert template.fill({"a": value, "A": value, "b": "{a}"}) == f"<{value}>{{a}}<{value}>"


@pytest.mark.parametrize(
    ("locale", "overrides", "expected"),
    [
        ("en", None, ("list", None)),
        ("pt", None, ("list.pt", None)),
        ("fr", None, ("list", None)),
        ("pt", {"list": "mine"}, ("list.pt", "mine")),
        ("pt", {"list": "mine", "list.pt": "minha"}, ("list.pt", "minha")),
        ("en", {"list.pt": "minha"}, ("list", None)),
        ("en", {"list": ""}, ("list", "")),
    ],
)
def test_a_text_of_the_user_goes_before_ours(
    locale: str, overrides: dict[str, str] | None, expected: tuple[str, str | None]
) -> None:
    assert select_template("list", locale, overrides) == expected
