"""English."""

from recollect.text.languages.en.calendar import CALENDAR, MONTHS, WEEKDAYS
from recollect.text.languages.en.moods import MOODS
from recollect.text.languages.en.phrases import TRIAGE
from recollect.text.languages.language import Language, word_set

ENGLISH = Language(
    code="en",
    calendar=CALENDAR,
    triage=TRIAGE,
    stop_words=word_set(
        """
        a about am an and any are as at be been being but by can could did didn do does doesn doing don for from had has
        have he her hers him his how i if in into is it its just let me my of on or our ours s she should so some than
        that the their theirs them then there these they this those to too us was we were what when where which who whom
        whose why will with would you your yours t d m re ve ll im ive dont didnt doesnt whats thats
        """
    ),
    negations=word_set("not no never without cannot nor neither none nothing stopped quit quits dont doesnt"),
    negation_pattern=r"\b(?:not|never|no longer|without)|n't",
    first_person_words=word_set("i i'm i've i'd i'll my mine me we our us"),
    time_words=word_set(
        """
        yesterday today tomorrow tonight last next ago since recently week weeks month months year years weekend
        weekends day days morning evening
        """
    ).union(MONTHS, WEEKDAYS),
    number_words=word_set(
        "two three four five six seven eight nine ten once twice couple few several dozen hundred"
    ),
    time_question_pattern=r"when|how long|how often|what (?:date|day|month|year|time)",
    number_question_pattern=r"how (?:many|much|old|far|tall)|what (?:number|percentage|price)",
    intensifier_pattern=r"very|so|really|extremely|super|totally|completely",
    moods=MOODS,
    weak_mood="slightly {}",
    strong_mood="very {}",
)
