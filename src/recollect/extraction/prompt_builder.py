"""Build the prompts that ask a language model for the importance and the facts of messages."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import zip_longest
from typing import Literal, TypeAlias

from recollect.domain.memory import Kind
from recollect.domain.message import MessageType, Role
from recollect.domain.policy import ExtractionPolicy
from recollect.domain.reason import Reason, ReasonCode
from recollect.extraction.injected_blocks import BLANK_CHARACTER
from recollect.extraction.prompt_templates import Prompt, load_prompt
from recollect.text.quotation import QuotedSpan
from recollect.text.tokens import estimate_tokens
from recollect.text.windows import split_windows

ExtractionMode: TypeAlias = Literal["per_message", "list", "single_fact", "batch"]
JsonSchema: TypeAlias = Mapping[str, object]

#: Last message of the single-fact prompt.
ONE_LINE_INSTRUCTION = "Reply with exactly one line: NOTHING or the single fact. No explanation."
#: Maximum size of a prompt, and the minimum of it that is available for the message.
MAX_INPUT_TOKENS = 12_000
MIN_MESSAGE_TOKENS = 500
#: Maximum size of a reply, including the reasoning of models that think first.
MAX_REPLY_TOKENS: Mapping[ExtractionMode, int] = {
    "per_message": 3000,
    "list": 3000,
    "single_fact": 2000,
    "batch": 6000,
}
#: Maximum length of the unreadable reply that the retry prompt quotes.
MAX_QUOTED_REPLY_CHARS = 4000
EMPTY_SECTION_TEXT = "(none)"

_USER_KINDS = (Kind.BIOGRAPHY, Kind.PREFERENCE, Kind.EMOTION, Kind.GOAL)
_ASSISTANT_KINDS = (Kind.DECISION, Kind.EVENT, Kind.GOAL, Kind.PREFERENCE)
_FACT_KINDS = (Kind.BIOGRAPHY, Kind.PREFERENCE, Kind.EMOTION, Kind.GOAL, Kind.EVENT, Kind.DECISION)
_ROLE_NAMES = {"pt": {Role.USER: "usuário", Role.ASSISTANT: "assistente", Role.TOOL: "ferramenta"}}


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceText:
    """A message or a part of a long one, with injected characters replaced by BLANK_CHARACTER."""

    id: str
    role: Role
    text: str
    start: int = 0  #: offset of the part in its message
    quoted_spans: tuple[QuotedSpan, ...] = ()  #: quoted or pasted text, as positions in the message

    @property
    def own_text(self) -> str:
        """The text with quoted or pasted characters replaced by BLANK_CHARACTER."""
        parts: list[str] = []
        position = 0
        for span in self.quoted_spans:
            start, end = (
                min(max(offset - self.start, position), len(self.text)) for offset in (span.start, span.end)
            )
            parts += (self.text[position:start], BLANK_CHARACTER * (end - start))
            position = end
        return "".join([*parts, self.text[position:]])

    @property
    def visible_text(self) -> str:
        return self.text.replace(BLANK_CHARACTER, "").strip()


@dataclass(frozen=True, slots=True, kw_only=True)
class PromptMessage:
    role: str  #: system, user or assistant
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ExtractionRequest:
    mode: ExtractionMode
    locale: str
    prompt_label: str  #: name and version of the prompt
    prompt_opening: str  #: first literal line of the prompt; a reply that contains it repeats the prompt
    messages: tuple[PromptMessage, ...]
    sources: tuple[SourceText, ...]
    max_tokens: int
    schema: JsonSchema | None = None  #: of the reply
    omissions: tuple[Reason, ...] = ()  #: what did not fit into the prompt


@dataclass(frozen=True, slots=True, kw_only=True)
class PromptOptions:
    """Options shared by all requests of one extraction."""

    policy: ExtractionPolicy
    locale: str = "en"
    known_memories: Sequence[str] = ()
    context_texts: Sequence[str] = ()
    overrides: Mapping[str, str] | None = None
    max_input_tokens: int = MAX_INPUT_TOKENS

    def load_prompt(self, name: str) -> Prompt:
        return load_prompt(name, self.locale, self.overrides)

    @property
    def memory_bullets(self) -> str:
        """The known memories as a bullet list."""
        texts = self.known_memories[: self.policy.known_memories]
        return "\n".join(f"- {' '.join(text.split())}" for text in texts) or EMPTY_SECTION_TEXT

    def fit_context_files(self) -> tuple[str, tuple[Reason, ...]]:
        """Return the context files that fit into half of the prompt, and the reason of each of the others."""
        remaining_tokens, fitting, omissions = self.max_input_tokens // 2, [], []
        for number, text in enumerate(self.context_texts, start=1):
            tokens = estimate_tokens(text)
            if tokens <= remaining_tokens:
                remaining_tokens -= tokens
                fitting.append(text.strip())
            else:
                omissions.append(Reason(ReasonCode.FILE_OVER_PROMPT, {"number": number, "tokens": tokens}))
        return "\n\n".join(fitting) or EMPTY_SECTION_TEXT, tuple(omissions)


def build_requests(
    sources: Sequence[SourceText], mode: ExtractionMode, options: PromptOptions
) -> list[ExtractionRequest]:
    """Return the requests that cover the messages completely; a long message is split over several requests."""
    return list(_REQUEST_BUILDERS[mode](sources, options))


def build_retry_request(
    request: ExtractionRequest,
    reply: str,
    problem: str,
    *,
    overrides: Mapping[str, str] | None = None,
    is_truncated: bool = False,
) -> ExtractionRequest:
    """Return the request again, followed by the unreadable reply and the problem with it."""
    retry_text = load_prompt("retry", request.locale, overrides).template.fill({"PROBLEM": problem})
    quoted_reply = reply if len(reply) <= MAX_QUOTED_REPLY_CHARS else f"{reply[:MAX_QUOTED_REPLY_CHARS]} […]"
    messages = (
        *request.messages,
        PromptMessage(role="assistant", text=quoted_reply or "…"),
        PromptMessage(role="user", text=retry_text),
    )
    return replace(request, messages=messages, max_tokens=request.max_tokens * (2 if is_truncated else 1))


def _per_message_requests(
    sources: Sequence[SourceText], options: PromptOptions
) -> Iterator[ExtractionRequest]:
    for source in sources:
        values = {"ROLE": _role_name(source, options)}
        yield from _source_requests(
            source, "per_message", options.load_prompt("per_message"), values, _MESSAGE_SCHEMA, options
        )


def _list_requests(sources: Sequence[SourceText], options: PromptOptions) -> Iterator[ExtractionRequest]:
    for source in sources:
        # The `list` prompt is written for user messages; other roles have their own.
        name, schema = (
            ("list", _USER_FACTS_SCHEMA)
            if source.role is Role.USER
            else ("list_assistant", _ASSISTANT_FACTS_SCHEMA)
        )
        yield from _source_requests(source, "list", options.load_prompt(name), {}, schema, options)


def _source_requests(
    source: SourceText,
    mode: ExtractionMode,
    prompt: Prompt,
    values: Mapping[str, str],
    schema: JsonSchema,
    options: PromptOptions,
) -> Iterator[ExtractionRequest]:
    build = partial(_build_request, mode=mode, prompt=prompt, schema=schema, options=options)
    for piece in _split_source(source, _available_tokens(prompt, options)):
        text = prompt.template.fill(
            {**values, "MESSAGE": piece.visible_text, "user_message": piece.visible_text}
        )
        yield build(text=text, sources=(piece,))


def _batch_requests(sources: Sequence[SourceText], options: PromptOptions) -> Iterator[ExtractionRequest]:
    prompt = options.load_prompt("batch")
    max_tokens = _available_tokens(prompt, options)
    pieces = [piece for source in sources for piece in _split_source(source, max_tokens)]
    for group in _group_pieces(pieces, max_pieces=max(options.policy.batch_size, 1), max_tokens=max_tokens):
        transcript = "\n\n".join(
            f"[{number}] {_role_name(piece, options)}: {piece.visible_text}"
            for number, piece in enumerate(group, start=1)
        )
        text = prompt.template.fill({"CONVERSATION": transcript})
        yield _build_request(
            text=text,
            sources=tuple(group),
            mode="batch",
            prompt=prompt,
            schema=_NUMBERED_FACTS_SCHEMA,
            options=options,
        )


def _single_fact_requests(
    sources: Sequence[SourceText], options: PromptOptions
) -> Iterator[ExtractionRequest]:
    prompt = options.load_prompt("memory_extraction")
    files, omissions = options.fit_context_files()
    known_values = {"EXISTING_MEMORIES": options.memory_bullets, "EXISTING_CONTEXT": files}
    max_tokens = max(
        options.max_input_tokens - estimate_tokens(prompt.template.fill(known_values)), MIN_MESSAGE_TOKENS
    )
    for user, others in _split_exchanges(sources):
        for user_pieces, other_pieces in _pair_pieces(user, others, max_tokens):
            message_values = {
                "USER_TEXT": _join_texts(user_pieces),
                "ASSISTANT_TEXT": _join_texts(other_pieces) or EMPTY_SECTION_TEXT,
            }
            text = prompt.template.fill({**known_values, **message_values})
            yield ExtractionRequest(
                mode="single_fact",
                locale=options.locale,
                prompt_label=prompt.label,
                prompt_opening=_prompt_opening(prompt),
                messages=(
                    PromptMessage(role="system", text=text),
                    PromptMessage(role="user", text=ONE_LINE_INSTRUCTION),
                ),
                sources=(*user_pieces, *other_pieces),
                max_tokens=MAX_REPLY_TOKENS["single_fact"],
                omissions=omissions,
            )


def _build_request(
    *,
    text: str,
    sources: tuple[SourceText, ...],
    mode: ExtractionMode,
    prompt: Prompt,
    schema: JsonSchema,
    options: PromptOptions,
) -> ExtractionRequest:
    files, omissions = options.fit_context_files()
    known_context = _known_context(files, options)
    return ExtractionRequest(
        mode=mode,
        locale=options.locale,
        prompt_label=prompt.label,
        prompt_opening=_prompt_opening(prompt),
        messages=(
            *([PromptMessage(role="system", text=known_context)] if known_context else []),
            PromptMessage(role="user", text=text),
        ),
        sources=sources,
        max_tokens=MAX_REPLY_TOKENS[mode],
        schema=schema,
        omissions=omissions,
    )


def _known_context(files: str, options: PromptOptions) -> str:
    if (options.memory_bullets, files) == (EMPTY_SECTION_TEXT, EMPTY_SECTION_TEXT):
        return ""
    values = {"EXISTING_MEMORIES": options.memory_bullets, "EXISTING_CONTEXT": files}
    return options.load_prompt("known").template.fill(values)


def _available_tokens(prompt: Prompt, options: PromptOptions) -> int:
    used = estimate_tokens(prompt.template.text) + estimate_tokens(
        _known_context(options.fit_context_files()[0], options)
    )
    return max(options.max_input_tokens - used, MIN_MESSAGE_TOKENS)


def _split_source(source: SourceText, max_tokens: int) -> Iterator[SourceText]:
    start = 0
    for text in split_windows(
        source.text,
        count_tokens=lambda text: estimate_tokens(text.replace(BLANK_CHARACTER, "")),
        limit=max_tokens,
    ):
        piece = replace(source, text=text, start=source.start + start)
        start += len(text)
        if piece.visible_text:
            yield piece


def _group_pieces(
    pieces: Sequence[SourceText], *, max_pieces: int, max_tokens: int
) -> Iterator[list[SourceText]]:
    group: list[SourceText] = []
    used = 0
    for piece in pieces:
        tokens = estimate_tokens(piece.visible_text)
        if group and (len(group) == max_pieces or used + tokens > max_tokens):
            yield group
            group, used = [], 0
        group.append(piece)
        used += tokens
    if group:
        yield group


def _split_exchanges(sources: Sequence[SourceText]) -> Iterator[tuple[list[SourceText], list[SourceText]]]:
    """Split messages into exchanges: user messages and the replies up to the next user message."""
    user: list[SourceText] = []
    others: list[SourceText] = []
    for source in sources:
        if source.role is Role.USER and others:
            yield user, others
            user, others = [], []
        (user if source.role is Role.USER else others).append(source)
    if user or others:
        yield user, others


def _pair_pieces(
    user: Sequence[SourceText], others: Sequence[SourceText], max_tokens: int
) -> Iterator[tuple[list[SourceText], list[SourceText]]]:
    user_pieces = [piece for source in user for piece in _split_source(source, max_tokens // 2)]
    other_pieces = [piece for source in others for piece in _split_source(source, max_tokens // 2)]
    if sum(estimate_tokens(piece.visible_text) for piece in (*user_pieces, *other_pieces)) <= max_tokens:
        if user_pieces or other_pieces:
            yield user_pieces, other_pieces
        return
    for one, other in zip_longest(user_pieces, other_pieces):
        yield [one] if one else [], [other] if other else []


def _join_texts(pieces: Sequence[SourceText]) -> str:
    return "\n\n".join(piece.visible_text for piece in pieces)


def _role_name(source: SourceText, options: PromptOptions) -> str:
    return _ROLE_NAMES.get(options.locale, {}).get(source.role, str(source.role))


def _prompt_opening(prompt: Prompt) -> str:
    return next(
        (line for line in prompt.template.text.splitlines() if len(line) > 20 and "{" not in line), ""
    )


def _object_schema(properties: JsonSchema) -> JsonSchema:
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


def _enum_schema(names: Iterable[str]) -> JsonSchema:
    return {"type": "string", "enum": [str(name) for name in names]}


def _facts_schema(kinds: Iterable[Kind], **more: object) -> JsonSchema:
    fact = _object_schema(
        {
            **more,
            "t": _enum_schema(kind.short_name for kind in kinds),
            "c": {"type": "string"},
            "w": {"type": "number"},
        }
    )
    return {"type": "array", "items": fact}


# An object around the list: some endpoints accept only objects as schema.
_USER_FACTS_SCHEMA = _object_schema({"facts": _facts_schema(_USER_KINDS)})
_ASSISTANT_FACTS_SCHEMA = _object_schema({"facts": _facts_schema(_ASSISTANT_KINDS)})
_NUMBERED_FACTS_SCHEMA = _object_schema({"facts": _facts_schema(_FACT_KINDS, m={"type": "integer"})})
_MESSAGE_SCHEMA = _object_schema(
    {
        "importance": {"type": "integer"},
        "message_type": _enum_schema(MessageType),
        "summary": {"type": "string"},
        "facts": _facts_schema(_FACT_KINDS),
    }
)
_REQUEST_BUILDERS: Mapping[
    ExtractionMode, Callable[[Sequence[SourceText], PromptOptions], Iterator[ExtractionRequest]]
] = {
    "per_message": _per_message_requests,
    "list": _list_requests,
    "single_fact": _single_fact_requests,
    "batch": _batch_requests,
}
