"""Phrases of the triage in Spanish: a minimal set."""

from recollect.domain.reason import ReasonCode
from recollect.text.languages.language import TriagePhrases

TRIAGE = TriagePhrases(
    fillers={
        ReasonCode.GREETING: """
        hola, buenas, buenos días, buenas tardes, buenas noches, qué tal, cuánto tiempo sin verte, encantado,
        encantada, mucho gusto, bienvenido, bienvenida, feliz año nuevo, feliz navidad, feliz cumpleaños
    """,
        ReasonCode.SMALL_TALK: """
        cómo estás, cómo está usted, cómo te va, cómo va todo, qué hay de nuevo, todo bien, estoy bien,
        muy bien, y tú, y usted, estás ahí, quién eres, qué puedes hacer, tengo una pregunta
    """,
        ReasonCode.THANKS: """
        gracias, muchas gracias, mil gracias, muchísimas gracias, te lo agradezco, por tu ayuda, por la ayuda,
        por todo
    """,
        ReasonCode.COURTESY: """
        perdón, perdona, disculpa, disculpe, lo siento, de nada, no hay de qué, no pasa nada, enhorabuena,
        felicidades, buena suerte
    """,
        ReasonCode.ACKNOWLEDGEMENT: """
        vale, de acuerdo, entendido, lo entiendo, ya veo, claro, claro que sí, por supuesto, perfecto, genial,
        estupendo, excelente, tiene sentido, suena bien, me parece bien, continúa, sigue, adelante
    """,
        ReasonCode.RESOLVED_DOUBT: """
        ya está, ya lo encontré, ya lo resolví, ya funciona, funcionó, no importa, olvídalo
    """,
        ReasonCode.FAREWELL: """
        adiós, hasta luego, hasta mañana, hasta pronto, hasta la próxima, nos vemos, chao, que descanses,
        que tengas un buen día, cuídate
    """,
        ReasonCode.YES_OR_NO: "sí, claro que no, todavía no, creo que sí, creo que no, supongo que sí, para nada",
        ReasonCode.LAUGHTER: "jajaja, jejeje, qué gracioso",
    },
    connectives="por favor, y, pero, entonces, también, muy, ahora, hoy, amigo, amiga, amigos, a todos",
    remarks={
        ReasonCode.WEATHER: (
            "lluvia, llueve, lloviendo, nublado, soleado, nieva, nevando, calor, frío, viento, clima",
            "hace, hay, está, mucho, mucha, tanto, tanta, hoy, afuera, aquí, qué, un, el, día, muy, buen, mal",
        ),
    },
    question_openings="""
    qué es, qué son, quién es, quién fue, quién escribió, quién inventó, cuál es, cuáles son, cuándo fue,
    dónde está, dónde queda, cuántos países, cuántos habitantes, explica qué es, sabes qué es
""",
    definition_openings="define, definición de, significado de, el significado de, sinónimo de, sinónimos de",
    translation_openings="""
    traduce, puedes traducir, podrías traducir, cómo se dice, cómo se traduce, traducción de
""",
    conversion_openings="convierte, calcula, cuántos, cuántas",
    one_unit_phrases="en un, en una, hay en",
    possessives="mi, mis, mío, mía, míos, mías, nuestro, nuestra, nuestros, nuestras",
    personal_words="""
    yo, me, conmigo, nosotros, nosotras, tú, usted, él, ella, ellos, ellas, su, sus, esto, eso, este, esta, aquí,
    ayer, hoy, mañana, plazo, contraseña, plan, agenda, reunión, presupuesto, error, cliente, proyecto, equipo
""",
    statement_verbs="es, son, fue, era, está, están",
    keep_phrases="""
    mi proyecto, nuestro proyecto, mi empresa, nuestra empresa, mi equipo, nuestro equipo, decidí, decidimos,
    hemos decidido, he decidido, elegimos, acordamos, vamos a usar, usamos, prefiero, preferimos, me gusta,
    no me gusta, me encanta, odio, detesto, evito, no como, no bebo, yo siempre, yo nunca, a partir de ahora,
    de ahora en adelante, soy alérgico, soy alérgica, alérgico a, alérgica a, intolerante a, soy vegetariano,
    soy vegetariana, soy vegano, soy vegana, mi nombre es, me llamo, mi cumpleaños, nací en, mi correo,
    mi teléfono, mi dirección, vivo en, vivo con, trabajo en, trabajo como, trabajo para, mi trabajo, mi jefe,
    mi jefa, estudio en, mi esposa, mi mujer, mi marido, mi esposo, mi novio, mi novia, mi hijo, mi hija,
    mis hijos, mi madre, mi padre, mis padres, mi hermano, mi hermana, mi perro, mi gato, mi casa, mi coche,
    quiero aprender, quiero ser, mi meta, mi objetivo, estoy aprendiendo, me mudé, me despidieron, me casé,
    me gradué, recuerda que, no olvides, ten en cuenta
""",
    keep_exceptions="no me gusta eso, me gusta eso, me gusta la idea, me encanta eso",
)
