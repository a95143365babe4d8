"""Hold what a model claims against the messages it is about: true facts are kept, doubtful ones quarantined."""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass

from recollect.domain.extraction import Fact, Judgement
from recollect.domain.memory import Kind
from recollect.domain.message import MessageType, Role
from recollect.extraction.fact_checks import Claim, Nothing, discarded, sprawling
from recollect.extraction.grounding import Ground, Indexed, Ungrounded, grounded_in
from recollect.extraction.grounding_vocabulary import VOCABULARIES
from recollect.extraction.prompt_builder import Question, Source
from recollect.extraction.rules.prompt_injection import ordering
from recollect.text.language import detect


@dataclass(frozen=True, slots=True, kw_only=True)
class Spoken:
    """An answer taken apart."""

    claims: tuple[Claim, ...]
    importance: int | None = None
    message_type: MessageType | None = None
    summary: str | None = None
    reason: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Standards:
    """What an answer is held against."""

    min_fact_chars: int = 10
    nothing: Nothing = "exact"
    known_names: Collection[str] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Quarantined:
    """A fact that is kept out of use, and why."""

    fact: Fact
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """What an answer says about one source of its question."""

    judgement: Judgement
    quarantined: tuple[Quarantined, ...] = ()


def settled(spoken: Spoken, question: Question, held: Standards) -> tuple[Verdict, ...]:
    """One verdict for each source of the question, in their order."""
    bench = _Bench(question.sources, held)
    outcomes = [bench.held(claim) for claim in spoken.claims]
    return tuple(
        _verdict(bench, place, spoken, [outcome for at, outcome in outcomes if at == place], question.label)
        for place in range(len(question.sources))
    )


class _Bench:
    """The messages of a question, indexed when the first claim is held against them."""

    def __init__(self, sources: Sequence[Source], held: Standards) -> None:
        self.sources = sources
        self._held = held
        self._indexed: dict[tuple[int, str], Indexed] = {}

    def held(self, claim: Claim) -> tuple[int, Fact | Quarantined | str]:
        """The source that a claim belongs to, and what becomes of it there: a word says why it is discarded."""
        places = list(self._likely(claim))
        if why := discarded(claim.text, min_chars=self._held.min_fact_chars):
            return places[0], why
        doubts = []
        for place in places:
            match self.grounded(place, claim.text):
                case Ground(start=start, end=end):
                    fact = _fact(claim, self.sources[place], start, end)
                    doubt = sprawling(claim.text) or ordering(claim.text)
                    return place, Quarantined(fact=fact, reason=doubt) if doubt else fact
                case Ungrounded() as missing:
                    doubts.append(missing.reason)
        source = self.sources[places[0]]
        return places[0], Quarantined(fact=_fact(claim, source, 0, len(source.text)), reason=doubts[0])

    def grounded(self, place: int, text: str) -> Ground | Ungrounded:
        source = self.sources[place].text
        spoken = next((found for found in map(detect, (source, text)) if found in VOCABULARIES), "en")
        if (place, spoken) not in self._indexed:
            self._indexed[place, spoken] = Indexed(source, language=spoken)
        return grounded_in(self._indexed[place, spoken], text, known_names=self._held.known_names)

    def _likely(self, claim: Claim) -> Iterator[int]:
        """The message it is said to come from, then what the user said, then the rest."""
        numbered = claim.message is not None and 0 < claim.message <= len(self.sources)
        named = claim.message - 1 if claim.message is not None and numbered else None
        if named is not None:
            yield named
        rest = sorted(range(len(self.sources)), key=lambda place: self.sources[place].role is not Role.USER)
        yield from (place for place in rest if place != named)


def _verdict(
    bench: _Bench, place: int, spoken: Spoken, outcomes: Sequence[Fact | Quarantined | str], label: str
) -> Verdict:
    facts = tuple(outcome for outcome in outcomes if isinstance(outcome, Fact))
    heaviest = max((fact.weight for fact in facts), default=0.0)
    notes = [f"discarded: {outcome}" for outcome in outcomes if isinstance(outcome, str)]
    return Verdict(
        judgement=Judgement(
            importance=round(100 * heaviest) if spoken.importance is None else spoken.importance,
            message_type=spoken.message_type or _seen_type(bench.sources[place], facts),
            summary=_true_summary(spoken.summary, bench, place),
            facts=facts,
            reason="; ".join(filter(None, [label, spoken.reason, *notes])),
        ),
        quarantined=tuple(outcome for outcome in outcomes if isinstance(outcome, Quarantined)),
    )


def _fact(claim: Claim, source: Source, start: int, end: int) -> Fact:
    return Fact(
        text=claim.text,
        kind=claim.kind,
        weight=claim.weight,
        start=source.start + start,
        end=source.start + end,
    )


def _seen_type(source: Source, facts: Sequence[Fact]) -> MessageType:
    if any(fact.kind is Kind.DEC for fact in facts):
        return MessageType.DECISION
    return MessageType.CODE if "```" in source.text else MessageType.CHAT


def _true_summary(summary: str | None, bench: _Bench, place: int) -> str | None:
    """A summary may use its own words, but no names or numbers that the message does not have."""
    if summary is None:
        return None
    found = bench.grounded(place, summary)
    return None if isinstance(found, Ungrounded) and found.names else summary
