"""People and pets that a message names ("my brother Rui", "a minha filha, a Benedita"), to complete pronouns with."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

from recollect.extraction.rules.lexicon import word_set
from recollect.extraction.sentence_units import Token

Gender: TypeAlias = Literal["female", "male", "plural", "any"]

_POSSESSIVES = word_set("my our meu minha meus minhas nosso nossa nossos nossas")
_GENDER_BY_RELATION: dict[str, Gender] = {
    **dict.fromkeys(
        word_set(
            "wife girlfriend fiancee daughter mother mom mum mam mama sister grandmother grandma granny "
            "gran nan aunt auntie niece "
            "stepmum mother-in-law sister-in-law goddaughter godmother landlady mulher esposa "
            "companheira namorada noiva filha mae "
            "irma avo vovo vo neta tia prima sobrinha sogra cunhada madrasta enteada afilhada madrinha "
            "gata cadela cachorra chefa "
            "amiga professora orientadora psicologa medica advogada treinadora caçula"
        ),
        "female",
    ),
    **dict.fromkeys(
        word_set(
            "husband boyfriend fiance son father dad papa daddy brother grandfather grandpa uncle nephew "
            "lad stepdad father-in-law "
            "brother-in-law godson godfather landlord marido esposo companheiro namorado noivo filho pai "
            "irmao neto tio primo "
            "sobrinho sogro cunhado padrasto enteado afilhado padrinho gato cachorro cao amigo professor "
            "orientador psicologo medico "
            "advogado treinador socio compadre avô"
        ),
        "male",
    ),
    **dict.fromkeys(
        word_set(
            "parents kids children twins sons daughters brothers sisters grandparents in-laws pais "
            "filhos filhas irmaos irmas avos "
            "gemeos netos tios primos dogs cats caes gatos boys girls meninos meninas"
        ),
        "plural",
    ),
    **dict.fromkeys(
        word_set(
            "partner spouse child kid baby toddler cousin boss manager colleague friend flatmate "
            "roommate therapist dog cat puppy "
            "kitten rabbit hamster horse tutor mentor coach accountant cofounder bebe chefe gerente "
            "colega dentista terapeuta"
        ),
        "any",
    ),
}
#: Words for the same relation, of which a fact may use another: "dad" and "father".
RELATION_GROUPS: dict[str, tuple[str, ...]] = {
    word: group
    for group in (
        tuple(line.split())
        for line in """
        mother mom mum mam mama
        father dad papa daddy
        wife partner spouse married
        husband partner spouse married
        girlfriend partner
        boyfriend partner
        son child kid children sons kids
        daughter child kid children daughters kids
        kids children child sons daughters
        parents mother father
        sister sibling sisters sister-in-law
        brother sibling brothers brother-in-law
        mae mamae
        pai papai
        mulher esposa companheira casado
        marido esposo companheiro casada
        namorada namora companheira
        namorado namora companheiro
        filho filhos crianca pai mae
        filha filhas crianca pai mae
        filhos filho filha pai mae criancas
        irmao irmaos
        irma irmas
        amigo amigos melhor
        amiga amigas melhor
        boss manager
        colleague coworker
        friend friends
        """.strip().splitlines()
    )
    for word in (group if group[0] in {"mother", "father", "mae", "pai", "boss", "colleague"} else group[:1])
}
#: Called by these words alone: "Dad had a heart attack".
_FAMILY_NAMES = word_set("dad mum mom nan gran grandpa grandma mama papa")
_CONNECTORS = word_set("a o is called named é se_chama chamado chamada")
_PRONOUN_GENDERS: dict[str, Gender] = {
    **dict.fromkeys(word_set("he he's hes his him ele dele"), "male"),
    **dict.fromkeys(word_set("she she's shes her ela dela"), "female"),
    **dict.fromkeys(word_set("they they're theyre their them they've eles elas deles delas"), "plural"),
}
_MAX_ADJECTIVES = 3
#: A word that ends the phrase of a possessive: "my back hurts and dad …".
_PHRASE_ENDS = word_set(
    "que and or is are was has had to of with for e ou é de do da com para pra em no na the a o"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Mention:
    text: str  #: "my brother Rui", or "Rui" if the relation is unknown
    gender: Gender
    end: int  #: in the message


def find_mentions(tokens: Sequence[Token]) -> list[Mention]:
    """Return the related people in a sentence, in order."""
    mentions: list[Mention] = []
    for position, token in enumerate(tokens):
        if token.fold in _POSSESSIVES and (mention := _after_possessive(tokens, position)):
            mentions.append(mention)
        elif token.fold in _FAMILY_NAMES and (
            position == 0
            or tokens[position - 1].fold not in _POSSESSIVES | {"your", "his", "her", "their", "a", "the"}
        ):
            mentions.append(
                Mention(
                    text=f"my {token.text.lower()}",
                    gender=_GENDER_BY_RELATION.get(token.fold, "any"),
                    end=token.end,
                )
            )
    return mentions


def antecedent(pronoun: str, mentions: Sequence[Mention]) -> Mention | None:
    """Return the last person that a pronoun may stand for."""
    gender = _PRONOUN_GENDERS.get(pronoun)
    if gender is None:
        return None
    return next(
        (m for m in reversed(mentions) if m.gender == gender or (m.gender == "any" and gender != "plural")),
        None,
    )


def _after_possessive(tokens: Sequence[Token], position: int) -> Mention | None:
    for index in range(position + 1, min(position + 2 + _MAX_ADJECTIVES, len(tokens))):
        if tokens[index].fold in _PHRASE_ENDS:
            return None
        gender = _GENDER_BY_RELATION.get(tokens[index].fold)
        if gender is None:
            continue
        words = [token.text for token in tokens[position : index + 1]]
        end = tokens[index].end
        following = index + 1
        while following < len(tokens) and tokens[following].fold in _CONNECTORS and following <= index + 2:
            following += 1
        if following < len(tokens) and _is_name(tokens[following]):
            words.append(tokens[following].text)
            end = tokens[following].end
        return Mention(text=" ".join([words[0].lower(), *words[1:]]), gender=gender, end=end)
    return None


def _is_name(token: Token) -> bool:
    return token.text[0].isupper() and token.fold not in {"i", "i'm", "i've", "i'll", "i'd"}
