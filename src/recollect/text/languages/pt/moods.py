"""Mood words of Portuguese."""

from collections.abc import Mapping

from recollect.text.languages.language import MoodWords
from recollect.text.languages.mood import Mood

MOODS: Mapping[Mood, MoodWords] = {
    Mood.FRUSTRATED: MoodWords(
        adjective="frustrado",
        name_pattern=r"frustrad\w*|irritad\w*|de saco cheio|estressante",
        expression_pattern=r"\baff+\b|nao funciona|de novo esse|nao aguento mais|que saco|que droga|nada funciona|"
        r"continua dando erro|ja tentei (?:de )?tudo|perdi o dia",
        stem_pattern="frustrad|irritad|bravo|brava|raiva|furios",
        tone_hint="tenha paciência",
    ),
    Mood.ANXIOUS: MoodWords(
        adjective="ansioso",
        name_pattern=r"ansios\w+|nervos\w+|preocupad\w+|ansiedade|apreensiv\w+",
        expression_pattern=r"e se (?:der|nao|eu)|nao consigo dormir",
        stem_pattern="ansios|nervos|preocupad",
        tone_hint="trate com calma",
    ),
    Mood.STRESSED: MoodWords(
        adjective="estressado",
        name_pattern=r"estressad\w+|sobrecarregad\w+|pressionad\w+",
        expression_pattern=r"nao dou conta|muita coisa pra fazer",
        stem_pattern="estressad|sobrecarregad|pressionad",
        tone_hint="vá com leveza",
    ),
    Mood.ANGRY: MoodWords(
        adjective="irritado",
        name_pattern=r"furios\w+|com raiva|put[oa] da vida",
        expression_pattern=r"isso e ridiculo|que absurdo",
    ),
    Mood.SAD: MoodWords(
        adjective="triste",
        name_pattern=r"\btriste\w*|deprimid\w+|chatead\w+|magoad\w+|desanimad\w+",
        expression_pattern=r"saudades? d|chorei",
        stem_pattern="trist|chatead|deprimid|magoad|desanimad",
        tone_hint="acolha com carinho",
    ),
    Mood.TIRED: MoodWords(
        adjective="cansado",
        name_pattern=r"cansad\w+|exaust\w+|esgotad\w+|com sono",
        stem_pattern="cansad|exaust|esgotad",
        tone_hint="seja breve",
    ),
    Mood.CONFUSED: MoodWords(
        adjective="confuso",
        name_pattern=r"confus[oa]\b|perdid[oa]\b",
        expression_pattern=r"nao entendi|nao entendo|nao faz sentido",
    ),
    Mood.AFRAID: MoodWords(
        adjective="com medo",
        name_pattern=r"com medo|assustad\w+|apavorad\w+",
        stem_pattern="medo|assustad|apavorad|insegur",
        tone_hint="transmita segurança",
    ),
    Mood.LONELY: MoodWords(
        adjective="sozinho",
        name_pattern=r"solitari\w+|me sinto sozinh\w+|tao sozinh\w+",
        stem_pattern="sozinh|solitari|solidao",
        tone_hint="faça companhia",
    ),
    Mood.EXCITED: MoodWords(adjective="animado", name_pattern=r"animad\w+|empolgad\w+|mal posso esperar"),
    Mood.HAPPY: MoodWords(
        adjective="feliz",
        name_pattern=r"\bfeliz\w*|content[ei]\b|alegr\w+|orgulhos\w+",
        expression_pattern=r"funcionou!|deu certo|consegui!|amei\b|perfeito!",
        stem_pattern="feliz|alegr|animad|empolgad|orgulhos",
        tone_hint="celebre junto",
    ),
    Mood.GRATEFUL: MoodWords(
        adjective="grato",
        name_pattern=r"\bgrat[oa]\b|agradecid\w+",
        expression_pattern=r"muito obrigad\w+",
    ),
    Mood.GRIEVING: MoodWords(stem_pattern=r"luto\b|enlutad", tone_hint="tenha delicadeza"),
}
