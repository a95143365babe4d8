"""
Read what a context block shows besides recalled passages with one statement.

The statement is a union. Each part has its tag in the first column and is padded to the same number of columns.
"""

import apsw

from recollect.adapters.sqlite.messages import SELECT_RECENT_MESSAGES, to_message
from recollect.adapters.sqlite.privacy import SELECT_CONSENTS, SELECT_PROFILE, to_consents
from recollect.adapters.sqlite.rows import Row, fetch
from recollect.adapters.sqlite.summaries import (
    SELECT_FILES_OF_CHAT,
    SELECT_LATEST_SUMMARY,
    to_context_file,
    to_summary,
)
from recollect.domain.context import ChatContext
from recollect.domain.scope import Scope
from recollect.domain.summary import SummaryKind
from recollect.storage.encoding import decode_profile

#: Each part with the number of its columns.
PARTS = {
    "message": (SELECT_RECENT_MESSAGES, 15),
    "summary": (SELECT_LATEST_SUMMARY, 6),
    "file": (SELECT_FILES_OF_CHAT, 5),
    "profile": (SELECT_PROFILE, 3),
    "consent": (SELECT_CONSENTS, 2),
}
MAX_COLUMNS = max(count for _, count in PARTS.values())
SELECT_CHAT_CONTEXT = " UNION ALL ".join(
    f"SELECT '{tag}', *{', NULL' * (MAX_COLUMNS - count)} FROM ({select})"
    for tag, (select, count) in PARTS.items()
)


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
    parts: dict[str, list[Row]] = {tag: [] for tag in PARTS}
    for tag, *columns in fetch(db, SELECT_CHAT_CONTEXT, values):
        parts[tag].append(tuple(columns[: PARTS[tag][1]]))
    summaries = [to_summary(scope.user, row) for row in parts["summary"]] if scope.chat else []
    profiles = [decode_profile(scope.user, *row) for row in parts["profile"]]
    return ChatContext(
        recent_messages=[to_message(scope.user, row) for row in parts["message"]] if scope.chat else (),
        working_summary=summaries[0] if summaries else None,
        context_files=[to_context_file(scope.user, row) for row in parts["file"]] if scope.chat else (),
        profile=profiles[0] if profiles else None,
        consents=to_consents(parts["consent"]),
    )
