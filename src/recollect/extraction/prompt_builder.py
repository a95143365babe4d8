"""Ask a language model what messages are worth and which facts are in them."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import zip_longest
from typing import Literal, TypeAlias

from recollect.domain.memory import Kind
from recollect.domain.message import MessageType, Role
from recollect.domain.policy import Extract
from recollect.extraction.injected_blocks import BLANK
from recollect.extraction.prompt_templates import Prompt, prompt
from recollect.text.tokens import estimate
from recollect.text.windows import windows

Mode: TypeAlias = Literal["per_message", "list", "single_fact", "batch"]
Schema: TypeAlias = Mapping[str, object]

#: The last word of the one-fact prompt, as the model gets it.
ONE_LINE = "Reply with exactly one line: NOTHING or the single fact. No explanation."
#: Tokens a question may have, and what is left of it for a message whatever else is in it.
MAX_INPUT = 12_000
LEAST_ROOM = 500
#: Room for an answer, and for a model that thinks before it speaks.
MAX_ANSWER: Mapping[Mode, int] = {"per_message": 3000, "list": 3000, "single_fact": 2000, "batch": 6000}
#: How much of an unreadable answer is shown to the model that gave it.
SHOWN_ANSWER = 4000
NONE = "(none)"

_KINDS = (Kind.BIO, Kind.PREF, Kind.EMO, Kind.OBJ, Kind.EVT, Kind.DEC)
_ROLES = {"pt": {Role.USER: "usuário", Role.ASSISTANT: "assistente", Role.TOOL: "ferramenta"}}


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """A message, or a piece of a long one, with a blank for each character that was injected into it."""

    id: str
    role: Role
    text: str
    start: int = 0  #: where the piece begins in its message, in characters

    @property
    def shown(self) -> str:
        return self.text.replace(BLANK, "").strip()


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """One turn of the prompt."""

    role: str  #: system, user or assistant
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    mode: Mode
    locale: str
    label: str  #: the prompt's name and version
    opening: str  #: how the prompt begins: an answer that has it is an echo
    lines: tuple[Line, ...]
    sources: tuple[Source, ...]
    max_tokens: int
    schema: Schema | None = None  #: of the answer
    left_out: tuple[str, ...] = ()  #: what did not fit into the question, in words


@dataclass(frozen=True, slots=True, kw_only=True)
class Desk:
    """What all questions about some messages have in common."""

    policy: Extract
    locale: str = "en"
    existing: Sequence[str] = ()
    contexts: Sequence[str] = ()
    overrides: Mapping[str, str] | None = None
    max_input: int = MAX_INPUT

    def prompt(self, name: str) -> Prompt:
        return prompt(name, self.locale, self.overrides)

    @property
    def memories(self) -> str:
        """What is known, as bullets."""
        shown = self.existing[: self.policy.existing_top_k]
        return "\n".join(f"- {' '.join(text.split())}" for text in shown) or NONE

    def files(self) -> tuple[str, tuple[str, ...]]:
        """The attached files that fit into half of the question, each whole; and a word about each of the others."""
        room, fitting, left_out = self.max_input // 2, [], []
        for place, text in enumerate(self.contexts, start=1):
            tokens = estimate(text)
            if tokens <= room:
                room -= tokens
                fitting.append(text.strip())
            else:
                left_out.append(f"context file {place} was not shown: {tokens:,} tokens")
        return "\n\n".join(fitting) or NONE, tuple(left_out)


def questions(sources: Sequence[Source], mode: Mode, desk: Desk) -> list[Question]:
    """
    All that must be asked about the messages. Nothing of them is left out: what is too long for one question is
    spread over several.
    """
    return list(_ASK[mode](sources, desk))


def retry_question(
    question: Question,
    answer: str,
    problem: str,
    *,
    overrides: Mapping[str, str] | None = None,
    cut: bool = False,
) -> Question:
    """The same question after an unreadable answer, which is shown with what is wrong with it."""
    again = prompt("retry", question.locale, overrides).template.fill({"PROBLEM": problem})
    shown = answer if len(answer) <= SHOWN_ANSWER else f"{answer[:SHOWN_ANSWER]} […]"
    lines = (*question.lines, Line(role="assistant", text=shown or "…"), Line(role="user", text=again))
    return replace(question, lines=lines, max_tokens=question.max_tokens * (2 if cut else 1))


def _per_message(sources: Sequence[Source], desk: Desk) -> Iterator[Question]:
    for source in sources:
        values = {"ROLE": _role(source, desk)}
        yield from _one_by_one(source, "per_message", desk.prompt("per_message"), values, _JUDGED, desk)


def _list(sources: Sequence[Source], desk: Desk) -> Iterator[Question]:
    for source in sources:
        # The words of the prompt are about the user; what others said is asked about in their name.
        name, form = ("list", _OF_USER) if source.role is Role.USER else ("list_assistant", _OF_OTHERS)
        yield from _one_by_one(source, "list", desk.prompt(name), {}, form, desk)


def _one_by_one(
    source: Source, mode: Mode, found: Prompt, values: Mapping[str, str], form: Schema, desk: Desk
) -> Iterator[Question]:
    ask = partial(_question, mode=mode, found=found, schema=form, desk=desk)
    for piece in _pieces(source, _room(found, desk)):
        text = found.template.fill({**values, "MESSAGE": piece.shown, "user_message": piece.shown})
        yield ask(text=text, sources=(piece,))


def _batch(sources: Sequence[Source], desk: Desk) -> Iterator[Question]:
    found = desk.prompt("batch")
    room = _room(found, desk)
    pieces = [piece for source in sources for piece in _pieces(source, room)]
    for group in _groups(pieces, most=max(desk.policy.batch, 1), room=room):
        spoken = "\n\n".join(
            f"[{number}] {_role(piece, desk)}: {piece.shown}" for number, piece in enumerate(group, start=1)
        )
        text = found.template.fill({"CONVERSATION": spoken})
        yield _question(
            text=text, sources=tuple(group), mode="batch", found=found, schema=_NUMBERED, desk=desk
        )


def _single_fact(sources: Sequence[Source], desk: Desk) -> Iterator[Question]:
    found = desk.prompt("memory_extraction")
    files, left_out = desk.files()
    known = {"EXISTING_MEMORIES": desk.memories, "EXISTING_CONTEXT": files}
    room = max(desk.max_input - estimate(found.template.fill(known)), LEAST_ROOM)
    for user, others in _exchanges(sources):
        for asked, replied in _side_by_side(user, others, room):
            said = {"USER_TEXT": _joined(asked), "ASSISTANT_TEXT": _joined(replied) or NONE}
            text = found.template.fill({**known, **said})
            yield Question(
                mode="single_fact",
                locale=desk.locale,
                label=found.label,
                opening=_opening(found),
                lines=(Line(role="system", text=text), Line(role="user", text=ONE_LINE)),
                sources=(*asked, *replied),
                max_tokens=MAX_ANSWER["single_fact"],
                left_out=left_out,
            )


def _question(
    *, text: str, sources: tuple[Source, ...], mode: Mode, found: Prompt, schema: Schema, desk: Desk
) -> Question:
    files, left_out = desk.files()
    known = _known(files, desk)
    return Question(
        mode=mode,
        locale=desk.locale,
        label=found.label,
        opening=_opening(found),
        lines=(*([Line(role="system", text=known)] if known else []), Line(role="user", text=text)),
        sources=sources,
        max_tokens=MAX_ANSWER[mode],
        schema=schema,
        left_out=left_out,
    )


def _known(files: str, desk: Desk) -> str:
    if (desk.memories, files) == (NONE, NONE):
        return ""
    values = {"EXISTING_MEMORIES": desk.memories, "EXISTING_CONTEXT": files}
    return desk.prompt("known").template.fill(values)


def _room(found: Prompt, desk: Desk) -> int:
    used = estimate(found.template.text) + estimate(_known(desk.files()[0], desk))
    return max(desk.max_input - used, LEAST_ROOM)


def _pieces(source: Source, room: int) -> Iterator[Source]:
    start = 0
    for text in windows(source.text, tokens=lambda text: estimate(text.replace(BLANK, "")), limit=room):
        piece = replace(source, text=text, start=source.start + start)
        start += len(text)
        if piece.shown:
            yield piece


def _groups(pieces: Sequence[Source], *, most: int, room: int) -> Iterator[list[Source]]:
    group: list[Source] = []
    used = 0
    for piece in pieces:
        tokens = estimate(piece.shown)
        if group and (len(group) == most or used + tokens > room):
            yield group
            group, used = [], 0
        group.append(piece)
        used += tokens
    if group:
        yield group


def _exchanges(sources: Sequence[Source]) -> Iterator[tuple[list[Source], list[Source]]]:
    """What the user said, and what was answered, as often as the user speaks again."""
    user: list[Source] = []
    others: list[Source] = []
    for source in sources:
        if source.role is Role.USER and others:
            yield user, others
            user, others = [], []
        (user if source.role is Role.USER else others).append(source)
    if user or others:
        yield user, others


def _side_by_side(
    user: Sequence[Source], others: Sequence[Source], room: int
) -> Iterator[tuple[list[Source], list[Source]]]:
    asked = [piece for source in user for piece in _pieces(source, room // 2)]
    replied = [piece for source in others for piece in _pieces(source, room // 2)]
    if sum(estimate(piece.shown) for piece in (*asked, *replied)) <= room:
        if asked or replied:
            yield asked, replied
        return
    for one, other in zip_longest(asked, replied):
        yield [one] if one else [], [other] if other else []


def _joined(pieces: Sequence[Source]) -> str:
    return "\n\n".join(piece.shown for piece in pieces)


def _role(source: Source, desk: Desk) -> str:
    return _ROLES.get(desk.locale, {}).get(source.role, str(source.role))


def _opening(found: Prompt) -> str:
    return next((line for line in found.template.text.splitlines() if len(line) > 20 and "{" not in line), "")


def _object_form(properties: Schema) -> Schema:
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


def _one_of(names: Iterable[str]) -> Schema:
    return {"type": "string", "enum": [str(name) for name in names]}


def _facts(kinds: Iterable[Kind], **more: object) -> Schema:
    fact = _object_form({**more, "t": _one_of(kinds), "c": {"type": "string"}, "w": {"type": "number"}})
    return {"type": "array", "items": fact}


# An object around the list: some endpoints take no other schema.
_OF_USER = _object_form({"facts": _facts((Kind.BIO, Kind.PREF, Kind.EMO, Kind.OBJ))})
_OF_OTHERS = _object_form({"facts": _facts((Kind.DEC, Kind.EVT, Kind.OBJ, Kind.PREF))})
_NUMBERED = _object_form({"facts": _facts(_KINDS, m={"type": "integer"})})
_JUDGED = _object_form(
    {
        "importance": {"type": "integer"},
        "message_type": _one_of(MessageType),
        "summary": {"type": "string"},
        "facts": _facts(_KINDS),
    }
)
_ASK: Mapping[Mode, Callable[[Sequence[Source], Desk], Iterator[Question]]] = {
    "per_message": _per_message,
    "list": _list,
    "single_fact": _single_fact,
    "batch": _batch,
}
