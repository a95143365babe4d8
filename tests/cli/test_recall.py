import json

import pytest
from tests.cli.runner import InProcessCli

DINNER_TEXT = "I am vegetarian and hate cilantro"
CODE_TEXT = "The function calculateTotal() adds the tax twice"
SEARCH_KEYS = {
    "id", "memory", "score", "parts", "cosine", "source", "kind", "role", "chat_id", "created_at", "tokens", "fate",
    "reason",
}  # fmt: skip


@pytest.fixture
def cli_with_memories(cli: InProcessCli) -> InProcessCli:
    cli("add", DINNER_TEXT)
    cli("add", CODE_TEXT)
    return cli


def test_a_search_shows_score_kind_text_day_and_source(cli_with_memories: InProcessCli) -> None:
    answer = cli_with_memories("search", "calculateTotal()")
    heading, best, *_ = answer.stdout.splitlines()

    assert answer.exit_code == 0
    assert heading.split() == ["score", "kind", "text", "when", "source", "id"]
    assert CODE_TEXT in best
    assert "recollect why" in answer.stderr


def test_a_search_with_json_has_the_shape_of_the_library(cli_with_memories: InProcessCli) -> None:
    shaped = cli_with_memories.json("search", "who hates cilantro?", "--limit", "1")
    [best] = shaped["results"]

    assert set(shaped) == {"results", "receipt", "degraded"}
    assert set(best) == SEARCH_KEYS
    assert best["memory"] == DINNER_TEXT


def test_explained_scores_show_a_bar_for_each_part(cli_with_memories: InProcessCli) -> None:
    plain, explained = (
        cli_with_memories("search", "cilantro").stdout,
        cli_with_memories("search", "cilantro", "--explain").stdout,
    )

    assert "█" not in plain
    for part in ("dense", "lexical", "identifier", "weight", "recency"):
        assert f"{part:<10} " in explained
    assert "██████████ 1.00" in explained


@pytest.mark.spec("TR-1")
@pytest.mark.parametrize(
    "query",
    [
        "calculateTotal()", "what's my name?", "C++", '"; DROP TABLE messages; --', "state-of-the-art", "foo.bar",
        "a AND", "🦄", "the of a", "", "   ", "NEAR(a b)", "*", '"', "x" * 10_000, "-", "\u0000",
    ],
)  # fmt: skip
def test_no_question_makes_a_search_fail(cli_with_memories: InProcessCli, query: str) -> None:
    searched, asked = (
        cli_with_memories("search", "--json", "--", query),
        cli_with_memories("context", "--json", "--", query),
    )

    assert (searched.exit_code, asked.exit_code) == (0, 0)
    assert isinstance(searched.payload["results"], list)
    assert isinstance(asked.payload["text"], str)


@pytest.mark.spec("X1")
def test_a_new_user_finds_nothing_and_gets_an_empty_block(cli: InProcessCli) -> None:
    found, block = cli.json("search", "what do I like?"), cli("context", "what do I like?")

    assert (found["results"], found["degraded"]) == ([], [])
    assert (block.exit_code, block.stdout) == (0, "")
    assert "No results" in cli("search", "what do I like?").stderr


def test_the_context_is_the_block_alone_and_the_rest_goes_to_standard_error(
    cli_with_memories: InProcessCli,
) -> None:
    shown = cli_with_memories("context", "what about cilantro?")
    shaped = cli_with_memories.json("context", "what about cilantro?")

    assert shown.stdout == shaped["text"] + "\n"
    assert DINNER_TEXT in shown.stdout
    assert shown.stderr.startswith("Receipt ")
    assert set(shaped) == {"text", "tokens", "receipt"}
    assert shaped["receipt"]["text"] == shaped["text"]


def test_budget_and_format_can_be_chosen(cli_with_memories: InProcessCli) -> None:
    shaped = cli_with_memories.json(
        "context", "what about cilantro?", "--budget", "60", "--format", "xml", "--chat", "c"
    )

    assert shaped["receipt"]["budget"] == 60
    assert shaped["tokens"] <= 60
    assert shaped["text"].startswith("<")


@pytest.mark.parametrize(
    "words",
    [
        ("context", "x", "--format", "poem"),
        ("context", "x", "--budget", "-5"),
        ("search", "x", "--limit", "0"),
        ("search", "x", "--as-of", "yesterday"),
        ("search", "x", "--chat", "\n"),
    ],
)
def test_a_wish_that_makes_no_sense_is_exit_code_2(
    cli_with_memories: InProcessCli, words: tuple[str, ...]
) -> None:
    assert cli_with_memories(*words).exit_code == 2


def test_a_search_can_ask_what_was_known_then(cli_with_memories: InProcessCli) -> None:
    assert cli_with_memories.json("search", "cilantro", "--as-of", "2020-01-01")["results"] == []
    assert cli_with_memories.json("search", "cilantro", "--as-of", "2100-01-01")["results"]


def test_why_explains_the_last_recall_with_all_that_was_considered(cli_with_memories: InProcessCli) -> None:
    asked = cli_with_memories.json("context", "what about cilantro?")
    shown, shaped = cli_with_memories("why"), cli_with_memories.json("why", "last")

    assert {**shaped, "timings": 0} == {**asked["receipt"], "timings": 0}
    assert cli_with_memories.json("why", asked["receipt"]["id"]) == shaped
    assert shown.stdout.splitlines()[0].split() == ["receipt", shaped["id"]]
    for expected in ("what about cilantro?", "Injected 2", "Left out 2", "a memory says the same", "total "):
        assert expected in shown.stdout
    assert "█" in shown.stdout


def test_why_without_any_recall_is_exit_code_3(cli: InProcessCli) -> None:
    assert cli("why").exit_code == 3


def test_why_not_says_how_far_a_memory_got(cli_with_memories: InProcessCli) -> None:
    memory_id = cli_with_memories.json("search", "cilantro")["results"][0]["id"]
    shown, shaped = (
        cli_with_memories("why-not", "cilantro", memory_id),
        cli_with_memories.json("why-not", "cilantro", memory_id),
    )

    assert (shaped["rank"], shaped["reason"]) == (1, "it is recalled")
    assert "it is recalled" in shown.stdout
    assert "█" in shown.stdout


def test_why_not_says_that_a_memory_was_forgotten(cli_with_memories: InProcessCli) -> None:
    memory_id = cli_with_memories.add_memory("I once kept bees")
    cli_with_memories("forget", memory_id, "--yes")
    shown = cli_with_memories("why-not", "bees", memory_id)

    assert shown.exit_code == 0
    assert "it is forgotten" in shown.stdout


def test_why_not_of_something_unknown_is_exit_code_3(cli_with_memories: InProcessCli) -> None:
    assert cli_with_memories("why-not", "cilantro", "zzz").exit_code == 3


@pytest.mark.spec("X6")
@pytest.mark.parametrize("embedder", ["fastembed", "sentence-transformers"])
def test_a_search_without_its_model_answers_by_words_and_is_degraded(
    cli_with_memories: InProcessCli, monkeypatch: pytest.MonkeyPatch, embedder: str
) -> None:
    monkeypatch.setenv("RECOLLECT_EMBEDDER", embedder)
    searched, asked = (
        cli_with_memories("search", "cilantro", "--json"),
        cli_with_memories("context", "cilantro"),
    )

    assert (searched.exit_code, asked.exit_code) == (5, 5)
    assert searched.payload["results"][0]["memory"] == DINNER_TEXT
    assert searched.payload["degraded"][0].startswith("lexical only: ")
    assert "Warning: lexical only: " in searched.stderr
    assert DINNER_TEXT in asked.stdout


def test_a_search_that_was_degraded_says_so_in_its_receipt(
    cli_with_memories: InProcessCli, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RECOLLECT_EMBEDDER", "none")
    cli_with_memories("search", "cilantro")

    assert "degraded  lexical only" in cli_with_memories("why").stdout


def test_the_real_model_finds_by_meaning_what_shares_no_word(
    cli_with_memories: InProcessCli, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RECOLLECT_EMBEDDER", "onnx")
    cli_with_memories("reembed")
    best = cli_with_memories.json("search", "What should we cook for dinner?")["results"][0]

    assert best["memory"] == DINNER_TEXT
    assert best["parts"]["lexical"] == 0
    json.dumps(best)


def test_where_memory_is_not_used_nothing_is_found_and_nothing_is_kept_of_the_question(
    cli: InProcessCli,
) -> None:
    cli("add", "I ride a red bicycle to work every day")
    found = cli("search", "bicycle", "--mode", "off")
    block = cli("context", "bicycle", "--mode", "off")

    assert (found.exit_code, found.stdout, block.exit_code, block.stdout) == (0, "", 0, "")
    assert "Not searched: the memory mode is off." in found.stderr
    assert "no receipt stored" in block.stderr
    assert cli("why").exit_code == 3
