"""Portuguese."""

from recollect.text.languages.language import Language, word_set
from recollect.text.languages.pt.calendar import CALENDAR, MONTHS, WEEKDAYS
from recollect.text.languages.pt.moods import MOODS
from recollect.text.languages.pt.phrases import TRIAGE

PORTUGUESE = Language(
    code="pt",
    calendar=CALENDAR,
    triage=TRIAGE,
    stop_words=word_set(
        """
        ao aos as com como da das de dela delas dele deles do dos e ela elas ele eles em era essa essas esse esses esta
        estas este estes eu foi ha isso isto ja la lhe lhes mais mas me meu meus mim minha minhas na nao nas nem no nos
        nossa nosso num numa o os ou para pela pelas pelo pelos por pra pro qual quais quando que quem se sem ser seu
        seus sou sua suas tambem te tem tenho ter teu tua um uma umas uns voce voces
        """
    ),
    negations=word_set(
        "nao nunca jamais sem nem nenhum nenhuma nada tampouco deixou deixei parou parei largou larguei"
    ),
    negation_pattern=r"\b(?:nao|nunca|sem|deixei de|deixou de)",
    first_person_words=word_set(
        """
        eu meu meus minha minhas nos nosso nossos nossa nossas mim comigo sou estou tenho temos tive vou vamos fui faco
        fiz quero posso preciso prefiro moro gosto odeio adoro acho sei
        """
    ),
    # The pronoun is often dropped: the first person shows in the verb's ending, or in a verb that begins a sentence.
    first_person_patterns=(
        "a gente",
        r"(?:ei(?<=\w{5})|[aei]mos(?<=\w{7}))(?!\w)",
        r"(?:\A|[.!?]\s)(?:(?:nao|so|sempre|nunca|ja|tambem|ainda)\s)?(?:me\s)?[a-z]{2,}o(?=\s)",
    ),
    time_words=word_set(
        """
        ontem hoje amanha desde atras semana semanas mes meses ano anos dia dias passado passada proximo proxima
        """
    ).union(MONTHS, WEEKDAYS),
    number_words=word_set("dois duas tres quatro cinco seis sete oito nove dez duzia cem"),
    time_question_pattern=r"quando|ha quanto tempo|(?:em )?que (?:dia|mes|ano|horas?|data)",
    number_question_pattern=r"quant[oa]s?",
    intensifier_pattern=r"muito|demais|tao|super|extremamente|completamente|bem",
    moods=MOODS,
    weak_mood="levemente {}",
    strong_mood="muito {}",
    feminine_endings=("o", "a"),
)
