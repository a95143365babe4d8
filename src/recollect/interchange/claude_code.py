"""
Claude Code's transcripts, one JSON Lines file per session.

Lines form trees by `parentUuid`, one more after each compaction: the conversation is the path to the last user or
assistant line of each that is not of a subagent. `logicalParentUuid` is not followed: it may name a copied line. Text
that the program inserts (system reminders, commands and their output, compaction summaries) is not the user's and is
removed.
"""

import re
from collections.abc import Iterable, Iterator, Mapping

from recollect.domain.message import Role
from recollect.interchange.items import ImportedMessage, ImportItem, Omission, OmissionReason
from recollect.interchange.json_fields import (
    build_message,
    get_flag,
    get_id,
    get_list,
    get_text,
    parse_role,
    unexpected_shape,
)
from recollect.interchange.json_stream import Entry
from recollect.interchange.message_tree import MessageNode, build_tree

#: Elements that the program inserts into the text of the user.
_INSERTED_OPEN = re.compile(
    r"<(system-reminder|command-name|command-message|command-args|local-command-stdout|local-command-stderr"
    r"|local-command-caveat|user-prompt-submit-hook|task-notification|ide_opened_file|ide_selection|ide_diagnostics"
    r"|bash-input|bash-stdout|bash-stderr)>"
)
_LINE_TYPES = frozenset({"user", "assistant", "system", "attachment", "progress", "summary", "ai-title"})
_SUBAGENT_FIELDS = ("isSidechain", "teamName", "agentId")


def matches(fields: Mapping[str, object]) -> bool:
    return "parentUuid" in fields or (
        get_text(fields, "type") in _LINE_TYPES and bool({"sessionId", "leafUuid"} & fields.keys())
    )


def read(entries: Iterable[Entry], name: str) -> Iterator[ImportItem]:  # noqa: ARG001 - every format has this form
    sessions: dict[str, dict[str, MessageNode]] = {}
    leaves: dict[str, str] = {}
    titles: dict[str, str] = {}
    for entry in entries:
        line = entry.fields
        line_id, session = get_id(line, "uuid"), get_id(line, "sessionId")
        if title := get_text(line, "summary") or get_text(line, "aiTitle"):
            titles[session] = title
        if not line_id:
            if get_text(line, "type") in {"user", "assistant"} or not isinstance(entry.value, Mapping):
                yield unexpected_shape(entry.position, "no uuid")
            continue
        nodes = sessions.setdefault(session, {})
        is_subagent = any(line.get(field) for field in _SUBAGENT_FIELDS)
        if is_subagent:
            yield Omission(reason=OmissionReason.INJECTED_TEXT, position=entry.position, detail="subagent")
            continue
        content = tuple(_read_line(line, entry.position, line_id))
        nodes[line_id] = MessageNode(parent=get_id(line, "parentUuid") or None, content=content)
        if any(isinstance(each, ImportedMessage) for each in content):
            leaves[session] = line_id
    for session, nodes in sessions.items():
        if nodes and session in leaves:
            yield from build_tree(
                _chain_roots(nodes),
                leaves[session],
                chat=f"claude-code-{session or leaves[session]}",
                title=titles.get(session, titles.get("", "")),
                date=None,
            )


def _chain_roots(nodes: Mapping[str, MessageNode]) -> dict[str, MessageNode]:
    """
    Let each root follow the last message before it in another tree.

    Compacting a conversation begins a new tree, and a resumed session continues one in another file. Without this, what
    was said before would look like a branch that was left.
    """
    roots: dict[str, str] = {}
    chained: dict[str, MessageNode] = {}
    last_by_root: dict[str, str] = {}
    for name, node in nodes.items():
        if node.parent in roots:
            roots[name] = roots[node.parent]
            chained[name] = node
        else:
            roots[name] = name
            previous = next(reversed(last_by_root.values()), None)
            chained[name] = MessageNode(parent=previous, content=node.content)
        if any(isinstance(each, ImportedMessage) for each in node.content):
            last_by_root[roots[name]] = name
    return chained


def _read_line(
    line: Mapping[str, object], position: str, line_id: str
) -> Iterator[ImportedMessage | Omission]:
    if get_text(line, "type") not in {"user", "assistant"}:
        return
    if get_flag(line, "isMeta") or get_flag(line, "isCompactSummary"):
        yield Omission(reason=OmissionReason.INJECTED_TEXT, position=position)
        return
    role = parse_role(get_text(line, "message", "role") or get_text(line, "type"))
    message = line.get("message")
    if role is None or not isinstance(message, Mapping):
        yield unexpected_shape(position, "no message")
        return
    text = get_text(message, "content")
    blocks = get_list(message, "content")
    if not text and blocks:
        text = "\n".join(filter(None, (get_text(b, "text") for b in blocks if get_text(b, "type") == "text")))
        if not text.strip():
            has_reasoning = any(get_text(block, "type") == "thinking" for block in blocks)
            reason = OmissionReason.REASONING if has_reasoning else OmissionReason.TOOL_MESSAGE
            yield Omission(reason=reason, position=position)
            return
    shown = remove_inserted(text) if role is Role.USER else text
    if text.strip() and not shown.strip():
        yield Omission(reason=OmissionReason.INJECTED_TEXT, position=position)
        return
    yield from build_message(role, shown, message_id=line_id, date=line.get("timestamp"), position=position)


def remove_inserted(text: str) -> str:
    """Remove the elements that coding agents insert into prompts; one that is not closed ends the text."""
    parts, position = [], 0
    while element := _INSERTED_OPEN.search(text, position):
        parts.append(text[position : element.start()])
        closing = f"</{element[1]}>"
        end = text.find(closing, element.end())
        position = len(text) if end < 0 else end + len(closing)
    return "".join((*parts, text[position:])).strip()
