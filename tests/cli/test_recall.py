import json

import pytest
from tests.cli.runner import InProcessCli

DINNER_TEXT = "I am vegetarian and hate cilantro"
CODE_TEXT = "The function calculateTotal() adds the tax twice"
SEARCH_KEYS = {
    "id", "memory", "score", "parts", "cosine", "source", "kind", "role", "chat_id", "created_at", "tokens",
    "disposition", "version", "erased", "reason", "metadata",
}  # fmt: skip


@pytest.fixture
def cli_with_memories(cli: InProcessCli) -> InProcessCli:
    cli("add", DINNER_TEXT)
    cli("add", CODE_TEXT)
    return cli


def test_a_search_shows_score_kind_text_day_and_source(cli_with_memories: InProcessCli) -> None:
    result = cli_with_memories("search", "calculateTotal()")
    heading, best, *_ = result.stdout.splitlines()

    assert result.exit_code == 0
    assert heading.split() == ["score", "kind", "text", "when", "source", "id"]
    assert CODE_TEXT in best
    assert "recollect why" in result.stderr


def test_a_search_with_json_has_the_fields_of_the_library(cli_with_memories: InProcessCli) -> None:
    payload = cli_with_memories.json("search", "who hates cilantro?", "--limit", "1")
    [best] = payload["results"]

    assert set(payload) == {"results", "receipt", "degraded"}
    assert set(best) == SEARCH_KEYS
    assert best["memory"] == DINNER_TEXT


def test_explain_shows_a_bar_for_each_score_component(cli_with_memories: InProcessCli) -> None:
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
        "a AND", "🦄", "the of a", "NEAR(a b)", "*", '"', "x" * 10_000, "-", "\u0000",
    ],
)  # fmt: skip
def test_no_query_makes_a_search_fail(cli_with_memories: InProcessCli, query: str) -> None:
    search_result, context_result = (
        cli_with_memories("search", "--json", "--", query),
        cli_with_memories("context", "--json", "--", query),
    )

    assert (search_result.exit_code, context_result.exit_code) == (0, 0)
    assert isinstance(search_result.payload["results"], list)
    assert isinstance(context_result.payload["text"], str)


@pytest.mark.parametrize("query", ["", "   "])
def test_an_empty_query_is_refused(cli_with_memories: InProcessCli, query: str) -> None:
    result = cli_with_memories("search", query)

    assert result.exit_code == 2
    assert result.stderr == "Error: The text is empty. Give at least one visible character.\n"


def test_a_table_shows_ids_that_commands_accept(cli: InProcessCli) -> None:
    memory_id = cli.add_memory("I'm allergic to peanuts")

    table = cli("search", "peanuts").stdout
    shown_id = next(word for word in table.split() if memory_id.startswith(word) and len(word) >= 8)

    assert len(shown_id) < len(memory_id)
    assert cli.json("memories", "show", shown_id)["id"] == memory_id


@pytest.mark.spec("X1")
def test_a_new_user_finds_nothing_and_gets_an_empty_block(cli: InProcessCli) -> None:
    search_payload, block = cli.json("search", "what do I like?"), cli("context", "what do I like?")

    assert (search_payload["results"], search_payload["degraded"]) == ([], [])
    assert (block.exit_code, block.stdout) == (0, "")
    assert "No results" in cli("search", "what do I like?").stderr


def test_context_prints_only_the_block_to_standard_output(
    cli_with_memories: InProcessCli,
) -> None:
    text_result = cli_with_memories("context", "what about cilantro?")
    payload = cli_with_memories.json("context", "what about cilantro?")

    assert text_result.stdout == payload["text"] + "\n"
    assert DINNER_TEXT in text_result.stdout
    assert text_result.stderr.startswith("Receipt ")
    assert set(payload) == {"text", "tokens", "receipt"}
    assert payload["receipt"]["text"] == payload["text"]


def test_budget_and_format_can_be_chosen(cli_with_memories: InProcessCli) -> None:
    payload = cli_with_memories.json(
        "context", "what about cilantro?", "--budget", "60", "--format", "xml", "--chat", "c"
    )

    assert payload["receipt"]["budget"] == 60
    assert payload["tokens"] <= 60
    assert payload["text"].startswith("<")


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
def test_an_invalid_option_value_is_exit_code_2(
    cli_with_memories: InProcessCli, words: tuple[str, ...]
) -> None:
    assert cli_with_memories(*words).exit_code == 2


def test_as_of_searches_what_was_known_at_a_date(cli_with_memories: InProcessCli) -> None:
    assert cli_with_memories.json("search", "cilantro", "--as-of", "2020-01-01")["results"] == []
    assert cli_with_memories.json("search", "cilantro", "--as-of", "2100-01-01")["results"]


def test_why_shows_all_candidates_of_the_last_recall(cli_with_memories: InProcessCli) -> None:
    context_payload = cli_with_memories.json("context", "what about cilantro?")
    text_result, payload = cli_with_memories("why"), cli_with_memories.json("why", "last")

    # The block is not stored, only its parts.
    unstored = {"timings": 0, "text": ""}
    assert {**payload, **unstored} == {**context_payload["receipt"], **unstored}
    assert cli_with_memories.json("why", context_payload["receipt"]["id"]) == payload
    assert text_result.stdout.splitlines()[0].split() == ["receipt", payload["id"]]
    for expected in ("what about cilantro?", "Injected 2", "Left out 2", "a memory says the same", "total "):
        assert expected in text_result.stdout
    assert "█" in text_result.stdout


def test_why_without_any_recall_is_exit_code_3(cli: InProcessCli) -> None:
    assert cli("why").exit_code == 3


def test_why_not_shows_rank_and_score(cli_with_memories: InProcessCli) -> None:
    memory_id = cli_with_memories.json("search", "cilantro")["results"][0]["id"]
    text_result, payload = (
        cli_with_memories("why-not", "cilantro", memory_id),
        cli_with_memories.json("why-not", "cilantro", memory_id),
    )

    assert (payload["rank"], payload["reason"]["code"]) == (1, "recalled")
    assert "it is recalled" in text_result.stdout
    assert "█" in text_result.stdout


def test_why_not_says_that_a_memory_was_forgotten(cli_with_memories: InProcessCli) -> None:
    memory_id = cli_with_memories.add_memory("I once kept bees")
    cli_with_memories("memories", "forget", memory_id, "--yes")
    text_result = cli_with_memories("why-not", "bees", memory_id)

    assert text_result.exit_code == 0
    assert "it is forgotten" in text_result.stdout


def test_why_not_for_an_unknown_id_is_exit_code_3(cli_with_memories: InProcessCli) -> None:
    assert cli_with_memories("why-not", "cilantro", "zzz").exit_code == 3


@pytest.mark.spec("X6")
@pytest.mark.parametrize("embedder", ["fastembed", "sentence-transformers"])
def test_a_search_without_its_model_is_lexical_only_and_degraded(
    cli_with_memories: InProcessCli, monkeypatch: pytest.MonkeyPatch, embedder: str
) -> None:
    monkeypatch.setenv("RECOLLECT_EMBEDDER", embedder)
    search_result, context_result = (
        cli_with_memories("search", "cilantro", "--json"),
        cli_with_memories("context", "cilantro"),
    )

    assert (search_result.exit_code, context_result.exit_code) == (5, 5)
    assert search_result.payload["results"][0]["memory"] == DINNER_TEXT
    assert search_result.payload["degraded"][0]["code"] == "dense_search_failed"
    assert "Warning: keyword search only: " in search_result.stderr
    assert DINNER_TEXT in context_result.stdout


def test_a_degraded_search_is_marked_in_its_receipt(
    cli_with_memories: InProcessCli, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RECOLLECT_EMBEDDER", "none")
    cli_with_memories("search", "cilantro")

    assert "degraded  keyword search only" in cli_with_memories("why").stdout


def test_the_bundled_model_finds_a_passage_without_common_words(
    cli_with_memories: InProcessCli, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RECOLLECT_EMBEDDER", "onnx")
    cli_with_memories("maintenance", "reembed")
    best = cli_with_memories.json("search", "What should we cook for dinner?")["results"][0]

    assert best["memory"] == DINNER_TEXT
    assert best["parts"]["lexical"] == 0
    json.dumps(best)


def test_with_mode_off_nothing_is_recalled_and_no_receipt_is_stored(
    cli: InProcessCli,
) -> None:
    cli("add", "I ride a red bicycle to work every day")
    search_payload = cli("search", "bicycle", "--mode", "off")
    block = cli("context", "bicycle", "--mode", "off")

    assert (search_payload.exit_code, search_payload.stdout, block.exit_code, block.stdout) == (0, "", 0, "")
    assert "Not searched: the memory mode is off." in search_payload.stderr
    assert "no receipt stored" in block.stderr
    assert cli("why").exit_code == 3


def test_receipts_are_listed_newest_first(cli: InProcessCli) -> None:
    cli("add", "I like green tea in the morning")
    empty_result = cli("receipts")
    cli("search", "tea")
    cli("context", "what do I drink?")
    text_result, payload = cli("receipts"), cli.json("receipts", "--limit", "1")

    assert "No receipts yet" in empty_result.stderr
    assert [each["query"] for each in payload["results"]] == ["what do I drink?"]
    assert text_result.stdout.index("what do I drink?") < text_result.stdout.index("tea  ")
