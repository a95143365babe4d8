import os
import re
import subprocess
import sys
from collections.abc import Mapping
from itertools import pairwise
from pathlib import Path

import pytest
from platformdirs import user_config_path, user_data_path

from recollect.domain.policy import PRESETS, OptionValue, Policy
from recollect.errors import ConfigError
from recollect.settings import (
    SETTING_ALIASES,
    MachineSettings,
    ResolvedSettings,
    Setting,
    SettingSpec,
    list_specs,
    load_settings,
    parse_store_url,
)

ROOT = Path(__file__).parent.parent
SETTINGS_PAGE = ROOT / "docs/reference/settings.md"
SPECS = list_specs()
SPECS_BY_NAME = {row.name: row for row in SPECS}


def resolve_settings(
    *,
    environ: Mapping[str, str] | None = None,
    arguments: Mapping[str, object] | None = None,
    preferences: Mapping[str, str] | None = None,
    call: Mapping[str, object] | None = None,
    files: tuple[Path, ...] = (),
) -> ResolvedSettings:
    settings = load_settings(arguments=arguments, environ=environ or {}, files=files)
    return settings.resolve(preferences=preferences or {}, call=call or {})


def non_default_value(row: SettingSpec) -> str:
    match row.kind:
        case "yes or no":
            return "no" if row.default else "yes"
        case "whole number" | "number":
            return "1" if row.default != 1 else "2"
        case "choice" | "choice or folder":
            return next(choice for choice in row.choices if choice != row.default)
        case _:
            return "tofu"


# Who wins. Each layer of the table asks for another number of passages.

LAYERS = ("call", "argument", "preference", "environment", "nearer file", "farther file", "preset", "default")
EXPECTED_LIMITS = {
    "call": (1, "call", "argument"),
    "argument": (2, "call", "argument"),
    "preference": (3, "preference", "preferences"),
    "environment": (4, "environment", "RECOLLECT_RECALL_LIMIT"),
    "nearer file": (5, "file", "nearer.toml"),
    "farther file": (6, "file", "farther.toml"),
    "preset": (10, "preset", "dev"),
    "default": (8, "default", ""),
}


def resolve_limit(folder: Path, *layers: str) -> tuple[int, Setting]:
    def asked(layer: str, value: object) -> dict[str, object]:
        return {"recall.limit": value} if layer in layers else {}

    files = (folder / "nearer.toml", folder / "farther.toml")
    for file, number in zip(files, (5, 6), strict=True):
        if f"{file.stem} file" in layers:
            file.write_text(f"[recall]\nlimit = {number}\n", "utf-8")
    result = resolve_settings(
        environ={"RECOLLECT_RECALL_LIMIT": "4"} if "environment" in layers else {},
        arguments=asked("argument", 2) | ({"preset": "dev"} if "preset" in layers else {}),
        preferences={"recall.limit": "3"} if "preference" in layers else {},
        call=asked("call", 1),
        files=files,
    )
    return result.policy.recall.limit, result.settings["recall.limit"]


@pytest.mark.spec("C-24", "Q16")
@pytest.mark.parametrize(("stronger", "weaker"), list(pairwise(LAYERS)))
def test_of_two_layers_the_stronger_one_is_heard(stronger: str, weaker: str, tmp_path: Path) -> None:
    limit, setting = resolve_limit(tmp_path, stronger, weaker)

    value, source, origin = EXPECTED_LIMITS[stronger]
    assert limit == value
    assert (setting.value, setting.layer) == (value, source)
    assert setting.origin.removeprefix(str(tmp_path) + os.sep) == origin


@pytest.mark.spec("C-24")
@pytest.mark.parametrize("strongest", range(len(LAYERS)))
def test_a_layer_is_heard_over_all_the_weaker_ones_together(strongest: int, tmp_path: Path) -> None:
    limit, _ = resolve_limit(tmp_path, *LAYERS[strongest:])

    assert limit == EXPECTED_LIMITS[LAYERS[strongest]][0]


@pytest.mark.spec("C-24")
@pytest.mark.parametrize(
    ("layers", "source"),
    [
        ({"call": {"preset": "dev"}}, "call"),
        ({"arguments": {"preset": "dev"}}, "call"),
        ({"preferences": {"preset": "dev"}}, "preference"),
        ({"environ": {"RECOLLECT_PRESET": "dev"}}, "environment"),
    ],
)
def test_a_preset_can_be_asked_for_in_every_layer(layers: dict[str, dict[str, str]], source: str) -> None:
    result = resolve_settings(**layers)  # type: ignore[arg-type]

    assert result.policy.preset == "dev"
    assert result.policy.values() == Policy().values() | dict(PRESETS["dev"])
    assert result.settings["preset"].layer == source
    assert result.settings["recall.ranker"] == Setting(
        name="recall.ranker",
        value="sum",
        layer="preset",
        origin="dev",
        doc=SPECS_BY_NAME["recall.ranker"].doc,
    )


def test_a_file_may_ask_for_a_preset(tmp_path: Path) -> None:
    file = tmp_path / "recollect.toml"
    file.write_text('preset = "companion"\n', "utf-8")

    assert resolve_settings(files=(file,)).policy.context.budget == 300


def test_nothing_set_means_the_defaults() -> None:
    result = resolve_settings()

    assert result.policy == Policy()
    assert result.machine == MachineSettings()
    assert {setting.layer for setting in result.settings.values()} == {"default"}
    assert list(result.settings) == [row.name for row in SPECS]
    assert result.warnings == ()


@pytest.mark.spec("Q7", "Q9")
def test_the_machine_has_defaults_that_need_no_setting_up() -> None:
    data = user_data_path("recollect", appauthor=False)

    assert resolve_settings().machine == MachineSettings(
        db=str(data / "memory.db"),
        user="default",
        embedder="onnx",
        embedder_model="BAAI/bge-small-en-v1.5",
        embedder_url="",
        embedder_key="",
        embedder_threads=1,
        worker=True,
        busy_timeout_ms=5000,
        chroma_dir=str(data / "chroma"),
    )


# Names.


ALIAS_CASES: list[tuple[str, str, str, OptionValue, tuple[str, ...]]] = [
    ("RAG_HYBRID", "false", "recall.hybrid", False, ("Q1",)),
    ("RAG_CHUNKING", "false", "chunking.enabled", False, ("Q2",)),
    ("RAG_TOKEN_BUDGET", "1200", "context.budget", 1200, ("Q3",)),
    ("RAG_SUMMARY_FREQUENCY", "0", "summaries.every_answers", 0, ("Q4",)),
    ("RAG_RERANK_ALPHA", "0.5", "recall.alpha", 0.5, ("Q5",)),
    ("RAG_RERANK_BETA", "0.4", "recall.beta", 0.4, ("Q5",)),
    ("RAG_RERANK_GAMMA", "0", "recall.gamma", 0.0, ("Q5",)),
    ("BACKFILL_CHUNKS", "true", "chunking.backfill", True, ("Q6",)),
    ("RAG_EMBEDDING_MODEL", "intfloat/e5-small", "embedder_model", "intfloat/e5-small", ("Q7",)),
    ("RAG_SIMILARITY_THRESHOLD", "0.5", "recall.min_cosine", 0.5, ("Q8",)),
    ("CHROMA_DIR", "data/chroma", "chroma_dir", "data/chroma", ("Q9",)),
    ("memory_extractor", "google/gemini-3-flash-preview", "model", "google/gemini-3-flash-preview", ("Q10",)),
    ("_MIN_FACT_LENGTH", "3", "extraction.min_fact_chars", 3, ("Q11",)),
    ("ENABLE_SMART_RAG", "false", "recall.enabled", False, ("Q14",)),
    ("enable_smart_rag", "false", "recall.enabled", False, ("Q14",)),
    ("MaxToolOutputLen", "500", "truncation.max_tool_chars", 500, ("Q15",)),
]


@pytest.mark.parametrize(
    ("variable", "text", "name", "value"),
    [pytest.param(*row, marks=pytest.mark.spec(*spec)) for *row, spec in ALIAS_CASES],
)
def test_a_host_keeps_the_variables_it_has(variable: str, text: str, name: str, value: OptionValue) -> None:
    setting = resolve_settings(environ={variable: text}).settings[name]

    assert (setting.value, setting.layer, setting.origin) == (value, "environment", variable)


def test_no_other_name_is_left_untried() -> None:
    assert {variable: name for variable, _, name, _, _ in ALIAS_CASES} == SETTING_ALIASES


@pytest.mark.parametrize("row", SPECS, ids=lambda row: row.name)
def test_every_setting_has_a_variable_of_its_own(row: SettingSpec) -> None:
    variable = "RECOLLECT_" + row.name.upper().replace(".", "_")

    setting = resolve_settings(environ={variable: non_default_value(row)}).settings[row.name]

    assert row.environment[0] == variable
    assert (setting.layer, setting.origin) == ("environment", variable)
    assert setting.value != row.default


def test_no_variable_sets_two_things() -> None:
    variables = [variable for row in SPECS for variable in row.environment]

    assert len(variables) == len(set(variables))


def test_our_own_name_wins_over_another_name() -> None:
    environ = {"RAG_TOKEN_BUDGET": "900", "RECOLLECT_CONTEXT_BUDGET": "800"}

    assert resolve_settings(environ=environ).policy.context.budget == 800


def test_our_own_name_wins_in_a_file_too(tmp_path: Path) -> None:
    file = tmp_path / "recollect.toml"
    file.write_text("rag_token_budget = 900\n[context]\nbudget = 800\n", "utf-8")

    assert resolve_settings(files=(file,)).policy.context.budget == 800


@pytest.mark.spec("Q11", "Q14", "Q15")
@pytest.mark.parametrize(
    ("line", "name", "value"),
    [
        ("max_tool_output_len = 500", "truncation.max_tool_chars", 500),
        ("MaxToolOutputLen = 500", "truncation.max_tool_chars", 500),
        ("min_fact_length = 3", "extraction.min_fact_chars", 3),
        ("_MIN_FACT_LENGTH = 3", "extraction.min_fact_chars", 3),
        ("enable_smart_rag = false", "recall.enabled", False),
        ("rag_hybrid = false", "recall.hybrid", False),
    ],
)
def test_a_file_accepts_aliases(line: str, name: str, value: OptionValue, tmp_path: Path) -> None:
    file = tmp_path / "recollect.toml"
    file.write_text(line, "utf-8")

    assert resolve_settings(files=(file,)).settings[name].value == value


@pytest.mark.spec("Q14")
def test_the_toggle_kept_with_the_memories_is_a_preference() -> None:
    assert not resolve_settings(preferences={"enable_smart_rag": "false"}).policy.recall.enabled


def test_variables_of_others_are_left_alone() -> None:
    assert (
        resolve_settings(environ={"HOME": "x", "RAGTIME": "y", "MEMORY_PROFILE_CONSENT": "true"})
        == resolve_settings()
    )


def test_an_empty_variable_counts_as_not_set() -> None:
    assert resolve_settings(environ={"RECOLLECT_RECALL_ALPHA": " ", "RAG_HYBRID": ""}) == resolve_settings()


def test_an_argument_of_none_counts_as_not_given() -> None:
    assert resolve_settings(arguments={"db": None}, call={"recall.alpha": None}) == resolve_settings()


# Values.


def test_a_list_in_a_file_is_a_list(tmp_path: Path) -> None:
    file = tmp_path / "recollect.toml"
    file.write_text('[triage]\nkeep_phrases = ["our budget", "yes, and"]\n', "utf-8")

    assert resolve_settings(files=(file,)).policy.triage.keep_phrases == ("our budget", "yes, and")


def test_a_path_may_be_a_path_object_or_start_at_home() -> None:
    home = str(Path.home() / "notes" / "memory.db")

    assert resolve_settings(arguments={"db": Path("notes/memory.db")}).machine.db == str(
        Path("notes/memory.db")
    )
    assert resolve_settings(arguments={"db": "~/notes/memory.db"}).machine.db == home


@pytest.mark.parametrize(
    ("db", "scheme", "target"),
    [
        ("notes/memory.db", "sqlite", "notes/memory.db"),
        ("/home/ana/memory.db", "sqlite", "/home/ana/memory.db"),
        ("C:\\notes\\memory.db", "sqlite", "C:\\notes\\memory.db"),
        ("sqlite:///notes/memory.db", "sqlite", "notes/memory.db"),
        ("sqlite:////home/ana/memory.db", "sqlite", "/home/ana/memory.db"),
        ("sqlite:///~/memory.db", "sqlite", str(Path.home() / "memory.db")),
        ("postgresql://ana@db/memory", "postgresql", "postgresql://ana@db/memory"),
        ("postgres://ana@db/memory", "postgresql", "postgres://ana@db/memory"),
    ],
)
def test_the_store_is_a_path_or_a_url(db: str, scheme: str, target: str) -> None:
    url = parse_store_url(db)

    assert (url.scheme, url.target) == (scheme, target)
    assert url.file == (Path(target) if scheme == "sqlite" else None)


@pytest.mark.parametrize("db", ["sqlite://memory.db", "sqlite:///", "mysql://root:hunter2@db/memory"])
def test_a_url_without_a_path_or_of_another_database_is_refused(db: str) -> None:
    with pytest.raises(ConfigError) as error:
        parse_store_url(db)
    assert "hunter2" not in str(error.value)


def test_the_embedder_may_be_a_folder() -> None:
    assert resolve_settings(environ={"RECOLLECT_EMBEDDER": "./my-model"}).machine.embedder == "./my-model"


@pytest.mark.spec("C-23")
@pytest.mark.parametrize(
    ("budget", "warnings"),
    [
        ("199", ("context.budget is 199 (RAG_TOKEN_BUDGET); use 200 to 4000 tokens.",)),
        ("200", ()),
        ("4000", ()),
        ("4001", ("context.budget is 4001 (RAG_TOKEN_BUDGET); use 200 to 4000 tokens.",)),
    ],
)
def test_an_unusual_budget_is_allowed_but_remarked_on(budget: str, warnings: tuple[str, ...]) -> None:
    result = resolve_settings(environ={"RAG_TOKEN_BUDGET": budget})

    assert result.policy.context.budget == int(budget)
    assert result.warnings == warnings


def test_bounds_the_wrong_way_round_are_remarked_on() -> None:
    [warning] = resolve_settings(call={"recall.boost_min": 2, "recall.boost_max": 1}).warnings

    assert warning == "recall.boost_min is above recall.boost_max, so every memory gets the same boost."


def test_a_byte_order_mark_does_no_harm(tmp_path: Path) -> None:
    file = tmp_path / "recollect.toml"
    file.write_text('user = "ana"\n', "utf-8-sig")

    assert resolve_settings(files=(file,)).machine.user == "ana"


# Preferences.


def test_consent_is_stored_among_preferences_but_is_not_a_setting() -> None:
    assert resolve_settings(preferences={"memory_profile_consent": "true"}) == resolve_settings()


# Secrets.


def test_a_key_is_used_but_never_shown() -> None:
    result = resolve_settings(environ={"RECOLLECT_EMBEDDER_KEY": "sk-tell-nobody"})

    assert result.machine.embedder_key == "sk-tell-nobody"
    assert result.settings["embedder_key"].value == "••••"
    assert "sk-tell-nobody" not in repr(result)


def test_a_key_that_is_not_set_is_not_hidden() -> None:
    assert resolve_settings().settings["embedder_key"].value == ""


# Without a restart.


@pytest.mark.spec("Q17", "A8")
def test_a_flag_can_be_turned_in_the_environment_and_back_again() -> None:
    environ: dict[str, str] = {}
    settings = load_settings(environ=environ, files=[])
    before = settings.resolve()

    environ["RAG_HYBRID"] = "false"
    turned = settings.resolve()
    del environ["RAG_HYBRID"]

    assert turned.policy == Policy().with_values({"recall.hybrid": False})
    assert settings.resolve() == before


@pytest.mark.spec("Q17")
def test_the_process_environment_is_read_again_when_it_changed(monkeypatch: pytest.MonkeyPatch) -> None:
    settings = load_settings(files=[])

    monkeypatch.setenv("RAG_TOKEN_BUDGET", "777")

    assert settings.resolve().policy.context.budget == 777


@pytest.mark.spec("Q17")
def test_a_file_is_read_again_when_it_came_changed_or_went(tmp_path: Path) -> None:
    file = tmp_path / "recollect.toml"
    settings = load_settings(environ={}, files=[file])

    budgets = [settings.resolve().policy.context.budget]
    for text in ("[context]\nbudget = 900\n", "[context]\nbudget = 1_234\n"):
        file.write_text(text, "utf-8")
        budgets.append(settings.resolve().policy.context.budget)
    file.unlink()
    budgets.append(settings.resolve().policy.context.budget)

    assert budgets == [1000, 900, 1234, 1000]


@pytest.mark.spec("Q17", "Q16")
def test_a_preference_holds_from_the_next_call_on() -> None:
    settings = load_settings(environ={"RAG_CHUNKING": "true"}, files=[])

    assert not settings.resolve(preferences={"chunking.enabled": "off"}).policy.chunking.enabled
    assert settings.resolve().policy.chunking.enabled


def test_nothing_is_read_twice_while_nothing_changes(tmp_path: Path) -> None:
    file = tmp_path / "recollect.toml"
    file.write_text("[recall]\nlimit = 3\n", "utf-8")
    settings = load_settings(environ={"RAG_HYBRID": "no"}, files=[file])

    assert settings.resolve() is settings.resolve()


def test_a_running_chat_keeps_its_settings_after_an_invalid_change(tmp_path: Path) -> None:
    file = tmp_path / "recollect.toml"
    file.write_text("[recall]\nlimit = 3\n", "utf-8")
    settings = load_settings(environ={}, files=[file])

    file.write_text("[recall]\nlimitt = 33\n", "utf-8")
    stored = settings.resolve(preferences={"recall.alpha": "0.5"})
    file.write_text("[recall]\nlimit = 4 # mended\n", "utf-8")
    mended = settings.resolve()

    assert (stored.policy.recall.limit, stored.policy.recall.alpha) == (3, 0.5)
    assert stored.warnings == (
        (
            f"Unknown setting recall.limitt (from the file {file}). Did you mean recall.limit?"
            " `recollect settings` lists all settings. Until then, the previous values stay in force."
        ),
    )
    assert (mended.policy.recall.limit, mended.warnings) == (4, ())


# Which file.


@pytest.fixture
def folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[Path, Path]:
    """The current folder and the user's configuration folder, both empty."""
    for name in ("HOME", "XDG_CONFIG_HOME"):
        monkeypatch.setenv(name, str(tmp_path / "home"))
    here = tmp_path / "here"
    here.mkdir()
    monkeypatch.chdir(here)
    mine = user_config_path("recollect", appauthor=False)
    mine.mkdir(parents=True)
    return here, mine


def test_the_file_of_the_current_folder_goes_before_the_users_own(folders: tuple[Path, Path]) -> None:
    here, mine = folders
    (here / "recollect.toml").write_text("recall.limit = 3\n", "utf-8")
    (mine / "recollect.toml").write_text("worker = false\nrecall.limit = 4\n", "utf-8")

    sources = load_settings(environ={}).resolve().settings

    assert (sources["recall.limit"].value, sources["recall.limit"].origin) == (3, "recollect.toml")
    assert (sources["worker"].value, sources["worker"].origin) == (False, str(mine / "recollect.toml"))


def test_a_file_named_in_the_environment_is_the_only_one(folders: tuple[Path, Path]) -> None:
    here, _ = folders
    (here / "recollect.toml").write_text("worker = false\n", "utf-8")
    (here / "other.toml").write_text('user = "ana"\n', "utf-8")

    connection = load_settings(environ={"RECOLLECT_CONFIG": "other.toml"}).resolve().machine

    assert (connection.user, connection.worker) == ("ana", True)


# The page, and what an import costs.


def test_every_setting_has_a_description() -> None:
    assert [row.name for row in SPECS if not row.doc.endswith(".")] == []


def test_the_reference_page_says_what_the_code_says() -> None:
    command = [sys.executable, str(ROOT / "scripts/reference_pages.py"), "--check"]
    result = subprocess.run(command, capture_output=True, text=True, check=False)

    assert (result.stdout, result.stderr, result.returncode) == ("", "", 0)


def test_the_file_on_the_reference_page_can_be_used_as_it_is(tmp_path: Path) -> None:
    [example] = re.findall(r"```toml\n(.*?)```", SETTINGS_PAGE.read_text("utf-8"), re.DOTALL)
    file = tmp_path / "recollect.toml"
    file.write_text(example, "utf-8")

    result = resolve_settings(files=(file,))

    assert result.policy.preset == "dev"
    assert result.policy.triage.keep_phrases == ("our budget", "the deadline")


def test_reading_settings_loads_no_heavy_library() -> None:
    heavy = {"pydantic", "numpy", "apsw", "onnxruntime", "httpx2", "typer", "rich"}
    code = "import sys, recollect.settings; print(*sys.modules)"
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    assert heavy & set(result.stdout.split()) == set()
