"""Domain values as JSON objects, the same in the library, the command line and the servers."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import TypeAlias, cast

from recollect.domain.analytics import MetricsInterval, RecallAnalytics
from recollect.domain.consent import ConsentChange
from recollect.domain.diagnostics import Diagnostic, DoctorReport, StoreStats
from recollect.domain.embedding_model import EmbeddingStatus
from recollect.domain.event import AuditEntry, AuditTrail, ErasureCertificate, Event
from recollect.domain.feedback import RelevanceFeedback, RelevanceLabel
from recollect.domain.job import Job
from recollect.domain.maintenance import MaintenanceReport
from recollect.domain.memory import ChangeKind, Memory, MemoryVersion
from recollect.domain.message import Chat, Message
from recollect.domain.metadata import Metadata
from recollect.domain.metrics import MetricsReport, RecallMetrics, top_similarities
from recollect.domain.outcomes import (
    AddResult,
    Conflicting,
    FactOutcome,
    IngestResult,
    New,
    Reinforced,
    Rejected,
    Superseded,
    WhyNot,
)
from recollect.domain.recall import ContextResult, SearchResults
from recollect.domain.receipt import Receipt, ReceiptItem
from recollect.domain.summary import ContextFile, Profile, Summary
from recollect.domain.tuning import TuningResult
from recollect.ports.backup import Backup
from recollect.serialization.reasons import (
    serialize_code_counts,
    serialize_reason,
    serialize_reason_counts,
    serialize_reason_or_none,
    serialize_reasons,
)

JsonValue: TypeAlias = "bool | int | float | str | list[JsonValue] | dict[str, JsonValue] | None"
JsonObject: TypeAlias = dict[str, JsonValue]


def serialize_timestamp(timestamp: datetime | None) -> str | None:
    return None if timestamp is None else timestamp.isoformat(timespec="milliseconds")


def serialize_memory(value: Memory, *, current_weight: float | None = None) -> JsonObject:
    """Serialize a memory: mem0's keys first, then additional ones. Lists show its weight after decay."""
    return {
        "id": value.id,
        "memory": value.text,
        "user_id": value.user,
        "created_at": serialize_timestamp(value.created_at),
        "updated_at": serialize_timestamp(value.updated_at),
        "last_stated_at": serialize_timestamp(value.last_stated_at),
        "chat_id": value.chat,
        "kind": value.kind.value,
        "importance": value.importance,
        "weight": value.weight if current_weight is None else round(current_weight, 4),
        "status": value.status.value,
        "origin": value.origin.value,
        "speaker": value.speaker.value,
        "tags": list(value.tags),
        "times_stated": value.times_stated,
        "version": value.version,
        "pinned": value.pinned,
        "valid_from": serialize_timestamp(value.valid_from),
        "valid_to": serialize_timestamp(value.valid_to),
        "sources": [{"message_id": s.message_id, "start": s.start, "end": s.end} for s in value.spans],
        "metadata": _metadata(value.metadata),
    }


def serialize_outcome(value: FactOutcome) -> JsonObject:
    """Serialize a memory with its event, named as in mem0 where it has a name."""
    match value:
        case New(memory=known):
            return {**serialize_memory(known), "event": ChangeKind.ADD.value}
        case Reinforced(memory=known):
            return {**serialize_memory(known), "event": ChangeKind.REINFORCE.value}
        case Superseded(memory=known, old=old):
            serialized = serialize_memory(known) if known else serialize_memory(old)
            return {**serialized, "event": ChangeKind.SUPERSEDE.value, "superseded": old.id}
        case Conflicting(memory=known, against=against):
            return {**serialize_memory(known), "event": "CONTEST", "against": against.id}
        case Rejected(text=text, reason=reason, memory=known):
            serialized = serialize_memory(known) if known else {"id": None, "memory": text}
            return {**serialized, "event": "NONE", "reason": serialize_reason(reason)}


def serialize_add_result(value: AddResult) -> JsonObject:
    return {
        "results": [serialize_outcome(each) for each in value.results],
        "messages": [serialize_ingest_result(each) for each in value.messages],
    }


def serialize_ingest_result(value: IngestResult) -> JsonObject:
    return {
        "id": value.message.id,
        "chat_id": value.message.chat,
        "role": value.message.role.value,
        "new": value.is_new,
        "considered": value.is_queued,
        "reason": serialize_reason(value.reason),
        "tokens": value.message.tokens,
        "clipped_from": value.message.original_bytes,
        "masked": list(value.redacted_kinds),
        "stored": value.is_stored,
    }


def serialize_version(value: MemoryVersion) -> JsonObject:
    return {
        "id": value.memory_id,
        "version": value.version,
        "event": value.change.value,
        "old_memory": value.old_text,
        "new_memory": value.text,
        "kind": value.kind.value,
        "weight": value.weight,
        "status": value.status.value,
        "changed_at": serialize_timestamp(value.changed_at),
        "reason": serialize_reason_or_none(value.reason),
    }


def serialize_receipt_item(value: ReceiptItem) -> JsonObject:
    return {
        "id": value.id,
        "memory": value.text,
        "score": round(value.score, 4),
        "parts": {name: round(part, 4) for name, part in value.parts.items()},
        "cosine": None if value.cosine is None else round(value.cosine, 4),
        "source": value.source.value,
        "kind": value.kind and value.kind.value,
        "role": value.role and value.role.value,
        "chat_id": value.chat,
        "created_at": serialize_timestamp(value.created_at),
        "tokens": value.tokens,
        "disposition": value.disposition.value,
        "reason": serialize_reason_or_none(value.reason),
        "version": value.version,
        "erased": value.is_erased,
        "metadata": _metadata(value.metadata),
    }


def serialize_receipt(value: Receipt) -> JsonObject:
    return {
        "id": value.id,
        "user_id": value.user,
        "chat_id": value.chat,
        "query": value.query,
        "created_at": serialize_timestamp(value.created_at),
        "preset": value.preset,
        "ranker": value.ranker,
        "flags": {"hybrid": value.hybrid, "chunking": value.chunking, "tokenBudget": value.budget},
        "budget": value.budget,
        "tokens": value.tokens,
        "text": value.text,
        "items": [serialize_receipt_item(each) for each in value.items],
        "degraded": serialize_reasons(value.degradations),
        "skipped": serialize_reasons(value.skipped_sources),
        "pending_embeddings": value.pending_embeddings,
        "sources": dict(value.sources),
        "timings": {name: round(spent, 2) for name, spent in value.timings.items()},
    }


def serialize_search_results(value: SearchResults) -> JsonObject:
    """Serialize search results, best first, with the receipt id."""
    return {
        "results": [serialize_receipt_item(each) for each in value],
        "receipt": value.receipt.id if value.is_receipt_stored else None,
        "degraded": serialize_reasons(value.degradations),
    }


def serialize_context(value: ContextResult) -> JsonObject:
    return {"text": value.text, "tokens": value.tokens, "receipt": serialize_receipt(value.receipt)}


def serialize_why_not(value: WhyNot) -> JsonObject:
    scored: JsonObject = {}
    if value.candidate is not None:
        parts: dict[str, JsonValue] = {name: round(part, 4) for name, part in value.candidate.parts.items()}
        scored = {"score": round(value.candidate.score, 4), "parts": parts}
    return {
        "id": value.id,
        "memory": value.text,
        "reason": serialize_reason(value.reason),
        "cause": serialize_reason_or_none(value.cause),
        "rank": value.rank,
        **scored,
    }


def serialize_message(value: Message) -> JsonObject:
    return {
        "id": value.id,
        "chat_id": value.chat,
        "role": value.role.value,
        "content": value.content,
        "created_at": serialize_timestamp(value.created_at),
        "tokens": value.tokens,
        "tool_calls": value.tool_calls,
        "tool_call_id": value.tool_call_id,
        "summary": value.summary,
        "importance": value.importance,
        "message_type": value.message_type and value.message_type.value,
        "extracted": value.extracted,
        "metadata": _metadata(value.metadata),
    }


def serialize_chat(value: Chat) -> JsonObject:
    return {
        "id": value.id,
        "title": value.title,
        "messages": value.message_count,
        "created_at": serialize_timestamp(value.created_at),
        "updated_at": serialize_timestamp(value.updated_at),
    }


def serialize_job(value: Job) -> JsonObject:
    return {
        "id": value.id,
        "kind": value.kind.value,
        "key": value.key,
        "state": value.state.value,
        "attempts": value.attempts,
        "run_at": serialize_timestamp(value.run_at),
        "reason": serialize_reason_or_none(value.reason),
    }


def serialize_diagnostic(value: Diagnostic) -> JsonObject:
    return {
        "name": value.name,
        "ok": value.level == "OK",
        "detail": value.detail,
        "fix": value.fix,
        "level": value.level.lower(),
    }


def serialize_doctor_report(value: DoctorReport) -> JsonObject:
    return {"ok": value.is_healthy, "findings": [serialize_diagnostic(each) for each in value.findings]}


def serialize_embedding_status(value: EmbeddingStatus) -> JsonObject:
    return {
        "model": value.configured,
        "answering": value.searched,
        "moving_to": value.target,
        "passages": value.passages,
        "lacking": value.missing,
        "vectors": [{"model": model, "vectors": count} for model, count in value.vectors.items()],
    }


def serialize_stats(value: StoreStats) -> JsonObject:
    return {
        "messages": value.messages,
        "chats": value.chats,
        "chunks": value.chunks,
        "memories": value.memories,
        "summaries": value.summaries,
        "vectors": value.vectors,
        "pending_vectors": value.pending_vectors,
        "jobs": _as_json_object(value.jobs),
        "sizes": _as_json_object(value.sizes),
    }


def serialize_summary(value: Summary) -> JsonObject:
    return {
        "id": value.id,
        "chat_id": value.chat,
        "kind": value.kind.value,
        "text": value.text,
        "created_at": serialize_timestamp(value.created_at),
        "last_message_id": value.last_message_id,
    }


def serialize_context_file(value: ContextFile, *, include_content: bool = False) -> JsonObject:
    content: JsonObject = {"content": value.content} if include_content else {}
    return {
        "id": value.id,
        "name": value.name,
        "chats": list(value.chats),
        "characters": len(value.content),
        "created_at": serialize_timestamp(value.created_at),
        **content,
    }


def serialize_profile(value: Profile | None) -> JsonObject:
    """Serialize a profile with every field, also empty ones, so that a form can show it."""
    fields: JsonObject = {
        "preferences": {
            name: list(text) if isinstance(text, tuple) else text
            for name, text in (value.preferences if value else {}).items()
        },
        "context": dict(value.context) if value else {},
        "freeformNotes": value.notes if value else "",
        "extra": dict(value.extra) if value else {},
        "updatedAt": serialize_timestamp(value.updated_at) if value else None,
    }
    return {"id": value.user if value else None, **fields}


def serialize_consent_change(value: ConsentChange) -> JsonObject:
    return {"category": value.category, "granted": value.granted, "erased": _as_json_object(value.erased)}


def serialize_audit_entry(value: AuditEntry) -> JsonObject:
    return {"at": serialize_timestamp(value.at), "action": value.action, "detail": value.detail}


def serialize_audit_trail(value: AuditTrail) -> JsonObject:
    return {**wrap_results(map(serialize_audit_entry, value.entries)), "intact": value.is_intact}


def serialize_event(value: Event) -> JsonObject:
    return {
        "id": value.id,
        "at": serialize_timestamp(value.at),
        "action": value.action.value,
        "memories": [step.memory_id for step in value.changes],
        "undone": value.is_undone,
    }


def serialize_certificate(value: ErasureCertificate) -> JsonObject:
    return {
        "what": value.target,
        "rows": _as_json_object(value.rows),
        "physical": value.is_physical,
        "detail": value.detail,
        "bytes_scanned": value.bytes_scanned,
    }


def serialize_backup(value: Backup) -> JsonObject:
    return {
        "file": value.path,
        "made_at": serialize_timestamp(value.created_at),
        "bytes": value.size_bytes,
        "sha256": value.sha256,
        "schema": value.contents.schema_version,
        "users": value.contents.users,
        "messages": value.contents.messages,
        "memories": value.contents.memories,
        "newest": serialize_timestamp(value.contents.last_message_at),
        "rows": _as_json_object(value.contents.rows),
    }


def serialize_maintenance_report(value: MaintenanceReport) -> JsonObject:
    return {
        "at": serialize_timestamp(value.at),
        "put_away": [
            {
                "id": each.memory.id,
                "memory": each.memory.text,
                "reason": serialize_reason(each.reason),
                "weeks": each.due_in_weeks,
            }
            for each in value.archived_memories
        ],
        "merged": [
            {
                "id": each.target.id,
                "memory": each.target.text,
                "others": [other.text for other in each.duplicates],
            }
            for each in value.merges
        ],
    }


def serialize_recall_metrics(value: Receipt) -> JsonObject:
    """Serialize the metrics of one recall."""
    return {
        "query": value.query,
        "timestamp": serialize_timestamp(value.created_at),
        "conversationId": value.chat,
        "sources": {
            "conversationDense": value.sources.get("conversation_dense", 0),
            "globalDense": value.sources.get("global_dense", 0),
            "summaries": value.sources.get("summaries", 0),
            "profile": value.sources.get("profile", 0),
            "ftsLexical": value.sources.get("lexical", 0),
        },
        "latency": {
            "totalMs": round(value.timings.get("total_ms", 0.0), 2),
            "denseMs": round(value.timings.get("dense_ms", 0.0), 2),
            "ftsMs": round(value.timings.get("lexical_ms", 0.0), 2),
            "rerankMs": round(sum(value.timings.get(part, 0.0) for part in ("rank_ms", "reread_ms")), 2),
        },
        "topSimilarities": [round(similarity, 4) for similarity in top_similarities(value.used_items)],
        "flags": {"hybrid": value.hybrid, "chunking": value.chunking, "tokenBudget": value.budget},
    }


def serialize_metrics(value: RecallMetrics, *, recommended_budget: int | None) -> JsonObject:
    return {
        "recalls": value.recall_count,
        "hitRate": round(value.hit_rate, 4),
        "topSimilarity": None if value.top_similarity is None else round(value.top_similarity, 4),
        "contentTypes": _as_json_object(value.content_types),
        "sources": _as_json_object(value.sources),
        "latency": {
            name.removesuffix("_ms"): {
                "p50": round(part.p50, 2),
                "p95": round(part.p95, 2),
                "p99": round(part.p99, 2),
            }
            for name, part in value.latency.items()
        },
        "flags": {name: round(share, 4) for name, share in value.flags.items()},
        "budgetUsed": None if value.budget_used is None else round(value.budget_used, 4),
        "tokens": None if value.tokens is None else {"p50": value.tokens.p50, "p95": value.tokens.p95},
        "overflows": value.overflow_count,
        "degraded": value.degraded_count,
        "advisedBudget": recommended_budget,
    }


def serialize_metrics_report(value: MetricsReport) -> JsonObject:
    return {
        **serialize_metrics(value.metrics, recommended_budget=value.recommended_budget),
        "summaries": value.summary_count,
        **wrap_results(map(serialize_recall_metrics, value.receipts)),
    }


def serialize_analytics(value: RecallAnalytics) -> JsonObject:
    return {
        "since": serialize_timestamp(value.since),
        "until": serialize_timestamp(value.until),
        "complete": value.is_complete,
        "whole": serialize_metrics(value.metrics, recommended_budget=None),
        "steps": [serialize_interval(each) for each in value.intervals],
        "recalls": [serialize_recall(each) for each in value.receipts],
        "left_out": serialize_code_counts(value.exclusion_reasons),
        "verdicts": serialize_reason_counts(value.triage_counts),
        "model_today": {"calls": value.calls_today, "tokens": value.tokens_today},
    }


def serialize_interval(value: MetricsInterval) -> JsonObject:
    """Serialize the metrics of one interval, without those that only make sense in total."""
    serialized = serialize_metrics(value.metrics, recommended_budget=None)
    keys = ("recalls", "hitRate", "topSimilarity", "latency", "budgetUsed", "degraded", "contentTypes")
    return {
        "at": serialize_timestamp(value.starts_at),
        **{name: serialized[name] for name in keys},
        "summaries": value.summary_count,
        "receipt": value.slowest_receipt_id,
    }


def serialize_recall(value: Receipt) -> JsonObject:
    """Serialize a recall as a line that refers to its receipt."""
    recall_metrics, used_items = serialize_recall_metrics(value), value.used_items
    return {
        "receipt": value.id,
        "at": serialize_timestamp(value.created_at),
        "query": value.query,
        "chat_id": value.chat,
        "ms": round(value.timings.get("total_ms", 0.0), 2),
        "found": len(used_items),
        "left_out": len(value.items) - len(used_items),
        "topSimilarities": recall_metrics["topSimilarities"],
        "tokens": value.tokens,
        "budget": value.budget,
        "degraded": serialize_reasons(value.degradations),
    }


def serialize_feedback(value: RelevanceFeedback) -> JsonObject:
    return {
        "receipt": value.receipt_id,
        "id": value.item_id,
        "relevant": value.relevant,
        "query": value.query,
        "chat_id": value.chat,
        "created_at": serialize_timestamp(value.created_at),
    }


def serialize_label(value: RelevanceLabel) -> JsonObject:
    is_binary = set(value.gains.values()) <= {1.0}
    relevant: JsonValue = list(value.gains) if is_binary else dict(value.gains)
    return {"query": value.query, **({"chat_id": value.chat} if value.chat else {}), "relevant": relevant}


def serialize_tuning(value: TuningResult) -> JsonObject:
    """Serialize NDCG@5 before and after tuning, on training and on held-out queries."""
    return {
        "questions": value.query_count,
        "unfound": value.unanswerable_count,
        "tried": value.trial_count,
        "chosen_by": {
            "before": round(value.training_ndcg.before, 4),
            "after": round(value.training_ndcg.after, 4),
        },
        "held_out": {
            "before": round(value.held_out_ndcg.before, 4),
            "after": round(value.held_out_ndcg.after, 4),
        },
        "better": value.improved_count,
        "worse": value.worsened_count,
        "values": dict(value.changed_values),
        "before": {name: value.before[name] for name in value.changed_values},
        "is_real": value.is_improvement,
        "kept": value.is_saved,
    }


def serialize_tunings(value: Mapping[str, Mapping[str, float]]) -> JsonObject:
    return wrap_results({"name": name, "values": dict(values)} for name, values in value.items())


def _metadata(value: Metadata) -> JsonObject:
    # Parsed from JSON, so that its values are JSON.
    return cast("JsonObject", dict(value))


def wrap_results(values: Iterable[JsonObject]) -> JsonObject:
    return {"results": _as_json_list(list(values))}


def _as_json_list(values: Sequence[JsonObject]) -> list[JsonValue]:
    return list(values)


def _as_json_object(values: Mapping[str, int]) -> dict[str, JsonValue]:
    return dict(values)
