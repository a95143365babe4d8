"""
Source rows of passages: visibility filters and loading of candidates.

A passage is visible if it belongs to the user, passes the chat, date and importance filters, and
- message or chunk: no memory extracted from it was forgotten, and none covering all of it was corrected by hand;
- memory: active (or, with `as_of`, valid at that time), of a requested kind, and its kind has consent;
- summary: of a conversation, not the working summary.

Consent is checked here, in SQL, and not in the callers. Filter values are named parameters (`:user`, `:chats`,
`:as_of`, `:floor`, `:kinds`, `:metadata`), and passage numbers come as a JSON array (`:passages`), so that all passages
are filtered by one statement, `SELECT_VISIBLE`, and loaded by one, which has a part for each kind (`:sources`).

Example: passages 8 and 46 are a message and a memory: one statement loads both, each with the columns of its kind.
"""

from collections.abc import Iterable, Mapping
from typing import NamedTuple, TypeAlias

import apsw

from recollect.adapters.sqlite.rows import Row, to_json_array
from recollect.domain.candidate import Candidate, ChatPosition, Source
from recollect.domain.memory import Kind
from recollect.domain.message import ChunkKind, Role
from recollect.storage.encoding import decode_metadata
from recollect.storage.passages import (
    CHUNK_PASSAGE,
    MEMORY_PASSAGE,
    MESSAGE_PASSAGE,
    PASSAGE_KINDS,
    SUMMARY_PASSAGE,
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
#: Whether each required value is the value of its key, or in the list that is.
HAS_METADATA = """
    NOT EXISTS (SELECT 1 FROM json_each({required}) r WHERE NOT EXISTS (
        SELECT 1 FROM json_each({metadata}) h WHERE h.key = r.key AND (h.atom = r.atom OR (
            h.type = 'array' AND r.atom IN (SELECT atom FROM json_each(h.value)))))
    )
"""
METADATA_FILTER = f"(:metadata IS NULL OR {HAS_METADATA.format(required=':metadata', metadata='m.metadata')})"
MESSAGE_FILTER = f"""
    m.role IN ('user', 'assistant') AND (:as_of IS NULL OR m.created_at <= :as_of)
    AND coalesce(m.importance, 100) >= :floor AND {METADATA_FILTER}
"""
VISIBLE_MESSAGE = f"{MESSAGE_FILTER} AND {NOT_FORGOTTEN_OR_CORRECTED}"
IN_CHATS = "(:chats IS NULL OR {} IN (SELECT value FROM json_each(:chats)))"
#: The given passages of one kind. CROSS JOIN keeps them as the outer loop; otherwise SQLite would scan all rows of the
#: user.
FROM_PASSAGES = """
    FROM json_each(:passages) n CROSS JOIN passages p ON p.no = n.value AND p.user_no = :user AND p.kind = {kind.code}
        AND {kind.code} IN (SELECT value FROM json_each(:sources))
        CROSS JOIN {kind.table} {alias} ON {alias}.no = p.row_no
"""
FROM_VISIBLE_MESSAGES = f"""
    {FROM_PASSAGES.format(kind=MESSAGE_PASSAGE, alias="m")} JOIN chats c ON c.no = m.chat_no
    WHERE {IN_CHATS.format("p.chat_no")} AND {VISIBLE_MESSAGE}
"""
FROM_VISIBLE_CHUNKS = f"""
    {FROM_PASSAGES.format(kind=CHUNK_PASSAGE, alias="k")}
        JOIN messages m ON m.no = k.message_no JOIN chats c ON c.no = m.chat_no
    WHERE {IN_CHATS.format("p.chat_no")} AND {VISIBLE_MESSAGE}
"""
VISIBLE_MEMORY = f"""
    round(100 * m.weight) >= :floor AND {METADATA_FILTER}
    AND (:kinds = '[]' OR m.kind IN (SELECT value FROM json_each(:kinds)))
    AND m.kind NOT IN (SELECT category FROM consents WHERE user_no = :user AND granted = 0)
    AND CASE WHEN :as_of IS NULL THEN m.status = 'active' ELSE
        m.status IN ('active', 'superseded') AND coalesce(m.valid_from, m.created_at) <= :as_of
        AND coalesce(m.valid_to, :as_of + 1) > :as_of END
"""
FROM_VISIBLE_MEMORIES = f"""
    {FROM_PASSAGES.format(kind=MEMORY_PASSAGE, alias="m")} LEFT JOIN chats c ON c.no = m.chat_no
    WHERE {IN_CHATS.format("p.chat_no")} AND {VISIBLE_MEMORY}
"""
VISIBLE_SUMMARY = (
    "(:as_of IS NULL OR s.created_at <= :as_of) AND s.kind = 'conversation' AND :metadata IS NULL"
)
FROM_VISIBLE_SUMMARIES = f"""
    {FROM_PASSAGES.format(kind=SUMMARY_PASSAGE, alias="s")} JOIN chats c ON c.no = s.chat_no
    WHERE {IN_CHATS.format("p.chat_no")} AND {VISIBLE_SUMMARY}
"""
#: Which of `:passages` are visible, of any kind. Indexed messages have the right user, chat and role already: without
#: a filter of date, importance or metadata, one can be hidden only by a memory extracted from it, and its row is not
#: read.
SELECT_VISIBLE = f"""
    SELECT p.no FROM json_each(:passages) n CROSS JOIN passages p ON p.no = n.value AND p.user_no = :user
    WHERE CASE p.kind
        WHEN {MESSAGE_PASSAGE.code} THEN
            (:as_of IS NULL AND :floor = 0 AND :metadata IS NULL AND NOT EXISTS (
                SELECT 1 FROM memory_spans s WHERE s.user_no = p.user_no AND s.message_no = p.row_no
            ))
            OR EXISTS (SELECT 1 FROM messages m WHERE m.no = p.row_no AND {IN_CHATS.format("p.chat_no")}
                AND {VISIBLE_MESSAGE})
        WHEN {CHUNK_PASSAGE.code} THEN EXISTS (
            SELECT 1 FROM chunks k CROSS JOIN messages m ON m.no = k.message_no
            WHERE k.no = p.row_no AND {IN_CHATS.format("p.chat_no")} AND {VISIBLE_MESSAGE})
        WHEN {MEMORY_PASSAGE.code} THEN EXISTS (
            SELECT 1 FROM memories m WHERE m.no = p.row_no AND {IN_CHATS.format("p.chat_no")} AND {VISIBLE_MEMORY})
        WHEN {SUMMARY_PASSAGE.code} THEN EXISTS (
            SELECT 1 FROM summaries s WHERE s.no = p.row_no AND {IN_CHATS.format("p.chat_no")} AND {VISIBLE_SUMMARY})
        END
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
#: Those of `:passages` that are visible, as candidates, by whether the neighbours of messages are requested. The
#: columns after the tokens depend on the kind.
SELECT_CANDIDATES = {
    with_neighbours: f"""
        SELECT p.no, p.kind, m.id, c.id, m.role, m.content, m.created_at, m.created_at, m.tokens, m.metadata,
            m.importance, m.summary, {IS_OUTDATED}, p.no, {neighbours}, NULL, NULL
        {FROM_VISIBLE_MESSAGES}
        UNION ALL
        SELECT p.no, p.kind, m.id, c.id, m.role, k.content, m.created_at, m.created_at, k.tokens, m.metadata,
            m.importance, NULL, {IS_OUTDATED}, {MESSAGE_PASSAGE_NUMBER}, {neighbours}, k.chunk_index, k.chunk_kind
        {FROM_VISIBLE_CHUNKS}
        UNION ALL
        SELECT p.no, p.kind, m.id, c.id, m.speaker, m.text, m.created_at, m.last_stated_at, m.tokens, m.metadata,
            m.kind, m.weight, m.version, m.pinned, NULL, NULL, NULL, NULL
        {FROM_VISIBLE_MEMORIES}
        UNION ALL
        SELECT p.no, p.kind, s.id, c.id, NULL, s.text, s.created_at, s.created_at, s.tokens, '{{}}',
            NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL
        {FROM_VISIBLE_SUMMARIES}
    """
    for with_neighbours, neighbours in NEIGHBOUR_COLUMNS.items()
}


class PassageScore(NamedTuple):
    """The dense scores of one passage."""

    corrected: float
    cosine: float | None = None
    centroid_excess: float | None = None


def fetch_candidates(
    db: apsw.Connection,
    passages: Iterable[int],
    parameters: FilterParameters,
    *,
    dense: Mapping[int, PassageScore],
    lexical: Mapping[int, float],
    with_neighbours: bool,
) -> list[Candidate]:
    """Return the visible ones of these passages, with their scores."""
    rows = fetch_passages(db, SELECT_CANDIDATES[with_neighbours], passages, parameters)
    return [_to_candidate(row, dense.get(row[0]), lexical.get(row[0])) for row in rows]


def fetch_passages(
    db: apsw.Connection, sql: str, passages: Iterable[int], parameters: FilterParameters
) -> list[Row]:
    return db.execute(sql, {**parameters, "passages": to_json_array(passages)}).fetchall()


def visible_passages(
    db: apsw.Connection, passages: Iterable[int], parameters: FilterParameters
) -> frozenset[int]:
    """Return those of these passages whose source rows pass the filter."""
    return frozenset(number for (number,) in fetch_passages(db, SELECT_VISIBLE, passages, parameters))


def _to_candidate(row: Row, dense: PassageScore | None, lexical: float | None) -> Candidate:
    passage, kind_code, row_id, chat, role, text, at, last_stated_at, tokens, metadata, *columns = row
    source, candidate_id = PASSAGE_KINDS[kind_code].source, row_id
    importance: int | None = None
    position: ChatPosition | None = None
    parent_id = kind = chunk_kind = version = summary = None
    weight, pinned, outdated = 1.0, False, False
    match source:
        case Source.MESSAGE:
            importance, summary, outdated, *numbers, _, _ = columns
            position = ChatPosition(*numbers)
        case Source.CHUNK:
            importance, _, outdated, *numbers, index, chunk_kind = columns
            position, parent_id, candidate_id = ChatPosition(*numbers), row_id, f"{row_id}#{index}"
        case Source.MEMORY:
            kind, weight, version, pinned, *_ = columns
            importance = round(100 * weight)
        case _:
            pass
    created_at = from_ms(at)
    corrected, cosine, centroid_excess = dense or (None, None, None)
    return Candidate(
        source=source,
        id=candidate_id,
        parent_id=parent_id,
        chat=chat,
        position=position,
        role=role and ROLES_BY_VALUE[role],
        text=text,
        created_at=created_at,
        last_stated_at=created_at if last_stated_at == at else from_ms(last_stated_at),
        tokens=tokens,
        kind=kind and Kind(kind),
        chunk_kind=chunk_kind and ChunkKind(chunk_kind),
        weight=weight,
        importance=importance,
        version=version,
        pinned=bool(pinned),
        outdated=bool(outdated),
        summary=summary,
        metadata=decode_metadata(metadata),
        dense=corrected,
        cosine=cosine,
        centroid_excess=centroid_excess,
        lexical=lexical,
        passage_id=passage,
    )
