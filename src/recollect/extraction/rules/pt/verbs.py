"""Rewrite Portuguese clauses in the third person."""

from collections.abc import Sequence
from dataclasses import replace

from recollect.extraction.rules.lexicon import word_set
from recollect.extraction.rules.tokens import Word, fold

OWN = word_set("meu minha meus minhas nosso nossa nossos nossas")
LIGHT = word_set(
    "tambem ja ainda agora atualmente finalmente recentemente praticamente apenas so la ultimamente "
    "basicamente oficialmente sinceramente"
)
EMPHASIS = word_set("realmente mesmo simplesmente")
_THIRD = dict(
    pair.split(":")
    for pair in (
        "sou:é somos:é tenho:tem temos:tem moro:mora moramos:mora vivo:vive vivemos:vive resido:reside "
        "trabalho:trabalha trabalhamos:trabalha gosto:gosta odeio:odeia detesto:detesta amo:ama "
        "adoro:adora curto:curte prefiro:prefere preferimos:prefere evito:evita evitamos:evita "
        "costumo:costuma costumamos:costuma como:come bebo:bebe fumo:fuma tomo:toma uso:usa usamos:usa "
        "utilizamos:utiliza assisto:assiste vejo:vê quero:quer queremos:quer pretendo:pretende "
        "pretendemos:pretende planejo:planeja planejamos:planeja planeio:planeia sonho:sonha penso:pensa "
        "espero:espera gostaria:gostaria gostariamos:gostaria estou:está to:está tou:está estamos:está "
        "ando:anda andamos:anda fico:fica ficamos:ficou sinto:sente falo:fala estudo:estuda curso:cursa "
        "faco:faz toco:toca jogo:joga pratico:pratica meco:mede peso:pesa dirijo:dirige conduzo:conduz "
        "leciono:leciona ensino:ensina dou:dá sofro:sofre sofremos:sofre suporto:suporta aguento:aguenta "
        "venho:vem vou:vai vamos:vai fui:foi fomos:foi nasci:nasceu cresci:cresceu morei:morou vivi:viveu "
        "trabalhei:trabalhou estudei:estudou cursei:cursou formei:formou aposentei:aposentou casei:casou "
        "casamos:casou divorciei:divorciou separei:separou separamos:separou divorciamos:divorciou "
        "terminamos:terminou demiti:demitiu engravidei:engravidou fiquei:ficou pedi:pediu larguei:largou "
        "perdi:perdeu deixei:deixou terminei:terminou mudei:mudou mudamos:mudou comprei:comprou "
        "compramos:comprou vendi:vendeu vendemos:vendeu adotei:adotou adotamos:adotou ganhei:ganhou "
        "troquei:trocou tive:teve tivemos:teve comecei:começou comecamos:começou arranjei:arranjou "
        "arrumei:arrumou consegui:conseguiu entrei:entrou passei:passou passamos:passou reprovei:reprovou "
        "chumbei:chumbou descobri:descobriu recebi:recebeu virei:virou tornei:tornou sigo:segue "
        "decidi:decidiu decidimos:decidiu optei:optou optamos:optou resolvi:resolveu resolvemos:resolveu "
        "combinamos:combinou concordamos:concordou escolhi:escolheu escolhemos:escolheu definimos:definiu "
        "migramos:migrou migrei:migrou trocamos:trocou seguimos:segue hospedamos:hospeda "
        "escrevemos:escreve rodamos:roda criei:criou fiz:fez desenvolvi:desenvolveu choro:chora "
        "entro:entra morro:morre corro:corre medito:medita nado:nada cozinho:cozinha pedalo:pedala "
        "pinto:pinta desenho:desenha leio:lê treino:treina caminho:caminha acordo:acorda durmo:dorme "
        "compro:compra posso:pode atuo:atua ganho:ganha completei:completou completo:completa "
        "recebo:recebe torco:torce parei:parou preciso:precisa viajo:viaja viajamos:viaja embarco:embarca "
        "embarcamos:embarca corri:correu nadei:nadou subi:subiu escalei:escalou publiquei:publicou "
        "publicamos:publicou lancei:lançou lancamos:lançou abri:abriu abrimos:abriu defendi:defendeu "
        "acabei:acabou acabamos:acabou quebrei:quebrou torci:torceu fraturei:fraturou machuquei:machucou "
        "operei:operou rompi:rompeu desloquei:deslocou abandonei:abandonou divido:divide dividimos:divide "
        "conheci:conheceu inscrevi:inscreveu matriculei:matriculou sai:saiu saimos:saiu exerci:exerceu tinha:tinha "
        "fundei:fundou fundamos:fundou voltei:voltou voltamos:voltou"
    ).split()
)
_DROPPED = OWN | {"eu", "me", "nos"}
_BEFORE_VERB = LIGHT | EMPHASIS | word_set("nao nunca sempre quase jamais me se")
_SURELY_VERBS = word_set(
    "tenho estou sou vou fico quero recebo falo faco posso sinto fui moro vivo penso leio durmo"
)
_FIRST = {
    to_third_person: first for first, to_third_person in reversed(_THIRD.items()) if not first.endswith("mos")
}
_INFINITIVE = dict(
    pair.split(":")
    for pair in (
        "responda:responder responde:responder escreva:escrever escreve:escrever fale:falar fala:falar "
        "use:usar usa:usar utilize:utilizar explique:explicar explica:explicar mantenha:manter siga:seguir "
        "segue:seguir aplique:aplicar sugira:sugerir coloque:colocar faça:fazer faca:fazer "
        "comente:comentar crie:criar evite:evitar inclua:incluir prefira:preferir pare:parar"
    ).split()
)


def to_first_person(verb: str) -> str | None:
    """Return the form without accents of which this verb is the third person: "gosto" for "gosta"."""
    return _FIRST.get(verb)


def to_third_person(words: Sequence[Word], *, verb: bool = False) -> list[str | None]:
    """
    Retell "odeio coentro" as "odeia coentro"; "minha" goes with its article.

    After the first verb, which ``verb`` says stands before these words, only forms that are no nouns change.
    """
    told: list[str | None] = []
    for place, word in enumerate(words):
        if word.fold == "me" and place < 3:
            told.append("se")
        elif word.fold in _DROPPED or _article_before_own(words, place):
            told.append(None)
        elif word.fold in _THIRD and (not verb or word.fold in _SURELY_VERBS):
            told.append(_THIRD[word.fold])
            verb = True
        else:
            told.append(word.text.lower() if place == 0 else word.text)
            verb = verb or word.fold not in _BEFORE_VERB
    return told


def _alone(words: Sequence[Word]) -> list[Word]:
    told = list(words)
    for place in range(len(told) - 3):
        with_kin = [word.fold for word in told[place : place + 2]] == ["eu", "e"] and told[
            place + 2
        ].fold in OWN
        if with_kin and place + 4 < len(told) and told[place + 4].fold.endswith("mos"):
            del told[place + 1 : place + 4]
            break
    return told


def _article_before_own(words: Sequence[Word], place: int) -> bool:
    article = words[place].fold in {"o", "a", "os", "as"}
    return article and place + 1 < len(words) and words[place + 1].fold in OWN


def to_infinitive(words: Sequence[Word]) -> list[str | None]:
    """Retell "nunca use emojis" as "nunca usar emojis"."""
    told: list[str | None] = []
    for place, word in enumerate(words):
        text = _INFINITIVE.get(word.fold, word.text) if place < 3 else word.text
        told.append(None if word.fold == "me" else text.lower() if place == 0 else text)
    return told


def normalize_speaker(words: Sequence[Word]) -> list[Word]:
    """
    Take "a gente usa" for "eu uso": it speaks of the speaker, in the third person.

    And "eu e minha esposa somos" for "eu somos": what both are the speaker is.
    """
    words = _alone(words)
    told: list[Word] = []
    place = 0
    while place < len(words):
        word = words[place]
        gente = word.fold == "a" and place + 2 < len(words) and words[place + 1].fold == "gente"
        if gente:
            verb = words[place + 2]
            told.append(Word(text="a gente", fold="eu", start=word.start, end=words[place + 1].end))
            told.append(replace(verb, fold=_FIRST.get(fold(verb.text), verb.fold)))
        else:
            told.append(word)
        place += 3 if gente else 1
    return told
