from recollect.text.text_cache import TextCache


class CountedLength:
    """Makes a text's length of it, and counts how often it was asked to."""

    def __init__(self) -> None:
        self.times = 0
        self.remembered = TextCache(self)

    def __call__(self, text: str) -> int:
        self.times += 1
        return len(text)


def test_results_are_cached_by_text() -> None:
    lengths = CountedLength()

    assert [lengths.remembered[text] for text in ("tea", "coffee", "tea")] == [3, 6, 3]
    assert lengths.times == 2


def test_a_long_text_is_made_anew_each_time_and_fills_nothing() -> None:
    lengths = CountedLength()

    assert [lengths.remembered["x" * 1000] for _ in range(3)] == [1000] * 3
    assert lengths.times == 3
    assert lengths.remembered == {}


def test_however_many_texts_there_are_no_more_than_so_many_are_remembered() -> None:
    lengths = CountedLength()

    sizes = [lengths.remembered[str(number)] and len(lengths.remembered) for number in range(100_000)]

    assert max(sizes) < 50_000
    assert lengths.times == 100_000
    assert lengths.remembered[str(99_999)] == 5
    assert lengths.times == 100_000
