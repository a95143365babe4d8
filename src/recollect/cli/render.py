"""Renders domain values as Rich tables and bars."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from rich.console import Console, ConsoleOptions, Group, RenderableType, RenderResult
from rich.measure import Measurement
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from recollect.cli.output import replace_unprintable
from recollect.domain.job import Job
from recollect.domain.memory import ChangeKind, Memory, MemoryVersion
from recollect.domain.message import Chat, Message
from recollect.domain.reason import Reason
from recollect.domain.receipt import Disposition, Receipt, ReceiptItem
from recollect.domain.summary import Profile
from recollect.serialization.reasons import render_reason

#: Characters of a text shown in a table.
EXCERPT_CHARS = 160
#: Ids in tables have at least this many characters.
MIN_ID_CHARS = 8
BAR_WIDTH = 10
PARTIAL_BLOCKS = " ▏▎▍▌▋▊▉"
#: Labels for a memory that has the new message as a source, by its status.
LEARNED_LABELS = {
    "active": "Learned",
    "quarantined": "Awaits your decision in `recollect review`",
    "contested": "Awaits your decision in `recollect review`",
    "superseded": "Superseded",
    "archived": "Still archived",
    "forgotten": "Still forgotten",
}
CHANGE_LABELS: Mapping[ChangeKind, str] = {
    ChangeKind.ADD: "added",
    ChangeKind.UPDATE: "updated",
    ChangeKind.DELETE: "forgotten",
    ChangeKind.REINFORCE: "stated again",
    ChangeKind.SUPERSEDE: "superseded",
    ChangeKind.ARCHIVE: "archived",
    ChangeKind.RESTORE: "restored",
    ChangeKind.REPLAY: "learned again",
    ChangeKind.MERGE: "merged",
}
STATUS_STYLES = {"active": "", "forgotten": "red", "superseded": "dim", "archived": "dim"}


def excerpt(text: str, max_chars: int = EXCERPT_CHARS) -> str:
    """Return a text as one line of at most `max_chars` characters."""
    line = " ".join(replace_unprintable(text).split())
    return line if len(line) <= max_chars else line[: max_chars - 1] + "…"


def format_time(timestamp: datetime | None) -> str:
    return "" if timestamp is None else timestamp.astimezone().strftime("%Y-%m-%d %H:%M")


def format_date(timestamp: datetime) -> str:
    return timestamp.astimezone().strftime("%Y-%m-%d")


def table(*headings: str, rows: Iterable[Sequence[RenderableType | None]]) -> Table:
    """Return a table; a heading that starts with `#` is right-aligned, and `#` and `!` prevent wrapping."""
    rich_table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="bold")
    for heading in headings:
        name = heading.lstrip("#!")
        rich_table.add_column(
            name, justify="right" if "#" in heading else "left", no_wrap=heading != name, overflow="fold"
        )
    for row in rows:
        rich_table.add_row(*(replace_unprintable(cell) if isinstance(cell, str) else cell for cell in row))
    return rich_table


def fields(values: Mapping[str, object]) -> Table:
    """Return a table of names and values, without empty values."""
    rich_table = Table(box=None, pad_edge=False, show_header=False, padding=(0, 2, 0, 0))
    rich_table.add_column(style="bold", no_wrap=True)
    rich_table.add_column(overflow="fold")
    for name, value in values.items():
        if value not in (None, "", ()):
            rich_table.add_row(name, value if isinstance(value, Text) else replace_unprintable(str(value)))
    return rich_table


def format_duration(seconds: float) -> str:
    """Return a text such as `4 s`, `12 min` or `1.5 h`."""
    if seconds < 90:
        return f"{max(1, round(seconds))} s"
    minutes = seconds / 60
    return f"{round(minutes)} min" if minutes < 90 else f"{minutes / 60:.1f} h"


def format_bar(share: float, width: int = BAR_WIDTH) -> str:
    """Return a bar for a share, clamped to 0..1."""
    eighths = round(min(max(share, 0.0), 1.0) * width * 8)
    full, rest = divmod(eighths, 8)
    return ("█" * full + (PARTIAL_BLOCKS[rest] if rest else "")).ljust(width, "·")


@dataclass(frozen=True, slots=True)
class ScoreBars:
    """A bar for each component of a score, two per line if there is room for them."""

    values: Mapping[str, float]

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        bars = self._bars()
        width = max(map(len, bars), default=0)
        bars_per_line = 2 if options.max_width >= 2 * width + 2 else 1
        for start in range(0, len(bars), bars_per_line):
            line = "  ".join(bars[start : start + bars_per_line])
            yield Text(line, style="cyan", no_wrap=True, overflow="crop")

    def __rich_measure__(self, console: Console, options: ConsoleOptions) -> Measurement:
        width = max(map(len, self._bars()), default=0)
        return Measurement(width, 2 * width + 2)

    def _bars(self) -> Sequence[str]:
        return [f"{name:<10} {format_bar(share)} {share:.2f}" for name, share in self.values.items()]


def short_ids(ids: Sequence[str]) -> Sequence[str]:
    """Return the beginnings of the ids that tell them apart; every command accepts the beginning of an id."""
    length = MIN_ID_CHARS
    while len({each[:length] for each in ids}) < len(set(ids)):
        length += 1
    return [each if "#" in each else each[:length] for each in ids]


def search_results(items: Sequence[ReceiptItem], *, wide: bool, explain: bool = False) -> Table:
    """Return a table of passages with scores. Ids get their own column if `wide`, else a line below the text."""
    rows: list[list[RenderableType]] = []
    for item, short_id in zip(items, short_ids([item.id for item in items]), strict=True):
        id_lines = [Text(short_id, style="dim")] if not wide else []
        bars = [ScoreBars(item.parts)] if explain else []
        row: list[RenderableType] = [
            f"{item.score:.3f}",
            item.kind or item.role or "",
            Group(_item_text(item), *id_lines, *bars),
            format_date(item.created_at) if item.created_at else "",
            item.source,
        ]
        rows.append([*row, short_id] if wide else row)
    return table("#score", "kind", "text", "!when", "source", *(["!id"] if wide else []), rows=rows)


def _item_text(item: ReceiptItem, max_chars: int = EXCERPT_CHARS) -> Text:
    return Text("(erased)", style="dim") if item.is_erased else Text(excerpt(item.text, max_chars))


def receipt(value: Receipt, *, wide: bool, limit: int | None = None) -> Group:
    """Return a receipt: query, used and excluded items with reasons, and timings; `limit` items of each."""
    used_items = [item for item in value.items if item.disposition is not Disposition.LEFT_OUT]
    unused_items = [item for item in value.items if item.disposition is Disposition.LEFT_OUT]
    verb = "Injected" if value.tokens else "Returned" if used_items else "Used"
    return Group(
        _receipt_fields(value),
        _section_title(f"{verb} {len(used_items)}", len(used_items), limit),
        *([search_results(used_items[:limit], wide=wide, explain=True)] if used_items else []),
        _section_title(f"Left out {len(unused_items)}", len(unused_items), limit),
        *([excluded_items(unused_items[:limit], wide=wide)] if unused_items else []),
    )


def receipts(values: Sequence[Receipt]) -> Table:
    rows = [
        (
            format_time(each.created_at),
            excerpt(each.query or "", 80),
            each.chat or "",
            f"{_count_used(each)} of {len(each.items)}",
            str(each.tokens or ""),
            short_id,
        )
        for each, short_id in zip(values, short_ids([each.id for each in values]), strict=True)
    ]
    return table("!time", "query", "chat", "#used", "#tokens", "!receipt", rows=rows)


def _count_used(value: Receipt) -> int:
    return sum(item.disposition is not Disposition.LEFT_OUT for item in value.items)


def _receipt_fields(value: Receipt) -> Table:
    timings = [f"{name.removesuffix('_ms')} {ms:.1f} ms" for name, ms in value.timings.items()]
    return fields(
        {
            "receipt": value.id,
            "query": excerpt(value.query) if value.query else None,
            "time": format_time(value.created_at),
            "chat": value.chat,
            "tokens": f"{value.tokens} of {value.budget}" if value.tokens else None,
            "ranker": f"{value.ranker} (preset {value.preset}, hybrid {'on' if value.hybrid else 'off'})",
            "degraded": "; ".join(map(render_reason, value.degradations)),
            "skipped": "; ".join(map(render_reason, value.skipped_sources)),
            "hits": ", ".join(f"{name.replace('_', ' ')} {number}" for name, number in value.sources.items()),
            "timings": ", ".join(timings),
        }
    )


def _section_title(text: str, item_count: int, limit: int | None) -> Text:
    hidden_count = item_count - limit if limit is not None and item_count > limit else 0
    return Text(f"\n{text}{f', the first {limit}' if hidden_count else ''}", style="bold")


def excluded_items(items: Sequence[ReceiptItem], *, wide: bool) -> Table:
    rows: list[list[RenderableType]] = []
    for item, short_id in zip(items, short_ids([item.id for item in items]), strict=True):
        id_lines = [Text(short_id, style="dim")] if not wide else []
        row: list[RenderableType] = [
            f"{item.score:.3f}",
            _reason_text(item.reason),
            Group(_item_text(item, 80), *id_lines),
            item.source,
        ]
        rows.append([*row, short_id] if wide else row)
    return table("#score", "reason", "text", "source", *(["!id"] if wide else []), rows=rows)


def _reason_text(reason: Reason | None) -> str:
    return "" if reason is None else render_reason(reason)


def memories(values: Sequence[Memory], *, wide: bool) -> Table:
    rows: list[list[RenderableType]] = []
    for each, short_id in zip(values, short_ids([each.id for each in values]), strict=True):
        text = Text(excerpt(each.text), style=STATUS_STYLES.get(each.status, "yellow"))
        notes = [*(f"#{tag}" for tag in each.tags), *([each.status] if each.status != "active" else [])]
        id_lines = [] if wide else [Text(short_id, style="dim")]
        row: list[RenderableType] = [
            each.kind,
            Group(text, *id_lines),
            str(each.importance),
            format_date(each.last_stated_at),
            " ".join(notes),
        ]
        rows.append([*row, short_id] if wide else row)
    return table("kind", "text", "#importance", "!seen", "notes", *(["!id"] if wide else []), rows=rows)


def memory(value: Memory, quotes: Sequence[str] = ()) -> Table:
    return fields(
        {
            "text": value.text,
            "kind": value.kind,
            "importance": value.importance,
            "status": value.status + (f": {render_reason(value.reason)}" if value.reason else ""),
            "speaker": value.speaker,
            "origin": value.origin,
            "stated": f"{value.times_stated} time{'s' if value.times_stated > 1 else ''},"
            f" last {format_time(value.last_stated_at)}",
            "valid from": format_time(value.valid_from),
            "valid until": format_time(value.valid_to),
            "tags": ", ".join(value.tags),
            "chat": value.chat,
            "version": value.version,
            "quotes": "\n".join(f"“{excerpt(quote)}”" for quote in quotes),
            "id": value.id,
        }
    )


def learned_memory(value: Memory) -> str:
    return f"{LEARNED_LABELS[value.status]} ({value.kind}): {excerpt(value.text)}"


def message(value: Message) -> Table:
    return fields(
        {
            "text": value.content,
            "role": value.role,
            "chat": value.chat,
            "time": format_time(value.created_at),
            "tokens": value.tokens,
            "importance": value.importance,
            "summary": value.summary,
            "truncated from": f"{value.original_bytes:,} bytes" if value.original_bytes else None,
            "id": value.id,
        }
    )


def versions(values: Sequence[MemoryVersion]) -> Table:
    rows = [
        (
            str(each.version),
            CHANGE_LABELS[each.change],
            format_time(each.changed_at),
            each.status,
            each.text,
            _reason_text(each.reason),
        )
        for each in values
    ]
    return table("#version", "!change", "!time", "status", "text", "reason", rows=rows)


def chats(values: Sequence[Chat]) -> Table:
    rows = [
        (
            each.id,
            each.title or "",
            str(each.message_count),
            format_time(each.created_at),
            format_time(each.updated_at),
        )
        for each in values
    ]
    return table("chat", "title", "#messages", "!created", "!last used", rows=rows)


def conversation(values: Sequence[Message]) -> Group:
    lines: list[RenderableType] = []
    for each in values:
        lines.append(Text(f"{each.role}  {format_time(each.created_at)}  {each.id}", style="bold"))
        lines.append(Padding(Text(replace_unprintable(each.content or each.tool_calls or "")), (0, 0, 1, 2)))
    return Group(*lines)


def jobs(values: Sequence[Job]) -> Table:
    rows = [
        (
            str(each.id),
            each.kind,
            each.state,
            str(each.attempts),
            format_time(each.run_at),
            _reason_text(each.reason),
        )
        for each in values
    ]
    return table("#id", "kind", "state", "#attempts", "!due", "reason", rows=rows)


def profile(value: Profile) -> Table:
    profile_values = {**value.preferences, **value.context, **value.extra, "freeformNotes": value.notes}
    return fields(
        {name: ", ".join(each) if isinstance(each, tuple) else each for name, each in profile_values.items()}
    )


def format_bytes(byte_count: int) -> str:
    """Return a size such as `3.4 MB`."""
    for unit, scale in (("GB", 1e9), ("MB", 1e6), ("kB", 1e3)):
        if byte_count >= scale:
            return f"{byte_count / scale:.1f} {unit}"
    return f"{byte_count} B"


def format_count(number: int, singular: str, plural: str | None = None) -> str:
    """Return a number with its noun: `1 memory`, `2 memories`."""
    return f"{number:,} {singular if number == 1 else plural or singular + 's'}"
