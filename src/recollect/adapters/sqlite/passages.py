"""
Source rows of passages: visibility filters and loading of candidates.

A passage is visible if it belongs to the user, passes the chat, date and importance filters, and
- message or chunk: no memory extracted from it was forgotten, and none covering all of it was corrected by hand;
- memory: active (or, with `as_of`, valid at that time), of a requested kind, and its kind has consent;
- summary: of a conversation, not the working summary.

Consent is checked here, in SQL, and not in the callers. Filter values are named parameters (`:user`, `:chats`,
`:as_of`, `:floor`, `:kinds`), and passage numbers come as a JSON array (`:passages`), so that each kind costs one
statement: `PassageQueries` has those of one kind.

Example: passages 8 and 46 are a message and a memory: two statements, one per kind.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import apsw

from recollect.adapters.sqlite.rows import Row, fetch, to_json_array
from recollect.domain.candidate import Candidate, ChatPosition, Source
from recollect.domain.memory import Kind
from recollect.domain.message import ChunkKind, Role
from recollect.storage.passages import (
    CHUNK_PASSAGE,
    MEMORY_PASSAGE,
    MESSAGE_PASSAGE,
    PASSAGE_KINDS,
    SUMMARY_PASSAGE,
    PassageKind,
)
from recollect.storage.timestamps import from_ms

FilterParameters: TypeAlias = Mapping[str, str | int | None]

ROLES_BY_VALUE = {role.value: role for role in Role}

#: A forgotten memory, or a corrected one that covers its whole message, must not return through its source message.
NOT_FORGOTTEN_OR_CORRECTED = """
    NOT EXISTS (
        SELECT 1 FROM memory_spans s JOIN memories f ON f.no = s.memory_no
        WHERE s.user_no = m.user_no AND s.message_no = m.no AND (f.status = 'forgotten'
            OR (s.start = 0 AND s.end = length(m.content) AND f.origin = 'manual' AND f.text <> trim(m.content)))
    )
"""
MESSAGE_FILTER = """
    m.role IN ('user', 'assistant') AND (:as_of IS NULL OR m.created_at <= :as_of)
    AND coalesce(m.importance, 100) >= :floor
"""
VISIBLE_MESSAGE = f"{MESSAGE_FILTER} AND {NOT_FORGOTTEN_OR_CORRECTED}"
IN_CHATS = "(:chats IS NULL OR {} IN (SELECT value FROM json_each(:chats)))"
#: The given passages of one kind. CROSS JOIN keeps them as the outer loop; otherwise SQLite would scan all rows of the
#: user.
FROM_PASSAGES = """
    FROM json_each(:passages) n CROSS JOIN passages p ON p.no = n.value AND p.user_no = :user AND p.kind = {kind.code}
        CROSS JOIN {kind.table} {alias} ON {alias}.no = p.row_no
"""
FROM_USER_MESSAGES = f"""
    {FROM_PASSAGES.format(kind=MESSAGE_PASSAGE, alias="m")} JOIN chats c ON c.no = m.chat_no
    WHERE {IN_CHATS.format("p.chat_no")}
"""
FROM_VISIBLE_MESSAGES = f"{FROM_USER_MESSAGES} AND {VISIBLE_MESSAGE}"
FROM_VISIBLE_CHUNKS = f"""
    {FROM_PASSAGES.format(kind=CHUNK_PASSAGE, alias="k")}
        JOIN messages m ON m.no = k.message_no JOIN chats c ON c.no = m.chat_no
    WHERE {IN_CHATS.format("p.chat_no")} AND {VISIBLE_MESSAGE}
"""
FROM_VISIBLE_MEMORIES = f"""
    {FROM_PASSAGES.format(kind=MEMORY_PASSAGE, alias="m")} LEFT JOIN chats c ON c.no = m.chat_no
    WHERE {IN_CHATS.format("p.chat_no")} AND round(100 * m.weight) >= :floor
        AND (:kinds = '[]' OR m.kind IN (SELECT value FROM json_each(:kinds)))
        AND m.kind NOT IN (SELECT category FROM consents WHERE user_no = :user AND granted = 0)
        AND CASE WHEN :as_of IS NULL THEN m.status = 'active' ELSE
            m.status IN ('active', 'superseded') AND coalesce(m.valid_from, m.created_at) <= :as_of
            AND coalesce(m.valid_to, :as_of + 1) > :as_of END
"""
FROM_VISIBLE_SUMMARIES = f"""
    {FROM_PASSAGES.format(kind=SUMMARY_PASSAGE, alias="s")} JOIN chats c ON c.no = s.chat_no
    WHERE {IN_CHATS.format("p.chat_no")} AND (:as_of IS NULL OR s.created_at <= :as_of) AND s.kind = 'conversation'
"""
#: Whether a memory extracted from the message was superseded; never with `as_of`, which asks for the past state.
IS_OUTDATED = """
    :as_of IS NULL AND EXISTS (
        SELECT 1 FROM memory_spans s JOIN memories f ON f.no = s.memory_no
        WHERE s.user_no = m.user_no AND s.message_no = m.no AND f.status = 'superseded'
    )
"""
#: Passage number of a message, and of the previous or next one of the same chat.
MESSAGE_PASSAGE_NUMBER = (
    "(SELECT q.no FROM passages q WHERE q.user_no = m.user_no AND q.kind = 0 AND q.row_no = m.no)"
)
ADJACENT_MESSAGE = """
    (SELECT q.no FROM messages b CROSS JOIN passages q ON q.user_no = b.user_no AND q.kind = 0 AND q.row_no = b.no
        WHERE b.user_no = m.user_no AND b.chat_no = m.chat_no AND b.no {} m.no AND b.role IN ('user', 'assistant')
        ORDER BY b.no {} LIMIT 1)
"""
#: The neighbours in a `ChatPosition`, by whether they are requested.
NEIGHBOUR_COLUMNS = {
    True: f"{ADJACENT_MESSAGE.format('<', 'DESC')}, {ADJACENT_MESSAGE.format('>', 'ASC')}",
    False: "NULL, NULL",
}
#: Whether memories were extracted from a message.
HAS_MEMORIES = "EXISTS (SELECT 1 FROM memory_spans s WHERE s.user_no = m.user_no AND s.message_no = m.no)"
MESSAGE_COLUMNS = "m.id, c.id, m.role, m.content, m.created_at, m.tokens, m.importance, m.summary"
SELECT_VISIBLE_MESSAGES = {
    with_neighbours: f"SELECT p.no, {neighbours}, {MESSAGE_COLUMNS}, {IS_OUTDATED} {FROM_VISIBLE_MESSAGES}"
    for with_neighbours, neighbours in NEIGHBOUR_COLUMNS.items()
}
#: The last column tells whether memories were extracted. Messages without any can be neither outdated nor hidden;
#: skipping those checks for them saves a third of the time.
SELECT_MESSAGES = {
    with_neighbours: f"""
        SELECT p.no, {neighbours}, {MESSAGE_COLUMNS}, {HAS_MEMORIES} {FROM_USER_MESSAGES} AND {MESSAGE_FILTER}
    """
    for with_neighbours, neighbours in NEIGHBOUR_COLUMNS.items()
}
SELECT_MESSAGES_WITH_MEMORIES = """
    SELECT DISTINCT p.no FROM json_each(?) n CROSS JOIN passages p ON p.no = n.value
        CROSS JOIN memory_spans s ON s.user_no = p.user_no AND s.message_no = p.row_no
"""
SELECT_CHUNKS = {
    with_neighbours: f"""
        SELECT {MESSAGE_PASSAGE_NUMBER}, {neighbours}, p.no, m.id, k.chunk_index, c.id, m.role, k.content,
            m.created_at, k.tokens, k.chunk_kind, m.importance, {IS_OUTDATED} {FROM_VISIBLE_CHUNKS}
    """
    for with_neighbours, neighbours in NEIGHBOUR_COLUMNS.items()
}
SELECT_MEMORIES = f"""
    SELECT p.no, m.id, c.id, m.speaker, m.text, m.created_at, m.last_stated_at, m.tokens, m.kind, m.weight,
        m.version, m.pinned
    {FROM_VISIBLE_MEMORIES}
"""
SELECT_SUMMARIES = f"SELECT p.no, s.id, c.id, s.text, s.created_at, s.tokens {FROM_VISIBLE_SUMMARIES}"
SELECT_KINDS = (
    "SELECT p.no, p.kind FROM json_each(?) n CROSS JOIN passages p ON p.no = n.value AND p.user_no = ?"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class LoadRequest:
    """Filter parameters, and the dense and lexical scores known so far, by passage number."""

    parameters: FilterParameters
    dense: Mapping[int, float]
    lexical: Mapping[int, float]
    with_neighbours: bool  #: whether positions include the previous and next message


def group_by_kind(db: apsw.Connection, user_no: int, passages: Iterable[int]) -> dict[PassageKind, list[int]]:
    """Return the existing passages of a user by kind."""
    groups: dict[PassageKind, list[int]] = {}
    for passage, code in fetch(db, SELECT_KINDS, (to_json_array(passages), user_no)):
        groups.setdefault(PASSAGE_KINDS[code], []).append(passage)
    return groups


def fetch_passages(
    db: apsw.Connection, sql: str, passages: Iterable[int], parameters: FilterParameters
) -> list[Row]:
    return db.execute(sql, {**parameters, "passages": to_json_array(passages)}).fetchall()


def messages_with_memories(db: apsw.Connection, passages: Iterable[int]) -> set[int]:
    """Return those of these messages, by passage number, from which memories were extracted."""
    return {passage for (passage,) in fetch(db, SELECT_MESSAGES_WITH_MEMORIES, (to_json_array(passages),))}


def _load_messages(
    db: apsw.Connection, passages: Sequence[int], request: LoadRequest
) -> Iterator[tuple[int, Candidate]]:
    rows = fetch_passages(db, SELECT_MESSAGES[request.with_neighbours], passages, request.parameters)
    if with_memories := [row[0] for row in rows if row[-1]]:
        rows = [row for row in rows if not row[-1]] + fetch_passages(
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
    db: apsw.Connection, passages: Sequence[int], request: LoadRequest
) -> Iterator[tuple[int, Candidate]]:
    for row in fetch_passages(db, SELECT_CHUNKS[request.with_neighbours], passages, request.parameters):
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
    db: apsw.Connection, passages: Sequence[int], request: LoadRequest
) -> Iterator[tuple[int, Candidate]]:
    for (
        passage,
        memory,
        chat,
        speaker,
        text,
        at,
        last_stated_at,
        tokens,
        kind,
        weight,
        version,
        pinned,
    ) in fetch_passages(db, SELECT_MEMORIES, passages, request.parameters):
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
                version=version,
                pinned=bool(pinned),
                dense=request.dense.get(passage),
                lexical=request.lexical.get(passage),
            ),
        )


def _load_summaries(
    db: apsw.Connection, passages: Sequence[int], request: LoadRequest
) -> Iterator[tuple[int, Candidate]]:
    for passage, summary, chat, text, at, tokens in fetch_passages(
        db, SELECT_SUMMARIES, passages, request.parameters
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


@dataclass(frozen=True, slots=True, kw_only=True)
class PassageQueries:
    """How passages of one kind are filtered and loaded."""

    select_visible: str  #: numbers of the visible ones among `:passages`
    load: Callable[[apsw.Connection, Sequence[int], LoadRequest], Iterator[tuple[int, Candidate]]]


QUERIES_BY_KIND: Mapping[PassageKind, PassageQueries] = {
    MESSAGE_PASSAGE: PassageQueries(
        select_visible=f"SELECT p.no {FROM_VISIBLE_MESSAGES}", load=_load_messages
    ),
    CHUNK_PASSAGE: PassageQueries(select_visible=f"SELECT p.no {FROM_VISIBLE_CHUNKS}", load=_load_chunks),
    MEMORY_PASSAGE: PassageQueries(
        select_visible=f"SELECT p.no {FROM_VISIBLE_MEMORIES}", load=_load_memories
    ),
    SUMMARY_PASSAGE: PassageQueries(
        select_visible=f"SELECT p.no {FROM_VISIBLE_SUMMARIES}", load=_load_summaries
    ),
}
