"""
Gemini in Google Takeout: "My Activity", limited to Gemini Apps, as JSON or HTML.

An activity is a prompt with its answer in HTML. Newer files link the conversation in `titleUrl` or `details`; without a
link, prompts less than SESSION_GAP apart are one conversation. Titles are localized ("Prompted …", "Pergunta: …").
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from html.parser import HTMLParser

from recollect.domain.message import Role
from recollect.interchange.items import ImportedMessage, ImportItem, Omission, OmissionReason
from recollect.interchange.json_fields import (
    build_conversation,
    build_message,
    derive_id,
    get_list,
    get_objects,
    get_text,
    is_invalid_date,
    parse_date,
    unexpected_shape,
)
from recollect.interchange.json_stream import Entry

SESSION_GAP = timedelta(minutes=30)
_CONVERSATION_LINK = re.compile(r"gemini\.google\.com/(?:\w+/){0,3}([0-9a-f]{8,32})\b")
#: Titles of prompts; other activities ("Created a gem", "Used an app") have no text of the user.
_PROMPT = re.compile(
    r"(?:prompted|asked|said|searched for|perguntou|pediu|prompt enviado|você (?:disse|perguntou)"
    r"|comando enviado|solicitação|запит|pregunta|consulta|requête|anfrage)\s?:?\s+",
    re.IGNORECASE,
)
_LOCAL_DATE = re.compile(
    r"(?:(?P<month>[A-Z][a-z]{2,8})\.? (?P<day>\d{1,2}), |(?P<day_pt>\d{1,2}) de (?P<month_pt>[a-zç]{3,9})\.? de )"
    r"(?P<year>\d{4}),? (?P<hour>\d{1,2}):(?P<minute>\d{2}):(?P<second>\d{2})"
    r"\s?(?P<half>AM|PM)?\s?(?P<zone>[A-Z]{2,5})?",
    re.IGNORECASE,
)
_MONTHS = {
    name: number
    for names in (
        "jan feb mar apr may jun jul aug sep oct nov dec",
        "jan fev mar abr mai jun jul ago set out nov dez",
    )
    for number, name in enumerate(names.split(), start=1)
}
#: Hours from UTC; other zones are read as UTC.
_ZONE_OFFSETS = {"BRT": -3, "EST": -5, "EDT": -4, "CST": -6, "CDT": -5, "MST": -7, "MDT": -6, "PST": -8, "PDT": -7,
                 "WET": 0, "WEST": 1, "CET": 1, "CEST": 2, "BST": 1, "EET": 2, "EEST": 3, "JST": 9}  # fmt: skip
_BLOCK_TAGS = frozenset("p div br li ul ol tr table pre h1 h2 h3 h4 h5 h6 blockquote hr".split())


@dataclass(frozen=True, slots=True, kw_only=True)
class _Activity:
    prompt: str
    answer: str
    date: object
    link: str
    position: str

    @property
    def at(self) -> datetime | None:
        return parse_date(self.date)


def matches(fields: Mapping[str, object]) -> bool:
    return {"header", "title", "time"} <= fields.keys()


def is_html(text: str) -> bool:
    return "mdl-typography" in text or "content-cell" in text


def read(entries: Iterable[Entry], name: str) -> Iterator[ImportItem]:  # noqa: ARG001 - every format has this form
    activities: list[_Activity] = []
    for entry in entries:
        match _read_activity(entry):
            case _Activity() as activity:
                activities.append(activity)
            case Omission() as omission:
                yield omission
    yield from _group(activities)


def read_html(text: str, name: str) -> Iterator[ImportItem]:  # noqa: ARG001 - every format has this form
    cells = _ActivityCells()
    cells.feed(_escape_sections(text))
    activities = []
    for number, (lines, link) in enumerate(cells.cells, start=1):
        position = f"activity {number}"
        place = next((at for at, line in enumerate(lines) if _parse_local_date(line)), None)
        prompt = _strip_prompt(lines[0]) if lines else None
        if place is None or prompt is None:
            yield Omission(
                reason=OmissionReason.UNEXPECTED_SHAPE, position=position, detail="no prompt or date"
            )
            continue
        activities.append(
            _Activity(
                prompt="\n".join([prompt, *lines[1:place]]).strip(),
                answer="\n".join(lines[place + 1 :]).strip(),
                date=_parse_local_date(lines[place]),
                link=link,
                position=position,
            )
        )
    yield from _group(activities)


def html_to_text(html: str) -> str:
    """Return the text of HTML, with block elements on lines of their own."""
    parser = _TextParser()
    parser.feed(_escape_sections(html))
    parser.close()
    lines = (" ".join(line.split()) for line in "".join(parser.parts).splitlines())
    return "\n".join(line for line in lines if line)


def _escape_sections(html: str) -> str:
    """Escape marked sections, at which the parser of the standard library fails."""
    return html.replace("<![", "&lt;![")


def _parse_local_date(line: str) -> str | None:
    """Return the ISO form of "Mar 4, 2026, 5:06:07 AM UTC" or "4 de mar. de 2026, 05:06:07 BRT"."""
    match = _LOCAL_DATE.fullmatch(line.strip())
    if not match:
        return None
    month = _MONTHS.get((match["month"] or match["month_pt"])[:3].casefold())
    if month is None:
        return None
    hour = int(match["hour"])
    if match["half"]:
        hour = hour % 12 + (12 if match["half"].casefold() == "pm" else 0)
    offset = _ZONE_OFFSETS.get(match["zone"], 0)
    day = int(match["day"] or match["day_pt"])
    sign = "-" if offset < 0 else "+"
    return f"{match['year']}-{month:02}-{day:02}T{hour:02}:{match['minute']}:{match['second']}{sign}{abs(offset):02}:00"


def _read_activity(entry: Entry) -> _Activity | Omission:
    title = get_text(entry.value, "title")
    if not title or "time" not in entry.fields:
        return unexpected_shape(entry.position, "no title or time")
    prompt = _strip_prompt(title)
    subtitles = get_objects(entry.value, "subtitles")
    if prompt is None and subtitles and get_text(subtitles[0], "value"):
        prompt = get_text(subtitles[0], "value")
    if prompt is None and not get_list(entry.value, "safeHtmlItem"):
        return Omission(reason=OmissionReason.INJECTED_TEXT, position=entry.position, detail="not a prompt")
    links = [
        get_text(entry.value, "titleUrl"),
        *(get_text(x, "url") for x in get_objects(entry.value, "details")),
    ]
    found = {match[1] for link in links if (match := _CONVERSATION_LINK.search(link))}
    return _Activity(
        prompt=title if prompt is None else prompt,
        answer="\n".join(html_to_text(get_text(x, "html")) for x in get_objects(entry.value, "safeHtmlItem")),
        date=entry.fields.get("time"),
        link=found.pop() if len(found) == 1 else "",
        position=entry.position,
    )


def _strip_prompt(title: str) -> str | None:
    match = _PROMPT.match(title)
    return title[match.end() :].strip() if match else None


def _group(activities: list[_Activity]) -> Iterator[ImportItem]:
    """Yield conversations, oldest first: by link, and without one by the time between prompts."""
    for activity in activities:
        if is_invalid_date(activity.date):
            yield Omission(reason=OmissionReason.INVALID_DATE, position=activity.position)
    dated = sorted((a for a in activities if a.at), key=lambda a: (a.at, a.position))
    undated = [a for a in activities if not a.at]
    groups: dict[str, list[_Activity]] = {}
    session, last = "", None
    for activity in (*dated, *undated):
        if activity.link:
            groups.setdefault(activity.link, []).append(activity)
            continue
        if last is None or activity.at is None or activity.at - last > SESSION_GAP:
            session = derive_id(str(activity.date), activity.prompt)
        last = activity.at
        groups.setdefault(session, []).append(activity)
    for group, members in groups.items():
        title = members[0].prompt.split("\n", 1)[0][:80]
        yield from build_conversation(
            (message for activity in members for message in _read_messages(activity)),
            chat=f"gemini-{group}",
            title=title,
        )


def _read_messages(activity: _Activity) -> Iterator[ImportedMessage | Omission]:
    key, date = (
        derive_id(str(activity.date), activity.prompt),
        activity.at.timestamp() if activity.at else None,
    )
    for role, text in ((Role.USER, activity.prompt), (Role.ASSISTANT, activity.answer)):
        yield from build_message(
            role, text, message_id=f"{key}-{role}", date=date, position=activity.position
        )


class _TextParser(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.parts: list[str] = []
        self._hidden_depth = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:  # noqa: ARG002
        if tag in {"script", "style"}:
            self._hidden_depth += 1
        if tag in _BLOCK_TAGS:
            self.parts.append("\n- " if tag == "li" else "\n")

    def handle_endtag(self, tag: str) -> None:
        if tag in {"script", "style"}:
            self._hidden_depth = max(0, self._hidden_depth - 1)
        if tag in _BLOCK_TAGS:
            self.parts.append("\n")

    def handle_data(self, data: str) -> None:
        if not self._hidden_depth:
            self.parts.append(data)


class _ActivityCells(HTMLParser):
    """Collects the lines of each activity: the first body cell of every outer cell."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.cells: list[tuple[list[str], str]] = []
        self._depth = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        classes = dict(attrs).get("class") or ""
        if self._depth:
            self._depth += tag == "div"
            if tag in _BLOCK_TAGS:
                self.cells[-1][0].append("")
            href = dict(attrs).get("href") or ""
            if match := _CONVERSATION_LINK.search(href):
                self.cells[-1] = (self.cells[-1][0], match[1])
        elif tag == "div" and _is_body_cell(classes):
            self.cells.append(([""], ""))
            self._depth = 1

    def handle_endtag(self, tag: str) -> None:
        if self._depth:
            self._depth -= tag == "div"
            if tag in _BLOCK_TAGS:
                self.cells[-1][0].append("")
            if not self._depth:
                lines, link = self.cells[-1]
                self.cells[-1] = ([line for line in (" ".join(x.split()) for x in lines) if line], link)

    def handle_data(self, data: str) -> None:
        if self._depth:
            self.cells[-1][0][-1] += data


def _is_body_cell(classes: str) -> bool:
    return "content-cell" in classes and "mdl-typography--body-1" in classes and "text-right" not in classes
