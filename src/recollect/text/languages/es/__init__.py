"""Spanish, in part: triage, dates, and the words that relate a query to a time or to the user."""

from recollect.text.languages.es.calendar import CALENDAR, MONTHS, WEEKDAYS
from recollect.text.languages.es.phrases import TRIAGE
from recollect.text.languages.language import Language, word_set

SPANISH = Language(
    code="es",
    calendar=CALENDAR,
    triage=TRIAGE,
    first_person_words=word_set("yo mis conmigo soy estoy nosotros nuestro nuestra"),
    time_words=word_set("ayer anteayer hoy semana semanas mes meses dia dias pasado pasada").union(
        MONTHS, WEEKDAYS
    ),
    # Without "dos", which means "of the" in Portuguese.
    number_words=word_set("tres cuatro cinco seis siete ocho nueve diez docena cien"),
    time_question_pattern=r"cuando|hace cuanto|que (?:dia|mes|ano|fecha)|a que hora",
    number_question_pattern=r"cuant[oa]s?",
)
