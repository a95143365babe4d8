"""One file of each import format, written after its documented shape, and what it contains."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta

from recollect.domain.memory import Kind
from recollect.domain.message import Role
from recollect.interchange.formats import ImportFormat
from recollect.interchange.items import (
    ImportedContextFile,
    ImportedConversation,
    ImportedMemory,
    ImportedMessage,
    ImportItem,
    Omission,
    OmissionReason,
)
from recollect.testing.import_sources import InMemoryImportSource

NOON = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)
NOON_UNIX = NOON.timestamp()
NOON_ISO = "2026-03-01T12:00:00Z"


def minutes(number: int) -> datetime:
    return NOON + timedelta(minutes=number)


def iso(number: int) -> str:
    return minutes(number).isoformat().replace("+00:00", "Z")


def user(message_id: str, text: str, at: datetime | None = NOON) -> ImportedMessage:
    return ImportedMessage(id=message_id, role=Role.USER, text=text, created_at=at)


def assistant(message_id: str, text: str, at: datetime | None = NOON) -> ImportedMessage:
    return ImportedMessage(id=message_id, role=Role.ASSISTANT, text=text, created_at=at)


def omission(reason: OmissionReason, position: str, detail: str = "") -> Omission:
    return Omission(reason=reason, position=position, detail=detail)


@dataclass(frozen=True, slots=True, kw_only=True)
class Sample:
    label: str
    format: ImportFormat
    items: Sequence[ImportItem]
    value: object = None  #: written as JSON
    lines: Sequence[object] = ()  #: written as JSON Lines
    text: str = ""
    database: Mapping[str, Sequence[Mapping[str, object]]] = field(default_factory=dict)
    name: str = "export.json"

    def content(self) -> str:
        if self.lines:
            return "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in self.lines)
        return self.text or ("" if self.database else json.dumps(self.value, ensure_ascii=False, indent=1))

    def source(self) -> InMemoryImportSource:
        return InMemoryImportSource(name=self.name, text=self.content(), database=self.database)


def chatgpt_node(
    node_id: str, parent: str | None, role: str = "user", text: str = "", **message: object
) -> dict[str, object]:
    content = {"content_type": "text", "parts": [text]}
    body = {
        "author": {"role": role},
        "create_time": NOON_UNIX,
        "content": content,
        "recipient": "all",
        **message,
    }
    return {"id": node_id, "parent": parent, "children": [], "message": body}


CHATGPT_NODES: list[dict[str, object]] = [
    {"id": "root", "parent": None, "children": [], "message": None},
    chatgpt_node(
        "profile",
        "root",
        content={
            "content_type": "user_editable_context",
            "user_profile": "I am a nurse.",
            "user_instructions": "Be brief.",
        },
        metadata={"is_visually_hidden_from_conversation": True},
    ),
    chatgpt_node("q-old", "profile", text="Where is Lisbn?"),
    chatgpt_node("a-old", "q-old", "assistant", "Do you mean Lisbon?"),
    chatgpt_node("q", "profile", text="I moved to Lisbon. Any parks?"),
    chatgpt_node("think", "q", "assistant", content={"content_type": "thoughts", "thoughts": []}),
    chatgpt_node("call", "think", "assistant", 'search("parks")', recipient="web"),
    chatgpt_node("result", "call", "tool", "Jardim da Estrela"),
    chatgpt_node("a", "result", "assistant", "Try Jardim da Estrela."),
    chatgpt_node(
        "photo",
        "a",
        content={
            "content_type": "multimodal_text",
            "parts": [{"content_type": "image_asset_pointer", "asset_pointer": "x"}, "This one?"],
        },
    ),
]
CHATGPT = Sample(
    label="chatgpt",
    format=ImportFormat.CHATGPT,
    value=[
        {
            "title": "Parks",
            "create_time": NOON_UNIX,
            "mapping": {str(node["id"]): node for node in CHATGPT_NODES},
            "current_node": "photo",
            "conversation_id": "c1",
        },
        {"title": "Secret", "conversation_id": "c2", "is_do_not_remember": True, "mapping": {}},
        {"title": "Corrupt", "conversation_id": "c3", "create_time": NOON_UNIX},
    ],
    items=[
        ImportedContextFile(name="ChatGPT custom instructions", content="I am a nurse.\n\nBe brief."),
        omission(OmissionReason.REASONING, "element 1, message think"),
        omission(OmissionReason.TOOL_MESSAGE, "element 1, message call"),
        omission(OmissionReason.TOOL_MESSAGE, "element 1, message result"),
        omission(OmissionReason.MEDIA, "element 1, message photo"),
        ImportedConversation(
            chat="chatgpt-c1",
            title="Parks",
            created_at=NOON,
            messages=(
                user("q", "I moved to Lisbon. Any parks?"),
                assistant("a", "Try Jardim da Estrela."),
                user("photo", "This one?"),
            ),
        ),
        ImportedConversation(
            chat="chatgpt-c1-a-old",
            title="Parks",
            created_at=NOON,
            branch_of="chatgpt-c1",
            messages=(user("q-old", "Where is Lisbn?"), assistant("a-old", "Do you mean Lisbon?")),
        ),
        omission(OmissionReason.DO_NOT_REMEMBER, "element 2"),
        omission(OmissionReason.UNEXPECTED_SHAPE, "element 3", "no mapping"),
    ],
)


def claude_message(message_id: str, sender: str, text: str, **fields: object) -> dict[str, object]:
    content = [{"type": "text", "text": text}]
    return {
        "uuid": message_id,
        "sender": sender,
        "text": "",
        "content": content,
        "created_at": NOON_ISO,
        **fields,
    }


CLAUDE = Sample(
    label="claude",
    format=ImportFormat.CLAUDE,
    value=[
        {
            "uuid": "c1",
            "name": "Trip",
            "created_at": NOON_ISO,
            "chat_messages": [
                claude_message(
                    "h1",
                    "human",
                    "Summarize this",
                    attachments=[{"file_name": "trip.txt", "extracted_content": "Porto, 3 days"}],
                ),
                claude_message(
                    "a1",
                    "assistant",
                    "Three days in Porto.",
                    content=[
                        {"type": "thinking", "thinking": "hm"},
                        {"type": "text", "text": "Three days in Porto."},
                    ],
                ),
            ],
        },
        {
            "uuid": "c2",
            "name": "Tree",
            "chat_messages": [
                claude_message(
                    "r", "human", "Hi", parent_message_uuid="00000000-0000-4000-8000-000000000000"
                ),
                claude_message("old", "assistant", "Hello!", parent_message_uuid="r"),
                claude_message("new", "assistant", "Good day!", parent_message_uuid="r"),
            ],
        },
    ],
    items=[
        omission(OmissionReason.REASONING, "element 1, message 2"),
        ImportedConversation(
            chat="claude-c1",
            title="Trip",
            created_at=NOON,
            messages=(
                user("h1", "Summarize this\n\ntrip.txt:\n```\nPorto, 3 days\n```"),
                assistant("a1", "Three days in Porto."),
            ),
        ),
        ImportedConversation(
            chat="claude-c2",
            title="Tree",
            created_at=NOON,
            messages=(user("r", "Hi"), assistant("new", "Good day!")),
        ),
        ImportedConversation(
            chat="claude-c2-old",
            title="Tree",
            created_at=NOON,
            branch_of="claude-c2",
            messages=(assistant("old", "Hello!"),),
        ),
    ],
)
CLAUDE_PROJECT = Sample(
    label="claude project",
    format=ImportFormat.CLAUDE,
    value={
        "uuid": "p1",
        "name": "Thesis",
        "description": "About bees",
        "prompt_template": "Answer in Portuguese.",
        "docs": [{"filename": "plan.md", "content": "Chapter 1"}, {"filename": "empty.md", "content": ""}],
    },
    items=[
        ImportedContextFile(name="Thesis", content="About bees\n\nAnswer in Portuguese."),
        ImportedContextFile(name="Thesis: plan.md", content="Chapter 1"),
        omission(OmissionReason.EMPTY_TEXT, "the file, document 2"),
    ],
)
CLAUDE_MEMORY = Sample(
    label="claude memory",
    format=ImportFormat.CLAUDE,
    value=[
        {
            "conversations_memory": "**Work context**\n\nAna is a nurse. She works nights.\n- Likes short answers",
            "project_memories": {"p1": "Writes a thesis about bees"},
            "account_uuid": "u1",
        }
    ],
    items=[
        ImportedMemory(text="Ana is a nurse.", tags=("claude", "Work context")),
        ImportedMemory(text="She works nights.", tags=("claude", "Work context")),
        ImportedMemory(text="Likes short answers", tags=("claude", "Work context")),
        ImportedMemory(text="Writes a thesis about bees", tags=("claude-project-p1",)),
    ],
)
OPEN_WEBUI = Sample(
    label="open webui",
    format=ImportFormat.OPEN_WEBUI,
    value=[
        {
            "id": "w1",
            "title": "Sums",
            "created_at": int(NOON_UNIX),
            "chat": {
                "history": {
                    "currentId": "m2",
                    "messages": {
                        "m1": {
                            "id": "m1",
                            "parentId": None,
                            "role": "user",
                            "content": "15 * 17?",
                            "timestamp": NOON_UNIX,
                        },
                        "m2": {
                            "id": "m2",
                            "parentId": "m1",
                            "role": "assistant",
                            "content": '<details type="reasoning" done="true">carry</details>255',
                            "timestamp": NOON_UNIX,
                        },
                        "m3": {
                            "id": "m3",
                            "parentId": "m1",
                            "role": "assistant",
                            "content": "254",
                            "timestamp": NOON_UNIX,
                        },
                    },
                }
            },
        }
    ],
    items=[
        omission(OmissionReason.REASONING, "element 1, message m2"),
        ImportedConversation(
            chat="open-webui-w1",
            title="Sums",
            created_at=NOON,
            messages=(user("m1", "15 * 17?"), assistant("m2", "255")),
        ),
        ImportedConversation(
            chat="open-webui-w1-m3",
            title="Sums",
            created_at=NOON,
            branch_of="open-webui-w1",
            messages=(assistant("m3", "254"),),
        ),
    ],
)
OPEN_WEBUI_MEMORIES = Sample(
    label="open webui memories",
    format=ImportFormat.OPEN_WEBUI,
    value=[
        {
            "id": "x1",
            "user_id": "u",
            "content": "Likes tea",
            "created_at": NOON_UNIX,
            "updated_at": NOON_UNIX + 60,
        }
    ],
    items=[ImportedMemory(id="x1", text="Likes tea", created_at=NOON, last_stated_at=minutes(1))],
)
LIBRECHAT = Sample(
    label="librechat",
    format=ImportFormat.LIBRECHAT,
    value={
        "conversationId": "l1",
        "title": "Venv",
        "recursive": True,
        "messages": [
            {
                "messageId": "u1",
                "parentMessageId": "00000000-0000-0000-0000-000000000000",
                "isCreatedByUser": True,
                "text": "How do I activate it?",
                "createdAt": iso(0),
                "children": [
                    {
                        "messageId": "b1",
                        "isCreatedByUser": False,
                        "text": "Which shell?",
                        "createdAt": iso(1),
                        "children": [],
                    },
                    {
                        "messageId": "b2",
                        "isCreatedByUser": False,
                        "content": [{"type": "text", "text": {"value": "Run activate."}}],
                        "createdAt": iso(2),
                        "children": [],
                    },
                ],
            }
        ],
    },
    items=[
        ImportedConversation(
            chat="librechat-l1",
            title="Venv",
            created_at=NOON,
            messages=(user("u1", "How do I activate it?"), assistant("b2", "Run activate.", minutes(2))),
        ),
        ImportedConversation(
            chat="librechat-l1-b1",
            title="Venv",
            created_at=minutes(1),
            branch_of="librechat-l1",
            messages=(assistant("b1", "Which shell?", minutes(1)),),
        ),
    ],
)
LIBRECHAT_MEMORIES = Sample(
    label="librechat memories",
    format=ImportFormat.LIBRECHAT,
    value={"memories": [{"key": "diet", "value": "Is vegetarian", "tokenCount": 3, "updated_at": NOON_ISO}]},
    items=[ImportedMemory(text="Is vegetarian", created_at=NOON, tags=("diet",))],
)
GEMINI = Sample(
    label="gemini takeout",
    format=ImportFormat.GEMINI_TAKEOUT,
    value=[
        {
            "header": "Gemini Apps",
            "title": "Prompted and in winter?",
            "time": iso(5),
            "safeHtmlItem": [{"html": "<p>Cold &amp; wet.</p><ul><li>Bring a coat</li></ul>"}],
        },
        {
            "header": "Gemini Apps",
            "title": "Prompted how is Porto in summer?",
            "time": iso(0),
            "safeHtmlItem": [{"html": "<p>Warm.</p>"}],
        },
        {"header": "Gemini Apps", "title": "Created a gem", "time": iso(6)},
        {
            "header": "Gemini Apps",
            "title": "Prompted hello",
            "titleUrl": "https://gemini.google.com/app/aaaaaaaaaaaaaaaa",
            "time": iso(1),
        },
    ],
    items=[
        omission(OmissionReason.INJECTED_TEXT, "element 3", "not a prompt"),
        ImportedConversation(
            chat="gemini-7c6fdc08066918e67b90e669",
            title="how is Porto in summer?",
            created_at=NOON,
            messages=(
                user("7c6fdc08066918e67b90e669-user", "how is Porto in summer?"),
                assistant("7c6fdc08066918e67b90e669-assistant", "Warm."),
                user("73120ec950c2de033a0a5bea-user", "and in winter?", minutes(5)),
                assistant("73120ec950c2de033a0a5bea-assistant", "Cold & wet.\n- Bring a coat", minutes(5)),
            ),
        ),
        omission(OmissionReason.EMPTY_TEXT, "element 4"),
        ImportedConversation(
            chat="gemini-aaaaaaaaaaaaaaaa",
            title="hello",
            created_at=minutes(1),
            messages=(user("0114dc2fb5a886d6a38f64f2-user", "hello", minutes(1)),),
        ),
    ],
)
GEMINI_PAGE = Sample(
    label="gemini takeout page",
    format=ImportFormat.GEMINI_TAKEOUT,
    name="MyActivity.html",
    text="""<html><body><div class="outer-cell mdl-cell"><div class="mdl-grid">
<div class="header-cell"><p class="mdl-typography--title">Gemini Apps</p></div>
<div class="content-cell mdl-typography--body-1">Prompted\xa0<b>hello</b><br>Mar 1, 2026, 12:00:00\u202fPM UTC<br>
<p>Hi &amp; welcome</p><ul><li>one</li></ul></div>
<div class="content-cell mdl-cell mdl-typography--body-1 mdl-typography--text-right"></div>
<div class="content-cell mdl-cell mdl-typography--caption"><b>Products:</b> Gemini Apps</div></div></div>
<div class="content-cell mdl-cell mdl-typography--body-1">Solicitação: e amanhã?<br>1 de mar. de 2026, 09:05:00 BRT<br>
<p>Sol.</p></div></body></html>""",
    items=[
        ImportedConversation(
            chat="gemini-b982a888d081ba7af3ce13ba",
            title="hello",
            created_at=NOON,
            messages=(
                user("b982a888d081ba7af3ce13ba-user", "hello"),
                assistant("b982a888d081ba7af3ce13ba-assistant", "Hi & welcome\none"),
                user("4ccb73680b244ba46a801382-user", "e amanhã?", minutes(5)),
                assistant("4ccb73680b244ba46a801382-assistant", "Sol.", minutes(5)),
            ),
        ),
    ],
)
CLAUDE_CODE = Sample(
    label="claude code",
    format=ImportFormat.CLAUDE_CODE,
    name="s1.jsonl",
    lines=[
        {"type": "summary", "summary": "Fix the build", "leafUuid": "4"},
        {
            "type": "user", "uuid": "1", "parentUuid": None, "sessionId": "s1", "timestamp": iso(0),
            "message": {"role": "user", "content": "Fix it.<system-reminder>Be careful</system-reminder>"},
        },
        {
            "type": "assistant", "uuid": "2", "parentUuid": "1", "sessionId": "s1", "timestamp": iso(1),
            "message": {"role": "assistant", "content": [{"type": "tool_use", "name": "Bash", "input": {}}]},
        },
        {
            "type": "user", "uuid": "3", "parentUuid": "2", "sessionId": "s1", "timestamp": iso(2),
            "message": {"role": "user", "content": [{"type": "tool_result", "content": "ok"}]},
        },
        {
            "type": "assistant", "uuid": "old", "parentUuid": "3", "sessionId": "s1", "timestamp": iso(3),
            "message": {"role": "assistant", "content": [{"type": "text", "text": "Not yet."}]},
        },
        {
            "type": "assistant", "uuid": "4", "parentUuid": "3", "sessionId": "s1", "timestamp": iso(4),
            "message": {"role": "assistant", "content": [{"type": "text", "text": "Done."}]},
        },
        {
            "type": "user", "uuid": "side", "parentUuid": None, "isSidechain": True, "sessionId": "s1",
            "message": {"role": "user", "content": "Search the code"},
        },
    ],
    items=[
        omission(OmissionReason.INJECTED_TEXT, "line 7", "subagent"),
        omission(OmissionReason.TOOL_MESSAGE, "line 3"),
        omission(OmissionReason.TOOL_MESSAGE, "line 4"),
        ImportedConversation(
            chat="claude-code-s1",
            title="Fix the build",
            created_at=NOON,
            messages=(user("1", "Fix it."), assistant("4", "Done.", minutes(4))),
        ),
        ImportedConversation(
            chat="claude-code-s1-old",
            title="Fix the build",
            created_at=minutes(3),
            branch_of="claude-code-s1",
            messages=(assistant("old", "Not yet.", minutes(3)),),
        ),
    ],
)  # fmt: skip
CODEX = Sample(
    label="codex",
    format=ImportFormat.CODEX,
    name="rollout.jsonl",
    lines=[
        {"timestamp": iso(0), "type": "session_meta", "payload": {"id": "k1", "cwd": "/work"}},
        {"timestamp": iso(0), "type": "compacted", "payload": {"message": "long"}},
        {
            "timestamp": iso(0),
            "type": "response_item",
            "payload": {"type": "message", "role": "user", "content": []},
        },
        {
            "timestamp": iso(0),
            "type": "event_msg",
            "payload": {
                "type": "user_message",
                "message": "# Context\n\n## My request for Codex:\nRename it",
            },
        },
        {"timestamp": iso(1), "type": "event_msg", "payload": {"type": "token_count"}},
        {
            "timestamp": iso(1),
            "type": "event_msg",
            "payload": {"type": "agent_message", "message": "Renamed."},
        },
        {
            "timestamp": iso(2),
            "type": "event_msg",
            "payload": {
                "type": "item_completed",
                "item": {
                    "type": "UserMessage",
                    "content": [{"type": "text", "text": "Thanks, I prefer tabs"}],
                },
            },
        },
    ],
    items=[
        ImportedConversation(
            chat="codex-k1",
            title="Rename it",
            created_at=NOON,
            messages=(
                user("3", "Rename it"),
                assistant("5", "Renamed.", minutes(1)),
                user("6", "Thanks, I prefer tabs", minutes(2)),
            ),
        ),
    ],
)
GEMINI_CLI = Sample(
    label="gemini cli",
    format=ImportFormat.GEMINI_CLI,
    name="session.jsonl",
    lines=[
        {"type": "session_metadata", "sessionId": "g1", "startTime": iso(0)},
        {"type": "user", "id": "1", "timestamp": iso(0), "content": [{"text": "List files"}]},
        {"type": "message_update", "id": "2"},
        {"type": "gemini", "id": "2", "timestamp": iso(1), "content": [{"text": "a.txt"}]},
    ],
    items=[
        ImportedConversation(
            chat="gemini-g1",
            created_at=NOON,
            messages=(user("1", "List files"), assistant("2", "a.txt", minutes(1))),
        )
    ],
)
GEMINI_CLI_OLD = Sample(
    label="gemini cli before JSON Lines",
    format=ImportFormat.GEMINI_CLI,
    value={
        "sessionId": "g2",
        "startTime": iso(0),
        "messages": [
            {"id": "1", "timestamp": iso(0), "type": "user", "content": "Hi"},
            {"id": "2", "timestamp": iso(1), "type": "gemini", "content": "Hello"},
        ],
    },
    items=[
        ImportedConversation(
            chat="gemini-g2",
            created_at=NOON,
            messages=(user("1", "Hi"), assistant("2", "Hello", minutes(1))),
        )
    ],
)
CURSOR = Sample(
    label="cursor",
    format=ImportFormat.CURSOR,
    name="agent-transcripts/7f/7f.jsonl",
    lines=[
        {
            "role": "user",
            "message": {"content": [{"type": "text", "text": "<user_query>\nAdd a test\n</user_query>"}]},
        },
        {"role": "assistant", "message": {"content": [{"type": "tool_use", "name": "edit", "input": {}}]}},
        {"role": "assistant", "message": {"content": [{"type": "text", "text": "Added."}]}},
        {"type": "turn_ended", "status": "success"},
    ],
    items=[
        omission(OmissionReason.TOOL_MESSAGE, "line 2"),
        ImportedConversation(
            chat="cursor-7f", messages=(user("1", "Add a test", None), assistant("3", "Added.", None))
        ),
    ],
)
OPENCODE_DATABASE = Sample(
    label="opencode database",
    format=ImportFormat.OPENCODE,
    name="opencode.db",
    database={
        "session": [
            {"id": "o1", "parent_id": None, "title": "Bug", "time_created": int(NOON_UNIX * 1000)},
            {"id": "o2", "parent_id": "o1", "title": "Subagent", "time_created": int(NOON_UNIX * 1000)},
        ],
        "message": [
            {
                "id": "m2",
                "session_id": "o1",
                "time_created": int(NOON_UNIX * 1000) + 60_000,
                "data": '{"role":"assistant"}',
            },
            {
                "id": "m1",
                "session_id": "o1",
                "time_created": int(NOON_UNIX * 1000),
                "data": '{"role":"user"}',
            },
        ],
        "part": [
            {
                "id": "p1",
                "message_id": "m1",
                "session_id": "o1",
                "data": '{"type":"text","text":"It crashes"}',
            },
            {
                "id": "p2",
                "message_id": "m1",
                "session_id": "o1",
                "data": '{"type":"text","text":"file","synthetic":true}',
            },
            {"id": "p3", "message_id": "m2", "session_id": "o1", "data": '{"type":"text","text":"Fixed."}'},
        ],
    },
    items=[
        ImportedConversation(
            chat="opencode-o1",
            title="Bug",
            created_at=NOON,
            messages=(user("m1", "It crashes"), assistant("m2", "Fixed.", minutes(1))),
        ),
        omission(OmissionReason.INJECTED_TEXT, "session o2", "subagent"),
    ],
)
OPENCODE_EXPORT = Sample(
    label="opencode export",
    format=ImportFormat.OPENCODE,
    value={
        "info": {"id": "o1", "title": "Bug", "time": {"created": NOON_UNIX * 1000}},
        "messages": [
            {
                "info": {"id": "m1", "role": "user", "time": {"created": NOON_UNIX * 1000}},
                "parts": [{"type": "text", "text": "It crashes"}],
            },
            {"info": {"id": "m2", "role": "assistant"}, "parts": [{"type": "tool", "tool": "bash"}]},
        ],
    },
    items=[
        omission(OmissionReason.TOOL_MESSAGE, "the file, message 2"),
        ImportedConversation(
            chat="opencode-o1", title="Bug", created_at=NOON, messages=(user("m1", "It crashes"),)
        ),
    ],
)
MEM0 = Sample(
    label="mem0 results",
    format=ImportFormat.MEM0,
    value={
        "results": [
            {
                "id": "r1",
                "memory": "Likes cricket",
                "hash": "x",
                "metadata": {"tags": ["sport"], "kind": "preference", "weight": 0.5},
                "categories": ["hobbies"],
                "created_at": NOON_ISO,
                "updated_at": iso(1),
                "user_id": "ana",
            },
            {"id": "r2", "memory": " ", "user_id": "ana"},
        ]
    },
    items=[
        ImportedMemory(
            id="r1",
            text="Likes cricket",
            kind=Kind.PREFERENCE,
            weight=0.5,
            created_at=NOON,
            last_stated_at=minutes(1),
            tags=("sport", "hobbies"),
        ),
        omission(OmissionReason.EMPTY_TEXT, "the file, result 2"),
    ],
)
MEM0_HISTORY = Sample(
    label="mem0 history",
    format=ImportFormat.MEM0,
    name="history.db",
    database={
        "history": [
            {"id": "h1", "memory_id": "r1", "old_memory": None, "new_memory": "Likes cricket", "event": "ADD",
             "created_at": NOON_ISO, "updated_at": None, "is_deleted": 0},
            {"id": "h2", "memory_id": "r1", "old_memory": "Likes cricket", "new_memory": "Likes cricket and golf",
             "event": "UPDATE", "created_at": NOON_ISO, "updated_at": iso(1), "is_deleted": 0},
            {"id": "h3", "memory_id": "r2", "old_memory": None, "new_memory": "Has a cat", "event": "ADD",
             "created_at": NOON_ISO, "updated_at": None, "is_deleted": 0},
            {"id": "h4", "memory_id": "r2", "old_memory": "Has a cat", "new_memory": None, "event": "DELETE",
             "created_at": NOON_ISO, "updated_at": iso(2), "is_deleted": 1},
        ]
    },
    items=[
        ImportedMemory(id="r1", text="Likes cricket and golf", created_at=NOON, last_stated_at=minutes(1)),
        omission(OmissionReason.FORGOTTEN_MEMORY, "memory r2"),
    ],
)  # fmt: skip
MEM0_FILE = Sample(
    label="mem0 plugin export",
    format=ImportFormat.MEM0,
    name="mem0-export-1.md",
    text='---\nid: r1\ncreated_at: "2026-03-01T12:00:00Z"\ntype: decision\nbranch: main\ncategories: [storage]\n---\n'
    "Use SQLite for the queue.\n",
    items=[
        ImportedMemory(
            id="r1", text="Use SQLite for the queue.", kind=Kind.DECISION, created_at=NOON, tags=("storage",)
        )
    ],
)
LETTA = Sample(
    label="letta",
    format=ImportFormat.LETTA,
    name="agent.af",
    value=json.dumps(
        {
            "agents": [
                {
                    "id": "agent-0",
                    "name": "helper",
                    "messages": [
                        {"id": "m0", "role": "system", "content": [{"type": "text", "text": "You are"}]},
                        {
                            "id": "m1",
                            "role": "user",
                            "content": [{"type": "text", "text": '{"type": "login"}'}],
                        },
                        {
                            "id": "m2",
                            "role": "user",
                            "content": [
                                {"type": "text", "text": '{"type": "user_message", "message": "I am Ana"}'}
                            ],
                            "created_at": NOON_ISO,
                        },
                        {
                            "id": "m3",
                            "role": "assistant",
                            "content": [],
                            "tool_calls": [
                                {
                                    "function": {
                                        "name": "send_message",
                                        "arguments": '{"message": "Hello Ana"}',
                                    }
                                }
                            ],
                            "created_at": NOON_ISO,
                        },
                    ],
                }
            ],
            "blocks": [{"label": "human", "value": "Name: Ana"}, {"label": "persona", "value": ""}],
        }
    ),
    items=[
        ImportedContextFile(name="Letta human", content="Name: Ana"),
        omission(OmissionReason.EMPTY_TEXT, "line 1, block 2"),
        omission(OmissionReason.SYSTEM_MESSAGE, "line 1, agent 1, message 1"),
        omission(OmissionReason.INJECTED_TEXT, "line 1, agent 1, message 2"),
        ImportedConversation(
            chat="letta-ae101ee83dcf",
            title="helper",
            created_at=NOON,
            messages=(user("m2", "I am Ana"), assistant("m3", "Hello Ana")),
        ),
    ],
)
MEMPALACE = Sample(
    label="mempalace export",
    format=ImportFormat.MEMPALACE,
    name="home/kitchen.md",
    text="# home / kitchen\n\n## drawer_1\n\n> Ana is allergic\n> to nuts\n\n| Field | Value |\n|-------|-------|\n"
    "| Source | notes.md |\n| Filed | 2026-03-01T12:00:00 |\n| Added by | mcp |\n\n---\n\n"
    "## drawer_2\n\n> \n\n| Field | Value |\n|-------|-------|\n| Filed | unknown |\n\n---\n\n",
    items=[
        ImportedMemory(
            id="drawer_1", text="Ana is allergic\nto nuts", created_at=NOON, tags=("home", "kitchen")
        ),
        omission(OmissionReason.EMPTY_TEXT, "drawer 2"),
    ],
)
MEMPALACE_DATABASE = Sample(
    label="mempalace database",
    format=ImportFormat.MEMPALACE,
    name="sqlite_exact.sqlite3",
    database={
        "collections": [{"id": 1, "name": "drawers"}],
        "documents": [
            {
                "collection_id": 1,
                "id": "d1",
                "document": "Ana likes tea",
                "metadata_json": '{"wing": "home", "room": "kitchen", "filed_at": "2026-03-01T12:00:00"}',
            },
            {"collection_id": 1, "id": "d2", "document": "long " * 200, "metadata_json": "{}"},
        ],
    },
    items=[
        ImportedMemory(id="d1", text="Ana likes tea", created_at=NOON, tags=("home", "kitchen")),
        ImportedContextFile(name="MemPalace / d2", content=("long " * 200).strip()),
    ],
)
BASIC_MEMORY = Sample(
    label="basic-memory",
    format=ImportFormat.BASIC_MEMORY,
    name="coffee.md",
    text="---\ntitle: Coffee\ntype: note\npermalink: coffee\ntags:\n- drinks\n---\n# Coffee\n\nSome words.\n\n"
    "## Observations\n- [preference] Likes a V60 #brewing (2026-03-01)\n- [method] Grinds #fine (by hand)\n"
    "- [ ] a task\n\n## Relations\n- relates_to [[Tea]]\n",
    items=[
        ImportedMemory(
            text="Likes a V60", kind=Kind.PREFERENCE, created_at=NOON.replace(hour=0), tags=("brewing",)
        ),
        ImportedMemory(text="Grinds", tags=("method", "fine")),
    ],
)
MCP_MEMORY = Sample(
    label="mcp memory",
    format=ImportFormat.MCP_MEMORY,
    name="memory.jsonl",
    lines=[
        {
            "type": "entity",
            "name": "default_user",
            "entityType": "person",
            "observations": ["Speaks Portuguese"],
        },
        {
            "type": "entity",
            "name": "Rex",
            "entityType": "dog",
            "observations": ["Is a beagle", "Rex is old", ""],
        },
        {"type": "relation", "from": "default_user", "to": "Rex", "relationType": "owns"},
    ],
    items=[
        ImportedMemory(text="Speaks Portuguese", tags=("default_user",)),
        ImportedMemory(text="Rex: Is a beagle", tags=("Rex",)),
        ImportedMemory(text="Rex is old", tags=("Rex",)),
        omission(OmissionReason.EMPTY_TEXT, "line 2, observation 3"),
        ImportedMemory(text="default_user owns Rex", tags=("default_user", "Rex")),
    ],
)
PASTED_LIST = Sample(
    label="pasted list",
    format=ImportFormat.PASTED_LIST,
    name="-",
    text="Here is what I know:\n\n## Food\n[2026-03-01] - Likes tea\n[unknown] - Dislikes coriander\n* Is vegetarian\n",
    items=[
        omission(OmissionReason.NOT_A_STATEMENT, "line 1"),
        ImportedMemory(text="Likes tea", created_at=NOON.replace(hour=0), tags=("Food",)),
        ImportedMemory(text="Dislikes coriander", tags=("Food",)),
        ImportedMemory(text="Is vegetarian", tags=("Food",)),
    ],
)
MESSAGES = Sample(
    label="messages",
    format=ImportFormat.MESSAGES,
    name="chat.jsonl",
    lines=[
        {"messages": [
            {"role": "system", "content": "Be kind"},
            {"role": "user", "content": "Hi", "id": "1", "created_at": NOON_ISO},
            {"role": "assistant", "content": [{"type": "text", "text": "Hello"}], "id": "2"},
        ]},
    ],
    items=[
        omission(OmissionReason.SYSTEM_MESSAGE, "line 1, message 1"),
        ImportedConversation(
            chat="messages-1", created_at=NOON, messages=(user("1", "Hi"), assistant("2", "Hello", None))
        ),
    ],
)  # fmt: skip
LOOSE_MESSAGES = Sample(
    label="messages, one a line",
    format=ImportFormat.MESSAGES,
    name="chat.jsonl",
    lines=[
        {"role": "user", "content": "Hi", "id": 1, "timestamp": NOON_UNIX},
        {"role": "assistant", "content": "Hello", "id": 2, "timestamp": NOON_UNIX},
    ],
    items=[
        ImportedConversation(
            chat="messages-1", created_at=NOON, messages=(user("1", "Hi"), assistant("2", "Hello"))
        )
    ],
)

COMPACT = Sample(
    label="compact",
    format=ImportFormat.COMPACT,
    value=[
        {"i": "m1", "t": "pref", "c": "Likes tea", "w": 0.8, "d": "260301", "h": "120000", "g": ["food"]},
        {"t": "moon", "c": "A kind that does not exist"},
        {"t": "bio", "c": "Lives in Porto", "s": "archived"},
    ],
    items=[
        ImportedMemory(
            id="m1",
            text="Likes tea",
            kind=Kind.PREFERENCE,
            weight=0.8,
            created_at=NOON,
            last_stated_at=NOON,
            tags=("food",),
        ),
        omission(
            OmissionReason.UNEXPECTED_SHAPE,
            "element 2",
            "Entry 2: 't' is \"moon\", but must be one of bio, pref, emo, obj, evt, dec, note.",
        ),
        omission(OmissionReason.FORGOTTEN_MEMORY, "element 3"),
    ],
)

SAMPLES = (
    CHATGPT, CLAUDE, CLAUDE_PROJECT, CLAUDE_MEMORY, OPEN_WEBUI, OPEN_WEBUI_MEMORIES, LIBRECHAT, LIBRECHAT_MEMORIES,
    GEMINI, GEMINI_PAGE, CLAUDE_CODE, CODEX, GEMINI_CLI, GEMINI_CLI_OLD, CURSOR, OPENCODE_DATABASE, OPENCODE_EXPORT,
    MEM0, MEM0_HISTORY, MEM0_FILE, LETTA, MEMPALACE, MEMPALACE_DATABASE, BASIC_MEMORY, MCP_MEMORY, PASTED_LIST,
    MESSAGES, LOOSE_MESSAGES, COMPACT,
)  # fmt: skip
