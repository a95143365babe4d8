import pytest
from hypothesis import given
from hypothesis import strategies as st

from recollect.text.phrase_matcher import PhraseIndex, split_phrases, split_words


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Olá, MUNDO!", ["ola", "mundo"]),
        ("What's up?", ["what", "s", "up"]),
        ("what’s up", ["what", "s", "up"]),
        ("Ação é reação", ["acao", "e", "reacao"]),
        ("Stra\u00dfe", ["strasse"]),
        ("full-width Ａｂｃ", ["full", "width", "abc"]),
        ("e\u0301clair", ["eclair"]),
        ("so\u00adft\u200b hy\u200dphen", ["soft", "hyphen"]),
        ("okkkkk sooooo goood", ["ok", "so", "god"]),
        ("kkkkkk III", ["kkkkkk", "iii"]),
        ("10000 reais", ["10000", "reais"]),
        ("snake_case", ["snake", "case"]),
        ("😂👍🏽", []),
        ("東京 に", ["東京", "に"]),
        ("half \ud83d a pair", ["half", "a", "pair"]),
    ],
)
def test_a_text_is_split_into_folded_words(text: str, expected: list[str]) -> None:
    assert split_words(text) == expected


@given(st.text())
def test_words_are_never_empty_and_contain_no_space(text: str) -> None:
    assert all(word and not any(map(str.isspace, word)) for word in split_words(text))


@given(st.text(), st.text())
def test_concatenated_texts_are_split_like_each_alone(left: str, right: str) -> None:
    assert split_words(f"{left} {right}") == split_words(left) + split_words(right)


def test_a_phrase_list_is_comma_separated_over_several_lines() -> None:
    assert split_phrases(" a,  b c ,\n  d\n e,") == ("a", "b c", "d e")


def test_phrases_match_whole_words_at_their_position() -> None:
    phrases = PhraseIndex.from_pairs(
        [("my stack", "long"), ("my", "short"), ("my stack", "too late"), ("!", "no word")]
    )

    assert sorted(phrases.matches_at(["my", "stack"], 0)) == [(1, "short"), (2, "long")]
    assert sorted(phrases.matches_at(["my", "stackoverflow"], 0)) == [(1, "short")]
    assert sorted(phrases.matches_at(["oh", "my"], 1)) == [(2, "short")]
    assert list(phrases.candidate_positions(["oh", "my", "my"])) == [1, 2]
