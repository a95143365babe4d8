"""Make facts of clauses: retell the words, fill the slot, date the event."""

from collections.abc import Iterator, Sequence
from itertools import takewhile

from recollect.domain.extraction import Fact
from recollect.domain.memory import Kind
from recollect.extraction.rules.dates import CALENDARS, When, dates
from recollect.extraction.rules.grammar import Language, Subject
from recollect.extraction.rules.matcher import Match, Told, matched
from recollect.extraction.rules.names import bare, kin_called
from recollect.extraction.rules.phrasing import dated, joined, plain
from recollect.extraction.rules.sentences import Clause
from recollect.extraction.rules.slots import answers_in, favourite_text, slot
from recollect.extraction.rules.tokens import Word

_LONGEST = 32
_ITEM = 6
_NO_ITEM = frozenset({"the", "especially", "particularly", "mostly", "principalmente", "sobretudo", "as"})
_DEFINITE = frozenset({"the", "o", "os"})


def stated(subject: Subject, label: tuple[Word, ...], parts: Sequence[Clause], told: Told) -> list[Fact]:
    language = told.language
    words = parts[0].words
    if all(word.fold in language.adverbs for word in words):
        return []
    if subject is Subject.KIN:
        if named := kin_called(label, words, told):
            return [named]
        if label[0].fold.removesuffix("'s") in language.acquaintances:
            return []
    match = matched(subject, label, words, told)
    if match is None:
        return []
    return list(_facts(match, parts, told))


def _facts(match: Match, parts: Sequence[Clause], told: Told) -> Iterator[Fact]:
    rule = match.rule
    more = [part for part in parts[1:] if part.words]
    if rule.each and more and _can_split(match) and not _is_attached(match, more[0].words, told.language):
        yield _fact(match, (*match.head, *match.object), match.object, told)
        for part in takewhile(lambda part: _is_item(part.words, told.language), more):
            item = _item(part.words, match.head[-1], told.language)
            yield _fact(match, (*match.head, *item), item, told)
        return
    added: list[Word] = []
    for part in more:
        names = rule.kind is Kind.BIO and all(word.capital for word in part.words)
        if part.link not in told.language.soft and not rule.wide and not names:
            break
        if _resumes(part.words, told.language) or _corrects(part, told.language):
            break
        added += part.words
    trimmed = _trimmed((*match.words, *added)[:_LONGEST], told.language)
    yield _fact(match, trimmed, _trimmed((*match.object, *added)[:_LONGEST], told.language), told)


def _trimmed(words: tuple[Word, ...], language: Language) -> tuple[Word, ...]:
    while len(words) > 1 and words[-1].fold in language.trailing:
        words = words[:-1]
    return words


def _corrects(part: Clause, language: Language) -> bool:
    """Whether it says what does not hold: "by 30 June, not 15 May"."""
    return part.link == "," and part.words[0].text in language.negations


def _resumes(words: Sequence[Word], language: Language) -> bool:
    """Whether a verb stands here and no item of a list; "already am tired" begins with a light word."""
    word = next((word for word in words if word.fold not in language.adverbs), words[0])
    return word.fold in language.resumes or (language.code == "en" and word.fold.endswith("ed"))


def _can_split(match: Match) -> bool:
    # "the warm and aromatic flavour" is one thing.
    return not match.ended and bool(match.object) and match.object[0].fold not in _DEFINITE


def _is_attached(match: Match, item: Sequence[Word], language: Language) -> bool:
    """In "trips with friends and family" the second noun belongs to the first."""
    inside = any(word.fold in language.stops for word in match.object)
    return inside and len(item) <= 2 and not item[0].fold.endswith("ing")


def _is_item(words: Sequence[Word], language: Language) -> bool:
    if len(words) > _ITEM or _resumes(words, language) or words[0].fold in _NO_ITEM:
        return False
    return not any(word.fold in language.thing_verbs for word in words)


def _item(words: tuple[Word, ...], last: Word, language: Language) -> tuple[Word, ...]:
    """In "alérgico a camarão e a amendoim" the second "a" repeats the first."""
    repeated = len(words) > 1 and last.fold in language.stops and words[0].fold in language.stops
    return words[1:] if repeated else words


def _fact(match: Match, words: Sequence[Word], obj: Sequence[Word], told: Told) -> Fact:
    rule = match.rule
    whens = dates(
        words,
        told.said_at,
        CALENDARS[told.language.code],
        ahead=_looks_ahead(match, told.language),
    )
    attribute, value = slot(match, obj, told)
    start = min(word.start for word in (*match.label, *words))
    return Fact(
        text=_text(match, words, whens, value, told),
        kind=rule.kind,
        weight=rule.weight,
        start=start,
        end=max(word.end for word in words),
        attribute=attribute,
        value=value if attribute else None,
        negated=match.ended or rule.negated,
        valid_from=whens[0].at if whens and rule.kind not in {Kind.OBJ, Kind.EMO} else None,
    )


def _looks_ahead(match: Match, language: Language) -> bool:
    future = any(word.fold in language.future for word in match.head)
    return future or match.rule.kind in {Kind.OBJ, Kind.EMO}


def _text(match: Match, words: Sequence[Word], whens: Sequence[When], value: str | None, told: Told) -> str:
    language = told.language
    if match.rule.attribute == "favourite" and value:
        return favourite_text((*match.head, *words[len(match.head) :]), value, told.shown, language)
    if match.rule.says and value:
        nouns = [word.text for word in match.head if word.fold in language.aims]
        return match.rule.says.format(x=value, head=nouns[0].lower() if nouns else "")
    if match.subject is Subject.SPEAKER:
        retold = language.third(words)
    elif match.subject is Subject.ORDER:
        retold = language.infinitive(words)
    else:
        retold = [None if word.fold in language.own else word.text for word in words]
    text = joined(words, dated(retold, whens), told.shown)
    return f"{_label(match.label, told)} {text}" if match.label else text


def _label(label: Sequence[Word], told: Told) -> str:
    return bare(plain(label, told.shown))


def noted(words: Sequence[Word], told: Told) -> Fact:
    """What was asked to be remembered, and fits no rule."""
    kept = words[:_LONGEST]
    pronoun = kept[0].fold in told.language.pronouns
    whens = dates(kept, told.said_at, CALENDARS[told.language.code], ahead=True)
    retold = (
        told.language.third(kept)
        if pronoun or (told.language.code == "pt" and _verb(kept, told))
        else _unowned(kept, told)
    )
    return Fact(
        text=joined(kept, dated(retold, whens), told.shown),
        kind=Kind.NOTE,
        weight=0.6,
        start=kept[0].start,
        end=kept[-1].end,
    )


def _verb(words: Sequence[Word], told: Told) -> bool:
    return told.language.opens(words, Subject.SPEAKER)


def _unowned(words: Sequence[Word], told: Told) -> list[str | None]:
    return [None if word.fold in told.language.own else word.text for word in words]


def ordered(words: Sequence[Word], told: Told) -> Fact:
    """An order that was said to hold from now on."""
    kept = words[:_LONGEST]
    tongue = answers_in(kept, told.language)
    return Fact(
        text=joined(kept, told.language.infinitive(kept), told.shown),
        kind=Kind.DEC,
        weight=0.85,
        start=kept[0].start,
        end=kept[-1].end,
        attribute="language_of_answers" if tongue else None,
        value=tongue,
    )


def lesson(words: Sequence[Word], told: Told) -> Fact | None:
    """Keep the lasting part of a story: "I went, hated it, it was packed" means "avoids crowded places"."""
    for disliked, reason, taught in told.language.lessons:
        if disliked.within(words) and reason.within(words):
            return Fact(text=taught, kind=Kind.PREF, weight=0.7, start=words[0].start, end=words[-1].end)
    return None


def favoured_last(words: Sequence[Word], told: Told) -> Fact | None:
    """Take "jazz is my favourite music" as "favourite music: jazz"."""
    language = told.language
    for place in range(1, min(len(words) - 3, _ITEM)):
        owned = words[place].fold in language.copulas and words[place + 1].fold in language.own
        nouns = [word for word in words[place + 2 :] if word.fold not in language.articles]
        if not owned or not any(word.fold in language.favourites for word in nouns):
            continue
        if words[0].fold in language.others | language.own or language.signs.pointing.starts(words):
            return None
        value, what = plain(words[:place], told.shown), plain(nouns[:_ITEM], told.shown)
        return Fact(
            text=f"{what}: {value}", kind=Kind.PREF, weight=0.8, start=words[0].start, end=words[-1].end
        )
    return None


def felt_again(words: Sequence[Word], told: Told) -> Fact | None:
    """A feeling that comes again and again, or that something always brings."""
    return _recurring(words, told) or _brought(words, told)


def _brought(words: Sequence[Word], told: Told) -> Fact | None:
    """Take "deadlines make me anxious" as "anxious about deadlines"."""
    language = told.language
    for place in range(1, min(len(words), 8)):
        ends = [end for pattern in language.brings if (end := pattern.end(words, place))]
        if not ends or words[0].fold in language.others or language.signs.pointing.starts(words):
            continue
        cause = joined(words[:place], language.third(words[:place], verb=True), told.shown)
        feeling = words[max(ends) - 1].text
        joint = "about" if language.code == "en" else "com"
        return Fact(
            text=f"{feeling} {joint} {cause[:1].lower() + cause[1:]}",
            kind=Kind.EMO,
            weight=0.8,
            start=words[0].start,
            end=words[max(ends) - 1].end,
        )
    return None


def _recurring(words: Sequence[Word], told: Told) -> Fact | None:
    """Take "whenever deadlines come up I get anxious" as "gets anxious whenever deadlines come up"."""
    language = told.language
    start = next(
        (place for place in range(min(len(words), 3)) if language.signs.every_time.at(words, place)), None
    )
    if start is None:
        return None
    for place in range(start + 2, len(words)):
        if any(pattern.end(words, place) for pattern in language.feels):
            felt, cause = words[place:], words[start:place]
            texts = (joined(felt, language.third(felt), told.shown), _cause(cause, told))
            return Fact(
                text=" ".join(texts), kind=Kind.EMO, weight=0.8, start=words[start].start, end=words[-1].end
            )
    return None


def _cause(words: Sequence[Word], told: Told) -> str:
    first = words[0].text.lower()
    return joined(words, [first, *told.language.third(words, verb=True)[1:]], told.shown)
