"""What was said right before and right after a message in its chat."""

import apsw

from recollect.adapters.sqlite.rows import fetch
from recollect.model.candidate import Neighbour

_BESIDE = """
    (SELECT b.no FROM messages b WHERE b.user_no = m.user_no AND b.chat_no = m.chat_no
        AND b.no {} m.no AND b.role IN ('user', 'assistant') ORDER BY b.no {} LIMIT 1)
"""
#: The numbers stand first in a CROSS JOIN, or SQLite would look through all rows of the user for them.
_AROUND = f"""
    SELECT s.passage, p.no, p.id, q.no, q.id FROM (
        SELECT n.value AS passage, {_BESIDE.format("<", "DESC")} AS before, {_BESIDE.format(">", "ASC")} AS after
        FROM json_each(?2) n
            CROSS JOIN messages m ON m.no = CASE n.value & 3 WHEN 0 THEN n.value >> 2 WHEN 1
                THEN (SELECT k.message_no FROM message_chunks k WHERE k.no = n.value >> 2) END
        WHERE m.user_no = ?1
    ) s LEFT JOIN messages p ON p.no = s.before LEFT JOIN messages q ON q.no = s.after
"""


def neighbours(
    db: apsw.Connection, user_no: int, numbers: str
) -> dict[int, tuple[Neighbour | None, Neighbour | None]]:
    """`numbers` are passages as a JSON array."""
    rows = fetch(db, _AROUND, (user_no, numbers))
    return {
        passage: (_neighbour(before, before_id), _neighbour(after, after_id))
        for passage, before, before_id, after, after_id in rows
    }


def _neighbour(no: int | None, message: str | None) -> Neighbour | None:
    return None if no is None or message is None else Neighbour(passage=no * 4, message=message)
