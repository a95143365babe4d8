import sys
from collections.abc import Callable

import pytest

from recollect.adapters.embedders.fastembed import FastEmbedEmbedder
from recollect.adapters.embedders.sentence_transformers import SentenceTransformersEmbedder
from recollect.errors import ModelMissing, ProviderError
from recollect.ports.embedder import Embedder


class BrokenModel:
    """Every use of it fails."""

    @property
    def tokenizer(self) -> "BrokenModel":
        return self

    @property
    def max_seq_length(self) -> int | None:
        return 64

    def tokenize(self, text: str, /) -> list[str]:
        raise IndexError(text)

    def encode_document(self, texts: list[str], /, *, show_progress_bar: bool) -> list[list[float]]:
        raise RuntimeError(texts)

    def encode_query(self, texts: list[str], /, *, show_progress_bar: bool) -> list[list[float]]:
        return [[float("nan")]]

    def passage_embed(self, texts: list[str], /) -> list[list[float]]:
        raise RuntimeError(texts)

    def query_embed(self, texts: list[str], /) -> list[list[float]]:
        return [[float("nan")]]

    def token_count(self, texts: str, /) -> int:
        raise IndexError(texts)


def load_broken_model(name: str) -> BrokenModel:
    return BrokenModel()


@pytest.mark.spec("X6")
@pytest.mark.parametrize(
    ("package", "make", "extra"),
    [
        ("sentence_transformers", SentenceTransformersEmbedder, "sentence-transformers"),
        ("fastembed", FastEmbedEmbedder, "fastembed"),
    ],
)
def test_without_its_package_an_embedder_says_how_to_install_it(
    monkeypatch: pytest.MonkeyPatch, package: str, make: Callable[[], Embedder], extra: str
) -> None:
    # None makes Python raise ImportError, whether the package is installed or not.
    monkeypatch.setitem(sys.modules, package, None)

    with pytest.raises(ModelMissing, match=rf'pip install "recollect\[{extra}\]"'):
        make().embed(["Rex"])


@pytest.mark.parametrize(
    "embedder",
    [SentenceTransformersEmbedder(load=load_broken_model), FastEmbedEmbedder(load=load_broken_model)],
    ids=["sentence-transformers", "fastembed"],
)
def test_any_error_of_the_package_is_a_provider_error(embedder: Embedder) -> None:
    with pytest.raises(ProviderError, match=r"failed on this text.*\(RuntimeError\)"):
        embedder.embed(["Rex"])
    with pytest.raises(ProviderError, match="not finite"):
        embedder.embed_query("Rex")
    with pytest.raises(ProviderError, match=r"failed on this text.*\(IndexError\)"):
        embedder.windows("Rex")
