"""The `Grammar` and `Cues` of Portuguese."""

from recollect.extraction.rules.grammar import Cues, Grammar
from recollect.extraction.rules.lexicon import word_set
from recollect.extraction.rules.patterns import PhraseSet, WordPattern
from recollect.extraction.rules.pt import word_lists as pt
from recollect.extraction.rules.pt.event_rules import FEELING_CAUSE_PATTERNS, FEELING_PATTERNS, RULE_INDEXES
from recollect.extraction.rules.pt.verbs import (
    EMPHASIS,
    LIGHT,
    OWN,
    normalize_speaker,
    to_infinitive,
    to_third_person,
)
from recollect.extraction.rules.pt.word_classes import STOPS
from recollect.text.languages.pt import PORTUGUESE

_CUES = Cues(
    question=PhraseSet.parse(
        "o que, que, qual, quais, como, quem, onde, quando, quanto, quantos, quantas, por que, porque é "
        "que, sera, pode, podes, poderia, consegue, consegues, voce, tu, tem, ha, é, esta, está, devo, "
        "deveria, posso, vale, alguma, algum, me da, me de, me ajuda, me ajude, me diz, me diga, me fala, "
        "me explica, me sugere, sugere, sugira, da, escreve, escreva, explica, explique, gera, gere, faz, "
        "faca, cria, crie, lista, liste, resume, resuma, corrige, corrija, revisa, revise, traduz, "
        "traduza, vamos, manda, recomenda, recomende, conta, tira, ajuda, ajude, calcule"
    ),
    doubt=PhraseSet.parse(
        "talvez, quem sabe, sei la, acho que, acho, sera que, provavelmente, nao sei se, tomara, quem "
        "dera, queria ser, queria saber, porventura, se calhar, suponho, imagino, tenho certeza, duvido"
    ),
    hypothetical=PhraseSet.parse(
        "de acordo com, segundo o, segundo a, segundo os, segundo as, se eu, se nos, se voce, se ele, se "
        "ela, se o, se a, se os, se as, se fosse, se tivesse, se for, "
        "se tiver, se ganhasse, se meu, se minha, se quiser, se der, se pudesse, se houver, se houvesse, "
        "se precisar, se ganhar, se fizer, suponha, supondo, suponhamos, digamos, caso, imaginando, "
        "assumindo, a menos que, faz de conta"
    ),
    fiction=PhraseSet.parse(
        "imagine, imagina, finja, finge, aja como, age como, atue como, faz de conta, faça de conta, vamos "
        "brincar, roleplay, role play, escreva uma historia, escreve uma historia, conte uma historia, "
        "conta uma historia, historia em que, historia onde, um conto, um poema, uma musica, era uma vez, "
        "escreva um email, escreva um e-mail, escreve um email, escreva uma carta, escreve uma carta, "
        "escreva um texto, escreve um texto, uma redacao, no estilo de, traduza, traduz, traduzir, "
        "tradução, corrija esta, corrija essa, corrija o, corrija a, corrige esta, corrige essa, corrige o "
        "texto, corrigir esta, reescreva, reescreve, parafraseie, resuma este, resuma esse, resuma o, o "
        "seguinte texto, a seguinte frase, historia de usuario, voce é um, voce é uma, como desenvolvedor, "
        "como usuario, como utilizador, como cliente, personagem, persona, o protagonista, a protagonista"
    ),
    quotation_label=PhraseSet.parse(
        "email, e-mail, carta, texto, mensagem, frase, paragrafo, citacao, comentario, resenha, escreveu, "
        "disse, diz, falou, log, saida, transcricao, trecho, artigo, post, tweet, prompt, exemplo, "
        "roteiro, letra, chamado, persona, perfil, resposta, personagem, dialogo, conversa, descricao, "
        "legenda, manchete, "
        "bio, usuario, cliente, atendente, assistente, entrevistador"
    ),
    letter_opening=PhraseSet.parse(
        "prezado, prezada, prezados, prezadas, caro, cara senhora, caros, exmo, exma, excelentissimo, "
        "a quem possa interessar"
    ),
    joke=PhraseSet.parse(
        "brincadeira, brincadeirinha, zoeira, to brincando, estou brincando, to zoando, estava a brincar"
    ),
    earnest=PhraseSet.parse("fora de brincadeira, sem brincadeira, nao é brincadeira, não é brincadeira"),
    remember_request=PhraseSet.parse(
        "lembre se de que, lembre se que, lembre se, lembra te que, lembra te de que, lembra te, lembre "
        "que, lembre, lembra que, nao esqueca que, nao se esqueca que, nao se esqueca de que, nao te "
        "esquecas que, nao esquece que, nao se esqueca, nao te esquecas, nao esqueca, nao esquece, tenha "
        "em mente que, tem em mente que, tenha em conta que, tem em conta que, anota que, anote que, anota "
        "ai, anote ai, anota, anote, guarda que, guarde que, guarda essa informacao, guarde essa "
        "informacao, guarda isso, guarde isso, guarda isto, memorize que, memoriza que, fica sabendo que, "
        "fique sabendo que, para o futuro, pra referencia"
    ),
    decision_heading=PhraseSet.parse(
        "ficou decidido, foi decidido, ficou combinado, decisao tomada, decisao sobre, decisao final, "
        "decidimos, decidi, "
        "combinamos, concordamos"
    ),
    note_heading=PhraseSet.parse(
        "para constar, para registro, para o registro, vale registrar, vale lembrar, vale anotar"
    ),
    opinion_heading=PhraseSet.parse("minha opiniao, minha visao"),
    politeness_words=word_set("por favor pode podes voce tambem e entao ok so sempre"),
    standing_instruction=PhraseSet.parse(
        "de agora em diante, a partir de agora, a partir de hoje, daqui para frente, daqui pra frente, "
        "daqui em diante, doravante"
    ),
    deictic=PhraseSet.parse(
        "isso, isto, aquilo, esse, essa, esses, essas, este, esta, estes, estas, aquele, aquela, dessa, "
        "desse, deste, desta, disso, disto, nisso, dele, dela, ele, ela, eles, elas, o primeiro, a "
        "primeira, o segundo, a segunda, primeiro, segundo, a resposta, o texto, o paragrafo, a versao, a "
        "ideia, a sugestao, a opcao, o codigo, o arquivo, o ficheiro, voce, que voce, que tu, que me, "
        "saber, ver, entender, mais, tudo, outro, outra, o nome errado, aqui, la"
    ),
    any_more=PhraseSet.parse("mais"),
    no_longer=PhraseSet.parse("ja nao"),
    every_time=PhraseSet.parse("sempre que, toda vez que, todas as vezes que, cada vez que, toda a vez que"),
)

PORTUGUESE_GRAMMAR = Grammar(
    language=PORTUGUESE,
    contractions={},
    clitics=word_set("me se te nos lhe lhes vos"),
    abbreviations=word_set("sr sra srs dr dra prof profa st sto sta etc ex av r no n p pag obs tel"),
    pronouns=word_set("eu"),
    possessives=OWN,
    articles=word_set("o a os as um uma este esta esse essa"),
    other_subjects=word_set(
        "ele ela eles elas voce voces tu isso isto aquilo este esta esse essa aquele aquela alguem ninguem "
        "quem seu sua seus suas todos todo"
    ),
    kin=pt.KIN,
    acquaintances=pt.ACQUAINTANCES,
    partners=pt.PARTNERS,
    trades=pt.JOBS - pt.TRAITS,
    project_nouns=pt.THINGS,
    bare_project_nouns=word_set("tudo prazo stack"),
    quantifiers={
        **dict.fromkeys(word_set("todo toda todos todas cada"), word_set("deve devem precisa precisam tem")),
        **dict.fromkeys(word_set("nenhum nenhuma nada ninguem"), word_set("deve devem pode podem precisa")),
    },
    project_verbs=word_set(
        "é sao usa usam utiliza roda segue seguem requer exige suporta depende precisa tem deve vai foi "
        "esta está nao so se"
    ),
    kin_name_patterns=tuple(
        WordPattern.parse(text, {})
        for text in ("se chama|chamam", "chama|chamam se", "chama", "é o|a", "chamado|chamada", "nome é|e")
    ),
    mentioned_name_patterns=tuple(
        WordPattern.parse(text, {})
        for text in (
            "o? nome dele|dela|do|da é|e",
            "ele|ela se chama",
            "ele|ela chama se",
            "chama se",
            "se chama",
        )
    ),
    introduction_patterns=tuple(
        WordPattern.parse(text, {})
        for text in ("eu? sou o|a", "aqui é|e o|a", "aqui? quem fala é|e o|a?", "eu sou", "sou")
    ),
    introduction_suffixes=PhraseSet.parse("aqui"),
    not_names=pt.NOT_NAMES,
    copulas=word_set("é e sao eh"),
    favourite_words=word_set(
        "favorito favorita favoritos favoritas preferido preferida preferidos preferidas"
    ),
    feeling_patterns=FEELING_PATTERNS,
    feeling_cause_patterns=FEELING_CAUSE_PATTERNS,
    reply_verbs=word_set("responda responde escreva escreve fale fala responder"),
    answer_languages=pt.LANGUAGES,
    goal_nouns=word_set("meta objetivo objectivo sonho"),
    normalize_speaker=normalize_speaker,
    words_before_is=word_set("nome aniversario favorita favorito preferida preferido"),
    kin_modifiers=word_set("mais velho velha novo nova do meio gemeo gemea cacula querido querida"),
    future_words=word_set("vou vamos vai vence expira acaba termina comeca é sao sera serao fica"),
    list_conjunctions=word_set("e ou nem"),
    temporal_conjunctions=word_set("quando enquanto assim"),
    degree_verbs=frozenset(),
    imperatives=word_set(
        "use usa utilize escreva escreve responda responde mostre mostra explique explica inclua evite "
        "sempre nunca coloque "
        "mantenha siga prefira comente"
    ),
    clause_conjunctions=word_set("mas porem porque pois entao enquanto portanto contudo"),
    list_ending_verbs=word_set(
        "quero preciso acho sei queria vou fui estou tenho gostaria percebi notei era estava foi é está"
    ),
    value_end_words=STOPS,
    fillers=pt.FILLERS,
    subjectless_verbs=None,
    trailing_fillers=LIGHT | word_set("haha kkk kkkk rs rsrs ne viu ta obrigado obrigada"),
    second_person=word_set("voce voces te ti contigo seu sua"),
    adverbs=LIGHT,
    emphasis_adverbs=EMPHASIS,
    negations=word_set("nao"),
    cues=_CUES,
    rule_indexes=RULE_INDEXES,
    to_third_person=to_third_person,
    to_infinitive=to_infinitive,
    aversion_rules=(
        (
            PhraseSet.parse("nao gostei, odiei, detestei, nao curti, nao aguentei, fui embora"),
            PhraseSet.parse("cheio, cheia, lotado, lotada, muita gente, gente demais, abarrotado"),
            "evita lugares lotados",
        ),
        (
            PhraseSet.parse("nao gostei, odiei, detestei, nao curti, nao aguentei, fui embora"),
            PhraseSet.parse("barulhento, barulhenta, muito barulho, barulho demais"),
            "evita lugares barulhentos",
        ),
    ),
)
