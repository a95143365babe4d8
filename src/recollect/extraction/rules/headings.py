"""Read what is announced: "we talked and agreed: …", "for the file: …", "my take on it: …"."""

from recollect.domain.extraction import Fact
from recollect.domain.memory import Kind
from recollect.extraction.rules.composition import noted
from recollect.extraction.rules.matcher import Told
from recollect.extraction.rules.phrasing import joined
from recollect.extraction.rules.sentences import Sentence

_HEAD = 14
_REST = 3
_LONGEST = 40


def announced(sentence: Sentence, told: Told) -> Fact | None:
    """The fact that a colon promises, if the words before it say that it is a decision, a view or for the file."""
    language, words = told.language, sentence.words
    colon = next((at for at, gap in enumerate(sentence.gaps[:_HEAD]) if ":" in gap and gap != ":"), 0)
    head, rest = words[:colon], words[colon:]
    folds = {word.fold for word in head}
    if (
        not colon
        or len(rest) < _REST
        or "?" in sentence.end
        or folds & (language.hearer | language.negations)
    ):
        return None
    signs = language.signs
    if signs.files.within(head):
        return noted(rest, told)
    kind = Kind.DEC if signs.decides.within(head) else Kind.PREF if signs.views.within(head) else None
    if kind is None or signs.asking.starts(head):
        return None
    start = min(signs.decides.first(head), signs.views.first(head))
    start += words[start].fold in language.soft
    said = words[start : start + _LONGEST]
    text = joined(said, language.third(said, verb=True), told.shown)
    return Fact(
        text=text[:1].lower() + text[1:],
        kind=kind,
        weight=0.9 if kind is Kind.DEC else 0.7,
        start=said[0].start,
        end=said[-1].end,
    )
