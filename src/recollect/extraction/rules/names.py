"""Learn names: the speaker's, and those of the speaker's people."""

from collections.abc import Sequence

from recollect.domain.extraction import Fact
from recollect.domain.memory import Kind
from recollect.extraction.rules.matcher import Told
from recollect.extraction.rules.phrasing import plain
from recollect.extraction.rules.slots import name_in
from recollect.extraction.rules.tokens import Word


def kin_called(label: tuple[Word, ...], words: Sequence[Word], told: Told) -> Fact | None:
    for pattern in told.language.called:
        end = pattern.end(words)
        if end and (name := name_in(words[end:], told.language)):
            return _kin_named(label[0], name, label[0].start, told)
    return None


def kin_name(who: Word, body: Sequence[Word], told: Told) -> Fact | None:
    """Take "her name is Olive" as the name of whoever was mentioned before."""
    end = max(pattern.end(body) or 0 for pattern in told.language.theirs)
    name = name_in(body[end:], told.language)
    return _kin_named(who, name, min(who.start, body[0].start), told) if name else None


def _kin_named(who: Word, name: Sequence[Word], start: int, told: Told) -> Fact:
    relation = bare(who.text).lower()
    value = plain(name, told.shown)
    fold = who.fold.removesuffix("'s")
    return Fact(
        text=f"{relation}: {value}",
        kind=Kind.BIO,
        weight=1.0,
        start=start,
        end=name[-1].end,
        attribute="partner" if fold in told.language.partners else f"{fold}.name",
        value=value,
    )


def own_name(body: Sequence[Word], told: Told, *, greeted: bool) -> Fact | None:
    """Take "I'm Daniel" as the speaker's name, and after a greeting "Marcus here"."""
    language = told.language
    for pattern in language.introduced:
        end = pattern.end(body)
        if (
            end
            and (name := name_in(body[end:], language))
            and len(name) == len(body) - end
            and name[0].capital
        ):
            return _own_name(name, body[0].start, told)
    if greeted and 1 < len(body) <= 3 and language.here.at(body, len(body) - 1):
        name = name_in(body[:-1], language)
        if name and name[0].capital and len(name) == len(body) - 1:
            return _own_name(name, body[0].start, told)
    return None


def _own_name(name: Sequence[Word], start: int, told: Told) -> Fact:
    value = plain(name, told.shown)
    label = "name" if told.language.code == "en" else "nome"
    return Fact(
        text=f"{label}: {value}",
        kind=Kind.BIO,
        weight=1.0,
        start=start,
        end=name[-1].end,
        attribute="name",
        value=value,
    )


def bare(text: str) -> str:
    """Without the 's of possession."""
    return text.removesuffix("'s").removesuffix("’s")
