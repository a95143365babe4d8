"""Tells the language of a chat line, however short: English and Portuguese well, others by their marks."""

import re
import unicodedata
from collections.abc import Mapping
from functools import lru_cache

#: Enough of a long text to tell.
ENOUGH = 300

_WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)?")

_ENGLISH = """
a about after again all also always am an and any anyone anything are aren't as at away back be because been before
best better but buy by call can can't cannot could couldn't day did didn't do does doesn't doing don't down each
email every everyone find first fix for from get give go going good got great had has have haven't he hello help her
here hey hi him his hour how i i'd i'll i'm i've if in into is isn't it it's its just know last let let's like little
long look love make many may maybe me mine minute month more morning most much must my name need never new next nice
night no not nothing now of off often ok old on once one only or other our out over people please prefer really right
said same say see she should show since so some someone something sometimes soon sorry still such sure take tell than
thank thanks that that's the their them then there these they thing think this those though three time to today
tomorrow tonight too translate try two under until up us use very wait want was wasn't we we're week well went were
what what's when where which while who whose why will with won't work would write year yes yesterday yet you you're
your yours hate hates hated bug code cook cooking dinner test run build fixed moved live lives working born
""".split()
_PORTUGUESE = """
a ao aos aquela aquele aqui aquilo as assim até à às agora ainda algo alguém alguma algum amanhã amo ano anos antes
apenas aprender bem bom boa bons boas cada casa casado casada com como comigo coisa contigo cedo da daqui das de
dele dela deles demais depois desde dia dias do dos e é ela elas ele eles em entre era eram essa esse esta está estão
estava este estes estou eu existe faço faz fazer fazendo ficar fico filho filha foi fomos for foram fosse fui gosta
gosto gostei gostaria há hoje isso isto já jantar lá lembre lhe lugar mais mas me mesmo meu meus mês minha minhas
moro mora morar muito muita muitos nada não na nas nasci nasceu nem nenhum nesta neste no nome nos nós nossa nosso
num numa nunca o obrigado obrigada odeio odeia oi olá onde ontem os ou outra outro para pela pelo pessoa pode podem
poderia por porque pra pro precisa preciso prefiro preferimos primeiro projeto qual quando quanto quantos que quem
quer quero queria saber sabe se sei sem semana sempre senhor ser será seu seus sim sinto só sobre sou somos sua suas
também tão te tem temos tenho ter teve tinha toda todas todo todos trabalha trabalho traduza tu tudo um uma umas uns
usar uso vai vamos vez você vocês vou beleza valeu bom-dia tarde noite dizer diga ajuda ajude decidi decidimos
demitido vegetariano vegetariana mudei acho moça cara gente aí né tô tá pai mãe irmã irmão
""".split()
_OTHERS: Mapping[str, list[str]] = {
    "es": """
        el la los las un una y pero con por para qué cómo dónde cuándo estoy soy eres está están tengo tiene quiero muy
        también aquí hoy mañana ayer gracias hola señor usted ustedes nosotros mi mis tu su sus lo le les se del al más
        no sí porque cuando donde hay fue hacer puedo puede gusta
    """.split(),
    "fr": """
        le la les un une des et mais avec pour que qui est sont suis je tu il elle nous vous ils mon ma mes ton son ses
        pas ne plus très aussi ici aujourd'hui demain hier merci bonjour où quand comment pourquoi dans sur au aux du ce
        cette c'est j'ai veux peux être avoir
    """.split(),
    "de": """
        der die das ein eine einen und oder aber mit für ist sind bin ich du er sie wir ihr mein meine dein nicht auch
        sehr heute morgen gestern danke hallo wo wann wie warum was wer auf im in den dem des zu von bei aus habe hat
        haben kann will möchte es sich noch nur schon
    """.split(),
    "it": """
        il lo la gli le un una e ma con per che è sono sei ho ha hai mio mia tuo tua suo non anche molto oggi domani
        ieri grazie ciao dove quando come perché cosa chi nel della dei delle questo questa voglio posso
    """.split(),
}


def _weights() -> dict[str, dict[str, float]]:
    """For each word what it says for each language; a word that several share says little for any."""
    lists = {"en": _ENGLISH, "pt": _PORTUGUESE, **_OTHERS}
    owners: dict[str, list[str]] = {}
    for language, words in lists.items():
        for word in set(words):
            owners.setdefault(word, []).append(language)
    return {word: dict.fromkeys(languages, 1.0 / len(languages) ** 2) for word, languages in owners.items()}


_WEIGHTS = _weights()

#: Endings and letters that give a language away in words nobody listed.
_MARKS: tuple[tuple[str, re.Pattern[str]], ...] = (
    (
        "pt",
        re.compile(
            r"[ãõ]|ç[aãoõ]|lh[aeio]|nh[aeou]|[aei]ndo$|mente$|inh[ao]s?$|dade$|agem$|eiro$|eira$|eio$|ês$"
        ),
    ),
    ("en", re.compile(r"th|wh|sh|ck|gh|ing$|tion$|ly$|ness$|ful$|ed$|oo|ee|y$|['’](?:m|s|re|ll|ve|d|t)$|w")),
    ("es", re.compile(r"[ñ¿¡]|ción$|ll[aeo]|ería$")),
    ("de", re.compile(r"[äöüß]|sch|ung$|keit$|lich$")),
    ("fr", re.compile(r"[èùœ]|eux$|eau|aux$|^(?:l|d|qu|n|j)['’]")),
    ("it", re.compile(r"zione$|gli|cch|ità$")),
)
_SCRIPTS = (
    ("HIRAGANA", "ja"),
    ("KATAKANA", "ja"),
    ("HANGUL", "ko"),
    ("CJK", "zh"),
    ("CYRILLIC", "ru"),
    ("ARABIC", "ar"),
    ("GREEK", "el"),
    ("HEBREW", "he"),
    ("DEVANAGARI", "hi"),
    ("THAI", "th"),
)


def detect(text: str) -> str:
    """The ISO code of the language, or "und" when nothing tells."""
    sample = text[:ENOUGH]
    if not sample.isascii() and (script := _script(sample)):
        return script
    scores: dict[str, float] = {}
    for word in _WORD.findall(sample.casefold()):
        for language, weight in _hints(word.replace("’", "'")).items():
            scores[language] = scores.get(language, 0.0) + weight
    if not scores:
        return "und"
    best = max(scores, key=lambda language: (scores[language], language == "en", language == "pt"))
    return best if scores[best] >= 0.1 else "und"


@lru_cache(maxsize=20_000)
def _hints(word: str) -> Mapping[str, float]:
    known = _WEIGHTS.get(word)
    if known is not None:
        return known
    return {language: 0.35 for language, mark in _MARKS if len(word) > 2 and mark.search(word)}


def _script(text: str) -> str | None:
    """The language that its letters alone give away."""
    counts: dict[str, int] = {}
    letters = 0
    for character in text:
        if character.isalpha():
            letters += 1
            if character > "\u036f":
                name = unicodedata.name(character, "").partition(" ")[0]
                language = next((code for prefix, code in _SCRIPTS if name.startswith(prefix)), None)
                if language:
                    counts[language] = counts.get(language, 0) + 1
    if not counts or sum(counts.values()) * 3 < letters:
        return None
    # Kana are Japanese however many Chinese characters stand between them.
    return "ja" if "ja" in counts else max(counts, key=lambda language: counts[language])
