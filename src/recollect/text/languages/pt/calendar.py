"""Date words of Portuguese."""

from recollect.text.languages.calendar import Calendar, Unit, number_words

MONTHS = number_words(
    "janeiro fevereiro marco abril maio junho julho agosto setembro outubro novembro dezembro"
)
WEEKDAYS = number_words("segunda terca quarta quinta sexta sabado domingo", first=0)

CALENDAR = Calendar(
    months=MONTHS,
    month_abbreviations=number_words("jan fev mar abr mai jun jul ago set out nov dez"),
    ambiguous_months=frozenset("mar set out ago jan abr fev dez mai".split()),
    month_markers=frozenset("em de desde ate passado no na neste".split()),
    weekdays=WEEKDAYS
    | number_words("segunda-feira terca-feira quarta-feira quinta-feira sexta-feira", first=0),
    days={
        ("hoje",): 0,
        ("esta", "manha"): 0,
        ("essa", "manha"): 0,
        ("ontem",): -1,
        ("ontem", "a", "noite"): -1,
        ("anteontem",): -2,
        ("amanha",): 1,
    },
    vague_days={},
    units={
        "dia": Unit.DAY,
        "dias": Unit.DAY,
        "semana": Unit.WEEK,
        "semanas": Unit.WEEK,
        "mes": Unit.MONTH,
        "meses": Unit.MONTH,
        "ano": Unit.YEAR,
        "anos": Unit.YEAR,
    },
    vague_units={},
    numbers=number_words("um dois tres quatro cinco seis sete oito nove dez onze doze")
    | {"uma": 1, "duas": 2},
    vague_numbers={},
    past_words=frozenset("passado passada ultimo ultima".split()),
    vague_past_words=frozenset(),
    future_words=frozenset("proximo proxima seguinte".split()),
    future_phrase=("que", "vem"),
    current_words=frozenset("este esta esse essa neste nesta nesse nessa".split()),
    adjectives_follow=True,
    ago_words=frozenset({"atras"}),
    since_words=frozenset({"ha", "faz"}),
    prepositions=frozenset("em no na desde ate neste".split()),
    connectors=frozenset({"de"}),
    ordinal_suffixes=frozenset({"o"}),
    habitual_day_parts=frozenset(),
)
