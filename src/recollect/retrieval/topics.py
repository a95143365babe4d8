"""Detect the topic of a query: words to add to the embedded text, and the kinds of memory to search."""

from collections.abc import Iterator
from dataclasses import dataclass

from recollect.domain.memory import Kind
from recollect.text.analyzer import fold_text, stem
from recollect.text.language import detect_language

#: Moods are relevant to most topics, because they set the tone of the answer.
TASTE_KINDS = frozenset({Kind.PREFERENCE, Kind.BIOGRAPHY, Kind.GOAL, Kind.EMOTION})
LIFE_KINDS = frozenset({Kind.BIOGRAPHY, Kind.EVENT, Kind.EMOTION})
FEELING_KINDS = frozenset({Kind.EMOTION, Kind.EVENT, Kind.PREFERENCE})
PLAN_KINDS = frozenset({Kind.GOAL, Kind.DECISION, Kind.PREFERENCE, Kind.EMOTION})


@dataclass(frozen=True, slots=True, kw_only=True)
class Topic:
    words: tuple[str, ...]  #: matching words of the query first, then the topic's names
    kinds: frozenset[Kind]


#: Names (English, Portuguese), memory kinds, and cue words (English, Portuguese) of each topic.
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


#: Stems of the cue words by language, with the names and kinds of the topic.
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
    """Return the topic with the most cue words in the query, or None if there is no cue word."""
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
