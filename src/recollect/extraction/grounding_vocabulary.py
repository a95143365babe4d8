"""Word lists for grounding: framing words, synonyms, number words and negations, per language."""

from collections.abc import Mapping
from dataclasses import dataclass


def _word_set(text: str) -> frozenset[str]:
    return frozenset(text.split())


def _synonym_groups(text: str) -> Mapping[str, str]:
    """Map each word to the first word of its line, which names the group."""
    lines = [line.split() for line in text.strip().splitlines()]
    return {word: line[0] for line in lines for word in line}


@dataclass(frozen=True, slots=True, kw_only=True)
class GroundingVocabulary:
    user_words: frozenset[str]  #: words for the user and the assistant, never names
    framing_words: frozenset[str]  #: words that a fact in the third person may add
    synonym_groups: Mapping[str, str]  #: group of each word; words of a group are interchangeable
    number_words: Mapping[str, str]
    negations: frozenset[str]  #: words that negate a statement
    month_numbers: Mapping[str, str]
    ordinals: Mapping[str, str]


#: Attributes that are never inferred, only stated.
SENSITIVE_WORDS = _word_set(
    "gay lesbian bisexual homosexual heterosexual straight queer transgender trans nonbinary catholic "
    "protestant evangelical muslim "
    "jewish hindu buddhist atheist christian conservative liberal socialist communist republican "
    "democrat immigrant black white "
    "asian latino hispanic lesbica bissexual hetero catolico catolica evangelico evangelica muculmano "
    "muculmana judeu judia "
    "budista ateu ateia cristao crista espirita conservador conservadora esquerdista petista "
    "bolsonarista imigrante negro negra"
)
#: Report the end of a state, which the message may negate: "moved from Denver" ← "I don't live in Denver any more".
CHANGE_WORDS = _word_set(
    "moved left quit stopped switched dropped replaced ended cancelled changed gave no longer former "
    "formerly mudou saiu deixou parou "
    "trocou largou abandonou cancelou terminou antigo"
)
#: Mean that the user has none of these: "vegetarian" ← "I don't eat meat".
ABSTINENCES: Mapping[str, tuple[str, ...]] = {
    **dict.fromkeys(_word_set("vegetarian veggie pescatarian"), ("meat",)),
    "vegan": ("meat", "dairy"),
    **dict.fromkeys(_word_set("teetotal teetotaller abstinent sober"), ("alcohol", "drink", "booze")),
    **dict.fromkeys(_word_set("vegetariano vegetariana pescetariano pescetariana"), ("carne",)),
    **dict.fromkeys(_word_set("vegano vegana"), ("carne", "leite")),
    **dict.fromkeys(_word_set("abstemio abstemia sobrio sobria"), ("alcool", "bebo", "bebida")),
}
#: In a name: the model may complete it ("Einstein" → "Hospital Israelita Albert Einstein").
INSTITUTION_WORDS = _word_set(
    "hospital university universidade school escola college institute instituto clinic clinica museum "
    "museu marathon maratona "
    "airport aeroporto station estacao church igreja bank banco"
)


def _numbered(text: str, first: int = 1) -> dict[str, str]:
    return {
        name: str(number) for number, names in enumerate(text.split(), first) for name in names.split("/")
    }


ENGLISH_VOCABULARY = GroundingVocabulary(
    user_words=_word_set("i user users assistant"),
    framing_words=_word_set(
        "st nd rd th rather via due such even first last onto across toward towards only once per up down out off "
        "after before during between among against within instead though although both either else "
        "however therefore thus yet ever most more less least few many several own a an the this that "
        "these those of to in on at by for from with without about as into over under since until and or "
        "but if than then so because while when where who whom which what how there here i me my mine we "
        "us our ours you your yours he him his she her hers it its they them their theirs one user users "
        "assistant speaker person someone somebody people place places thing things am is are was were be "
        "been being do does did done doing has have had having will would shall should can could may "
        "might must get gets got getting go goes going like likes liked love loves loved enjoy enjoys "
        "enjoyed prefer prefers preferred favourite favorite fond want wants wanted wish wishes need "
        "needs needed plan plans planning intend intends hope hopes use uses used using work works worked "
        "working live lives lived living reside resides based owns owned feel feels felt feeling think "
        "thinks say says said state states stated mention mentions mentioned tell tells told ask asks "
        "asked know knows known name names named call calls called year years old age aged also just very "
        "much really quite currently now today always often usually sometimes still again already too "
        "hate hates hated dislike dislikes disliked detest detests avoid avoids avoided not no never nor "
        "neither none cannot anymore any all some every each other another same stop stops stopped quit "
        "quits s t m re ve ll d"
    ),
    synonym_groups=_synonym_groups(
        """
        married wife husband spouse wed marriage
        mother mom mum mommy mummy
        father dad daddy
        child kid kids children
        developer dev programmer engineer coder coding
        doctor physician doc dr
        film movie movies films cinema
        bicycle bike cycling
        phone mobile smartphone cellphone
        vegetarian veggie
        television tv telly
        postgresql postgres
        javascript js
        typescript ts
        kubernetes k8s
        america usa us american
        britain uk british
        birthday born birth
        house home
        holiday vacation
        job work profession occupation career
        company firm employer
        fire fired laid
        buy bought purchase purchased
        eat ate eaten eating
        write wrote written
        teach taught teacher
        run ran runner
        leave left
        lose lost
        meet met
        build built
        speak spoke spoken
        drive drove driven
        sleep slept
        begin began begun start started
        grow grew grown
        move moved relocate relocated
        decide decided decision chose choose chosen
        afraid fear fears scared
        anxious anxiety worried nervous
        crowded full packed crowd
        cook cooking chef
        """
    ),
    number_words=dict(
        zip(
            "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen "
            "fifteen sixteen seventeen eighteen nineteen twenty thirty forty fifty sixty seventy eighty "
            "ninety hundred thousand".split(),
            [*map(str, range(21)), *map(str, range(30, 101, 10)), "1000"],
            strict=True,
        )
    ),
    negations=_word_set(
        "not no never nor neither cannot without hate hates hated dislike dislikes disliked detest "
        "detests avoid avoids avoided stop stops stopped quit quits anymore"
    ),
    month_numbers=_numbered(
        "january/jan february/feb march/mar april/apr may june/jun july/jul august/aug "
        "september/sept/sep october/oct "
        "november/nov december/dec"
    ),
    ordinals=_numbered("first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth"),
)

PORTUGUESE_VOCABULARY = GroundingVocabulary(
    user_words=_word_set("eu user usuario usuaria usuarios utilizador assistente"),
    framing_words=_word_set(
        "º ª h apenas so somente via devido tal tais mesmo primeiro ultimo durante contra apos antes depois ate "
        "embora ambos cada pois portanto porem entao assim o a os as um uma uns umas de do da dos das em "
        "no na nos nas num numa ao aos com por pelo pela pelos pelas para pra pro sem sobre entre desde e "
        "ou mas se que quem qual quais quando onde como porque eu me mim meu minha meus minhas nosso "
        "nossa nossos nossas tu te teu tua voce voces lhe ele ela eles elas seu sua seus suas dele dela "
        "deles delas isto isso aquilo este esta esse essa aquele aquela user usuario usuaria usuarios "
        "utilizador assistente pessoa alguem lugar lugares coisa coisas sou somos sao foi era ser sido "
        "estou estao estava estar ter tem tenho temos tinha teve ha vai vou ir fazer faz faco fez pode "
        "poder posso deve dever gosta gosto gostar gostava ama amo adora adoro prefere prefiro preferir "
        "favorito favorita quer quero querer queria pretende pretendo precisa preciso planeja planeia "
        "espera deseja usa uso usar utiliza utilizo trabalha trabalho trabalhar mora moro morar vive vivo "
        "viver reside sente sinto acha acho pensa diz disse dizer contou mencionou afirma sabe nome chama "
        "chamo chamado chamada ano anos idade tambem muito muita muitos muitas bem agora hoje sempre "
        "atualmente ainda ja mais menos todo toda todos todas odeia odeio odiar detesta detesto evita "
        "evito evitar nao nunca jamais nem nenhum nenhuma parou parei deixou deixei outro outra"
    ),
    synonym_groups=_synonym_groups(
        """
        casado casada esposa marido mulher casamento
        mae mamae
        pai papai
        filho filhos
        crianca criancas
        desenvolvedor desenvolvedora dev programador programadora programar programo engenheiro engenheira
        medico medica doutor doutora
        filme filmes cinema
        bicicleta bike
        telefone celular telemovel
        vegetariano vegetariana
        televisao tv
        postgresql postgres
        javascript js
        typescript ts
        aniversario nasci nasceu nascimento
        casa lar
        ferias viagem
        emprego trabalho profissao
        empresa companhia firma
        demitido demitida demissao despedido
        comprar comprei comprou
        comer como come comi comeu
        escrever escrevo escreve escreveu
        perder perco perde perdi perdeu
        dormir durmo dorme
        mudar mudei mudou
        decidir decidi decidiu decidimos decisao escolhi escolheu escolhemos
        medo receio
        ansioso ansiosa ansiedade nervoso nervosa preocupado preocupada
        lotado lotados lotada lotadas cheio cheia cheios cheias
        cozinhar cozinho cozinha cozinheiro
        comecar comecei comecou
        aprender aprendo aprende aprendendo
        estudar estudo estuda estudante
        """
    ),
    number_words=dict(
        zip(
            "zero um dois tres quatro cinco seis sete oito nove dez onze doze treze quatorze quinze "
            "dezesseis dezessete dezoito dezenove vinte trinta quarenta cinquenta sessenta setenta "
            "oitenta noventa cem mil".split(),
            [*map(str, range(21)), *map(str, range(30, 101, 10)), "1000"],
            strict=True,
        )
    )
    | {"duas": "2", "catorze": "14", "dezasseis": "16", "dezassete": "17", "dezanove": "19"},
    negations=_word_set(
        "nao nunca jamais nem sem nenhum nenhuma odeia odeio odiar detesta detesto evita evito evitar "
        "parou parei deixou deixei"
    ),
    month_numbers=_numbered(
        "janeiro/jan fevereiro/fev marco/mar abril/abr maio/mai junho/jun julho/jul agosto/ago "
        "setembro/set outubro/out "
        "novembro/nov dezembro/dez"
    ),
    ordinals=_numbered(
        "primeiro/primeira segundo/segunda terceiro/terceira quarto/quarta quinto/quinta sexto/sexta "
        "setimo/setima oitavo/oitava "
        "nono/nona decimo/decima"
    ),
)

VOCABULARIES: Mapping[str, GroundingVocabulary] = {"en": ENGLISH_VOCABULARY, "pt": PORTUGUESE_VOCABULARY}
