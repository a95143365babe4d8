"""Values as plain dictionaries: the one shape that the library, the command line and every server show."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import TypeAlias

from recollect.domain.analytics import Step
from recollect.domain.event import Certificate, Entry, Event
from recollect.domain.feedback import Label, Opinion
from recollect.domain.job import Job
from recollect.domain.maintenance import Tended
from recollect.domain.memory import Change, Memory, Version
from recollect.domain.message import Chat, Message
from recollect.domain.metrics import Metrics, similarities
from recollect.domain.outcomes import (
    Absence,
    Buried,
    Contested,
    Declined,
    Kept,
    Known,
    New,
    Observed,
    Reinforces,
    Supersedes,
)
from recollect.domain.receipt import Fate, Item, Receipt
from recollect.domain.summary import ContextFile, Profile, Summary
from recollect.domain.tuning import Tuned
from recollect.ports.backup import Backup
from recollect.ports.store import Finding, Stats

Json: TypeAlias = "bool | int | float | str | list[Json] | dict[str, Json] | None"
Shape: TypeAlias = dict[str, Json]


def time(moment: datetime | None) -> str | None:
    return None if moment is None else moment.isoformat(timespec="milliseconds")


def memory(value: Memory) -> Shape:
    """mem0's keys first, then ours."""
    return {
        "id": value.id,
        "memory": value.text,
        "user_id": value.user,
        "created_at": time(value.created_at),
        "updated_at": time(value.updated_at),
        "seen_at": time(value.seen_at),
        "chat_id": value.chat,
        "kind": value.kind.value,
        "importance": value.importance,
        "weight": value.weight,
        "standing": value.standing.value,
        "origin": value.origin.value,
        "speaker": value.speaker.value,
        "tags": list(value.tags),
        "sightings": value.sightings,
        "version": value.version,
        "pinned": value.pinned,
        "valid_from": time(value.valid_from),
        "valid_to": time(value.valid_to),
        "sources": [{"message_id": s.message_id, "start": s.start, "end": s.end} for s in value.spans],
    }


def kept(value: Kept) -> Shape:
    """A memory with what happened to it, in mem0's words where it has one."""
    match value:
        case New(memory=known):
            return {**memory(known), "event": Change.ADD.value}
        case Reinforces(memory=known):
            return {**memory(known), "event": Change.REINFORCE.value}
        case Supersedes(memory=known, old=old):
            shown = memory(known) if known else memory(old)
            return {**shown, "event": Change.SUPERSEDE.value, "superseded": old.id}
        case Contested(memory=known, against=against):
            return {**memory(known), "event": "CONTEST", "against": against.id}
        case Known(memory=known, reason=reason):
            return {**memory(known), "event": "NONE", "reason": reason}
        case Buried(text=text, reason=reason) | Declined(text=text, reason=reason):
            return {"id": None, "memory": text, "event": "NONE", "reason": reason}


def observed(value: Observed) -> Shape:
    return {
        "id": value.message.id,
        "chat_id": value.message.chat,
        "role": value.message.role.value,
        "new": value.new,
        "considered": value.considered,
        "reason": value.reason,
        "tokens": value.message.tokens,
        "clipped_from": value.message.original_bytes,
        "masked": list(value.masked),
        "stored": value.stored,
    }


def version(value: Version) -> Shape:
    return {
        "id": value.memory_id,
        "version": value.version,
        "event": value.change.value,
        "old_memory": value.old_text,
        "new_memory": value.text,
        "kind": value.kind.value,
        "weight": value.weight,
        "standing": value.standing.value,
        "changed_at": time(value.changed_at),
        "reason": value.reason,
    }


def item(value: Item) -> Shape:
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
        "created_at": time(value.created_at),
        "tokens": value.tokens,
        "fate": value.fate.value,
        "reason": value.reason,
    }


def receipt(value: Receipt) -> Shape:
    return {
        "id": value.id,
        "user_id": value.user,
        "chat_id": value.chat,
        "query": value.query,
        "created_at": time(value.created_at),
        "preset": value.preset,
        "ranker": value.ranker,
        "flags": {"hybrid": value.hybrid, "chunking": value.chunking, "tokenBudget": value.budget},
        "budget": value.budget,
        "tokens": value.tokens,
        "text": value.text,
        "items": [item(each) for each in value.items],
        "degraded": list(value.degraded),
        "skipped": list(value.skipped),
        "sources": dict(value.sources),
        "timings": {name: round(spent, 2) for name, spent in value.timings.items()},
    }


def found(value: Receipt) -> Shape:
    """A search's answer: what was found, best first, and where to ask why."""
    results = [item(each) for each in value.items if each.fate is not Fate.LEFT_OUT]
    return {"results": _list(results), "receipt": value.id, "degraded": list(value.degraded)}


def absence(value: Absence) -> Shape:
    scored: Shape = {}
    if value.item is not None:
        parts: dict[str, Json] = {name: round(part, 4) for name, part in value.item.parts.items()}
        scored = {"score": round(value.item.score, 4), "parts": parts}
    return {"id": value.id, "memory": value.text, "reason": value.reason, "rank": value.rank, **scored}


def message(value: Message) -> Shape:
    return {
        "id": value.id,
        "chat_id": value.chat,
        "role": value.role.value,
        "content": value.content,
        "created_at": time(value.created_at),
        "tokens": value.tokens,
        "tool_calls": value.tool_calls,
        "tool_call_id": value.tool_call_id,
        "summary": value.summary,
        "importance": value.importance,
        "message_type": value.message_type and value.message_type.value,
        "extracted": value.extracted,
    }


def chat(value: Chat) -> Shape:
    return {
        "id": value.id,
        "title": value.title,
        "messages": value.messages,
        "created_at": time(value.created_at),
        "updated_at": time(value.updated_at),
    }


def job(value: Job) -> Shape:
    return {
        "id": value.id,
        "kind": value.kind.value,
        "key": value.key,
        "state": value.state.value,
        "attempts": value.attempts,
        "run_at": time(value.run_at),
        "reason": value.reason,
    }


def finding(value: Finding) -> Shape:
    return {"name": value.name, "ok": value.ok, "detail": value.detail, "fix": value.fix}


def stats(value: Stats) -> Shape:
    return {
        "messages": value.messages,
        "chats": value.chats,
        "chunks": value.chunks,
        "memories": value.memories,
        "summaries": value.summaries,
        "vectors": value.vectors,
        "pending_vectors": value.pending_vectors,
        "jobs": _numbers(value.jobs),
        "sizes": _numbers(value.sizes),
    }


def summary(value: Summary) -> Shape:
    return {
        "id": value.id,
        "chat_id": value.chat,
        "kind": value.kind.value,
        "text": value.text,
        "created_at": time(value.created_at),
        "last_message_id": value.last_message_id,
    }


def context_file(value: ContextFile, *, whole: bool = False) -> Shape:
    shown: Shape = {"content": value.content} if whole else {}
    return {
        "id": value.id,
        "name": value.name,
        "chats": list(value.chats),
        "characters": len(value.content),
        "created_at": time(value.created_at),
        **shown,
    }


def profile(value: Profile | None) -> Shape:
    """The form as it is filled in; every field is there, so that a page can show it."""
    fields: Shape = {
        "preferences": {
            name: list(text) if isinstance(text, tuple) else text
            for name, text in (value.preferences if value else {}).items()
        },
        "context": dict(value.context) if value else {},
        "freeformNotes": value.notes if value else "",
        "extra": dict(value.extra) if value else {},
        "updatedAt": time(value.updated_at) if value else None,
    }
    return {"id": value.user if value else None, **fields}


def entry(value: Entry) -> Shape:
    return {"at": time(value.at), "action": value.action, "detail": value.detail}


def event(value: Event) -> Shape:
    return {
        "id": value.id,
        "at": time(value.at),
        "action": value.action.value,
        "memories": [step.memory_id for step in value.steps],
        "undone": value.undone,
    }


def certificate(value: Certificate) -> Shape:
    return {
        "what": value.what,
        "rows": _numbers(value.rows),
        "physical": value.physical,
        "detail": value.detail,
        "bytes_scanned": value.bytes_scanned,
    }


def backup(value: Backup) -> Shape:
    return {
        "file": value.path,
        "made_at": time(value.made_at),
        "bytes": value.bytes,
        "sha256": value.sha256,
        "schema": value.holds.schema,
        "users": value.holds.users,
        "messages": value.holds.messages,
        "memories": value.holds.memories,
        "newest": time(value.holds.newest),
        "rows": _numbers(value.holds.rows),
    }


def tended(value: Tended) -> Shape:
    return {
        "at": time(value.at),
        "put_away": [
            {"id": each.memory.id, "memory": each.memory.text, "reason": each.reason, "weeks": each.weeks}
            for each in value.put_away
        ],
        "merged": [
            {"id": each.kept.id, "memory": each.kept.text, "others": [other.text for other in each.others]}
            for each in value.merged
        ],
    }


def retrieval(value: Receipt) -> Shape:
    """A recall as a line of metrics."""
    shown = [each for each in value.items if each.fate is not Fate.LEFT_OUT]
    return {
        "query": value.query,
        "timestamp": time(value.created_at),
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
        "topSimilarities": [round(near, 4) for near in similarities(shown)],
        "flags": {"hybrid": value.hybrid, "chunking": value.chunking, "tokenBudget": value.budget},
    }


def metrics(value: Metrics, *, advised: int | None) -> Shape:
    return {
        "recalls": value.recalls,
        "hitRate": round(value.hit_rate, 4),
        "topSimilarity": None if value.top_similarity is None else round(value.top_similarity, 4),
        "contentTypes": _numbers(value.content_types),
        "sources": _numbers(value.sources),
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
        "overflows": value.overflows,
        "degraded": value.degraded,
        "advisedBudget": advised,
    }


def step(value: Step) -> Shape:
    """The measures of a step in time, less those that only tell of a whole."""
    counted = metrics(value.metrics, advised=None)
    kept = ("recalls", "hitRate", "topSimilarity", "latency", "budgetUsed", "degraded", "contentTypes")
    return {
        "at": time(value.at),
        **{name: counted[name] for name in kept},
        "summaries": value.summaries,
        "receipt": value.slowest,
    }


def recalled(value: Receipt) -> Shape:
    """A recall as a line that leads to its receipt."""
    line, shown = retrieval(value), [each for each in value.items if each.fate is not Fate.LEFT_OUT]
    return {
        "receipt": value.id,
        "at": time(value.created_at),
        "query": value.query,
        "chat_id": value.chat,
        "ms": round(value.timings.get("total_ms", 0.0), 2),
        "found": len(shown),
        "left_out": len(value.items) - len(shown),
        "topSimilarities": line["topSimilarities"],
        "tokens": value.tokens,
        "budget": value.budget,
        "degraded": list(value.degraded),
    }


def opinion(value: Opinion) -> Shape:
    return {
        "receipt": value.receipt_id,
        "id": value.item_id,
        "relevant": value.relevant,
        "query": value.query,
        "chat_id": value.chat,
        "created_at": time(value.created_at),
    }


def label(value: Label) -> Shape:
    plain = set(value.relevant.values()) <= {1.0}
    relevant: Json = list(value.relevant) if plain else dict(value.relevant)
    return {"query": value.query, **({"chat_id": value.chat} if value.chat else {}), "relevant": relevant}


def tuned(value: Tuned, *, kept: bool) -> Shape:
    """NDCG@5 before and after, on the questions the numbers were chosen by and on those they were not."""
    return {
        "questions": value.questions,
        "unfound": value.unfound,
        "tried": value.tried,
        "chosen_by": {"before": round(value.seen.before, 4), "after": round(value.seen.after, 4)},
        "held_out": {"before": round(value.unseen.before, 4), "after": round(value.unseen.after, 4)},
        "better": value.better,
        "worse": value.worse,
        "values": dict(value.changed),
        "before": {name: value.before[name] for name in value.changed},
        "is_real": value.is_real,
        "kept": kept,
    }


def results(values: Iterable[Shape]) -> Shape:
    return {"results": _list(list(values))}


def _list(values: Sequence[Shape]) -> list[Json]:
    return list(values)


def _numbers(values: Mapping[str, int]) -> dict[str, Json]:
    return dict(values)
