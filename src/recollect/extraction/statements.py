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

from recollect.extraction.completeness import is_complete_statement
from recollect.extraction.mentions import Mention, antecedent, find_mentions
from recollect.extraction.rules.lexicon import word_set
from recollect.extraction.rules.tokens import Word, fold
from recollect.extraction.sentence_predicate import predicate
from recollect.extraction.sentence_units import SentenceUnit, word_tokens
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
        r"(?:second|first|other|another|one more|last|next) thing|thing|secondly|third|thirdly|"
        r"also remember|remember that|remember|note that|keep in mind that|"
        r"keep in mind|in case i never said|i should say that|i should say|i should mention that|i should mention|"
        r"did i mention that|did i mention|i forgot to say that|i forgot to say|i forgot to mention that|"
        r"i forgot to mention|as i said|like i said|please note that|please note|i mean(?! to)|quick update|"
        r"small correction|quick one|"
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
_TRAILING_FILLER = re.compile(
    r"(?:[\s,]+(?:btw|by the way|lol|lmao|haha\w*|tho|k{3,}|rs(?:rs)+|né|viu|por sinal))+(?=\W*$)",
    re.IGNORECASE,
)
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
#: "Since I'll be here a lot: I'm an engineer".
_REASON_LEAD = re.compile(
    r"(?:since|as|because|given|já que|como|visto que|para que)\s[^:.]{3,60}:\s+"
    r"|[^:.]{0,60}\b(?:for your notes|for context|for the record|context|fyi|contexto|anota aí|"
    r"pra contextualizar)\s*:\s+",
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
_OBJECT_PRONOUN = re.compile(
    r"\b(?:(?:with|without|for|to|about|from|keep|miss|love|visit|see|met|call|tell) (?P<pronoun>him|her|them)"
    r"|(?:com|sem|para|pra|por|sobre|d)\s?(?P<pt>ele|ela|eles|elas))(?=\s*(?:[.,;!?]|$))",
    re.IGNORECASE,
)
_MAX_UNRESOLVED_WORDS = 7
_MAX_CORRECTED_WORDS = 4
_POSITIVE_VERBS = {"não é": "é", "is not": "is", "are not": "are", "isn't": "is", "aren't": "are"}
_NOT_BUT = re.compile(
    r"(?P<subject>(?!it\b|isso\b|that\b)[^,;]{3,60}?) (?P<verb>is not|are not|isn't|aren't|n[ãa]o é) [^,;]{2,30}, "
    r"(?:it's|it is|they're|but|é|mas|e sim)\s+(?P<new>[^,;]{2,40})$",
    re.IGNORECASE,
)
#: Only a day or a number: "REST, not GraphQL" says more than "REST".
_BUT_NOT = re.compile(
    r"(?<=\w),? (?:and )?not (?:on |at |in )?(?:the )?(?:\d[\w:.]*|(?:mon|tues|wednes|thurs|fri|satur|sun)day)$"
    r"|(?<=\w),? (?:e )?n[ãa]o (?:n[oa] |dia |às )?(?:\d[\w:.]*|segunda|terça|quarta|quinta|sexta|s[áa]bado|"
    r"domingo)$",
    re.IGNORECASE,
)
_JOINED_PRONOUNS = word_set("he she they it this that these those his her their ele ela eles elas isso isto")
_GERUND_START = word_set(
    "starting moving leaving working living going taking doing getting planning thinking training learning studying "
    "saving trying looking teaching coming having"
)
#: "New rule: no deploys on Fridays" needs no verb.
_LABELLED = re.compile(r"(?:[^\W_]+\s){0,2}[^\W_]+:\s+(?:\S+\s+){3}")
#: "Training is on Tuesdays" has its subject already.
_IS = re.compile(r"\w+ (?:is|are|was|were|starts|takes|costs)\b", re.IGNORECASE)
#: "Start on the 4th", but not "start with the sauce".
_WHEN = re.compile(
    r"start (?:\w+ ){0,4}?(?:on |at |from )?(?:the \d|\d|monday|tuesday|wednesday|thursday|friday|saturday|"
    r"sunday|next|in )",
    re.IGNORECASE,
)
#: A clause such as "… so don't let me forget" addresses the assistant.
_TRAILING_ORDER = re.compile(
    r",? so (?:please|pls|don't|dont|do not|be|no|write|make|give|keep|use|help|remind|tell|let's) .*$"
    r"|,? (?:então|entao|aí|por isso) (?:não (?:me |esquece)|me (?:ajuda|lembra|faz|dá)|faz|sugere|usa|evita) .*$",
    re.IGNORECASE,
)
#: Words whose referent is in another sentence.
_DANGLING = re.compile(
    r"\b(?:the (?:left|right|other|same|latter|former) one|one of those|nisso|disso|nisto|disto|naquilo"
    r"|(?:had|has|have|want|wants|got|keep|staying with|live with|working on) (?:it|them)"
    r"|\w+[áêí]-l[oa]s?)\b|^(?:[oa] d[oa] |quem (?!(?:[^,]+ )?(?:é|foi|era|são|vai ser)\b))",
    re.IGNORECASE,
)
#: Portuguese verbs of the third person, whose subject is in another sentence if they come first.
_SUBJECTLESS_STARTS = word_set(
    "foi ficou fica era tem tinha vai custou custa esta estava ta tava precisa mora trabalha estuda sofre"
)
#: "They've put me on naproxen" says of nobody in particular what happened to the user.
_IMPERSONAL_THEY = re.compile(r"they(?:['’]?(?:ve|re|ll)|['’]d)?(?: \w+){1,2} (?:me|us)\b", re.IGNORECASE)
_PERSON_STARTS = word_set("he she they ele ela eles elas hes shes theyre his her their")
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
    for place in range(1, len(clauses)):
        if _begins_request(clauses[place], language):
            clauses = clauses[:place]
            break
    if not clauses:
        return None
    start, end = clauses[0].start, clauses[-1].end
    text = unit.text[start - unit.start : end - unit.start]
    if text.count("(") > text.count(")") and unit.text[end - unit.start : end - unit.start + 1] == ")":
        text, end = text + ")", end + 1
    if text.count("(") != text.count(")"):
        text = text.replace(")", "", 1) if text.count(")") > text.count("(") else text[: text.rindex("(")]
        end = start + len(text)
    for pattern in (_LEADING_FILLER[language], _STANDING_LEAD, _REASON_LEAD):
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
    has_name = any(token.text[0].isupper() for token in clause.tokens[1:])
    if not without_filler or (classes and not has_name and classes <= {"filler", "smalltalk", "memory"}):
        return True
    if not is_first and _draws_conclusion(clause, classes, language):
        return True
    if "standing" in classes:
        return False
    is_request = "request" in classes and not _CONTENT_CLASSES & classes - {"goal", "work", "tech"}
    asks = is_question and bool({"question_word", "second_person", "request"} & classes)
    is_short_talk = (
        "smalltalk" in classes and not _CONTENT_CLASSES & classes and len(clause.words) <= _MAX_SMALL_TALK
    )
    return is_request or (not is_first and (asks or is_short_talk))


def _begins_request(clause: SentenceUnit, language: str) -> bool:
    """Return whether a clause in the middle begins a request: "I'm the best man, I need a speech, a short one"."""
    vocabulary = SENTENCE_VOCABULARIES[language]
    return "request" in vocabulary.classes_at(clause.words, 0) and not {
        "standing",
        "standing_order",
    } & _classes(clause, language)


def _draws_conclusion(clause: SentenceUnit, classes: AbstractSet[str], language: str) -> bool:
    if clause.words[0] not in _CONSEQUENCE_WORDS:
        return False
    vocabulary = SENTENCE_VOCABULARIES[language]
    is_order = len(clause.words) > 1 and "imperative" in vocabulary.classes_at(clause.words, 1)
    return is_order or bool(classes & {"request", "second_person"})


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
    text = _TRAILING_ORDER.sub("", text)
    if not text.split() or points_elsewhere(text):
        return None
    completed = _with_subject(text, mentions, units, index, language)
    if completed is None or not _MIN_STATEMENT_WORDS <= len(completed.split()) <= _MAX_STATEMENT_WORDS:
        return None
    resolved = _resolve_object(_apply_correction(completed), mentions)
    if resolved is None or is_complete_statement(resolved, language) or _LABELLED.match(resolved):
        return resolved
    return None


def _with_subject(
    text: str, mentions: Sequence[Mention], units: Sequence[SentenceUnit], index: int, language: str
) -> str | None:
    """Return the text with the person or thing that its first word refers to; None if that is unknown."""
    first = fold(text.split(maxsplit=1)[0]).strip(",.:;!")
    if first.partition("'")[0] in _PERSON_STARTS:
        person = antecedent(first, mentions) or antecedent(first.partition("'")[0], mentions)
        if person is None:
            return text if _IMPERSONAL_THEY.match(text) else None
        return _replace_pronoun(first, person, text)
    if language == "pt":
        if first in {"isso", "isto", "aquilo"}:
            return _joined_with_previous(units, index, text, language)
        return None if first in _SUBJECTLESS_STARTS else text
    if first in _IT_STARTS:
        return _joined_with_previous(units, index, text, language)
    subject = _missing_subject(first, text)
    return f"{subject}{text[0].lower()}{text[1:]}" if subject else text


def _missing_subject(first: str, text: str) -> str:
    """Return the beginning that a note without a subject lacks: "Passed my test" → "I ", "Moving to Leeds" → "I'm "."""
    if first in _VERBLESS_START:
        return "I have " if first == "been" else "I "
    if first == "start" and _WHEN.match(text):
        return "I "
    return "I'm " if first in _GERUND_START and not _IS.match(text) else ""


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


def _apply_correction(text: str) -> str:
    """Return the clause that holds of a statement that denies another: "it's not on Friday, it's on Saturday"."""
    match = _NOT_BUT.match(text)
    if match and len(match["new"].split()) <= _MAX_CORRECTED_WORDS:
        verb = _POSITIVE_VERBS[match["verb"].casefold().replace("nao", "não")]
        return f"{match['subject']} {verb} {match['new']}"
    return _BUT_NOT.sub("", text)


def _resolve_object(text: str, mentions: Sequence[Mention]) -> str | None:
    """Replace a pronoun at the end of a clause ("without her"); a short statement with an unknown one is dropped."""
    match = _OBJECT_PRONOUN.search(text)
    if match is None:
        return text
    group = "pronoun" if match["pronoun"] else "pt"
    person = antecedent(fold(match[group]), mentions)
    if person is not None and group == "pronoun":
        return f"{text[: match.start(group)]}{person.text}{text[match.end(group) :]}"
    if person is not None:
        return text
    return text if len(text.split()) > _MAX_UNRESOLVED_WORDS else None


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
    is_pronoun = fold(text.split(maxsplit=1)[0]).partition("'")[0] in _JOINED_PRONOUNS
    joined = f"{text[0].lower()}{text[1:]}" if is_pronoun else text
    return f"{previous.text.rstrip('.,;: ')}; {joined}"


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
            date := _nearest_date(
                sent_at,
                month,
                int(match["day"] or match["day2"]),
                is_future=_is_future_at(text, match.start(), language, default=is_future),
            )
        ):
            insertions.append((match.end(), f"{date:%Y-%m-%d}"))
            dates.append(date)
    for mention in _relative_dates(text, words, sent_at, language, is_future=is_future):
        start, end = words[mention.first_word].start, words[mention.last_word].end
        if _is_ordinal(words, mention, language):
            continue
        if not mention.label or any(start - 12 <= place <= end + 12 for place, _ in insertions):
            continue
        if words[mention.first_word].fold in {"today", "hoje", "tonight"} and not dates and _is_habit(text):
            continue
        insertions.append((end, mention.label))
        dates.append(mention.starts_at)
    for place, label in sorted(insertions, reverse=True):
        text = f"{text[:place]} ({label}){text[place:]}"
    return text, min(dates) if dates else None


def _is_ordinal(words: Sequence[Word], mention: DateMention, language: str) -> bool:
    """Return whether a Portuguese weekday counts something: "segunda mão", "terça parte"."""
    following = words[mention.last_word + 1 : mention.last_word + 2]
    return language == "pt" and bool(following) and following[0].fold in _COUNTED_NOUNS


def _relative_dates(
    text: str, words: Sequence[Word], sent_at: datetime, language: str, *, is_future: bool
) -> Iterator[DateMention]:
    """Yield relative dates by the tense of their clause; after "until" in the future, after "since" in the past."""
    calendar, folds = LANGUAGES[language].calendar, [word.fold for word in words]
    future, past = (
        {mention.first_word: mention for mention in find_dates(folds, sent_at, calendar, is_future=tense)}
        for tense in (True, False)
    )
    for first_word in sorted(future.keys() | past.keys()):
        word = words[first_word]
        if word.fold in _UNTIL_WORDS:
            is_ahead = True
        elif word.fold in _SINCE_WORDS:
            is_ahead = False
        else:
            is_ahead = _is_future_at(text, word.start, language, default=is_future)
        chosen, other = (future, past) if is_ahead else (past, future)
        yield chosen.get(first_word) or other[first_word]


def _is_future_at(text: str, place: int, language: str, *, default: bool) -> bool:
    """Return whether a date is ahead, by the verb of its clause."""
    start = max((match.end() for match in _TENSE_BREAK.finditer(text, 0, place)), default=0)
    following = _TENSE_BREAK.search(text, place)
    clause = text[start : following.start() if following else len(text)]
    if _PRESENT_VERB.search(clause):
        return True
    form = predicate(tuple(map(fold, word_tokens(clause))), language).partition(":")[2]
    if form.startswith(("past", "was")) or form == "have_done":
        return False
    return True if form.startswith(_PRESENT_FORMS) else default


#: Portuguese verbs that announce a date. With an accent ("saí") they are past, which folding hides.
_PRESENT_VERB = re.compile(
    r"\b(?:sai|saem|começa|começam|vence|vencem|abre|fecha|termina|acaba|parte|chega)\b"
)
_TENSE_BREAK = re.compile(r"[,;:.]\s|\s(?:and|but|because|so|e|mas|porque|que)\s", re.IGNORECASE)
_PRESENT_FORMS = ("be", "will", "want", "present", "modal", "stay")
_COUNTED_NOUNS = word_set(
    "mao fase vez opcao parte chamada linha classe ordem via edicao temporada etapa filha gravidez casa"
)
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


def points_elsewhere(text: str) -> bool:
    """Return whether a text names something that only another sentence says: "takes none of that"."""
    match = _DANGLING.search(text)
    return match is not None and "," not in text[: match.start()]


def strip_trailing_filler(text: str) -> str:
    """Return a fact of the rules without "btw" or "lol" at its end."""
    return _TRAILING_FILLER.sub("", text)


def _finish(text: str, language: str) -> str:
    if language == "en":
        text = _WORD.sub(
            lambda match: _CORRECTIONS.get(match.group().casefold().replace("’", "'"), match.group()), text
        )
    text = re.sub(r"\s+([,.;:!?)])", r"\1", re.sub(r"\s+", " ", text)).strip(" ,;:-–—")
    text = text.rstrip(".!…") if not text.endswith(("Jr.", "etc.")) else text
    return f"{text[:1].upper()}{text[1:]}."
