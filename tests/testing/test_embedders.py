import pytest

from recollect.errors import ProviderBusy
from recollect.testing.embedders import FailingEmbedder, LetterEmbedder


def test_a_failing_embedder_fails_until_it_is_healed() -> None:
    embedder = FailingEmbedder(ProviderBusy("no network"))

    for call in (
        lambda: embedder.embed(["Rex"]),
        lambda: embedder.embed_query("Rex"),
        lambda: embedder.windows("Rex"),
    ):
        with pytest.raises(ProviderBusy, match="no network"):
            call()
    embedder.heal()
    assert embedder.embed(["Rex"]) == LetterEmbedder().embed(["Rex"])
    assert embedder.windows("Rex") == ["Rex"]


def test_a_failing_embedder_keeps_the_name_and_dimension_of_the_one_inside() -> None:
    embedder = FailingEmbedder(ProviderBusy(), LetterEmbedder(8))

    assert (embedder.model_id, embedder.dimension, embedder.cosine_floor) == ("letters", 8, 0.9)
