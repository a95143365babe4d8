"""Reads of several tables in one round trip."""

from collections.abc import Collection

from recollect.adapters.postgres.messages import SELECT_MESSAGE, to_message
from recollect.adapters.postgres.privacy import SELECT_CONSENTS, to_consents
from recollect.adapters.postgres.receipts import SELECT_PREFERENCE
from recollect.adapters.postgres.rows import Connection, SqlValues, fetch_all
from recollect.adapters.postgres.summaries import SELECT_CONTEXT_FILE, to_context_file
from recollect.domain.embedding_model import ACTIVE_MODEL_KEY, EmbeddingModel
from recollect.domain.extraction import LearningContext
from recollect.domain.scope import Scope
from recollect.storage.timestamps import from_ms

SELECT_MESSAGES = f"{SELECT_MESSAGE} WHERE m.user_id = $1 AND m.id = ANY($2::text[]) ORDER BY m.no"
SELECT_LATE_MESSAGES = """
    SELECT m.id FROM messages m WHERE m.user_id = $1 AND m.id = ANY($2::text[]) AND EXISTS (
        SELECT 1 FROM memory_spans s WHERE s.user_id = m.user_id AND s.message_no > m.no
    )
"""
SELECT_TOMBSTONES = """
    SELECT fact_hash, created_at FROM tombstones WHERE user_id = $1 AND fact_hash = ANY($2::text[])
"""


def read_learning_context(
    db: Connection,
    scope: Scope,
    message_ids: Collection[str],
    *,
    fact_hashes: Collection[str],
    with_files: bool,
) -> LearningContext:
    user, ids = scope.user, list(message_ids)
    queries: list[tuple[str, SqlValues]] = [
        (SELECT_MESSAGES, (user, ids)),
        (SELECT_LATE_MESSAGES, (user, ids)),
        (SELECT_CONSENTS, (user,)),
        (SELECT_TOMBSTONES, (user, list(fact_hashes))),
        (SELECT_PREFERENCE, (user, ACTIVE_MODEL_KEY)),
    ]
    if with_files:
        queries.append((f"{SELECT_CONTEXT_FILE} ORDER BY f.name, f.no", (user,)))
    messages, late, consents, tombstones, models, *files = fetch_all(db, queries)
    return LearningContext(
        messages=[to_message(user, row) for row in messages],
        late_ids=frozenset(message_id for (message_id,) in late),
        consents=to_consents(consents),
        forgotten_at={fact_hash: from_ms(at) for fact_hash, at in tombstones},
        context_files=[to_context_file(user, row) for rows in files for row in rows],
        embedding_model=EmbeddingModel.from_json(models[0][0]) if models else None,
    )
