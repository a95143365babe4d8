from collections.abc import Mapping
from pathlib import Path

import pytest

from recollect.errors import ConfigError
from recollect.settings import list_specs, load_settings


def refusal_message(
    *,
    environ: Mapping[str, str] | None = None,
    arguments: Mapping[str, object] | None = None,
    preferences: Mapping[str, str] | None = None,
    call: Mapping[str, object] | None = None,
    files: tuple[Path, ...] | None = (),
) -> str:
    with pytest.raises(ConfigError) as caught:
        load_settings(arguments=arguments, environ=environ or {}, files=files).resolve(
            preferences=preferences or {}, call=call or {}
        )
    return str(caught.value)


@pytest.mark.parametrize(
    ("variable", "text", "message"),
    [
        (
            "RAG_HYBRID",
            "maybe",
            (
                "recall.hybrid cannot be 'maybe' (from the environment variable RAG_HYBRID)."
                " It takes yes or no (also true/false, on/off, 1/0)."
            ),
        ),
        (
            "RAG_TOKEN_BUDGET",
            "-1",
            (
                "context.budget cannot be '-1' (from the environment variable RAG_TOKEN_BUDGET)."
                " It takes a whole number from 0 to 1000000."
            ),
        ),
        (
            "RAG_RERANK_ALPHA",
            "1.5",
            (
                "recall.alpha cannot be '1.5' (from the environment variable RAG_RERANK_ALPHA)."
                " It takes a number from 0 to 1."
            ),
        ),
        (
            "RECOLLECT_RECALL_RANKER",
            "blended",
            (
                "recall.ranker cannot be 'blended' (from the environment variable RECOLLECT_RECALL_RANKER)."
                " It takes one of: evidence, blend, sum, product, cosine, importance. Did you mean blend?"
            ),
        ),
        (
            "RECOLLECT_PRESET",
            "compagnon",
            (
                "preset cannot be 'compagnon' (from the environment variable RECOLLECT_PRESET)."
                " It takes one of: default, smart, companion, dev, facts, agent. Did you mean companion?"
            ),
        ),
        (
            "RECOLLECT_EMBEDDER",
            "onx",
            (
                "embedder cannot be 'onx' (from the environment variable RECOLLECT_EMBEDDER)."
                " It takes one of: onnx, hashing, openai, fastembed, sentence-transformers, none;"
                " or the path of a folder, with a slash in it. Did you mean onnx?"
            ),
        ),
    ],
)
def test_an_invalid_value_names_its_source_and_the_accepted_values(
    variable: str, text: str, message: str
) -> None:
    assert refusal_message(environ={variable: text}) == message


@pytest.mark.parametrize(
    ("key", "meant"),
    [
        ("recall.alhpa", "recall.alpha"),
        ("recal.alpha", "recall.alpha"),
        ("alpha", "recall.alpha"),
        ("budget", "context.budget"),
        ("embeder", "embedder"),
        ("prest", "preset"),
    ],
)
def test_an_unknown_setting_names_the_nearest_one(key: str, meant: str) -> None:
    hint = f"Did you mean {meant}? `recollect settings` lists all settings."

    assert refusal_message(call={key: 1}) == f"Unknown setting {key} (from an argument). {hint}"
    assert refusal_message(arguments={key: 1}) == f"Unknown setting {key} (from an argument). {hint}"
    assert (
        refusal_message(preferences={key: "1"})
        == f"Unknown setting {key} (from the user's preferences). {hint}"
    )


def test_a_name_like_no_other_gets_no_guess() -> None:
    assert refusal_message(call={"xyzzy": 1}) == (
        "Unknown setting xyzzy (from an argument). `recollect settings` lists all settings."
    )


@pytest.mark.parametrize(
    ("variable", "meant"),
    [
        ("RECOLLECT_RECAL_ALPHA", "RECOLLECT_RECALL_ALPHA"),
        ("RECOLLECT_EMBEDER", "RECOLLECT_EMBEDDER"),
        ("RECOLLECT_CONFG", "RECOLLECT_CONFIG"),
    ],
)
def test_an_unknown_variable_of_ours_names_the_nearest_one(variable: str, meant: str) -> None:
    assert refusal_message(environ={variable: "1"}) == (
        f"Unknown setting in the environment variable {variable}. Did you mean {meant}?"
        " Correct its name or unset it."
    )


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "[recal]\nalpha = 0.5\n",
            (
                "Unknown setting recal.alpha (from the file recollect.toml). Did you mean recall.alpha?"
                " `recollect settings` lists all settings."
            ),
        ),
        (
            "[recal]\n",
            (
                "Unknown setting recal (from the file recollect.toml). Did you mean recall?"
                " `recollect settings` lists all settings."
            ),
        ),
        (
            "recall = true\n",
            (
                "Unknown setting recall (from the file recollect.toml). Make it a table: [recall]."
                " `recollect settings` lists all settings."
            ),
        ),
        (
            "[recall.alpha]\nshare = 0.5\n",
            (
                "recall.alpha cannot be {'share': 0.5} (from the file recollect.toml)."
                " It takes a number from 0 to 1."
            ),
        ),
        (
            "preset = \n",
            (
                "The file recollect.toml is not valid TOML: Invalid value (at line 1, column 10)."
                " Correct it and try again."
            ),
        ),
        (
            "memory_profile_consent = true\n",
            (
                "memory_profile_consent is a consent, not a setting (from the file recollect.toml)."
                " Remove it; users give consent with `recollect privacy consent`."
            ),
        ),
    ],
)
def test_an_invalid_file_is_reported_with_its_place_and_a_fix(
    text: str, message: str, tmp_path: Path
) -> None:
    file = tmp_path / "recollect.toml"
    file.write_text(text, "utf-8")

    assert refusal_message(files=(file,)).replace(str(file), "recollect.toml") == message


def test_a_file_that_is_not_utf8_names_the_line(tmp_path: Path) -> None:
    file = tmp_path / "recollect.toml"
    file.write_bytes('# fine\nuser = "João"\n'.encode("latin-1"))

    assert refusal_message(files=(file,)) == f"The file {file} is not UTF-8 (at line 2). Save it as UTF-8."


def test_a_folder_in_place_of_the_file_is_refused(tmp_path: Path) -> None:
    assert refusal_message(files=(tmp_path,)) == (
        f"Cannot read the file {tmp_path}: Is a directory."
        " Correct that, or name another file with RECOLLECT_CONFIG."
    )


@pytest.mark.parametrize(
    "name", [row.name for row in list_specs() if "." not in row.name and row.name != "preset"]
)
def test_a_preference_cannot_change_the_machine(name: str) -> None:
    assert refusal_message(preferences={name: "1"}) == (
        f"{name} is a setting of this machine, not a user preference."
        f" Set RECOLLECT_{name.upper()}, or write it in recollect.toml."
    )


def test_a_key_is_not_shown_in_an_error_either() -> None:
    assert refusal_message(arguments={"embedder_key": 421337}) == (
        "embedder_key cannot be •••• (from an argument). It takes text."
    )


def test_a_file_named_in_the_environment_must_be_there() -> None:
    assert refusal_message(environ={"RECOLLECT_CONFIG": "nowhere.toml"}, files=None) == (
        "The file nowhere.toml named by RECOLLECT_CONFIG does not exist. Create it or unset RECOLLECT_CONFIG."
    )


@pytest.mark.parametrize("name", ["model_url", "embedder_url"])
def test_a_file_in_the_current_folder_does_not_decide_where_texts_are_sent(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "recollect.toml").write_text(f'{name} = "http://elsewhere.example/v1"\n')

    ignored = load_settings(environ={}).resolve()
    named = load_settings(environ={"RECOLLECT_CONFIG": str(tmp_path / "recollect.toml")}).resolve()

    assert getattr(ignored.machine, name) == ""
    assert getattr(named.machine, name) == "http://elsewhere.example/v1"
