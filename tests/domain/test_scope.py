"""Validation of user and chat ids."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recollect.domain.scope import Scope
from recollect.errors import InvalidInput


@given(st.text(st.characters(min_codepoint=32), min_size=1, max_size=256))
def test_any_text_is_a_name_unless_it_is_blank(name: str) -> None:
    if name.strip():
        assert Scope("ana", name).chat == name
    else:
        with pytest.raises(InvalidInput, match="is empty"):
            Scope("ana", name)


@given(
    st.text(min_size=0, max_size=5),
    st.characters(max_codepoint=31)
    | st.characters(min_codepoint=0xD800, max_codepoint=0xDFFF, exclude_categories=()),
)
def test_a_control_character_or_half_a_character_is_in_no_name(text: str, character: str) -> None:
    with pytest.raises(InvalidInput, match="control character"):
        Scope(f"ana{text}{character}")


@pytest.mark.parametrize("name", ["soft\u00adhyphen", "no\u200bwidth", "a\u00a0b", "日本"])
def test_an_id_may_contain_invisible_characters(name: str) -> None:
    assert Scope(name).user == name
