import subprocess
import sys

import pytest

from recollect.adapters.embedders.hashing import HashingEmbedder
from recollect.ports.vector_math import cosine


@pytest.mark.spec("E21")
def test_texts_that_share_words_are_nearer_than_texts_that_do_not() -> None:
    question, answer, other = HashingEmbedder().embed(
        [
            "Which restaurant did Caroline recommend?",
            "Caroline recommends restaurants",
            "My dog is called Rex",
        ]
    )

    assert cosine(question, answer) > 0.3 > HashingEmbedder().cosine_floor > cosine(question, other)


def test_forms_of_a_word_are_near_each_other_in_any_language() -> None:
    one, other = HashingEmbedder().embed(["limões", "limão"])

    assert cosine(one, other) > HashingEmbedder().cosine_floor


def test_the_dimension_is_part_of_the_name() -> None:
    embedder = HashingEmbedder(64)

    assert (embedder.model_id, embedder.dimension) == ("hashing-64", 64)
    assert len(embedder.embed_query("Rex")) == 64


def test_another_process_gives_the_same_vector() -> None:
    code = (
        "from recollect.adapters.embedders.hashing import HashingEmbedder;"
        "print(HashingEmbedder().embed_query('My dog is called Rex').tobytes().hex())"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    assert run.stdout.strip() == HashingEmbedder().embed_query("My dog is called Rex").tobytes().hex()
