"""How large a memory grows, from a few hundred messages: no clock, only bytes."""

import sqlite3
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from benchmarks.corpus import Corpus
from tests.stories.presets import open_memory

from recollect.adapters.sqlite.store import SqliteStore
from recollect.domain.scope import Scope
from recollect.testing.embedders import LetterEmbedder
from recollect.testing.inspection import store_of

MESSAGE_COUNT = 1400
#: Every so many messages there is a long one, so that there are about 43 chunks to 100 messages.
LONG_MESSAGE_INTERVAL = 5
BYTES_PER_MEGABYTE = 1_000_000
REFERENCE_MESSAGES = 100_000
DIMENSION = 384


@dataclass(frozen=True, slots=True, kw_only=True)
class FileMeasurements:
    path: Path
    messages: int
    chunks: int
    vectors: int
    text_bytes: int
    sizes: dict[str, int]

    def megabytes_per_reference(self, part: str) -> float:
        return self.sizes[part] / self.messages * REFERENCE_MESSAGES / BYTES_PER_MEGABYTE


def generate_messages() -> Iterator[tuple[str, list[dict[str, object]]]]:
    for batch in Corpus(size=MESSAGE_COUNT).batches():
        texts = [str(message["content"]) for message in batch.messages]
        for place in range(0, len(texts), LONG_MESSAGE_INTERVAL):
            texts[place] = "\n\n".join(texts[place : place + 4])
        yield batch.chat, [{**m, "content": text} for m, text in zip(batch.messages, texts, strict=True)]


@pytest.fixture(scope="module")
def measurements(tmp_path_factory: pytest.TempPathFactory) -> FileMeasurements:
    path, text_bytes = tmp_path_factory.mktemp("grown") / "m.db", 0
    with open_memory(
        SqliteStore(path),
        "dev",
        embedder=LetterEmbedder(DIMENSION),
        chunking__enabled=True,
        summaries__every_answers=0,
    ) as memory:
        for chat, messages in generate_messages():
            text_bytes += sum(len(str(message["content"]).encode()) for message in messages)
            memory.add(messages, chat_id=chat)
        memory.flush(seconds=600)
        counted = store_of(memory.application).maintenance.stats(Scope("default"))
    return FileMeasurements(
        path=path,
        messages=counted.messages,
        chunks=counted.chunks,
        vectors=counted.vectors,
        text_bytes=text_bytes,
        sizes=dict(counted.sizes),
    )


@pytest.mark.spec("X2", "Y10", "TR-23")
def test_a_hundred_thousand_messages_with_chunks_and_all_vectors_stay_well_below_a_gigabyte(
    measurements: FileMeasurements,
) -> None:
    assert measurements.text_bytes / measurements.messages > 1000
    assert 0.3 < measurements.chunks / measurements.messages < 0.6
    assert measurements.vectors == measurements.messages + measurements.chunks
    assert measurements.megabytes_per_reference("total") < 730
    assert (
        measurements.path.stat().st_size / measurements.messages * REFERENCE_MESSAGES
        < 730 * BYTES_PER_MEGABYTE
    )


@pytest.mark.spec("TR-23", "X2", "E21")
def test_a_vector_takes_a_byte_for_each_number_and_a_little_more(measurements: FileMeasurements) -> None:
    assert measurements.sizes["embeddings"] / measurements.vectors < 1.4 * DIMENSION


@pytest.mark.spec("TR-23")
def test_only_messages_of_several_chunks_have_vectors_for_them(measurements: FileMeasurements) -> None:
    with sqlite3.connect(measurements.path) as db:
        rows = db.execute("SELECT message_no, count(*) FROM chunks GROUP BY message_no").fetchall()

    assert rows
    assert min(count for _, count in rows) > 1


@pytest.mark.spec("X3")
def test_vectors_are_kept_by_user_and_chat_so_that_a_search_reads_nobody_elses(
    measurements: FileMeasurements,
) -> None:
    """What the designs do with one collection per conversation is done with columns of two tables."""
    with sqlite3.connect(measurements.path) as db:
        vectors_plan = db.execute(
            "EXPLAIN QUERY PLAN SELECT passage_no FROM vectors WHERE user_no = 1 AND model_no = 1"
        ).fetchall()
        chat_plan = db.execute(
            "EXPLAIN QUERY PLAN SELECT no FROM passages WHERE user_no = 1 AND chat_no = 1"
        ).fetchall()
        chats = db.execute(
            "SELECT count(DISTINCT p.chat_no) FROM vectors v JOIN passages p ON p.no = v.passage_no"
            " WHERE v.user_no = 1"
        ).fetchone()

    assert "USING INDEX vectors_of_user (user_no=? AND model_no=?)" in str(vectors_plan)
    assert "passages_of_chat (user_no=? AND chat_no=?)" in str(chat_plan)
    assert chats == (MESSAGE_COUNT // 100,)
