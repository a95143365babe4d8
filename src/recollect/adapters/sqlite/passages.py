"""
Source rows of passages: visibility filters and loading of candidates.

A passage number encodes table and row: `number = row * 4 + kind`, with kind 0 message, 1 chunk, 2 memory, 3 summary.
The tuples `FROM_CLAUSES`, `SELECT_PASSAGE_NUMBERS` and `CANDIDATE_LOADERS` are indexed by kind.

A passage is visible if it belongs to the user, passes the chat, date and importance filters, and
- message or chunk: no memory extracted from it was forgotten, and none covering all of it was corrected by hand;
- memory: active (or, with `as_of`, valid at that time), of a requested kind, and its kind has consent;
- summary: of a conversation, not the working summary.

Consent is checked here, in SQL, and not in the callers. Filter values are named parameters (`:user`, `:chats`,
`:as_of`, `:floor`, `:kinds`), and row numbers come as a JSON array (`:numbers`), so that each kind costs one statement.

Example: passages 8 and 46 are message 2 and memory 11: two statements, one per kind.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import apsw

from recollect.adapters.sqlite.rows import Row, to_json_array
from recollect.adapters.sqlite.timestamps import from_ms
from recollect.domain.candidate import Candidate, ChatPosition, Source
from recollect.domain.memory import Kind
from recollect.domain.message import ChunkKind, Role

FilterParameters: TypeAlias = Mapping[str, str | int | None]

ROLES_BY_VALUE = {role.value: role for role in Role}

#: A forgotten memory, or a corrected one that covers its whole message, must not return through its source message.
NOT_FORGOTTEN_OR_CORRECTED = """
    NOT EXISTS (
        SELECT 1 FROM memory_spans s JOIN memories f ON f.no = s.memory_no
        WHERE s.message_no = m.no AND (f.status = 'forgotten'
            OR (s.start = 0 AND s.end = length(m.content) AND f.origin = 'manual' AND f.text <> trim(m.content)))
    )
"""
MESSAGE_FILTER = """
    m.role IN ('user', 'assistant') AND (:as_of IS NULL OR m.created_at <= :as_of)
    AND coalesce(m.importance, 100) >= :floor
"""
VISIBLE_MESSAGE = f"{MESSAGE_FILTER} AND {NOT_FORGOTTEN_OR_CORRECTED}"
IN_CHATS = "(:chats IS NULL OR {} IN (SELECT value FROM json_each(:chats)))"
FROM_USER_MESSAGES = f"""
    FROM json_each(:numbers) n CROSS JOIN messages m ON m.no = n.value JOIN chats c ON c.no = m.chat_no
    WHERE m.user_no = :user AND {IN_CHATS.format("m.chat_no")}
"""
#: FROM and WHERE of each kind of passage: the user's rows that pass the filter and are visible.
#: CROSS JOIN keeps the numbers as the outer loop; otherwise SQLite would scan all rows of the user.
FROM_CLAUSES = (
    f"{FROM_USER_MESSAGES} AND {VISIBLE_MESSAGE}",
    f"""
    FROM json_each(:numbers) n CROSS JOIN message_chunks k ON k.no = n.value
        JOIN messages m ON m.no = k.message_no JOIN chats c ON c.no = k.chat_no
    WHERE k.user_no = :user AND {IN_CHATS.format("k.chat_no")} AND {VISIBLE_MESSAGE}
    """,
    f"""
    FROM json_each(:numbers) n CROSS JOIN memories m ON m.no = n.value LEFT JOIN chats c ON c.no = m.chat_no
    WHERE m.user_no = :user AND {IN_CHATS.format("0")} AND round(100 * m.weight) >= :floor
        AND (:kinds = '[]' OR m.kind IN (SELECT value FROM json_each(:kinds)))
        AND m.kind NOT IN (SELECT category FROM consents WHERE user_no = :user AND granted = 0)
        AND CASE WHEN :as_of IS NULL THEN m.status = 'active' ELSE
            m.status IN ('active', 'superseded') AND coalesce(m.valid_from, m.created_at) <= :as_of
            AND coalesce(m.valid_to, :as_of + 1) > :as_of END
    """,
    f"""
    FROM json_each(:numbers) n CROSS JOIN conversation_summaries s ON s.no = n.value
        JOIN chats c ON c.no = s.chat_no
    WHERE s.user_no = :user AND {IN_CHATS.format("s.chat_no")} AND (:as_of IS NULL OR s.created_at <= :as_of)
        AND s.kind = 'conversation'
    """,
)
#: Whether a memory extracted from the message was superseded; never with `as_of`, which asks for the past state.
IS_OUTDATED = """
    :as_of IS NULL AND EXISTS (
        SELECT 1 FROM memory_spans s JOIN memories f ON f.no = s.memory_no
        WHERE s.message_no = m.no AND f.status = 'superseded'
    )
"""
#: Passage number of the previous or next message of the same chat.
ADJACENT_MESSAGE = """
    (SELECT b.no * 4 FROM messages b WHERE b.chat_no = m.chat_no AND b.user_no = m.user_no
        AND b.no {} m.no AND b.role IN ('user', 'assistant') ORDER BY b.no {} LIMIT 1)
"""
#: Columns of a `ChatPosition`, by whether its neighbours are requested.
POSITION_COLUMNS = {
    True: f"m.no * 4, {ADJACENT_MESSAGE.format('<', 'DESC')}, {ADJACENT_MESSAGE.format('>', 'ASC')}",
    False: "m.no * 4, NULL, NULL",
}
#: Whether memories were extracted from a message.
HAS_MEMORIES = "EXISTS (SELECT 1 FROM memory_spans s WHERE s.message_no = m.no)"
SELECT_PASSAGE_NUMBERS = tuple(f"SELECT {name}.no * 4 + {kind}" for kind, name in enumerate("mkms"))
MESSAGE_COLUMNS = "m.id, c.id, m.role, m.content, m.created_at, m.tokens, m.importance, m.summary"
SELECT_VISIBLE_MESSAGES = {
    with_neighbours: f"SELECT {position}, {MESSAGE_COLUMNS}, {IS_OUTDATED} {FROM_CLAUSES[0]}"
    for with_neighbours, position in POSITION_COLUMNS.items()
}
#: The last column tells whether memories were extracted. Messages without any can be neither outdated nor hidden;
#: skipping those checks for them saves a third of the time.
SELECT_MESSAGES = {
    with_neighbours: f"SELECT {position}, {MESSAGE_COLUMNS}, {HAS_MEMORIES} {FROM_USER_MESSAGES} AND {MESSAGE_FILTER}"
    for with_neighbours, position in POSITION_COLUMNS.items()
}
SELECT_MESSAGES_WITH_MEMORIES = """
    SELECT DISTINCT s.message_no FROM json_each(?) n CROSS JOIN memory_spans s ON s.message_no = n.value
"""
SELECT_CHUNKS = {
    with_neighbours: f"""
        SELECT {position}, k.no * 4 + 1, m.id, k.chunk_index, c.id, m.role, k.content, m.created_at, k.tokens,
            k.chunk_kind, m.importance, {IS_OUTDATED} {FROM_CLAUSES[1]}
    """
    for with_neighbours, position in POSITION_COLUMNS.items()
}
SELECT_MEMORIES = f"""
    SELECT m.no * 4 + 2, m.id, c.id, m.speaker, m.text, m.created_at, m.last_stated_at, m.tokens, m.kind, m.weight,
        m.pinned
    {FROM_CLAUSES[2]}
"""
SELECT_SUMMARIES = f"SELECT s.no * 4 + 3, s.id, c.id, s.text, s.created_at, s.tokens {FROM_CLAUSES[3]}"


@dataclass(frozen=True, slots=True, kw_only=True)
class LoadRequest:
    """Filter parameters, and the dense and lexical scores known so far, by passage number."""

    parameters: FilterParameters
    dense: Mapping[int, float]
    lexical: Mapping[int, float]
    with_neighbours: bool  #: whether positions include the previous and next message


def _fetch_rows(
    db: apsw.Connection, sql: str, numbers: Iterable[int], parameters: FilterParameters
) -> list[Row]:
    return db.execute(sql, {**parameters, "numbers": to_json_array(numbers)}).fetchall()


def messages_with_memories(db: apsw.Connection, messages: Iterable[int]) -> set[int]:
    """Return the messages from which memories were extracted."""
    return {number for (number,) in db.execute(SELECT_MESSAGES_WITH_MEMORIES, (to_json_array(messages),))}


def _load_messages(
    db: apsw.Connection, numbers: Sequence[int], request: LoadRequest
) -> Iterator[tuple[int, Candidate]]:
    rows = _fetch_rows(db, SELECT_MESSAGES[request.with_neighbours], numbers, request.parameters)
    if with_memories := [row[0] >> 2 for row in rows if row[-1]]:
        rows = [row for row in rows if not row[-1]] + _fetch_rows(
            db, SELECT_VISIBLE_MESSAGES[request.with_neighbours], with_memories, request.parameters
        )
    dense, lexical = request.dense.get, request.lexical.get
    for passage, before, after, message, chat, role, text, at, tokens, importance, summary, outdated in rows:
        created_at = from_ms(at)
        yield (
            passage,
            Candidate(
                source=Source.MESSAGE,
                id=message,
                chat=chat,
                position=ChatPosition(passage, before, after),
                role=ROLES_BY_VALUE[role],
                text=text,
                created_at=created_at,
                last_stated_at=created_at,
                tokens=tokens,
                importance=importance,
                summary=summary,
                outdated=bool(outdated),
                dense=dense(passage),
                lexical=lexical(passage),
            ),
        )


def _load_chunks(
    db: apsw.Connection, numbers: Sequence[int], request: LoadRequest
) -> Iterator[tuple[int, Candidate]]:
    for row in _fetch_rows(db, SELECT_CHUNKS[request.with_neighbours], numbers, request.parameters):
        *position, passage, message, index, chat, role, text, at, tokens, kind, importance, outdated = row
        yield (
            passage,
            Candidate(
                source=Source.CHUNK,
                id=f"{message}#{index}",
                parent_id=message,
                position=ChatPosition(*position),
                chat=chat,
                role=ROLES_BY_VALUE[role],
                text=text,
                created_at=from_ms(at),
                last_stated_at=from_ms(at),
                tokens=tokens,
                chunk_kind=ChunkKind(kind),
                importance=importance,
                outdated=bool(outdated),
                dense=request.dense.get(passage),
                lexical=request.lexical.get(passage),
            ),
        )


def _load_memories(
    db: apsw.Connection, numbers: Sequence[int], request: LoadRequest
) -> Iterator[tuple[int, Candidate]]:
    for passage, memory, chat, speaker, text, at, last_stated_at, tokens, kind, weight, pinned in _fetch_rows(
        db, SELECT_MEMORIES, numbers, request.parameters
    ):
        yield (
            passage,
            Candidate(
                source=Source.MEMORY,
                id=memory,
                chat=chat,
                role=ROLES_BY_VALUE[speaker],
                text=text,
                created_at=from_ms(at),
                last_stated_at=from_ms(last_stated_at),
                tokens=tokens,
                kind=Kind(kind),
                weight=weight,
                importance=round(100 * weight),
                pinned=bool(pinned),
                dense=request.dense.get(passage),
                lexical=request.lexical.get(passage),
            ),
        )


def _load_summaries(
    db: apsw.Connection, numbers: Sequence[int], request: LoadRequest
) -> Iterator[tuple[int, Candidate]]:
    for passage, summary, chat, text, at, tokens in _fetch_rows(
        db, SELECT_SUMMARIES, numbers, request.parameters
    ):
        yield (
            passage,
            Candidate(
                source=Source.SUMMARY,
                id=summary,
                chat=chat,
                text=text,
                created_at=from_ms(at),
                last_stated_at=from_ms(at),
                tokens=tokens,
                dense=request.dense.get(passage),
                lexical=request.lexical.get(passage),
            ),
        )


#: Loaders of candidates, by kind of passage.
CANDIDATE_LOADERS = (_load_messages, _load_chunks, _load_memories, _load_summaries)
