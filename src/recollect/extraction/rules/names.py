"""Extract names: the user's, and those of their family and friends."""

from collections.abc import Sequence

from recollect.domain.extraction import Fact
from recollect.domain.memory import Kind
from recollect.extraction.rules.matcher import MessageContext
from recollect.extraction.rules.phrasing import original_text
from recollect.extraction.rules.slots import parse_name
from recollect.extraction.rules.tokens import Word


def extract_kin_name(label: tuple[Word, ...], words: Sequence[Word], context: MessageContext) -> Fact | None:
    for pattern in context.grammar.kin_name_patterns:
        end = pattern.match_end(words)
        if end and (name := parse_name(words[end:], context.grammar)):
            return _build_kin_name(label[0], name, label[0].start, context)
    return None


def extract_mentioned_name(kin_word: Word, body: Sequence[Word], context: MessageContext) -> Fact | None:
    """Extract "her name is Olive" as the name of the relative mentioned before."""
    end = max(pattern.match_end(body) or 0 for pattern in context.grammar.mentioned_name_patterns)
    name = parse_name(body[end:], context.grammar)
    return _build_kin_name(kin_word, name, min(kin_word.start, body[0].start), context) if name else None


def _build_kin_name(kin_word: Word, name: Sequence[Word], start: int, context: MessageContext) -> Fact:
    relation = strip_possessive(kin_word.text).lower()
    value = original_text(name, context.prose)
    fold = kin_word.fold.removesuffix("'s")
    return Fact(
        text=f"{relation}: {value}",
        kind=Kind.BIOGRAPHY,
        weight=1.0,
        start=start,
        end=name[-1].end,
        attribute="partner" if fold in context.grammar.partners else f"{fold}.name",
        value=value,
    )


def extract_own_name(body: Sequence[Word], context: MessageContext, *, after_greeting: bool) -> Fact | None:
    """Extract the user's name from "I'm Daniel", and after a greeting from "Marcus here"."""
    grammar = context.grammar
    for pattern in grammar.introduction_patterns:
        end = pattern.match_end(body)
        if (
            end
            and (name := parse_name(body[end:], grammar))
            and len(name) == len(body) - end
            and name[0].is_capitalized
        ):
            return _build_own_name(name, body[0].start, context)
    if (
        after_greeting
        and 1 < len(body) <= 3
        and grammar.introduction_suffixes.match_length(body, len(body) - 1)
    ):
        name = parse_name(body[:-1], grammar)
        if name and name[0].is_capitalized and len(name) == len(body) - 1:
            return _build_own_name(name, body[0].start, context)
    return None


def _build_own_name(name: Sequence[Word], start: int, context: MessageContext) -> Fact:
    value = original_text(name, context.prose)
    label = "name" if context.grammar.language.code == "en" else "nome"
    return Fact(
        text=f"{label}: {value}",
        kind=Kind.BIOGRAPHY,
        weight=1.0,
        start=start,
        end=name[-1].end,
        attribute="name",
        value=value,
    )


def strip_possessive(text: str) -> str:
    return text.removesuffix("'s").removesuffix("’s")
