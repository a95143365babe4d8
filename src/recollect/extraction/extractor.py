"""Judge: what messages are worth, and the facts in them; asked of a language model if there is one, else of rules."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace

from recollect.domain.extraction import Judgement
from recollect.domain.memory import normalised
from recollect.domain.message import Message, MessageType, Role
from recollect.domain.policy import Policy
from recollect.errors import AnswerUnreadable
from recollect.extraction.fact_checks import Nothing
from recollect.extraction.injected_blocks import BLANK, blanked
from recollect.extraction.prompt_builder import (
    MAX_INPUT,
    Desk,
    Mode,
    Question,
    Source,
    questions,
    retry_question,
)
from recollect.extraction.reply_parser import Unreadable, read
from recollect.extraction.rules.classifier import judge
from recollect.extraction.validation import Quarantined, Standards, Verdict
from recollect.ports.chat_model import ChatModel, Completion, Turn
from recollect.text.language import detect

#: Whose words the judge reads, by the policy's name for them.
READ = {
    "user": frozenset({Role.USER}),
    "user+assistant": frozenset({Role.USER, Role.ASSISTANT}),
    "all": frozenset({Role.USER, Role.ASSISTANT, Role.TOOL}),
}
_LOCALES = ("en", "pt")


@dataclass(frozen=True, slots=True, kw_only=True)
class Cost:
    """What the model was asked, in calls and in tokens as it counts them."""

    calls: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0

    def __add__(self, other: "Cost") -> "Cost":
        return Cost(
            calls=self.calls + other.calls,
            prompt_tokens=self.prompt_tokens + other.prompt_tokens,
            completion_tokens=self.completion_tokens + other.completion_tokens,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Judged:
    """What became of one message. Messages that were asked about together share a cost: the first has it."""

    message_id: str
    judgement: Judgement
    quarantined: tuple[Quarantined, ...] = ()
    cost: Cost = field(default_factory=Cost)
    model: str | None = None  #: who judged; None are the rules
    left_out: tuple[str, ...] = ()  #: what did not fit into the question


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgeStep:
    """
    Raises ProviderBusy and ProviderError as the model does, and AnswerUnreadable when it cannot be understood twice
    in a row. Then nothing is judged, and the same messages can be judged again.
    """

    model: ChatModel | None = None
    prompts: Mapping[str, str] = field(default_factory=dict)  #: the user's own, by name
    max_input: int = MAX_INPUT  #: tokens of one question
    timeout: float | None = None  #: seconds for one call; None leaves it to the model
    nothing: Nothing = "exact"

    def __call__(
        self,
        messages: Sequence[Message],
        *,
        policy: Policy,
        existing: Sequence[str] = (),
        contexts: Sequence[str] = (),
        known_names: Collection[str] = (),
    ) -> list[Judged]:
        """Judge messages in their order. What roles the policy leaves out, and what was injected, is never read."""
        mode = policy.extract.mode
        allowed = READ[policy.extract.roles]
        sources = [_source(message) for message in messages if message.role in allowed]
        spoken = [source for source in sources if source.shown]
        found: dict[str, Judged] = {}
        if mode != "off" and self.model is not None:
            desk = Desk(
                policy=policy.extract,
                locale=_locale(spoken, policy.assemble.locale),
                existing=existing,
                contexts=contexts,
                overrides=self.prompts,
                max_input=self.max_input,
            )
            held = Standards(
                min_fact_chars=policy.extract.min_fact_chars, nothing=self.nothing, known_names=known_names
            )
            found = self._asked(self.model, spoken, mode, desk, held)
        elif mode != "off":
            readable = {source.id: source for source in spoken}
            found = {m.id: _by_rules(m, readable[m.id], policy) for m in messages if m.id in readable}
        return [found.get(message.id) or _unread(message, policy) for message in messages]

    def _asked(
        self, model: ChatModel, sources: Sequence[Source], mode: Mode, desk: Desk, held: Standards
    ) -> dict[str, Judged]:
        found: dict[str, Judged] = {}
        for question in questions(sources, mode, desk):
            verdicts, cost = self._answered(model, question, held)
            for source, verdict in zip(question.sources, verdicts, strict=True):
                judged = Judged(
                    message_id=source.id,
                    judgement=verdict.judgement,
                    quarantined=verdict.quarantined,
                    cost=cost,
                    model=model.model_id,
                    left_out=question.left_out,
                )
                found[source.id] = _merged(found[source.id], judged) if source.id in found else judged
                cost = Cost()
        return found

    def _answered(
        self, model: ChatModel, question: Question, held: Standards
    ) -> tuple[tuple[Verdict, ...], Cost]:
        first = self._complete(model, question)
        match read(first.text, question, held, cut=first.cut):
            case Unreadable(reason=reason):
                again = retry_question(question, first.text, reason, overrides=self.prompts, cut=first.cut)
            case verdicts:
                return verdicts, _cost(first)
        second = self._complete(model, again)
        match read(second.text, question, held, cut=second.cut):
            case Unreadable(reason=reason):
                raise AnswerUnreadable(
                    f"The model {model.model_id} was asked twice, and its answer cannot be read: {reason}. "
                    "Nothing was learned; retry the job, or choose another model."
                )
            case verdicts:
                return verdicts, _cost(first) + _cost(second)

    def _complete(self, model: ChatModel, question: Question) -> Completion:
        turns = [Turn(role=line.role, content=line.text) for line in question.lines]
        return model.complete(
            turns, max_tokens=question.max_tokens, schema=question.schema, timeout=self.timeout
        )


def _source(message: Message) -> Source:
    return Source(id=message.id, role=message.role, text=blanked(message.content))


def _locale(sources: Sequence[Source], fallback: str) -> str:
    """Prompts are written in the language of what they ask about, as far as we speak it."""
    spoken = detect("\n".join(source.shown[:300] for source in sources))
    return spoken if spoken in _LOCALES else fallback


def _by_rules(message: Message, source: Source, policy: Policy) -> Judged:
    # Spaces for what was injected: places in the message stay what they are.
    found = judge(source.text.replace(BLANK, " "), role=message.role, said_at=message.created_at)
    shortest = policy.extract.min_fact_chars
    # "name: Ana" is short, and what fills a slot is no accident.
    facts = tuple(fact for fact in found.facts if fact.attribute or len(fact.text) >= shortest)
    return Judged(message_id=message.id, judgement=replace(found, facts=facts))


def _unread(message: Message, policy: Policy) -> Judged:
    if policy.extract.mode == "off":
        reason = "extraction is off"
    elif message.role not in READ[policy.extract.roles]:
        reason = f"{message.role} text is not read"
    else:
        reason = "there is nothing in it but what was injected"
    return Judged(message_id=message.id, judgement=Judgement(importance=0, reason=reason))


def _cost(completion: Completion) -> Cost:
    return Cost(
        calls=1,
        prompt_tokens=completion.prompt_tokens,
        completion_tokens=completion.completion_tokens,
    )


def _merged(one: Judged, other: Judged) -> Judged:
    """Two pieces of one long message: the more important one speaks for it, and all their facts are kept."""
    first, second = one.judgement, other.judgement
    facts = {normalised(fact.text): fact for fact in (*second.facts, *first.facts)}
    leading = max(first, second, key=lambda judgement: judgement.importance)
    return replace(
        one,
        judgement=replace(
            leading,
            message_type=_weightier(first.message_type, second.message_type),
            summary=leading.summary or first.summary or second.summary,
            facts=tuple(sorted(facts.values(), key=lambda fact: fact.start)),
        ),
        quarantined=(*one.quarantined, *other.quarantined),
        cost=one.cost + other.cost,
    )


def _weightier(one: MessageType, other: MessageType) -> MessageType:
    order = (MessageType.DECISION, MessageType.CODE, MessageType.CHAT)
    return min(one, other, key=order.index)
