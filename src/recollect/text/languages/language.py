"""
What a language provides: the words and phrases that more than one package needs.

`text/languages/CODE/` defines one `Language` per folder, and `LANGUAGES` lists them. Fields with a default are
optional: without mood words no mood is detected in that language, and so on. The rules of fact extraction are no part
of it; a language without them is stored, searched and triaged, but only a model extracts facts from it.

All words are lower case without accents, except in phrases, which are folded when they are indexed.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field

from recollect.domain.reason import ReasonCode
from recollect.text.languages.calendar import Calendar
from recollect.text.languages.mood import Mood

#: A regular expression that matches nothing.
NO_PATTERN = r"(?!)"


@dataclass(frozen=True, slots=True, kw_only=True)
class TriagePhrases:
    """Comma-separated phrases that decide whether a message is trivial or worth extraction."""

    fillers: Mapping[ReasonCode, str]  #: by reason; a message that consists only of fillers is trivial
    connectives: str  #: words allowed between fillers; they have no reason of their own
    #: By reason: required words and further allowed words. A remark has a required word and no others than these.
    remarks: Mapping[ReasonCode, tuple[str, str]]
    question_openings: str  #: of general questions, as one would ask a search engine
    definition_openings: str
    translation_openings: str
    conversion_openings: (
        str  #: of calculations and unit conversions; a number or one of the unit phrases follows
    )
    one_unit_phrases: str
    possessives: str  #: words for things of the user
    personal_words: str  #: words that refer to the user or to this conversation
    statement_verbs: str  #: make a sentence without a question mark a statement
    keep_phrases: str  #: signal lasting information
    keep_exceptions: str  #: contain a keep phrase but are trivial


@dataclass(frozen=True, slots=True, kw_only=True)
class MoodWords:
    """How a mood is expressed. The patterns match folded text."""

    adjective: str = ""  #: as shown in summaries, in the masculine form
    name_pattern: str = NO_PATTERN  #: words that name the mood
    expression_pattern: str = NO_PATTERN  #: expressions of the mood that do not name it
    stem_pattern: str = NO_PATTERN  #: prefixes of words in facts about the mood
    tone_hint: str = ""  #: how to answer a user in that mood


@dataclass(frozen=True, slots=True, kw_only=True)
class Language:
    code: str  #: ISO 639-1
    calendar: Calendar
    triage: TriagePhrases
    stop_words: frozenset[str] = frozenset()  #: ignored in search, unless a query has no others
    negations: frozenset[str] = frozenset()  #: words that negate a statement
    negation_pattern: str = NO_PATTERN  #: a negation before the word that it negates
    first_person_words: frozenset[str] = frozenset()
    first_person_patterns: tuple[str, ...] = ()  #: verb endings and phrases of the first person
    time_words: frozenset[str] = frozenset()  #: words that name a time
    number_words: frozenset[str] = frozenset()
    time_question_pattern: str = NO_PATTERN  #: asks for a time: "when", "how long"
    number_question_pattern: str = NO_PATTERN  #: asks for a number: "how many"
    intensifier_pattern: str = NO_PATTERN  #: "very"
    moods: Mapping[Mood, MoodWords] = field(default_factory=dict)
    weak_mood: str = "{}"  #: with the adjective: "slightly {}"
    strong_mood: str = "{}"
    #: Last letters of masculine adjectives and those of the feminine form; empty if adjectives have one form.
    feminine_endings: tuple[str, str] | None = None


def word_set(*texts: str) -> frozenset[str]:
    return frozenset(word for text in texts for word in text.split())
