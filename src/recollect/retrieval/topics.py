"""Detect the topic of a query: words to add to the embedded text, and the kinds of memory to search."""

from collections.abc import Iterator
from dataclasses import dataclass

from recollect.domain.memory import Kind
from recollect.text.analyzer import STOP_WORDS, fold_text, stem
from recollect.text.language import detect_language

TASTE_KINDS = frozenset({Kind.PREFERENCE, Kind.BIOGRAPHY})
LIFE_KINDS = frozenset({Kind.BIOGRAPHY, Kind.EVENT})
FEELING_KINDS = frozenset({Kind.EMOTION, Kind.EVENT, Kind.PREFERENCE})
PLAN_KINDS = frozenset({Kind.GOAL, Kind.DECISION, Kind.PREFERENCE})
#: Also searched for every topic: a goal may be on the topic itself, and a mood sets the tone of the answer.
CONDITIONAL_KINDS = frozenset({Kind.GOAL, Kind.EMOTION})


@dataclass(frozen=True, slots=True, kw_only=True)
class Topic:
    name: str
    words: tuple[str, ...]  #: matching words of the query first, then the topic's names
    kinds: frozenset[Kind]  #: of memories that are on the topic, whatever they say

    def includes(self, kind: Kind, text: str) -> bool:
        """Return whether a memory is on the topic: by its kind, or by its own words."""
        if kind in self.kinds:
            return True
        topic = detect_topic(text)
        return topic is not None and topic.name == self.name


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


def detect_topic(text: str) -> Topic | None:
    """Return the topic with the most cue words in the text, or None if there is no cue word."""
    detected = detect_language(text)
    languages = (detected,) if detected in {"en", "pt"} else ("en", "pt")
    best: Topic | None = None
    best_count = 0
    for language in languages:
        stems = [(word, stem(fold_text(word), language)) for word in _split_words(text)]
        for cues, names, kinds in _TOPIC_INDEX:
            matches = [word for word, form in stems if form in cues[language]]
            if len(matches) > best_count:
                best_count = len(matches)
                words = tuple(dict.fromkeys((*matches, *names[language])))
                best = Topic(name=names["en"][0], words=words, kinds=kinds)
    return best


def _split_words(text: str) -> Iterator[str]:
    for raw in text.split():
        word = raw.strip("?!.,;:()\"'“”").lower()
        # "com" (with) has the stem of "comer" (to eat).
        if word and fold_text(word) not in STOP_WORDS:
            yield word
