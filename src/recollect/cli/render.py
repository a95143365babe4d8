"""Values as tables and bars for people."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime

from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from recollect.cli.output import printable
from recollect.domain.job import Job
from recollect.domain.memory import Memory, Version
from recollect.domain.message import Chat, Message
from recollect.domain.receipt import Fate, Item, Receipt
from recollect.domain.summary import Profile

#: Characters of a text that a table shows.
EXCERPT = 160
BAR = 10
PARTIAL = " ▏▎▍▌▋▊▉"
#: What it means for a memory of a certain standing to rest on what was just said.
LEARNED = {
    "active": "Learned",
    "quarantined": "Waits in `recollect inbox`",
    "contested": "Waits in `recollect inbox`",
    "superseded": "No longer holds",
    "archived": "Stays put away",
    "forgotten": "Stays forgotten",
}
STYLES = {"active": "", "forgotten": "red", "superseded": "dim", "archived": "dim"}


def excerpt(text: str, longest: int = EXCERPT) -> str:
    """One line of a text, cut where it gets long."""
    line = " ".join(printable(text).split())
    return line if len(line) <= longest else line[: longest - 1] + "…"


def when(moment: datetime | None) -> str:
    return "" if moment is None else moment.astimezone().strftime("%Y-%m-%d %H:%M")


def day(moment: datetime) -> str:
    return moment.astimezone().strftime("%Y-%m-%d")


def table(*headings: str, rows: Iterable[Sequence[RenderableType | None]]) -> Table:
    """Columns under headings; `#` in front of a heading sets its numbers to the right, `!` keeps it whole."""
    made = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="bold")
    for heading in headings:
        name = heading.lstrip("#!")
        made.add_column(
            name, justify="right" if "#" in heading else "left", no_wrap=heading != name, overflow="fold"
        )
    for row in rows:
        made.add_row(*(printable(cell) if isinstance(cell, str) else cell for cell in row))
    return made


def fields(values: Mapping[str, object]) -> Table:
    """Names and values in two columns, without what is empty."""
    made = Table(box=None, pad_edge=False, show_header=False, padding=(0, 2, 0, 0))
    made.add_column(style="bold", no_wrap=True)
    made.add_column(overflow="fold")
    for name, value in values.items():
        if value not in (None, "", ()):
            made.add_row(name, value if isinstance(value, Text) else printable(str(value)))
    return made


def bar(share: float, width: int = BAR) -> str:
    """A share from 0 to 1 as a bar; what is above 1 is full."""
    eighths = round(min(max(share, 0.0), 1.0) * width * 8)
    full, rest = divmod(eighths, 8)
    return ("█" * full + (PARTIAL[rest] if rest else "")).ljust(width, "·")


def parts(values: Mapping[str, float], *, wide: bool = False) -> Text:
    """What a score is made of: a bar for each part, two on a line, or all of them."""
    told = [f"{name:<10} {bar(share)} {share:.2f}" for name, share in values.items()]
    many = len(told) if wide else 2
    lines = ["  ".join(told[start : start + many]) for start in range(0, len(told), max(many, 1))]
    return Text("\n".join(lines), style="cyan", no_wrap=True)


def found(items: Sequence[Item], *, wide: bool, explain: bool = False) -> Table:
    """Passages with their scores. Ids stand in a column of their own if there is room, else under the text."""
    rows: list[list[RenderableType]] = []
    for item in items:
        under = [Text(item.id, style="dim")] if not wide else []
        bars = [parts(item.parts, wide=wide)] if explain else []
        row: list[RenderableType] = [
            f"{item.score:.3f}",
            item.kind or item.role or "",
            Group(Text(excerpt(item.text)), *under, *bars),
            day(item.created_at),
            item.source,
        ]
        rows.append([*row, item.id] if wide else row)
    return table("#score", "kind", "text", "!when", "source", *(["!id"] if wide else []), rows=rows)


def receipt(value: Receipt, *, wide: bool, most: int | None = None) -> Group:
    """All of it: question, what was used and what was not, why, and what it cost; or the first of each."""
    used = [item for item in value.items if item.fate is not Fate.LEFT_OUT]
    unused = [item for item in value.items if item.fate is Fate.LEFT_OUT]
    verb = "Injected" if value.text else "Returned"
    return Group(
        _head(value),
        _title(f"{verb} {len(used)}", len(used), most),
        *([found(used[:most], wide=wide, explain=True)] if used else []),
        _title(f"Left out {len(unused)}", len(unused), most),
        *([left_out(unused[:most], wide=wide)] if unused else []),
    )


def _head(value: Receipt) -> Table:
    spent = [f"{name.removesuffix('_ms')} {ms:.1f} ms" for name, ms in value.timings.items()]
    return fields(
        {
            "receipt": value.id,
            "question": excerpt(value.query) if value.query else None,
            "asked": when(value.created_at),
            "chat": value.chat,
            "tokens": f"{value.tokens} of {value.budget}" if value.text else None,
            "ranker": f"{value.ranker} (preset {value.preset}, hybrid {'on' if value.hybrid else 'off'})",
            "degraded": "; ".join(value.degraded),
            "not used": "; ".join(value.skipped),
            "hits": ", ".join(f"{name} {number}" for name, number in value.sources.items()),
            "time": ", ".join(spent),
        }
    )


def _title(text: str, number: int, most: int | None) -> Text:
    hidden = number - most if most is not None and number > most else 0
    return Text(f"\n{text}{f', the first {most}' if hidden else ''}", style="bold")


def left_out(items: Sequence[Item], *, wide: bool) -> Table:
    rows: list[list[RenderableType]] = []
    for item in items:
        under = [Text(item.id, style="dim")] if not wide else []
        row: list[RenderableType] = [
            f"{item.score:.3f}",
            item.reason or "",
            Group(Text(excerpt(item.text, 80)), *under),
        ]
        rows.append([*row, item.id] if wide else row)
    return table("#score", "reason", "text", *(["!id"] if wide else []), rows=rows)


def memories(values: Sequence[Memory], *, wide: bool) -> Table:
    rows: list[list[RenderableType]] = []
    for each in values:
        text = Text(excerpt(each.text), style=STYLES.get(each.standing, "yellow"))
        notes = [*(f"#{tag}" for tag in each.tags), *([each.standing] if each.standing != "active" else [])]
        under = [] if wide else [Text(each.id, style="dim")]
        row: list[RenderableType] = [
            each.kind,
            Group(text, *under),
            str(each.importance),
            day(each.seen_at),
            " ".join(notes),
        ]
        rows.append([*row, each.id] if wide else row)
    return table("kind", "text", "#importance", "!seen", "notes", *(["!id"] if wide else []), rows=rows)


def memory(value: Memory, quotes: Sequence[str] = ()) -> Table:
    return fields(
        {
            "text": value.text,
            "kind": value.kind,
            "importance": value.importance,
            "standing": value.standing + (f": {value.reason}" if value.reason else ""),
            "said by": value.speaker,
            "written by": value.origin,
            "said": f"{value.sightings} time{'s' if value.sightings > 1 else ''}, last {when(value.seen_at)}",
            "holds from": when(value.valid_from),
            "holds until": when(value.valid_to),
            "tags": ", ".join(value.tags),
            "chat": value.chat,
            "version": value.version,
            "from": "\n".join(f"“{excerpt(quote)}”" for quote in quotes),
            "id": value.id,
        }
    )


def learned(value: Memory) -> str:
    return f"{LEARNED[value.standing]} ({value.kind}): {excerpt(value.text)}"


def message(value: Message) -> Table:
    return fields(
        {
            "text": value.content,
            "role": value.role,
            "chat": value.chat,
            "said": when(value.created_at),
            "tokens": value.tokens,
            "importance": value.importance,
            "summary": value.summary,
            "clipped from": f"{value.original_bytes:,} bytes" if value.original_bytes else None,
            "id": value.id,
        }
    )


def versions(values: Sequence[Version]) -> Table:
    rows = [
        (str(each.version), each.change, when(each.changed_at), each.standing, each.text, each.reason or "")
        for each in values
    ]
    return table("#version", "!change", "!when", "standing", "text", "reason", rows=rows)


def chats(values: Sequence[Chat]) -> Table:
    rows = [
        (each.id, each.title or "", str(each.messages), when(each.created_at), when(each.updated_at))
        for each in values
    ]
    return table("chat", "title", "#messages", "!begun", "!last used", rows=rows)


def conversation(values: Sequence[Message]) -> Group:
    lines: list[RenderableType] = []
    for each in values:
        lines.append(Text(f"{each.role}  {when(each.created_at)}  {each.id}", style="bold"))
        lines.append(Padding(Text(printable(each.content or each.tool_calls or "")), (0, 0, 1, 2)))
    return Group(*lines)


def jobs(values: Sequence[Job]) -> Table:
    rows = [
        (str(each.id), each.kind, each.state, str(each.attempts), when(each.run_at), each.reason or "")
        for each in values
    ]
    return table("#id", "kind", "state", "#attempts", "!due", "reason", rows=rows)


def profile(value: Profile) -> Table:
    told = {**value.preferences, **value.context, **value.extra, "freeformNotes": value.notes}
    return fields({name: ", ".join(each) if isinstance(each, tuple) else each for name, each in told.items()})


def size(number: int) -> str:
    """Bytes in words: 3.4 MB."""
    for unit, scale in (("GB", 1e9), ("MB", 1e6), ("kB", 1e3)):
        if number >= scale:
            return f"{number / scale:.1f} {unit}"
    return f"{number} B"


def count(number: int, one: str, many: str | None = None) -> str:
    """`1 memory`, `2 memories`."""
    return f"{number:,} {one if number == 1 else many or one + 's'}"
