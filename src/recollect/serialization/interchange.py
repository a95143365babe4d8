"""The JSON form of imports and exports."""

from collections.abc import Mapping

from recollect.domain.import_ledger import ImportRecord
from recollect.domain.import_report import (
    ExportReport,
    ImportCounts,
    ImportPreview,
    ImportProgress,
    ImportReport,
    ImportUndoReport,
)
from recollect.serialization.reasons import serialize_reasons
from recollect.serialization.serializers import JsonObject, serialize_timestamp


def serialize_import_preview(value: ImportPreview, *, model: str | None) -> JsonObject:
    """`model` is the language model that would read the messages, if one is configured."""
    return {
        "dry_run": True,
        "import_id": None,
        **_serialize_counts(value.counts),
        "tokens": value.tokens,
        "model": model,
        "passages": value.passages,
        "embedding_seconds": None if value.embedding_seconds is None else round(value.embedding_seconds, 1),
    }


def serialize_import_report(value: ImportReport) -> JsonObject:
    return {
        "dry_run": False,
        "import_id": value.import_id,
        **_serialize_counts(value.counts),
        "queued_passages": value.queued_passages,
        "seconds": round(value.seconds, 3),
    }


def serialize_import_progress(value: ImportProgress) -> JsonObject:
    remaining = value.remaining_seconds
    return {
        "file": value.file,
        "items": value.items,
        "expected_items": value.expected_items,
        "remaining_seconds": None if remaining is None else round(remaining, 1),
    }


def serialize_import_undo(value: ImportUndoReport) -> JsonObject:
    return {
        "messages": value.messages,
        "memories": value.memories,
        "context_files": value.context_files,
        "kept": serialize_reasons(value.kept),
    }


def serialize_import_record(value: ImportRecord) -> JsonObject:
    return {
        "id": value.id,
        "source": value.source,
        "started_at": serialize_timestamp(value.started_at),
        "finished_at": serialize_timestamp(value.finished_at),
    }


def serialize_export(value: ExportReport) -> JsonObject:
    return {"path": value.path, "format": value.format, "files": value.files, "bytes": value.bytes}


def _serialize_counts(value: ImportCounts) -> JsonObject:
    return {
        "files": _json_counts(value.files),
        "conversations": value.conversations,
        "branches": value.branches,
        "messages": value.messages,
        "memories": value.memories,
        "context_files": value.context_files,
        "duplicates": value.duplicates,
        "secrets": _json_counts(value.secrets),
        "left_out": _json_counts(value.omissions),
        "damaged": [
            {"file": each.file, "position": each.position, "reason": each.reason, "detail": each.detail}
            for each in value.damaged_parts
        ],
        "oldest": serialize_timestamp(value.oldest),
        "newest": serialize_timestamp(value.newest),
    }


def _json_counts(counts: Mapping[str, int]) -> JsonObject:
    return dict(counts.items())
