from pathlib import Path

import pytest

from recollect.adapters.onnx.model_files import MINILM_RERANKER, find_in_wheel
from recollect.adapters.onnx.reranker import RELEVANCE_ADAPTER, OnnxReranker
from recollect.errors import ModelMissing
from recollect.ports.reranker import Reranker

QUERY = "What is the name of my dog?"
PASSAGES = ["The database index is corrupted.", "My dog is called Rex.", "I walked in the mountains."]


@pytest.fixture(scope="module")
def reranker() -> Reranker:
    return OnnxReranker()


def test_the_passage_that_answers_scores_highest_and_scores_are_between_0_and_1(reranker: Reranker) -> None:
    scores = [score for score in reranker.scores(QUERY, PASSAGES) if score is not None]

    assert len(scores) == 3
    assert all(0 <= score <= 1 for score in scores)
    assert max(scores) == scores[1] > 0.5


def test_a_score_does_not_depend_on_the_other_passages(reranker: Reranker) -> None:
    assert reranker.scores(QUERY, PASSAGES)[1] == reranker.scores(QUERY, [PASSAGES[1]])[0]


def test_no_passages_give_no_scores(reranker: Reranker) -> None:
    assert reranker.scores(QUERY, []) == []


def test_passages_not_reached_before_the_deadline_have_no_score(reranker: Reranker) -> None:
    assert reranker.scores(QUERY, PASSAGES, deadline=0.0) == [None, None, None]


def test_a_deadline_that_is_far_away_changes_nothing(reranker: Reranker) -> None:
    assert reranker.scores(QUERY, PASSAGES, deadline=60.0) == reranker.scores(QUERY, PASSAGES)


@pytest.mark.parametrize("text", ["", "\x00", "\ud800", "word " * 3000, "你好" * 500])
def test_unusual_text_gets_a_score(reranker: Reranker, text: str) -> None:
    [passage_score] = reranker.scores(QUERY, [text])
    [question_score] = reranker.scores(text, [PASSAGES[1]])

    assert passage_score is not None
    assert question_score is not None


def test_the_default_and_a_folder_have_their_own_names(reranker: Reranker, tmp_path: Path) -> None:
    files = find_in_wheel(MINILM_RERANKER)
    (tmp_path / "model.onnx").symlink_to(files.network)
    (tmp_path / "tokenizer.json").symlink_to(files.tokenizer)

    assert reranker.model_id == "ms-marco-minilm-l12-v2-int8"
    assert OnnxReranker(tmp_path).model_id == f"{tmp_path.name}-{MINILM_RERANKER.network_sha256[:12]}"


def test_a_folder_without_a_model_is_a_missing_model(tmp_path: Path) -> None:
    with pytest.raises(ModelMissing, match="There is no model in"):
        OnnxReranker(tmp_path).scores(QUERY, PASSAGES)


def test_the_fine_tuned_weights_know_what_answers_a_personal_question(reranker: Reranker) -> None:
    fine_tuned = OnnxReranker(adapter=RELEVANCE_ADAPTER)
    question = "Where do I work?"
    statements = [
        "user: I'm a paramedic in Leeds.",
        "user: My brother is a roofer.",
        "user: The boiler doesn't work.",
    ]

    answer, *others = (score for score in fine_tuned.scores(question, statements) if score is not None)

    assert answer > 0.5 > max(others)
    assert max(score for score in reranker.scores(question, statements) if score is not None) < 0.5
    assert fine_tuned.model_id != reranker.model_id
