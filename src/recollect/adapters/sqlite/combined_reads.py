"""
Reads of several tables with one statement.

The statement is a union. Each part has its tag in the first column and is padded to the same number of columns.
"""

import json
from collections.abc import Collection, Mapping

import apsw

from recollect.adapters.sqlite.messages import SELECT_MESSAGE, SELECT_RECENT_MESSAGES, to_message
from recollect.adapters.sqlite.privacy import SELECT_CONSENTS, SELECT_PROFILE, to_consents
from recollect.adapters.sqlite.rows import Row, SqlValue, fetch
from recollect.adapters.sqlite.summaries import (
    SELECT_CONTEXT_FILE,
    SELECT_FILES_OF_CHAT,
    SELECT_LATEST_SUMMARY,
    to_context_file,
    to_summary,
)
from recollect.domain.context import ChatContext
from recollect.domain.embedding_model import ACTIVE_MODEL_KEY, EmbeddingModel
from recollect.domain.extraction import LearningContext
from recollect.domain.scope import Scope
from recollect.domain.summary import SummaryKind
from recollect.storage.encoding import decode_profile
from recollect.storage.timestamps import from_ms

#: Each part with the number of its columns.
CHAT_CONTEXT_PARTS = {
    "message": (SELECT_RECENT_MESSAGES, 15),
    "summary": (SELECT_LATEST_SUMMARY, 6),
    "file": (SELECT_FILES_OF_CHAT, 5),
    "profile": (SELECT_PROFILE, 3),
    "consent": (SELECT_CONSENTS, 2),
}
#: The plus sign keeps SQLite from reading all messages of the user in order.
SELECT_MESSAGES = f"""
    {SELECT_MESSAGE} WHERE m.user_no = :user AND m.id IN (SELECT value FROM json_each(:messages)) ORDER BY +m.no
"""
SELECT_LATE_MESSAGES = """
    SELECT m.id FROM json_each(:messages) j CROSS JOIN messages m ON m.user_no = :user AND m.id = j.value
    WHERE EXISTS (SELECT 1 FROM memory_spans s WHERE s.user_no = :user AND s.message_no > m.no)
"""
SELECT_TOMBSTONES = """
    SELECT fact_hash, created_at FROM tombstones
    WHERE user_no = :user AND fact_hash IN (SELECT value FROM json_each(:hashes))
"""
LEARNING_CONTEXT_PARTS = {
    "message": (SELECT_MESSAGES, 15),
    "late": (SELECT_LATE_MESSAGES, 1),
    "consent": (SELECT_CONSENTS, 2),
    "tombstone": (SELECT_TOMBSTONES, 2),
    "file": (f"{SELECT_CONTEXT_FILE} AND :with_files ORDER BY f.name, f.no", 5),
    "model": (f"SELECT value FROM preferences WHERE user_no = :user AND key = '{ACTIVE_MODEL_KEY}'", 1),
}


def _union(parts: Mapping[str, tuple[str, int]]) -> str:
    width = max(count for _, count in parts.values())
    return " UNION ALL ".join(
        f"SELECT '{tag}', *{', NULL' * (width - count)} FROM ({select})"
        for tag, (select, count) in parts.items()
    )


SELECT_CHAT_CONTEXT = _union(CHAT_CONTEXT_PARTS)
SELECT_LEARNING_CONTEXT = _union(LEARNING_CONTEXT_PARTS)


def _fetch_parts(
    db: apsw.Connection, sql: str, parts: Mapping[str, tuple[str, int]], values: Mapping[str, SqlValue]
) -> dict[str, list[Row]]:
    rows: dict[str, list[Row]] = {tag: [] for tag in parts}
    for tag, *columns in fetch(db, sql, values):
        rows[tag].append(tuple(columns[: parts[tag][1]]))
    return rows


def read_chat_context(
    db: apsw.Connection, user_no: int, scope: Scope, *, full: int, limit: int, importance_above: int
) -> ChatContext:
    values = {
        "user": user_no,
        "chat": scope.chat,
        "limit": limit,
        "full": full,
        "importance": importance_above,
        "kind": SummaryKind.WORKING,
    }
    parts = _fetch_parts(db, SELECT_CHAT_CONTEXT, CHAT_CONTEXT_PARTS, values)
    summaries = [to_summary(scope.user, row) for row in parts["summary"]] if scope.chat else []
    profiles = [decode_profile(scope.user, *row) for row in parts["profile"]]
    return ChatContext(
        recent_messages=[to_message(scope.user, row) for row in parts["message"]] if scope.chat else (),
        working_summary=summaries[0] if summaries else None,
        context_files=[to_context_file(scope.user, row) for row in parts["file"]] if scope.chat else (),
        profile=profiles[0] if profiles else None,
        consents=to_consents(parts["consent"]),
    )


def read_learning_context(
    db: apsw.Connection,
    user_no: int,
    scope: Scope,
    message_ids: Collection[str],
    *,
    fact_hashes: Collection[str],
    with_files: bool,
) -> LearningContext:
    values: dict[str, SqlValue] = {
        "user": user_no,
        "messages": json.dumps(list(message_ids)),
        "hashes": json.dumps(list(fact_hashes)),
        "with_files": with_files,
    }
    parts = _fetch_parts(db, SELECT_LEARNING_CONTEXT, LEARNING_CONTEXT_PARTS, values)
    models = [EmbeddingModel.from_json(text) for (text,) in parts["model"]]
    return LearningContext(
        messages=[to_message(scope.user, row) for row in parts["message"]],
        late_ids=frozenset(message_id for (message_id,) in parts["late"]),
        consents=to_consents(parts["consent"]),
        forgotten_at={fact_hash: from_ms(at) for fact_hash, at in parts["tombstone"]},
        context_files=[to_context_file(scope.user, row) for row in parts["file"]],
        embedding_model=models[0] if models else None,
    )
