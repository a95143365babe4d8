"""Portuguese rules for biography, preferences and goals of the user."""

from recollect.domain.memory import Kind
from recollect.extraction.rules.conditions import (
    both,
    capitalized_within,
    either,
    has,
    is_capitalized,
    lacks,
    starts_with,
)
from recollect.extraction.rules.lexicon import TECHNOLOGIES, word_set
from recollect.extraction.rules.pt import word_lists as pt
from recollect.extraction.rules.pt.word_classes import GOAL, JOB, POINTING, make_rules

BIO, PREF, OBJ = Kind.BIOGRAPHY, Kind.PREFERENCE, Kind.GOAL

_NAMES = [
    *make_rules(BIO, 1.0, "o? @own nome completo? @is, me? chamo me?", attribute="name", says="nome: {x}"),
    *make_rules(BIO, 1.0, "tenho|fiz|faco|completei|completo <n> anos|aninhos", attribute="age", bare=True),
    *make_rules(BIO, 1.0, "vou|vamos fazer|completar <n>|@count anos", bare=True),
    *make_rules(
        BIO,
        1.0,
        "o? @own aniversario @is no|em? dia?, faco|fazemos|faço aniversario|anos em|no|a|dia dia?",
        attribute="birthday",
        says="aniversário: {x}",
    ),
    *make_rules(BIO, 1.0, "nasci em|no|na|a|dia", attribute="born"),
]

_PLACES = [
    *make_rules(
        BIO,
        1.0,
        "moro|moramos|vivo|vivemos|resido @in, @estou morando|vivendo @in, @estou a morar|viver @in",
        attribute="lives_in",
        needs=either(
            is_capitalized,
            capitalized_within(5),
            has(word_set("apartamento casa interior sitio vila aldeia"), within=3),
        ),
    ),
    *make_rules(
        BIO,
        1.0,
        """
        moro|moramos|vivo|vivemos sozinho|sozinha|com|perto, cresci @in, fui criado|criada @in|por|pela|pelos
        morei|vivi|trabalhei|estudei @in|como
        """,
        bare=True,
        needs=lacks(POINTING),
    ),
    *make_rules(
        BIO,
        1.0,
        "sou|somos|venho natural|originario|originaria? de|do|da|dos",
        attribute="from",
        needs=is_capitalized,
    ),
    *make_rules(
        BIO,
        1.0,
        "sou @state|@nation|@condition, @estou @state, sou mae|pai solteiro|solteira?, sou filho|filha "
        "unico|unica",
        bare=True,
    ),
]

_WORK = [
    *make_rules(
        BIO,
        1.0,
        """
        trabalho|trabalhamos a|de noite|tarde|manha|madrugada|dia
        divido|dividimos @art|@own? apartamento|casa|quarto com
        o? @own apartamento|casa|escritorio fica|tem|é, a? @own cidade|terra natal @is
        moro|moramos nesta|nessa|neste|nesse casa|apartamento|cidade|bairro|rua desde|ha
        venho|sou de uma familia de, sou o|a mais velho|velha|novo|nova|cacula de|dos|entre, sou o|a cacula de|dos|da
        nunca conheci o|a? @own @kin
        sou neto|neta|filho|filha|bisneto|bisneta|descendente de
        """,
        bare=True,
    ),
    *make_rules(BIO, 1.0, "trabalho|trabalhamos como, atuo como, trabalho de", attribute="job"),
    *make_rules(
        BIO,
        1.0,
        """
        trabalho|trabalhamos @in|para|pra|pro, @estou trabalhando @in|como|para, @estou a trabalhar @in|como|para
        """,
        attribute="employer",
        needs=lacks(POINTING),
    ),
    *make_rules(
        BIO,
        1.0,
        "trabalho com|por|remoto|remotamente|de, trabalho a partir de",
        bare=True,
        needs=lacks(POINTING),
    ),
    *make_rules(BIO, 1.0, "sou um|uma?", attribute="job", needs=JOB),
    *make_rules(
        BIO, 1.0, "sou formado|formada em|pela|pelo|no|na, @estou no|na * ano|semestre|periodo|fase @of"
    ),
    *make_rules(PREF, 0.8, "torco por|pelo|pela|pro|para"),
    *make_rules(BIO, 1.0, "dou aula|aulas de, leciono|ensino, sou dono|dona|socio|socia de|da|do"),
    *make_rules(
        BIO,
        1.0,
        "estudo|curso|cursei, @estou cursando, @estou a tirar",
        needs=lacks(POINTING | word_set("para")),
    ),
    *make_rules(
        BIO,
        1.0,
        "@estou fazendo|terminando|concluindo|cursando, @estou a fazer|terminar, faco|fiz",
        needs=has(pt.SCHOOLING, within=3),
    ),
]

_BODY = [
    *make_rules(BIO, 1.0, "sou muito? alergico|alergica|intolerante @at, tenho alergia @at|de", each=True),
    *make_rules(
        BIO,
        1.0,
        "tenho|temos, nao tenho|temos, sofro|sofremos de|com",
        needs=both(has(pt.HAVABLE, within=5), lacks(word_set("duvida erro problema certeza pergunta"))),
    ),
    *make_rules(
        BIO,
        1.0,
        "tenho|temos|faco|fazemos @lesson",
        needs=has(word_set("toda todo todas todos semanal semanais vezes"), within=7),
    ),
    *make_rules(BIO, 1.0, "falo, sou fluente em", each=True, needs=has(pt.LANGUAGES, within=4)),
    *make_rules(
        BIO,
        1.0,
        "o|a? @own lingua materna|nativa @is",
        attribute="native_language",
        says="língua materna: {x}",
    ),
    *make_rules(
        BIO,
        1.0,
        "toco|jogo|pratico",
        needs=has(pt.PLAYABLE | word_set("yoga ioga natacao judo karate boxe"), within=3),
    ),
    *make_rules(
        BIO,
        1.0,
        "meco|peso|calco, tenho <n> de altura, uso oculos|aparelho|lentes, dirijo|conduzo",
        bare=True,
        needs=lacks(POINTING),
    ),
    *make_rules(BIO, 1.0, "o? @own email|e-mail|telefone|telemovel|endereco|peso|altura|signo|salario @is"),
]

_BODY += [
    *make_rules(BIO, 1.0, "fiz|cursei|faco|estudei", needs=starts_with(pt.DEGREES)),
    *make_rules(BIO, 1.0, "tenho|sofro|temos problema|problemas de|na|no|nas|nos @body", bare=True),
    *make_rules(BIO, 1.0, "tomo|tomamos", needs=has(word_set("todo toda diariamente todos todas"), within=6)),
    *make_rules(BIO, 1.0, "durmo muito|bem|super? mal|pouco|bem|tarde", bare=True),
    *make_rules(
        BIO,
        1.0,
        "o? @own banco|carro|celular|telemovel|notebook|computador @is o|a|um|uma?",
        needs=lacks(word_set("lento lenta quebrado quebrada")),
    ),
]

LIFE = [*_NAMES, *_PLACES, *_WORK, *_BODY]

TASTES = [
    *make_rules(PREF, 0.9, "nao sou @diet, deixei de ser @diet", attribute="diet", negated=True, bare=True),
    *make_rules(
        PREF, 0.9, "sou|somos um|uma? @diet, virei @diet, me? tornei me? @diet", attribute="diet", bare=True
    ),
    *make_rules(
        PREF,
        0.9,
        "@estou de|em|fazendo|seguindo uma? dieta, faco|sigo uma? dieta",
        attribute="regime",
        bare=True,
    ),
    *make_rules(PREF, 0.8, "odeio|detesto|adoro|amo que me"),
    *make_rules(PREF, 0.8, "sou|somos mais de|do|da|chegado|chegada", needs=lacks(POINTING)),
    *make_rules(PREF, 0.8, "odeio|detesto|adoro|amo quando", needs=lacks(POINTING | {"acontece"})),
    *make_rules(
        PREF,
        0.8,
        """
        amo|adoro|odeio|detesto|curto, gosto muito|bastante|mais|imenso? @of
        nao gosto|curto muito|nada? @of, nao suporto|aguento
        """,
        each=True,
        needs=lacks(word_set("isso isto acontece quando ideia sugestao resposta")),
    ),
    *make_rules(
        PREF,
        0.8,
        "sou|somos muito|grande|super? fa @of, sou|@estou apaixonado|apaixonada|viciado|viciada|louco|louca "
        "por|em|pelo|pela|no|na",
    ),
    *make_rules(PREF, 0.8, "prefiro|preferimos|evito|evitamos, costumo|costumamos"),
    *make_rules(
        PREF,
        0.8,
        """
        nao como|bebo|fumo|tomo|uso|assisto|vejo, nao posso comer|beber|com
        nunca|sempre|quase nunca? como|bebo|tomo|uso|leio|acordo|cozinho|durmo|corro|compro
        """,
        needs=lacks(word_set("isso isto fazer faco funciona resolver")),
    ),
    *make_rules(PREF, 0.8, "nao bebo|fumo, nunca bebo|fumo", bare=True),
    *make_rules(
        PREF,
        0.8,
        """
        como|bebo|fumo|tomo
        estou|to|tou comendo|bebendo|fumando|tomando
        estou|to|tou a comer|beber|fumar|tomar
        """,
        needs=lacks(word_set("isso isto")),
        ended=True,
    ),
    *make_rules(PREF, 0.8, "voltei|voltamos a comer|beber|fumar|correr|nadar|treinar|pedalar", bare=True),
    *make_rules(
        PREF,
        0.7,
        "uso",
        needs=both(
            either(starts_with(TECHNOLOGIES), capitalized_within(2)), lacks(word_set("aqui esse este errado"))
        ),
    ),
    *make_rules(
        PREF,
        0.8,
        "o|a? @own * *? *? favorito|favorita|preferido|preferida @is",
        attribute="favourite",
    ),
    *make_rules(
        PREF,
        0.8,
        "corro|medito|nado|cozinho|pedalo|pinto|desenho|leio|treino|caminho",
        needs=has(word_set("todo toda todos todas dia dias manhas noite vezes fins"), within=6),
    ),
]

AIMS = [
    *make_rules(
        OBJ,
        0.7,
        """
        quero|queremos, gostaria|gostariamos de, pretendo|pretendemos, planejo|planejamos, planeio, sonho em, penso em
        @estou planejando, @estou pensando em, @estou querendo, @estou a planear, espero, tenciono
        """,
        needs=GOAL,
    ),
    *make_rules(
        OBJ,
        0.7,
        """
        @estou juntando|economizando|guardando|poupando dinheiro|grana? para|pra
        @estou a juntar|poupar dinheiro? para|pra, @estou me? estudando|treinando|preparando me? para|pra
        @estou a estudar|treinar para|pra
        """,
        needs=lacks(word_set("reuniao")),
    ),
    *make_rules(
        OBJ,
        0.7,
        """
        @estou aprendendo a?, @estou a aprender a?, comecei a aprender
        @estou tentando parar|emagrecer|engravidar|perder|aprender|economizar|largar
        """,
        needs=lacks(POINTING),
    ),
    *make_rules(
        OBJ,
        0.7,
        "o|a? @own grande|maior|principal|proxima|proximo|nova|novo|primeira? meta|objetivo|sonho|objectivo "
        "grande|principal? @this? ano? @is",
        says="{head}: {x}",
    ),
    *make_rules(OBJ, 0.7, "@estou tentando ter um|uma? bebe|filho|filha", bare=True),
    *make_rules(
        OBJ,
        0.7,
        "preciso|precisamos perder|parar|juntar|economizar|pagar",
        needs=has(word_set("quilos kg peso fumar beber dinheiro divida dividas emprestimo"), within=4),
    ),
    *make_rules(OBJ, 0.7, "o? @own plano @is", needs=lacks(POINTING)),
]
