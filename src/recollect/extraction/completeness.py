"""
Whether a text is a complete statement: a finite verb with a subject before it, or a lasting instruction.

The test is by word forms, without a parser. English needs a subject: a pronoun or any word before a finite verb.
Portuguese verbs contain it, so one finite verb is enough. "Wrist fracture, left", "when you give me an itinerary" and
"ler dez páginas" are no statements. O(words).
"""

from collections.abc import Iterator, Sequence

from recollect.extraction.rules.lexicon import word_set
from recollect.extraction.rules.tokens import fold
from recollect.extraction.sentence_units import word_tokens

_ENGLISH_SUBJECTS = word_set(
    "i i'm im i've ive i'll i'd we we're we've we'll we'd he she they it he's she's they're it's there "
    "there's that's "
    "you you're my our nobody everyone everybody nothing everything"
)
#: "Budget's nine grand", "gig's at the Adelphi", but not "mum's kitchen".
_PREDICATE_STARTS = word_set(
    "a an the in at on not no now called named due off back from just still always never been going moving getting "
    "one two three four five six seven eight nine ten eleven twelve fifteen twenty thirty forty fifty hundred half"
)
_ENGLISH_AUXILIARIES = word_set(
    "am is are was were be has have had do does did can can't cannot could couldn't will won't would "
    "wouldn't must "
    "should shouldn't may might isn't aren't wasn't weren't hasn't haven't hadn't don't doesn't didn't "
    "needs need"
)
_ENGLISH_VERBS = (
    "add agree allow arrive ask avoid begin belong book break bring build buy call cancel care carry "
    "change charge choose "
    "collect come cook cost cover cut cycle decide die do draw drink drive drop earn eat end enjoy "
    "expire fail fall feel "
    "fight find finish fly forget get give go graduate grow handle hate have hear help hire hit hold "
    "hope host hurt join "
    "enrol follow deal block cause close coach commute consist deliver deploy dream expect gain hope "
    "include increase install "
    "invite lack land launch list lock log lower note offer order organise pick plant point post "
    "practise produce promise "
    "promote raise reach refuse release remember remind rely resign rise say seem sign skip split step "
    "suffer suggest switch "
    "taste test track translate visit wish worry "
    "keep know last lead learn leave lend let like live look lose love make manage marry matter mean "
    "meet merge miss "
    "move need open own paint pass pay plan play prefer put qualify quit read receive rent require "
    "retire return ride "
    "rule run say see sell send serve set share shut sing sit sleep smoke speak spend stand start stay "
    "stop study swim "
    "take talk teach tell think train travel try turn understand use visit wait wake walk want watch "
    "wear win work write"
)
_ENGLISH_IRREGULAR = word_set(
    "began broke brought built bought came chose cost cut drew drank drove ate fell felt fought found "
    "flew forgot got gave "
    "went grew heard hit held hurt kept knew led left lent let lost made meant met paid put quit read "
    "rode ran said saw "
    "sold sent set shut sang sat slept spoke spent stood swam took taught told thought understood woke "
    "wore won wrote "
    "became swollen swells goes does has split born diagnosed"
)
_ENGLISH_LASTING = word_set(
    "always never please don't dont only from whenever every no nothing stop use write give keep put "
    "answer call reply "
    "when any all make start in for"
)
_PORTUGUESE_IRREGULAR = word_set(
    "é e's sou es somos sao era eram fui foi fomos foram serei sera seria seja ta to tou estou esta "
    "estamos estao tava estava "
    "estive esteve estar tenho tem temos tinha tive teve tivemos tiveram vou vai vamos vao ia iam ha "
    "houve havia faco faz "
    "fazemos fazem fiz fez fizemos fizeram fazia posso pode podemos podem pude podia quero quer "
    "queremos querem quis "
    "queria sei sabe sabemos soube digo diz disse dizem dou da damos dei deu deram ponho poe pus pos "
    "trago traz trouxe "
    "venho vem vim veio vieram vejo ve vi viu saio sai sairam caio cai caiu leio le li leu durmo dorme "
    "sinto sente "
    "peco pede prefiro prefere sirvo serve visto veste consigo consegue sigo segue perco perde custa "
    "custam dura mede "
    "pesa fica ficam fico chama chamam chamo mora moro moramos vive vivo trabalha trabalho estuda "
    "estudo toma tomo come "
    "como bebe bebo gosta gosto gostamos odeia odeio adora adoro detesto detesta usa uso usamos precisa "
    "preciso deve "
    "devo nasce nasci nasceu morre morreu morri joga jogo toca toco treina treino corre corro nada nado "
    "ensina ensino "
    "vende vendo compra compro paga pago ganha ganho devo aluga alugo cria crio escreve escrevo le "
    "canta canto danca "
    "cuida cuido leva levo acorda acordo entra entro sofre passa passo volta volto comeca comeco "
    "termina termino muda mudo "
    "roda rodam fala falo falamos manda mando responde explica doi falta faltam acha acho pretendo "
    "pretende planejo "
    "espero coleciono conduzo tomamos somos entrega entrego sobra vale ando anda anda fecha fecho abre "
    "abro acaba acabo "
    "divido divide deixo deixa mexe mexo guarda guardo continuo continua abri decidi pedi vendi perdi "
    "dormi comi bebi corri "
    "parti cumpri consegui escolhi sai recebi conheci aprendi desisti assumi resolvi percebi descobri "
    "vivi cresci mandei "
    "sugere sugiro serve gera gero crio anota viaja viajo visita visito cozinha cozinho dirige dirijo "
    "pedala pedalo rega "
    "recusa recuso aceita aceito odeiam gostam adoram trabalham moram vivem estudam jogam tocam fazem "
    "segura seguro "
    "chega chego chegam recebe recebem sobe desce gasta gasto aparece mantem fuma fumo respira atrasa fala falam "
    "parte parto marca marco cobro cobra atendo atende chora choro tremo treme casa casam depende começa vem"
)
_PORTUGUESE_ENDINGS = (
    "ei",
    "ou",
    "amos",
    "emos",
    "imos",
    "aram",
    "eram",
    "iram",
    "ava",
    "avam",
    "iam",
    "arei",
    "aria",
)
_PORTUGUESE_PAST = ("eu", "iu")
_PORTUGUESE_NOT_VERBS = word_set(
    "meu teu seu deus museu eu europeu ateu judeu dou rei lei sou outrem estou grou frei hei cadeira maria"
)
_PORTUGUESE_LASTING = word_set(
    "sempre nunca nao nada sem so quando toda todo nenhum nenhuma use usa escreve escreva responde "
    "responda chama chame "
    "me evita evite explica explique jamais em a"
)
#: Words that stand before a verb.
_BEFORE_PORTUGUESE_VERBS = word_set("eu ele ela eles elas nao me lhe lhes gente quem")
_PORTUGUESE_PRESENT = ("o", "a", "e", "m")
_PORTUGUESE_ARTICLES = word_set("o a os as um uma uns umas")
_PORTUGUESE_DETERMINERS = _PORTUGUESE_ARTICLES | word_set(
    "do da dos das no na nos nas num numa ao aos de em este esta esse essa meu minha nosso nossa todo toda cada"
)
_SUBORDINATORS = word_set(
    "when if because since while although though unless until whenever before after se quando porque "
    "enquanto embora caso "
    "antes depois que"
)


def _english_forms() -> frozenset[str]:
    forms = set(_ENGLISH_IRREGULAR)
    for verb in _ENGLISH_VERBS.split():
        forms |= {verb, _with_s(verb), _with_ed(verb)}
    return frozenset(forms)


def _with_s(verb: str) -> str:
    if verb.endswith(("s", "sh", "ch", "x", "o")):
        return f"{verb}es"
    return f"{verb[:-1]}ies" if verb.endswith("y") and verb[-2] not in "aeou" else f"{verb}s"


def _with_ed(verb: str) -> str:
    if verb.endswith("e"):
        return f"{verb}d"
    if verb.endswith("y") and verb[-2] not in "aeou":
        return f"{verb[:-1]}ied"
    return (
        f"{verb}{verb[-1]}ed" if verb in {"stop", "plan", "drop", "quit", "cancel", "travel"} else f"{verb}ed"
    )


_ENGLISH_FORMS = _english_forms()


def is_complete_statement(text: str, language: str) -> bool:
    """Return whether a text is a statement with subject and finite verb, or a lasting instruction."""
    return any(_is_main_clause(words, language) for words in _clauses(text))


def _clauses(text: str) -> Iterator[tuple[str, ...]]:
    """Yield the words of the text, and those after the comma that ends a subordinate clause."""
    yield tuple(map(fold, word_tokens(text)))
    head, comma, rest = text.partition(",")
    if comma and fold((word_tokens(head) or [""])[0]) in _SUBORDINATORS:
        yield tuple(map(fold, word_tokens(rest)))


def _is_main_clause(words: Sequence[str], language: str) -> bool:
    if not words or words[0] in _SUBORDINATORS:
        return False
    return _is_portuguese_clause(words) if language == "pt" else _is_english_clause(words)


def _is_english_clause(words: Sequence[str]) -> bool:
    has_verb = any(map(_is_english_verb, words))
    if words[0].endswith("'s") and len(words) > 2 and words[1] in _PREDICATE_STARTS:
        return True
    if words[0] in _ENGLISH_SUBJECTS or words[0] in _ENGLISH_LASTING:
        return has_verb or words[0] in _ENGLISH_LASTING
    for position, word in enumerate(words[1:], start=1):
        is_subordinate = words[position - 1] in _SUBORDINATORS | {"but", "that", "so"}
        if word in _ENGLISH_SUBJECTS and not is_subordinate and any(map(_is_english_verb, words[position:])):
            return True
        if word in _ENGLISH_AUXILIARIES or word in _ENGLISH_FORMS or word.endswith("'s"):
            return words[0] not in {"to", "about", "on"}
        if is_subordinate:
            return False
    return False


def _is_english_verb(word: str) -> bool:
    return (
        word in _ENGLISH_AUXILIARIES
        or word in _ENGLISH_FORMS
        or word.endswith(("'m", "'re", "'ve", "'ll", "'d", "'s", "n't"))
        or word in {"im", "ive", "gotta", "gonna"}
        or (word.endswith("ed") and len(word) > 4)
    )


def _is_portuguese_clause(words: Sequence[str]) -> bool:
    if words[0] in _PORTUGUESE_LASTING and len(words) > 2:
        return True
    return any(_is_portuguese_verb(word) for word in words) or any(
        _is_verb_by_place(words, position) for position in range(len(words))
    )


def _is_verb_by_place(words: Sequence[str], position: int) -> bool:
    """Return whether a word is a verb by its neighbours: "eu subo", "não cabe", "subo o pacote"."""
    before = words[position - 1] if position else ""
    word, after = words[position], words[position + 1] if position + 1 < len(words) else ""
    if len(word) < 4 or word in _PORTUGUESE_NOT_VERBS or before in _PORTUGUESE_DETERMINERS:
        return False
    if before in _BEFORE_PORTUGUESE_VERBS:
        return word.endswith(_PORTUGUESE_PRESENT)
    return word.endswith("o") and after in _PORTUGUESE_ARTICLES


def _is_portuguese_verb(word: str) -> bool:
    bare = word.partition("-")[0]
    if bare in _PORTUGUESE_NOT_VERBS and bare not in _PORTUGUESE_IRREGULAR:
        return False
    return (
        bare in _PORTUGUESE_IRREGULAR
        or (len(bare) > 3 and bare.endswith(_PORTUGUESE_ENDINGS))
        or (len(bare) > 3 and bare.endswith(_PORTUGUESE_PAST))
    )
