"""Portuguese word classes and conditions that several rules share."""

from collections.abc import Mapping

from recollect.extraction.rules.conditions import (
    begins,
    both,
    capital_within,
    either,
    first_noun,
    has,
    lacks,
    named_or_ends,
)
from recollect.extraction.rules.lexicon import TECHNOLOGY, listed
from recollect.extraction.rules.pt import word_lists as pt
from recollect.extraction.rules.pt.verbs import OWN
from recollect.extraction.rules.rule_index import Condition, Writer

STOPS = listed(
    "em no na nos nas num numa com de do da dos das para pra pro por pelo pela que ha desde ate e quando "
    "enquanto depois antes se sobre sem ao a as aos perto porque onde como ja agora mais"
)
CLASSES: Mapping[str, frozenset[str]] = {
    "kin": pt.KIN,
    "diet": pt.DIETS,
    "condition": pt.CONDITIONS,
    "state": pt.STATES,
    "nation": pt.NATIONALITIES,
    "feeling": pt.FEELINGS,
    "strong": pt.STRONG,
    "very": pt.VERY,
    "dread": pt.DREADS,
    "own": OWN,
    "in": listed("em no na nos nas num numa"),
    "of": listed("de do da dos das"),
    "to": listed("para pra pro a ao"),
    "at": listed("a ao aos as"),
    "estou": listed("estou to tou estamos ando andamos"),
    "is": listed("é e sao eh"),
    "with": listed("com por pelo pela pelas pelos sobre de do da desde porque que ao a"),
    "art": listed("o a os as um uma"),
    "occasion": pt.OCCASIONS,
    "lesson": pt.LESSONS,
    "paper": listed("visto passaporte contrato seguro carteira aluguel licenca garantia"),
    "count": pt.COUNTS,
    "body": pt.BODY,
    "treatment": pt.TREATMENTS,
    "fired": listed(
        "demitido demitida despedido despedida promovido promovida contratado contratada assaltado "
        "assaltada mandado mandada aprovado aprovada aceito aceita internado internada reprovado reprovada "
        "traido traida"
    ),
    "this": listed("desse deste para este esse"),
    "post": listed("emprego trabalho estagio faculdade terapia mestrado doutorado bolsa vaga promocao"),
    "decided": listed(
        "decidi decidimos optei optamos resolvi resolvemos combinamos concordamos escolhi escolhemos "
        "definimos"
    ),
    "made": listed(
        "escrito escrita feito feita hospedado hospedada construido construida baseado baseada "
        "desenvolvido desenvolvida"
    ),
    "reply": listed(
        "responda responde escreva escreve fale fala use usa utilize explique explica mantenha siga "
        "comente inclua evite"
    ),
}
rules = Writer(classes=CLASSES)

JOB: Condition = first_noun(
    STOPS,
    named_or_ends(
        pt.JOBS, ("ista", "logo", "loga", "grafo", "grafa", "eiro", "eira", "dor", "dora"), never=pt.NOT_JOBS
    ),
)
TECH: Condition = both(
    either(has(TECHNOLOGY), capital_within(4)), lacks(listed("aqui cookies exemplo acima abaixo"))
)
GOAL: Condition = both(
    either(
        begins(pt.LIFE_VERBS),
        both(begins(pt.MAYBE_LIFE_VERBS), has(pt.LIFE_THINGS | pt.LIFE_VERBS, within=10)),
    ),
    lacks(listed("voce isso isto aqui")),
)
POINTING = listed("isso isto esse este nisso disso")
