"""Portuguese word classes and conditions shared by the rules."""

from collections.abc import Mapping

from recollect.extraction.rules.conditions import (
    both,
    capitalized_within,
    either,
    first_noun,
    has,
    lacks,
    listed_or_ends_with,
    starts_with,
)
from recollect.extraction.rules.lexicon import TECHNOLOGIES, word_set
from recollect.extraction.rules.pt import word_lists as pt
from recollect.extraction.rules.pt.verbs import OWN
from recollect.extraction.rules.rule_index import Condition, RuleFactory

STOPS = word_set(
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
    "in": word_set("em no na nos nas num numa"),
    "of": word_set("de do da dos das"),
    "to": word_set("para pra pro a ao"),
    "at": word_set("a ao aos as"),
    "estou": word_set("estou to tou estamos ando andamos"),
    "is": word_set("é e sao eh"),
    "with": word_set("com por pelo pela pelas pelos sobre de do da desde porque que ao a"),
    "art": word_set("o a os as um uma"),
    "occasion": pt.OCCASIONS,
    "lesson": pt.LESSONS,
    "paper": word_set("visto passaporte contrato seguro carteira aluguel licenca garantia"),
    "count": pt.COUNTS,
    "body": pt.BODY,
    "treatment": pt.TREATMENTS,
    "fired": word_set(
        "demitido demitida despedido despedida promovido promovida contratado contratada assaltado "
        "assaltada mandado mandada aprovado aprovada aceito aceita internado internada reprovado reprovada "
        "traido traida"
    ),
    "this": word_set("desse deste para este esse"),
    "post": word_set("emprego trabalho estagio faculdade terapia mestrado doutorado bolsa vaga promocao"),
    "decided": word_set(
        "decidi decidimos optei optamos resolvi resolvemos combinamos concordamos escolhi escolhemos "
        "definimos"
    ),
    "made": word_set(
        "escrito escrita feito feita hospedado hospedada construido construida baseado baseada "
        "desenvolvido desenvolvida"
    ),
    "reply": word_set(
        "responda responde escreva escreve fale fala use usa utilize explique explica mantenha siga "
        "comente inclua evite"
    ),
}
make_rules = RuleFactory(classes=CLASSES)

JOB: Condition = first_noun(
    STOPS,
    listed_or_ends_with(
        pt.JOBS,
        ("ista", "logo", "loga", "grafo", "grafa", "eiro", "eira", "dor", "dora"),
        excluded=pt.NOT_JOBS,
    ),
)
TECH: Condition = both(
    either(has(TECHNOLOGIES), capitalized_within(4)), lacks(word_set("aqui cookies exemplo acima abaixo"))
)
GOAL: Condition = both(
    either(
        starts_with(pt.LIFE_VERBS),
        both(starts_with(pt.MAYBE_LIFE_VERBS), has(pt.LIFE_THINGS | pt.LIFE_VERBS, within=10)),
    ),
    lacks(word_set("voce isso isto aqui")),
)
POINTING = word_set("isso isto esse este nisso disso")
