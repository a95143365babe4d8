import pytest
from hypothesis import given
from hypothesis import strategies as st

from recollect.domain.policy import PRESETS
from recollect.domain.setting import SettingSpec, closest_name
from recollect.settings import SETTING_LIMITS, list_specs

SPECS_BY_NAME = {row.name: row for row in list_specs()}


@pytest.mark.parametrize("raw", [True, 1, "true", "TRUE", "1", "yes", "on", " on "])
def test_yes_has_many_spellings(raw: object) -> None:
    assert SPECS_BY_NAME["recall.hybrid"].parse(raw) is True


@pytest.mark.parametrize("raw", [False, 0, "false", "False", "0", "no", "off"])
def test_so_has_no(raw: object) -> None:
    assert SPECS_BY_NAME["recall.hybrid"].parse(raw) is False


@pytest.mark.parametrize(
    ("raw", "words"),
    [
        ("our budget, the deadline,", ("our budget", "the deadline")),
        (["our budget", "yes, and"], ("our budget", "yes, and")),
        (("our budget",), ("our budget",)),
        ([" "], ()),
        ("", ()),
    ],
)
def test_a_list_is_separated_by_commas_or_already_a_list(raw: object, words: tuple[str, ...]) -> None:
    assert SPECS_BY_NAME["triage.keep_phrases"].parse(raw) == words


@pytest.mark.parametrize("raw", [1, "1", " 1 ", "1.0", 1.0])
def test_a_whole_number_will_do_where_a_fraction_is_asked_for(raw: object) -> None:
    alpha = SPECS_BY_NAME["recall.alpha"].parse(raw)

    assert (alpha, type(alpha)) == (1.0, float)


@pytest.mark.parametrize("raw", ["onnx", "./my-model", "~/models/small", r"D:\models\small"])
def test_the_embedder_is_one_of_the_names_or_a_folder(raw: str) -> None:
    assert SPECS_BY_NAME["embedder"].parse(raw) == raw


@pytest.mark.parametrize(
    ("name", "raw"),
    [
        ("recall.limit", True),
        ("recall.limit", 2.5),
        ("recall.limit", 0),
        ("recall.limit", "many"),
        ("recall.limit", 10**30),
        ("recall.alpha", float("nan")),
        ("recall.alpha", float("inf")),
        ("recall.alpha", 10**400),
        ("recall.alpha", "half"),
        ("recall.alpha", [0.5]),
        ("recall.hybrid", 2),
        ("recall.hybrid", 1.0),
        ("recall.ranker", 3),
        ("recall.ranker", "./my-ranker"),
        ("recall.half_life_days", 0),
        ("triage.keep_phrases", 3),
        ("triage.keep_phrases", ["fine", 3]),
        ("embedder", "my-model"),
        ("user", "  "),
        ("db", b"memory.db"),
    ],
)
def test_an_invalid_value_parses_to_none(name: str, raw: object) -> None:
    assert SPECS_BY_NAME[name].parse(raw) is None


@pytest.mark.parametrize("name", list(SETTING_LIMITS))
def test_a_default_lies_within_its_limits(name: str) -> None:
    row = SPECS_BY_NAME[name]

    assert row.parse(row.default) == row.default
    assert row.low < row.high


@pytest.mark.parametrize("preset", list(PRESETS))
def test_a_preset_asks_for_nothing_that_a_user_could_not_ask_for(preset: str) -> None:
    values = {name: SPECS_BY_NAME[name].parse(value) for name, value in PRESETS[preset].items()}

    assert values == PRESETS[preset]


@given(row=st.sampled_from(list(SPECS_BY_NAME.values())), text=st.text())
def test_any_text_is_either_understood_or_refused(row: SettingSpec, text: str) -> None:
    value = row.parse(text)

    assert value is None or row.parse(value) == value


@given(
    row=st.sampled_from([row for row in SPECS_BY_NAME.values() if "number" in row.kind]),
    number=st.integers() | st.floats(),
)
def test_a_number_outside_its_limits_never_gets_through(row: SettingSpec, number: float) -> None:
    value = row.parse(number)

    assert value is None or (isinstance(value, int | float) and row.low <= value <= row.high)


@pytest.mark.parametrize(
    ("key", "meant"),
    [
        ("recall.alhpa", "recall.alpha"),
        ("recal.alpha", "recall.alpha"),
        ("alpha", "recall.alpha"),
        ("budget", "context.budget"),
        ("embeder", "embedder"),
        ("xyzzy", None),
    ],
)
def test_a_misspelt_name_finds_the_one_that_was_meant(key: str, meant: str | None) -> None:
    assert closest_name(key, list(SPECS_BY_NAME)) == meant
