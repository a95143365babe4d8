"""
Source rows of passages: visibility filters and loading of candidates.

A passage is visible if it belongs to the user, passes the chat, date and importance filters, and
- message or chunk: no memory extracted from it was forgotten, and none covering all of it was corrected by hand;
- memory: active (or, with `as_of`, valid at that time), of a requested kind, and its kind has consent;
- summary: of a conversation, not the working summary.

Consent is checked here, in SQL, and not in the callers. Each kind costs one statement, and those of all kinds are sent
in one round trip; `PassageQueries` has those of one kind. A passage number is four times the row number, plus the code
of the kind.

Example: passages 8 and 46 are message 2 and memory 11: two statements, one per kind.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from recollect.adapters.postgres.rows import Connection, Row, SqlValue, fetch_all
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
    PassageKind,
)
from recollect.storage.timestamps import from_ms

ROLES_BY_VALUE = {role.value: role for role in Role}

#: A forgotten memory, or a corrected one that covers its whole message, must not return through its source message.
NOT_FORGOTTEN_OR_CORRECTED = """
    NOT EXISTS (
        SELECT 1 FROM memory_spans s JOIN memories f ON f.user_id = s.user_id AND f.no = s.memory_no
        WHERE s.user_id = m.user_id AND s.message_no = m.no AND (f.status = 'forgotten'
            OR (s.start_char = 0 AND s.end_char = length(m.content) AND f.origin = 'manual'
                AND f.text <> btrim(m.content)))
    )
"""
#: Whether each required value is the value of its key, or in the list that is.
HAS_METADATA = """
    NOT EXISTS (SELECT 1 FROM jsonb_each({required}::text::jsonb) r WHERE NOT coalesce(
        {metadata}::jsonb -> r.key = r.value
            OR jsonb_typeof({metadata}::jsonb -> r.key) = 'array' AND {metadata}::jsonb -> r.key @> r.value,
        false
    ))
"""
METADATA_FILTER = f"($5::text IS NULL OR {HAS_METADATA.format(required='$5', metadata='m.metadata')})"
#: Parameters of all statements: the user, row numbers, chats, the time and required metadata; then the importance floor
#: and the kinds.
VISIBLE_MESSAGE = f"""
    m.role IN ('user', 'assistant') AND ($4::bigint IS NULL OR m.created_at <= $4)
    AND coalesce(m.importance, 100) >= $6 AND {METADATA_FILTER} AND {NOT_FORGOTTEN_OR_CORRECTED}
"""
IN_CHATS = "($3::bigint[] IS NULL OR {} = ANY($3::bigint[]))"
FROM_VISIBLE_MESSAGES = f"""
    FROM messages m JOIN chats c ON c.user_id = m.user_id AND c.no = m.chat_no
    WHERE m.user_id = $1 AND m.no = ANY($2::bigint[]) AND {IN_CHATS.format("m.chat_no")} AND {VISIBLE_MESSAGE}
"""
FROM_VISIBLE_CHUNKS = f"""
    FROM chunks k JOIN messages m ON m.user_id = k.user_id AND m.no = k.message_no
        JOIN chats c ON c.user_id = m.user_id AND c.no = m.chat_no
    WHERE k.user_id = $1 AND k.no = ANY($2::bigint[]) AND {IN_CHATS.format("m.chat_no")} AND {VISIBLE_MESSAGE}
"""
FROM_VISIBLE_MEMORIES = f"""
    FROM memories m LEFT JOIN chats c ON c.user_id = m.user_id AND c.no = m.chat_no
    WHERE m.user_id = $1 AND m.no = ANY($2::bigint[]) AND {IN_CHATS.format("0")}
        AND {METADATA_FILTER} AND floor(100 * m.weight + 0.5) >= $6
        AND (cardinality($7::text[]) = 0 OR m.kind = ANY($7::text[]))
        AND NOT EXISTS (
            SELECT 1 FROM consents o WHERE o.user_id = m.user_id AND o.category = m.kind AND o.granted = 0
        )
        AND CASE WHEN $4::bigint IS NULL THEN m.status = 'active' ELSE
            m.status IN ('active', 'superseded') AND coalesce(m.valid_from, m.created_at) <= $4
            AND coalesce(m.valid_to, $4 + 1) > $4 END
"""
FROM_VISIBLE_SUMMARIES = f"""
    FROM summaries s JOIN chats c ON c.user_id = s.user_id AND c.no = s.chat_no
    WHERE s.user_id = $1 AND s.no = ANY($2::bigint[]) AND {IN_CHATS.format("s.chat_no")}
        AND ($4::bigint IS NULL OR s.created_at <= $4) AND s.kind = 'conversation' AND $5::text IS NULL
"""
#: Whether a memory extracted from the message was superseded; never with `as_of`, which asks for the past state.
IS_OUTDATED = """
    $4::bigint IS NULL AND EXISTS (
        SELECT 1 FROM memory_spans s JOIN memories f ON f.user_id = s.user_id AND f.no = s.memory_no
        WHERE s.user_id = m.user_id AND s.message_no = m.no AND f.status = 'superseded'
    )
"""
#: Passage number of a message, and of the previous or next one of the same chat.
MESSAGE_PASSAGE_NUMBER = "4 * m.no"
ADJACENT_MESSAGE = """
    (SELECT 4 * b.no FROM messages b
        WHERE b.user_id = m.user_id AND b.chat_no = m.chat_no AND b.no {} m.no AND b.role IN ('user', 'assistant')
        ORDER BY b.no {} LIMIT 1)
"""
#: The neighbours in a `ChatPosition`, by whether they are requested.
NEIGHBOUR_COLUMNS = {
    True: f"{ADJACENT_MESSAGE.format('<', 'DESC')}, {ADJACENT_MESSAGE.format('>', 'ASC')}",
    False: "NULL, NULL",
}
MESSAGE_COLUMNS = "m.id, c.id, m.role, m.content, m.created_at, m.tokens, m.importance, m.summary, m.metadata"
SELECT_MESSAGES = {
    with_neighbours: f"SELECT 4 * m.no, {neighbours}, {MESSAGE_COLUMNS}, {IS_OUTDATED} {FROM_VISIBLE_MESSAGES}"
    for with_neighbours, neighbours in NEIGHBOUR_COLUMNS.items()
}
SELECT_CHUNKS = {
    with_neighbours: f"""
        SELECT {MESSAGE_PASSAGE_NUMBER}, {neighbours}, 4 * k.no + 1, m.id, k.chunk_index, c.id, m.role, k.content,
            m.created_at, k.tokens, k.chunk_kind, m.importance, m.metadata, {IS_OUTDATED} {FROM_VISIBLE_CHUNKS}
    """
    for with_neighbours, neighbours in NEIGHBOUR_COLUMNS.items()
}
SELECT_MEMORIES = f"""
    SELECT 4 * m.no + 2, m.id, c.id, m.speaker, m.text, m.created_at, m.last_stated_at, m.tokens, m.kind, m.weight,
        m.version, m.pinned, m.metadata
    {FROM_VISIBLE_MEMORIES}
"""
SELECT_SUMMARIES = f"SELECT 4 * s.no + 3, s.id, c.id, s.text, s.created_at, s.tokens {FROM_VISIBLE_SUMMARIES}"
SELECT_TEXTS = {
    kind: f"""
        SELECT 4 * no + {kind.code}, {kind.text_column} FROM {kind.table}
        WHERE user_id = $1 AND no = ANY($2::bigint[])
    """
    for kind in PASSAGE_KINDS
}


def message_passage(message_no: int) -> int:
    return 4 * message_no + MESSAGE_PASSAGE.code


def chunk_passage(chunk_no: int) -> int:
    return 4 * chunk_no + CHUNK_PASSAGE.code


def memory_passage(memory_no: int) -> int:
    return 4 * memory_no + MEMORY_PASSAGE.code


def summary_passage(summary_no: int) -> int:
    return 4 * summary_no + SUMMARY_PASSAGE.code


def row_number(passage: int) -> int:
    """Return the number of a passage's row in the table of its kind."""
    return passage // 4


@dataclass(frozen=True, slots=True, kw_only=True)
class FilterParameters:
    """The parameters that all passage queries share."""

    user: str
    chats: Sequence[int] | None
    as_of: int | None
    metadata: str | None  #: required values, as JSON
    floor: int
    kinds: Sequence[str]

    def values(self, kind: PassageKind, passages: Iterable[int]) -> list[SqlValue]:
        numbers = [row_number(each) for each in passages]
        values: list[SqlValue] = [self.user, numbers, self.chats, self.as_of, self.metadata]
        if kind is not SUMMARY_PASSAGE:
            values.append(self.floor)
        if kind is MEMORY_PASSAGE:
            values.append(self.kinds)
        return values


@dataclass(frozen=True, slots=True, kw_only=True)
class LoadRequest:
    """Filter parameters, and the dense and lexical scores known so far, by passage number."""

    parameters: FilterParameters
    dense: Mapping[int, float]
    lexical: Mapping[int, float]
    with_neighbours: bool  #: whether positions include the previous and next message


def group_by_kind(passages: Iterable[int]) -> dict[PassageKind, list[int]]:
    groups: dict[PassageKind, list[int]] = {}
    for passage in passages:
        groups.setdefault(PASSAGE_KINDS[passage % 4], []).append(passage)
    return groups


def visible_queries(
    passages: Iterable[int], parameters: FilterParameters
) -> list[tuple[str, list[SqlValue]]]:
    """Return the queries for those of these passages whose source rows pass the filter."""
    return [
        (QUERIES_BY_KIND[kind].select_visible, parameters.values(kind, numbers))
        for kind, numbers in group_by_kind(passages).items()
    ]


def visible_passages(db: Connection, passages: Iterable[int], parameters: FilterParameters) -> set[int]:
    """Return those of these passages whose source rows pass the filter."""
    queries = visible_queries(passages, parameters)
    return {passage for rows in fetch_all(db, queries) for (passage,) in rows} if queries else set()


def load_candidates(
    db: Connection, kinds: Mapping[PassageKind, Sequence[int]], request: LoadRequest
) -> dict[int, Candidate]:
    """Return the visible passages as candidates, by passage number."""
    queries = [
        (
            QUERIES_BY_KIND[kind].select[request.with_neighbours],
            request.parameters.values(kind, numbers),
        )
        for kind, numbers in kinds.items()
    ]
    results = fetch_all(db, queries) if queries else []
    return {
        passage: candidate
        for kind, rows in zip(kinds, results, strict=True)
        for passage, candidate in QUERIES_BY_KIND[kind].load(rows, request)
    }


def read_texts(db: Connection, user: str, passages: Iterable[int]) -> dict[int, str]:
    """Return the texts of passages, visible or not, by passage number."""
    queries: list[tuple[str, list[SqlValue]]] = [
        (SELECT_TEXTS[kind], [user, [row_number(each) for each in numbers]])
        for kind, numbers in group_by_kind(passages).items()
    ]
    return {passage: text for rows in fetch_all(db, queries) for passage, text in rows} if queries else {}


def _load_messages(rows: Sequence[Row], request: LoadRequest) -> Iterator[tuple[int, Candidate]]:
    dense, lexical = request.dense.get, request.lexical.get
    for row in rows:
        passage, before, after, message, chat, role, text, at, tokens, importance, summary = row[:-2]
        metadata, outdated = row[-2:]
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
                metadata=decode_metadata(metadata),
                outdated=bool(outdated),
                dense=dense(passage),
                lexical=lexical(passage),
            ),
        )


def _load_chunks(rows: Sequence[Row], request: LoadRequest) -> Iterator[tuple[int, Candidate]]:
    for row in rows:
        *position, passage, message, index, chat, role, text, at, tokens, kind = row[:-3]
        importance, metadata, outdated = row[-3:]
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
                metadata=decode_metadata(metadata),
                outdated=bool(outdated),
                dense=request.dense.get(passage),
                lexical=request.lexical.get(passage),
            ),
        )


def _load_memories(rows: Sequence[Row], request: LoadRequest) -> Iterator[tuple[int, Candidate]]:
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
        metadata,
    ) in rows:
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
                metadata=decode_metadata(metadata),
                dense=request.dense.get(passage),
                lexical=request.lexical.get(passage),
            ),
        )


def _load_summaries(rows: Sequence[Row], request: LoadRequest) -> Iterator[tuple[int, Candidate]]:
    for passage, summary, chat, text, at, tokens in rows:
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

    select_visible: str  #: numbers of the visible ones
    select: Mapping[bool, str]  #: their rows, by whether neighbours are requested
    load: Callable[[Sequence[Row], LoadRequest], Iterator[tuple[int, Candidate]]]


QUERIES_BY_KIND: Mapping[PassageKind, PassageQueries] = {
    MESSAGE_PASSAGE: PassageQueries(
        select_visible=f"SELECT 4 * m.no {FROM_VISIBLE_MESSAGES}", select=SELECT_MESSAGES, load=_load_messages
    ),
    CHUNK_PASSAGE: PassageQueries(
        select_visible=f"SELECT 4 * k.no + 1 {FROM_VISIBLE_CHUNKS}", select=SELECT_CHUNKS, load=_load_chunks
    ),
    MEMORY_PASSAGE: PassageQueries(
        select_visible=f"SELECT 4 * m.no + 2 {FROM_VISIBLE_MEMORIES}",
        select=dict.fromkeys((True, False), SELECT_MEMORIES),
        load=_load_memories,
    ),
    SUMMARY_PASSAGE: PassageQueries(
        select_visible=f"SELECT 4 * s.no + 3 {FROM_VISIBLE_SUMMARIES}",
        select=dict.fromkeys((True, False), SELECT_SUMMARIES),
        load=_load_summaries,
    ),
}
