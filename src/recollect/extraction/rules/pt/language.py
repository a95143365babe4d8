"""How Portuguese speakers put things: questions, suppositions, quotations, requests."""

from recollect.extraction.rules.grammar import Language, Signs
from recollect.extraction.rules.lexicon import listed
from recollect.extraction.rules.patterns import Pattern, Phrases
from recollect.extraction.rules.pt import word_lists as pt
from recollect.extraction.rules.pt.event_rules import BOOKS, BRINGS, FEELS
from recollect.extraction.rules.pt.verbs import EMPHASIS, LIGHT, OWN, order, spoken, third
from recollect.extraction.rules.pt.word_classes import STOPS

_SIGNS = Signs(
    asking=Phrases.listed(
        "o que, que, qual, quais, como, quem, onde, quando, quanto, quantos, quantas, por que, porque é "
        "que, sera, pode, podes, poderia, consegue, consegues, voce, tu, tem, ha, é, esta, está, devo, "
        "deveria, posso, vale, alguma, algum, me da, me de, me ajuda, me ajude, me diz, me diga, me fala, "
        "me explica, me sugere, sugere, sugira, da, escreve, escreva, explica, explique, gera, gere, faz, "
        "faca, cria, crie, lista, liste, resume, resuma, corrige, corrija, revisa, revise, traduz, "
        "traduza, vamos, manda, recomenda, recomende, conta, tira, ajuda, ajude, calcule"
    ),
    doubt=Phrases.listed(
        "talvez, quem sabe, sei la, acho que, acho, sera que, provavelmente, nao sei se, tomara, quem "
        "dera, queria ser, queria saber, porventura, se calhar, suponho, imagino, tenho certeza, duvido"
    ),
    unreal=Phrases.listed(
        "de acordo com, segundo o, segundo a, segundo os, segundo as, se eu, se nos, se voce, se ele, se "
        "ela, se o, se a, se os, se as, se fosse, se tivesse, se for, "
        "se tiver, se ganhasse, se meu, se minha, se quiser, se der, se pudesse, se houver, se houvesse, "
        "se precisar, se ganhar, se fizer, suponha, supondo, suponhamos, digamos, caso, imaginando, "
        "assumindo, a menos que, faz de conta"
    ),
    staged=Phrases.listed(
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
    pasted=Phrases.listed(
        "email, e-mail, carta, texto, mensagem, frase, paragrafo, citacao, comentario, resenha, escreveu, "
        "disse, diz, falou, log, saida, transcricao, trecho, artigo, post, tweet, prompt, exemplo, "
        "roteiro, letra, chamado, persona, perfil, resposta, personagem, dialogo, conversa, descricao, "
        "legenda, manchete, "
        "bio, usuario, cliente, atendente, assistente, entrevistador"
    ),
    letter=Phrases.listed(
        "prezado, prezada, prezados, prezadas, caro, cara senhora, caros, exmo, exma, excelentissimo, "
        "a quem possa interessar"
    ),
    joke=Phrases.listed(
        "brincadeira, brincadeirinha, zoeira, to brincando, estou brincando, to zoando, estava a brincar"
    ),
    keep=Phrases.listed(
        "lembre se de que, lembre se que, lembre se, lembra te que, lembra te de que, lembra te, lembre "
        "que, lembre, lembra que, nao esqueca que, nao se esqueca que, nao se esqueca de que, nao te "
        "esquecas que, nao esquece que, nao se esqueca, nao te esquecas, nao esqueca, nao esquece, tenha "
        "em mente que, tem em mente que, tenha em conta que, tem em conta que, anota que, anote que, anota "
        "ai, anote ai, anota, anote, guarda que, guarde que, guarda essa informacao, guarde essa "
        "informacao, guarda isso, guarde isso, guarda isto, memorize que, memoriza que, fica sabendo que, "
        "fique sabendo que, para o futuro, pra referencia"
    ),
    decides=Phrases.listed(
        "ficou decidido, foi decidido, ficou combinado, decisao tomada, decisao sobre, decisao final, "
        "decidimos, decidi, "
        "combinamos, concordamos"
    ),
    files=Phrases.listed(
        "para constar, para registro, para o registro, vale registrar, vale lembrar, vale anotar"
    ),
    views=Phrases.listed("minha opiniao, minha visao"),
    polite=listed("por favor pode podes voce tambem e entao ok so sempre"),
    leads=Phrases.listed(
        "de agora em diante, a partir de agora, a partir de hoje, daqui para frente, daqui pra frente, "
        "daqui em diante, doravante"
    ),
    pointing=Phrases.listed(
        "isso, isto, aquilo, esse, essa, esses, essas, este, esta, estes, estas, aquele, aquela, dessa, "
        "desse, deste, desta, disso, disto, nisso, dele, dela, ele, ela, eles, elas, o primeiro, a "
        "primeira, o segundo, a segunda, primeiro, segundo, a resposta, o texto, o paragrafo, a versao, a "
        "ideia, a sugestao, a opcao, o codigo, o arquivo, o ficheiro, voce, que voce, que tu, que me, "
        "saber, ver, entender, mais, tudo, outro, outra, o nome errado, aqui, la"
    ),
    over=Phrases.listed("mais"),
    no_longer=Phrases.listed("ja nao"),
    every_time=Phrases.listed("sempre que, toda vez que, todas as vezes que, cada vez que, toda a vez que"),
)

PORTUGUESE = Language(
    code="pt",
    contractions={},
    clitics=listed("me se te nos lhe lhes vos"),
    abbreviations=listed("sr sra srs dr dra prof profa st sto sta etc ex av r no n p pag obs tel"),
    pronouns=listed("eu"),
    own=OWN,
    articles=listed("o a os as um uma este esta esse essa"),
    others=listed(
        "ele ela eles elas voce voces tu isso isto aquilo este esta esse essa aquele aquela alguem ninguem "
        "quem seu sua seus suas todos todo"
    ),
    kin=pt.KIN,
    acquaintances=pt.ACQUAINTANCES,
    partners=pt.PARTNERS,
    trades=pt.JOBS - pt.TRAITS,
    things=pt.THINGS,
    bare_things=listed("tudo prazo stack"),
    quantities={
        **dict.fromkeys(listed("todo toda todos todas cada"), listed("deve devem precisa precisam tem")),
        **dict.fromkeys(listed("nenhum nenhuma nada ninguem"), listed("deve devem pode podem precisa")),
    },
    thing_verbs=listed(
        "é sao usa usam utiliza roda segue seguem requer exige suporta depende precisa tem deve vai foi "
        "esta está nao so se"
    ),
    called=tuple(
        Pattern.parse(text, {})
        for text in ("se chama|chamam", "chama|chamam se", "chama", "é o|a", "chamado|chamada", "nome é|e")
    ),
    theirs=tuple(
        Pattern.parse(text, {})
        for text in (
            "o? nome dele|dela|do|da é|e",
            "ele|ela se chama",
            "ele|ela chama se",
            "chama se",
            "se chama",
        )
    ),
    introduced=tuple(
        Pattern.parse(text, {})
        for text in ("eu? sou o|a", "aqui é|e o|a", "aqui? quem fala é|e o|a?", "eu sou", "sou")
    ),
    here=Phrases.listed("aqui"),
    not_names=pt.NOT_NAMES,
    copulas=listed("é e sao eh"),
    favourites=listed("favorito favorita favoritos favoritas preferido preferida preferidos preferidas"),
    feels=FEELS,
    brings=BRINGS,
    replies=listed("responda responde escreva escreve fale fala responder"),
    tongues=pt.LANGUAGES,
    aims=listed("meta objetivo objectivo sonho"),
    spoken=spoken,
    before_is=listed("nome aniversario favorita favorito preferida preferido"),
    nearer=listed("mais velho velha novo nova do meio gemeo gemea cacula querido querida"),
    future=listed("vou vamos vai vence expira acaba termina comeca"),
    soft=listed("e ou nem"),
    when=listed("quando enquanto assim"),
    degree=frozenset(),
    imperatives=listed(
        "use usa utilize escreva escreve responda responde mostre mostra explique explica inclua evite "
        "sempre nunca coloque "
        "mantenha siga prefira comente"
    ),
    hard=listed("mas porem porque pois entao enquanto portanto contudo"),
    resumes=listed(
        "quero preciso acho sei queria vou fui estou tenho gostaria percebi notei era estava foi é está"
    ),
    stops=STOPS,
    fillers=pt.FILLERS,
    unsaid=None,
    trailing=LIGHT | listed("haha kkk kkkk rs rsrs ne viu ta obrigado obrigada"),
    hearer=listed("voce voces te ti contigo seu sua"),
    adverbs=LIGHT,
    emphasis=EMPHASIS,
    negations=listed("nao"),
    signs=_SIGNS,
    books=BOOKS,
    third=third,
    infinitive=order,
    lessons=(
        (
            Phrases.listed("nao gostei, odiei, detestei, nao curti, nao aguentei, fui embora"),
            Phrases.listed("cheio, cheia, lotado, lotada, muita gente, gente demais, abarrotado"),
            "evita lugares lotados",
        ),
        (
            Phrases.listed("nao gostei, odiei, detestei, nao curti, nao aguentei, fui embora"),
            Phrases.listed("barulhento, barulhenta, muito barulho, barulho demais"),
            "evita lugares barulhentos",
        ),
    ),
)
