"""
What is deleted with a row besides what its foreign keys delete: index entries, feedback, and injections that show it.

SQLite does this with triggers, which Citus does not allow.
"""

from collections.abc import Collection, Sequence

from recollect.adapters.postgres.passages import (
    chunk_passage,
    memory_passage,
    message_passage,
    summary_passage,
)
from recollect.adapters.postgres.postings import unindex_chat, unindex_passages
from recollect.adapters.postgres.rows import Connection, execute, fetch
from recollect.domain.candidate import Source

DELETE_INJECTIONS = """
    DELETE FROM injections i USING injection_items s
    WHERE i.user_id = $1 AND s.user_id = $1 AND s.message_no = i.message_no AND s.source = ANY($2::text[])
        AND s.owner = ANY($3::text[])
"""
DELETE_FEEDBACK = "DELETE FROM feedback WHERE user_id = $1 AND item = ANY($2::text[])"
#: A chunk's id is its message's id, # and a number.
DELETE_FEEDBACK_ON_MESSAGES = """
    DELETE FROM feedback WHERE user_id = $1 AND split_part(item, '#', 1) = ANY($2::text[])
"""
SELECT_CHUNKS = "SELECT no FROM chunks WHERE user_id = $1 AND message_no = ANY($2::bigint[])"


def delete_injections(db: Connection, user: str, sources: Collection[Source], owners: Sequence[str]) -> None:
    """Delete the injections that show one of these passages; a chunk's owner is its message."""
    execute(db, DELETE_INJECTIONS, (user, [str(source) for source in sources], list(owners)))


def delete_dependents_of_messages(
    db: Connection, user: str, message_numbers: Sequence[int], message_ids: Sequence[str]
) -> None:
    chunks = fetch(db, SELECT_CHUNKS, (user, list(message_numbers)))
    passages = [message_passage(no) for no in message_numbers] + [chunk_passage(no) for (no,) in chunks]
    unindex_passages(db, user, passages)
    execute(db, DELETE_FEEDBACK_ON_MESSAGES, (user, list(message_ids)))
    delete_injections(db, user, (Source.MESSAGE, Source.CHUNK), message_ids)


def delete_memories(db: Connection, user: str, memory_numbers: Sequence[int]) -> int:
    """Delete memories with their versions, spans and dependents."""
    if not memory_numbers:
        return 0
    rows = fetch(
        db,
        "DELETE FROM memories WHERE user_id = $1 AND no = ANY($2::bigint[]) RETURNING no, id",
        (user, list(memory_numbers)),
    )
    ids = [memory_id for _, memory_id in rows]
    unindex_passages(db, user, [memory_passage(no) for no, _ in rows])
    execute(db, DELETE_FEEDBACK, (user, ids))
    delete_injections(db, user, (Source.MEMORY,), ids)
    return len(rows)


def delete_summaries(db: Connection, user: str, rows: Sequence[tuple[int, str]]) -> int:
    """Delete summaries, given by number and id, with their dependents."""
    if not rows:
        return 0
    ids = [summary_id for _, summary_id in rows]
    unindex_passages(db, user, [summary_passage(no) for no, _ in rows])
    execute(db, DELETE_FEEDBACK, (user, ids))
    delete_injections(db, user, (Source.SUMMARY,), ids)
    return execute(
        db,
        "DELETE FROM summaries WHERE user_id = $1 AND no = ANY($2::bigint[])",
        (user, [no for no, _ in rows]),
    )


def delete_chats(db: Connection, user: str, chat_numbers: Sequence[int]) -> int:
    """Delete chats with their messages, chunks and summaries; memories stay, without these sources."""
    numbers = list(chat_numbers)
    of_chats = "WHERE user_id = $1 AND chat_no = ANY($2::bigint[])"
    messages = [row_id for (row_id,) in fetch(db, f"SELECT id FROM messages {of_chats}", (user, numbers))]
    summaries = [row_id for (row_id,) in fetch(db, f"SELECT id FROM summaries {of_chats}", (user, numbers))]
    for number in numbers:
        unindex_chat(db, user, number)
    execute(db, DELETE_FEEDBACK_ON_MESSAGES, (user, messages))
    execute(db, DELETE_FEEDBACK, (user, summaries))
    execute(
        db,
        "DELETE FROM feedback WHERE user_id = $1 AND chat IN"
        " (SELECT id FROM chats WHERE user_id = $1 AND no = ANY($2::bigint[]))",
        (user, numbers),
    )
    delete_injections(db, user, (Source.MESSAGE, Source.CHUNK), messages)
    delete_injections(db, user, (Source.SUMMARY,), summaries)
    execute(db, f"UPDATE memories SET chat_no = NULL {of_chats}", (user, numbers))
    return execute(db, "DELETE FROM chats WHERE user_id = $1 AND no = ANY($2::bigint[])", (user, numbers))
