"""Contract of embedders; every adapter and fake runs it."""

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, contextmanager, nullcontext
from math import hypot

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from recollect.adapters.embedders import fastembed, sentence_transformers
from recollect.adapters.embedders.fastembed import FastEmbedEmbedder
from recollect.adapters.embedders.hashing import HashingEmbedder
from recollect.adapters.embedders.openai import OpenAIEmbedder
from recollect.adapters.embedders.sentence_transformers import SentenceTransformersEmbedder
from recollect.adapters.onnx.embedder import OnnxEmbedder
from recollect.ports.embedder import Embedder
from recollect.ports.vector_math import cosine
from recollect.testing.embedders import LetterEmbedder
from recollect.testing.model_server import ModelServer

SAMPLE_TEXTS = [
    "I am vegetarian and I love coriander.",
    "ok",
    "The deployment of the payment service failed on Friday because the certificate had expired.",
    "My dog is called Rex.",
]
EDGE_CASE_TEXTS = {
    "empty": "",
    "spaces": " \n\t ",
    "nul": "a\x00b",
    "lone surrogates": "\ud800 Rex \udfff",
    "emoji": "👩‍👩‍👧‍👦 🇵🇹",
    "accents": "Amanhã compro pão e limões no armazém",
    "combining": "e\u0301" * 300,
    "chinese": "我喜欢在山里散步。" * 50,
    "one endless word": "x" * 20_000,
    "ten thousand words": "walking in the mountains " * 2500,
}


class WordSplitter:
    def tokenize(self, text: str, /) -> Sequence[str]:
        return text.split()


class FakeTransformer:
    """The part of SentenceTransformer that the adapter uses, with letter counts as the model."""

    tokenizer = WordSplitter()
    max_seq_length = 80

    def encode_document(self, texts: list[str], /, *, show_progress_bar: bool) -> list[list[float]]:
        return [[3 * number for number in vector] for vector in LetterEmbedder().embed(texts)]

    def encode_query(self, texts: list[str], /, *, show_progress_bar: bool) -> list[list[float]]:
        return self.encode_document(texts, show_progress_bar=show_progress_bar)


class FakeTextEmbedding:
    """The part of fastembed's TextEmbedding that the adapter uses, with letter counts as the model."""

    def passage_embed(self, texts: list[str], /) -> Iterator[list[float]]:
        yield from (vector.tolist() for vector in LetterEmbedder().embed(texts))

    def query_embed(self, texts: list[str], /) -> Iterator[list[float]]:
        return self.passage_embed(texts)

    def token_count(self, texts: str, /) -> int:
        return min(64, len(texts.split()))


@contextmanager
def openai_embedder() -> Iterator[Embedder]:
    with ModelServer() as server:
        embedder = OpenAIEmbedder(server.base_url, "letters", window_bytes=1000)
        yield embedder
        embedder.close()


def load_transformer(name: str) -> sentence_transformers.EncodingModel:
    return FakeTransformer()


def load_text_embedding(name: str) -> fastembed.EncodingModel:
    return FakeTextEmbedding()


EMBEDDER_FACTORIES: dict[str, Callable[[], AbstractContextManager[Embedder]]] = {
    "onnx": lambda: nullcontext(OnnxEmbedder()),
    "hashing": lambda: nullcontext(HashingEmbedder()),
    "openai": openai_embedder,
    "sentence-transformers": lambda: nullcontext(SentenceTransformersEmbedder(load=load_transformer)),
    "fastembed": lambda: nullcontext(FastEmbedEmbedder(load=load_text_embedding)),
    "letters": lambda: nullcontext(LetterEmbedder()),
}


@pytest.fixture(scope="module", params=EMBEDDER_FACTORIES)
def embedder(request: pytest.FixtureRequest) -> Iterator[Embedder]:
    with EMBEDDER_FACTORIES[request.param]() as embedder:
        yield embedder


def test_no_texts_give_no_vectors(embedder: Embedder) -> None:
    assert embedder.embed([]) == []


@pytest.mark.spec("E21", "C-16")
def test_every_vector_has_unit_length_and_the_stated_dimension(embedder: Embedder) -> None:
    vectors = [*embedder.embed(SAMPLE_TEXTS), embedder.embed_query(SAMPLE_TEXTS[0])]

    assert [vector.typecode for vector in vectors] == ["f"] * 5
    assert [len(vector) for vector in vectors] == [embedder.dimension] * 5
    assert [hypot(*vector) for vector in vectors] == pytest.approx([1.0] * 5, abs=1e-5)


def test_vectors_are_in_the_order_of_the_texts_and_independent_of_the_batch(embedder: Embedder) -> None:
    together = embedder.embed(SAMPLE_TEXTS)
    alone = [embedder.embed([text])[0] for text in SAMPLE_TEXTS]

    assert [list(vector) for vector in together] == [
        pytest.approx(list(vector), abs=1e-6) for vector in alone
    ]


def test_the_same_text_gives_the_same_vector_twice(embedder: Embedder) -> None:
    assert embedder.embed(SAMPLE_TEXTS) == embedder.embed(SAMPLE_TEXTS)
    assert embedder.embed_query(SAMPLE_TEXTS[0]) == embedder.embed_query(SAMPLE_TEXTS[0])


def test_changing_a_returned_vector_does_not_change_the_next_one(embedder: Embedder) -> None:
    first = embedder.embed_query(SAMPLE_TEXTS[0])
    expected = first[:]
    first[0] = 99.0

    assert embedder.embed_query(SAMPLE_TEXTS[0]) == expected


def test_a_query_is_close_to_the_same_text_as_a_passage(embedder: Embedder) -> None:
    passages = embedder.embed(SAMPLE_TEXTS)
    questions = [embedder.embed_query(text) for text in SAMPLE_TEXTS]

    assert all(cosine(*pair) > 0.5 for pair in zip(questions, passages, strict=True))


@pytest.mark.spec("TR-20")
def test_the_floor_is_a_cosine_below_that_of_equal_texts(embedder: Embedder) -> None:
    assert -1 < embedder.cosine_floor < 1


def test_the_model_id_is_known_before_anything_is_embedded_and_stays(embedder: Embedder) -> None:
    before = embedder.model_id
    embedder.embed(SAMPLE_TEXTS[:1])

    assert before == embedder.model_id != ""


def test_four_threads_get_the_same_vectors_as_one(embedder: Embedder) -> None:
    with ThreadPoolExecutor(4) as pool:
        results = list(
            pool.map(
                lambda _: (embedder.embed(SAMPLE_TEXTS[:2]), embedder.embed_query(SAMPLE_TEXTS[3])), range(4)
            )
        )

    assert results == [(embedder.embed(SAMPLE_TEXTS[:2]), embedder.embed_query(SAMPLE_TEXTS[3]))] * 4


@pytest.mark.parametrize("text", EDGE_CASE_TEXTS.values(), ids=EDGE_CASE_TEXTS.keys())
def test_unusual_text_is_embedded_and_split(embedder: Embedder, text: str) -> None:
    [vector] = embedder.embed([text])
    pieces = embedder.windows(text)

    assert hypot(*vector) == pytest.approx(1.0, abs=1e-5)
    assert "".join(pieces) == text
    assert len(pieces) >= 1


@pytest.mark.spec("J8")
@settings(max_examples=25, deadline=None)
@given(
    words=st.lists(st.text(max_size=12) | st.sampled_from(["walk", "pão", "calculateTotal()", "\n\n"])),
    times=st.integers(min_value=1, max_value=120),
)
def test_windows_join_to_the_text_and_each_fits_the_model(
    embedder: Embedder, words: list[str], times: int
) -> None:
    text = " ".join(words * times)
    pieces = embedder.windows(text)

    assert "".join(pieces) == text
    assert [embedder.windows(piece) for piece in pieces] == [[piece] for piece in pieces]
