"""
The tables of user data that a move copies: names, keys, and columns except the user.

Derived tables (full text, passages, queues of embeddings) are rebuilt from these rows instead.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

RowValue: TypeAlias = int | float | str | bytes | None
RowValues: TypeAlias = tuple[RowValue, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class UserTable:
    name: str
    columns: tuple[str, ...]
    key: tuple[
        str, ...
    ]  #: the first columns, which order the rows of a user; empty for tables with one row per user
    numbers: Mapping[str, str] = field(
        default_factory=dict
    )  #: columns that refer to rows, with the table of these

    def shift(self, rows: Sequence[RowValues], by: Mapping[str, int]) -> Iterator[RowValues]:
        """Yield the rows with `by[table]` added to each row number of that table."""
        shifts = [by.get(self.numbers.get(column, ""), 0) for column in self.columns]
        for row in rows:
            yield tuple(
                value + shift if shift and isinstance(value, int) else value
                for value, shift in zip(row, shifts, strict=True)
            )


def _table(name: str, columns: str, *, key: int, **numbers: str) -> UserTable:
    names = tuple(columns.split())
    if names[0] == "no":
        numbers["no"] = name
    return UserTable(name=name, columns=names, key=names[:key], numbers=numbers)


#: In the order of their references.
TABLES = (
    _table("preferences", "key value", key=1),
    _table("chats", "no id title mode created_at updated_at", key=1),
    _table(
        "messages",
        "no chat_no id role content tokens created_at tool_calls tool_call_id client_id original_bytes summary"
        " importance message_type extracted metadata",
        key=1,
        chat_no="chats",
    ),
    _table(
        "chunks",
        "no message_no chunk_index chunk_kind content start tokens language",
        key=1,
        message_no="messages",
    ),
    _table(
        "summaries",
        "no chat_no id kind text tokens last_message_no created_at",
        key=1,
        chat_no="chats",
        last_message_no="messages",
    ),
    _table(
        "memories",
        "no chat_no id text kind weight status origin speaker tags metadata times_stated version pinned attribute"
        " value superseded_by valid_from valid_to expires_at reason fact_hash tokens created_at updated_at"
        " last_stated_at",
        key=1,
        chat_no="chats",
    ),
    _table(
        "memory_spans",
        "memory_no message_no start_char end_char",
        key=3,
        memory_no="memories",
        message_no="messages",
    ),
    _table(
        "memory_versions",
        "memory_no version change text old_text kind weight status changed_at reason body",
        key=2,
        memory_no="memories",
    ),
    _table("tombstones", "fact_hash created_at", key=1),
    _table("extractions", "message_no extractor body", key=1, message_no="messages"),
    _table("events", "no id at action body undone", key=1),
    _table("triage_counts", "reason count", key=1),
    _table("profiles", "body notes updated_at", key=0),
    _table("consents", "category granted changed_at", key=1),
    _table("audit_log", "no at action detail hash", key=1),
    _table("context_files", "no id name content created_at", key=1),
    _table("context_file_chats", "chat_no file_no", key=2, chat_no="chats", file_no="context_files"),
    _table("imports", "no id source started_at finished_at", key=1),
    _table("import_entries", "no import_no source_id item item_id", key=1, import_no="imports"),
    _table(
        "jobs",
        "no kind key payload state attempts rerun fencing_token leased_until run_at created_at reason",
        key=1,
    ),
    _table("token_usage", "day chat calls tokens", key=2),
    _table("receipts", "no id chat created_at query tokens budget item_ids body", key=1),
    _table("feedback", "item receipt relevant query chat created_at", key=2),
    _table("injections", "message_no receipt_id text", key=1, message_no="messages"),
    _table("injection_items", "message_no source id owner", key=3, message_no="messages"),
)
#: Tables with row numbers.
NUMBERED_TABLES = tuple(table.name for table in TABLES if table.columns[0] == "no")
ACCESS_TOKEN_COLUMNS = ("name", "user_name", "is_admin", "hash", "secret", "created_at")
