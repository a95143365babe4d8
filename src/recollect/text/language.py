"""Language detection for short texts, by script, common words and spelling."""

import re
from functools import lru_cache
from typing import Final

UNDETERMINED: Final = "und"

#: The beginning of a message is enough to detect its language.
_SAMPLE_CHARS: Final = 240

#: With less evidence (a name, a number, "ok") the language is undetermined.
_MIN_EVIDENCE: Final = 0.5

#: Weights of the languages, in the order of _COMMON_WORDS: rarer ones need more evidence.
_LANGUAGE_PRIORS: Final = (1.0, 1.0, 0.8, 0.8, 0.8, 0.8)

#: Common words. A word in several lists counts for each language, but less.
_COMMON_WORDS: Final = {
    "en": """
        i you he she it we they me my mine your yours his her its our ours their them us this that these those
        the a an and or but if so as at by for from in into of off on onto out over to up with without about after
        before between during through under until against is am are was were be been being do does did doing done
        have has had having will would can could should shall may might must not no yes yeah yep nope none never
        what which who whom whose when where why how all any both each few more most other some such only own same
        than then too very just also now here there again once always often sometimes usually still yet already
        i'm i've i'll i'd you're you've you'll he's she's it's we're we've they're that's there's what's who's let's
        don't doesn't didn't isn't aren't wasn't weren't can't couldn't won't wouldn't shouldn't haven't hasn't hadn't
        dont doesnt didnt cant im ive hi hey hello bye thanks thank please sorry sure great good nice cool fine wow
        bad best better new old big small long little first last next many much lot lots thing things something
        anything nothing everything someone anyone everyone people man woman name day today tomorrow tonight
        yesterday morning night week month year time home house work job school friend family wife husband mother
        father brother sister son daughter kids dog cat food water car money book phone
        get got go goes going gone went come came make made take took give gave know knew think thought see saw say
        said tell told ask want need like love hate prefer enjoy live lives lived learn learned help try use used
        find found keep let put feel felt show call start stop play run read write buy eat ate cook drink sleep
        walk drive remember forget mean meet wait look looks looking trying using
        because since while though although however maybe perhaps really actually probably well back down away
        around every another enough else even
        fix bug bugs file code test build error update add remove change check list open close send
        explain translate recipe recipes
    """,
    "pt": """
        eu tu você vc vcs vocês ele ela eles elas nós gente me mim te ti lhe lhes se si meu minha meus minhas teu tua
        seu sua seus suas nosso nossa nossos nossas dele dela deles delas isto isso aquilo este esta estes estas
        esse essa esses essas aquele aquela o a os as um uma uns umas de do da dos das em no na nos nas num numa por
        pelo pela pelos pelas para pra pro pras com sem sob sobre entre até desde contra após ao à aos às
        e ou mas porém nem que quem qual quais quando onde como porque porquê pois se não nao sim também tambem
        é sou és era eram foi fui foram ser sendo sido está estou estão estava estavam estar esteve tá tô tava
        tenho tem têm tinha tinham ter teve tive há havia houve haver vou vai vamos vão ia ir foi fazer faço faz fiz
        fez fazendo feito posso pode podem poder podia consigo consegue conseguir quero quer querem querer queria
        preciso precisa precisam precisar devo deve devem dever sei sabe sabem saber acho acha achar gosto gosta
        gostam gostar gostei gostaria amo ama adoro adora odeio odeia detesto prefiro prefere moro mora morar
        trabalho trabalha trabalhar estudo estuda estudar aprender aprendi lembro lembra lembrar lembre esqueci
        esquecer falar fala falo falei disse dizer diz ver vejo viu comer como comprar comprei comi comida
        ajuda ajudar ajude obrigado obrigada valeu oi olá ola tchau bom boa bons boas dia tarde noite tudo
        bem mal beleza legal claro certo errado desculpa desculpe favor licença prazer saudade
        hoje ontem amanhã agora já ainda sempre nunca jamais depois antes cedo logo aqui aí ali lá cá
        muito muita muitos muitas pouco pouca poucos mais menos tão tanto tanta todo toda todos todas cada outro outra
        outros outras mesmo mesma algo alguém algum alguma alguns algumas nada ninguém nenhum nenhuma
        ano anos mês meses semana semanas hora horas vez vezes coisa coisas pessoa pessoas vida mundo casa trabalho
        nome filho filha filhos mãe pai irmão irmã marido esposa mulher homem amigo amiga amigos cachorro gato carro
        dinheiro livro escola cidade país brasil português inglês novo nova velho grande pequeno melhor pior primeiro
        primeira último última só apenas então assim talvez quase porque enquanto embora
        dois duas três quatro cinco seis sete oito nove dez cem mil
        fome sono medo dor cabeça jantar almoço café receita viagem viajar remédio alergia alérgico alérgica
    """,
    "es": """
        yo tú usted ustedes él ella ellos ellas nosotros me mí te ti le les se mi mis tu tus su sus nuestro nuestra
        el la los las lo un una unos unas de del al en por para con sin sobre entre hasta desde contra según
        y o u pero ni que qué quien quién cual cuál cuando cuándo donde dónde como cómo porque pues si sí no también
        es soy eres era fue fui son ser siendo está estoy están estaba estar tengo tiene tienen tenía tener hay había
        voy va vamos van ir hacer hago hace hizo hecho puedo puede pueden poder quiero quiere querer necesito debo
        sé sabe saber creo gusta gustan gustaría encanta odio prefiero vivo vive trabajo estudio aprender recuerdo
        hola gracias adiós bueno buena buenos buenas bien mal muy mucho mucha muchos muchas poco más menos tan tanto
        todo toda todos todas cada otro otra mismo algo alguien nada nadie hoy ayer mañana ahora ya aún siempre nunca
        después antes aquí ahí allí año años mes semana día días noche tarde hora vez cosa cosas vida mundo casa
        nombre hijo hija madre padre hermano hermana amigo perro gato llamo esto eso este esta ese esa
        dos tres cuatro cinco seis siete ocho nueve diez dime puedes ayuda
    """,
    "fr": """
        je j'ai tu il elle nous vous ils elles me moi te toi se lui leur mon ma mes ton ta tes son sa ses notre nos
        votre vos le la les l un une des du de d au aux en y dans par pour avec sans sous sur entre chez vers
        et ou mais ni que qu qui quoi quand où comment pourquoi parce car si oui non ne pas plus moins très trop
        est suis es sommes êtes sont était étais être été ai as a avons avez ont avait avoir fait faire fais
        vais va allons allez vont aller peux peut pouvez pouvoir veux veut voulez vouloir dois doit savoir sais
        c'est qu'est-ce d'un d'une n'est s'il l'on aime déteste préfère habite travaille apprendre
        bonjour salut merci bonsoir bien bon bonne mal tout toute tous toutes chaque autre même quelque rien
        personne aujourd'hui hier demain maintenant déjà encore toujours jamais après avant ici là ce cet cette ces
        ça an ans année jour soir matin semaine mois heure fois chose vie monde maison nom fils fille mère père ami
        deux trois quatre cinq sept huit neuf dix
    """,
    "de": """
        ich du er sie es wir ihr mich mir dich dir ihn ihm uns euch mein meine meinen meinem meiner dein deine sein
        seine unser unsere der die das den dem des ein eine einen einem einer eines kein keine keinen und oder aber
        nicht nein ja doch denn dass daß weil wenn als ob wie was wer wo wann warum wieso welche welcher
        ist bin bist sind seid war waren wäre sein habe hast hat haben hatte hatten hätte wird werde werden wurde
        kann kannst können konnte könnte will willst wollen muss musst müssen soll sollte darf mag möchte magst
        gehe geht gehen mache macht machen weiß wissen liebe hasse wohne arbeite lerne lernen brauche gibt heiße
        in im an am auf aus bei beim bis durch für gegen mit nach ohne seit über um unter von vom vor zu zum zur
        zwischen auch noch nur schon sehr so mehr weniger viel viele alle alles etwas nichts immer nie heute gestern
        morgen jetzt hier dort dann hallo danke bitte gut gute guten schlecht neu jahr jahre tag woche monat uhr
        zwei drei vier fünf sechs sieben acht neun zehn mal haus leben name freund mutter vater
    """,
    "it": """
        io tu lui lei noi voi loro mi ti si ci vi mio mia miei mie tuo tua suo sua nostro il lo la i gli le un uno
        una di del della dei delle degli da dal dalla in nel nella nei con su sul sulla per tra fra a al alla ai alle
        e ed o ma né che chi cosa quale quando dove come perché se sì no non anche
        è sono sei siamo siete era ero essere stato ho hai ha abbiamo avete hanno aveva avere faccio fa fare fatto
        vado va andare posso può potere voglio vuole vorrei devo deve so sai piace piacciono odio amo vivo lavoro
        ciao grazie buongiorno buonasera prego bene male molto molta molti poco più meno tanto tutto tutta tutti ogni
        altro altra stesso qualcosa niente nulla oggi ieri domani adesso ora già ancora sempre mai dopo prima qui
        questo questa questi quello quella anno anni giorno notte settimana mese volta vita mondo casa nome figlio
        due tre quattro cinque sette otto nove dieci chiamo
    """,
}

#: Spelling patterns with weights, for words in no list.
_SPELLING_RULES: Final = (
    (
        "en",
        0.7,
        r"th|wh|ght|ck\b|sh|ing$|ings$|n't$|'(?:s|re|ve|ll|d|m)$|(?:ed|ly|ness|ful|less|ment|ments)$|tion",
    ),
    ("en", 0.4, r"(?:ian|ians|sion|sions|ic|ics|ous|ive|ism|ies|er|ers|ips?|[^aeiou]y|ideas)$|nn|ff|pp"),
    ("en", 0.3, r"[kwy]|ee|oo|ou[^rsx]|[^aeiouáéíóúâêôãõsrlmzn]$"),
    ("pt", 1.6, r"ã|õ|ção|ções|ç[ãõ]"),
    (
        "pt",
        0.8,
        r"ç|lh|nh|[aei]mente$|(?:ando|endo|indo|inho|inha|ável|ível|ência|ância|ário|eiro|eira|agem)$|ê|ô|â",
    ),
    (
        "pt",
        0.5,
        r"(?:dade|dades|ados?|adas?|idos?|idas?|aram|eram|iram|avam|iam|ei|ou|ar|er|ir|oso|osa)$|ss[aeio]|qu[ei]|x[aeio]|ões",
    ),
    ("pt", 0.3, r"[aeo]s?$|m$|[áéíóú]"),
    ("es", 1.6, r"ñ|ción|ciones"),
    ("es", 0.6, r"ll|(?:dad|ando|iendo|ado|ada|ido|ida|amente|aron|ieron|ero|era)$|ue|ie|[áéíóú]|z[aou]"),
    ("es", 0.25, r"[aeo]s?$|[nlrd]$"),
    (
        "fr",
        0.9,
        r"eau|eux$|œ|è|û|î|ç|ê|oi[rstx]|(?:aient|ement|ique|euse|eur|aux)$|[ldcjnsmtq]'|é(?:e|es|s)?$",
    ),
    ("fr", 0.3, r"(?:e|es|er|ez|ent)$|ou|ai"),
    ("de", 1.6, r"ß|ä|ü|sch|ö"),
    ("de", 0.6, r"ch|(?:ung|ungen|keit|heit|lich|isch|en|tz|ieren)$|ei|ck|pf|z[uw]"),
    (
        "it",
        0.9,
        r"zion|gli|cch|ggi|zz|tt[aeio]$|(?:mente|are|ere|ire|ato|ata|ati|uto|ità)$|[aeiou]ll[aeo]$|ò|ù|ì",
    ),
    ("it", 0.3, r"[aeio]$"),
)

#: Scripts that identify a language, in order of precedence.
_SCRIPT_RANGES: Final = (
    ("ja", r"[\u3040-\u30ff]"),
    ("ko", r"[\u1100-\u11ff\u3130-\u318f\uac00-\ud7af]"),
    ("zh", r"[\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff]"),
    ("uk", r"[іїєґІЇЄҐ]"),
    ("ru", r"[\u0400-\u04ff]"),
    ("el", r"[\u0370-\u03ff]"),
    ("he", r"[\u0590-\u05ff]"),
    ("fa", r"[پچژگ]"),
    ("ar", r"[\u0600-\u06ff]"),
    ("hi", r"[\u0900-\u097f]"),
    ("bn", r"[\u0980-\u09ff]"),
    ("ta", r"[\u0b80-\u0bff]"),
    ("th", r"[\u0e00-\u0e7f]"),
    ("ka", r"[\u10a0-\u10ff]"),
    ("hy", r"[\u0530-\u058f]"),
)

_LATIN_LANGUAGES: Final = tuple(_COMMON_WORDS)
_WORD_SETS: Final = {language: frozenset(words.split()) for language, words in _COMMON_WORDS.items()}
_SPELLING_PATTERNS: Final = tuple(
    (_LATIN_LANGUAGES.index(lang), weight, re.compile(pattern)) for lang, weight, pattern in _SPELLING_RULES
)
_SCRIPT_PATTERNS: Final = tuple((language, re.compile(pattern)) for language, pattern in _SCRIPT_RANGES)

_WORD_PATTERN: Final = re.compile(r"[^\W\d_]+(?:'[^\W\d_]+)*")
_NON_LATIN_PATTERN: Final = re.compile(r"[\u0370-\u1dff\u3040-\ud7ff\uf900-\ufaff]")
_SYMBOL_PATTERN: Final = re.compile(r"[_/\\=(){}<>\[\];@#$%^&|~]\w")


def detect_language(text: str) -> str:
    """Return the ISO 639-1 code of the language of a text, or "und" if undetermined."""
    return _detect_language(text[:_SAMPLE_CHARS])


@lru_cache(maxsize=1_024)
def _detect_language(text: str) -> str:
    script = None if text.isascii() else _detect_by_script(text)
    if script:
        return script
    words = _WORD_PATTERN.findall(_strip_symbols(text).replace("\u2019", "'").lower())
    totals: list[float] = list(map(sum, zip(*map(_word_evidence, words), strict=True)))
    best = max(totals, default=0.0)
    # Ties go to the first language: English, then Portuguese.
    return _LATIN_LANGUAGES[totals.index(best)] if best >= _MIN_EVIDENCE else UNDETERMINED


def _strip_symbols(text: str) -> str:
    """Return the text without URLs, paths and identifiers, which belong to no language."""
    if not _SYMBOL_PATTERN.search(text):
        return text
    return " ".join(word for word in text.split() if not _SYMBOL_PATTERN.search(word))


@lru_cache(maxsize=16_384)
def _word_evidence(word: str) -> tuple[float, ...]:
    """Return the weight of a word as evidence for each language."""
    language_indexes = [
        number for number, language in enumerate(_LATIN_LANGUAGES) if word in _WORD_SETS[language]
    ]
    weights = (
        dict.fromkeys(language_indexes, 2.0 / len(language_indexes))
        if language_indexes
        else _spelling_evidence(word)
    )
    return tuple([weights.get(number, 0.0) * prior for number, prior in enumerate(_LANGUAGE_PRIORS)])


def _spelling_evidence(word: str) -> dict[int, float]:
    weights: dict[int, float] = {}
    for number, weight, pattern in _SPELLING_PATTERNS:
        if len(word) > 2 and pattern.search(word):
            weights[number] = weights.get(number, 0.0) + weight
    return weights


def _detect_by_script(text: str) -> str | None:
    foreign = "".join(_NON_LATIN_PATTERN.findall(text))
    if len(foreign) * 4 < sum(map(str.isalpha, text)):
        return None
    return next((language for language, pattern in _SCRIPT_PATTERNS if pattern.search(foreign)), None)
