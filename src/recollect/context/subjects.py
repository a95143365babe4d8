"""
Give a fact its subject, so that a model knows whose fact it is.

Facts are stored without one ("is 34 years old", "name: Inês", "irmã Clara é alérgica"), which saves space and reads
well in a list of memories. In a prompt they need it:

1. a text that begins with the user, or a sentence with a subject, is complete: "User is 34", "Pedro hates coriander";
2. a predicate gets the subject: "is vegetarian" → "User is vegetarian", "tem medo" → "O usuário tem medo";
3. an attribute or a relation gets the owner: "name: Inês" → "User's name: Inês", "sister Clara …" → "User's sister …";
4. everything else is a statement of its speaker, and is marked as a message is: "User: I want to learn to sail."

Words decide, since facts have no parse: the third person of English ends in s or ed; Portuguese verbs are listed, or
end in a past tense. What is not recognized falls to 4, which is right for any text.
"""

import re
from collections.abc import Sequence
from typing import Final, Literal

from recollect.text.language import detect_language

SubjectForm = Literal["complete", "predicate", "owned", "statement"]

_OWN_SUBJECT = re.compile(
    r"(?:the user|user|o usu[aá]rio|a usu[aá]ria|usu[aá]ri[oa]|utilizador)\b", re.IGNORECASE
)
#: "name: Inês", "favourite colour: green"
_ATTRIBUTE = re.compile(r"[^\W\d_][\w'-]*+(?: [\w'-]++){0,2}: \S")
_FIRST_PERSON = re.compile(
    r"\b(?:i|i'm|i've|my|me|we|our|us|eu|meus?|minhas?|mim|nós|nossos?|nossas?)\b", re.IGNORECASE
)


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_ADVERBS: Final = {
    "en": _words(
        "also usually often always never still currently mostly mainly only really just already rarely "
        "sometimes recently probably normally generally not no longer"
    ),
    "pt": _words(
        "também já ainda sempre nunca quase só normalmente geralmente raramente às vezes não mais agora se"
    ),
}
_IRREGULAR_VERBS: Final = _words(
    "is was isn't wasn't has had hasn't hadn't does did doesn't didn't can can't cannot could couldn't "
    "will won't would wouldn't should shouldn't must may might got went bought sold lost left met made "
    "took gave found kept built broke became began grew wrote read ran quit put cut set chose drove ate "
    "drank saw said told thought felt fell spent won taught caught came knew led paid sang sat slept spoke "
    "stood swam wore"
)
#: Nouns that end like verbs; before a plural verb, any word is a noun.
_PLURAL_NOUNS: Final = _words(
    "parents kids sons daughters sisters brothers cats dogs friends colleagues grandparents nephews nieces "
    "cousins twins students clients glasses eyes shoes boss class address business series keys plants "
    "guests neighbours neighbors christmas bus gas wife's husband's"
)
_PLURAL_VERBS: Final = _words("are were have live work go want love like need do don't and")
_OWNED_NOUNS: Final = {
    "en": _words(
        "wife husband spouse partner girlfriend boyfriend fiancé fiancée fiance fiancee mother mom mum "
        "father dad parents sister brother son daughter child children kids baby twins grandmother grandma "
        "grandfather grandpa grandson granddaughter uncle aunt cousin nephew niece mother-in-law father- "
        "in-law sister-in-law brother-in-law friend roommate flatmate neighbour neighbor boss manager "
        "supervisor colleague coworker team teacher professor doctor gp therapist dentist landlord "
        "landlady lawyer accountant coach dog cat dogs cats puppy kitten car birthday name surname "
        "nickname email phone pronouns age height weight"
    ),
    "pt": _words(
        "esposa marido mulher companheiro companheira namorada namorado noiva noivo mãe mae pai pais irmã "
        "irma irmão irmao irmãos filho filha filhos filhas bebê bebé avó avô avo neto neta netos netas tio "
        "tia primo prima sobrinho sobrinha sogra sogro cunhada cunhado nora genro amigo amiga vizinho "
        "vizinha chefe gerente colega professor professora médico médica medico medica terapeuta dentista "
        "senhorio advogado advogada contador contadora cachorro cachorra cão gato gata carro aniversário "
        "nome sobrenome apelido idade altura peso"
    ),
}
#: Portuguese verbs of states and habits in the third person.
_PORTUGUESE_VERBS: Final = _words(
    "é está tá tem mora vive reside trabalha gosta odeia detesta ama adora curte prefere evita costuma "
    "come bebe fuma toma usa utiliza assiste vê lê ouve quer pretende planeja planeia sonha pensa espera "
    "gostaria anda fica sente fala estuda cursa faz toca joga pratica mede pesa dirige conduz leciona "
    "ensina dá sofre suporta aguenta vem vai foi era tinha teve fez veio deu pode precisa deve sabe "
    "consegue cuida treina corre pedala nada cozinha viaja acorda dorme paga ganha recebe cria coleciona "
    "torce busca procura compra vende aprende fundou nasceu cresceu chama chama-se mudou-se formou-se "
    "casou-se sente-se considera"
)
#: First words of sentences that a model writes about the user: "Lives in Berlin." Sentences of the user begin with
#: other verbs, about somebody else: "Nasceu o terceiro neto."
_SENTENCE_VERBS: Final = {
    "en": _words(
        "is has lives works prefers likes loves hates enjoys owns wants plays speaks studies uses drinks "
        "eats dislikes plans needs avoids follows"
    ),
    "pt": _words("mora vive trabalha prefere gosta odeia detesta adora estuda quer usa evita pretende"),
}
_PAST_ENDINGS: Final = ("ou", "eu", "iu")
#: Portuguese nouns that end like a past tense.
_PAST_LIKE: Final = _words("museu europeu ateu judeu plebeu meu teu seu céu grou show")

_SUBJECTS: Final = {"en": "User", "pt": "O usuário"}
_WORD = re.compile(r"[^\s,.:;!?()]+")


def add_subject(text: str, *, locale: str, speaker: str = "", said: str = "") -> str:
    """
    Return a fact of the user on one line with its subject, and when it was said.

    The subject is in the language of the fact. A statement is marked with `speaker`, if that is not empty.
    """
    suffix = f" ({said})" if said else ""
    form, language = subject_form(text, locale)
    body = text.removesuffix(".") if suffix else text
    match form:
        case "complete":
            return body[:1].upper() + body[1:] + suffix
        case "predicate":
            return f"{_SUBJECTS[language]} {body[:1].lower()}{body[1:]}{suffix}"
        case "owned":
            return _add_owner(body, language) + suffix
        case "statement":
            return f"{speaker}{suffix}: {text}" if speaker else text + suffix


def subject_form(text: str, locale: str) -> tuple[SubjectForm, str]:
    """Return the form of a fact, and its language."""
    if _OWN_SUBJECT.match(text):
        return "complete", locale
    detected = detect_language(text)
    # Of a short fact the language is often unknown.
    languages = dict.fromkeys((*([detected] if detected in _SUBJECTS else []), locale, *_SUBJECTS))
    words = [word.casefold() for word in _WORD.findall(text[:120])]
    is_sentence = text[:1].isupper()
    if words and not (is_sentence and _FIRST_PERSON.search(text)):
        find_form = _sentence_form if is_sentence else _fact_form
        for language in languages:
            if (form := find_form(words, language)) is not None:
                return form, language
    if not is_sentence and _ATTRIBUTE.match(text):
        return "owned", next(iter(languages))
    return "statement", locale


def _sentence_form(words: Sequence[str], language: str) -> SubjectForm | None:
    if words[0] in _SENTENCE_VERBS[language]:
        return "predicate"
    return "complete" if len(words) > 1 and _is_verb(words[1], "", language) else None


def _fact_form(words: Sequence[str], language: str) -> SubjectForm | None:
    if words[0] in _OWNED_NOUNS[language]:
        return "owned"
    verb = next((place for place, word in enumerate(words[:4]) if word not in _ADVERBS[language]), 0)
    following = words[verb + 1] if verb + 1 < len(words) else ""
    return "predicate" if _is_verb(words[verb], following, language) else None


def _is_verb(word: str, following: str, language: str) -> bool:
    if language == "pt":
        return word in _PORTUGUESE_VERBS or (
            len(word) > 3 and word.endswith(_PAST_ENDINGS) and word not in _PAST_LIKE
        )
    if word in _IRREGULAR_VERBS:
        return True
    if word in _PLURAL_NOUNS or following in _PLURAL_VERBS or word.endswith(("ss", "us", "'s")):
        return False
    return len(word) > 3 and word.endswith(("s", "ed"))


def _add_owner(text: str, language: str) -> str:
    if language == "en":
        return f"User's {text}"
    if _ATTRIBUTE.match(text):
        attribute, _, value = text.partition(": ")
        return f"{attribute[:1].upper()}{attribute[1:]} do usuário: {value}"
    noun, _, rest = text.partition(" ")
    name = _WORD.match(rest)
    is_name = name is not None and name.group()[:1].isupper()
    owned = f"{noun[:1].upper()}{noun[1:]} do usuário"
    if is_name and name is not None:
        return f"{owned}, {name.group()},{rest[name.end() :]}"
    return f"{owned} {rest}"
