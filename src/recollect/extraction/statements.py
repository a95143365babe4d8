"""
Tidy a sentence of the user into one complete statement.

1. Fillers ("btw", "so", "lol"), leading and trailing requests and small talk are removed.
2. A pronoun at the start gets the person of the sentences before it: "he's a carpenter" → "My brother Rui is a
   carpenter".
3. Relative and yearless dates get their date in parentheses: "last tuesday (2026-05-12)".
4. Independent statements joined by "and" become several; the first letter is a capital and the last sign a full stop.

What cannot be completed (a pronoun without a person, a remark without a verb) gives no statement.
"""

import re
from collections.abc import Iterator, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from datetime import datetime, timedelta

from recollect.extraction.mentions import Mention, antecedent, find_mentions
from recollect.extraction.rules.lexicon import word_set
from recollect.extraction.rules.tokens import Word, fold
from recollect.extraction.sentence_units import SentenceUnit
from recollect.extraction.sentence_vocabulary import SENTENCE_VOCABULARIES
from recollect.text.dates import DateMention, find_dates
from recollect.text.languages import LANGUAGES

_MIN_STATEMENT_WORDS = 3
_MAX_STATEMENT_WORDS = 60
#: Words of a clause of small talk that is left out.
_MAX_SMALL_TALK = 6

_LEADING_FILLER = {
    "en": re.compile(
        r"(?:(?:so|ok|okay|right|well|oh|and|but|also|plus|anyway|anyways|btw|by the way|fwiw|fyi|ah|hmm|um|"
        r"uh|lol|haha|honestly|actually|look|listen|hey|hi|hello|yeah|because|cos|cause|then|now"
        r"|just so you know|so you know|for context|for background|for the record|for your notes|"
        r"for future reference|funny enough|you know what|the thing is|thing is|here's the thing|"
        r"here's the deal|fun fact|heads up|update|news|big news|turns out|good news|bad news|first|second|"
        r"secondly|third|thirdly|also remember|remember that|remember|note that|keep in mind that|"
        r"keep in mind|in case i never said|i should say|i should mention|did i mention that|did i mention|"
        r"i forgot to say|as i said|like i said|please note|i mean|quick update|small correction|quick one|"
        r"it's official|its official|(?:yes|no)(?=,))\b[\s,:;!.…-]+)+",
        re.IGNORECASE,
    ),
    "pt": re.compile(
        r"(?:(?:então|entao|bom|ah|ai|aí|e|mas|olha|olha só|opa|cara|gente|enfim|aliás|alias|ok|tá|ta|né|oi|"
        r"olá|só pra contextualizar|só para contextualizar|pra contextualizar|só pra você saber|"
        r"só pra vc saber|só pra constar|para contexto|a propósito|por sinal|já agora|ja agora|outra coisa|"
        r"fora isso|além disso|também|tipo|sabe|na verdade|pois|porque|pq|que|agora|lembra que|lembre que|"
        r"lembra|anota aí|anota|guarda aí|regra de ouro pra vc guardar|seguinte|é o seguinte|novidade|"
        r"novidade grande|novidades|notícia boa|boa notícia|isso quer dizer que|quer dizer|entretanto|vixe|"
        r"eita|aff|no mais|de resto|ah e|primeiro|segundo)\b[\s,:;!.…-]+)+",
        re.IGNORECASE,
    ),
}
_INNER_FILLER = re.compile(
    r"(?:,\s*|\s+)(?:by the way|btw|lol|lmao|haha\w*|k{3,}|rs(?:rs)*|né|viu|tá\?|ok\?|you know|"
    r"if you please|in case i never said|if you must know|if that helps|se ajudar|por sinal|aliás|"
    r"graças a deus|thank god|fyi|would you believe it|acredita)(?=\s*(?:[,.;!?)]|$))",
    re.IGNORECASE,
)
_LEADING_ASIDE = re.compile(r"^(?:by the way|btw|lol|haha|please|pls|por favor)[\s,:]+", re.IGNORECASE)
#: A politeness does not belong to a standing instruction.
_POLITENESS = re.compile(
    r"(?:^|\s*,\s*|\s+)(?:please|pls|por favor|se faz favor)(?=[\s,.;!?]|$)[,]?", re.IGNORECASE
)
_SPLIT = {
    "en": re.compile(
        r",?\s(?:and|but)\s(?=(?:i|i'm|i've|i'll|im|ive|we|we're|we've|we'll|my|our)\s)|;\s|,\s(?=(?:i'm|"
        r"i've|we've|we're|my|our)\s)",
        re.IGNORECASE,
    ),
    "pt": re.compile(
        r",?\s(?:e|mas)\s(?=(?:eu|a gente|nós|meu|minha|o meu|a minha|os meus|as minhas|nosso|nossa|tenho|"
        r"moro|trabalho|sou)\s)|;\s|,\s(?=(?:eu|meu|minha|o meu|a minha)\s)",
        re.IGNORECASE,
    ),
}
_SUBORDINATE = word_set(
    "if when because since as while although though unless until whenever before after se quando porque "
    "como enquanto embora desde "
    "caso depois antes que sempre what how why"
)
_CONTENT_CLASSES = frozenset(
    "health work home possess identity preference goal decision event emotion tech money hobby ended kin pet".split()
)
_DROPPED_CLAUSE_CLASSES = frozenset({"request", "question_word", "smalltalk"})
#: Begin a clause that draws a conclusion for the assistant: "so write descriptions accordingly".
_CONSEQUENCE_WORDS = word_set("so entao dai ai aí então therefore")
_SUBJECT_STARTS = word_set(
    "i i'm i've im ive we we're we've my our the he she nothing every eu a o as os meu minha meus minhas "
    "nosso nossa nos tenho sou moro estou tou"
)
_STANDING_LEAD = re.compile(
    r"[^.]*[:,]\s+(?=(?:from now on|de agora em diante|a partir de agora|daqui pra frente|daqui para a frente)\b)",
    re.IGNORECASE,
)
_PARENTHESIS = re.compile(r"\(([^()]{12,})\)")
_IT_IS_ME = re.compile(r"it'?s me,?\s+", re.IGNORECASE)
_CORRECTIONS = {
    "i": "I", "im": "I'm", "ive": "I've", "i'm": "I'm", "i've": "I've", "i'll": "I'll", "i'd": "I'd",
    "dont": "don't", "doesnt": "doesn't", "didnt": "didn't", "cant": "can't", "wont": "won't", "isnt": "isn't",
    "havent": "haven't", "hasnt": "hasn't", "wasnt": "wasn't", "couldnt": "couldn't", "wouldnt": "wouldn't",
    "theyre": "they're", "theyve": "they've", "shes": "she's", "hes": "he's", "thats": "that's",
}  # fmt: skip
_WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)*")
_VERBLESS_START = word_set("been got had went started moved lost bought sold passed failed finally")
_IT_STARTS = word_set("it it's its this that these those isso isto aquilo which")
_PRONOUN_VERBS = {"re": "are", "ve": "have", "ll": "will", "d": "would"}
_MONTHS = {
    name: number
    for number, names in enumerate(
        (
            "january jan janeiro", "february feb fevereiro", "march mar marco", "april apr abril", "may maio",
            "june jun junho", "july jul julho", "august aug agosto", "september sept sep setembro",
            "october oct outubro", "november nov novembro", "december dec dezembro",
        ),
        start=1,
    )
    for name in names.split()
}  # fmt: skip
_MONTH_NAMES = "|".join(sorted((*_MONTHS, "março"), key=len, reverse=True))
_DAY_MONTH = re.compile(
    rf"\b(?P<day>\d{{1,2}})(?:st|nd|rd|th|º|o)?\s+(?:of\s+|"
    rf"de\s+)?(?P<month>{_MONTH_NAMES})\b(?!\s*,?\s*(?:de\s+)?\d{{4}})"
    rf"|\b(?P<month2>{_MONTH_NAMES})\s+(?:the\s+)?(?P<day2>\d{{1,2}})(?:st|nd|rd|th)?\b(?!\s*,?\s*\d{{4}})",
    re.IGNORECASE,
)
_VERB_PATTERN = {
    "en": re.compile(
        r"\b(?:am|is|are|was|were|be|been|has|have|had|do|does|did|can|can't|cannot|could|will|won't|would|"
        r"must|should|may|might|need|needs|\w+'(?:s|m|re|ve|ll|d)|\w+ed|\w+n't|\w{3,}s|go|goes|went|get|"
        r"gets|got|live|work|love|like|hate|prefer|want|use|eat|drink|drive|play|run|teach|study|start|"
        r"moved?|keep|take|make|put|say|write|give|pay|sleep|speak|own|call|feel|know|never|always|lost|"
        r"found|bought|sold|broke|left|met|told|said|took|made|gave|came|cost|born|don't|decided|agreed|"
        r"sign|merge|answer|use|avoid|stop)\b",
        re.IGNORECASE,
    ),
    "pt": re.compile(
        r"\b(?:é|e|são|foi|era|está|tá|to|tô|tou|estou|sou|somos|tem|tenho|têm|temos|vai|vou|vamos|vão|há|"
        r"faz|fica|fico|deu|"
        r"\w+(?:ei|ou|eu|iu|ia|am|em|amos|emos|imos|ava|aram|eram|iram|ando|endo|indo|ado|ada|ido|ida)|"
        r"[a-zç]{3,}[oae]|nasceu|morreu|pode|posso|não|nunca|sempre|usa|use|me|se)\b",
        re.IGNORECASE,
    ),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class CompleteStatement:
    """A complete statement and the characters of the message that it was made of."""

    text: str
    start: int
    end: int
    starts_at: datetime | None = None  #: the first date it names


def tidy_sentence(
    units: Sequence[SentenceUnit], index: int, *, language: str, sent_at: datetime, is_future: bool
) -> list[CompleteStatement]:
    """Return the statements of a kept sentence; empty if none is complete."""
    mentions = [mention for unit in units[: index + 1] for mention in find_mentions(unit.tokens)]
    own = _own_part(units[index], language)
    if own is None:
        return []
    statements = []
    subject_mentions = [mention for mention in mentions if mention.end <= own.start]
    for part in _independent_parts(own, language):
        before = [m for m in mentions if m.end <= part.start] or subject_mentions
        text = _complete(part, before, units, index, language)
        if text is None:
            continue
        dated, starts_at = _resolve_dates(text, language, sent_at, is_future=is_future)
        statements.append(
            CompleteStatement(
                text=_finish(dated, language), start=part.start, end=part.end, starts_at=starts_at
            )
        )
    return statements


def _classes(unit: SentenceUnit, language: str) -> set[str]:
    vocabulary = SENTENCE_VOCABULARIES[language]
    return {
        name for position in range(len(unit.words)) for name in vocabulary.classes_at(unit.words, position)
    }


def _own_part(unit: SentenceUnit, language: str) -> SentenceUnit | None:
    """Return the sentence without leading and trailing fillers, requests and small talk."""
    clauses = unit.clauses()
    while len(clauses) > 1 and (
        _is_droppable(clauses[0], language, is_question=False, is_first=True)
        or _is_lead_in(clauses, unit, language)
    ):
        clauses = clauses[1:]
    while len(clauses) > 1 and _is_droppable(
        clauses[-1], language, is_question=unit.is_question, is_first=False
    ):
        clauses = clauses[:-1]
    if not clauses:
        return None
    start, end = clauses[0].start, clauses[-1].end
    text = unit.text[start - unit.start : end - unit.start]
    if text.count("(") > text.count(")") and unit.text[end - unit.start : end - unit.start + 1] == ")":
        text, end = text + ")", end + 1
    if text.count("(") != text.count(")"):
        text = text.replace(")", "", 1) if text.count(")") > text.count("(") else text[: text.rindex("(")]
        end = start + len(text)
    for pattern in (_LEADING_FILLER[language], _STANDING_LEAD):
        match = pattern.match(text)
        if match and match.end() < len(text):
            text, start = text[match.end() :], start + match.end()
    return SentenceUnit(text=text, start=start, end=end, terminator=unit.terminator)


def _is_lead_in(clauses: Sequence[SentenceUnit], unit: SentenceUnit, language: str) -> bool:
    """Return whether the first clause says nothing and the next one begins a statement of its own."""
    first, second = clauses[0], clauses[1]
    classes = _classes(first, language)
    if first.words[0] in _SUBORDINATE or classes & (
        _CONTENT_CLASSES | {"standing", "memory", "month", "weekday", "since", "ended"}
    ):
        return False
    rest = SentenceUnit(text=unit.text[second.start - unit.start :], start=0, end=0, terminator="")
    has_verb = _VERB_PATTERN[language].search(first.text) is not None
    if first.tokens[-1].text[0].isupper():
        return False
    return has_verb and second.words[0] in _SUBJECT_STARTS and _can_stand_alone(rest, language)


def _is_droppable(clause: SentenceUnit, language: str, *, is_question: bool, is_first: bool) -> bool:
    """Return whether a clause at an end of the sentence is filler, a request or small talk."""
    classes = _classes(clause, language)
    without_filler = _LEADING_FILLER[language].sub("", clause.text + " ").strip()
    if not without_filler or (classes and classes <= {"filler", "smalltalk", "memory"}):
        return True
    if not is_first and _draws_conclusion(clause, classes):
        return True
    if "standing" in classes:
        return False
    is_request = "request" in classes and not _CONTENT_CLASSES & classes - {"goal", "work", "tech"}
    asks = is_question and bool({"question_word", "second_person", "request"} & classes)
    is_short_talk = (
        "smalltalk" in classes and not _CONTENT_CLASSES & classes and len(clause.words) <= _MAX_SMALL_TALK
    )
    return is_request or (not is_first and (asks or is_short_talk))


def _draws_conclusion(clause: SentenceUnit, classes: AbstractSet[str]) -> bool:
    return clause.words[0] in _CONSEQUENCE_WORDS and bool(
        classes & {"imperative", "request", "second_person"}
    )


def _independent_parts(unit: SentenceUnit, language: str) -> Iterator[SentenceUnit]:
    """Split where two statements with a subject of their own are joined, and take out statements in parentheses."""
    text = unit.text
    for match in _PARENTHESIS.finditer(unit.text):
        inner = SentenceUnit(
            text=match[1], start=unit.start + match.start(1), end=unit.start + match.end(1), terminator=""
        )
        if _can_stand_alone(inner, language) and {"first_person", "first_possessive"} & _classes(
            inner, language
        ):
            yield inner
            text = text.replace(match.group(), " " * len(match.group()))
    if text != unit.text:
        host = SentenceUnit(text=text, start=unit.start, end=unit.end, terminator=unit.terminator)
        if not _can_stand_alone(host, language):
            return
    start = 0
    for match in _SPLIT[language].finditer(text):
        left = SentenceUnit(text=text[start : match.start()], start=0, end=0, terminator="")
        right = SentenceUnit(text=text[match.end() :], start=0, end=0, terminator="")
        if not _can_stand_alone(right, language):
            continue
        if _can_stand_alone(left, language):
            yield _part(unit, text, start, match.start())
            start = match.end()
        elif (
            len(left.words) > 3 and not _has_content(left, language) and not left.tokens[-1].text[0].isupper()
        ):
            start = match.end()
    yield _part(unit, text, start, len(text))


def _part(unit: SentenceUnit, text: str, first: int, last: int) -> SentenceUnit:
    return SentenceUnit(
        text=text[first:last], start=unit.start + first, end=unit.start + last, terminator=unit.terminator
    )


def _has_content(part: SentenceUnit, language: str) -> bool:
    has_number_or_name = any(
        not token.text[1:].islower() or token.text[0].isupper()
        for token in part.tokens[1:]
        if len(token.text) > 1
    )
    return bool(_CONTENT_CLASSES & _classes(part, language)) and (
        has_number_or_name or _VERB_PATTERN[language].search(part.text) is not None
    )


def _can_stand_alone(part: SentenceUnit, language: str) -> bool:
    words = part.words
    return (
        len(words) >= 4
        and words[0] not in _SUBORDINATE
        and part.text.count("(") == part.text.count(")")
        and bool(_CONTENT_CLASSES & _classes(part, language))
        and _VERB_PATTERN[language].search(part.text) is not None
    )


def _complete(
    part: SentenceUnit, mentions: Sequence[Mention], units: Sequence[SentenceUnit], index: int, language: str
) -> str | None:
    text = _INNER_FILLER.sub("", part.text)
    text = _POLITENESS.sub("", text).strip(" ,;:-–—")
    filler = _LEADING_FILLER[language].match(text)
    if filler and filler.end() < len(text):
        text = text[filler.end() :]
    text = _IT_IS_ME.sub("I'm ", text, count=1) if _IT_IS_ME.match(text) else text
    words = text.split()
    if not words:
        return None
    first = fold(words[0]).strip(",.:;!")
    if first.partition("'")[0] in {
        "he",
        "she",
        "they",
        "ele",
        "ela",
        "eles",
        "elas",
        "hes",
        "shes",
        "theyre",
    } or first in {"his", "her", "their"}:
        person = antecedent(first, mentions) or antecedent(first.partition("'")[0], mentions)
        if person is None:
            return _joined_with_previous(units, index, text, language)
        text = _replace_pronoun(first, person, text)
    elif (first in _IT_STARTS and language == "en") or first in {"isso", "isto", "aquilo"}:
        joined = _joined_with_previous(units, index, text, language)
        if joined is None:
            return None
        text = joined
    elif first in _VERBLESS_START and language == "en":
        text = f"I {'have ' if first == 'been' else ''}{text[0].lower()}{text[1:]}"
    if len(text.split()) < _MIN_STATEMENT_WORDS or len(text.split()) > _MAX_STATEMENT_WORDS:
        return None
    return text if _VERB_PATTERN[language].search(text) else None


def _replace_pronoun(first: str, person: Mention, text: str) -> str:
    word, _, rest = text.partition(" ")
    pronoun, apostrophe, ending = fold(word).partition("'")
    if first in {"his", "her", "their"}:
        return f"{person.text}'s {rest}"
    if pronoun in {"hes", "shes", "theyre"}:
        return f"{person.text} {'are' if pronoun == 'theyre' else 'is'} {rest}"
    if apostrophe and ending == "s":
        has = re.match(r"(?:been|got|had|just|never|always|lived|worked|moved|started)\b", rest)
        return f"{person.text} {'has' if has else 'is'} {rest}"
    if apostrophe:
        return f"{person.text} {_PRONOUN_VERBS.get(ending, ending)} {rest}"
    return f"{person.text} {rest}"


def _joined_with_previous(units: Sequence[SentenceUnit], index: int, text: str, language: str) -> str | None:
    """Complete "it's …" with the sentence before it."""
    if index == 0 or units[index - 1].is_question:
        return None
    previous = _own_part(units[index - 1], language)
    if previous is None or not 3 <= len(previous.words) <= 30:
        return None
    start = fold(previous.text.split()[0])
    if start.partition("'")[0] in {
        "he",
        "she",
        "they",
        "it",
        "this",
        "that",
        "ele",
        "ela",
        "isso",
    } or "request" in _classes(previous, language):
        return None
    if not (_CONTENT_CLASSES | {"role_person"}) & _classes(previous, language):
        return None
    return f"{previous.text.rstrip('.,;: ')}; {text}"


def _resolve_dates(
    text: str, language: str, sent_at: datetime, *, is_future: bool
) -> tuple[str, datetime | None]:
    """Append the date to relative and yearless dates."""
    matches = list(_WORD_OR_NUMBER.finditer(text))
    words = [
        Word(text=match.group(), fold=_calendar_fold(match.group()), start=match.start(), end=match.end())
        for match in matches
    ]
    insertions: list[tuple[int, str]] = []
    dates: list[datetime] = []
    for match in _DAY_MONTH.finditer(text):
        month = _MONTHS.get(fold(match["month"] or match["month2"]))
        if month and (
            date := _nearest_date(sent_at, month, int(match["day"] or match["day2"]), is_future=is_future)
        ):
            insertions.append((match.end(), f"{date:%Y-%m-%d}"))
            dates.append(date)
    for mention in _relative_dates(words, sent_at, language, is_future=is_future):
        start, end = words[mention.first_word].start, words[mention.last_word].end
        if not mention.label or any(start - 12 <= place <= end + 12 for place, _ in insertions):
            continue
        if words[mention.first_word].fold in {"today", "hoje", "tonight"} and not dates and _is_habit(text):
            continue
        insertions.append((end, mention.label))
        dates.append(mention.starts_at)
    for place, label in sorted(insertions, reverse=True):
        text = f"{text[:place]} ({label}){text[place:]}"
    return text, min(dates) if dates else None


def _relative_dates(
    words: Sequence[Word], sent_at: datetime, language: str, *, is_future: bool
) -> list[DateMention]:
    """Return relative dates; after "until" they are in the future and after "since" in the past, whatever the tense."""
    calendar, folds = LANGUAGES[language].calendar, [word.fold for word in words]
    mentions = find_dates(folds, sent_at, calendar, is_future=is_future)
    other_tense: dict[int, DateMention] = {}
    if any(words[mention.first_word].fold in _UNTIL_WORDS | _SINCE_WORDS for mention in mentions):
        others = find_dates(folds, sent_at, calendar, is_future=not is_future)
        other_tense = {mention.first_word: mention for mention in others}
    opposite_words = _SINCE_WORDS if is_future else _UNTIL_WORDS
    return [
        other_tense.get(mention.first_word, mention)
        if words[mention.first_word].fold in opposite_words
        else mention
        for mention in mentions
    ]


_SINCE_WORDS = word_set("since desde")
_UNTIL_WORDS = word_set("until till by ate")
_WORD_OR_NUMBER = re.compile(r"[^\W_]+(?:[-'’][^\W_]+)*")
_WEEKDAY_FORMS = {
    "mon": "monday",
    "tues": "tuesday",
    "wed": "wednesday",
    "thurs": "thursday",
    "fri": "friday",
}


def _calendar_fold(word: str) -> str:
    return _WEEKDAY_FORMS.get(fold(word), fold(word))


def _is_habit(text: str) -> bool:
    return re.search(r"\b(?:every|each|todo|toda|todos|todas)\b", text, re.IGNORECASE) is not None


def _nearest_date(sent_at: datetime, month: int, day: int, *, is_future: bool) -> datetime | None:
    """Return the date in the year that is nearest, or the next one of a plan."""
    candidates = []
    for year in (sent_at.year - 1, sent_at.year, sent_at.year + 1):
        try:
            candidates.append(
                sent_at.replace(year=year, month=month, day=day, hour=0, minute=0, second=0, microsecond=0)
            )
        except ValueError:
            continue
    if is_future:
        candidates = [date for date in candidates if date >= sent_at - timedelta(days=1)] or candidates
    return min(candidates, key=lambda date: abs(date - sent_at), default=None)


def _finish(text: str, language: str) -> str:
    if language == "en":
        text = _WORD.sub(
            lambda match: _CORRECTIONS.get(match.group().casefold().replace("’", "'"), match.group()), text
        )
    text = re.sub(r"\s+([,.;:!?)])", r"\1", re.sub(r"\s+", " ", text)).strip(" ,;:-–—")
    text = text.rstrip(".!…") if not text.endswith(("Jr.", "etc.")) else text
    return f"{text[:1].upper()}{text[1:]}."
