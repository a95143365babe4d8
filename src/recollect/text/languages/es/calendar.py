"""Date words of Spanish."""

from recollect.text.languages.calendar import Calendar, Unit, number_words

MONTHS = number_words(
    "enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre"
)
WEEKDAYS = number_words("lunes martes miercoles jueves viernes sabado domingo", first=0)

CALENDAR = Calendar(
    months=MONTHS | {"setiembre": 9},
    month_abbreviations={},
    ambiguous_months=frozenset(),
    month_markers=frozenset("en de desde hasta".split()),
    weekdays=WEEKDAYS,
    days={
        ("hoy",): 0,
        ("esta", "manana"): 0,
        ("esta", "noche"): 0,
        ("ayer",): -1,
        ("anoche",): -1,
        ("anteayer",): -2,
    },
    vague_days={("el", "otro", "dia"): -2},
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
    numbers=number_words("un dos tres cuatro cinco seis siete ocho nueve diez once doce") | {"una": 1},
    vague_numbers={"par": 2, "unos": 3, "unas": 3},
    past_words=frozenset("pasado pasada ultimo ultima".split()),
    vague_past_words=frozenset(),
    future_words=frozenset("proximo proxima siguiente".split()),
    future_phrase=("que", "viene"),
    current_words=frozenset("este esta".split()),
    adjectives_follow=True,
    ago_words=frozenset(),
    since_words=frozenset({"hace"}),
    prepositions=frozenset("en el desde hasta este".split()),
    connectors=frozenset({"de"}),
    ordinal_suffixes=frozenset({"o"}),
    habitual_day_parts=frozenset(),
)
