"""
Detect statements that end a state: "we're dropping GraphQL", "Rex died", "the exam is on Saturday" after Friday.

`ends` looks for a verb that ends something and for its object; the known memory must describe a state of that object.
`changes_value` compares two statements "X is V" that differ only in numbers, days and dates. Both work on word forms.
What they do not recognize stays as two memories, of which the newer one ranks higher.

Examples: "uses GraphQL for the API" is ended by "We're dropping GraphQL and going back to REST", "dog: Rex" by "Rex
died last week", but "Rui taught me GraphQL" by neither. O(words).
"""

import re
from functools import lru_cache

from recollect.domain.memory import Kind, Memory
from recollect.text.analyzer import STOP_WORDS, fold_text
from recollect.text.languages.en import ENGLISH
from recollect.text.languages.pt import PORTUGUESE

_WORD_PATTERN = re.compile(r"[^\W_]+(?:[.'’-][^\W_]+)*")
_CLAUSE_BREAK = re.compile(r"[,;]\s|\s(?:but|mas)\s")
_ENDING_VERB = re.compile(
    r"\b(?:(?:drop(?:ped|ping)?|abandon(?:ed|ing)?|ditch(?:ed|ing)?|quit(?:ting)?|leav(?:e|es|ing)|left"
    r"|replac(?:ed?|ing)"
    r"|mov(?:ed?|ing) (?:off|away from)|switch(?:ed|ing)? (?:away )?from|migrat(?:ed?|ing) (?:off|from)"
    r"|stop(?:ped|ping)? (?:using|taking|eating|drinking|playing|doing|going to|working (?:at|for))"
    r"|no longer (?:use|uses|using|take|takes|have|has|play|plays|work at|works at|eat|eats|drink|drinks)"
    r"|g(?:a|i)v(?:e|en|ing) up|sold|cancel(?:led|ed)|brok?e up with|g(?:o|e)t(?:ting)? rid of|got out of)"
    r"|(?:abandon(?:amos|ei|ou)|larg(?:amos|uei|ou)|drop(?:amos|ei|ou)|troc(?:amos|uei|ou)|mat(?:amos|ei|ou)"
    r"|desist(?:imos|i|iu) d[eoa]s?|sa(?:imos|i|iu) d[eoa]s?|par(?:amos|ei|ou) (?:de (?:usar|tomar|comer|beber|"
    r"jogar|tocar|ir)|com)|deix(?:amos|ei|ou) de (?:usar|tomar|comer|beber|jogar|tocar|ir)|vend(?:emos|i|eu)"
    r"|(?:larg|abandon|troc|cancel|descart)ando|(?:saindo|desistindo|migrando) d[eoa]s?|(?:parando|deixando) de usar"
    r"|cancel(?:amos|ei|ou)|termin(?:amos|ei|ou) com|migr(?:amos|ei|ou) d[eoa]s?|nao (?:uso|usa|usamos|tomo|toma|"
    r"tenho|tem|temos|trabalho|trabalha) mais))\s+(?P<object>.+)"
)
_DEATH = re.compile(
    r"(?P<name>[\w'-]+),? (?:has |had )?(?:died|passed away|morreu|faleceu)\b"
    r"|\b(?:(?:we|i) lost|perdemos|perdi) (?P<phrase>(?:[\w'-]+ ?){1,4})"
)
_OBJECT_ENDS = frozenset(
    "and for to in on at with because since after before when last this next so but which that from by "
    "back off e para por "
    "pra porque desde depois antes quando que em no na nos nas com mes semana ano ontem hoje yesterday "
    "today pelo pela "
    "switching going".split()
)
_SKIPPED_OBJECT_WORDS = STOP_WORDS | frozenset(
    "my our the job meu minha nosso nossa o a os as um uma emprego".split()
)
#: The first significant word of a state.
_STATE_VERBS = frozenset(
    """
    use uses using used run runs running have has having work works working play plays take takes taking eat
    eats drink drinks
    drive drives own owns decided decide chose choose going pay pays live lives go goes study studies train
    trains is am are
    we're i'm want wants plan plans deploy deploys host hosts on
    uso usa usamos usam roda rodamos tenho tem temos trabalho trabalha trabalhamos jogo joga toco toca tomo
    toma como come
    bebo bebe dirijo dirige conduzo decidi decidimos escolhi escolhemos vou vamos pago paga moro mora estudo
    estuda treino
    treina sou é estou quero quer namoro namora
    """.split()
)
_MAX_STATE_VERB_POSITION = 4
_COPULAS = frozenset(
    "is are sao fica ficam sera serao will be costs cost custa custam was take takes tomo toma weigh weighs peso pesa "
    "pay pays pago paga earn earns ganho ganha".split()
)
_DAY_WORDS = frozenset(
    """
    monday tuesday wednesday thursday friday saturday sunday mon tue wed thu fri sat sun weekend
    segunda terca quarta quinta sexta sabado domingo segunda-feira terca-feira quarta-feira quinta-feira
    sexta-feira feira
    today tomorrow yesterday hoje amanha ontem am pm noon midnight
    """.split()
).union(*(language.calendar.months for language in (ENGLISH, PORTUGUESE)))
_UNCOMPARED_WORDS = STOP_WORDS | frozenset(
    "now agora on at of de no na as the a an o my our meu minha nosso nossa".split()
)
#: Statements with more words may agree by chance.
_MAX_VALUE_WORDS = 8


def ends(existing_memory: Memory, new_memory: Memory) -> bool:
    """Whether a statement ends the state that a memory describes."""
    if existing_memory.user != new_memory.user or existing_memory.speaker is not new_memory.speaker:
        return False
    if existing_memory.kind in {Kind.EVENT, Kind.EMOTION} and existing_memory.attribute is None:
        return False
    if _ended_object(existing_memory.text) or _dead_name(existing_memory.text):
        return False
    if (name := _dead_name(new_memory.text)) is not None:
        return _describes_pet_or_relative(existing_memory, name)
    ended = _ended_object(new_memory.text)
    return bool(ended) and _describes_state_of(existing_memory, ended)


def changes_value(existing_memory: Memory, new_memory: Memory) -> bool:
    """Whether two statements "X is V" differ only in the numbers, days and dates of V."""
    if (
        existing_memory.user != new_memory.user
        or existing_memory.speaker is not new_memory.speaker
        or existing_memory.kind is not new_memory.kind
        or existing_memory.attribute != new_memory.attribute
    ):
        return False
    one, other = _split_value(existing_memory.text), _split_value(new_memory.text)
    return (
        one is not None
        and other is not None
        and one[0] == other[0]
        and one[1] != other[1]
        and bool(one[1])
        and bool(other[1])
    )


def says_more(retraction: str, retracted: str) -> bool:
    """Whether a retraction has a clause besides the one that takes back: "…, I eat fish"."""
    clauses = [clause for clause in _CLAUSE_BREAK.split(retraction) if clause.strip(" .!")]
    known = set(_words(retracted))
    return any(
        len(set(words) - known - _UNCOMPARED_WORDS) > 0 and len(words) > 1
        for words in map(_words, clauses[1:])
    )


@lru_cache(maxsize=8192)
def _ended_object(text: str) -> tuple[str, ...]:
    """Return the words of the object that a statement ends: "dropping GraphQL and …" → graphql."""
    match = _ENDING_VERB.search(fold_text(text))
    if match is None:
        return ()
    words: list[str] = []
    for word in _WORD_PATTERN.findall(match["object"]):
        if word in _SKIPPED_OBJECT_WORDS and word not in _OBJECT_ENDS:
            continue
        if words and word in _OBJECT_ENDS:
            break
        if word not in _OBJECT_ENDS:
            words.append(word)
    return tuple(words[:3])


@lru_cache(maxsize=8192)
def _dead_name(text: str) -> str | None:
    """Return the name of the pet or person whose death a statement reports: the capitalized word beside the verb."""
    match = _DEATH.search(fold_text(text))
    if match is None:
        return None
    words = (match["name"] or match["phrase"]).split()
    capitalized = {fold_text(word) for word in _WORD_PATTERN.findall(text) if word[0].isupper()}
    return next((word for word in words if word in capitalized), None)


def _describes_pet_or_relative(memory: Memory, name: str) -> bool:
    if memory.attribute is not None and memory.attribute.endswith(".name"):
        return fold_text(memory.value or "") == name
    words = _words(memory.text)
    return name in words and not {"has", "have", "tem", "tenho", "temos"}.isdisjoint(words[:2])


def _describes_state_of(memory: Memory, words: tuple[str, ...]) -> bool:
    known = _words(memory.text)
    if memory.attribute is not None and memory.value is not None:
        return set(words) <= set(_words(memory.value))
    is_state = not _STATE_VERBS.isdisjoint(known[:_MAX_STATE_VERB_POSITION])
    return is_state and set(words) <= set(known)


@lru_cache(maxsize=8192)
def _split_value(text: str) -> tuple[frozenset[str], frozenset[str]] | None:
    """Return what a statement "X is V" is about, and its numbers, days and dates; None for other statements."""
    words = _words(text)
    # Folding makes "é" (is) the same as "e" (and).
    has_copula = "é" in text.casefold().split() or not _COPULAS.isdisjoint(words)
    if not has_copula or len(words) > _MAX_VALUE_WORDS + 4:
        return None
    values = frozenset(word for word in words if word in _DAY_WORDS or word[0].isdecimal())
    about = frozenset(
        word for word in words if word not in values and word not in _UNCOMPARED_WORDS | _COPULAS
    )
    return (about, values) if 0 < len(about) <= _MAX_VALUE_WORDS else None


@lru_cache(maxsize=8192)
def _words(text: str) -> tuple[str, ...]:
    return tuple(_WORD_PATTERN.findall(fold_text(text)))
