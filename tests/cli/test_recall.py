import json

import pytest
from tests.cli.runner import Cli

DINNER = "I am vegetarian and hate cilantro"
CODE = "The function calculateTotal() adds the tax twice"
SEARCH_KEYS = {
    "id", "memory", "score", "parts", "cosine", "source", "kind", "role", "chat_id", "created_at", "tokens", "fate",
    "reason",
}  # fmt: skip


@pytest.fixture
def told(cli: Cli) -> Cli:
    cli("add", DINNER)
    cli("add", CODE)
    return cli


def test_a_search_shows_score_kind_text_day_and_source(told: Cli) -> None:
    answer = told("search", "calculateTotal()")
    heading, best, *_ = answer.out.splitlines()

    assert answer.code == 0
    assert heading.split() == ["score", "kind", "text", "when", "source", "id"]
    assert CODE in best
    assert "recollect why" in answer.err


def test_a_search_with_json_has_the_shape_of_the_library(told: Cli) -> None:
    shaped = told.json("search", "who hates cilantro?", "--limit", "1")
    [best] = shaped["results"]

    assert set(shaped) == {"results", "receipt", "degraded"}
    assert set(best) == SEARCH_KEYS
    assert best["memory"] == DINNER


def test_explained_scores_show_a_bar_for_each_part(told: Cli) -> None:
    plain, explained = told("search", "cilantro").out, told("search", "cilantro", "--explain").out

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
def test_no_question_makes_a_search_fail(told: Cli, query: str) -> None:
    searched, asked = told("search", "--json", "--", query), told("context", "--json", "--", query)

    assert (searched.code, asked.code) == (0, 0)
    assert isinstance(searched.shape["results"], list)
    assert isinstance(asked.shape["text"], str)


@pytest.mark.spec("X1")
def test_a_new_user_finds_nothing_and_gets_an_empty_block(cli: Cli) -> None:
    found, block = cli.json("search", "what do I like?"), cli("context", "what do I like?")

    assert (found["results"], found["degraded"]) == ([], [])
    assert (block.code, block.out) == (0, "")
    assert "Nothing found" in cli("search", "what do I like?").err


def test_the_context_is_the_block_alone_and_the_rest_goes_to_standard_error(told: Cli) -> None:
    shown = told("context", "what about cilantro?")
    shaped = told.json("context", "what about cilantro?")

    assert shown.out == shaped["text"] + "\n"
    assert DINNER in shown.out
    assert shown.err.startswith("Receipt ")
    assert set(shaped) == {"text", "tokens", "receipt"}
    assert shaped["receipt"]["text"] == shaped["text"]


def test_budget_and_format_can_be_chosen(told: Cli) -> None:
    shaped = told.json("context", "what about cilantro?", "--budget", "60", "--format", "xml", "--chat", "c")

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
def test_a_wish_that_makes_no_sense_is_exit_code_2(told: Cli, words: tuple[str, ...]) -> None:
    assert told(*words).code == 2


def test_a_search_can_ask_what_was_known_then(told: Cli) -> None:
    assert told.json("search", "cilantro", "--as-of", "2020-01-01")["results"] == []
    assert told.json("search", "cilantro", "--as-of", "2100-01-01")["results"]


def test_why_explains_the_last_recall_with_all_that_was_considered(told: Cli) -> None:
    asked = told.json("context", "what about cilantro?")
    shown, shaped = told("why"), told.json("why", "last")

    assert {**shaped, "timings": 0} == {**asked["receipt"], "timings": 0}
    assert told.json("why", asked["receipt"]["id"]) == shaped
    assert shown.out.splitlines()[0].split() == ["receipt", shaped["id"]]
    for expected in ("what about cilantro?", "Injected 2", "Left out 2", "a memory says the same", "total "):
        assert expected in shown.out
    assert "█" in shown.out


def test_why_without_any_recall_is_exit_code_3(cli: Cli) -> None:
    assert cli("why").code == 3


def test_why_not_says_how_far_a_memory_got(told: Cli) -> None:
    memory_id = told.json("search", "cilantro")["results"][0]["id"]
    shown, shaped = told("why-not", "cilantro", memory_id), told.json("why-not", "cilantro", memory_id)

    assert (shaped["rank"], shaped["reason"]) == (1, "nothing: it is recalled")
    assert "nothing: it is recalled" in shown.out
    assert "█" in shown.out


def test_why_not_says_that_a_memory_was_forgotten(told: Cli) -> None:
    memory_id = told.id_of("I once kept bees")
    told("forget", memory_id, "--yes")
    shown = told("why-not", "bees", memory_id)

    assert shown.code == 0
    assert "it is forgotten" in shown.out


def test_why_not_of_something_unknown_is_exit_code_3(told: Cli) -> None:
    assert told("why-not", "cilantro", "zzz").code == 3


@pytest.mark.spec("X6")
@pytest.mark.parametrize("embedder", ["fastembed", "sentence-transformers"])
def test_a_search_without_its_model_answers_by_words_and_is_degraded(
    told: Cli, monkeypatch: pytest.MonkeyPatch, embedder: str
) -> None:
    monkeypatch.setenv("RECOLLECT_EMBEDDER", embedder)
    searched, asked = told("search", "cilantro", "--json"), told("context", "cilantro")

    assert (searched.code, asked.code) == (5, 5)
    assert searched.shape["results"][0]["memory"] == DINNER
    assert searched.shape["degraded"][0].startswith("lexical only: ")
    assert "Warning: lexical only: " in searched.err
    assert DINNER in asked.out


def test_a_search_that_was_degraded_says_so_in_its_receipt(
    told: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RECOLLECT_EMBEDDER", "none")
    told("search", "cilantro")

    assert "degraded  lexical only" in told("why").out


def test_the_real_model_finds_by_meaning_what_shares_no_word(
    told: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RECOLLECT_EMBEDDER", "onnx")
    told("reembed")
    best = told.json("search", "What should we cook for dinner?")["results"][0]

    assert best["memory"] == DINNER
    assert best["parts"]["lexical"] == 0
    json.dumps(best)


def test_where_memory_is_not_used_nothing_is_found_and_nothing_is_kept_of_the_question(cli: Cli) -> None:
    cli("add", "I ride a red bicycle to work every day")
    found = cli("search", "bicycle", "--mode", "off")
    block = cli("context", "bicycle", "--mode", "off")

    assert (found.code, found.out, block.code, block.out) == (0, "", 0, "")
    assert "Nothing was looked for: memory is off here." in found.err
    assert "no receipt is kept" in block.err
    assert cli("why").code == 3
