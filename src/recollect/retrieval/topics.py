"""What a question is about, in a few words, and which kinds of memory bear on that."""

from collections.abc import Iterator
from dataclasses import dataclass

from recollect.domain.memory import Kind
from recollect.text.analyzer import fold_text, stem
from recollect.text.language import detect_language

#: A mood bears on any answer: it sets the tone.
TASTE_KINDS = frozenset({Kind.PREF, Kind.BIO, Kind.OBJ, Kind.EMO})
LIFE_KINDS = frozenset({Kind.BIO, Kind.EVT, Kind.EMO})
FEELING_KINDS = frozenset({Kind.EMO, Kind.EVT, Kind.PREF})
PLAN_KINDS = frozenset({Kind.OBJ, Kind.DEC, Kind.PREF, Kind.EMO})


@dataclass(frozen=True, slots=True, kw_only=True)
class Topic:
    words: tuple[str, ...]  #: what it is called, in the question's own word first
    kinds: frozenset[Kind]


#: What a topic is called, what else is looked for, and the words that give it away, in English and Portuguese.
_TOPICS: tuple[tuple[str, str, frozenset[Kind], str, str], ...] = (
    (
        "food, food preferences",
        "comida, preferências alimentares",
        TASTE_KINDS,
        "dinner lunch breakfast meal eat cook recipe restaurant food snack dish menu diet hungry drink dessert",
        "jantar almoço almoçar lanche comer comida cozinhar receita restaurante prato cardápio dieta fome beber",
    ),
    (
        "mood, feelings",
        "humor, sentimentos",
        FEELING_KINDS,
        "feel feeling mood sad anxious stressed lonely angry happy calm worry afraid",
        "sentir sentindo humor triste ansioso ansiosa estressado sozinho raiva feliz calma preocupado medo",
    ),
    (
        "work, job",
        "trabalho, emprego",
        LIFE_KINDS | PLAN_KINDS,
        "work job boss office career salary colleague meeting interview",
        "trabalho emprego chefe escritório carreira salário colega reunião entrevista",
    ),
    (
        "family, friends",
        "família, amigos",
        LIFE_KINDS,
        "family wife husband son daughter mother father brother sister friend kids birthday gift",
        "família esposa marido filho filha mãe pai irmão irmã amigo amiga filhos aniversário presente",
    ),
    (
        "health, body",
        "saúde, corpo",
        TASTE_KINDS | LIFE_KINDS,
        "health doctor medicine allergy allergic pain sick sleep exercise gym weight height tall",
        "saúde médico remédio alergia alérgico dor doente dormir exercício academia peso altura",
    ),
    (
        "home, place",
        "casa, lugar",
        LIFE_KINDS,
        "live home house apartment city address moved neighbourhood",
        "morar moro casa apartamento cidade endereço mudei bairro",
    ),
    (
        "travel, holidays",
        "viagem, férias",
        TASTE_KINDS | PLAN_KINDS,
        "travel trip flight hotel holiday vacation beach visit",
        "viagem viajar voo hotel férias praia visitar",
    ),
    (
        "leisure, tastes",
        "lazer, gostos",
        TASTE_KINDS,
        "music song movie film series book read game hobby weekend watch play sport",
        "música filme série livro ler jogo hobby fim-de-semana assistir tocar jogar esporte",
    ),
    (
        "goals, plans",
        "objetivos, planos",
        PLAN_KINDS,
        "goal plan learn study improve resolution year project deadline",
        "objetivo meta plano aprender estudar melhorar resolução ano projeto prazo",
    ),
    (
        "money, expenses",
        "dinheiro, gastos",
        PLAN_KINDS | FEELING_KINDS,
        "money budget spend save debt rent price buy",
        "dinheiro orçamento gastar economizar dívida aluguel preço comprar finanças",
    ),
)


#: The stems that give a topic away, by language.
_TOPIC_INDEX = tuple(
    (
        {
            "en": frozenset(stem(fold_text(word), "en") for word in cues.split()),
            "pt": frozenset(stem(fold_text(word), "pt") for word in pistas.split()),
        },
        {"en": tuple(english.split(", ")), "pt": tuple(portuguese.split(", "))},
        kinds,
    )
    for english, portuguese, kinds, cues, pistas in _TOPICS
)


def detect_topic(query: str) -> Topic | None:
    """The topic that most words of a question speak of; None if none of them speaks of any."""
    language = "pt" if detect_language(query) == "pt" else "en"
    stems = [(word, stem(fold_text(word), language)) for word in _split_words(query)]
    best: Topic | None = None
    best_count = 0
    for cues, names, kinds in _TOPIC_INDEX:
        matches = [word for word, form in stems if form in cues[language]]
        if len(matches) > best_count:
            best_count = len(matches)
            best = Topic(words=tuple(dict.fromkeys((*matches, *names[language]))), kinds=kinds)
    return best


def _split_words(text: str) -> Iterator[str]:
    for raw in text.split():
        word = raw.strip("?!.,;:()\"'“”").lower()
        if word:
            yield word
