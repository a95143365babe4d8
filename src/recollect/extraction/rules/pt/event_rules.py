"""Portuguese rules for events, emotions, decisions, family, projects and orders."""

from collections.abc import Mapping, Sequence

from recollect.domain.memory import Kind
from recollect.extraction.rules.conditions import (
    at_least,
    both,
    capitalized_within,
    either,
    has,
    is_capitalized,
    lacks,
    starts_with,
)
from recollect.extraction.rules.grammar import SubjectType
from recollect.extraction.rules.lexicon import TECHNOLOGIES, word_set
from recollect.extraction.rules.patterns import WordPattern
from recollect.extraction.rules.pt import word_lists as pt
from recollect.extraction.rules.pt.self_rules import AIMS, LIFE, TASTES
from recollect.extraction.rules.pt.word_classes import CLASSES, JOB, POINTING, TECH, make_rules
from recollect.extraction.rules.rule_index import RuleIndex
from recollect.extraction.rules.tokens import Word

BIO, EVT, EMO, DEC = Kind.BIOGRAPHY, Kind.EVENT, Kind.EMOTION, Kind.DECISION

_WHEN = word_set(
    "janeiro fevereiro marco abril maio junho julho agosto setembro outubro novembro dezembro segunda "
    "terca quarta quinta sexta amanha semana mes"
)
_PRODUCT = word_set(
    "app aplicativo aplicacao site jogo plataforma saas ferramenta bot startup produto loja sistema mvp"
)
_TROUBLE = word_set("erro bug codigo")


def _dated(rest: Sequence[Word]) -> bool:
    return any(word.fold in _WHEN or word.is_number for word in rest)


def _orders(rest: Sequence[Word]) -> bool:
    """Begins like an order, not like "nunca vi" or "sempre gostei"."""
    verb = next((word.fold for word in rest if word.fold not in {"me", "se", "mais"}), "")
    return verb.endswith(("a", "e", "r", "am", "em")) and verb not in {"que", "era", "foi"}


HAPPENED = [
    *make_rules(EVT, 0.8, "fui|fomos @fired", bare=True),
    *make_rules(
        EVT,
        0.9,
        """
        fui diagnosticado|diagnosticada com, recebi o? diagnostico de, descobri que tenho
        tive um|uma? infarto|avc|aborto|acidente|covid
        """,
        bare=True,
    ),
    *make_rules(
        EVT,
        0.8,
        """
        me? formei|aposentei|casei|divorciei|separei|demiti|reformei me?
        nos? casamos|separamos|divorciamos|terminamos nos?
        engravidei, fiquei|ficamos noivo|noiva|noivos|viuvo|viuva|desempregado|desempregada|gravida, pedi demissao
        larguei|perdi|deixei o? meu? emprego|trabalho, perdi o|a? @own @kin, perdi o|a @kin
        deixei|parei de fumar|beber, terminei com, terminei o? meu? namoro|noivado|casamento
        terminei a? minha? faculdade
        """,
        bare=True,
    ),
    *make_rules(
        EVT,
        0.8,
        "me|nos? mudei|mudamos me|nos? @to|de, @estou me? mudando me? @to, vou me? mudar me? @to",
        attribute="lives_in",
        needs=both(
            either(capitalized_within(3), has(word_set("casa apartamento cidade"), within=4)),
            lacks(word_set("ideia arquivo pasta")),
        ),
    ),
    *make_rules(
        EVT,
        0.8,
        "comprei|compramos|vendi|vendemos|adotei|adotamos|ganhei|troquei",
        needs=either(has(pt.BOUGHT | pt.HAVABLE, within=5), has(word_set("chamado chamada"))),
    ),
    *make_rules(
        EVT,
        0.8,
        """
        nasceu|nasceram o|a? @own @kin, nasceu|nasceram o|a @kin, vou|vamos ser pai|mae|pais|avo
        tive|tivemos um|uma|meu|minha? filho|filha|bebe
        """,
        bare=True,
    ),
    *make_rules(
        EVT,
        0.8,
        """
        comecei|comecamos|arranjei|arrumei|consegui @in|@art|@own? novo|nova? @post novo|nova?
        comecei a trabalhar, entrei @in faculdade|empresa|universidade
        """,
        bare=True,
    ),
    *make_rules(EVT, 0.8, "passei|passamos|reprovei|chumbei @in|a", needs=has(pt.EXAMS, within=4)),
    *make_rules(
        EVT,
        0.8,
        """
        descobri|descobrimos que estou|estamos gravida|gravidos, @estou gravida, estamos gravidos
        @estou esperando|espera um|uma? bebe|filho|filha, vou|vamos me|nos? casar me|nos?
        """,
        bare=True,
    ),
]

HAPPENED += [
    *make_rules(EVT, 0.8, "o|a? @own @paper vence|expira|acaba|termina|comeca", needs=_dated),
    *make_rules(EVT, 0.8, "me? inscrevi|matriculei|inscrevemos me|nos? @in", needs=lacks(POINTING)),
    *make_rules(EVT, 0.8, "sai|saimos @of @own? emprego|trabalho", bare=True),
    *make_rules(
        EVT,
        0.8,
        "o|a? @own casa|apartamento|carro|moto|bicicleta|celular alagou|inundou|queimou|pegou|foi fogo?",
        bare=True,
    ),
    *make_rules(
        EVT,
        0.8,
        "acabei|acabamos de me|nos? mudar|comprar",
        needs=either(capitalized_within(4), has(pt.BOUGHT)),
    ),
    *make_rules(
        EVT, 0.8, "quebrei|torci|fraturei|machuquei|operei|rompi|desloquei @art|@own @own? @body", bare=True
    ),
    *make_rules(EVT, 0.8, "fiz|tive|comecei|faco|vou fazer? @art|@own? *? @treatment", needs=_dated),
    *make_rules(EVT, 0.8, "comecei|comecamos a? fazer? terapia|fisioterapia|tratamento", bare=True),
    *make_rules(
        EVT, 0.8, "larguei|abandonei o|a|os|as?", needs=both(at_least(1), lacks(POINTING | word_set("mao")))
    ),
    *make_rules(
        EVT,
        0.8,
        "corri|corremos|terminei|completei|nadei|subi|escalei|fiz @art|@own?",
        needs=has(pt.FEATS, within=4),
    ),
    *make_rules(
        EVT,
        0.8,
        "publiquei|publicamos|lancei|lancamos|abri|abrimos|defendi|fundei|fundamos @art|@own",
        needs=both(has(pt.WORKS, within=4), lacks(_TROUBLE)),
    ),
    *make_rules(
        EVT,
        0.8,
        "viajo|viajamos|embarco|embarcamos @to, vou|vamos viajar|voar @to",
        needs=both(capitalized_within(3), _dated),
    ),
    *make_rules(EVT, 0.8, "o|a? @own *? *? @occasion @is|sera no|na|em|dia?", needs=_dated),
]

FELT = [
    *make_rules(
        EMO,
        0.9,
        """
        @estou @very @feeling @with, @estou @strong @with, me? sinto me? @very @feeling @with
        @estou @feeling demais @with, @estou em panico @with
        """,
        needs=lacks(_TROUBLE | POINTING),
    ),
    # A passing feeling with its cause: it decays unless it recurs.
    *make_rules(
        EMO,
        0.7,
        "@estou|fiquei @feeling hoje? com|sobre|por, @estou|fiquei @feeling de novo com|sobre|por",
        needs=lacks(_TROUBLE | POINTING),
    ),
    *make_rules(
        EMO,
        0.8,
        """
        ando me? sentindo? me? @very? @feeling, tenho me? andado|sentido me? @very? @feeling
        venho me sentindo @very? @feeling
        tenho estado @very? @feeling
        """,
        bare=True,
        needs=lacks(_TROUBLE),
    ),
    *make_rules(EMO, 0.8, "sinto @very? falta|saudade|saudades @of @own? @kin", bare=True),
    *make_rules(EMO, 0.8, "tenho @very? @dread @of, morro de medo @of", needs=lacks(POINTING)),
    *make_rules(
        EMO,
        0.8,
        """
        sempre fico @very? @feeling|panico, sempre me sinto @very? @feeling, sempre entro em panico, sempre choro
        fico sempre @very? @feeling, fico @very? @feeling quando|sempre|toda|cada|antes, tenho crises de
        me? sinto me? @very? @feeling quando|sempre|toda|cada|antes
        """,
        bare=True,
    ),
]

CHOICES = [
    *make_rules(
        DEC,
        0.9,
        """
        @decided por|em|que?
        ficou decidido que?, vamos usar|adotar|manter
        """,
        needs=both(at_least(1), lacks(word_set("isso isto aqui entao um for"))),
    ),
    *make_rules(DEC, 0.9, "usamos|utilizamos|adotamos", needs=has(word_set("vez inves"))),
    *make_rules(
        DEC,
        0.9,
        "usamos|utilizamos|adotamos, estamos usando|utilizando, estamos a usar, @estou usando, @estou a usar",
        needs=TECH,
    ),
    *make_rules(
        DEC,
        0.9,
        "migramos|migrei|trocamos|mudamos|passamos @of|@art|para|pra|pro, estamos migrando|trocando "
        "@of|para|pra",
        needs=TECH,
    ),
    *make_rules(
        DEC,
        0.8,
        """
        @estou desenvolvendo|criando|fazendo|construindo|montando|programando @art|@own
        @estou a desenvolver|criar|fazer|construir @art|@own, criei|fiz|desenvolvi @art|@own
        """,
        needs=has(_PRODUCT, within=4),
    ),
    *make_rules(DEC, 0.85, "nao usamos|utilizamos, nunca usamos, nao vamos|vou usar|adotar", needs=TECH),
    *make_rules(
        DEC,
        0.85,
        "seguimos|hospedamos|escrevemos|rodamos",
        needs=either(has(TECHNOLOGIES), has(pt.ARCHITECTURE)),
    ),
]

KIN = [
    *make_rules(
        EVT,
        0.9,
        """
        se? separaram|divorciaram|casaram
        se? morreu|faleceu|nasceu|nasceram|casou|separou|formou|aposentou|engravidou|reformou
        foi|esta|está diagnosticado|diagnosticada|demitido|demitida|promovido|promovida|gravida|internado|internada com?
        """,
        bare=True,
    ),
    *make_rules(EVT, 0.8, "se? mudou se? @to", attribute="lives_in", needs=capitalized_within(3)),
    *make_rules(BIO, 1.0, "mora|moram|vive|vivem @in", attribute="lives_in", needs=capitalized_within(3)),
    *make_rules(EVT, 0.8, "se? mudou|comprou|vendeu|ganhou", needs=lacks(word_set("ideia"))),
    *make_rules(BIO, 1.0, "é|sao muito? alergico|alergica|alergicos|intolerante @at"),
    *make_rules(
        BIO,
        1.0,
        "é|sao um|uma?",
        needs=either(JOB, starts_with(pt.STATES | pt.NATIONALITIES | pt.DIETS | pt.CONDITIONS)),
    ),
    *make_rules(
        BIO,
        1.0,
        "tem|fez|faz|completou <n>|@count anos|meses, acabou de fazer|completar <n>|@count anos",
        bare=True,
    ),
    *make_rules(
        BIO,
        1.0,
        "mora|moram|vive|vivem|trabalha|trabalham|estuda|estudam|fala|falam|toca|joga|ensina "
        "@in|como|com|para?",
        bare=True,
        needs=lacks(word_set("que isso")),
    ),
    *make_rules(BIO, 1.0, "tem|sofre de|com?", needs=has(pt.HAVABLE, within=4)),
    *make_rules(
        BIO,
        1.0,
        "ama|adora|odeia|detesta|gosta|prefere|come @of?, nao gosta|come|bebe de?",
        needs=lacks(POINTING),
    ),
    *make_rules(BIO, 1.0, "é de|do|da", needs=is_capitalized),
    *make_rules(BIO, 1.0, "me criou", bare=True),
    *make_rules(BIO, 1.0, "faz aniversario, comeca a? escola|faculdade|creche", bare=True),
]

NAMED = [
    *make_rules(BIO, 1.0, "mora|vive @in", attribute="lives_in", needs=capitalized_within(3)),
    *make_rules(BIO, 1.0, "trabalha @in|para|pra", attribute="employer", needs=capitalized_within(3)),
    *make_rules(BIO, 1.0, "é muito? alergico|alergica|intolerante @at"),
    *make_rules(BIO, 0.8, "prefere", needs=lacks(POINTING)),
    *make_rules(Kind.GOAL, 0.7, "quer que eu, pediu que eu", needs=_dated),
    *make_rules(DEC, 0.8, "decidiu|concordou em?, se comprometeu a", needs=lacks(POINTING)),
]

RULES = make_rules(
    DEC,
    0.9,
    "nao? deve|devem|pode|podem, nao? precisa|precisam, tem de|que",
    needs=lacks(word_set("voce erro erros")),
)

PROJECT = [
    *make_rules(
        DEC,
        0.9,
        """
        deve|precisa ser|estar|ficar entregue|pronto|pronta|lancado|lancada|no|publicado|publicada ar? ate|em|no
        tem que|de ser|estar|ficar|sair entregue|pronto|pronta|lancado|lancada? ate|em|no
        """,
        attribute="deadline",
        needs=_dated,
    ),
    *make_rules(
        DEC,
        0.9,
        """
        usa|usam|utiliza|roda|segue|seguem|requer|exige|suporta|depende de|em|no|na?
        é|sao|foi @made em|no|na|com|sobre
        vai usar|rodar|suportar|ser, precisa de|ser?, tem de|que, deve, nao pode|deve, so pode|usa
        """,
        needs=lacks(word_set("aqui erro erros bug ajuda quebrou travando dando compila voce")),
    ),
    *make_rules(
        DEC,
        0.85,
        "é|sao em|no|com|tudo?",
        wide=True,
        needs=both(has(TECHNOLOGIES, within=10), lacks(word_set("lento lenta rapido melhor pior"))),
    ),
    *make_rules(BIO, 1.0, "se chama"),
    *make_rules(DEC, 0.85, "é|sao sobre", needs=lacks(POINTING)),
    *make_rules(
        DEC,
        0.9,
        "é|esta|está marcado? dia|para|em|no|ate?",
        needs=both(_dated, lacks(word_set("lento lenta"))),
    ),
]

ORDERS = [
    *make_rules(
        Kind.PREFERENCE,
        0.9,
        """
        voce? pode|podes me? chamar|tratar me? de|por|so|apenas de?
        me? chame|chama|trate|chamem me? de|por|so|apenas de?
        prefiro que me chame|chamem|trate de|por, todos|todo mundo? me chamam|chama de
        """,
        attribute="called",
        says="quer ser chamado de {x}",
    ),
    *make_rules(DEC, 0.9, "sempre|nunca|jamais", needs=both(at_least(2), _orders)),
    *make_rules(
        DEC,
        0.9,
        "pare|para|parem de",
        needs=has(word_set("resposta respostas mensagem mensagens"), within=8),
    ),
    *make_rules(DEC, 0.9, "me? @reply me? sempre|apenas"),
    *make_rules(
        DEC,
        0.9,
        "nao use|usa|utilize|escreva|mande|coloque",
        needs=has(word_set("emojis emoji comigo respostas girias giria jargao"), within=6),
    ),
    *make_rules(DEC, 0.9, "nao use|usa|utilize|sugira|escreva|responda nunca|mais|jamais"),
    *make_rules(DEC, 0.95, "use|usa|utilize|siga|segue|aplique", needs=has(pt.ARCHITECTURE, within=6)),
]

FEELING_PATTERNS = tuple(
    WordPattern.parse(text, CLASSES)
    for text in (
        "eu? fico @very? @feeling|panico",
        "eu? me? sinto me? @very? @feeling",
        "eu? choro|travo|surto",
        "eu? entro em panico",
    )
)

FEELING_CAUSE_PATTERNS = (
    WordPattern.parse("sempre? me deixa|deixam @very? @feeling", CLASSES),
    WordPattern.parse("ta|esta|tao|estao me deixando @very? @feeling", CLASSES),
    WordPattern.parse("me da|dá|dao @very? ansiedade|medo|panico|pavor", CLASSES),
)

RULE_INDEXES: Mapping[SubjectType, RuleIndex] = {
    SubjectType.SPEAKER: RuleIndex.from_rules(FELT, HAPPENED, TASTES, AIMS, CHOICES, LIFE),
    SubjectType.KIN: RuleIndex.from_rules(KIN),
    SubjectType.NAMED: RuleIndex.from_rules(NAMED),
    SubjectType.RULE: RuleIndex.from_rules(RULES),
    SubjectType.THING: RuleIndex.from_rules(PROJECT),
    SubjectType.ORDER: RuleIndex.from_rules(ORDERS),
}
