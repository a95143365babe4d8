"""Date words of English."""

from recollect.text.languages.calendar import Calendar, Unit, number_words

MONTHS = number_words("january february march april may june july august september october november december")
WEEKDAYS = number_words("monday tuesday wednesday thursday friday saturday sunday", first=0)

CALENDAR = Calendar(
    months=MONTHS,
    month_abbreviations=number_words("jan feb mar apr may jun jul aug sep oct nov dec") | {"sept": 9},
    ambiguous_months=frozenset("may march mar jan sep dec".split()),
    month_markers=frozenset("in on of during since until by last this late early mid".split()),
    weekdays=WEEKDAYS,
    days={
        ("today",): 0,
        ("tonight",): 0,
        ("this", "morning"): 0,
        ("this", "afternoon"): 0,
        ("this", "evening"): 0,
        ("yesterday",): -1,
        ("last", "night"): -1,
        ("tomorrow",): 1,
    },
    vague_days={("the", "other", "day"): -2},
    units={
        "day": Unit.DAY,
        "days": Unit.DAY,
        "week": Unit.WEEK,
        "weeks": Unit.WEEK,
        "month": Unit.MONTH,
        "months": Unit.MONTH,
        "year": Unit.YEAR,
        "years": Unit.YEAR,
    },
    vague_units={"weekend": Unit.WEEKEND, "weekends": Unit.WEEKEND},
    numbers=number_words("one two three four five six seven eight nine ten eleven twelve")
    | {"a": 1, "an": 1},
    vague_numbers={"couple": 2, "few": 3},
    past_words=frozenset({"last"}),
    vague_past_words=frozenset({"past"}),
    future_words=frozenset({"next"}),
    future_phrase=(),
    current_words=frozenset({"this"}),
    adjectives_follow=False,
    ago_words=frozenset({"ago"}),
    since_words=frozenset(),
    prepositions=frozenset("in on since by until this".split()),
    connectors=frozenset({"of"}),
    ordinal_suffixes=frozenset("st nd rd th".split()),
    habitual_day_parts=frozenset("mornings afternoons evenings nights".split()),
)
