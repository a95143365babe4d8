"""Each eval runs on a few synthetic lines and finds lexical matches."""

import json
from collections import Counter
from pathlib import Path

import pytest
from evals.__main__ import main
from evals.embeddings import CachedEmbedder
from evals.measures import Figures
from evals.truncation import build_long_messages

from evals import faquad, identifiers, locomo, longmemeval, sets
from recollect.adapters.embedders.hashing import HashingEmbedder
from recollect.ports.embedder import Vector


class CountingEmbedder(HashingEmbedder):
    """Counts how often each text is embedded."""

    def __init__(self) -> None:
        super().__init__()
        self.seen: Counter[str] = Counter()

    def embed_query(self, text: str) -> Vector:
        self.seen[text] += 1
        return super().embed_query(text)


@pytest.fixture
def embedder(tmp_path: Path) -> CachedEmbedder:
    return CachedEmbedder(HashingEmbedder(), tmp_path / "cache")


def write_json(path: Path, data: object) -> Path:
    path.write_text(json.dumps(data), encoding="utf-8")
    return path


def get_figure(figures: Figures, name: str) -> object:
    return figures[name]


LOCOMO_DATA = [
    {
        "conversation": {
            "session_1_date_time": "1:56 pm on 8 May, 2023",
            "session_1": [
                {"speaker": "Ana", "dia_id": "D1:1", "text": "Which boat did you buy?"},
                {"speaker": "Bob", "dia_id": "D1:2", "text": "A green sailing boat from Cork."},
            ],
            "session_2_date_time": "9:00 am on 9 June, 2023",
            "session_2": [{"speaker": "Ana", "dia_id": "D2:1", "text": "My cat sleeps all day."}],
            "session_3_date_time": "9:00 am on 9 July, 2023",
        },
        "qa": [
            {"question": "Which boat did Bob buy?", "evidence": ["D1:2"], "category": 4},
            {"question": "What does the cat do?", "evidence": ["D:2:01; D9:9"], "category": 1},
            {"question": "Nobody knows?", "evidence": [], "category": 5},
        ],
    }
]


def test_locomo_counts_turns_and_sessions(tmp_path: Path, embedder: CachedEmbedder) -> None:
    figures = locomo.run(write_json(tmp_path / "locomo.json", LOCOMO_DATA), embedder, {})

    assert (
        get_figure(figures, "turn_recall@5"),
        get_figure(figures, "session_recall@10"),
        get_figure(figures, "n"),
    ) == (
        100.0,
        100.0,
        2,
    )


def test_locomo_in_bursts_finds_a_turn_by_one_of_its_messages(
    tmp_path: Path, embedder: CachedEmbedder
) -> None:
    path = write_json(tmp_path / "locomo.json", LOCOMO_DATA)
    [conversation] = locomo.read_conversations(path)

    bursts = locomo.split_into_bursts(conversation)
    figures = locomo.run_bursts(path, embedder, {})

    texts = [turn.text for turn in bursts.sessions["D1"].values()]
    assert len(texts) > len(conversation.sessions["D1"])
    assert all(text.startswith(("Ana: ", "Bob: ")) for text in texts)
    assert get_figure(figures, "turn_recall@5") == 100.0


def test_locomo_contexts_count_injected_evidence_and_its_tokens(
    tmp_path: Path, embedder: CachedEmbedder
) -> None:
    figures = locomo.run_context(write_json(tmp_path / "locomo.json", LOCOMO_DATA), embedder, {})

    # The small store is injected whole: relevance is not judged with this embedder.
    assert (get_figure(figures, "turn_recall"), get_figure(figures, "n")) == (100.0, 2)
    share = get_figure(figures, "gold share of tokens")
    assert isinstance(share, float)
    assert 0 < share < 100


def test_only_speaker_text_and_date_of_a_locomo_turn_are_ingested(tmp_path: Path) -> None:
    [conversation] = locomo.read_conversations(write_json(tmp_path / "locomo.json", LOCOMO_DATA))

    assert [turn.text for turns in conversation.sessions.values() for turn in turns.values()] == [
        "Ana: Which boat did you buy?",
        "Bob: A green sailing boat from Cork.",
        "Ana: My cat sleeps all day.",
    ]


LONGMEMEVAL_DATA = [
    {
        "question_id": "q1",
        "question_type": "single-session-user",
        "question": "Which boat did I buy?",
        "question_date": "2023/05/30 (Tue) 22:42",
        "answer_session_ids": ["answer_1"],
        "haystack_session_ids": ["other", "answer_1"],
        "haystack_dates": ["2023/05/20 (Sat) 07:46", "2023/05/21 (Sun) 07:46"],
        "haystack_sessions": [
            [{"role": "user", "content": "My cat sleeps."}, {"role": "assistant", "content": "\u200b"}],
            [{"role": "user", "content": "I bought a green boat.", "has_answer": True}],
        ],
    }
]


def test_published_longmemeval_is_read_without_its_revealing_ids(tmp_path: Path) -> None:
    [question] = longmemeval.read_questions(write_json(tmp_path / "lme.json", LONGMEMEVAL_DATA))

    assert (
        sorted(question.sessions),
        sorted(question.relevant_sessions),
        sorted(question.relevant_turns),
    ) == (
        ["s0", "s1"],
        ["s1"],
        [("s1", 0)],
    )


def test_longmemeval_counts_sessions_and_turns(tmp_path: Path, embedder: CachedEmbedder) -> None:
    figures = longmemeval.run(write_json(tmp_path / "lme.json", LONGMEMEVAL_DATA), embedder, {})

    assert (get_figure(figures, "recall_any@1"), get_figure(figures, "recall_all@5")) == (100.0, 100.0)
    assert get_figure(figures, "turn_recall@5") == 100.0


def test_faquad_counts_paragraphs(tmp_path: Path, embedder: CachedEmbedder) -> None:
    paragraphs = [
        {"context": "O barco é verde.", "qas": [{"question": "De que cor é o barco?"}]},
        {"context": "O gato dorme.", "qas": []},
    ]
    data = write_json(tmp_path / "faquad.json", {"data": [{"title": "Mar", "paragraphs": paragraphs}]})

    assert get_figure(faquad.run(data, embedder, {}), "recall@1") == 100.0


def test_a_text_is_embedded_once_and_then_cached(tmp_path: Path) -> None:
    inner = CountingEmbedder()
    with CachedEmbedder(inner, tmp_path) as cached:
        first = cached.embed(["boat", "cat"])
    with CachedEmbedder(inner, tmp_path) as again:
        assert again.embed(["cat", "boat"]) == first[::-1]

    assert inner.seen == {"boat": 1, "cat": 1}


def test_our_sets_have_their_stated_size_and_half_is_held_out() -> None:
    facts = list(sets.read_rows(sets.PARAPHRASE_FILE))
    code = [row for row in sets.read_rows(sets.IDENTIFIERS_FILE) if row["questions"]]

    assert (len(facts), len(list(sets.read_rows(sets.DISTRACTORS_FILE)))) == (100, 1000)
    assert sum(len(row["questions"]) for row in code) >= 150
    for listed in (facts, code):
        assert Counter(row["split"] for row in listed) == {"dev": len(listed) // 2, "held": len(listed) // 2}


def test_long_messages_contain_every_queried_paragraph() -> None:
    messages = build_long_messages(sets.IDENTIFIERS_FILE)

    assert all(row["message"] in text for text, some in messages for row in some)


def test_identifier_search_is_compared_with_dense_search(tmp_path: Path, embedder: CachedEmbedder) -> None:
    lines = [
        {"id": "i1", "split": "dev", "message": "`getUser` is slow.", "questions": ["Why is getUser slow?"]},
        {"message": "The boat is green.", "questions": []},
    ]
    data = tmp_path / "identifiers.jsonl"
    data.write_text("\n".join(map(json.dumps, lines)), encoding="utf-8")
    figures = identifiers.run(data, embedder, {})

    assert (get_figure(figures, "recall@5"), get_figure(figures, "gain_over_dense@5")) == (100.0, 0.0)


def test_figures_are_printed_as_json(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    data = write_json(tmp_path / "locomo.json", LOCOMO_DATA)
    main(["locomo", "--data", str(data), "--json", "--cache", str(tmp_path), "--embedder", "hashing"])

    assert json.loads(capsys.readouterr().out)["n"] == 2


def test_a_public_set_requires_a_data_path() -> None:
    with pytest.raises(SystemExit, match="--data PATH"):
        main(["locomo"])
